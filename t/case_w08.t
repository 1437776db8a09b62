#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for compression pointers in the question: FORMERR in bounded time,
# case W08.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(14);

my $count = 10_000;

dns_run($t, zones => { 'z1.test' => zone_z1() },
	stream => 'error_log %%TESTDIR%%/error.log info;');

my @names = (
	[ 'to itself', "\xc0\x0c" ],
	[ 'to itself, other bits', "\xff\x0c" ],
	[ 'cycle of two', "\xc0\x0e\xc0\x0c" ],
	[ 'forward', "\3www\xc0\x16" ],
	[ 'out of range', "\3www\xff\xff" ],
	[ 'into the header', "\3www\xc0\0" ],
);

my $good = dns_query('www.z1.test', 'A', id => 1);

###############################################################################

for my $case (@names) {
	my ($name, $octets) = @$case;

	bounded("W08 pointer $name",
		dns_query(undef, 'A', qname => $octets));
}

# the second octet of the pointer is not there

bounded('W08 half a pointer', pack('n6', 0x1234, 0, 1, 0, 0, 0) . "\3www\xc0");


# Sends a query many times, then a good one, which must be answered.

sub bounded {
	my ($name, $query) = @_;

	my $c = dns_client(rcvbuf => 1_000_000);
	my %replies;

	my $start = time();

	for (1 .. $count / 100) {
		$c->send(($query) x 100);
		$replies{dns_text($_)}++ for $c->recv_n(100, timeout => 3);
	}

	is_deeply(\%replies, { "FORMERR qr\n" => $count }, $name);

	note(sprintf '%.1f us for each', (time() - $start) / $count * 1e6);

	$c->send($good);
	dns_is($c->recv(), <<EOF, "$name, good query");
		NOERROR qr aa
		question	www.z1.test. IN A
		answer		www.z1.test. 300 IN A 192.0.2.1
EOF
}

###############################################################################
