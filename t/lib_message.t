#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests of the message functions of Test::Nginx::DNS: what the strict parser
# takes and refuses, and the text of a reply.

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

plan(tests => 39);

sub message {
	my ($hex) = @_;

	$hex =~ s/\s+//g;
	return pack 'H*', $hex;
}

# names

is(unpack('H*', dns_name('www.z1.test')), '03777777027a31047465737400',
	'name');
is(unpack('H*', dns_name('.')), '00', 'root');
is(unpack('H*', dns_name('a\.b\000\\\\.')), '05612e62005c00', 'escapes');
is(dns_name_text(dns_name('a\.b\000\\\\.c.')), 'a\.b\000\\\\.c.',
	'escapes printed');
is(dns_name_text("\0"), '.', 'root printed');

# queries

is(unpack('H*', dns_query('z1.test', 'SOA')),
	'123400000001000000000000027a3104746573740000060001', 'query');
is(unpack('H*', dns_query('z1.test', 'SOA', edns => 1232, version => 1)),
	'123400000001000000000001027a310474657374000006000100002904d0'
	. '000100000000', 'query with version 1');
is(unpack('H*', dns_query('z1.test', 'SOA', options => [ [ 100, '' ] ],
	version => 1)),
	'123400000001000000000001027a310474657374000006000100002904d0'
	. '000100000000000400640000' =~ s/0000(00040064)/$1/r,
	'query with an option');
is(unpack('H*', dns_query('z1.test', 'SOA', z => 1, rd => 1, id => 1,
	trailing => 'x')),
	'000101400001000000000000027a310474657374000006000178', 'query flags');
is(unpack('H*', dns_query(undef, 'SOA', qname => "\xc0\x0c", class => 'CH',
	counts => [ 2, 0, 0, 0 ])),
	'123400000002000000000000c00c00060003', 'query with a raw name');

# whole replies

my $header = '1234 8400 0001 0001 0000 0000';
my $question = '03777777 027a31 0474657374 00 0001 0001';

my $m = dns_parse(message("$header $question"
	. 'c00c 0001 0001 0000012c 0004 c0000201'));

is($m->{flags}, 0x8400, 'flags');
is($m->{qr} . $m->{aa} . $m->{tc} . $m->{rd}, '1100', 'bits');
is($m->{rcode}, 'NOERROR', 'rcode');
is(unpack('H*', $m->{question_raw}), $question =~ s/ //gr, 'question');
is_deeply($m->{answer}, [ {
	owner => 'www.z1.test.', type => 'A', class => 'IN', ttl => 300,
	rdata => '192.0.2.1', wire => "\xc0\0\2\1"
} ], 'answer');
is_deeply($m->{pointers}, [ 12 ], 'pointers');

dns_is(message('1234 8400 0001 0003 0002 0001'
	. '027a31 0474657374 00 000f 0001'
	. 'c00c 000f 0001 0000012c 0007 0014 026d32 c00c'
	. 'c00c 000f 0001 0000012c 0007 000a 026d31 c00c'
	. 'c00c 0010 0001 0000000a 0008 03612220 03ff625c'
	. 'c00c 0002 0001 0000012c 0005 026e32 c00c'
	. 'c00c 0002 0001 0000012c 0005 026e31 c00c'
	. '00 0029 04d0 00008000 000a 0003 0002 6869 000f 0000'),
	<<'EOF', 'text');

	NOERROR qr aa
	question	z1.test. IN MX
	answer		z1.test. 300 IN MX 10 m1.z1.test.
	answer		z1.test. 300 IN MX 20 m2.z1.test.
	answer		z1.test. 10 IN TXT "a\" " "\255b\\"
	# order means nothing below
	authority	z1.test. 300 IN NS n1.z1.test.
	authority	z1.test. 300 IN NS n2.z1.test.
	edns 0 size 1232 do
	option 3 6869
	option 15
EOF

dns_is(message('1234 9004 0000 0000 0000 0001 00 0029 0200 02010080 0000'),
	<<'EOF', 'extended rcode, opcode, unknown flags');

	36 STATUS qr
	edns 1 size 512 flags 0080
EOF

dns_is(message('1234 8400 0000 0001 0000 0001'
	. '00 0006 0001 00000000 0016 00 00 00000001 00000002 00000003'
	. '00000004 00000005'
	. '00 0029 0200 01000000 0000'), <<'EOF', 'names of the root, BADVERS');

	BADVERS qr aa
	answer . 0 IN SOA . . 1 2 3 4 5
	edns 0 size 512
EOF

dns_is(message('1234 8400 0000 0005 0000 0000'
	. '00 002f 0001 00000000 0009 00 0006 400000000003'
	. '00 1234 0001 00000000 0002 abcd'
	. '00 0101 0001 00000000 0008 00 05 6973737565 62'
	. '00 0021 0001 00000000 0007 0001 0002 0003 00'
	. '00 000a 0003 00000000 0000'), <<'EOF', 'other types');

	NOERROR qr aa
	answer . 0 IN NSEC . A RRSIG NSEC
	answer . 0 IN TYPE4660 \# 2 abcd
	answer . 0 IN CAA 0 issue "b"
	answer . 0 IN SRV 1 2 3 .
	answer . 0 CH NULL \# 0
EOF

dns_is(undef, 'no reply', 'no reply');
like(dns_text("\0" x 11), qr/^broken reply: a header of 11 octets/, 'broken');

# what must be refused

my %refused = (
	'octets after the end' => "$header $question"
		. 'c00c 0001 0001 0000012c 0004 c0000201 00',
	'a record is missing' => "$header $question",
	'RDATA past the end' => "$header $question"
		. 'c00c 0001 0001 0000012c 0005 c0000201',
	'RDATA too short' => "$header $question"
		. 'c00c 0001 0001 0000012c 0003 c00002',
	'RDATA too long' => "$header $question"
		. 'c00c 0001 0001 0000012c 0005 c000020100',
	'pointer to itself' => "$header $question"
		. 'c01d 0001 0001 0000012c 0004 c0000201',
	'pointer forward' => "$header $question"
		. 'c0ff 0001 0001 0000012c 0004 c0000201',
	'pointer to the header' => "$header $question"
		. 'c00b 0001 0001 0000012c 0004 c0000201',
	'label type' => "$header $question"
		. '4161 0001 0001 0000012c 0004 c0000201',
	'pointer in the question' => '1234 8400 0001 0000 0000 0000'
		. 'c00c 0001 0001',
	'pointer in SRV' => "$header $question"
		. 'c00c 0021 0001 0000012c 0008 0001 0002 0003 c00c',
	'string past the end' => "$header $question"
		. 'c00c 0010 0001 0000012c 0002 0261',
	'name past RDATA' => "$header $question"
		. 'c00c 0002 0001 0000012c 0001 c00c',
	'OPT as an answer' => "$header $question"
		. '00 0029 04d0 00000000 0000',
	'two OPT' => '1234 8400 0000 0000 0000 0002'
		. '00 0029 04d0 00000000 0000 00 0029 04d0 00000000 0000',
	'owner of OPT' => '1234 8400 0000 0000 0000 0001'
		. '0161 00 0029 04d0 00000000 0000',
	'option past the end' => '1234 8400 0000 0000 0000 0001'
		. '00 0029 04d0 00000000 0005 0003 0002 68',
);

for my $name (sort keys %refused) {
	ok(!eval { dns_parse(message($refused{$name})); 1 }, $name);
}

###############################################################################
