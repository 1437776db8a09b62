#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for header flags: Z, RA and AD are clear in replies, RD and CD are
# copied, case W14.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(23);

dns_run($t, zones => { 'z1.test' => zone_z1() });

my %expected = (
	'none' => 'qr aa',
	'z' => 'qr aa',
	'ad' => 'qr aa',
	'cd' => 'qr aa cd',
	'ra' => 'qr aa',
	'rd' => 'qr aa rd',
	'aa' => 'qr aa',
	'tc' => 'qr aa',
	'z ad cd' => 'qr aa cd',
	'rd ra z ad cd aa' => 'qr aa rd cd',
);

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $flags (sort keys %expected) {
		my %flags = map { $_ => 1 } grep { $_ ne 'none' }
			split / /, $flags;

		dns_is(dns_ask('z1.test', 'SOA', over => $over, %flags), <<EOF,
			NOERROR $expected{$flags}
			question	z1.test. IN SOA
			answer		${\ zone_soa('z1.test', 300) }
EOF
			"W14 $flags $over");
	}
}

# in errors too

dns_is(dns_ask('www.example.org', 'A', z => 1, ad => 1, cd => 1, rd => 1),
	<<EOF, 'W14 REFUSED');
	REFUSED qr rd cd
	question	www.example.org. IN A
EOF

dns_is(dns_ask('sub.z1.test', 'A', z => 1, ad => 1, cd => 1, rd => 1), <<EOF,
	NOERROR qr rd cd
	question	sub.z1.test. IN A
	authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
	additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF
	'W14 referral');

# an rcode in a query means nothing

dns_is(dns_ask('z1.test', 'SOA', flags => 0x000f), <<EOF, 'W14 rcode');
	NOERROR qr aa
	question	z1.test. IN SOA
	answer		${\ zone_soa('z1.test', 300) }
EOF

###############################################################################
