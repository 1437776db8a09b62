#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for labels and names of the greatest length, for those that are longer
# and for lines that are very long, case Z11.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(18);

# z1.test takes 9 octets of 255, the labels in front of it 3 * 64 + 54

my $l63 = join '', map { chr(97 + $_ % 26) } 1 .. 63;
my $l53 = 'x' x 53;
my $longest = "$l63.$l63.$l63.$l53";

# the same with escapes: octets that are dots, blanks, zeros and more

my $escaped = join '.', ('\000\255\.\ \;\"\(\)\@\\\\' . 'z' x 53) x 3,
	'\046\092' . 'y' x 51;

my $blanks = ' ' x 100000;
my $strings = join ' ', map { '"' . 'y' x 254 . '"' } 1 .. 250;

dns_run($t, zones => { 'z1.test' => zone_text('z1.test', <<EOZ) });
$l63	A 192.0.2.1
$longest	A 192.0.2.2
$escaped	A 192.0.2.3
c	CNAME $longest
d	TXT${blanks}"d"
e	TXT "e" ;$blanks.
f	TXT (\n "f"$blanks\n)
g	TXT $strings
\$ORIGIN $l63.$l63.$l63.z1.test.
@	A 192.0.2.4
\$ORIGIN z1.test.
last	A 192.0.2.9
EOZ

###############################################################################

is_record("$l63.z1.test", 'A', '192.0.2.1', 'Z11 label of 63 octets');
is_record("$longest.z1.test", 'A', '192.0.2.2', 'Z11 name of 255 octets');
is_record("$escaped.z1.test", 'A', '192.0.2.3',
	'Z11 name of 255 octets with escapes');
is_record("$l63.$l63.$l63.z1.test", 'A', '192.0.2.4', 'Z11 long origin');
is_record('d.z1.test', 'TXT', '"d"', 'Z11 100000 blanks');
is_record('e.z1.test', 'TXT', '"e"', 'Z11 long comment');
is_record('f.z1.test', 'TXT', '"f"', 'Z11 long line in parentheses');
is_record('g.z1.test', 'TXT', $strings, 'Z11 long line of strings',
	over => 'tcp');
is_record('last.z1.test', 'A', '192.0.2.9', 'Z11 after all of them');

dns_is(dns_ask('c.z1.test', 'A'), <<EOF, 'Z11 CNAME to a name of 255 octets');
	NOERROR qr aa
	question	c.z1.test. IN A
	answer		c.z1.test. 300 IN CNAME $longest.z1.test.
	answer		$longest.z1.test. 300 IN A 192.0.2.2
EOF

is(length dns_name("$longest.z1.test"), 255, 'Z11 octets of that name');
is(length dns_name("$escaped.z1.test"), 255, 'Z11 octets with escapes');

# one octet more

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 label of 64 octets');
x$l63	A 192.0.2.1
x$l63.z1.test.	A 192.0.2.1
\\120$l63	A 192.0.2.1
a	CNAME x$l63
b	MX 10 a.x$l63.b
\$ORIGIN x$l63
\$INCLUDE none x$l63
EOZ
	refused
	emerg 6: "x$l63" is not a name: label is longer than 63 octets
	emerg 7: "x$l63..." is not a name: label is longer than 63 octets
	emerg 8: "\\120${\ substr $l63, 0, 60 }..." is not a name: label is
		longer than 63 octets
	emerg 9: "x$l63" is not a name: label is longer than 63 octets
	emerg 10: "a.x${\ substr $l63, 0, 61 }..." is not a name: label is
		longer than 63 octets
	emerg 11: "x$l63" is not a name: label is longer than 63 octets
	emerg 12: "x$l63" is not a name: label is longer than 63 octets
EOF

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 name of 256 octets');
$l63.$l63.$l63.x$l53	A 192.0.2.1
$l63.$l63.$l63.x$l53.z1.test.	A 192.0.2.1
a	CNAME $l63.$l63.$l63.x$l53
b	CNAME $l63.$l63.$l63.${\ substr $l63, 0, 62 }.
EOZ
	refused
	emerg 6: "$l63...." is not a name: name is longer than 255 octets with
		its origin
	emerg 7: "$l63...." is not a name: name is longer than 255 octets
	emerg 8: "$l63...." is not a name: name is longer than 255 octets with
		its origin
	emerg 9: "$l63...." is not a name: name is longer than 255 octets
EOF

# an origin that leaves room for some names only

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 origin');
\$ORIGIN $l63.$l63.$l63.z1.test.
$l53	A 192.0.2.1
x$l53	A 192.0.2.1
a.$l53	A 192.0.2.1
@	MX 10 x$l53
\$ORIGIN x$l53
b	A 192.0.2.1
EOZ
	refused
	emerg 8: "x$l53" is not a name: name is longer than 255 octets with its
		origin
	emerg 9: "a.$l53" is not a name: name is longer than 255 octets with its
		origin
	emerg 10: "x$l53" is not a name: name is longer than 255 octets with its
		origin
	emerg 11: "x$l53" is not a name: name is longer than 255 octets with its
		origin
EOF

# lines of 100 kB

my $long = 'x' x 100000;
my $dots = 'a.' x 50000;
my $shown = 'x' x 64 . '...';
my $cut = substr $shown, 1;

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 long words');
$long	A 192.0.2.1
a	A $long
b	TXT $long
c	TXT "$long"
d	$long
e	5$long A 192.0.2.1
f	CNAME $long
\$ORIGIN $long
\$INCLUDE $long
EOZ
	refused
	emerg 6: "$shown" is not a name: label is longer than 63 octets
	emerg 7: "$shown" is not an IPv4 address
	emerg 8: "$shown" is longer than 255 octets
	emerg 9: "$shown" is longer than 255 octets
	emerg 10: "$shown" is not an RR type
	emerg 11: "5$cut" is not a TTL (seconds up to 2147483647, or units like
		1w2d3h4m5s)
	emerg 12: "$shown" is not a name: label is longer than 63 octets
	emerg 13: "$shown" is not a name: label is longer than 63 octets
	emerg 14: "$shown" is too long for a file name
EOF

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 long words elsewhere');
\$$long
\$TTL 1$long
\$GENERATE 1-$long x A 192.0.2.1
\$GENERATE 1-2 $long A 192.0.2.1
\$GENERATE 1-2 x\${0,$long} A 192.0.2.1
a	TYPE65280 \\# 3 $long
b	TYPE65280 \\# 3$long 00
c	HTTPS 1 . alpn=$long
d	CAA 0 $long x
EOZ
	refused
	emerg 6: "\$$cut" is not a directive
	emerg 7: "1$cut" is not a TTL (seconds up to 2147483647, or units like
		1w2d3h4m5s)
	emerg 8: "1-${\ substr $cut, 1 }" is not a range like 1-100/2
	emerg 9: \$GENERATE makes a line that is too long
	emerg 10: \$GENERATE modifier is not \${OFFSET,WIDTH,RADIX}
	emerg 11: "$shown" is not hexadecimal
	emerg 12: "3$cut" is not a rdata length from 0 to 65535
	emerg 13: "$shown" does not fit: rdata is too long
	emerg 14: "$shown" is longer than 255 octets
EOF

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z11 long lines');
a	TXT $strings $strings
$dots	A 192.0.2.1
b	A 192.0.2.1 192.0.2.2 $long
c	TXT ( $strings
	$strings )
d	A 192.0.2
EOZ
	refused
	emerg 6: "@{[ 'y' x 64 ]}..." does not fit: rdata is too long
	emerg 7: "@{[ 'a.' x 32 ]}..." is not a name: name is longer than 255
		octets
	emerg 8: "192.0.2.2" is too much
	emerg 10: "@{[ 'y' x 64 ]}..." does not fit: rdata is too long
	emerg 11: "192.0.2" is not an IPv4 address
EOF

###############################################################################

sub is_record {
	my ($qname, $type, $rdata, $name, %opts) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $text = dns_name_text(dns_name($qname));

	dns_is(dns_ask($qname, $type, %opts), <<EOF, $name);
		NOERROR qr aa
		question	$text IN $type
		answer		$text 300 IN $type $rdata
EOF
}

###############################################################################
