#!/usr/bin/perl

# (C) ngx_dns_module contributors

# Answers lost over reloads and binary upgrades at a fixed rate, next to a
# plain echo module in the same nginx.
#
# usage: reload.pl [--rate=50000] [--reloads=50] [--interval=0.4]
#                  [--zone=bench|a] [--only=CASE] [--what=dns,echo]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use Getopt::Long;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5350);

my %o = (rate => 50000, reloads => 50, interval => 0.4, zone => 'bench',
	what => 'dns,echo');

GetOptions(\%o, 'rate=i', 'reloads=i', 'interval=f', 'zone=s', 'only=s', 'what=s')
	or exit 2;

my %zone = (
	bench => [ 'bench.test', "$build/zones/bench.test.zone" ],
	a => [ 'a.test', "$build/large/a.test.zone" ],
);

my ($zone, $file) = @{$zone{$o{zone}} || die "no zone $o{zone}\n"};

my @cases = (
	[ 'no reload', 1, sub { sleep $o{reloads} * $o{interval} / 4 } ],
	[ 'reload, 1 worker', 1, \&reloads ],
	[ 'reload, 4 workers', 4, \&reloads ],
	[ '4 -> 2 -> 4 workers', 4, \&resize ],
	[ 'binary upgrade, 1 worker', 1, \&upgrade ],
	[ 'binary upgrade, 4 workers', 4, \&upgrade ],
);

my %result;

$| = 1;

printf "%-27s %-6s %9s %7s %9s %9s %9s %9s\n", 'case', 'server', 'sent',
	'lost', 'in kernel', 'p99 ms', 'max ms', 'reloads';

for my $case (@cases) {
	my ($name, $workers, $code) = @$case;

	next if $o{only} && index($name, $o{only}) == -1;

	for my $what (split /,/, $o{what}) {
		my $r = run_case($what, $workers, $code);

		printf "%-27s %-6s %9d %7d %9d %9.2f %9.2f %9d\n", $name,
			$what, $r->{sent}, $r->{lost}, $r->{kernel},
			$r->{latency_us}{p99} / 1000,
			$r->{latency_us}{max} / 1000, $r->{done};

		$result{$name}{$what} = $r;
	}
}

write_json("$build/reload.json", {
	options => \%o, machine => machine(), cases => \%result });

###############################################################################

sub run_case {
	my ($what, $workers, $code) = @_;

	my $s = nginx_start("$build/servers/reload-$what", what => $what,
		port => $port, daemon => 1, workers => $workers, rcvbuf => '4m',
		zone => $zone, file => $file);

	$s->{what} = $what;
	sleep 1;

	my $kernel = kernel_drops();

	my $load = load_begin("$build/reload.out", "$build/load", '-p', $port,
		'-q', questions(), '-r', $o{rate}, '-c', 64, '-d', 600,
		'-t', '2s');

	sleep 0.5;

	my $done = $code->($s);

	sleep 0.5;

	my $r = load_end($load);

	$r->{kernel} = kernel_drops() - $kernel;
	$r->{done} = $done;

	server_stop($s);

	return $r;
}

sub questions {
	return "$build/questions" if $o{zone} eq 'bench';

	my $path = "$build/questions.$o{zone}";

	unless (-e $path) {
		my @names = slurp($file) =~ /^(\w{8}) A /mg;
		spew($path, join '', map { "$_.$zone A\n" }
			@names[0 .. 199_999]);
	}

	return $path;
}

# datagrams that no socket had room for, or that came to none

sub kernel_drops {
	my @line = grep { /^Udp:/ } split /\n/, slurp('/proc/net/snmp');
	my @name = split ' ', $line[0];
	my @value = split ' ', $line[1];
	my %v;

	@v{@name} = @value;

	return $v{NoPorts} + $v{InErrors};
}

# waits until the workers of the last cycle are gone

sub settle {
	my ($s, @old) = @_;

	for (1 .. 200) {
		sleep 0.02;
		last unless grep { alive($_) } @old;
	}
}

sub reloads {
	my ($s) = @_;

	for (1 .. $o{reloads}) {
		my $start = time();
		my @old = nginx_workers(nginx_master($s));

		kill 'HUP', nginx_master($s);
		settle($s, @old);

		my $left = $start + $o{interval} - time();
		sleep $left if $left > 0;
	}

	return $o{reloads};
}

sub resize {
	my ($s) = @_;
	my $n = 0;

	for my $workers ((2, 4) x 5) {
		my @old = nginx_workers(nginx_master($s));

		nginx_conf($s->{dir}, what => $s->{what}, port => $port,
			daemon => 1,
			workers => $workers, rcvbuf => '4m', zone => $zone,
			file => $file);

		kill 'HUP', nginx_master($s);
		settle($s, @old);
		sleep $o{interval};
		$n++;
	}

	return $n;
}

sub upgrade {
	my ($s) = @_;
	my $upgrades = 5;

	for (1 .. $upgrades) {
		my $old = $s->{pid};

		kill 'USR2', $old;

		for (1 .. 500) {
			sleep 0.02;
			last if -s "$s->{dir}/nginx.pid"
				&& -e "$s->{dir}/nginx.pid.oldbin"
				&& nginx_workers(nginx_master($s));
		}

		$s->{pid} = nginx_master($s);
		adopt($s->{pid});

		sleep 0.2;

		die "the upgrade failed\n" if $s->{pid} == $old;

		kill 'QUIT', $old;

		for (1 .. 500) {
			sleep 0.02;
			last unless alive($old);
		}

		halt($old);
	}

	return $upgrades;
}

##############################################################################
