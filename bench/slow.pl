#!/usr/bin/perl

# (C) ngx_dns_module contributors

# 2,000 TCP clients that send one octet a second beside 200 normal ones and a
# UDP client: with worker_connections 4096 and with nginx's default of 512.
#
# usage: slow.pl [--slow=2000] [--normal=200] [--seconds=10]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use Getopt::Long;
use IO::Socket::INET;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5375);

my %o = (slow => 2000, normal => 200, seconds => 10);

GetOptions(\%o, 'slow=i', 'normal=i', 'seconds=i') or exit 2;

my %result;

$| = 1;

for my $connections (4096, 512) {
	$result{$connections} = run_case($connections);
}

write_json("$build/slow.json", {
	options => \%o, machine => machine(), cases => \%result });

###############################################################################

sub run_case {
	my ($connections) = @_;

	my $s = nginx_start("$build/servers/slow", port => $port,
		zone => 'bench.test', connections => $connections,
		nofile => 8192, file => "$build/zones/bench.test.zone");

	wait_answer($s->{pid}, $port, 'ns1.bench.test');

	my $slow = slow_clients();

	sleep 2;

	my $udp = load_begin("$build/slow.udp", "$build/load", '-p', $port,
		'-q', "$build/questions", '-r', 1000, '-d', $o{seconds});

	my $held = established();
	my ($asked, $served, $worst) = normal_clients();
	my $u = load_end($udp, 1);

	printf "worker_connections %d, %d slow clients connected: TCP %d of %d answered, "
		. "worst %.0f ms; UDP %d sent, %d lost, p99 %.2f ms, "
		. "max %.2f ms\n", $connections, $held, $served, $asked,
		$worst * 1000, $u->{sent}, $u->{lost},
		map { $u->{latency_us}{$_} / 1000 } qw/ p99 max /;

	halt($slow, 'KILL');
	server_stop($s);

	return { asked => $asked, served => $served, worst_s => $worst,
		udp => $u };
}

# connections that the server holds

sub established {
	return scalar grep {
		my @field = split ' ', $_;
		@field > 3 && $field[3] eq '01'
			&& $field[1] =~ sprintf ':%04X$', $port
	} split /\n/, slurp('/proc/net/tcp');
}

# one process holds all slow clients: an octet of a long message a second,
# and a new connection for each that was closed

sub slow_clients {
	my $pid = fork();
	die "fork: $!\n" unless defined $pid;

	if ($pid) {
		adopt($pid);
		return $pid;
	}

	$SIG{PIPE} = 'IGNORE';

	my @clients = (undef) x $o{slow};

	while (1) {
		my $next = time() + 1;

		for my $c (@clients) {
			next if defined $c && defined $c->syswrite("\0");

			$c = IO::Socket::INET->new(PeerPort => $port,
				PeerAddr => '127.0.0.1', Timeout => 1);
			$c->syswrite("\x02") if $c;
		}

		my $left = $next - time();
		sleep $left if $left > 0;
	}
}

# normal clients connect, ask one question, read the answer, close

sub normal_clients {
	my ($asked, $served, $worst) = (0, 0, 0);
	my $until = time() + $o{seconds} - 1;

	my $q = pack('n6', 7, 0, 1, 0, 0, 0) . "\3ns1\5bench\4test\0"
		. pack('nn', 1, 1);

	local $SIG{PIPE} = 'IGNORE';

	while (time() < $until) {
		my @clients = map {
			my $start = time();
			my $c = IO::Socket::INET->new(PeerPort => $port,
				PeerAddr => '127.0.0.1', Timeout => 2);
			$c->syswrite(pack 'n/a', $q) if $c;
			[ $c, $start ];
		} 1 .. $o{normal};

		for my $client (@clients) {
			my ($c, $start) = @$client;

			$asked++;
			next unless $c && answered($c);
			$served++;

			my $took = time() - $start;
			$worst = $took if $took > $worst;
		}
	}

	return ($asked, $served, $worst);
}

sub answered {
	my ($c) = @_;
	my ($got, $bits) = ('', '');

	vec($bits, $c->fileno(), 1) = 1;

	while (select(my $ready = $bits, undef, undef, 2) > 0) {
		$c->sysread($got, 4096, length $got) or return 0;

		return 1 if length $got > 2
			&& length $got == 2 + unpack 'n', $got;
	}

	return 0;
}

###############################################################################
