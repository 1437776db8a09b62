#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for several queries in one TCP segment, and a client that closes its
# direction, case W18.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(13);

dns_run($t, zones => { 'z1.test' => zone_z1() });

sub ids {
	return join ' ', sort { $a <=> $b } map { unpack 'n', $_ } @_;
}

my @queries = map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 5;

###############################################################################

my $c = dns_client(proto => 'tcp');
$c->send(@queries);
$c->half_close();

my @replies = $c->recv_n(5);

is(ids(@replies), '1 2 3 4 5', 'W18 five in one write');
is($c->closed(), 1, 'W18 closed after the last');

is(scalar(grep { dns_text($_) eq dns_text($replies[0]) } @replies), 5,
	'W18 the same answers');
dns_is($replies[0], <<EOF, 'W18 answer');
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

# different ones, errors among them

$c = dns_client(proto => 'tcp');
$c->send($queries[0], dns_query('big.z1.test', 'TXT', id => 2),
	dns_query('nope.z1.test', 'A', id => 3),
	dns_query('z1.test', 'A', id => 4, counts => [ 0, 0, 0, 0 ]),
	dns_query('example.org', 'A', id => 5));
$c->half_close();

my %rcode = map { $_->{id} => "$_->{rcode}:" . @{ $_->{answer} } }
	map { dns_parse($_) } $c->recv_n(5);

is(join(' ', map { $_, $rcode{$_} } sort keys %rcode),
	'1 NOERROR:1 2 NOERROR:20 3 NXDOMAIN:0 4 FORMERR:0 5 REFUSED:0',
	'W18 different ones');
is($c->closed(), 1, 'W18 closed after them');

# octet by octet, and messages split anywhere

$c = dns_client(proto => 'tcp');
$c->write($_) for split //, dns_frame(@queries[0 .. 1]);
is(ids($c->recv_n(2)), '1 2', 'W18 octet by octet');

my $data = dns_frame(@queries);

for my $at (1, 2, 30, length($data) - 1) {
	$c->write(substr $data, 0, $at);
	select undef, undef, undef, 0.02;
	$c->write(substr $data, $at);
}

is(ids($c->recv_n(20)), join(' ', map { ($_) x 4 } 1 .. 5),
	'W18 split in two');

# one after the other on the same connection

$c->send($queries[4]);
is(ids($c->recv()), '5', 'W18 one more');

# more than the server queues

$c = dns_client(proto => 'tcp');
$c->send(map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 1000);
$c->half_close();
is(ids($c->recv_n(1000)), join(' ', 1 .. 1000), 'W18 thousand');

# half a message at the end

$c = dns_client(proto => 'tcp');
$c->write(dns_frame($queries[0]) . "\0\x20abc");
$c->half_close();
is(ids($c->recv_n(2)), '1', 'W18 half a message at the end');
is($c->closed(), 1, 'W18 closed after half a message');

# nothing at all

$c = dns_client(proto => 'tcp');
$c->half_close();
is($c->closed(), 1, 'W18 closed without a query');

###############################################################################
