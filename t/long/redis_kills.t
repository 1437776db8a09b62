#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for 300 random ends of the control process, workers and Redis, which
# keeps its data on disk, while zones are written all the time: every answer is
# right or SERVFAIL, shared memory is as full afterwards as before, no process
# hangs.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/.."); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use POSIX qw//;
use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $kills = 300;
my $zones = 100;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has_daemon('redis-server')->plan(9);

# killing is an alert

$t->todo_alerts();

my $redis = redis_start($t,
	conf => "appendonly yes\nappendfsync always\nappenddirname aof");
my $d = $t->testdir();

put($_, 0) for 1 .. $zones;

dns_run($t, main => 'worker_processes 2;', sources => [ 'edge' ],
	stream => "error_log $d/stream.log info; dns_state_path $d/state; "
		. 'dns_redis ' . $redis->address() . ' zone=edge:4m snapshot=1s;',
	udp => 'reuseport', tcp => 'reuseport', server => 'dns_nsid $pid;');

dns_wait([ "www.z$zones.test", 'TXT' ], qr/"v0"$/m);

my $before = settled();
my $master = int $t->read_file('nginx.pid');
my @children = map { child($_) } \&write_all, \&ask_all;

my %killed;

for (1 .. $kills) {
	my $what = rand();

	if ($what < 0.1) {
		$killed{redis}++;
		$redis->kill();
		sleep rand 0.3;
		$redis->start();
		next;
	}

	my $kind = $what < 0.6 ? 'cache manager' : 'worker';
	my @pids = processes($kind);

	next if !@pids;

	$killed{$kind}++;
	kill 'KILL', $pids[rand @pids];
	sleep 0.02 + rand 0.15;
}

$t->write_file('stop', '');
waitpid $_, 0 for @children;

cmp_ok($killed{$_} // 0, '>', 5, "killed: $_")
	for 'redis', 'cache manager', 'worker';

# all is right in the end

put($_, 0) for 1 .. $zones;

my @wrong = grep { dns_text(dns_wait([ "www.z$_.test", 'TXT' ], qr/"v0"$/m))
	!~ /"v0"$/m } 1 .. $zones;

is("@wrong", '', 'zones');

# all was right before

my ($n, $lost, @texts) = split /\n/, $t->read_file('asked');

cmp_ok($n, '>', 1000, 'questions');
cmp_ok($lost, '<=', 20 * ($killed{worker} // 0), 'lost with their workers');
is("@texts", '', 'no wrong answer');

# nothing is left behind

my $after = settled();

is($after->{'edge.zones'}, $zones, 'zones published');
is($after->{'edge.used'}, $before->{'edge.used'}, 'octets in use');

my @alerts = grep { !/exited on signal 9/ }
	dns_error_log($t, qr/\[(?:alert|emerg|crit)\]/, timeout => 0);
diag(@alerts) if @alerts;

undef $t;

###############################################################################

# A zone of some size that depends on the version, whole.

sub put {
	my ($zone, $version) = @_;

	my $count = 1 + ($zone * 7 + $version) % 60;

	return eval {
		$redis->l1("z$zone.test.", {
			'@' => { ns => { records => [ { host => 'ns1.a.test.' } ] } },
			www => { txt => { records => [ { text => "v$version" } ] } },
			map { ("n$_" => { txt => { records => [
				{ text => $version . 'x' x 200 } ] } }) } 1 .. $count });
		1;
	};
}


sub child {
	my ($code) = @_;

	my $pid = fork();

	die "fork: $!\n" unless defined $pid;
	return $pid if $pid != 0;

	$code->();
	POSIX::_exit(0);
}


sub write_all {
	my $version = 1;

	while (!-e "$d/stop") {
		put(1 + int rand $zones, $version++);
		sleep 0.002;
	}
}


# Each answer is some version of the zone that is asked, or SERVFAIL.

sub ask_all {
	my ($n, $lost, %wrong) = (0, 0);

	while (!-e "$d/stop") {
		my $zone = 1 + int rand $zones;
		my $reply = eval { dns_ask("www.z$zone.test", 'TXT',
			timeout => 0.5) };

		$n++;

		if (!defined $reply) {
			$lost++;
			next;
		}

		my $text = dns_text($reply);

		$wrong{$text}++ if $text !~ /^SERVFAIL/
			&& $text !~ /^NOERROR.*^answer www\.z$zone\.test\. .* "v\d+"$/ms;
	}

	$t->write_file('asked', join "\n", $n, $lost, %wrong);
}


sub processes {
	my ($kind) = @_;

	return map { /^\s*(\d+) nginx: \Q$kind\E/ ? $1 : () }
		split /\n/, `ps -o pid,args --ppid $master`;
}


# The counters when nothing moves any more.

sub settled {
	my $last = '';

	for (1 .. 50) {
		my $c = dns_counters();
		my $now = join ' ', @$c{qw/ edge.zones edge.used edge.changes /};

		return $c if $now eq $last;

		$last = $now;
		sleep 0.3;
	}

	return dns_counters();
}

###############################################################################
