#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for reloads with zones from Redis: no query is lost, what is published
# stays, and Redis is not read again.  An old worker that a session keeps does
# not hinder changes.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Load;
use Test::Nginx::Redis;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has_daemon('redis-server')->plan(19);

my $redis = redis_start($t);
my $d = $t->testdir();

zone($_, 1) for 1 .. 200;

dns_run($t, main => 'worker_processes 2;', sources => [ 'edge' ],
	stream => "dns_state_path $d/state; dns_redis " . $redis->address()
		. ' zone=edge:8m;',
	udp => 'reuseport', tcp => 'reuseport',
	server => 'dns_nsid $pid; dns_tcp_timeout 300s;');

dns_wait([ 'www.z200.test', 'A' ], qr/192\.0\.2\.1$/m);
wait_zones(200);

# a session that keeps its worker over all of it: in the middle of a message

my $session = dns_client(proto => 'tcp');
my $question = dns_frame(dns_query('www.z4.test', 'A', nsid => 1));

$session->write(substr($question, 0, 20));

my @old = map { dns_worker(dns_ask('www.z1.test', 'A', nsid => 1)) } 1 .. 40;

my $before = dns_counters();
my $calls = $redis->calls();
my $load = dns_load($t, [ 'www.z1.test', 'A' ],
	qr/^NOERROR.* 192\.0\.2\.1$/ms);

for my $n (2 .. 4) {
	$t->reload();

	ok(writing($n), "reload $n");

	# a change right behind it

	zone(2, $n);

	ok(defined dns_wait_workers([ 'www.z2.test', 'A' ],
		qr/192\.0\.2\.$n$/m, 5, 2), "change after reload $n");
}

my ($n, $lost, $wrong) = dns_load_end($load);

cmp_ok($n, '>', 100, 'queries');
is($lost, 0, 'lost');
is($wrong, '', 'wrong');

my $after = dns_counters();
my $read = $redis->calls();

is($after->{'edge.zones'}, 200, 'zones');
is($after->{'edge.comparisons'}, $before->{'edge.comparisons'},
	'no comparison');
cmp_ok(($read->{hgetall} // 0) - ($calls->{hgetall} // 0), '<', 20,
	'zones read');

# changes while nothing is there to hear of them: killed during a change

kill 'KILL', writer();
zone(3, 7);

ok(defined dns_wait_workers([ 'www.z3.test', 'A' ], qr/192\.0\.2\.7$/m, 5, 2),
	'change while killed');

# many changes beside an old worker: memory comes back

for my $i (1 .. 100) {
	$redis->l1('big.test.', { '@' => ns(), map { ("t$_" => { txt => {
		records => [ { text => $i . 'x' x 200 } ] } }) } 1 .. 1000 });
	zone(4, 1 + $i % 70);
}

like(dns_text(dns_wait([ 't1000.big.test', 'TXT' ], qr/"100x/)), qr/"100x/,
	'large changes');
like(dns_text(dns_wait([ 'www.z4.test', 'A' ], qr/192\.0\.2\.31$/m)),
	qr/192\.0\.2\.31$/m, 'small changes');
is(dns_counters()->{'edge.full'}, 0, 'never full');

# the old worker sees what there is now

$session->write(substr($question, 20));

my $reply = $session->recv();

like(dns_text($reply), qr/192\.0\.2\.31$/m, 'old worker, present data');
ok(scalar(grep { $_ == (dns_worker($reply) // 0) } @old),
	'it is an old worker');

my @alerts = grep { !/exited on signal 9/ }
	dns_error_log($t, qr/\[(?:alert|emerg|crit)\]/, timeout => 0);
is("@alerts", '', 'no other alerts');

$t->todo_alerts();

undef $t;

###############################################################################

sub ns {
	return { ns => { records => [ { host => 'ns1.z1.test.' } ] } };
}


sub zone {
	my ($zone, $n) = @_;

	$redis->l1("z$zone.test.", { '@' => ns(),
		www => { a => { records => [ { ip => "192.0.2.$n" } ] } } });
}


sub wait_zones {
	my ($n) = @_;

	for (1 .. 100) {
		return if dns_counters()->{'edge.zones'} == $n;
		sleep 0.05;
	}
}


# 1 if the n-th control process writes.

sub writing {
	my ($n) = @_;

	for (1 .. 100) {
		my @lines = dns_error_log($t, qr/writing published zones/);

		return 1 if @lines >= $n;
		sleep 0.05;
	}

	return 0;
}


sub writer {
	my @lines = dns_error_log($t, qr/writing published zones/);

	return $lines[-1] =~ /\] (\d+)#/ ? $1 : 0;
}

###############################################################################
