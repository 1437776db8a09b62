#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for reloads and ends of the control process: the next one goes on from
# what the last one had heard of, and reads nothing that is there already.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(24);

# a process is killed

$t->todo_alerts();

my $r = redis_start($t);

zone("z$_.test.", '192.0.2.1') for 1 .. 100;
set("s$_.test.", '192.0.2.1') for 1 .. 20;

$r->command('SADD', $r->key('zones'), 'Odd.Test', 'hollow.test.', 'bad.test.');
$r->command('HSET', $r->key('zones:bad.test.'), 'www', 'no json');
zone('Odd.Test', '192.0.2.1', list => 0);

dns_run($t, stream => $r->directives(), sources => [ 'zone' ]);

is_ip('z1.test', '192.0.2.1', 'start');
is_ip('s1.test', '192.0.2.1', 'start, L4');
is_ip('odd.test', '192.0.2.1', 'start, odd');
wait_commands();

# a reload: who takes over has heard of everything itself

my $hgetall = $r->calls()->{hgetall};
my $pid = control($t);

$t->reload();
ok(other_control($t, $pid), 'another control process');
ok(scalar dns_error_log($t, qr/taken over in step: 122 zones/), 'taken over');
wait_commands();

cmp_ok($r->calls()->{hgetall} - $hgetall, '<=', 4, 'nothing read again');
is(dns_counters()->{'zone.comparisons'}, 1, 'no comparison');
is(dns_counters()->{'zone.bad'}, 21, 'bad values, counted');
is_ip('z1.test', '192.0.2.1', 'reload');

zone('z1.test.', '192.0.2.2');
is_ip('z1.test', '192.0.2.2', 'L1, a change');

zone('Odd.Test', '192.0.2.2', list => 0);
is_ip('odd.test', '192.0.2.2', 'odd, a change');

zone('hollow.test.', '192.0.2.2');
is_ip('hollow.test', '192.0.2.2', 'the first data');

# names of keys come from the zone that is published

$r->command('SET', $r->key('zones:s1.test.:labels:www:TXT'),
	'{"ttl":5,"records":[{"text":"two"}]}');
is_status([ 's1.test', 'A' ], qr/ A 192\.0\.2\.1$/m, 'L4, another name');
is_status([ 'www.s1.test', 'TXT' ], qr/"two"/, 'L4, a key changed');
is_status([ 'www.s1.test', 'A' ], qr/ A 192\.0\.2\.1$/m,
	'L4, its neighbour');
is_status([ 'cname.s1.test', 'CNAME' ], qr/CNAME www/, 'L4, a CNAME');
$r->command('DEL', $r->key('zones:s1.test.:labels:cname:CNAME'));
is_status([ 'cname.s1.test', 'TXT' ], qr/"hidden"/, 'L4, what it hid');

# changes while nobody hears them

$pid = control($t);
kill 'KILL', $pid;
zone('z2.test.', '192.0.2.3');
$r->remove('z3.test.');

is_ip('z2.test', '192.0.2.3', 'killed, changed meanwhile');
is_status([ 'z3.test', 'A' ], qr/^REFUSED/, 'killed, removed meanwhile');
ok(other_control($t, $pid), 'another control process');
is(dns_counters()->{'zone.bad'}, 20, 'bad values, still counted');

$r->remove('bad.test.');
is_status([ 'bad.test', 'A' ], qr/^REFUSED/, 'bad values, removed');
is(dns_counters()->{'zone.bad'}, 19, 'bad values, gone');

# changes all the time while the configuration is loaded again

my $last;

for my $n (1 .. 200) {
	$t->reload() if $n % 50 == 10;
	$last = "198.51.100.$n";
	zone('z4.test.', $last);
	select undef, undef, undef, 0.005;
}

is_ip('z4.test', $last, 'the last of many');

###############################################################################

sub zone {
	my ($name, $ip, %opts) = @_;

	$r->l1($name, { '@' => { a => ips($ip) } }, %opts);
}


sub set {
	my ($name, $ip) = @_;

	$r->l4($name, {
		'@' => { A => ips($ip) },
		www => { A => ips($ip), TXT => text('one') },
		cname => { CNAME => { ttl => 5, host => "www.$name" },
			TXT => text('hidden') },
	});
}


sub ips {
	return { ttl => 5, records => [ map { { ip => $_ } } @_ ] };
}


sub text {
	return { ttl => 5, records => [ map { { text => $_ } } @_ ] };
}


sub is_ip {
	my ($name, $ip, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is_status([ $name, 'A' ], qr/^answer \S+ \d+ IN A \Q$ip\E$/m, $what);
}


sub is_status {
	my ($ask, $re, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	like(dns_text(dns_wait($ask, $re, 8)), $re, $what);
}


# the number of the process that said last that it writes

sub control {
	my ($t) = @_;

	my @lines = dns_error_log($t, qr/writing published zones/);

	return ($lines[-1] =~ /(\d+)#\d+: /)[0];
}


sub other_control {
	my ($t, $pid) = @_;

	for (1 .. 100) {
		return 1 if control($t) != $pid;
		select undef, undef, undef, 0.05;
	}

	return 0;
}


# until nothing is read any more

sub wait_commands {
	my $n = -1;

	for (1 .. 50) {
		my $now = $r->calls()->{exec} // 0;

		last if $now == $n;

		$n = $now;
		select undef, undef, undef, 0.2;
	}
}

###############################################################################
