#!/usr/bin/perl

# (C) ngx_dns_module contributors

# Checks of addresses, counted where they arrive:
#
#   dead     how long a dead address stays in answers, over all workers
#   once     500 targets, 4 workers, 2 reloads: checks of each target
#   flap     targets that fail one check of three
#   many     10,000 targets, each every 10 seconds
#   compile  checks while a zone of a million records is compiled
#
# usage: health.pl [--only=dead,once,...] [--seconds=40] [--records=1000000]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Path qw/ make_path remove_tree /;
use Getopt::Long;
use IO::Select;
use IO::Socket::INET;
use Socket;
use Time::HiRes qw/ sleep time /;

use Bench;
use RedisBench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
make_path($build);
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $dir = "$build/servers/health";
my $port = free_port(5390);
my $target = free_port(5590);

my @stats = qw/ probes good bad turns skipped late flight waiting targets up
	down unknown /;
my @addresses = map { "127.1.0.$_" } 1 .. 100;

my %o = (seconds => 40, records => 1_000_000);

GetOptions(\%o, 'only=s', 'seconds=i', 'records=i') or exit 2;

my %only = map { $_ => 1 } split /,/, $o{only} // 'dead,once,flap,many,compile';
my ($starts, %result) = (0);

$| = 1;

remove_tree($dir);
make_path($dir);

my $backend = backend();

$result{dead} = dead() if $only{dead};
$result{once} = once() if $only{once};
$result{flap} = flap() if $only{flap};
$result{many} = many() if $only{many};
$result{compile} = compile() if $only{compile};

halt($backend->{pid});

write_json("$build/health.json", {
	options => \%o, machine => machine(), cases => \%result });

###############################################################################

# Cases

# the address is known to be dead from the moment the backend says so

sub dead {
	my ($interval, $count) = (1, 3);
	my $s = start("dns_health_interval ${interval}s;", workers => 4,
		data => { www => rrset([ @addresses[0 .. 2] ],
			down_count => $count, up_count => 1, timeout => 150) });

	wait_stat($s, sub { $_[0]{up} == 3 });

	my %took;

	for my $how (qw/ status refuse hang /) {
		for (1 .. 5) {
			sleep rand $interval;

			my $at = mode($addresses[0], $how);
			my $last = $at;

			while (time() < $at + $count * $interval + 1) {
				$last = time() if seen($addresses[0]);
			}

			push @{ $took{$how} }, $last - $at;

			mode($addresses[0], 'ok');
			wait_stat($s, sub { $_[0]{up} == 3 });
		}

		my @t = sort { $a <=> $b } @{ $took{$how} };

		printf "dead (%s): out of all workers' answers after %.2f s "
			. "(median of %d), worst %.2f s, limit %.1f s\n", $how,
			median(@t), scalar @t, $t[-1], $count * $interval + 0.2;
	}

	stop($s);

	return { interval => $interval, down_count => $count, took => \%took };
}


sub once {
	my $interval = 2;
	my $s = start("dns_health_interval ${interval}s;", workers => 4,
		data => { map { ("n$_" => rrset(\@addresses)) } 1 .. 5 });

	wait_stat($s, sub { $_[0]{up} == 500 });

	my $from = time();

	for (1 .. 2) {
		sleep 5;
		kill 'HUP', $s->{pid};
	}

	sleep 10;

	my %times = times_of($from, time());
	my $seconds = time() - $from;
	my @n = sort { $a <=> $b } map { scalar @$_ } values %times;
	my @gaps = sort { $a <=> $b } gaps(%times);

	printf "once: %d targets in %.1f s, interval %d s, 2 reloads: %d to %d "
		. "checks of each; shortest gap %.2f s, longest %.2f s\n",
		scalar @n, $seconds, $interval, $n[0], $n[-1], $gaps[0],
		$gaps[-1];

	stop($s);

	return { interval => $interval, seconds => $seconds, least => $n[0],
		most => $n[-1], targets => scalar @n, gaps => [ @gaps[0, -1] ] };
}


sub flap {
	mode($_, 'flap') for @addresses[0 .. 19];

	my $s = start('dns_health_interval 100ms;', workers => 1,
		data => { www => rrset([ @addresses[0 .. 19] ]) });

	my $c = wait_stat($s, sub { $_[0]{up} == 20 });
	my $turns = $c->{turns};

	sleep $o{seconds} / 2;
	$c = health_stat($s);

	printf "flap: %d checks, %d of them bad: %d states turned\n",
		$c->{good} + $c->{bad}, $c->{bad}, $c->{turns} - $turns;

	stop($s);
	mode($_, 'ok') for @addresses[0 .. 19];

	return { %$c, turns => $c->{turns} - $turns };
}


sub many {
	my $interval = 10;
	my $s = start("dns_health_interval ${interval}s;", workers => 2,
		data => { map { ("n$_" => rrset(\@addresses)) } 1 .. 100 });

	my $start = time();
	wait_stat($s, sub { $_[0]{up} == 10_000 }, 60);
	my $all = time() - $start;

	my ($control) = control_process($s->{pid});
	my $cpu = Bench::process_cpu($control);
	my $from = time();

	sleep $o{seconds};

	my $used = Bench::process_cpu($control) - $cpu;
	my $seconds = time() - $from;
	my %times = times_of($from, time());
	my $checks = 0;
	$checks += @$_ for values %times;
	my @off = sort { $a <=> $b }
		map { abs($_ - $interval) * 1000 } gaps(%times);
	my $c = health_stat($s);

	printf "many: %d targets, all known after %.1f s; then %.0f checks a "
		. "second, off the interval by %.0f ms (median), %.0f ms (99 %%), "
		. "%.0f ms (worst); %d left out, %d turned; CPU %.1f %%\n",
		scalar keys %times, $all, $checks / $seconds, median(@off),
		$off[$#off * 0.99], $off[-1], $c->{skipped},
		$c->{turns} - 10_000, $used / $seconds / 1e7;

	stop($s);

	return { %$c, seconds => $seconds, known => $all, cpu_ns => $used,
		off_ms => [ median(@off), $off[$#off * 0.99], $off[-1] ] };
}


sub compile {
	my $s = start('dns_health_interval 500ms;', workers => 2,
		data => { www => rrset(\@addresses, timeout => 200,
			down_count => 1) });

	my $c = wait_stat($s, sub { $_[0]{up} == 100 });
	my $turns = $c->{turns};

	my $file = "$dir/large.resp";

	large_zone($file);
	redis_pipe($s->{redis}, $file);

	my $from = time();

	redis_command($s->{redis}{client}, 'SADD', 'redins:zones',
		'large.test.');

	while (time() < $from + 120) {
		sleep 0.1;
		last if (source_stat($s)->{records} // 0) >= $o{records};
	}

	my $took = time() - $from;

	sleep 2;

	my $src = source_stat($s);
	$c = health_stat($s);

	printf "compile: %d records published in %.1f s: %d states turned, "
		. "%d checks bad, %d timers late, longest pause %d ms\n",
		$src->{records}, $took, $c->{turns} - $turns, $c->{bad},
		$c->{late}, $src->{pause_max};

	stop($s);

	return { %$c, turns => $c->{turns} - $turns, seconds => $took,
		pause_max => $src->{pause_max} };
}


# a zone that is listed later, two addresses at each name

sub large_zone {
	my ($file) = @_;

	open my $f, '>', $file or die "$file: $!\n";

	for (my $i = 0; $i < $o{records} / 2; $i += 1000) {
		print $f RedisBench::resp('HSET', 'redins:zones:large.test.',
			map { ("w$_" => '{"a":{"ttl":300,"records":[{"ip":"'
				. RedisBench::address(0, 2 * $_) . '"},{"ip":"'
				. RedisBench::address(0, 2 * $_ + 1) . '"}]}}') }
			$i .. $i + 999);
	}

	close $f or die "$file: $!\n";
}

###############################################################################

# The server

sub rrset {
	my ($ips, %check) = @_;

	my %c = (protocol => '"http"', port => $target, timeout => 1000,
		up_count => 3, down_count => 3, %check);

	return '{"a":{"ttl":5,"records":['
		. join(',', map { "{\"ip\":\"$_\"}" } @$ips)
		. '],"health_check":{"enable":true,'
		. join(',', map { "\"$_\":$c{$_}" } sort keys %c) . '}}}';
}


sub start {
	my ($extra, %p) = @_;
	my $own = "$dir/" . ++$starts;

	my $r = redis_start(dir => "$own/redis");

	redis_command($r->{client}, 'SADD', 'redins:zones', 'h.test.');
	redis_command($r->{client}, 'HSET', 'redins:zones:h.test.',
		%{ $p{data} });

	my $values = join ' ', map { "$_ \$dns_health_$_" } @stats;

	my $s = nginx_redis(dir => "$own/nginx", port => $port, redis => $r,
		workers => $p{workers}, size => '256m',
		extra => "    $extra\n    server { listen 127.0.0.1:"
			. ($port + 2) . "; return \"$values\"; }\n");

	$s->{redis} = $r;

	return $s;
}


sub stop {
	my ($s) = @_;

	halt($s->{pid});
	redis_stop($s->{redis});
}


sub health_stat {
	my ($s) = @_;

	my $c = IO::Socket::INET->new(Proto => 'tcp', PeerAddr => '127.0.0.1',
		PeerPort => $port + 2) or return {};

	local $/;

	return { split ' ', <$c> // '' };
}


sub wait_stat {
	my ($s, $cond, $seconds) = @_;

	my $until = time() + ($seconds // 20);

	for ( ;; ) {
		my $c = health_stat($s);

		return $c if %$c && $cond->($c);
		die "health: this takes too long\n" if time() > $until;

		sleep 0.05;
	}
}


# 1 if an address is in one of some answers, from a new port each

sub seen {
	my ($address) = @_;

	my $wire = pack('nC4', 4, split /\./, $address);
	my $seen = 0;

	for (1 .. 20) {
		my $c = IO::Socket::INET->new(Proto => 'udp',
			PeerAddr => '127.0.0.1', PeerPort => $port) or next;

		$c->send(pack('n6', 7, 0, 1, 0, 0, 0) . "\3www\1h\4test\0"
			. pack('nn', 1, 1));

		my $bits = '';
		vec($bits, $c->fileno(), 1) = 1;

		next unless select($bits, undef, undef, 0.2) > 0;

		$c->recv(my $reply, 4096);
		$seen = 1 if index($reply // '', $wire) >= 0;
	}

	return $seen;
}

###############################################################################

# The backend: one process that listens on all addresses.  Checks are noted as
# "seconds address Host".

sub backend {
	pipe my $r, my $w or die "pipe: $!\n";

	my $pid = fork() // die "fork: $!\n";

	if ($pid == 0) {
		$SIG{TERM} = $SIG{INT} = sub { POSIX::_exit(0) };
		require POSIX;
		close $w;
		serve($r);
	}

	close $r;
	$w->autoflush(1);
	adopt($pid);
	sleep 0.5;

	return { pid => $pid, pipe => $w };
}


# gives the moment from which on it is so

sub mode {
	my ($address, $mode) = @_;

	my $file = "$dir/mode";
	unlink $file;

	print { $backend->{pipe} } "$address $mode\n";
	sleep 0.001 until -s $file;

	return slurp($file);
}


# all checks of each target between two moments

sub times_of {
	my ($from, $to) = @_;
	my %times;

	sleep 0.2;
	open my $f, '<', "$dir/checks" or die "checks: $!\n";

	while (<$f>) {
		my ($time, $what) = /^(\S+) (.*)\n/ or next;
		push @{ $times{$what} }, $time if $time >= $from && $time <= $to;
	}

	return %times;
}


sub gaps {
	my (%times) = @_;

	return map {
		my $t = $_;
		map { $t->[$_] - $t->[$_ - 1] } 1 .. $#$t;
	} values %times;
}


sub serve {
	my ($commands) = @_;
	my (%listen, %mode, %conn, %n);

	my $sel = IO::Select->new($commands);
	my $reply = "HTTP/1.1 %s X\r\nContent-Length: 0\r\n"
		. "Connection: close\r\n\r\n";

	open my $log, '>', "$dir/checks" or die "checks: $!\n";
	$log->autoflush(1);

	my $open = sub {
		my ($address) = @_;

		my $l = IO::Socket::INET->new(LocalAddr => $address,
			LocalPort => $target, Listen => 1024, ReuseAddr => 1)
			or die "$address: $!\n";

		$l->blocking(0);
		$sel->add($l);
		$listen{$l} = $address;
	};

	$open->($_) for @addresses;

	for ( ;; ) {
		for my $h ($sel->can_read(1)) {

			if ($h == $commands) {
				my $line = <$commands> // POSIX::_exit(0);
				my ($address, $mode) = $line =~ /^(\S+) (\S+)/;

				if ($mode eq 'refuse') {
					for my $l ($sel->handles()) {
						next if ($listen{$l} // '') ne $address;
						$sel->remove($l);
						delete $listen{$l};
						close $l;
					}

				} elsif (!grep { $_ eq $address } values %listen) {
					$open->($address);
				}

				$mode{$address} = $mode;
				spew("$dir/mode.new", sprintf '%.6f', time());
				rename "$dir/mode.new", "$dir/mode";
				next;
			}

			if (my $address = $listen{$h}) {
				while (my $c = $h->accept()) {
					$c->blocking(0);
					$conn{$c} = $address;
					$sel->add($c);
				}
				next;
			}

			my $address = $conn{$h};
			my $n = sysread $h, my $buf, 4096;

			if ($n && $buf =~ /^Host: (\S+)/m) {
				printf $log "%.4f %s %s\n", time(), $address, $1;

				my $m = $mode{$address} // 'ok';
				next if $m eq 'hang';

				my $bad = $m eq 'status'
					|| $m eq 'flap' && $n{"$address $1"}++ % 3 == 2;

				syswrite $h, sprintf $reply, $bad ? 503 : 200;
			}

			$sel->remove($h);
			delete $conn{$h};
			close $h;
		}
	}
}
