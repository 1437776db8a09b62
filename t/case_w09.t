#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for reserved label types: FORMERR, case W09.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(9);

dns_run($t, zones => { 'z1.test' => zone_z1() });

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $name ("\x41a", "\x81a", "\3www\x41" . 'a' x 65,
		"\3www\x80" . 'a' x 128)
	{
		my $query = dns_query(undef, 'A', qname => "$name\0");

		dns_is(dns_send($query, proto => $over), "FORMERR qr\n",
			'W09 ' . unpack('H8', $name) . " $over");
	}
}

dns_is(dns_ask('www.z1.test', 'A'), <<EOF, 'W09 good query');
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

###############################################################################
