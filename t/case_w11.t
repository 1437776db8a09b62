#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for messages with QR=1: no reply at all, case W11.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(11);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1);

my $answer = dns_query('www.z1.test', 'A', qr => 1);

my @messages = (
	[ 'an answer', $answer ],
	[ 'an answer with AA',
		dns_query('www.z1.test', 'A', qr => 1, aa => 1) ],
	[ 'garbage after the header', substr($answer, 0, 12) . "\xff" x 50 ],
	[ 'nothing after the header', substr($answer, 0, 12) ],
	[ 'another opcode', dns_query('z1.test', 'SOA', qr => 1, opcode => 4) ],
	[ 'version 1', dns_query('z1.test', 'SOA', qr => 1, version => 1) ],
	[ 'a header cut short', substr($answer, 0, 11) ],
	[ 'an empty datagram', '' ],
);

my $before = dns_counters();

###############################################################################

# all of them and then a good query on the same socket: its reply must be the
# only one

my $c = dns_client();

for my $case (@messages) {
	my ($name, $message) = @$case;

	$c->send($message);
	$c->send(dns_query('www.z1.test', 'A', id => 1));

	dns_is($c->recv(), <<EOF, "W11 $name");
		NOERROR qr aa
		question	www.z1.test. IN A
		answer		www.z1.test. 300 IN A 192.0.2.1
EOF
}

is($c->recv(timeout => 1), undef, 'W11 nothing more');

is(dns_moved($before), 'drop_response=6 drop_short=2 rcode_noerror=8 '
	. 'received_udp=16', 'W11 counters');

# the same from the port of a server

SKIP: {
	skip 'no right to use port 53', 1 if $>;

	$c = eval { dns_client(from => '127.0.0.3', from_port => 53) };

	skip 'port 53 is in use', 1 unless $c;

	$c->send($answer);
	is($c->recv(timeout => 1), undef, 'W11 from port 53');
}

###############################################################################
