#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for additional data: addresses of the targets of NS, MX, SRV, SVCB and
# HTTPS inside the zone.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(8);

dns_run($t, zones => { 'z1.test' => zone_z1(<<'EOF') });
mx	MX	10 www
mx	MX	20 ns1
mx	MX	30 mail.example.org.
mx	MX	40 nope
_s._tcp	SRV	1 2 53 www
root	MX	0 .
svc	SVCB	1 www
web	HTTPS	1 . alpn=h2
web	A	192.0.2.30
web	AAAA	2001:db8::30
mxwild	MX	10 x.aw
*.aw	A	192.0.2.31
mxglue	MX	10 ns.sub
EOF

###############################################################################

dns_is(dns_ask('mx.z1.test', 'MX'), <<EOF, 'MX');
	NOERROR qr aa
	question	mx.z1.test. IN MX
	answer		mx.z1.test. 300 IN MX 10 www.z1.test.
	answer		mx.z1.test. 300 IN MX 20 ns1.z1.test.
	answer		mx.z1.test. 300 IN MX 30 mail.example.org.
	answer		mx.z1.test. 300 IN MX 40 nope.z1.test.
	additional	ns1.z1.test. 300 IN A 192.0.2.53
	additional	www.z1.test. 300 IN A 192.0.2.1
	additional	www.z1.test. 300 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('_s._tcp.z1.test', 'SRV'), <<EOF, 'SRV');
	NOERROR qr aa
	question	_s._tcp.z1.test. IN SRV
	answer		_s._tcp.z1.test. 300 IN SRV 1 2 53 www.z1.test.
	additional	www.z1.test. 300 IN A 192.0.2.1
	additional	www.z1.test. 300 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('root.z1.test', 'MX'), <<EOF, 'MX to the root');
	NOERROR qr aa
	question	root.z1.test. IN MX
	answer		root.z1.test. 300 IN MX 0 .
EOF

dns_is(dns_ask('svc.z1.test', 'SVCB'), <<EOF, 'SVCB');
	NOERROR qr aa
	question	svc.z1.test. IN SVCB
	answer		svc.z1.test. 300 IN SVCB 1 www.z1.test.
	additional	www.z1.test. 300 IN A 192.0.2.1
	additional	www.z1.test. 300 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('web.z1.test', 'HTTPS'), <<EOF, 'HTTPS of its own name');
	NOERROR qr aa
	question	web.z1.test. IN HTTPS
	answer		web.z1.test. 300 IN HTTPS 1 . 1=026832
	additional	web.z1.test. 300 IN A 192.0.2.30
	additional	web.z1.test. 300 IN AAAA 2001:db8::30
EOF

# nothing is made up, and glue is not an answer

dns_is(dns_ask('mxwild.z1.test', 'MX'), <<EOF, 'target under a wildcard');
	NOERROR qr aa
	question	mxwild.z1.test. IN MX
	answer		mxwild.z1.test. 300 IN MX 10 x.aw.z1.test.
EOF

my $reply = dns_parse(dns_ask('mxglue.z1.test', 'MX'));

is($reply->{answer}[0]{rdata}, '10 ns.sub.z1.test.', 'target below a cut');
is(scalar @{ $reply->{authority} }, 0, 'no referral beside an answer');

###############################################################################
