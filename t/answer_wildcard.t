#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for wildcards: at which names they stand in, at any depth, and what
# keeps them away (RFC 4592).

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

dns_run($t, zones => { 'z1.test' => zone_z1(<<'EOF') });
*.deep		A	192.0.2.20
*.x.deep	MX	10 mail.w
*.mail		CNAME	www
*.dead		CNAME	nope
sub.*.star	A	192.0.2.21
ent.a.wild2	A	192.0.2.22
*.wild2		A	192.0.2.23
EOF

my $soa = zone_soa('z1.test');

###############################################################################

for my $name (qw/ x.wild.z1.test a.b.wild.z1.test *.wild.z1.test /) {
	dns_is(dns_ask($name, 'TXT'), <<EOF, "wildcard $name");
		NOERROR qr aa
		question	$name. IN TXT
		answer		$name. 300 IN TXT "w"
EOF
}

dns_is(dns_ask('x.wild.z1.test', 'A'), <<EOF, 'no data');
	NOERROR qr aa
	question	x.wild.z1.test. IN A
	authority	$soa
EOF

dns_is(dns_ask('host.wild.z1.test', 'TXT'), <<EOF, 'the name exists');
	NOERROR qr aa
	question	host.wild.z1.test. IN TXT
	authority	$soa
EOF

dns_is(dns_ask('x.host.wild.z1.test', 'TXT'), <<EOF, 'below a name');
	NXDOMAIN qr aa
	question	x.host.wild.z1.test. IN TXT
	authority	$soa
EOF

dns_is(dns_ask('x.*.wild.z1.test', 'TXT'), <<EOF, 'below the wildcard itself');
	NXDOMAIN qr aa
	question	x.*.wild.z1.test. IN TXT
	authority	$soa
EOF

dns_is(dns_ask('y.x.deep.z1.test', 'MX'), <<EOF, 'the closest wildcard');
	NOERROR qr aa
	question	y.x.deep.z1.test. IN MX
	answer		y.x.deep.z1.test. 300 IN MX 10 mail.w.z1.test.
EOF

dns_is(dns_ask('y.x.deep.z1.test', 'A'), <<EOF, 'not the one above it');
	NOERROR qr aa
	question	y.x.deep.z1.test. IN A
	authority	$soa
EOF

dns_is(dns_ask('x.deep.z1.test', 'A'), <<EOF, 'empty name beside a wildcard');
	NOERROR qr aa
	question	x.deep.z1.test. IN A
	authority	$soa
EOF

dns_is(dns_ask('x.mail.z1.test', 'A'), <<EOF, 'CNAME');
	NOERROR qr aa
	question	x.mail.z1.test. IN A
	answer		x.mail.z1.test. 300 IN CNAME www.z1.test.
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

dns_is(dns_ask('x.dead.z1.test', 'A'), <<EOF, 'CNAME to no name');
	NXDOMAIN qr aa
	question	x.dead.z1.test. IN A
	answer		x.dead.z1.test. 300 IN CNAME nope.z1.test.
	authority	$soa
EOF

# an asterisk that is not the first label is a label like others, but the
# wildcard above it exists because of it

dns_is(dns_ask('sub.*.star.z1.test', 'A'), <<EOF, 'asterisk inside');
	NOERROR qr aa
	question	sub.*.star.z1.test. IN A
	answer		sub.*.star.z1.test. 300 IN A 192.0.2.21
EOF

dns_is(dns_ask('any.star.z1.test', 'A'), <<EOF, 'empty wildcard');
	NOERROR qr aa
	question	any.star.z1.test. IN A
	authority	$soa
EOF

dns_is(dns_ask('b.a.wild2.z1.test', 'A'), <<EOF, 'empty name keeps it away');
	NXDOMAIN qr aa
	question	b.a.wild2.z1.test. IN A
	authority	$soa
EOF

###############################################################################
