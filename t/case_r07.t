#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis by a host name: nginx's resolver finds it, all its addresses
# are tried, and nobody waits for a resolver that is silent, case R07.

###############################################################################

use warnings;
use strict;

use Test::More;

use IO::Socket::INET qw//;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(9);

my $r = redis_start($t, port => 8981);

change($r, 1);

my $zone = zone_z1() =~ s/z1\.test/z2.test/gr;

$t->write_file('silent', '');
$t->run_daemon(\&resolver, port(8983, udp => 1), $t->testdir() . '/silent');

dns_run($t, zones => { 'z2.test' => $zone }, stream => <<EOF);
    dns_state_path state;
    resolver 127.0.0.1:%%PORT_8983_UDP%% valid=1s;
    resolver_timeout 500ms;
    dns_redis redis.internal:%%PORT_8981%% zone=edge:1m;
EOF

my $ask = [ 'www.z1.test', 'A' ];

###############################################################################

# the resolver says nothing

sleep(2);

my @lines = log_lines($t, qr/cannot connect to redis /);

is(scalar(@lines), 2, 'a line per connection');
like($lines[0], qr/"redis\.internal" is not resolved \(\S.*timed out/i,
	'not resolved');

# it answers, with an address where nobody is and another one

unlink $t->testdir() . '/silent';

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.1$/m, 5)), qr/ 192\.0\.2\.1$/m,
	'resolved');

# Redis restarts while the resolver is silent

$t->write_file('silent', '');
$r->kill();
sleep(1.5);
$r->start();
change($r, 2);

my ($wrong, $slow, $n) = (0, 0, 0);
my $until = time() + 3;

while (time() < $until) {
	for my $name (qw/ www.z1.test www.z2.test /) {
		my $start = time();
		my $reply = dns_ask($name, 'A');

		$n++;
		$slow++ if time() - $start > 0.02;
		$wrong++ if !defined $reply
			|| dns_text($reply) !~ / 192\.0\.2\.1$/m;
	}

	sleep(0.005);
}

is($wrong, 0, "what was there stays, $n queries");
cmp_ok($slow, '<=', $n / 50, "$slow of them slow");
cmp_ok(scalar(log_lines($t, qr/cannot connect to redis /)), '<=', 8,
	'few lines');

unlink $t->testdir() . '/silent';

my $start = time();

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.2$/m, 8)), qr/ 192\.0\.2\.2$/m,
	'resolved again');
cmp_ok(time() - $start, '<', 4, 'soon');

# a connection needs no resolver

$t->write_file('silent', '');
change($r, 3);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.3$/m, 5)), qr/ 192\.0\.2\.3$/m,
	'a change');

###############################################################################

sub change {
	my ($r, $n) = @_;

	$r->l1('z1.test.', { www => { a => { ttl => 5,
		records => [ { ip => "192.0.2.$n" } ] } } });
}

sub log_lines {
	my ($t, $re) = @_;
	return grep { /$re/ } split /\n/, $t->read_file('error.log');
}

# Answers every question for A by 127.0.0.2 and 127.0.0.1, every other one by
# nothing; is silent while there is such a file.

sub resolver {
	my ($port, $silent) = @_;

	my $s = IO::Socket::INET->new(Proto => 'udp',
		LocalAddr => "127.0.0.1:$port") or die "resolver: $!\n";

	while ($s->recv(my $query, 512)) {
		next if -e $silent;

		my ($question) = substr($query, 12) =~ /^(.*?\0.{4})/s or next;
		my $type = unpack 'n', substr $question, -4;
		my @ips = $type == 1 ? ([ 127, 0, 0, 2 ], [ 127, 0, 0, 1 ]) : ();

		$s->send(substr($query, 0, 2)
			. pack('n5', 0x8180, 1, scalar(@ips), 0, 0) . $question
			. join '', map { pack 'n3 N n C4', 0xc00c, 1, 1, 1, 4,
			@$_ } @ips);
	}
}

###############################################################################
