#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for "nginx -s": sending a signal reads the configuration too, which
# must work and be quick whatever is in the zone files.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use Time::HiRes qw/ sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(12);

# CPU seconds; sanitizers alone take more than nginx

my $quick = $ENV{TEST_DNS_SANITIZED} ? 1 : 0.1;

my $d = $t->testdir();
my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

mkdir "$d/zones";

$t->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone a.test a.test.zone;
        dns_zones zones/*.zone;
    }
}

EOC

my $good = zone_text('a.test', "www A 192.0.2.1\n");

# large enough to see whether it is read

$t->write_file('a.test.zone', $good);
$t->write_file('zones/b.test.zone', zone_text('b.test',
	"\$GENERATE 1-300000 n\$ A 192.0.2.1\n"));
$t->run();

###############################################################################

is(ask(), '192.0.2.1', 'start');

# a broken file

$t->write_file('a.test.zone', "$good x NOTYPE y\n");

my ($rc, $out, $time) = signal('reopen');

is($rc, 0, 'reopen with a broken zone') or diag $out;
unlike($out, qr/emerg/, 'reopen says nothing of it');
cmp_ok($time, '<', $quick, 'reopen is quick');

is(`$nginx -p $d/ -c nginx.conf -e error.log -t 2>&1` =~ /test failed/, 1,
	'the configuration test says it');

($rc, $out) = signal('reload');

is($rc, 0, 'reload with a broken zone is sent');
like((dns_error_log($t, qr/is refused/))[0], qr/"a\.test" is refused/,
	'reload fails in the master');
is(ask(), '192.0.2.1', 'the old zone stays');

# a missing file is noticed

rename "$d/a.test.zone", "$d/a.test.gone";

($rc, $out) = signal('reopen');

isnt($rc, 0, 'reopen with a missing zone file');
like($out, qr/open\(\) ".*a\.test\.zone" failed in .*nginx\.conf:\d+ \(2: /,
	'reopen says which');

rename "$d/a.test.gone", "$d/a.test.zone";

# the end

($rc, $out, $time) = signal('quit');

is($rc, 0, 'quit with a broken zone') or diag $out;
cmp_ok($time, '<', $quick, 'quit is quick');

undef $t;

###############################################################################

sub signal {
	my ($signal) = @_;

	my (undef, undef, $user, $system) = times();
	my $out = `$nginx -p $d/ -c nginx.conf -e error.log -s $signal 2>&1`;
	my $rc = $?;
	my (undef, undef, $user_end, $system_end) = times();

	return ($rc, $out, $user_end - $user + $system_end - $system);
}


sub ask {
	my $c = dns_client(port => port(8981, udp => 1));

	$c->send(dns_query('www.a.test', 'A'));

	return dns_text($c->recv()) =~ / A (\S+)$/ ? $1 : undef;
}

###############################################################################
