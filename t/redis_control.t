#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the control process: it is there, is followed by another one
# however it ends, and what it has published outlives it, reloads, and a
# change of size.

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

my $t = Test::Nginx->new()
	->has(qw/http proxy cache stream stream_return udp/)
	->has_daemon('redis-server')->plan(35);

my $redis = redis_start($t);
my $d = $t->testdir();

zone('a.test.', 1);
zone('both.test.', 1);

my %conf = (
	main => 'worker_processes 2;',
	stream => "dns_state_path $d/state;\n    dns_redis "
		. $redis->address() . ' zone=edge:4m timeout=500ms;',
	server => 'dns_nsid $pid;',
	udp => 'reuseport', tcp => 'reuseport',
	zones => { 'both.test' => zone_text('both.test', "www A 192.0.2.200\n") },
	sources => [ 'edge' ],
	http => "proxy_cache_path $d/cache keys_zone=cache:1m;"
);

# killing is an alert

$t->todo_alerts();

dns_run($t, %conf);

# it is there, and it alone

my $reply = dns_wait([ 'www.a.test', 'A' ], qr/192\.0\.2\.1$/m);

like(dns_text($reply), qr/^NOERROR qr aa\n/, 'answer');

my @started = started();
my $pid = $started[-1];

is(@started, 1, 'one control process');
ok(-d "$d/state", 'state directory');
ok(-e "$d/state/lock", 'lock');

my $user = (stat "$d/state")[4];

is((stat "$d/state/lock")[4], $user, 'owner of the lock');

my $c = counters(2);

is($c->{'edge.ready'}, 1, 'ready');
is($c->{'edge.zones'}, 2, 'zones');
cmp_ok($c->{'edge.used'}, '>', 0, 'used');
cmp_ok($c->{'edge.used'} + $c->{'edge.free'}, '<=', 4 * 1024 * 1024, 'size');

# the file wins, which is told once

like(dns_text(dns_ask('www.both.test', 'A')), qr/ 192\.0\.2\.200$/m,
	'zone of a file');

my @told = dns_error_log($t, qr/\[warn\].*"both\.test\." is served from its/);

is(@told, 1, 'zone of a file told');
like($told[0], qr/by the server in \S+:\d+, .* zone: "edge"/, 'told where');

# killed, it is followed by another one

for my $n (2 .. 4) {
	kill 'KILL', $pid;

	$pid = next_process($n);
	zone('a.test.', $n);

	ok(defined dns_wait_workers([ 'www.a.test', 'A' ],
		qr/192\.0\.2\.$n$/m, 10, 2), "change after kill $n");
}

is(counters(2)->{'edge.zones'}, 2, 'zones after kill');

# a reload

my $free = dns_counters()->{'edge.free'};

$t->reload();
next_process(5);

zone('a.test.', 5);

ok(defined dns_wait_workers([ 'www.a.test', 'A' ], qr/192\.0\.2\.5$/m, 10, 2),
	'change after reload');

my @gone = grep { dns_error_log($t, qr/ $_#$_: exiting/, timeout => 5) }
	$pid;

is(@gone, 1, 'old process ended');
is(dns_counters()->{'edge.zones'}, 2, 'zones after reload');

# another size while Redis is silent: the zones are copied

$redis->freeze();

resize('8m');
next_process(6);

$reply = dns_wait([ 'www.a.test', 'A' ], qr/192\.0\.2\.5$/m, 0);
like(dns_text($reply), qr/^NOERROR qr aa\n/, 'answer after growth');

ok(defined dns_wait_workers([ 'www.a.test', 'A' ], qr/192\.0\.2\.5$/m, 10, 2),
	'all workers after growth');

$c = counters(2, 7 * 1024 * 1024);

is($c->{'edge.zones'}, 2, 'zones after growth');
cmp_ok($c->{'edge.used'} + $c->{'edge.free'}, '>', 7 * 1024 * 1024,
	'size after growth');

$redis->thaw();

zone('a.test.', 6);

ok(defined dns_wait_workers([ 'www.a.test', 'A' ], qr/192\.0\.2\.6$/m, 10, 2),
	'change after growth');

# what does not fit is refused, and all goes on

my $data = { map { ("name$_" => { txt => { ttl => 60, records => [
	{ text => 'x' x 200 } ] } }) } 1 .. 8000 };

$redis->l1('large.test.', { %$data, '@' => ns() });

dns_wait([ 'name1.large.test', 'TXT' ], qr/^NOERROR/m);

resize('1m');

my ($refused) = dns_error_log($t, qr/\[emerg\]/);

like($refused, qr/zone "edge" of 1048576 octets is too small .* it needs/,
	'size too small');

my ($missing) = ($refused // '') =~ /needs (\d+) octets more/;

cmp_ok($missing // 0, '>', 500_000, 'octets missing');
is(scalar(started()), 6, 'no new control process');

zone('a.test.', 7);

ok(defined dns_wait_workers([ 'www.a.test', 'A' ], qr/192\.0\.2\.7$/m, 10, 2),
	'change after refusal');

$redis->remove('large.test.');

resize('1m');
next_process(7);

ok(defined dns_wait_workers([ 'www.a.test', 'A' ], qr/192\.0\.2\.7$/m, 10, 2),
	'smaller size');
is(counters(2)->{'edge.zones'}, 2, 'zones in a smaller size');

# the loader of the cache is another process of the same kind

my @loaders = dns_error_log($t, qr/start cache loader process/);
cmp_ok(@loaders, '>', 0, 'cache loader');

# nothing but control processes has written

my %own = map { $_ => 1 } started();
my @alien = grep { !/ (\d+)#\1: / || !$own{$1} }
	dns_error_log($t, qr/writing published zones/);

is("@alien", '', 'no other process writes');

# a lock that cannot be opened is tried again

unlink "$d/state/lock";
mkdir "$d/state/lock";
kill 'KILL', (started())[-1];

is(scalar(() = dns_error_log($t, qr/open\(\) .*no snapshots are written/)), 1,
	'no lock');

rmdir "$d/state/lock";

ok(scalar dns_error_log($t, qr/, snapshots are written$/), 'lock again');
ok(-f "$d/state/lock", 'lock, a file');

undef $t;

###############################################################################

# A zone, made and changed.

sub ns {
	return { ns => { ttl => 300, records => [ { host => 'ns1.a.test.' } ] } };
}


sub zone {
	my ($zone, $n) = @_;

	$redis->l1($zone, {
		'@' => ns(),
		www => { a => { ttl => 300,
			records => [ { ip => "192.0.2.$n" } ] } }
	});
}


# The control processes that have started so far.

sub started {
	return map { /\] (\d+)#/ } dns_error_log($t, qr/dns control process/);
}


# The counters, which may be a little late, as soon as there are n zones in so
# many octets at least.

sub counters {
	my ($n, $size) = @_;

	my $until = time() + 5;
	my $c;

	for ( ;; ) {
		$c = dns_counters();

		return $c if time() > $until
			|| $c->{'edge.zones'} == $n
			&& $c->{'edge.used'} + $c->{'edge.free'} > ($size // 0);

		select undef, undef, undef, 0.02;
	}
}


# Waits for the n-th to write, and gives its number.

sub next_process {
	my ($n) = @_;

	my $until = time() + 10;

	while (time() < $until) {
		my @writing = dns_error_log($t, qr/writing published zones/);

		if (@writing >= $n) {
			return $writing[-1] =~ /\] (\d+)#/ ? $1 : 0;
		}

		select undef, undef, undef, 0.05;
	}

	return 0;
}


sub resize {
	my ($size) = @_;

	$conf{stream} =~ s/zone=edge:\w+/zone=edge:$size/;

	$t->write_file_expand('nginx.conf', dns_conf(%conf));
	$t->reload();
}

###############################################################################
