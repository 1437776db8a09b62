#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the generic notation of RDATA, for types with and without a name,
# case Z09 (RFC 3597, 5).

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(25);

my $large = 'ab' x 60000;

dns_run($t, zones => { 'z1.test' => zone_text('z1.test', <<EOZ) });
g	A \\# 4 0A000001
g2	TYPE1 \\# 4 0A 00 00 01
g3	TYPE65280 \\# 3 aabbcc
g4	CLASS1 TYPE65280 \\# 0
g5	600 CLASS1 TYPE1 10.0.0.1
g6	class1 600 type28 \\# 16 ( 20010db8 ; first
	00000000 0000000000000001 )
g7	TYPE65534 \\# 1 FF
g8	A \\# 4 0a0 000 01
g9	TYPE16 \\# 6 0161 03622263
g10	MX \\# 6 000A 024D78 00
g11	TYPE15 10 mx.x.
g12	NS \\# 6 024e53 015800
g13	TYPE5 \\# 6 01770278 7900
g14	TYPE65280 \\# 2 0001
	TYPE65280 \\# 2 0001
	TYPE65280 \\# 2 0002
	TYPE65280 \\# 0
g15	A 10.0.0.1
	A \\# 4 0a000001
	TYPE1 \\# 4 0a000002
g16	TYPE65280 \\# 60000 $large
g17	HTTPS \\# 9 0001 00 0003 0002 20fb
EOZ

###############################################################################

is_record('g', 'A', '10.0.0.1', 'Z09 A');
is_record('g2', 'A', '10.0.0.1', 'Z09 TYPE1, digits in words');
is_record('g3', 'TYPE65280', '\# 3 aabbcc', 'Z09 unknown type');
is_record('g4', 'TYPE65280', '\# 0', 'Z09 no octets, class by number');
is_record('g5', 'A', '10.0.0.1', 'Z09 TYPE1 with an address', ttl => 600);
is_record('g6', 'AAAA', '2001:db8::1', 'Z09 parentheses', ttl => 600);
is_record('g7', 'TYPE65534', '\# 1 ff', 'Z09 capitals');
is_record('g8', 'A', '10.0.0.1', 'Z09 words of odd length');
is_record('g9', 'TXT', '"a" "b\"c"', 'Z09 strings');
is_record('g10', 'MX', '10 mx.', 'Z09 name in lower case');
is_record('g11', 'MX', '10 mx.x.', 'Z09 TYPE15 with its own text');
is_record('g13', 'CNAME', 'w.xy.', 'Z09 CNAME');
is_record('g14', 'TYPE65280', [ '\# 0', '\# 2 0001', '\# 2 0002' ],
	'Z09 rrset, one record twice');
is_record('g15', 'A', [ '10.0.0.1', '10.0.0.2' ],
	'Z09 rrset of both notations');
is_record('g16', 'TYPE65280', "\\# 60000 $large", 'Z09 large',
	over => 'tcp');
is_record('g17', 'HTTPS', '1 . 3=20fb', 'Z09 HTTPS');

# NS and CNAME mean what they mean

dns_is(dns_ask('x.g12.z1.test', 'A'), <<'EOF', 'Z09 delegation');
	NOERROR qr
	question	x.g12.z1.test. IN A
	authority	g12.z1.test. 300 IN NS ns.x.
EOF

dns_is(dns_ask('g13.z1.test', 'A'), <<'EOF', 'Z09 alias');
	NOERROR qr aa
	question	g13.z1.test. IN A
	answer		g13.z1.test. 300 IN CNAME w.xy.
EOF

# the type counts, however it is written

dns_is(dns_ask('g3.z1.test', 'TYPE65281'), <<EOF, 'Z09 another type');
	NOERROR qr aa
	question	g3.z1.test. IN TYPE65281
	authority	${\ zone_soa('z1.test') }
EOF

# lengths

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z09 lengths');
a	A \# 5 0A000001
b	A \# 5 0A00000102
c	A \# 3 0A0000
d	A \# 4 0A0000
e	A \# 4
f	A \#
g	TYPE65280 \# x 00
h	TYPE65280 \# -1
i	TYPE65280 \# 65536 00
EOZ
	refused
	emerg 6: rdata has 4 octets, its length says 5
	emerg 7: generic rdata: octets behind the last field
	emerg 8: generic rdata: it ends inside a field
	emerg 9: rdata has 3 octets, its length says 4
	emerg 10: rdata has 0 octets, its length says 4
	emerg 11: no rdata length
	emerg 12: "x" is not a rdata length from 0 to 65535
	emerg 13: "-1" is not a rdata length from 0 to 65535
	emerg 14: "65536" is not a rdata length from 0 to 65535
EOF

# octets that are not RDATA of the type

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z09 known types');
a	TXT \# 0
b	NS \# 0
c	NS \# 2 c00c
d	MX \# 4 000a0000
e	MX \# 2 000a
f	CNAME \# 3 414100
g	HTTPS \# 13 0001 00 0003 0002 20fb 0001 0000
EOZ
	refused
	emerg 6: generic rdata: a string does not end
	emerg 7: generic rdata: a name does not end
	emerg 8: generic rdata: a name is compressed or broken
	emerg 9: generic rdata: octets behind the last field
	emerg 10: generic rdata: a name does not end
	emerg 11: generic rdata: a name is compressed or broken
	emerg 12: generic rdata: the parameters are not in order
EOF

# digits

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z09 digits');
a	TYPE65280 \# 1 0
b	TYPE65280 \# 1 0g
c	TYPE65280 \# 2 0x01
d	TYPE65280 aabb
e	TYPE65280 \# 1 "aa"
f	A "\#" 4 0A000001
EOZ
	refused
	emerg 6: odd number of hexadecimal digits
	emerg 7: "0g" is not hexadecimal
	emerg 8: "0x01" is not hexadecimal
	emerg 9: rdata of this type has the form \# LENGTH HEX only
	emerg 10: "aa" is not hexadecimal
	emerg 11: quotes around the IPv4 address
EOF

# names of types and classes

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z09 types and classes');
a	TYPE65536 \# 0
b	TYPE \# 0
c	TYPE-1 \# 0
d	TYPE0 \# 0
e	TYPE41 \# 0
f	TYPE255 \# 0
g	CLASS2 A \# 4 0A000001
h	CLASS1 CLASS1 A 10.0.0.1
EOZ
	refused
	emerg 6: "TYPE65536" is not an RR type
	emerg 7: "TYPE" is not an RR type
	emerg 8: "TYPE-1" is not an RR type
	emerg 9: "TYPE0" is a type of queries and messages, which no zone can
		hold
	emerg 10: "TYPE41" is a type of queries and messages, which no zone can
		hold
	emerg 11: "TYPE255" is a type of queries and messages, which no zone can
		hold
	emerg 12: "CLASS2" is not the class IN
	emerg 13: "CLASS1" is not an RR type
EOF

# checks of the zone look at the type, too

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z09 CNAME and other data');
a	TYPE5 \# 3 01 78 00
a	TYPE65280 \# 0
EOZ
	refused
	emerg 7: "a.z1.test." TYPE65280: the owner has a CNAME, which allows no
		other data
EOF

dns_is(dns_ask('www.z1.test', 'A'), <<EOF, 'Z09 good query afterwards');
	NXDOMAIN qr aa
	question	www.z1.test. IN A
	authority	${\ zone_soa('z1.test') }
EOF

###############################################################################

sub is_record {
	my ($owner, $type, $rdata, $name, %opts) = @_;

	my $ttl = delete $opts{ttl} // 300;

	my $answer = join '',
		map { "answer $owner.z1.test. $ttl IN $type $_\n" }
		ref $rdata ? @$rdata : $rdata;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask("$owner.z1.test", $type, %opts), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$owner.z1.test. IN $type
EOF
}

###############################################################################
