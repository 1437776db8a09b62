#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for answers from the data of a name: positive, no data, no such name,
# empty non-terminals, over UDP and TCP, with and without EDNS.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(18);

dns_run($t, counters => 1, zones => { 'z1.test' => zone_z1(<<'EOF') });
two	A	192.0.2.11
two	A	192.0.2.10
two	60	TXT	"one" "two"
EOF

my $soa = zone_soa('z1.test');

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {

	dns_is(dns_ask('www.z1.test', 'A', over => $over), <<EOF, "A $over");
		NOERROR qr aa
		question	www.z1.test. IN A
		answer		www.z1.test. 300 IN A 192.0.2.1
EOF

	dns_is(dns_ask('nope.z1.test', 'A', over => $over),
		<<EOF, "no name $over");
		NXDOMAIN qr aa
		question	nope.z1.test. IN A
		authority	$soa
EOF

	dns_is(dns_ask('www.z1.test', 'AAAA', over => $over, edns => 4096,
		do => 1), <<EOF, "AAAA with EDNS $over");
		NOERROR qr aa
		question	www.z1.test. IN AAAA
		answer		www.z1.test. 300 IN AAAA 2001:db8::1
		edns 0 size 1232 do
EOF

}

dns_is(dns_ask('www.z1.test', 'MX', rd => 1), <<EOF, 'no data');
	NOERROR qr aa rd
	question	www.z1.test. IN MX
	authority	$soa
EOF

dns_is(dns_ask('www.z1.test', 'TYPE65280', edns => 512), <<EOF, 'unknown type');
	NOERROR qr aa
	question	www.z1.test. IN TYPE65280
	authority	$soa
	edns 0 size 1232
EOF

dns_is(dns_ask('two.z1.test', 'A'), <<'EOF', 'rrset of two');
	NOERROR qr aa
	question	two.z1.test. IN A
	answer		two.z1.test. 300 IN A 192.0.2.10
	answer		two.z1.test. 300 IN A 192.0.2.11
EOF

dns_is(dns_ask('two.z1.test', 'TXT'), <<'EOF', 'strings and TTL');
	NOERROR qr aa
	question	two.z1.test. IN TXT
	answer		two.z1.test. 60 IN TXT "one" "two"
EOF

# the apex

dns_is(dns_ask('z1.test', 'SOA'), <<EOF, 'SOA has its own TTL');
	NOERROR qr aa
	question	z1.test. IN SOA
	answer		${\ zone_soa('z1.test', 300) }
EOF

dns_is(dns_ask('z1.test', 'NS'), <<'EOF', 'NS');
	NOERROR qr aa
	question	z1.test. IN NS
	answer		z1.test. 300 IN NS ns1.z1.test.
	additional	ns1.z1.test. 300 IN A 192.0.2.53
EOF

dns_is(dns_ask('z1.test', 'A'), <<EOF, 'no data at the apex');
	NOERROR qr aa
	question	z1.test. IN A
	authority	$soa
EOF

# names that exist because of names below them

for my $name (qw/ ent.z1.test b.ent.z1.test wild.z1.test /) {
	dns_is(dns_ask($name, 'A'), <<EOF, "empty non-terminal $name");
		NOERROR qr aa
		question	$name. IN A
		authority	$soa
EOF
}

dns_is(dns_ask('c.b.ent.z1.test', 'A'), <<EOF, 'below an empty non-terminal');
	NXDOMAIN qr aa
	question	c.b.ent.z1.test. IN A
	authority	$soa
EOF

is(dns_moved($before), 'rcode_noerror=14 rcode_nxdomain=3 '
	. 'received_tcp=3 received_udp=14 tcp_accepted=3', 'counters');

###############################################################################
