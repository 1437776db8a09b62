#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the case of names: kept in the question, ignored in the lookup,
# case W15.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(22);

# names in the zone are in mixed case too

dns_run($t, zones => { 'Z1.tEst' => zone_z1(<<'EOF') });
MiXed	A	192.0.2.50
\[\]	A	192.0.2.51
EOF

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $name (qw/ wWw.Z1.tEsT WWW.Z1.TEST www.z1.test wwW.z1.tesT /) {
		my $query = dns_query($name, 'A');
		my $reply = dns_send($query, proto => $over);

		dns_is($reply, <<EOF, "W15 $name $over");
			NOERROR qr aa
			question	$name. IN A
			answer		www.z1.test. 300 IN A 192.0.2.1
EOF

		is(unpack('H*', dns_parse($reply)->{question_raw}),
			unpack('H*', substr $query, 12),
			"W15 $name $over, octets of the question");
	}
}

dns_is(dns_ask('mIxEd.Z1.test', 'A'), <<EOF, 'W15 mixed case in the zone');
	NOERROR qr aa
	question	mIxEd.Z1.test. IN A
	answer		mixed.z1.test. 300 IN A 192.0.2.50
EOF

dns_is(dns_ask('X.WILD.Z1.TEST', 'TXT'), <<EOF, 'W15 wildcard');
	NOERROR qr aa
	question	X.WILD.Z1.TEST. IN TXT
	answer		x.wild.z1.test. 300 IN TXT "w"
EOF

dns_is(dns_ask('X.SUB.Z1.TEST', 'A'), <<EOF, 'W15 referral');
	NOERROR qr
	question	X.SUB.Z1.TEST. IN A
	authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
	additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF

dns_is(dns_ask('NOPE.Z1.TEST', 'A'), <<EOF, 'W15 no name');
	NXDOMAIN qr aa
	question	NOPE.Z1.TEST. IN A
	authority	${\ zone_soa('z1.test') }
EOF

# only letters have case: [ and { differ in the same bit

dns_is(dns_ask('[].z1.test', 'A'), <<EOF, 'W15 brackets');
	NOERROR qr aa
	question	[].z1.test. IN A
	answer		[].z1.test. 300 IN A 192.0.2.51
EOF

dns_is(dns_ask('{}.z1.test', 'A'), <<EOF, 'W15 braces');
	NXDOMAIN qr aa
	question	{}.z1.test. IN A
	authority	${\ zone_soa('z1.test') }
EOF

###############################################################################
