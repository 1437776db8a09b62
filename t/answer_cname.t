#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for CNAME: the chain is followed inside the zone and its end decides the
# rcode (RFC 6604).

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

dns_run($t, zones => {
	'z1.test' => zone_z1(<<'EOF'),
c1	CNAME	c2
c2	60 CNAME	c3
c3	CNAME	www
away	CNAME	www.example.org.
other	CNAME	www.z2.test.
cut	CNAME	x.sub
wildc	CNAME	x.wild
entc	CNAME	ent
loop1	CNAME	loop2
loop2	CNAME	loop1
self	CNAME	self
EOF
	'z2.test' => zone_text('z2.test', "www\tA\t192.0.2.99\n"),
});

my $soa = zone_soa('z1.test');

###############################################################################

dns_is(dns_ask('alias.z1.test', 'A'), <<EOF, 'CNAME');
	NOERROR qr aa
	question	alias.z1.test. IN A
	answer		alias.z1.test. 300 IN CNAME www.z1.test.
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

dns_is(dns_ask('alias.z1.test', 'CNAME'), <<EOF, 'CNAME asked for');
	NOERROR qr aa
	question	alias.z1.test. IN CNAME
	answer		alias.z1.test. 300 IN CNAME www.z1.test.
EOF

dns_is(dns_ask('alias.z1.test', 'TXT'), <<EOF, 'CNAME to no data');
	NOERROR qr aa
	question	alias.z1.test. IN TXT
	answer		alias.z1.test. 300 IN CNAME www.z1.test.
	authority	$soa
EOF

dns_is(dns_ask('c1.z1.test', 'AAAA'), <<EOF, 'chain');
	NOERROR qr aa
	question	c1.z1.test. IN AAAA
	answer		c1.z1.test. 300 IN CNAME c2.z1.test.
	answer		c2.z1.test. 60 IN CNAME c3.z1.test.
	answer		c3.z1.test. 300 IN CNAME www.z1.test.
	answer		www.z1.test. 300 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('entc.z1.test', 'A'), <<EOF, 'to an empty non-terminal');
	NOERROR qr aa
	question	entc.z1.test. IN A
	answer		entc.z1.test. 300 IN CNAME ent.z1.test.
	authority	$soa
EOF

dns_is(dns_ask('wildc.z1.test', 'TXT'), <<EOF, 'to a wildcard');
	NOERROR qr aa
	question	wildc.z1.test. IN TXT
	answer		wildc.z1.test. 300 IN CNAME x.wild.z1.test.
	answer		x.wild.z1.test. 300 IN TXT "w"
EOF

dns_is(dns_ask('cut.z1.test', 'A'), <<EOF, 'to a delegation');
	NOERROR qr aa
	question	cut.z1.test. IN A
	answer		cut.z1.test. 300 IN CNAME x.sub.z1.test.
	authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
	additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF

# S04

dns_is(dns_ask('dangling.z1.test', 'A'), <<EOF, 'S04 no name');
	NXDOMAIN qr aa
	question	dangling.z1.test. IN A
	answer		dangling.z1.test. 300 IN CNAME nope.z1.test.
	authority	$soa
EOF

dns_is(dns_ask('away.z1.test', 'A'), <<EOF, 'S04 out of the zone');
	NOERROR qr aa
	question	away.z1.test. IN A
	answer		away.z1.test. 300 IN CNAME www.example.org.
EOF

dns_is(dns_ask('other.z1.test', 'A'), <<EOF, 'S04 another zone of ours');
	NOERROR qr aa
	question	other.z1.test. IN A
	answer		other.z1.test. 300 IN CNAME www.z2.test.
EOF

# loops: what was found, each link once

dns_is(dns_ask('loop1.z1.test', 'A'), <<EOF, 'loop');
	NOERROR qr aa
	question	loop1.z1.test. IN A
	answer		loop1.z1.test. 300 IN CNAME loop2.z1.test.
	answer		loop2.z1.test. 300 IN CNAME loop1.z1.test.
EOF

dns_is(dns_ask('self.z1.test', 'A'), <<EOF, 'loop of one');
	NOERROR qr aa
	question	self.z1.test. IN A
	answer		self.z1.test. 300 IN CNAME self.z1.test.
EOF

###############################################################################
