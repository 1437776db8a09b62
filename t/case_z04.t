#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for quoted strings without blanks between them, in parentheses, empty
# and of the greatest length, case Z04.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(31);

my $long = 'x' x 255;

dns_run($t, zones => { 'z1.test' => zone_text('z1.test', <<EOZ) });
a	TXT "ab""cd"
b	TXT "ab"cd
c	TXT ab"cd"
d	TXT ( "p1" ; c
	"p2" )
e	TXT ""
f	TXT "" "" "x" ""
g	TXT "$long"
h	TXT $long
i	TXT "${\ substr $long, 1 }\\120"
j	HINFO "A" "B"
k	HINFO A B
l	HINFO "A""B"
m	HINFO "" ""
n	TXT ("(" ")" "a ( b")
o	TXT(p)q
p	( TXT "p" ) ( "q" )
q	TXT "a	b  c"
r	TXT a\\ b \\" \\( \\)
s	TXT ((("a")("b"))(("c")))
t	TXT \\000\\255\\"
u	TXT "\\000\\255\\""
v	TXT (
		"v1"

		; a line of its own
	"v2" ) ; end
w	SPF "v=spf1 -all"
@	TXT "\@"
EOZ

###############################################################################

is_record('a', 'TXT', '"ab" "cd"', 'Z04 two strings side by side');
is_record('b', 'TXT', '"ab" "cd"', 'Z04 quotes, then none');
is_record('c', 'TXT', '"ab" "cd"', 'Z04 no quotes, then some');
is_record('d', 'TXT', '"p1" "p2"', 'Z04 comment in parentheses');
is_record('e', 'TXT', '""', 'Z04 empty string');
is_record('f', 'TXT', '"" "" "x" ""', 'Z04 empty strings');
is_record('g', 'TXT', "\"$long\"", 'Z04 255 octets');
is_record('h', 'TXT', "\"$long\"", 'Z04 255 octets without quotes');
is_record('i', 'TXT', "\"$long\"", 'Z04 255 octets, an escape counts as one');
is_record('j', 'HINFO', '"A" "B"', 'Z04 HINFO');
is_record('k', 'HINFO', '"A" "B"', 'Z04 HINFO without quotes');
is_record('l', 'HINFO', '"A" "B"', 'Z04 HINFO side by side');
is_record('m', 'HINFO', '"" ""', 'Z04 HINFO, empty');
is_record('n', 'TXT', '"(" ")" "a ( b"', 'Z04 parentheses in quotes');
is_record('o', 'TXT', '"p" "q"', 'Z04 parentheses part words');
is_record('p', 'TXT', '"p" "q"', 'Z04 parentheses around each word');
is_record('q', 'TXT', '"a\009b  c"', 'Z04 blanks in quotes');
is_record('r', 'TXT', '"a b" "\"" "(" ")"', 'Z04 escapes without quotes');
is_record('s', 'TXT', '"a" "b" "c"', 'Z04 nested parentheses');
is_record('t', 'TXT', '"\000\255\""', 'Z04 any octets');
is_record('u', 'TXT', '"\000\255\""', 'Z04 any octets in quotes');
is_record('v', 'TXT', '"v1" "v2"', 'Z04 empty lines in parentheses');
is_record('w', 'SPF', '"v=spf1 -all"', 'Z04 SPF');
is_record('', 'TXT', '"@"', 'Z04 origin in quotes is a string');

# the octets themselves

like(dns_ask('b.z1.test', 'TXT'), qr/\x00\x06\x02ab\x02cd\z/, 'Z04 octets');
like(dns_ask('e.z1.test', 'TXT'), qr/\x00\x01\x00\z/, 'Z04 octets, empty');

# what is too long is not split

my $shown = 'x' x 64 . '...';

zone_is($t, zone_text('z1.test', <<EOZ), <<EOF, 'Z04 256 octets');
a	TXT "x$long"
b	TXT x$long
c	TXT "ok" "${long}\\255"
d	HINFO "x$long" "B"
e	SPF ( "ok"
	"x$long" )
EOZ
	refused
	emerg 6: "$shown" is longer than 255 octets
	emerg 7: "$shown" is longer than 255 octets
	emerg 8: "$shown" is longer than 255 octets
	emerg 9: "$shown" is longer than 255 octets
	emerg 11: "$shown" is longer than 255 octets
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z04 wrong number');
a	TXT
b	TXT ; none
c	HINFO "A"
d	HINFO "A" "B" "C"
e	HINFO
EOZ
	refused
	emerg 6: no string
	emerg 7: no string
	emerg 8: no string
	emerg 9: "C" is too much
	emerg 10: no string
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z04 escapes');
a	TXT "\256"
b	TXT "\25"
c	TXT "\2a5"
d	TXT \
EOZ
	refused
	emerg 6: "\256" has an escape that is not \000 to \255
	emerg 7: "\25" has an escape that is not \000 to \255
	emerg 8: "\2a5" has an escape that is not \000 to \255
	emerg 9: backslash at the end of a line
EOF

# a string ends in the line where it begins

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z04 line end in a string');
a	TXT "one
	two"
b	TXT ( "one
	two" )
EOZ
	refused
	emerg 6: quote is not closed
	emerg 7: "two" is not an RR type
	emerg 8: quote is not closed
EOF

# a quoted word is a string and nothing else

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z04 quotes elsewhere');
"a"	A 192.0.2.1
b	"A" 192.0.2.1
c	A "192.0.2.1"
d	CNAME "www"
EOZ
	refused
	emerg 6: quotes around the name
	emerg 7: quotes around the RR type
	emerg 8: quotes around the IPv4 address
	emerg 9: quotes around the name
EOF

###############################################################################

sub is_record {
	my ($owner, $type, $rdata, $name) = @_;

	my $qname = length $owner ? "$owner.z1.test" : 'z1.test';

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type), <<EOF, $name);
		NOERROR qr aa
		question	$qname. IN $type
		answer		$qname. 300 IN $type $rdata
EOF
}

###############################################################################
