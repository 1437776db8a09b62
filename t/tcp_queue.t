#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for limits of what is queued for a TCP client: octets and answers.
# Reading stops then, and goes on when the client has read.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(11);

my $zone = zone_z1();

# an answer of some 60 kB

$zone .= sprintf "huge\tTXT\t\"%03d%s\"\n", $_, 'x' x 197 for 1 .. 280;

dns_run($t, zones => { 'z1.test' => $zone }, conf => <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    dns_zone  z1.test z1.test.zone;

    server {
        listen  127.0.0.1:%%PORT_8980_UDP%% udp;
        listen  127.0.0.1:%%PORT_8980_UDP%% sndbuf=16k;
        dns     on;

        dns_tcp_max_queries  5;
    }

    server {
        listen  127.0.0.1:8082 sndbuf=16k;
        dns     on;

        dns_tcp_max_unsent  10k;
    }

    server {
        listen  127.0.0.1:8083;
        dns     on;

        dns_tcp_max_unsent   1;
        dns_tcp_max_queries  1;
    }

    server {
        listen  127.0.0.1:8081;
        return  "$dns_counter_received_tcp";
    }
}
EOS

sub received {
	return stream('127.0.0.1:' . port(8081))->read();
}

# waits until nothing more is read; gives the number of messages

sub settled {
	my ($before, $last) = (received(), -1);

	for (1 .. 20) {
		my $now = received();

		return $now - $before if $now == $last;

		$last = $now;
		sleep(0.2);
	}
}

my $big = dns_query('big.z1.test', 'TXT');
my $size = length dns_ask('big.z1.test', 'TXT', over => 'tcp');

###############################################################################

# what the kernel takes, and five more

my $c = dns_client(proto => 'tcp', rcvbuf => 16384);
my $before = received();

$c->send(map { dns_query('big.z1.test', 'TXT', id => $_) } 1 .. 150);
settled();

my $n = received() - $before;

cmp_ok($n, '>=', 5, 'number, reading');
cmp_ok($n, '<', 60, 'number, reading stops');

my @replies = $c->recv_n(150);

is(join(' ', sort { $a <=> $b } map { unpack 'n', $_ } @replies),
	join(' ', 1 .. 150), 'number, all replies');
is(scalar(grep { length $_ == $size } @replies), 150, 'number, whole replies');

# another query, after all that

$c->send(dns_query('www.z1.test', 'A'));
is(length $c->recv(), 45, 'number, good query');

# octets

$c = dns_client(proto => 'tcp', port => port(8082), rcvbuf => 16384);
$before = received();

$c->send(map { dns_query('big.z1.test', 'TXT', id => $_) } 1 .. 150);
settled();

cmp_ok(received() - $before, '<', 60, 'octets, reading stops');

@replies = $c->recv_n(150);

is(join(' ', sort { $a <=> $b } map { unpack 'n', $_ } @replies),
	join(' ', 1 .. 150), 'octets, all replies');

# replies longer than the limit, one at a time

$c->send(map { dns_query('huge.z1.test', 'TXT', id => $_) } 1 .. 10);
is(scalar(grep { length $_ > 50_000 } $c->recv_n(10)), 10,
	'octets, replies longer than the limit');

# the least there can be

$c = dns_client(proto => 'tcp', port => port(8083));
$c->send((dns_query('www.z1.test', 'A')) x 300);
$c->half_close();

is(scalar(grep { length $_ == 45 } $c->recv_n(300)), 300, 'one at a time');
is($c->closed(), 1, 'one at a time, closed');

# a client that goes away while replies wait

$c = dns_client(proto => 'tcp', rcvbuf => 16384);
$c->send(($big) x 200);
settled();
$c->close();

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45,
	'client gone');

###############################################################################
