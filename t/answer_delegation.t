#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for delegations: referrals with glue, and nothing answered from below a
# zone cut, case S06.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(16);

dns_run($t, zones => { 'z1.test' => zone_z1(<<'EOF') });
*.sub		TXT	"occluded"
c.sub		CNAME	www
d.sub		DNAME	www
under.sub	NS	ns.under.sub
ns.under.sub	A	192.0.2.61
sib		NS	ns.sub
sib		NS	ns.sib
ns.sib		AAAA	2001:db8::62
out		NS	ns.example.org.
auth		NS	www
sec		NS	ns.sec
ns.sec		A	192.0.2.63
sec		DS	12345 13 2 0000000000000000000000000000000000000000000000000000000000000001
EOF

my $soa = zone_soa('z1.test');

###############################################################################

# S06

for my $question ('ns.sub A', 'x.sub MX', 'sub A', 'sub NS', 'x.sub TXT',
	'c.sub A', 'c.sub CNAME', 'x.d.sub A', 'x.under.sub A', 'sub SOA')
{
	my ($name, $type) = split / /, $question;

	dns_is(dns_ask("$name.z1.test", $type), <<EOF, "S06 $question");
		NOERROR qr
		question	$name.z1.test. IN $type
		authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
		additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF
}

dns_is(dns_ask('x.sib.z1.test', 'A', edns => 1232), <<EOF, 'sibling glue');
	NOERROR qr
	question	x.sib.z1.test. IN A
	authority	sib.z1.test. 300 IN NS ns.sib.z1.test.
	authority	sib.z1.test. 300 IN NS ns.sub.z1.test.
	additional	ns.sib.z1.test. 300 IN AAAA 2001:db8::62
	additional	ns.sub.z1.test. 300 IN A 192.0.2.60
	edns 0 size 1232
EOF

dns_is(dns_ask('x.out.z1.test', 'A'), <<EOF, 'no glue');
	NOERROR qr
	question	x.out.z1.test. IN A
	authority	out.z1.test. 300 IN NS ns.example.org.
EOF

dns_is(dns_ask('auth.z1.test', 'A'), <<EOF, 'address that is our own');
	NOERROR qr
	question	auth.z1.test. IN A
	authority	auth.z1.test. 300 IN NS www.z1.test.
	additional	www.z1.test. 300 IN A 192.0.2.1
	additional	www.z1.test. 300 IN AAAA 2001:db8::1
EOF

# DS belongs to this side

dns_is(dns_ask('sec.z1.test', 'DS'), <<EOF, 'DS');
	NOERROR qr aa
	question	sec.z1.test. IN DS
	answer		sec.z1.test. 300 IN DS 12345 13 2 ${\ ('0' x 63)}1
EOF

dns_is(dns_ask('sub.z1.test', 'DS'), <<EOF, 'no DS');
	NOERROR qr aa
	question	sub.z1.test. IN DS
	authority	$soa
EOF

dns_is(dns_ask('x.sub.z1.test', 'DS'), <<EOF, 'DS below the cut');
	NOERROR qr
	question	x.sub.z1.test. IN DS
	authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
	additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF

###############################################################################
