#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the ends of zone files and of their lines: a last line without a
# line feed, CRLF, a byte order mark, tabs, and quotes and parentheses that
# nothing closes, case Z01.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(43);

my $bom = "\xef\xbb\xbf";

# one text in many spellings; each ends in the record that is asked for

my $head = zone_text('z1.test', "www\tA\t192.0.2.1\n");

my %text = (
	'line feed' => "${head}last A 192.0.2.9\n",
	'no line feed' => "${head}last A 192.0.2.9",
	'CRLF' => crlf("${head}last A 192.0.2.9\n"),
	'CRLF, no end' => crlf("${head}last A 192.0.2.9"),
	'CRLF, carriage return' => crlf("${head}last A 192.0.2.9") . "\r",
	'comment' => "${head}last A 192.0.2.9 ; the end",
	'comment, no blank' => "${head}last A 192.0.2.9;",
	'comment, CRLF' => crlf("${head}last A 192.0.2.9\n; the end"),
	'line of a comment' => "${head}last A 192.0.2.9\n; the end",
	'line of blanks' => "${head}last A 192.0.2.9\n \t ",
	'byte order mark' => "$bom${head}last A 192.0.2.9",
	'byte order mark, CRLF' => crlf("$bom${head}last A 192.0.2.9\n"),
	'tabs' => "${head}last\t\t\tIN\t \tA\t\t192.0.2.9\t\t\n\t\n",
	'closed parenthesis' => "${head}last A (\n192.0.2.9 )",
	'closed parenthesis, CRLF' => crlf("${head}last A (\n192.0.2.9\n)"),
);

my @names = sort keys %text;

dns_run($t, zones => {
	map { ("z$_" => unnamed($text{$names[$_]})) } 0 .. $#names
});

###############################################################################

for my $i (0 .. $#names) {
	dns_is(dns_ask("last.z$i", 'A'), <<EOF, "Z01 $names[$i]");
		NOERROR qr aa
		question	last.z$i. IN A
		answer		last.z$i. 300 IN A 192.0.2.9
EOF
}

for my $i (grep { $names[$_] =~ /byte order|tabs/ } 0 .. $#names) {
	dns_is(dns_ask("z$i", 'SOA'), <<EOF, "Z01 $names[$i], first line");
		NOERROR qr aa
		question	z$i. IN SOA
		answer		${\ zone_soa("z$i", 300) }
EOF
}

# the end of the file does not end a string

for my $end ('', "\n", "\r\n", '\"', "\nx A 192.0.2.1\n") {
	zone_is($t, "${head}last TXT \"abc$end", <<EOF,
		refused
		emerg 7: quote is not closed
EOF
		'Z01 open quote before ' . printable($end));
}

zone_is($t, "${head}last TXT \"", <<EOF, 'Z01 open quote alone');
	refused
	emerg 7: quote is not closed
EOF

zone_is($t, "${head}last TXT abc\\", <<EOF, 'Z01 backslash');
	refused
	emerg 7: backslash at the end of a line
EOF

# a parenthesis is named with the line where it was opened

for my $end ('', "\n", "\r\n", "\n\"b\"\n\n", ' ; )', "\nx A 192.0.2.1\n") {
	zone_is($t, "${head}last TXT ( \"a\"$end", <<EOF,
		refused
		emerg 7: parenthesis is not closed
EOF
		'Z01 open parenthesis before ' . printable($end));
}

zone_is($t, "${head}last TXT (\n\"a\n)\n", <<EOF,
	refused
	emerg 8: quote is not closed
EOF
	'Z01 open quote in parentheses');

zone_is($t, "${head}last TXT a )\n", <<EOF, 'Z01 parenthesis not opened');
	refused
	emerg 7: unexpected ")"
EOF

# octets that no line should have

zone_is($t, "${head}last A 192.0.2.9\rx A 192.0.2.1\n", <<EOF,
	refused
	emerg 7: carriage return inside a line
EOF
	'Z01 carriage return alone');

zone_is($t, "${head}last A 192.0.2.9\0", <<EOF, 'Z01 zero octet');
	refused
	emerg 7: zero octet in the text
EOF

# files without anything

for my $text ('', "\n", "\r\n\r\n", "; nothing", $bom) {
	zone_is($t, $text, <<EOF, 'Z01 a file of ' . printable($text));
		refused
		emerg: zone has no SOA record
EOF
}

# lines are counted the same way whatever their ends

for my $text ("${head}a A 1\n\nb A 2", crlf("${head}a A 1\n\nb A 2"),
	"$bom${head}a A 1\n\nb A 2")
{
	zone_is($t, $text, <<EOF, 'Z01 numbers of lines');
		refused
		emerg 7: "1" is not an IPv4 address
		emerg 9: "2" is not an IPv4 address
EOF
}

###############################################################################

sub crlf {
	return $_[0] =~ s/\n/\r\n/gr;
}


# The text without the line that names the zone, to use it for any.

sub unnamed {
	return $_[0] =~ s/\$ORIGIN z1.test.\r?\n//r;
}


sub printable {
	return '"' . $_[0] =~ s/([^ -~])/sprintf '\%03d', ord $1/ger . '"';
}

###############################################################################
