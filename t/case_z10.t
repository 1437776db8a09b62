#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the parameters of SVCB and HTTPS: commas and backslashes in lists,
# the order of keys on the wire, keys that are missing or come twice, case Z10
# (RFC 9460).

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Zone;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(23);

dns_run($t, zones => { 'z1.test' => zone_text('z1.test', <<'EOZ') });
h	HTTPS 1 . port=8443 alpn="h2,f\\,oo" ipv4hint=192.0.2.1
i	HTTPS 1 . alpn="f\\\\oo\\,bar,h2"
j	HTTPS 1 . alpn=f\\\092oo\092,bar,h2
k	HTTPS 1 . mandatory=ipv4hint,alpn ipv4hint=192.0.2.1,192.0.2.2 alpn=h2
l	HTTPS 1 Svc ipv6hint=2001:db8::1,::ffff:192.0.2.1 ech=AAEC
m	HTTPS 1 foo.example.com. key667=hello
n	HTTPS 1 foo.example.com. key667="hello\210qoo"
o	HTTPS 1 . key667
p	HTTPS 1 . key667=""
q	HTTPS 16 foo.example.org. ( mandatory=ipv4hint,alpn alpn="h2,h3-19"
	ipv4hint=192.0.2.1 )
r	HTTPS 0 svc
s	HTTPS 0 .
t	SVCB 1 svc. dohpath=/{?dns} ohttp no-default-alpn alpn=dot
u	HTTPS 1 . key65534=x key1=\002h2 key3=\031\144
v	HTTPS 1 . alpn="h2\,h3"
w	SVCB 1 . ( port=53 ; comment
	alpn="a;b" )
x	HTTPS 2 . port=2
	HTTPS 1 . port=1
	HTTPS 1 . key3=\000\001
y	HTTPS \# 13 0001 00 0001 0006 026832 026833
EOZ

###############################################################################

is_https('h', '1 . 1=02683204662c6f6f 3=20fb 4=c0000201', 'Z10 comma');
is_https('i', '1 . 1=08665c6f6f2c626172026832', 'Z10 backslash and comma');
is_https('j', '1 . 1=08665c6f6f2c626172026832', 'Z10 the same by numbers');
is_https('k', '1 . 0=00010004 1=026832 4=c0000201c0000202',
	'Z10 mandatory is sorted');
is_https('l', '1 svc.z1.test. 5=000102 6=20010db8000000000000000000000001'
	. '00000000000000000000ffffc0000201', 'Z10 ech and ipv6hint');
is_https('m', '1 foo.example.com. 667=68656c6c6f', 'Z10 key by number');
is_https('n', '1 foo.example.com. 667=68656c6c6fd2716f6f',
	'Z10 key by number, any octets');
is_https('o', '1 . 667=', 'Z10 key by number without a value');
is_https('p', '1 . 667=', 'Z10 key by number, empty value');
is_https('q', '16 foo.example.org. 0=00010004 1=0268320568332d3139 4=c0000201',
	'Z10 all of it');
is_https('r', '0 svc.z1.test.', 'Z10 alias');
is_https('s', '0 .', 'Z10 alias to nothing');
is_https('u', '1 . 1=026832 3=1f90 65534=78', 'Z10 known keys by number');
is_https('v', '1 . 1=026832026833', 'Z10 comma with one backslash');
is_https('x', '1 . 3=0001', '2 . 3=0002', 'Z10 rrset, one record twice');
is_https('y', '1 . 1=026832026833', 'Z10 generic form');

dns_is(dns_ask('t.z1.test', 'SVCB'), <<'EOF', 'Z10 SVCB');
	NOERROR qr aa
	question	t.z1.test. IN SVCB
	answer t.z1.test. 300 IN SVCB 1 svc. 1=03646f74 2= 7=2f7b3f646e737d 8=
EOF

dns_is(dns_ask('w.z1.test', 'SVCB'), <<'EOF', 'Z10 SVCB in parentheses');
	NOERROR qr aa
	question	w.z1.test. IN SVCB
	answer		w.z1.test. 300 IN SVCB 1 . 1=03613b62 3=0035
EOF

# the octets themselves

like(dns_ask('h.z1.test', 'HTTPS'), qr/\x00\x1d\x00\x01\x00
	\x00\x01\x00\x08\x02h2\x04f,oo
	\x00\x03\x00\x02\x20\xfb
	\x00\x04\x00\x04\xc0\x00\x02\x01\z/x, 'Z10 octets');

# keys

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z10 keys');
a	HTTPS 1 . mandatory=alpn
b	HTTPS 1 . port=1 port=1
c	HTTPS 1 . port=1 key3=\000\002
d	HTTPS 0 target. alpn=h2
e	HTTPS 1 . mandatory=port,port port=1
f	HTTPS 1 . mandatory=mandatory
g	HTTPS 1 . no-default-alpn
h	HTTPS 1 . mandatory=key667 key668=x
i	HTTPS 1 . mandatory=foo
EOZ
	refused
	emerg 6: a mandatory parameter is missing
	emerg 7: "port=1" has a key that came before
	emerg 8: "key3=\000\002" has a key that came before
	emerg 9: an alias (priority 0) has no parameters
	emerg 10: mandatory names itself, or a key twice
	emerg 11: mandatory names itself, or a key twice
	emerg 12: no-default-alpn wants alpn
	emerg 13: a mandatory parameter is missing
	emerg 14: "foo" is not a list of keys
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z10 names of keys');
a	HTTPS 1 . key65535=x
b	HTTPS 1 . key65536=x
c	HTTPS 1 . key03=\000\053
d	HTTPS 1 . Port=53
e	HTTPS 1 . foo=1
f	HTTPS 1 . =1
g	HTTPS 1 . "port=53"
EOZ
	refused
	emerg 6: "key65535=x" is not a parameter that is known, nor like
		key123=value
	emerg 7: "key65536=x" is not a parameter that is known, nor like
		key123=value
	emerg 8: "key03=\000\053" is not a parameter that is known, nor like
		key123=value
	emerg 9: "Port=53" is not a parameter that is known, nor like
		key123=value
	emerg 10: "foo=1" is not a parameter that is known, nor like
		key123=value
	emerg 11: "=1" is not a parameter that is known, nor like key123=value
	emerg 12: quotes around the parameter
EOF

# values

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z10 lists');
a	HTTPS 1 . alpn=
b	HTTPS 1 . alpn="h2,,h3"
c	HTTPS 1 . alpn="h2,"
d	HTTPS 1 . ipv4hint=
e	HTTPS 1 . ipv4hint=192.0.2.1,
f	HTTPS 1 . ipv4hint=192.0.2.256
g	HTTPS 1 . ipv6hint=192.0.2.1
h	HTTPS 1 . mandatory
i	HTTPS 1 . key1=h2
EOZ
	refused
	emerg 6: "" has a protocol name of 0 or more than 255 octets
	emerg 7: "h2,,h3" has a protocol name of 0 or more than 255 octets
	emerg 8: "h2," has a protocol name of 0 or more than 255 octets
	emerg 9: "" is not a list of IPv4 addresses
	emerg 10: "192.0.2.1," is not a list of IPv4 addresses
	emerg 11: "192.0.2.256" is not a list of IPv4 addresses
	emerg 12: "192.0.2.1" is not a list of IPv6 addresses
	emerg 13: "" is not a list of keys
	emerg 14: alpn is not a list of protocol names
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z10 values');
a	HTTPS 1 . port
b	HTTPS 1 . port=65536
c	HTTPS 1 . port=80,81
d	HTTPS 1 . no-default-alpn=x alpn=h2
e	HTTPS 1 . ech=???
f	HTTPS 1 . dohpath=/dns-query
g	HTTPS 1 . ohttp=1
h	HTTPS 1
i	HTTPS 65536 .
EOZ
	refused
	emerg 6: "" is not a port
	emerg 7: "65536" is not a port
	emerg 8: "80,81" is not a port
	emerg 9: "x" is a value where none may be
	emerg 10: "???" is not base64
	emerg 11: dohpath has no variable "dns"
	emerg 12: "1" is a value where none may be
	emerg 13: no name
	emerg 14: "65536" is not a number from 0 to 65535
EOF

###############################################################################

sub is_https {
	my ($owner, @rest) = @_;

	my $name = pop @rest;
	my $answer = join '',
		map { "answer $owner.z1.test. 300 IN HTTPS $_\n" } @rest;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask("$owner.z1.test", 'HTTPS'), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$owner.z1.test. IN HTTPS
EOF
}

###############################################################################
