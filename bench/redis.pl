#!/usr/bin/perl

# (C) ngx_dns_module contributors

# What zones from Redis cost and how fast they follow.
#
# usage: redis.pl storm [--seconds=60] [--rate=1000] [--zones=1000]
#                       [--workers=4] [--only=tracking|events|polling]
#        redis.pl cold [--zones=100000] [--records=10] [--layout=l1,l4]
#        redis.pl commands

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Path qw/ make_path remove_tree /;
use Getopt::Long;
use Time::HiRes qw/ sleep time /;

use Bench;
use RedisBench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
make_path($build);
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5450);

my %o = (seconds => 60, rate => 1000, zones => 0, workers => 4,
	records => 10, layout => 'l1,l4', size => '0', load => 100000);

my $what = shift // '';

GetOptions(\%o, 'seconds=i', 'rate=i', 'zones=i', 'workers=i', 'only=s',
	'records=i', 'layout=s', 'size=s', 'load=i') or exit 2;

my %what = (storm => \&storm, cold => \&cold, commands => \&commands);

$| = 1;

($what{$what} || die "usage: see the head of redis.pl\n")->();

###############################################################################

# the time from a write's acknowledgement to the right answer of every worker

sub storm {
	my $acl = 'user dns on >secret ~* &* +@all -client|tracking';

	my @cases = (
		[ 'tracking', '', '', 0 ],
		[ 'tracking, cut every 5 s', '', '', 5 ],
		[ 'events', "notify-keyspace-events KA\n$acl\n",
			'user=dns password=secret', 0 ],
		[ 'events, cut every 5 s', "notify-keyspace-events KA\n$acl\n",
			'user=dns password=secret', 5 ],
		[ 'polling', "$acl -psubscribe -config\n",
			'user=dns password=secret poll=1s', 0 ],
	);

	printf "%-26s %-3s %7s %7s %7s %9s %9s %9s %9s\n", 'means', '',
		'writes', 'failed', 'wrong', 'p50 ms', 'p99 ms', 'p999 ms',
		'max ms';

	for my $case (@cases) {
		my ($name, $conf, $args, $cut) = @$case;

		next if $o{only} && index($name, $o{only}) == -1;

		for my $layout (split /,/, $o{layout}) {
			my $r = storm_case($name, $conf, $args, $cut, $layout);

			printf "%-26s %-3s %7d %7d %7d %9.2f %9.2f %9.2f %9.2f\n",
				$name, $layout, $r->{writes}, $r->{failed},
				$r->{wrong} + $r->{rcode},
				@{$r->{ms}}{qw/ p50 p99 p999 max /};
		}
	}
}

sub storm_case {
	my ($name, $conf, $args, $cut, $layout) = @_;
	my $zones = $o{zones} || 1000;
	my $dir = "$build/servers/storm";

	remove_tree($dir);

	my $redis = redis_start(dir => "$dir/redis", conf => $conf);
	my @storm = ("$build/redis_storm", '-p', $port,
		'-s', $redis->{socket}, '-z', $zones, '-l', $layout);

	system(@storm, '-i') == 0 or die "redis_storm -i failed\n";

	my $key = $layout eq 'l4' ? 'key=z42' : 'key=redins';
	my $s = nginx_redis(dir => $dir, port => $port, redis => $redis,
		workers => $o{workers}, args => "$key $args");

	wait_answer($s->{pid}, $port, 'www.z0.storm.test', 20);

	my $json = `@storm -n $o{workers} -r $o{rate} -d $o{seconds} -k $cut -t 60000`;

	server_stop($s);
	redis_stop($redis);

	return JSON::PP::decode_json($json);
}

###############################################################################

# from the start of nginx to all zones answered

sub cold {
	my $n = $o{zones} || 100_000;

	printf "%-4s %8s %9s %9s %9s %10s %9s %9s %8s\n", '', 'zones',
		'records', 'first s', 'all s', 'CPU s', 'octets/rr', 'redis s',
		'pause';

	for my $layout (split /,/, $o{layout}) {
		my $dir = "$build/servers/cold";
		my $file = "$build/redis.$layout.$n.$o{records}";

		remove_tree($dir);
		make_path($dir);

		zones_resp($file, $layout, $n, $o{records}) unless -e $file;

		my $redis = redis_start(dir => "$dir/redis");
		redis_pipe($redis, $file);

		my $size = $o{size} || '512m';
		my $before = usage($redis->{pid});
		my $start = time();

		my $s = nginx_redis(dir => $dir, port => $port, redis => $redis,
			size => $size, args => ($layout eq 'l4' ? 'key=z42 ' : '')
			. 'snapshot=0');

		wait_answer($s->{pid}, $port, 'w1.z0.bench.test', 60);
		my $first = time() - $start;

		sleep 0.01 until source_stat($s)->{ready};

		my $all = time() - $start;
		my $cpu = spent({ %{usage($s->{pid})}, map { $_ => 0 }
			qw/ total user system gone / }, usage($s->{pid}));
		my $redis_cpu = spent($before, usage($redis->{pid}));

		my $stat = source_stat($s);

		printf "%-4s %8d %9d %9.2f %9.2f %10.2f %9.1f %9.2f %8d ms\n",
			$layout, $n, $stat->{records}, $first, $all,
			$cpu->{total} / 1e9, $stat->{used} / $stat->{records},
			$redis_cpu->{total} / 1e9, $stat->{pause_max};

		answered($n);

		server_stop($s);
		redis_stop($redis);
	}
}

# asks for a name of each zone; dies unless all are there

sub answered {
	my ($n) = @_;
	my $file = "$build/questions.zones";

	spew($file, join '', map { "w1.$_ A\n" } zone_names($n));

	my $r = run_load(undef, "$build/load", '-p', $port, '-q', $file,
		'-n', $n);

	die "only $r->{answered} of $n zones are answered\n"
		unless $r->{answered} == $n;
}

###############################################################################

# commands per second that Redis sees, idle and at full load

sub commands {
	my $dir = "$build/servers/commands";

	remove_tree($dir);

	my $redis = redis_start(dir => "$dir/redis");
	my $file = "$build/redis.l1.1000.10";

	make_path($build);
	zones_resp($file, 'l1', 1000, 10);
	redis_pipe($redis, $file);

	my $s = nginx_redis(dir => $dir, port => $port, redis => $redis);

	wait_answer($s->{pid}, $port, 'w1.z0.bench.test', 20);
	sleep 2;

	my $idle = commands_during($redis, sub { sleep 10 });

	spew("$build/questions.redis", join '', map {
		my $z = int rand 1000;
		'w' . (1 + int rand 8) . ".z$z.bench.test A\n" } 1 .. 10000);

	my $r;
	my $busy = commands_during($redis, sub {
		$r = run_load(undef, "$build/load", '-p', $port, '-q',
			"$build/questions.redis", '-d', 10);
	});

	printf "idle: %d commands in 10 s (%s)\n", @$idle;
	printf "%d queries in 10 s: %d commands (%s)\n", $r->{received}, @$busy;

	server_stop($s);
	redis_stop($redis);
}

sub commands_during {
	my ($redis, $code) = @_;
	my %before = commandstats($redis);

	$code->();

	my %after = commandstats($redis);
	my $sum = 0;
	my @text;

	for my $name (sort keys %after) {
		next if $name eq 'info';
		my $n = $after{$name} - ($before{$name} // 0) or next;
		$sum += $n;
		push @text, "$name $n";
	}

	return [ $sum, join ', ', @text ];
}

sub commandstats {
	my ($redis) = @_;
	my $text = redis_command($redis->{client}, 'INFO', 'commandstats');

	return $text =~ /^cmdstat_(\S+?):calls=(\d+)/mg;
}

###############################################################################
