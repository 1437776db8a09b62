#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G13: states before the first check, over a reload and the
# death of the control process, and when the list of targets changes.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use Time::HiRes qw/ time sleep /;

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Health;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(21);

# a process that is killed is one

$t->todo_alerts();

my $r = redis_start($t);

# one zone more, so that the list is never empty

$r->l1('other.test.', { www => { a => { records => [
	{ ip => '192.0.2.1' } ] } } });

my ($alive, $dead) = ('127.0.0.41:8081', '127.0.0.42:8081');
my $b = health_backend($t, $alive, $dead);
my $port = port(8081);

$b->mode($dead, 'status 503');

my %check = (port => $port, down_count => 2, up_count => 2);

set('127.0.0.41', '127.0.0.42');

my $start = time();

dns_run($t, stream => $r->directives() . ' dns_health_interval 300ms;'
	. health_server(), sources => [ 'zone' ], main => 'worker_processes 2;',
	udp => 'reuseport');

# unknown is up; the first check is at once, whatever the interval

dns_wait([ 'www.example.com', 'A' ], qr/ 127\.0\.0\.41$/m);

$b->wait_requests($dead, 1);
my ($first) = map { $_->[0] } $b->requests($dead);

cmp_ok($first - $start, '<', 3, 'the first check is soon after the start');

my $down = health_wait(sub { $_[0]{down} == 1 });

is("$down->{up} $down->{down}", '1 1', 'one is up, one is down');
is(answer(), '41', 'which is answered');

# over a reload

my $control = control($t);

$t->reload();
is(share(2), 0, 'the dead one is in no answer in 2 seconds after a reload');

my $next = control($t, $control);

isnt($next, $control, 'another control process');
is(health_counters()->{probing}, 1, 'it checks');

my $n = $b->requests($dead);
cmp_ok($b->wait_requests($dead, $n + 2), '>=', $n + 2, 'the dead one, too');
is(health_counters()->{turns}, 2, 'no state has turned');

# over the death of the control process

kill 'KILL', $next;
is(share(2), 0, 'nor in 2 seconds after the process was killed');

isnt(control($t, $next), $next, 'another control process');

$n = $b->requests($dead);
cmp_ok($b->wait_requests($dead, $n + 2), '>=', $n + 2, 'it checks');

# it does not stay down for ever

$b->mode($dead, 'ok');
health_wait(sub { $_[0]{up} == 2 });
is(answer(), '41 42', 'it is up again');

$b->mode($dead, 'status 503');
health_wait(sub { $_[0]{down} == 1 });
is(answer(), '41', 'and down again');

# out of the list, and into it

set('127.0.0.41');
is(health_wait(sub { $_[0]{targets} == 1 })->{targets}, 1, 'removed');

sleep 0.3;
$n = $b->requests($dead);
sleep 1;
is(scalar(my @r = $b->requests($dead)), $n, 'it is not checked any more');

my $added = time();
set('127.0.0.41', '127.0.0.42');
$b->wait_requests($dead, $n + 1);

cmp_ok(($b->requests($dead))[-1][0] - $added, '<', 2,
	'added again it is checked at once');

health_wait(sub { $_[0]{down} == 1 });
is(answer(), '41', 'and down');

# another size of the memory

my $conf = $t->read_file('nginx.conf');
$conf =~ s/dns_health_interval/dns_health_zone 64k; dns_health_interval/;
$t->write_file('nginx.conf', $conf);

$control = control($t);
$t->reload();
is(share(2), 0, 'the state is in memory of another size');

isnt(control($t, $control), $control, 'another control process');
my $c = health_counters();
is("$c->{slots} $c->{down}", '768 1', 'slots and states');

# another zone of the same name in its place

$r->remove('example.com.');
is(health_wait(sub { $_[0]{targets} == 0 })->{targets}, 0,
	'the zone is removed');

###############################################################################

sub set {
	$r->l1('example.com.', { www => { a => health_check(\%check, @_) } });
}


sub answer {
	return health_answer(dns_text(dns_ask('www.example.com', 'A')));
}


# How many answers have the dead one.

sub share {
	my ($seconds) = @_;

	my $until = time() + $seconds;
	my $n = 0;

	while (time() < $until) {
		my $reply = dns_ask('www.example.com', 'A', timeout => 0.5);
		$n += dns_text($reply) =~ /127\.0\.0\.42/ if defined $reply;
		sleep 0.002;
	}

	return $n;
}


# The process that says so last, if it is not another one, for a while.

sub control {
	my ($t, $other) = @_;

	my $until = time() + 5;
	my $pid;

	do {
		my @lines = dns_error_log($t, qr/dns control process/);
		($pid) = $lines[-1] =~ /(\d+)#/;
		sleep 0.05 if defined $other && $pid == $other;
	} while (defined $other && $pid == $other && time() < $until);

	return $pid;
}

###############################################################################
