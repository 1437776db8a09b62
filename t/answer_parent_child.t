#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a parent and a child zone on one server, case S07.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(15);

my $ds = '12345 13 2 ' . '0' x 63 . '1';

dns_run($t, zones => {
	'p.test' => zone_text('p.test', <<EOF),
www	A	192.0.2.1
c	NS	ns1.c
ns1.c	A	192.0.2.54
c	DS	$ds
www.c	A	192.0.2.100
u	NS	ns1.u
ns1.u	A	192.0.2.55
EOF
	'c.p.test' => zone_text('c.p.test', <<EOF),
www	A	192.0.2.2
g	NS	ns.g
ns.g	A	192.0.2.56
g	DS	$ds
h	NS	ns.g
EOF
	'u.p.test' => zone_text('u.p.test', "www\tA\t192.0.2.3\n"),

	# not delegated

	'n.p.test' => zone_text('n.p.test', "www\tA\t192.0.2.4\n"),
});

my $parent = zone_soa('p.test');
my $child = zone_soa('c.p.test');

###############################################################################

# DS from above the cut

dns_is(dns_ask('c.p.test', 'DS'), <<EOF, 'S07 DS');
	NOERROR qr aa
	question	c.p.test. IN DS
	answer		c.p.test. 300 IN DS $ds
EOF

dns_is(dns_ask('u.p.test', 'DS'), <<EOF, 'S07 no DS');
	NOERROR qr aa
	question	u.p.test. IN DS
	authority	$parent
EOF

dns_is(dns_ask('g.c.p.test', 'DS'), <<EOF, 'S07 DS of a zone elsewhere');
	NOERROR qr aa
	question	g.c.p.test. IN DS
	answer		g.c.p.test. 300 IN DS $ds
EOF

dns_is(dns_ask('h.c.p.test', 'DS'), <<EOF, 'S07 no DS of a zone elsewhere');
	NOERROR qr aa
	question	h.c.p.test. IN DS
	authority	$child
EOF

dns_is(dns_ask('p.test', 'DS'), <<EOF, 'S07 DS without a parent here');
	NOERROR qr aa
	question	p.test. IN DS
	authority	$parent
EOF

dns_is(dns_ask('www.c.p.test', 'DS'), <<EOF, 'S07 DS inside the child');
	NOERROR qr aa
	question	www.c.p.test. IN DS
	authority	$child
EOF

# all else from the deepest zone

dns_is(dns_ask('www.c.p.test', 'A'), <<EOF, 'S07 child');
	NOERROR qr aa
	question	www.c.p.test. IN A
	answer		www.c.p.test. 300 IN A 192.0.2.2
EOF

dns_is(dns_ask('nope.c.p.test', 'A'), <<EOF, 'S07 no name in the child');
	NXDOMAIN qr aa
	question	nope.c.p.test. IN A
	authority	$child
EOF

dns_is(dns_ask('c.p.test', 'SOA'), <<EOF, 'S07 SOA of the child');
	NOERROR qr aa
	question	c.p.test. IN SOA
	answer		${\ zone_soa('c.p.test', 300) }
EOF

dns_is(dns_ask('c.p.test', 'NS'), <<EOF, 'S07 NS of the child');
	NOERROR qr aa
	question	c.p.test. IN NS
	answer		c.p.test. 300 IN NS ns1.c.p.test.
	additional	ns1.c.p.test. 300 IN A 192.0.2.53
EOF

dns_is(dns_ask('x.g.c.p.test', 'A'), <<EOF, 'S07 referral from the child');
	NOERROR qr
	question	x.g.c.p.test. IN A
	authority	g.c.p.test. 300 IN NS ns.g.c.p.test.
	additional	ns.g.c.p.test. 300 IN A 192.0.2.56
EOF

dns_is(dns_ask('www.p.test', 'A'), <<EOF, 'S07 parent');
	NOERROR qr aa
	question	www.p.test. IN A
	answer		www.p.test. 300 IN A 192.0.2.1
EOF

# the same without a delegation in the parent

dns_is(dns_ask('www.n.p.test', 'A'), <<EOF, 'S07 child not delegated');
	NOERROR qr aa
	question	www.n.p.test. IN A
	answer		www.n.p.test. 300 IN A 192.0.2.4
EOF

dns_is(dns_ask('n.p.test', 'SOA'), <<EOF, 'S07 SOA, not delegated');
	NOERROR qr aa
	question	n.p.test. IN SOA
	answer		${\ zone_soa('n.p.test', 300) }
EOF

# the parent answers for DS, but does not deny a name that exists

dns_is(dns_ask('n.p.test', 'DS'), <<EOF, 'S07 DS, not delegated');
	NOERROR qr aa
	question	n.p.test. IN DS
	authority	${\ zone_soa('p.test') }
EOF

###############################################################################
