#!/usr/bin/perl

# (C) ngx_dns_module contributors

# Zones from Redis while things happen: reloads, outages, kills.
#
# usage: redis_live.pl reload|upgrade [--rate=50000] [--reloads=20]
#        redis_live.pl outage [--seconds=60] [--rate=50000] [--only=NAME]
#        redis_live.pl swap [--seconds=30]
#        redis_live.pl kills [--rounds=300] [--seed=N]
#        redis_live.pl snapshot [--zones=100000] [--records=10]
#        redis_live.pl publish [--rounds=10000]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Path qw/ make_path remove_tree /;
use Getopt::Long;
use IO::Socket::INET;
use IO::Socket::UNIX;
use Time::HiRes qw/ sleep time /;

use Bench;
use RedisBench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
make_path($build);
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5650);

my %o = (rate => 50000, reloads => 20, seconds => 0, rounds => 0,
	zones => 0, records => 10, workers => 4, seed => time());

my $what = shift // '';

GetOptions(\%o, 'rate=i', 'reloads=i', 'seconds=f', 'rounds=i', 'zones=i',
	'records=i', 'workers=i', 'only=s', 'seed=i') or exit 2;

my %what = (reload => \&reload, upgrade => \&upgrade, outage => \&outage,
	swap => \&swap, kills => \&kills, snapshot => \&snapshot,
	publish => \&publish);

$| = 1;
srand $o{seed};

($what{$what} || die "usage: see the head of redis_live.pl\n")->();

###############################################################################

# 1000 zones of 10 records, and questions for all of them

sub begin {
	my (%more) = @_;
	my $dir = "$build/servers/live";
	my $file = "$build/redis.l1.1000.10";

	remove_tree($dir);

	my $redis = redis_start(dir => "$dir/redis", conf => $more{conf});

	zones_resp($file, 'l1', 1000, 10);
	redis_pipe($redis, $file);

	spew("$build/questions.redis", join '', map {
		my $z = int rand 1000;
		'w' . (1 + int rand 8) . ".z$z.bench.test A\n" } 1 .. 10000);

	my $s = nginx_redis(dir => $dir, port => $port, redis => $redis,
		workers => $o{workers}, size => '64m', %more);

	wait_answer($s->{pid}, $port, 'w1.z0.bench.test', 20);
	wait_answer($s->{pid}, $port, 'w1.z999.bench.test', 20);
	sleep 1;

	return ($s, $redis);
}

sub load_at {
	return load_begin("$build/live.out", "$build/load", '-p', $port,
		'-q', "$build/questions.redis", '-r', $_[0], '-c', 64,
		'-d', 1000, '-t', '2s');
}

sub reads {
	my ($redis) = @_;
	my $c = redis_connect($redis);
	my $text = redis_command($c, 'INFO', 'commandstats');
	my %n = $text =~ /^cmdstat_(\S+?):calls=(\d+)/mg;

	return ($n{hgetall} // 0) + ($n{get} // 0) + ($n{smembers} // 0);
}

sub show {
	my ($name, $r, $more) = @_;

	printf "%-28s sent %8d lost %5d (%s) p99 %.2f ms max %.2f ms %s\n",
		$name, $r->{sent}, $r->{lost},
		join(' ', map { "$_ $r->{rcodes}{$_}" } sort keys %{$r->{rcodes}}),
		$r->{latency_us}{p99} / 1000, $r->{latency_us}{max} / 1000,
		$more // '';
}

###############################################################################

sub reload {
	my ($s, $redis) = begin();
	my $load = load_at($o{rate});
	my $before = reads($redis);

	sleep 0.5;

	for (1 .. $o{reloads}) {
		my @old = nginx_workers(nginx_master($s));

		kill 'HUP', nginx_master($s);

		for (1 .. 500) {
			sleep 0.02;
			last unless grep { alive($_) } @old;
		}

		sleep 0.5;
	}

	show("$o{reloads} reloads", load_end($load),
		'zone reads ' . (reads($redis) - $before));

	server_stop($s);
	redis_stop($redis);
}

sub upgrade {
	my ($s, $redis) = begin(daemon => 1);
	my $load = load_at($o{rate});

	sleep 0.5;

	for my $n (1 .. 5) {
		my $old = $s->{pid};
		my $ready = () = slurp("$s->{dir}/error.log") =~ /data is ready/g;

		kill 'USR2', $old;

		for (1 .. 1000) {
			sleep 0.02;
			my $now = () = slurp("$s->{dir}/error.log")
				=~ /data is ready/g;
			last if $now > $ready;
		}

		$s->{pid} = nginx_master($s);
		adopt($s->{pid});
		die "the upgrade failed\n" if $s->{pid} == $old;

		kill 'QUIT', $old;

		for (1 .. 500) {
			sleep 0.02;
			last unless alive($old);
		}

		halt($old);
	}

	show('5 binary upgrades', load_end($load));

	server_stop($s);
	redis_stop($redis);
}

###############################################################################

sub outage {
	my $seconds = $o{seconds} || 60;

	my @cases = (
		[ 'undisturbed', sub { }, sub { } ],
		[ 'frozen', sub { kill 'STOP', $_[0]{pid} },
			sub { kill 'CONT', $_[0]{pid} } ],
		[ 'killed', sub { redis_stop($_[0], 'KILL') }, \&revive ],
		[ 'refusing', sub { command($_[0], qw/ CONFIG SET maxclients 1 /);
			cut($_[0]) },
			sub { command($_[0], qw/ CONFIG SET maxclients 1000 /) } ],
		[ 'errors', sub { command($_[0], qw/ ACL SETUSER dns off /);
			cut($_[0]) },
			sub { command($_[0], qw/ ACL SETUSER dns on /) } ],
		[ 'slow', \&slow, sub { delete $_[0]{slow} } ],
		[ 'flushed', sub { command($_[0], 'FLUSHALL') }, \&fill ],
	);

	for my $case (@cases) {
		my ($name, $break, $mend) = @$case;

		next if $o{only} && index($name, $o{only}) == -1;

		my ($s, $redis) = begin(
			conf => "user dns on >secret ~* &* +\@all\n"
				. "enable-debug-command yes\n",
			args => 'user=dns password=secret timeout=500ms');
		my $load = load_at($o{rate});

		sleep 1;
		$break->($redis);
		my $until = time() + $seconds;

		while (time() < $until) {
			if ($redis->{slow}) {
				command($redis, qw/ DEBUG SLEEP 0.3 /);
				sleep 0.1;

			} else {
				sleep 0.1;
			}
		}

		$mend->($redis);

		my $back = follow($redis);
		my $r = load_end($load);

		show($name, $r, sprintf 'in step %.2f s after', $back);

		server_stop($s);
		redis_stop($redis, 'KILL');
	}
}

sub command {
	my ($redis, @words) = @_;
	return redis_command($redis->{client}, @words);
}

sub cut { command($_[0], qw/ CLIENT KILL USER dns /) }

sub slow { $_[0]{slow} = 1 }

sub fill { redis_pipe($_[0], "$build/redis.l1.1000.10") }

sub revive {
	my ($redis) = @_;
	my $new = redis_start(%{$redis->{o}});

	%$redis = %$new;
	fill($redis);
}

# writes a value and waits for it; gives seconds

sub follow {
	my ($redis) = @_;
	my $start = time();
	my $n = 1 + int rand 200;
	my $c = redis_connect($redis);

	redis_command($c, 'HSET', 'redins:zones:z7.bench.test.', 'w1',
		"{\"a\":{\"records\":[{\"ip\":\"10.99.99.$n\"}]}}");

	while (time() - $start < 30) {
		my $v = address('w1.z7.bench.test') // '';
		return time() - $start if $v eq "10.99.99.$n";
		sleep 0.005;
	}

	return 99;
}

my $socket;

sub address {
	my ($name, $timeout) = @_;

	# a port of its own: any worker

	my $s = IO::Socket::INET->new(Proto => 'udp',
		PeerAddr => '127.0.0.1', PeerPort => $port) or return;

	my $q = pack('n6', int rand 65536, 0, 1, 0, 0, 0)
		. join('', map { pack 'C/a', $_ } split /\./, $name)
		. pack('Cnn', 0, 1, 1);

	$s->send($q);

	my $in = '';
	vec($in, fileno($s), 1) = 1;
	return 'none' unless select $in, undef, undef, $timeout // 1;

	$s->recv(my $reply, 4096);
	return 'none' if length $reply < 12;

	my (undef, $flags, undef, $an) = unpack 'n4', $reply;
	return 'rcode ' . ($flags & 15) if $flags & 15;
	return 'empty' unless $an;

	return join '.', unpack 'C4', substr $reply, length($q) + 12, 4;
}

###############################################################################

# MX and its address, CNAME and target, changed together 10 times a second

sub swap {
	my $seconds = $o{seconds} || 30;
	my ($s, $redis) = begin();
	my $load = load_at(20000);

	my $writer = fork() // die "fork: $!\n";

	if ($writer == 0) {
		my $c = redis_connect($redis);
		my $v = 0;

		while (1) {
			$v = 1 - $v;
			my $mx = '{"mx":{"records":[{"host":"h' . $v
				. '.swap.test.","preference":10}]}}';
			my $cn = '{"cname":{"host":"h' . $v . '.swap.test."}}';
			my $a = "{\"a\":{\"records\":[{\"ip\":\"10.7.7.$v\"}]}}";
			my $key = 'redins:zones:swap.test.';

			redis_command($c, 'MULTI');
			redis_command($c, 'SADD', 'redins:zones', 'swap.test.');
			redis_command($c, 'DEL', $key);
			redis_command($c, 'HSET', $key, 'm', $mx, 'c', $cn,
				"h$v", $a);
			redis_command($c, 'EXEC');
			sleep 0.1;
		}
	}

	adopt($writer);
	wait_answer($s->{pid}, $port, 'c.swap.test', 10);

	my $until = time() + $seconds;
	my %n;

	while (time() < $until) {
		for my $q ([ 'c.swap.test', 1 ], [ 'm.swap.test', 15 ]) {
			$n{swapped(@$q)}++;
		}
	}

	halt($writer, 'KILL');
	load_end($load);

	print join(', ', map { "$_ $n{$_}" } sort keys %n), "\n";

	server_stop($s);
	redis_stop($redis);
}

# "0", "1", or what is wrong: the name of the target and its address agree

sub swapped {
	my ($name, $type) = @_;

	my $s = IO::Socket::INET->new(Proto => 'udp',
		PeerAddr => '127.0.0.1', PeerPort => $port) or return 'error';

	$s->send(pack('n6', 1, 0, 1, 0, 0, 0)
		. join('', map { pack 'C/a', $_ } split /\./, $name)
		. pack('Cnn', 0, $type, 1));

	my $in = '';
	vec($in, fileno($s), 1) = 1;
	return 'none' unless select $in, undef, undef, 1;
	$s->recv(my $reply, 4096);

	my $rcode = unpack('x2 n', $reply) & 15;
	return "rcode $rcode" if $rcode;

	my ($host) = $reply =~ /\x02h([01])/;
	my ($last) = $reply =~ /\x0a\x07\x07([\x00\x01])/;

	return 'incomplete' unless defined $host && defined $last;
	return 'MIXED' if $host != ord $last;

	return "version $host";
}

###############################################################################

# processes killed at random while records change

sub kills {
	my ($s, $redis) = begin(conf => "appendonly yes\nappendfsync no\n",
		args => 'timeout=500ms snapshot=2s');
	my (%value, %seen, %n, %killed);
	my $c = redis_connect($redis);
	my $used = used($s);

	print "seed $o{seed}\n";

	for my $round (1 .. $o{rounds} || 300) {
		my $victim = (qw/ control worker redis /)[int rand 3];
		my $until = time() + 0.1 + rand 0.4;
		my $when = time() + rand 0.3;

		while (time() < $until) {
			if ($when && time() > $when) {
				$when = 0;
				$killed{$victim}++;
				$c = murder($s, $redis, $victim);
			}

			my $z = int rand 1000;
			my $v = ($value{$z} // 0) + 1;
			my $ip = join '.', 11, $v >> 16 & 255, $v >> 8 & 255, $v & 255;

			if ($c && eval { redis_command($c, 'HSET',
				"redins:zones:z$z.bench.test.", 'w1',
				"{\"a\":{\"ttl\":300,\"records\":[{\"ip\":\"$ip\"}]}}");
				1 })
			{
				$value{$z} = $v;

			} else {
				$value{$z} = $v if $c;
				$c = eval { redis_connect($redis) };
			}

			$n{verdict($z, \%value, \%seen)}++ for 1 .. 3;
			$z = int rand 1000;
			$n{verdict($z, \%value, \%seen)}++;
		}
	}

	print 'killed: ', join(', ', map { "$_ $killed{$_}" } sort keys %killed),
		"\n", 'answers: ', join(', ', map { "$_ $n{$_}" } sort keys %n), "\n";

	sleep 3;

	my %last;
	$last{verdict_last($_, \%value)}++ for 0 .. 999;
	print 'at the end: ', join(', ', map { "$_ $last{$_}" } sort keys %last),
		"\n";

	printf "octets used: %s before, %s after\n", $used // '?', used($s) // '?';
	printf "processes: %d workers, %d control\n",
		scalar(nginx_workers(nginx_master($s))),
		scalar(control_process(nginx_master($s)));

	server_stop($s);
	redis_stop($redis, 'KILL');

	my @bad = grep { !/worker process \d+ exited on signal 9|manager process \d+ exited on signal 9/ }
		slurp("$s->{dir}/error.log") =~ /^(.*\[(?:alert|emerg)\].*)$/mg;
	print "log: $_\n" for @bad[0 .. ($#bad < 9 ? $#bad : 9)];
}

sub used { return source_stat($_[0])->{used} }

sub verdict {
	my ($z, $value, $seen) = @_;
	my $got = address("w1.z$z.bench.test", 0.5);

	return $got if $got =~ /^(?:none|rcode 2)$/;

	if ($got =~ /^10\./) {
		return defined $seen->{$z} ? 'BACK TO THE FIRST' : 'right';
	}

	return "WRONG $got" unless $got =~ /^11\.(\d+)\.(\d+)\.(\d+)$/;

	my $v = $1 << 16 | $2 << 8 | $3;

	return 'FROM NOWHERE' if $v > ($value->{$z} // 0);
	return 'BACKWARDS' if $v < ($seen->{$z} // 0);

	$seen->{$z} = $v;

	return 'right';
}

sub verdict_last {
	my ($z, $value) = @_;
	my $v = $value->{$z} or return 'right';
	my $got = address("w1.z$z.bench.test", 1);
	my $ip = join '.', 11, $v >> 16 & 255, $v >> 8 & 255, $v & 255;

	return $got eq $ip ? 'right' : "WRONG $got not $ip";
}

sub murder {
	my ($s, $redis, $victim) = @_;
	my $master = nginx_master($s);

	if ($victim eq 'redis') {
		redis_stop($redis, 'KILL');
		my $new = redis_start(%{$redis->{o}});
		%$redis = %$new;
		return redis_connect($redis);
	}

	my @pids = $victim eq 'worker' ? nginx_workers($master)
		: control_process($master);

	kill 'KILL', $pids[int rand @pids] if @pids;

	return redis_connect($redis);
}

###############################################################################

# Redis is down, the snapshot is there: from start to the first answer

sub snapshot {
	my $n = $o{zones} || 100_000;
	my $dir = "$build/servers/snapshot";
	my $file = "$build/redis.l1.$n.$o{records}";

	remove_tree($dir);
	make_path($dir);

	my $redis = redis_start(dir => "$dir/redis");

	zones_resp($file, 'l1', $n, $o{records}) unless -e $file;
	redis_pipe($redis, $file);

	my %nginx = (dir => $dir, port => $port, redis => $redis,
		size => '1024m', args => 'snapshot=1s');
	my $s = nginx_redis(%nginx);
	my $last = 'w1.z' . ($n - 1) . '.bench.test';

	wait_answer($s->{pid}, $port, $last, 60);

	for (1 .. 600) {
		last if -s "$dir/state/bench.snapshot";
		sleep 0.1;
	}

	sleep 3;
	server_stop($s);
	redis_stop($redis, 'KILL');

	for (1 .. 3) {
		my $start = time();

		$s = nginx_redis(%nginx);
		wait_answer($s->{pid}, $port, 'w1.z0.bench.test', 60);
		my $first = time() - $start;
		wait_answer($s->{pid}, $port, $last, 60);

		printf "%d zones, %d records, snapshot of %d octets: first answer "
			. "after %.2f s, last zone after %.2f s\n", $n,
			$n * ($o{records} + 1), -s "$dir/state/bench.snapshot",
			$first, time() - $start;

		server_stop($s);
	}
}

###############################################################################

# a zone of 1 MB in 16 MB, changed again and again, while one worker has all
# the traffic and an old one is kept alive by a session

sub publish {
	my $rounds = $o{rounds} || 10_000;
	my $proxy = free_port(5850);
	my $sink = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1',
		Proto => 'tcp') or die "listen: $!\n";
	my $sources = "    dns_redis unix:%s zone=bench:16m snapshot=0;\n"
		. "    server {\n        listen 127.0.0.1:$proxy;\n"
		. '        proxy_pass 127.0.0.1:' . $sink->sockport() . ";\n    }";
	my $dir = "$build/servers/live";

	remove_tree($dir);

	my $redis = redis_start(dir => "$dir/redis");
	my $c = redis_connect($redis);
	my $key = 'redins:zones:big.test.';

	redis_command($c, 'HSET', $key, map { ("t$_" => '{"txt":{"records":[{'
		. '"text":"' . ('x' x 50_000) . '"}]}}') } 1 .. 20);
	redis_command($c, 'HSET', $key, 'v', value(0));
	redis_command($c, 'SADD', 'redins:zones', 'big.test.');

	my $s = nginx_redis(dir => $dir, port => $port, redis => $redis,
		workers => 4, sources => sprintf($sources, $redis->{socket}));

	wait_answer($s->{pid}, $port, 'v.big.test', 20);

	my $session = IO::Socket::INET->new(Proto => 'tcp',
		PeerAddr => '127.0.0.1', PeerPort => $proxy)
		or die "proxy: $!\n";
	print $session "hello\n";
	sleep 0.3;

	my @old = nginx_workers(nginx_master($s));
	kill 'HUP', nginx_master($s);
	sleep 2;
	my $kept = grep { alive($_) } @old;

	spew("$build/questions.redis", "v.big.test A\n");

	my $load = load_begin("$build/live.out", "$build/load", '-p', $port,
		'-q', "$build/questions.redis", '-r', 5000, '-c', 1, '-d', 10000);
	my $start = time();
	my ($seen, $late) = (0, 0);

	for my $n (1 .. $rounds) {
		redis_command($c, 'HSET', $key, 'v', value($n));

		my $want = join '.', 10, $n >> 16 & 255, $n >> 8 & 255, $n & 255;
		my $until = time() + 5;

		while (time() < $until) {
			if (address('v.big.test') eq $want) { $seen++; $late--; last }
		}

		$late++;
	}

	my $r = load_end($load);

	printf "%d of %d changes published in %.1f s, %d old workers kept, "
		. "load: sent %d lost %d (%s)\n", $seen, $rounds, time() - $start,
		$kept, $r->{sent}, $r->{lost},
		join(' ', map { "$_ $r->{rcodes}{$_}" } sort keys %{$r->{rcodes}});

	close $session;
	server_stop($s);
	redis_stop($redis);
}

sub value {
	my ($n) = @_;
	return '{"a":{"records":[{"ip":"' . join('.', 10, $n >> 16 & 255,
		$n >> 8 & 255, $n & 255) . '"}]}}';
}

###############################################################################
