#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for deadlines of TCP clients: of a message, counted from its first octet
# on, of a connection that idles, and of replies that are not read.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::Stream qw/ stream /;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(19);

dns_run($t, zones => { 'z1.test' => zone_z1() }, tcp => 'sndbuf=4k',
	stream => <<'EOS', server => <<'EOS');
    server {
        listen  127.0.0.1:8081;
        return  "$dns_counter_tcp_timeout $dns_counter_tcp_idle_closed";
    }
EOS
        dns_tcp_timeout       400ms;
        dns_tcp_idle_timeout  900ms;
        dns_tcp_send_timeout  1200ms;
EOS

my $query = dns_query('www.z1.test', 'A');
my $data = dns_frame($query);

# the seconds until the server closes

sub lasts {
	my ($c) = @_;

	my $start = time();
	return $c->closed(timeout => 5) ? time() - $start : 99;
}

sub between {
	my ($seconds, $min, $max, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	ok($seconds >= $min && $seconds <= $max, $name)
		or diag(sprintf '%.3f is not in %s .. %s', $seconds, $min, $max);
}

###############################################################################

# a message that does not end

my $c = dns_client(proto => 'tcp');
$c->write(substr $data, 0, 1);
between(lasts($c), 0.3, 0.8, 'half a length');

$c = dns_client(proto => 'tcp');
$c->write(substr $data, 0, -1);
between(lasts($c), 0.3, 0.8, 'all but an octet');

# further octets do not put it off

$c = dns_client(proto => 'tcp');

my $start = time();
my $n = 0;

while ($n < length($data) - 1) {
	$c->write(substr $data, $n++, 1);
	last if $c->closed(timeout => 0.1);
}

between(time() - $start, 0.3, 0.8, 'octet by octet');

# a deadline begins with the message, not with the connection

$c = dns_client(proto => 'tcp');
sleep(0.6);
$c->write(substr $data, 0, 10);
between(lasts($c), 0.3, 0.8, 'late message');

$c = dns_client(proto => 'tcp');
$c->write(substr $data, 0, 10);
sleep(0.25);
$c->write(substr($data, 10) . substr($data, 0, 10));
is(length($c->recv() // ''), 45, 'whole message in time');
between(lasts($c), 0.3, 0.8, 'deadline of the next message');

# slow, but in time, for longer than a deadline

$c = dns_client(proto => 'tcp');
$start = time();
$n = 0;

for (1 .. 5) {
	$c->write(substr $data, 0, 5);
	sleep(0.2);
	$c->write(substr $data, 5);
	$n++ if length($c->recv() // '') == 45;
}

is($n, 5, 'slow messages');
cmp_ok(time() - $start, '>', 0.9, 'longer than a deadline');

# idle

between(lasts(dns_client(proto => 'tcp')), 0.8, 1.4, 'idle');

$c = dns_client(proto => 'tcp');
$n = 0;
$start = time();

for (1 .. 4) {
	$c->send($query);
	$n++ if length($c->recv() // '') == 45;
	sleep(0.4);
}

is($n, 4, 'not idle');
cmp_ok(time() - $start, '>', 1.5, 'longer than the idle time');
between(lasts($c), 0.3, 1, 'idle after messages');

# replies that nobody reads: about 400 kB

my $big = dns_query('big.z1.test', 'TXT');

$c = dns_client(proto => 'tcp', rcvbuf => 4096);
$c->send(($big) x 100);

sleep(0.9);
ok(alive($c), 'within the time for sending');
sleep(0.9);
ok(!alive($c), 'after the time for sending');

# reading a little does not put it off

$c = dns_client(proto => 'tcp', rcvbuf => 4096);
$c->send(($big) x 100);

$start = time();
$n = 0;

while (time() - $start < 3) {
	last unless alive($c);
	$n += sysread($c->socket(), my $octets, 1000) || 0;
	sleep(0.05);
}

between(time() - $start, 1, 1.7, 'client that reads a little');
cmp_ok($n, '>', 10_000, 'it has read something');

# still serving

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45, 'good query');

my ($timeout, $idle) = split ' ', stream('127.0.0.1:' . port(8081))->read();

is($timeout, 7, 'counter of timeouts');
is($idle, 3, 'counter of idle connections');


# True if the server has not closed: the state is 1 when it is open.

sub alive {
	my ($c) = @_;

	my $info = getsockopt $c->socket(), Socket::IPPROTO_TCP(), 11;

	return unpack('C', $info) == 1;
}

###############################################################################
