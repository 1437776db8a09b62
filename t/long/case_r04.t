#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis that is killed at any moment, 300 times: while it is
# connected to, asked for a password, in the middle of a reply, and while its
# clients are being cut.  Every query has an answer, no reply is lost twice,
# case R04.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib '../lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $loops = 300;
my $queries = 200;

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(8);

my $r = redis_start($t, password => 'secret');

fill($r);

my $address = $r->address();

dns_run($t, sources => [ 'edge' ], stream => <<EOF);
    dns_state_path state;
    dns_redis $address zone=edge:16m db=3 password=secret;
EOF

my $ask = [ 'www.z1.test', 'A' ];
my $answer = qr/ 192\.0\.2\.1$/m;

like(dns_text(dns_wait($ask, $answer)), $answer, 'loaded');

my ($pid) = control($t);
my ($asked, $right, $others) = (0, 0, '');
my ($fds, $rss);

###############################################################################

for my $loop (1 .. $loops) {
	$r->kill();
	$r->start();
	fill($r) if $loop % 2;

	my $kill = time() + rand() * ($loop % 10 ? 0.2 : 2.5);
	my $n = 0;

	while ($n < $queries || time() < $kill) {
		my $reply = dns_ask(@$ask);
		my $text = defined $reply ? dns_text($reply) : 'none';

		$n++;
		$asked++;

		if ($text =~ $answer) {
			$right++;

		} else {
			$others = $text;
		}

		if ($loop % 4 < 2 && $n == $queries / 2) {
			eval { $r->command('CLIENT', 'KILL', 'TYPE', $_,
				'SKIPME', 'yes') } for qw/ pubsub normal /;
		}

		last if time() > $kill && $n > $queries / 2;
	}

	if ($loop == 50) {
		($fds, $rss) = (descriptors($pid), rss($pid));
	}
}

is($right, $asked, 'every query has the right answer');
is($others, '', 'and no other one');

is(join(' ', control($t)), $pid, 'the same control process');
cmp_ok(descriptors($pid), '<=', $fds + 2, 'descriptors');
cmp_ok(rss($pid), '<', $rss + 2048, 'memory');

fill($r, 2);

$answer = qr/ 192\.0\.2\.2$/m;

like(dns_text(dns_wait($ask, $answer)), $answer, 'in step');
is($t->read_file('error.log') =~ /exited on signal/, '', 'no crash');

###############################################################################

# Database 3 has a hundred zones more, so that there is something to read.

sub fill {
	my ($r, $n) = @_;

	my $client = $r->client();
	my $ip = '192.0.2.' . ($n // 1);

	$client->command('SELECT', 3);

	my @commands = map { $r->l1_commands("z$_.test.", { map { $_ => {
		a => { ttl => 5, records => [ { ip => $ip } ] } } }
		'www', 1 .. 20 }) } 1 .. 100;

	$client->pipeline(@commands);
}

sub control {
	my ($t) = @_;

	return map { /(\d+)#\d+: dns control process/ ? $1 : () }
		split /\n/, $t->read_file('error.log');
}

sub descriptors {
	my ($pid) = @_;
	return scalar(() = glob "/proc/$pid/fd/*");
}

# kB of a process

sub rss {
	my ($pid) = @_;

	open my $f, '<', "/proc/$pid/status" or return 0;

	my ($n) = map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$f>;

	return $n;
}

###############################################################################
