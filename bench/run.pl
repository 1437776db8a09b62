#!/usr/bin/perl

# (C) ngx_dns_module contributors

# The benchmarks: this server, the echo and the installed peers, interleaved
# in one run.
#
#   run.pl query    CPU per query and queries per second over UDP
#   run.pl latency  latency at a fixed rate (--rate=100000)
#   run.pl load     CPU from start to the first answer and resident octets
#                   per record, with zones of 1,000,000 records
#
# Options: --rounds=N (5), --seconds=S (3), --window=N (128), --edns=SIZE,
# --servers=a,b,c, --load-core=1, --server-core=0.
# Environment: BENCH_BUILD (build/bench), NGINX, NGINX_MODULES, DNS_MODULE.

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

my %o = (rounds => 5, seconds => 3, window => 128, 'load-core' => 1,
	'server-core' => 0, rate => 100000);

GetOptions(\%o, 'rounds=i', 'seconds=f', 'window=i', 'edns=i', 'servers=s', 'rate=i',
	'load-core=i', 'server-core=i') or exit 2;

my $what = shift // 'query';

my @all = qw/ echo nginx nginx-access nginx-log nginx-echo gdnsd knot nsd bind
	pdns /;
my @large = qw/ nginx gdnsd nsd knot bind /;

$| = 1;

if ($what eq 'query') {
	query();

} elsif ($what eq 'latency') {
	latency();

} elsif ($what eq 'load') {
	loading();

} else {
	die "usage: run.pl query|latency|load [options]\n";
}

###############################################################################

sub chosen {
	my (@names) = @_;
	@names = split /,/, $o{servers} if $o{servers};

	my @found = servers_available(@names);
	my %found = map { $_ => 1 } @found;
	my @missing = grep { !$found{$_} } @names;

	print "not installed or not built: @missing\n" if @missing;

	return @found;
}

sub load_command {
	my ($s, @more) = @_;

	return ("$build/load", '-p', $s->{port}, '-q', "$build/questions",
		'-w', $o{window}, $o{edns} ? ('-e', $o{edns}) : (), @more,
		$s->{name} =~ /^echo/ ? ('-L', "$build/sizes") : ());
}

# all servers of the run, ready to answer

sub start_all {
	my $port = 5310;
	my @servers;

	for my $name (chosen(@all)) {
		$port = free_port($port);

		push @servers, server_start($name, dir => "$build/servers",
			port => $port++, zone => 'bench.test',
			file => "$build/zones/bench.test.zone",
			core => $o{'server-core'});
	}

	my @dns = grep { $_->{name} !~ /echo/ } @servers;

	wait_answer($_->{pid}, $_->{port}, 'ns1.bench.test') for @dns;

	learn(@dns);

	return @servers;
}

# measures each server once per round, each round in another order

sub rounds {
	my ($measure, $print, @servers) = @_;
	my %result = map { $_->{name} => { rounds => [] } } @servers;

	for my $round (1 .. $o{rounds}) {
		print "round $round:";

		for my $i (0 .. $#servers) {
			my $s = $servers[($i + $round) % @servers];
			my $r = $measure->($s);

			push @{$result{$s->{name}}{rounds}}, $r;
			print " $s->{name} ", $print->($r);
		}

		print "\n";
	}

	server_stop($_) for @servers;

	return \%result;
}

sub query {
	my @servers = start_all();

	my $result = rounds(\&measure, sub {
		my ($r) = @_;
		return sprintf '%.2f%s', $r->{cpu_us},
			$r->{others} > 0.05 ? '*' : '';
	}, @servers);

	summarize($result, map { $_->{name} } @servers);
}

sub latency {
	my @servers = start_all();

	my $result = rounds(sub {
		my ($s) = @_;
		return run_load($o{'load-core'}, load_command($s,
			'-r', $o{rate}, '-d', $o{seconds}));
	}, sub {
		my ($r) = @_;
		return sprintf '%.0f', $r->{latency_us}{p99};
	}, @servers);

	my @keys = qw/ p50 p90 p99 p999 max /;

	printf "\nlatency at %d q/s, microseconds\n%-13s%s%10s\n", $o{rate},
		'server', join('', map { sprintf '%9s', $_ } @keys), 'lost';

	for my $name (map { $_->{name} } @servers) {
		my $r = $result->{$name};

		for my $key (@keys) {
			$r->{$key} = median(map { $_->{latency_us}{$key} }
				@{$r->{rounds}});
		}

		$r->{lost} = 0;
		$r->{lost} += $_->{lost} for @{$r->{rounds}};

		printf "%-13s%s%10d\n", $name,
			join('', map { sprintf '%9.1f', $r->{$_} } @keys),
			$r->{lost};
	}

	write_json("$build/latency.json", { options => \%o,
		machine => machine(), servers => $result });

	print "written: $build/latency.json\n";
}

# one pass over all questions: the rcodes must agree, and the echo server
# needs the lengths of the replies

sub learn {
	my (@servers) = @_;
	my ($questions) = `wc -l < $build/questions` =~ /(\d+)/;
	my ($teacher) = ((grep { $_->{name} eq 'nginx' } @servers),
		(grep { $_->{name} eq 'gdnsd' } @servers), @servers);
	my %seen;

	for my $s (@servers) {
		my $r = run_load($o{'load-core'}, load_command($s, '-V',
			'-n', $questions,
			$s == $teacher ? ('-l', "$build/sizes") : ()));

		my $codes = join ' ', map { "$_ $r->{rcodes}{$_}" }
			sort keys %{$r->{rcodes}};

		printf "%-12s %-8s %s, with answers %d, mean reply %.1f\n",
			$s->{name}, server_version($s->{name}), $codes,
			$r->{answered}, $r->{octets} / $r->{received};

		$seen{"$codes $r->{answered}"} = 1 unless $r->{lost};
	}

	print "the servers do not give the same answers\n" if keys %seen > 1;
}

sub measure {
	my ($s) = @_;

	run_load($o{'load-core'}, load_command($s, '-d', '200ms'));

	my $busy = busy();
	my $before = usage($s->{pid});
	my $r = run_load($o{'load-core'}, load_command($s, '-d', $o{seconds}));
	my $after = usage($s->{pid});

	$busy = busy() - $busy;

	my $spent = spent($before, $after);
	my $cpu = $spent->{total} / 1e9;

	truncate "$s->{dir}/access.log", 0 if $s->{name} eq 'nginx-log';

	return {
		cpu_us => $cpu * 1e6 / $r->{received},
		user_us => $cpu * $spent->{user} * 1e6 / $r->{received},
		qps => $r->{qps},
		core_qps => $r->{received} / $cpu,
		lost => $r->{lost} / $r->{sent},
		load_cpu_us => $r->{cpu} * 1e6 / $r->{received},
		others => ($busy - $cpu - $r->{cpu}) / $o{seconds} / 2,
		p50_us => $r->{latency_us}{p50},
		p99_us => $r->{latency_us}{p99},
	};
}

sub ratio {
	my ($result, $name, $base) = @_;

	return undef unless $result->{$base};

	my $of = $result->{$base}{rounds};
	my $mine = $result->{$name}{rounds};

	return median(map { $mine->[$_]{cpu_us} / $of->[$_]{cpu_us} }
		0 .. $#$mine);
}

sub summarize {
	my ($result, @names) = @_;

	printf "\n%-13s %9s %7s %7s %9s %9s %7s %7s %8s\n", 'server',
		'us/query', 'user', 'system', 'q/s', 'q/s core', 'x echo',
		'x gdnsd', 'lost';

	for my $name (@names) {
		my $r = $result->{$name};

		for my $key (qw/ cpu_us user_us qps core_qps lost /) {
			$r->{$key} = median(map { $_->{$key} }
				@{$r->{rounds}});
		}

		$r->{version} = server_version($name);
		$r->{to_echo} = ratio($result, $name, 'echo');
		$r->{to_gdnsd} = ratio($result, $name, 'gdnsd');

		printf "%-13s %9.3f %7.2f %7.2f %9.0f %9.0f %7s %7s %7.4f%%\n",
			$name, $r->{cpu_us}, $r->{user_us},
			$r->{cpu_us} - $r->{user_us}, $r->{qps},
			$r->{core_qps},
			map({ defined $_ ? sprintf '%.2f', $_ : '-' }
				$r->{to_echo}, $r->{to_gdnsd}),
			$r->{lost} * 100;
	}

	my @disturbed = grep { $_->{others} > 0.05 }
		map { @{$_->{rounds}} } values %$result;

	printf "\n%d measurements (*) shared the machine with other work: "
		. "over 5 %% of its CPU\n", scalar @disturbed if @disturbed;

	write_json("$build/query.json", {
		options => \%o, machine => machine(), servers => $result,
		order => \@names });

	print "written: $build/query.json\n";
}

###############################################################################

sub loading {
	my @names = chosen(@large);
	my %result;

	for my $zone (qw/ a mix /) {
		my $file = "$build/large/$zone.test.zone";
		my ($first) = (split /\n/, slurp($file))[-1] =~ /^(\S+)/;

		for my $round (1 .. $o{rounds}) {
			print "$zone.test round $round:";

			for my $i (0 .. $#names) {
				my $name = $names[($i + $round) % @names];
				my $r = load_once($name, "$zone.test", $file,
					"$first.$zone.test");

				push @{$result{$zone}{$name}{rounds}}, $r;
				printf ' %s %.2f s %.0f', $name, $r->{cpu},
					$r->{per_record};
			}

			print "\n";
		}
	}

	print_loading(\%result, @names);

	write_json("$build/load.json", {
		options => \%o, machine => machine(), zones => \%result,
		order => \@names });

	print "written: $build/load.json\n";
}

sub load_once {
	my ($name, $zone, $file, $question) = @_;
	my $port = free_port(5330);
	my $start = time();

	my $s = server_start($name, dir => "$build/servers", port => $port,
		zone => $zone, file => $file);

	wait_answer($s->{pid}, $s->{port}, $question, 120);

	my $wall = time() - $start;
	my $u = usage($s->{pid});

	sleep 1.5;

	my $pss = pss($s->{pid});

	server_stop($s);

	return {
		cpu => $u->{total} / 1e9 + $u->{gone} / 100, wall => $wall,
		pss => $pss, per_record => $pss / 1e6,
	};
}

sub print_loading {
	my ($result, @names) = @_;

	printf "\n%-10s %-10s %9s %9s %9s %13s\n", 'zone', 'server',
		'CPU s', 'wall s', 'MB', 'octets/record';

	for my $zone (sort keys %$result) {
		for my $name (@names) {
			my $r = $result->{$zone}{$name};

			for my $key (qw/ cpu wall pss per_record /) {
				$r->{$key} = median(map { $_->{$key} }
					@{$r->{rounds}});
			}

			$r->{version} = server_version($name);

			printf "%-10s %-10s %9.2f %9.2f %9.1f %13.1f\n",
				"$zone.test", $name, $r->{cpu}, $r->{wall},
				$r->{pss} / 1e6, $r->{per_record};
		}
	}
}

###############################################################################
