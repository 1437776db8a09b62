#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for snapshots: nginx is killed again and again while one is written;
# what it finds at the next start, without Redis, is a whole one.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/.."); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use Time::HiRes qw/ time sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(6);

my $rounds = 30;
my $zones = 40;

my $r = redis_start($t);
my $path = $t->testdir() . '/state/zone.snapshot';

# some megabytes, so that it takes a while

for my $n (1 .. $zones) {
	$r->l1("z$n.test.", { www => a(0), map { ("n$_" => a(1)) } 1 .. 2000 });
}

start();
dns_wait([ 'www.z1.test', 'A' ], qr/192.0.2.0/, 30);
wait_file();

my ($killed, $halves, $wrong, $torn, $left, $old) = (0) x 6;

for my $round (1 .. $rounds) {

	# all zones change at about the same time, while one is written

	my $pid = control();
	my $until = time() + 0.3 + rand 1;

	while (time() < $until) {
		$r->pipeline(map { [ 'HSET', $r->key("zones:z$_.test."), 'www',
			redis_json(a($round)) ] } 1 .. $zones);
		sleep 0.05;
	}

	# all at once: no process goes on in its place

	my $master = $t->read_file('nginx.pid');
	chomp $master;

	kill 'STOP', $master;
	$killed++ if kill 'KILL', $pid;
	kill 'KILL', workers($master), $master;
	sleep 0.2;

	$halves++ if () = glob "$path.tmp.*";

	$r->freeze();
	start();

	wait_ready();

	my $text = dns_text(dns_ask('www.z1.test', 'A'));
	$wrong++ if $text !~ / 192\.0\.2\.(\d+)$/m;
	$old++ if ($1 // 0) < $round - 3;

	for my $n (2 .. $zones) {
		my $reply = dns_text(dns_ask("www.z$n.test", 'A'));
		$wrong++ if $reply !~ / 192\.0\.2\.\d+$/m;
		$wrong++ if dns_text(dns_ask("n2000.z$n.test", 'A'))
			!~ / 192\.0\.2\.1$/m;
	}

	$r->thaw();
	dns_wait([ 'www.z1.test', 'A' ], qr/ 192\.0\.2\.$round$/m, 30);
}

$torn = () = dns_error_log($t, qr/is not used|is damaged/, timeout => 0);
wait_file();
sleep 2.5;
$left = () = glob "$path.tmp.*";

is($killed, $rounds, "killed $rounds times");
cmp_ok($halves, '>', 0, "$halves times in the middle of a snapshot");
is($wrong, 0, 'every answer was right');
is($torn, 0, 'no snapshot was refused');
is($old, 0, 'nor was it of long ago');
cmp_ok($left, '<=', 1, 'nothing but the one that is written is left');

undef $t;

###############################################################################

sub start {
	unlink $t->testdir() . '/nginx.pid';

	dns_run($t, stream => $r->directives('zone=zone:64m snapshot=200ms'),
		sources => [ 'zone' ], main => 'worker_processes 1;',
		udp => 'reuseport');
}


sub control {
	my @pids = map { /(\d+)#\d+: dns control process/ ? $1 : () }
		dns_error_log($t, qr/dns control process/);

	return $pids[-1];
}


sub workers {
	my ($master) = @_;

	my ($pids) = `cat /proc/$master/task/$master/children`;

	return split ' ', $pids;
}


sub wait_ready {
	for (1 .. 200) {
		last if dns_counters()->{'zone.ready'};
		sleep 0.05;
	}
}


sub wait_file {
	for (1 .. 100) {
		last if -s $path;
		sleep 0.1;
	}
}


sub a {
	return { a => { ttl => 60, records => [ { ip => "192.0.2.$_[0]" } ] } };
}

###############################################################################
