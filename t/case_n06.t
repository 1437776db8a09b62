#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Case N06: whoever dies while it holds a lock or a place of a reader, its
# successor goes on: the control process while it publishes, workers while
# they answer.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has_daemon('redis-server')->plan(5);

my $redis = redis_start($t);
my $d = $t->testdir();
my $rounds = 50;
my $names = 200;

$redis->l1('big.test.', { map { ("n$_" => address(0)) } 1 .. $names });

# killing is an alert

$t->todo_alerts();

dns_run($t,
	main => 'worker_processes 2;',
	stream => "error_log $d/error.log notice;\n    "
		. "dns_state_path $d/state;\n    dns_redis "
		. $redis->address() . ' zone=edge:2m timeout=500ms;',
	server => 'dns_nsid $pid;',
	udp => 'reuseport', tcp => 'reuseport',
	sources => [ 'edge' ],
);

ok(defined dns_wait_workers([ "n$names.big.test", 'A' ], qr/10\.0\.0\.0$/m,
	10, 2), 'start');

my $used = dns_counters()->{'edge.used'};
my ($seen, $wrong, $asked) = (0, 0, 0);

srand(7);

for my $round (1 .. $rounds) {

	# all names change at once; a few changes on the way

	for my $n (1 .. 3) {
		$redis->command('HSET', $redis->key('zones:big.test.'),
			map { ("n$_" => redis_json(address($round))) } 1 .. $names);
	}

	select undef, undef, undef, rand 0.008;

	my @victims = $round % 2 ? last_started($t, 'dns control process')
		: last_started($t, 'start worker process (\d+)', 2);

	kill 'KILL', $victims[int rand @victims];

	# never a mixture: the last name tells of the same change as the first

	for (1 .. 5) {
		my $reply = dns_ask("n1.big.test", 'A', timeout => 0.3) // next;

		$asked++;
		$wrong++ unless dns_text($reply) =~ /^NOERROR.* 10\.0\.0\.(\d+)$/ms
			&& ($1 == $round || $1 == $round - 1);
	}

	$seen++ if defined dns_wait_workers([ "n$names.big.test", 'A' ],
		qr/10\.0\.0\.$round$/m, 10, 2);
}

is($seen, $rounds, 'each change on each worker');
is($wrong, 0, 'answers of before or after');
cmp_ok($asked, '>', $rounds, 'answers');

# all the memory is there again

my $now;

for (1 .. 100) {
	$now = dns_counters()->{'edge.used'};
	last if $now == $used;
	select undef, undef, undef, 0.05;
}

is($now, $used, 'memory in use');

###############################################################################

sub address {
	my ($n) = @_;
	return { a => { ttl => 60, records => [ { ip => "10.0.0.$n" } ] } };
}

# the last processes that the log tells of

sub last_started {
	my ($t, $what, $n) = @_;

	my @lines = dns_error_log($t, qr/$what/);
	my @pids = map { $what =~ /\(/ ? /$what/ : / (\d+)#\d+: / } @lines;

	return @pids[-($n // 1) .. -1];
}

###############################################################################
