#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for $INCLUDE: where files are looked for, and that origin, owner and
# TTL of an included file stay in it; files that include each other without
# end, case Z07.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(33);

my $d = $t->testdir();

mkdir "$d/sub";
mkdir "$d/sub/deep";

$t->write_file('sub/part.zone', <<'EOZ');
	A	192.0.2.10
$ORIGIN x
$TTL 77
	TXT	"still the owner"
in	A	192.0.2.12
@	A	192.0.2.13
$INCLUDE deep/more.zone
	TXT	"owner is back"
$INCLUDE ../note.zone
EOZ

$t->write_file('sub/deep/more.zone', <<'EOZ');
$ORIGIN far.z1.test.
$TTL 88
more	A	192.0.2.14
EOZ

$t->write_file('note.zone', "note 99 TXT \"from beside\"\n");
$t->write_file('y.zone', "www A 192.0.2.20\n\$ORIGIN z\nwww A 192.0.2.21\n");
$t->write_file('full.zone', 'full A 192.0.2.30');
$t->write_file('a b;c.zone', "odd A 192.0.2.40\n");
$t->write_file('a.zone', "seen A 192.0.2.50\n");
$t->write_file('empty.zone', '');
$t->write_file('crlf.zone', "crlf A 192.0.2.60\r\n");

my $z1 = zone_text('z1.test', <<EOZ);
owner	A	192.0.2.1
\$INCLUDE sub/part.zone
	A	192.0.2.2
rel	A	192.0.2.3
\$INCLUDE y.zone y.z1.test. ; a note
	A	192.0.2.4
\$INCLUDE y.zone w
\$ORIGIN v.z1.test.
\$INCLUDE y.zone u	; relative to this origin
at	A	192.0.2.5
\$ORIGIN z1.test.
\$INCLUDE $d/full.zone
\$INCLUDE "a b;c.zone"
\$include a.zone;comment
\$INCLUDE ( empty.zone
	)
\$INCLUDE	crlf.zone	\r
last	A	192.0.2.6
\$INCLUDE y.zone at.the.end.z1.test.
EOZ

chomp $z1;

# without $TTL the last TTL counts

$t->write_file('ttl.zone', "in A 192.0.2.1\nin2 9 A 192.0.2.2\n");

my $z2 = <<'EOZ';
@	5	SOA	ns1 host 2026010101 7200 3600 1209600 60
	7	NS	ns1
ns1		A	192.0.2.53
$INCLUDE ttl.zone
out		A	192.0.2.3
EOZ

dns_run($t, zones => { 'z1.test' => $z1, 'z2.test' => $z2 });

###############################################################################

is_a('owner.z1.test', 300, '192.0.2.1 192.0.2.10 192.0.2.2', 'Z07 owner');
is_txt('owner.z1.test', 77, 'still the owner', 'Z07 owner after $ORIGIN');
is_a('in.x.z1.test', 77, '192.0.2.12', 'Z07 origin and TTL of a file');
is_a('x.z1.test', 77, '192.0.2.13', 'Z07 origin itself');
is_a('more.far.z1.test', 88, '192.0.2.14', 'Z07 file of a file');
is_txt('x.z1.test', 77, 'owner is back', 'Z07 owner after it');
is_txt('note.x.z1.test', 99, 'from beside', 'Z07 folder above');
is_a('rel.z1.test', 300, '192.0.2.3 192.0.2.4', 'Z07 all is back');
is_a('www.y.z1.test', 300, '192.0.2.20', 'Z07 origin with the name');
is_a('www.z.y.z1.test', 300, '192.0.2.21', 'Z07 origin relative to it');
is_a('www.w.z1.test', 300, '192.0.2.20', 'Z07 relative origin');
is_a('www.z.w.z1.test', 300, '192.0.2.21', 'Z07 relative to that');
is_a('www.u.v.z1.test', 300, '192.0.2.20', 'Z07 relative to $ORIGIN');
is_a('at.v.z1.test', 300, '192.0.2.5', 'Z07 $ORIGIN is back');
is_a('full.z1.test', 300, '192.0.2.30', 'Z07 full path');
is_a('odd.z1.test', 300, '192.0.2.40', 'Z07 name in quotes');
is_a('seen.z1.test', 300, '192.0.2.50', 'Z07 name and comment');
is_a('crlf.z1.test', 300, '192.0.2.60', 'Z07 CRLF');
is_a('last.z1.test', 300, '192.0.2.6', 'Z07 after all of them');
is_a('www.at.the.end.z1.test', 300, '192.0.2.20', 'Z07 no line feed');

dns_is(dns_ask('in.z1.test', 'A'), <<EOF, 'Z07 not without the origin');
	NXDOMAIN qr aa
	question	in.z1.test. IN A
	authority	${\ zone_soa('z1.test') }
EOF

is_a('in.z2.test', 7, '192.0.2.1', 'Z07 last TTL goes in');
is_a('in2.z2.test', 9, '192.0.2.2', 'Z07 TTL of a file');
is_a('out.z2.test', 7, '192.0.2.3', 'Z07 last TTL is back');

# what does not end

zone_is($t, zone_text('z1.test', "\$INCLUDE z1.test.zone\n"), <<EOF,
	refused
	emerg 6: cannot include "z1.test.zone": it includes itself
EOF
	'Z07 a file includes itself');

zone_is($t, zone_text('z1.test', "\n\$INCLUDE l/a\n"), <<'EOF',
	refused
	emerg l/b:2: cannot include "a": it includes itself
EOF
	'Z07 two files include each other',
	files => { 'l/a' => "\$INCLUDE b\n", 'l/b' => "\n\$INCLUDE a\n" });

my $dots = './' x 14;

zone_is($t, zone_text('z1.test', "\$INCLUDE l/a\n"), <<EOF,
	refused
	emerg l/${dots}a:1: cannot include "./a": files are nested 16 deep
		already
EOF
	'Z07 a file includes itself by another path',
	files => { 'l/a' => "\$INCLUDE ./a\n" });

# 16 files deep is enough, in whatever order they are written

my %chain = map { ("c$_" => "\$INCLUDE c@{[ $_ + 1 ]}\n") } 1 .. 30;

$chain{c31} = "deep A 192.0.2.1\n";

zone_is($t, zone_text('z1.test', "\$INCLUDE c1\n"), <<'EOF',
	refused
	emerg c15:1: cannot include "c16": files are nested 16 deep already
EOF
	'Z07 chain of 30', files => \%chain);

zone_is($t, zone_text('z1.test', "\$INCLUDE c17\n"), <<'EOF',
	accepted
EOF
	'Z07 chain of 15', files => \%chain);

zone_is($t, zone_text('z1.test', "\$INCLUDE c16\n"), <<'EOF',
	refused
	emerg c30:1: cannot include "c31": files are nested 16 deep already
EOF
	'Z07 chain of 16', files => \%chain);

# names of files

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z07 wrong lines',
$INCLUDE
$INCLUDE ; none
$INCLUDE missing.zone
$INCLUDE ""
$INCLUDE l/a a..b
$INCLUDE l/a b c
$INCLUDE l/a other.test.
$INCLUDES l/a
x	A	192.0.2.256
EOZ
	refused
	emerg 6: no file name
	emerg 7: no file name
	emerg 8: cannot open "missing.zone": open() failed (2: No such file or
		directory)
	emerg 9: "" is not a file name
	emerg 10: "a..b" is not a name: label is empty
	emerg 11: "c" is too much
	emerg l/a:1: owner "in.other.test." is outside the zone
	emerg 13: "$INCLUDES" is not a directive
	emerg 14: "192.0.2.256" is not an IPv4 address
EOF
	files => { 'l/a' => "in A 192.0.2.1\n" });

# errors on both sides

zone_is($t, zone_text('z1.test', "a A 1\n\$INCLUDE l/a\nb A 4\n"), <<'EOF',
	refused
	emerg 6: "1" is not an IPv4 address
	emerg l/a:2: "2" is not an IPv4 address
	emerg l/b:1: "3" is not an IPv4 address
	emerg l/b:2: quote is not closed
	emerg l/a:4: no RR type
	emerg 8: "4" is not an IPv4 address
EOF
	'Z07 errors in several files', files => {
		'l/a' => "\n\tA 2\n\$INCLUDE b\nx",
		'l/b' => "y A 3\nz TXT \"",
	});

# a parenthesis or a string does not go on in the includer

zone_is($t, zone_text('z1.test', "\$INCLUDE l/a\n\"b\" )\n"), <<'EOF',
	refused
	emerg l/a:1: parenthesis is not closed
	emerg 7: quotes around the name
EOF
	'Z07 parenthesis', files => { 'l/a' => "x TXT ( \"a\"\n" });

###############################################################################

sub is_a {
	my ($qname, $ttl, $addrs, $name) = @_;

	is_reply($qname, 'A', $name,
		map { "$qname. $ttl IN A $_" } split / /, $addrs);
}


sub is_txt {
	my ($qname, $ttl, $string, $name) = @_;

	is_reply($qname, 'TXT', $name, "$qname. $ttl IN TXT \"$string\"");
}


sub is_reply {
	my ($qname, $type, $name, @rest) = @_;

	my $answer = join '', map { "answer $_\n" } @rest;

	local $Test::Builder::Level = $Test::Builder::Level + 2;

	dns_is(dns_ask($qname, $type), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$qname. IN $type
EOF
}

###############################################################################
