#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for unknown EDNS options and flags: ignored and never echoed, case W02.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(12);

dns_run($t, zones => { 'z1.test' => zone_z1() });

my $answer = <<EOF;
	NOERROR qr aa
	question	z1.test. IN SOA
	answer		${\ zone_soa('z1.test', 300) }
EOF

###############################################################################

for my $over (qw/ udp tcp /) {

	dns_is(dns_ask('z1.test', 'SOA', over => $over), $answer,
		"W02 no OPT $over");

	dns_is(dns_ask('z1.test', 'SOA', over => $over,
		options => [ [ 100, "\xde\xad" ] ]),
		"$answer edns 0 size 1232\n", "W02 unknown option $over");

	dns_is(dns_ask('z1.test', 'SOA', over => $over, opt_flags => 0x0080),
		"$answer edns 0 size 1232\n", "W02 unknown flag $over");

	dns_is(dns_ask('z1.test', 'SOA', over => $over, opt_flags => 0xffff),
		"$answer edns 0 size 1232 do\n", "W02 all flags $over");

	dns_is(dns_ask('z1.test', 'SOA', over => $over, options => [
		[ 65001, 'x' x 300 ], [ 100, '' ], [ 100, '' ], [ 0, 'y' ],
		[ 65535, 'z' ] ]),
		"$answer edns 0 size 1232\n", "W02 several options $over");
}

# a client cookie from a server without cookies, and one that is broken

dns_is(dns_ask('z1.test', 'SOA', options => [ [ 10, '12345678' ] ]),
	"$answer edns 0 size 1232\n", 'W02 cookie');

dns_is(dns_ask('z1.test', 'SOA', nsid => 1),
	"$answer edns 0 size 1232\n", 'W02 NSID that is not set');

###############################################################################
