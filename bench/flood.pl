#!/usr/bin/perl

# (C) ngx_dns_module contributors

# A good client beside trouble: a flood of random names, packets from source
# port 0, a worker without descriptors.  Raw sockets need root.
#
# usage: flood.pl [--seconds=20] [--rate=450000] [--only=NAME]

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

my $port = free_port(5360);

my %o = (seconds => 20, rate => 450000);

GetOptions(\%o, 'seconds=i', 'rate=i', 'only=s') or exit 2;

my @cases = (
	[ 'window', \&flood, [ '-w', 4096 ] ],
	[ 'overload', \&flood, [ '-r', $o{rate}, '-t', '4s' ] ],
	[ 'port0', \&port0 ],
	[ 'descriptors', \&descriptors ],
);

my %result;

$| = 1;

for my $case (@cases) {
	my ($name, $code, @args) = @$case;

	next if $o{only} && index($name, $o{only}) == -1;

	$result{$name} = $code->($name, @args);
}

write_json("$build/flood.json", {
	options => \%o, machine => machine(), cases => \%result });

###############################################################################

sub start {
	my (%more) = @_;

	my $s = nginx_start("$build/servers/flood", port => $port,
		zone => 'bench.test', rcvbuf => '4m',
		file => "$build/zones/bench.test.zone", %more);

	wait_answer($s->{pid}, $port, 'ns1.bench.test');

	return $s;
}

sub resident {
	my ($pid) = @_;
	return slurp("/proc/$pid/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 : 0;
}

# drops of the server's sockets and of all others, from /proc/net/udp

sub drops {
	my ($server, $others) = (0, 0);

	for my $line (split /\n/, slurp('/proc/net/udp')) {
		my @field = split ' ', $line;

		next unless $field[0] =~ /^\d+:$/;

		my ($local) = $field[1] =~ /:([0-9A-F]+)$/;
		my $of = hex $local == $port ? \$server : \$others;

		$$of += $field[-1];
	}

	return ($server, $others);
}

# Random names at full speed while a second client asks once a millisecond.
# Every query is accounted for: answered, or dropped by the kernel at the
# server's or at a client's socket.

sub flood {
	my ($name, $how) = @_;
	my $s = start();
	my ($worker) = nginx_workers($s->{pid});

	run_load(undef, "$build/load", '-p', $port, '-x', 'bench.test',
		'-w', 256, '-d', 1);

	my $rss = resident($worker);
	my ($before) = drops();
	my $errors = receive_errors();

	my $flood = load_begin("$build/flood.out", "$build/load", '-p', $port,
		'-x', 'bench.test', '-c', 64, '-d', $o{seconds}, @$how);

	sleep 0.5;

	my $client = run_load(undef, "$build/load", '-p', $port, '-r', 1000,
		'-q', "$build/questions", '-d', $o{seconds} - 2, '-t', '4s');

	my $r = load_end($flood, 1);
	my ($server) = drops();

	$server -= $before;
	$errors = receive_errors() - $errors;

	my $grown = resident($worker) - $rss;
	my $sent = $r->{sent} + $client->{sent};
	my $missing = $sent - $r->{received} - $client->{received}
		- $r->{unknown} - $client->{unknown} - $errors;

	printf "%s: flood %.0f q/s sent, %.0f q/s answered\n", $name,
		$r->{sent} / $r->{seconds}, $r->{qps};
	printf "  second client: %d sent, %d lost, p50 %.2f ms, "
		. "p99 %.2f ms, max %.2f ms\n", $client->{sent},
		$client->{lost}, map { $client->{latency_us}{$_} / 1000 }
		qw/ p50 p99 max /;
	printf "  dropped by the kernel: %d (server's socket %d) of %d; "
		. "unaccounted: %d\n", $errors, $server, $sent, $missing;
	printf "  worker resident: %d kB before, %+d kB\n", $rss, $grown;

	server_stop($s);

	return { flood => $r, client => $client, kernel_drops => $errors,
		server_drops => $server, missing => $missing,
		rss_kb => $rss, grown_kb => $grown };
}

sub receive_errors {
	my @line = grep { /^Udp:/ } split /\n/, slurp('/proc/net/snmp');
	my @name = split ' ', $line[0];
	my @value = split ' ', $line[1];
	my %v;

	@v{@name} = @value;

	return $v{InErrors};
}

# one packet from source port 0 per batch of 64, at full load

sub port0 {
	my ($name) = @_;
	my $s = start();
	my ($before) = drops();

	my $r = run_load(undef, "$build/load", '-p', $port, '-w', 512,
		'-q', "$build/questions", '-d', $o{seconds} / 2, '-z', 64);

	my ($server) = drops();

	printf "%s: %d queries, %d packets from port 0, %d lost, "
		. "%d dropped by the kernel\n", $name, $r->{sent},
		$r->{port0}, $r->{lost}, $server - $before;

	server_stop($s);

	return { %$r, server_drops => $server - $before };
}

# idle HTTP connections take every descriptor for 10 s

sub descriptors {
	my ($name) = @_;
	my $http = free_port(8360);

	my $s = start(nofile => 64, connections => 256, http => <<EOT);
http {
    access_log off;
    keepalive_timeout 60s;
    client_header_timeout 60s;
    server {
        listen 127.0.0.1:$http;
    }
}
EOT

	my @idle = map {
		IO::Socket::INET->new(PeerAddr => '127.0.0.1',
			PeerPort => $http, Timeout => 2) || ()
	} 1 .. 150;

	sleep 0.5;

	my $r = run_load(undef, "$build/load", '-p', $port, '-r', 200,
		'-q', "$build/questions", '-d', 10, '-t', '2s');

	my $full = () = slurp("$s->{dir}/error.log")
		=~ /accept4?\(\) failed \(24/g;

	printf "%s: %d idle connections, %d accept() failures, "
		. "%d queries, %d lost, p99 %.2f ms, max %.2f ms\n", $name,
		scalar @idle, $full, $r->{sent}, $r->{lost},
		$r->{latency_us}{p99} / 1000, $r->{latency_us}{max} / 1000;

	close $_ for @idle;

	server_stop($s);

	return { %$r, idle => scalar @idle, failures => $full };
}

###############################################################################
