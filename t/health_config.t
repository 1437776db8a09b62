#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the directives of health: what is refused, "off", "passive", and a
# table that is full.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Health;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(24);

my $d = $t->testdir();
chmod 0755, $d;

# before ports are taken: what is forked would keep them

my $b = health_backend($t, map { "127.0.0.$_:8081" } 131, 132);
my $port = port(8081);

my $state = "dns_state_path $d/state;";
my $binary = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

refused($t, 'dns_health on;', qr/"dns_health" needs "dns_state_path"/);
refused($t, 'dns_health passive;', qr/"dns_health" needs "dns_state_path"/);
refused($t, "$state dns_health maybe;",
	qr/must be "on", "passive", or "off"/);
refused($t, "$state dns_health on; dns_health off;", qr/is duplicate/);
refused($t, "$state dns_health_interval 10ms;",
	qr/"dns_health_interval" must be between 100ms and 1d/);
refused($t, "$state dns_health_interval 2d;",
	qr/"dns_health_interval" must be between 100ms and 1d/);
refused($t, "$state dns_health_zone 8k;", qr/"dns_health_zone" is too small/);
refused($t, "$state dns_health_trusted_certificate none.pem;",
	qr/none\.pem/);
refused($t, 'server { listen 127.0.0.1:8999; dns_health on; return ""; }',
	qr/"dns_health" directive is not allowed here/);

accepted($t, 'dns_health off;');
accepted($t, "$state dns_health off;");
accepted($t, "$state dns_health on; dns_health_zone 32k;");
accepted($t, "$state dns_health passive; dns_health_interval 1h;");
accepted($t, 'dns_health_interval 5s; dns_health_zone 1m;');

# more targets than the table has room for

my $many = join '', map { my $n = $_;
	map { "address 127.2.$n.$_; " } 1 .. 200 } 1 .. 2;

my $pools = <<"EOF";
    dns_pool two { address 127.0.0.131; address 127.0.0.132; health_check http
        port=$port interval=200ms timeout=1s down=1 up=1; }
    dns_pool many { $many health_check tcp port=$port interval=1h
        timeout=100ms; }
EOF

$b->mode('127.0.0.132:8081', 'status 503');

my %conf = (
	zones => { 'z1.test' => zone_text('z1.test',
		"two 60 POOL two\nmany 60 POOL many\n") },
);

dns_run($t, %conf, stream => "$state dns_health_zone 32k;\n$pools"
	. health_server());

my $c = health_wait(sub { $_[0]{full} > 0 && $_[0]{down} > 0 });

cmp_ok($c->{slots}, '<', 402, 'room for some');
is($c->{full}, 402 - $c->{slots}, 'the others are counted');
is(scalar(my @told = dns_error_log($t, qr/"dns_health_zone" is full/)), 1,
	'and told of once');
is($c->{targets}, 402, 'all are known');

# "passive", "off": nothing is checked

for my $mode ('passive', 'off') {
	$t->write_file_expand('nginx.conf', dns_conf(%conf,
		stream => "$state dns_health $mode;\n$pools" . health_server()));
	$t->reload();

	# the old process ends

	for (1 .. 100) {
		last if !health_counters()->{probing};
		select undef, undef, undef, 0.05;
	}

	select undef, undef, undef, 0.3;

	my $n = $b->requests();
	select undef, undef, undef, 0.6;

	is(scalar(my @r = $b->requests()), $n, "$mode: nobody checks");
	is(health_answer(dns_text(dns_ask('two.z1.test', 'A'))),
		$mode eq 'off' ? '131 132' : '131', "$mode: the answer");
}

# and on again

$t->write_file_expand('nginx.conf', dns_conf(%conf,
	stream => "$state\n$pools" . health_server()));
$t->reload();

$c = health_wait(sub { $_[0]{full} == 0 && $_[0]{down} > 0 });
is($c->{full}, 0, 'room for all');
is($c->{slots}, 49152, 'of the default');

###############################################################################

sub check {
	my ($t, $directives) = @_;

	$t->write_file_expand('check.conf', dns_conf(stream => $directives));

	return `$binary -t -p $d/ -c check.conf -e $d/check.log 2>&1`;
}


sub refused {
	my ($t, $directives, $why) = @_;

	like(check($t, $directives), $why,
		"refused: $directives" =~ s/\/tmp\S+/DIR/r);
}


sub accepted {
	my ($t, $directives) = @_;

	like(check($t, $directives), qr/test is successful/,
		"accepted: $directives" =~ s/\/tmp\S+/DIR/r);
}

###############################################################################
