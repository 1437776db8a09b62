#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the end of TCP connections: messages that are too short, responses,
# a client that resets.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(25);

dns_run($t, zones => { 'z1.test' => zone_z1() }, stream => <<'EOS');
    server {
        listen  127.0.0.1:8081;
        return  "$dns_counter_received_tcp $dns_counter_drop_short $dns_counter_drop_response $dns_counter_rcode_noerror $dns_counter_rcode_notimp $dns_counter_tcp_accepted $dns_counter_tcp_active $dns_counter_tcp_error";
    }
EOS

my @names = qw/ received short response noerror notimp accepted active error /;

sub counters {
	my %c;

	@c{@names} = split ' ', stream('127.0.0.1:' . port(8081))->read();

	return \%c;
}

my $query = dns_query('www.z1.test', 'A');

###############################################################################

# too short: the end, but what was asked before is answered

for my $len (0, 1, 11) {
	my $c = dns_client(proto => 'tcp');

	$c->send($query, $query, 'x' x $len, $query);

	is(scalar $c->recv_n(2), 2, "$len octets, answers before");
	is($c->closed(), 1, "$len octets, closed");
}

my $c = counters();

is($c->{received}, 9, 'short messages are received');
is($c->{short}, 3, 'short messages are dropped');
is($c->{noerror}, 6, 'messages before are answered');
is($c->{error}, 3, 'short messages are errors');

# what comes behind does not take the answers away

my $client = dns_client(proto => 'tcp');

$client->send(($query) x 50, '', ($query) x 20_000);
select undef, undef, undef, 0.2;

is(scalar $client->recv_n(50), 50, 'answers before a lot of data');
is($client->closed(), 1, 'closed after a lot of data');

# a response is ignored

my $before = counters();

$client = dns_client(proto => 'tcp');
$client->send(dns_query('www.z1.test', 'A', qr => 1, id => 1),
	dns_query('www.z1.test', 'A', id => 2));

is(unpack('n', $client->recv()), 2, 'response is ignored');

$client->send(dns_query('www.z1.test', 'A', id => 3));
is(unpack('n', $client->recv()), 3, 'connection goes on');

$client->send(dns_query('www.z1.test', 'A', id => 4, opcode => 4));
is(dns_parse($client->recv())->{rcode}, 'NOTIMP', 'not implemented');

$client->send(dns_query('www.z1.test', 'A', id => 5));
is(unpack('n', $client->recv()), 5, 'connection goes on again');

my $after = counters();

is($after->{response} - $before->{response}, 1, 'response is dropped');
is($after->{received} - $before->{received}, 5, 'messages received');
is($after->{notimp} - $before->{notimp}, 1, 'messages not implemented');

# each message is counted once

is($after->{received}, $after->{short} + $after->{response}
	+ $after->{noerror} + $after->{notimp}, 'balance');

is($after->{active}, 1, 'active connection');

# a client that resets, with a message half done, and with one answered

$client = dns_client(proto => 'tcp');
$client->write(substr dns_frame($query), 0, 10);
reset_it($client);

$client = dns_client(proto => 'tcp');
$client->send(($query) x 10);
reset_it($client);

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45,
	'after resets');

my $active;

for (1 .. 30) {
	$active = counters()->{active};
	last if $active == 0;
	sleep(0.1);
}

is($active, 0, 'none is active');

# the largest message, with octets after its end

$client = dns_client(proto => 'tcp');
$client->send($query . 'x' x (65535 - length $query), $query);

is(dns_parse($client->recv())->{rcode}, 'FORMERR', '65535 octets');
is(length($client->recv() // ''), 45, 'and a good query');


sub reset_it {
	my ($client) = @_;

	setsockopt $client->socket(), Socket::SOL_SOCKET(),
		Socket::SO_LINGER(), pack 'i i', 1, 0;
	$client->close();
}

###############################################################################
