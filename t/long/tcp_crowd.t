#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a crowd of 2000 bad TCP clients of all kinds beside 200 normal ones
# and one that asks over UDP every few milliseconds: clients that are idle, that
# send an octet now and then, that ask and do not read, and a few that ask as
# fast as they can.  With enough connections, and with the 512 and 768 that are
# nginx's and Debian's defaults.

###############################################################################

use warnings;
use strict;

use Test::More;

use Errno qw/ EAGAIN EINPROGRESS /;
use IO::Select;
use IO::Socket::INET;
use Socket qw/ SOCK_STREAM SOL_SOCKET SO_RCVBUF MSG_NOSIGNAL /;
use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir("$FindBin::Bin/.."); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $seconds = 20;
my $normal = 200;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)->plan(27);

my %conf = (
	zones => { 'z1.test' => zone_z1() },
	counters => 1,
	main => 'worker_rlimit_nofile 8192;',
	stream => "error_log %%TESTDIR%%/error.log warn;\n"
		. "    dns_tcp_timeout 3s; dns_tcp_idle_timeout 5s;\n"
		. '    dns_tcp_send_timeout 6s;',
);

my $query = dns_query('www.z1.test', 'A');
my $frame = dns_frame($query);
my $big = dns_frame((dns_query('big.z1.test', 'TXT')) x 50);

###############################################################################

for my $n (4096, 768, 512) {
	dns_run($t, %conf, events => "worker_connections $n;");
	crowd($t, $n);
	$t->stop();
}

###############################################################################

sub crowd {
	my ($t, $connections) = @_;

	my $dir = $t->testdir();

	my $name = "$connections connections";
	my @rest = (dns_port(), time() + $seconds + 4);

	# 2000 in all, spread over processes that may open 1024 files each

	$t->run_daemon(\&bad, $_, 500, @rest) for qw/ idle drip half deaf /;
	$t->run_daemon(\&firehose, @rest) for 1 .. 2;

	sleep(3);

	$t->run_daemon(\&normal, "$dir/normal", $normal, $rest[0],
		time() + $seconds - 3);

	my ($asked, $lost, @times) = (0, 0);
	my ($most, $rss) = (0, 0);
	my $until = time() + $seconds - 3;
	my $client = dns_client();

	while (time() < $until) {
		my $start = time();

		$client->send($query);
		$asked++;
		$lost++ unless defined $client->recv(timeout => 2);

		push @times, time() - $start;

		if ($asked % 200 == 0) {
			my $c = dns_counters();
			$most = $c->{tcp_active} if $c->{tcp_active} > $most;
			my $now = rss($t);
			$rss = $now if $now > $rss;
		}

		sleep(0.004);
	}

	$t->waitforfile("$dir/normal");

	my ($queries, $again, $failed, $p99) = split ' ',
		$t->read_file('normal');

	@times = sort { $a <=> $b } @times;

	note(sprintf '%s: TCP: %d queries, %d asked again, %d failed, p99 '
		. '%.1f ms; UDP: %d, %d lost, p99 %.1f ms, longest %.1f ms; '
		. 'at most %d connections, %d kB', $name, $queries, $again,
		$failed, $p99, $asked, $lost, 1000 * $times[0.99 * @times],
		1000 * $times[-1], $most, $rss);

	cmp_ok($queries, '>', 1000, "$name, queries over TCP");
	is($failed, 0, "$name, all answered");
	cmp_ok($again, '<', $queries / 5, "$name, few closed before");

	# when many come at once the queue of the socket overflows, and a client
	# has to try again after a second

	cmp_ok($p99, '<', $connections > 2000 ? 1000 : 3500, "$name, time");
	cmp_ok($asked, '>', 500, "$name, queries over UDP");
	is($lost, 0, "$name, all answered over UDP");
	cmp_ok($times[0.99 * @times], '<', 0.5, "$name, time over UDP");

	# 64 kB for replies, a reply, and queries not answered yet

	cmp_ok($rss, '<', 40_000 + $connections * 200, "$name, memory");

	$t->stop_daemons();
	unlink "$dir/normal";

	my $active;

	for (1 .. 150) {
		$active = dns_counters()->{tcp_active};
		last if $active == 0;
		sleep(0.1);
	}

	is($active, 0, "$name, none is left");
}

###############################################################################

# Bad clients: when the server closes one, it comes again half a second later.

sub bad {
	my ($kind, $n, $port, $until) = @_;

	my @clients = map { { at => 0 } } 1 .. $n;

	local $SIG{PIPE} = 'IGNORE';

	while (time() < $until) {
		my $start = time();

		for my $client (@clients) {
			act($kind, $client, $port);
		}

		my $left = $start + 0.5 - time();
		sleep($left) if $left > 0;
	}
}


sub act {
	my ($kind, $client, $port) = @_;

	my $s = $client->{socket};

	if (!$s) {
		$client->{socket} = $s = connection($port);
		$client->{at} = 0;

		setsockopt $s, SOL_SOCKET, SO_RCVBUF, pack 'i', 4096
			if $kind eq 'deaf';

		return if $kind eq 'idle' || $kind eq 'drip';

		syswrite $s, $kind eq 'half' ? substr $frame, 0, 20 : $big;
		return;
	}

	if ($kind eq 'drip' && $client->{at} < length($frame) - 1) {
		syswrite $s, substr $frame, $client->{at}++, 1;
	}

	# of replies a deaf one does not read so much as an octet

	if ($kind eq 'deaf') {
		my $state = unpack 'C', getsockopt $s, Socket::IPPROTO_TCP(), 11;
		delete $client->{socket} if $state != 1 && $state != 2;
		return;
	}

	my $n = sysread $s, my $data, 1000;

	delete $client->{socket} if defined $n || $! != EAGAIN;
}


# Asks as fast as the server reads, and reads all replies.

sub firehose {
	my ($port, $until) = @_;

	my $data = $frame x 500;
	my ($s, $at);

	local $SIG{PIPE} = 'IGNORE';

	while (time() < $until) {
		$s = connection($port), $at = 0 if !$s;

		my ($r, $w) = IO::Select->select(IO::Select->new($s),
			IO::Select->new($s), undef, 1);

		if ($r && @$r) {
			my $n = sysread $s, my $replies, 1_000_000;

			if (!$n && (defined $n || $! != EAGAIN)) {
				undef $s;
				next;
			}
		}

		if ($w && @$w) {
			my $n = syswrite $s, $data, length($data) - $at, $at;

			$at = ($at + $n) % length $data if $n;
		}
	}
}


sub connection {
	my ($port) = @_;

	return IO::Socket::INET->new(PeerAddr => '127.0.0.1',
		PeerPort => $port, Blocking => 0)
		|| die "no connection: $@\n";
}

###############################################################################

# Normal clients: connect, ask one to three times, close, and come again. One
# whose connection is closed asks again (RFC 7766, 6.2.4).  Writes what has
# become of them to a file.

sub normal {
	my ($file, $n, $port, $until) = @_;

	my %r = (queries => 0, again => 0, failed => 0, times => []);
	my @clients = map { { next => time() + rand } } 1 .. $n;

	local $SIG{PIPE} = 'IGNORE';

	while (time() < $until) {
		my $select = IO::Select->new();
		my $now = time();

		for my $client (@clients) {
			if (!$client->{socket} && $now >= $client->{next}) {
				ask($client, $port, \%r, 1 + int rand 3);
			}

			$select->add([ $client->{socket}, $client ])
				if $client->{socket};
		}

		reply($_->[1], $port, \%r) for $select->can_read(0.02);
	}

	my @times = sort { $a <=> $b } @{ $r{times} };

	open my $fh, '>', "$file.new" or die "$file: $!\n";
	printf $fh "%d %d %d %.1f\n", @r{qw/ queries again failed /},
		1000 * $times[0.99 * @times];
	close $fh;

	rename "$file.new", $file;
}


sub ask {
	my ($client, $port, $r, $left) = @_;

	$client->{socket} //= connection($port);
	$client->{left} = $left;
	$client->{start} //= time();
	$client->{buffer} = '';

	# it is still connecting perhaps

	IO::Select->new($client->{socket})->can_write(1);
	syswrite $client->{socket}, $frame;
}


sub reply {
	my ($client, $port, $r) = @_;

	my $n = sysread $client->{socket}, $client->{buffer}, 1000,
		length $client->{buffer};

	if (!$n) {
		return if !defined $n && $! == EAGAIN;

		delete $client->{socket};

		if (++$client->{tries} > 3) {
			$r->{failed}++;
			$r->{queries}++;
			delete @$client{qw/ tries start /};
			$client->{next} = time() + rand;
			return;
		}

		$r->{again}++;
		ask($client, $port, $r, $client->{left});
		return;
	}

	return if length $client->{buffer} < 47;

	$r->{queries}++;
	push @{ $r->{times} }, time() - $client->{start};

	delete @$client{qw/ tries start /};

	return ask($client, $port, $r, $client->{left})
		if --$client->{left} > 0;

	delete $client->{socket};
	$client->{next} = time() + rand;
}

###############################################################################

# Resident kilobytes of the worker.

sub rss {
	my ($t) = @_;

	my $master = int $t->read_file('nginx.pid');
	my $sum = 0;

	for my $path (glob '/proc/[0-9]*/status') {
		open my $fh, '<', $path or next;
		my $status = do { local $/; <$fh> };

		next unless defined $status && $status =~ /^PPid:\s+$master$/m;
		$sum += $1 if $status =~ /^VmRSS:\s+(\d+)/m;
	}

	return $sum;
}

###############################################################################
