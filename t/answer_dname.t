#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for DNAME (RFC 6672), case S08.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(13);

# a target of 245 octets, 9 of which are the zone's name

my $long = join '.', 'a' x 63, 'b' x 63, 'c' x 63, 'd' x 43;

dns_run($t, zones => { 'z1.test' => zone_z1(<<EOF) });
d	100 DNAME	target
d	TXT	"d"
x.target	A	192.0.2.40
al.target	CNAME	x.target
away	DNAME	example.org.
long	DNAME	$long
c	CNAME	x.d
loop	DNAME	a.loop2
loop2	DNAME	loop
EOF

my $soa = zone_soa('z1.test');
my $target = "$long.z1.test.";

###############################################################################

is(length dns_name($target), 245, 'length of the target');

dns_is(dns_ask('x.d.z1.test', 'A'), <<EOF, 'S08 A');
	NOERROR qr aa
	question	x.d.z1.test. IN A
	answer		d.z1.test. 100 IN DNAME target.z1.test.
	answer		x.d.z1.test. 100 IN CNAME x.target.z1.test.
	answer		x.target.z1.test. 300 IN A 192.0.2.40
EOF

dns_is(dns_ask('x.d.z1.test', 'CNAME'), <<EOF, 'S08 CNAME');
	NOERROR qr aa
	question	x.d.z1.test. IN CNAME
	answer		d.z1.test. 100 IN DNAME target.z1.test.
	answer		x.d.z1.test. 100 IN CNAME x.target.z1.test.
EOF

dns_is(dns_ask('nope.d.z1.test', 'A'), <<EOF, 'S08 no name');
	NXDOMAIN qr aa
	question	nope.d.z1.test. IN A
	answer		d.z1.test. 100 IN DNAME target.z1.test.
	answer		nope.d.z1.test. 100 IN CNAME nope.target.z1.test.
	authority	$soa
EOF

dns_is(dns_ask('al.d.z1.test', 'A'), <<EOF, 'S08 to a CNAME');
	NOERROR qr aa
	question	al.d.z1.test. IN A
	answer		d.z1.test. 100 IN DNAME target.z1.test.
	answer		al.d.z1.test. 100 IN CNAME al.target.z1.test.
	answer		al.target.z1.test. 300 IN CNAME x.target.z1.test.
	answer		x.target.z1.test. 300 IN A 192.0.2.40
EOF

dns_is(dns_ask('c.z1.test', 'A'), <<EOF, 'S08 from a CNAME');
	NOERROR qr aa
	question	c.z1.test. IN A
	answer		c.z1.test. 300 IN CNAME x.d.z1.test.
	answer		d.z1.test. 100 IN DNAME target.z1.test.
	answer		x.d.z1.test. 100 IN CNAME x.target.z1.test.
	answer		x.target.z1.test. 300 IN A 192.0.2.40
EOF

dns_is(dns_ask('a.b.away.z1.test', 'A'), <<EOF, 'S08 out of the zone');
	NOERROR qr aa
	question	a.b.away.z1.test. IN A
	answer		away.z1.test. 300 IN DNAME example.org.
	answer		a.b.away.z1.test. 300 IN CNAME a.b.example.org.
EOF

# the owner itself is not redirected

dns_is(dns_ask('d.z1.test', 'TXT'), <<EOF, 'S08 owner');
	NOERROR qr aa
	question	d.z1.test. IN TXT
	answer		d.z1.test. 300 IN TXT "d"
EOF

dns_is(dns_ask('d.z1.test', 'DNAME'), <<EOF, 'S08 DNAME');
	NOERROR qr aa
	question	d.z1.test. IN DNAME
	answer		d.z1.test. 100 IN DNAME target.z1.test.
EOF

dns_is(dns_ask('d.z1.test', 'A'), <<EOF, 'S08 owner, no data');
	NOERROR qr aa
	question	d.z1.test. IN A
	authority	$soa
EOF

# the longest that fits, and one octet more

my $fits = 'x' x 9;

dns_is(dns_ask("$fits.long.z1.test", 'A', over => 'tcp'),
	<<EOF, 'S08 name of 255 octets');
	NXDOMAIN qr aa
	question	$fits.long.z1.test. IN A
	answer		long.z1.test. 300 IN DNAME $target
	answer		$fits.long.z1.test. 300 IN CNAME $fits.$target
	authority	$soa
EOF

dns_is(dns_ask("x$fits.long.z1.test", 'A', over => 'tcp'),
	<<EOF, 'S08 name of 256 octets');
	YXDOMAIN qr aa
	question	x$fits.long.z1.test. IN A
	answer		long.z1.test. 300 IN DNAME $target
EOF

# a loop that grows ends at the limit of names or of the chain

my $reply = dns_parse(dns_ask('x.loop.z1.test', 'A', over => 'tcp'));

like("$reply->{rcode} $reply->{aa}", qr/^(?:NOERROR|YXDOMAIN) 1$/,
	'S08 loop');

###############################################################################
