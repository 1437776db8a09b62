#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for 2000 TCP clients that send an octet a second and connect again when
# they are closed, beside 200 normal clients, with enough connections and with
# the 512 that are nginx's default, case W20.

###############################################################################

use warnings;
use strict;

use Test::More;

use IO::Socket::IP;
use Socket qw/ SOCK_STREAM /;
use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib '../lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

# the slow ones are spread over processes, which may open 1024 files each

my ($processes, $each, $normal, $seconds) = (4, 500, 200, 15);

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)->plan(12);

my %conf = (
	zones => { 'z1.test' => zone_z1() },
	counters => 1,
	main => 'worker_rlimit_nofile 8192;',
	stream => 'error_log %%TESTDIR%%/error.log warn;',
);

my $query = dns_query('www.z1.test', 'A');
my $answer = dns_canon(<<'EOF');
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

###############################################################################

dns_run($t, %conf, events => 'worker_connections 4096;');
crowd($t, 'W20 4096 connections');
$t->stop();

dns_run($t, %conf);
crowd($t, 'W20 default connections');


# Normal clients ask in turn while the slow ones are there.

sub crowd {
	my ($t, $name) = @_;

	$t->run_daemon(\&slow, dns_port(), $each) for 1 .. $processes;

	my $until = time() + $seconds;
	my ($asked, $tcp, $udp, $longest, $most) = (0, 0, 0, 0, 0);

	# nobody counts before the slow ones have come

	sleep(2);

	while (time() < $until) {
		my $start = time();
		my @clients = map { eval { dns_client(proto => 'tcp') } }
			1 .. $normal / 10;

		$asked += $normal / 10;

		$_->send($query) for @clients;
		$tcp += grep { dns_text($_->recv()) eq $answer } @clients;
		$udp += dns_text(dns_send($query)) eq $answer;

		my $time = time() - $start;
		$longest = $time if $time > $longest;

		my $active = dns_counters()->{tcp_active};
		$most = $active if $active > $most;

		sleep(0.05);
	}

	note(sprintf '%d asked over TCP, longest %.3f s for %d at once, '
		. 'at most %d connections', $asked, $longest, $normal / 10,
		$most);

	cmp_ok($asked, '>=', 10 * $normal, "$name, asked");
	is($tcp, $asked, "$name, TCP");
	is($udp, $asked / ($normal / 10), "$name, UDP");
	cmp_ok($longest, '<', 3, "$name, time");
	cmp_ok($most, '>', 300, "$name, connections");

	$t->stop_daemons();

	# the gauge falls when the clients have gone

	for (1 .. 100) {
		last if dns_counters()->{tcp_active} == 0;
		sleep(0.1);
	}

	is(dns_counters()->{tcp_active}, 0, "$name, all closed");
}

###############################################################################

# Clients that send an octet a second each.

sub slow {
	my ($port, $n) = @_;

	local $SIG{PIPE} = 'IGNORE';

	my $message = dns_frame($query);
	my @clients = map { { at => 0 } } 1 .. $n;

	for ( ;; ) {
		my $start = time();

		for my $client (@clients) {
			my $s = $client->{socket};
			my $octet = substr $message, $client->{at}++, 1;

			# the last octet is never sent

			next if $s && $client->{at} < length $message
				&& $s->syswrite($octet);

			$client->{socket} = IO::Socket::IP->new(
				PeerHost => '127.0.0.1', PeerPort => $port,
				Type => SOCK_STREAM, Timeout => 1);
			$client->{at} = 0;
		}

		my $left = $start + 1 - time();
		sleep($left) if $left > 0;
	}
}

###############################################################################
