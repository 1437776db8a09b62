#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for $GENERATE with its ranges, steps and modifiers, and for what would
# make a zone without end: ranges, sets of records, files in files; case Z13.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(46);

my $most = 4094;	# records of 4 octets that a message over TCP can hold
my $more = $most + 1;

zone_quietly(sub {
	dns_run($t, zones => {
	'z1.test' => zone_text('z1.test', <<'EOZ'),
$GENERATE 1-3 h${0,3,d} A 192.0.2.$
$GENERATE 0-10/5 s$ 60 IN A 192.0.2.$
$GENERATE 7-7 one$ CNAME h001
$GENERATE 8-9 neg${-8} TXT "$ ${-1} ${+1,4} ${0,0,x}"
$GENERATE 254-256 x${0,4,x}.${0,4,X}.${0,5,o} A 192.0.2.1
$GENERATE 26-26 n${0,3,n}.${0,7,N} PTR h001
$GENERATE 1-2 \$.$$ TXT \\$ "\$ $$" ; $ is $
$GENERATE 1-3 set A 192.0.2.$
$GENERATE 1-3 same TXT same
$generate 0-2	mx${1}	MX	$ h${1,3}
$GENERATE 1-2 p$ HTTPS $ . port=$ alpn="h2,h3"
$GENERATE 4294967294-4294967295 last$ TXT ${1}
$GENERATE 1-2 sub$ NS ns.sub$
$GENERATE 1-2 ns.sub$ A 192.0.2.$
$GENERATE 5-6 abs$.z1.test. TYPE65280 \# 1 ${0,2,x}
$GENERATE 0-4294967295/4294967295 wide$ A 192.0.2.1
$GENERATE 1-1 w${0,62} A 192.0.2.1
$ORIGIN o.z1.test.
$TTL 7
$GENERATE 1-2 a$ A 192.0.2.$
	TXT "the last owner"
$GENERATE 1-2 @ A 192.0.2.$
EOZ

	'z2.test' => zone_text('z2.test', <<'EOZ'),
$GENERATE 1-100000 h$ A 10.0.0.1
EOZ

	'z3.test' => zone_text('z3.test', <<EOZ),
\$GENERATE 1-$most most TYPE65280 \\# 4 0000\${0,4,x}
\$GENERATE 1-$more more TYPE65280 \\# 4 0000\${0,4,x}
EOZ
	});
});

###############################################################################

is_rrset('h001.z1.test', 'A', 'Z13 width', '192.0.2.1');
is_rrset('h003.z1.test', 'A', 'Z13 last', '192.0.2.3');
is_nxdomain('h1.z1.test', 'Z13 without the width');
is_nxdomain('h000.z1.test', 'Z13 before the first');
is_nxdomain('h004.z1.test', 'Z13 after the last');
is_nxdomain('\$GENERATE.z1.test', 'Z13 no record of that name');

is_rrset('60 s0.z1.test', 'A', 'Z13 step', '192.0.2.0');
is_rrset('60 s5.z1.test', 'A', 'Z13 step, second', '192.0.2.5');
is_rrset('60 s10.z1.test', 'A', 'Z13 step, third', '192.0.2.10');
is_nxdomain('s1.z1.test', 'Z13 between');

is_rrset('one7.z1.test', 'CNAME', 'Z13 one record', 'h001.z1.test.');
is_rrset('neg0.z1.test', 'TXT', 'Z13 offset', '"8 7 0009 8"');
is_rrset('neg1.z1.test', 'TXT', 'Z13 offset, second', '"9 8 0010 9"');
is_rrset('x00fe.00fe.00376.z1.test', 'A', 'Z13 radix', '192.0.2.1');
is_rrset('x0100.0100.00400.z1.test', 'A', 'Z13 radix, last', '192.0.2.1');
is_rrset('na.1.a.1.0.0.z1.test', 'PTR', 'Z13 nibbles', 'h001.z1.test.');
is_rrset('\$.\$.z1.test', 'TXT', 'Z13 dollars', '"\\\\1" "$ $"',
	'"\\\\2" "$ $"');
is_rrset('set.z1.test', 'A', 'Z13 rrset', '192.0.2.1', '192.0.2.2',
	'192.0.2.3');
is_rrset('same.z1.test', 'TXT', 'Z13 the same record', '"same"');
is_rrset('p2.z1.test', 'HTTPS', 'Z13 HTTPS', '2 . 1=026832026833 3=0002');
is_rrset('last4294967295.z1.test', 'TXT', 'Z13 greatest number',
	'"4294967296"');
is_rrset('abs6.z1.test', 'TYPE65280', 'Z13 absolute owner', '\# 1 06');
is_rrset('wide0.z1.test', 'A', 'Z13 greatest step', '192.0.2.1');
is_rrset('wide4294967295.z1.test', 'A', 'Z13 greatest step, end',
	'192.0.2.1');
is_rrset('w' . '0' x 61 . '1.z1.test', 'A', 'Z13 long label', '192.0.2.1');
is_rrset('7 a2.o.z1.test', 'A', 'Z13 $ORIGIN and $TTL', '192.0.2.2');
is_rrset('7 a2.o.z1.test', 'TXT', 'Z13 owner afterwards',
	'"the last owner"');
is_rrset('7 o.z1.test', 'A', 'Z13 owner is the origin', '192.0.2.1',
	'192.0.2.2');

dns_is(dns_ask('mx3.z1.test', 'MX'), <<'EOF', 'Z13 MX');
	NOERROR qr aa
	question	mx3.z1.test. IN MX
	answer		mx3.z1.test. 300 IN MX 2 h003.z1.test.
	additional	h003.z1.test. 300 IN A 192.0.2.3
EOF

dns_is(dns_ask('www.sub2.z1.test', 'A'), <<'EOF', 'Z13 delegation');
	NOERROR qr
	question	www.sub2.z1.test. IN A
	authority	sub2.z1.test. 300 IN NS ns.sub2.z1.test.
	additional	ns.sub2.z1.test. 300 IN A 192.0.2.2
EOF

# SOA, NS, ns1 and what was made

like((dns_error_log($t, qr/"z2.test" loaded/))[0], qr/, 100003 records,/,
	'Z13 number of records');
is_rrset('h1.z2.test', 'A', 'Z13 first of many', '10.0.0.1');
is_rrset('h100000.z2.test', 'A', 'Z13 last of many', '10.0.0.1');

# ranges

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z13 bounds');
$GENERATE 0-4294967295 h$ A 10.0.0.1
$GENERATE 1-1000001 h$ A 10.0.0.1
$GENERATE 0-4294967295/2 h$ A 10.0.0.1
$GENERATE 0-4294967296 h$ A 10.0.0.1
$GENERATE 0-99999999999999999999 h$ A 10.0.0.1
$GENERATE 1-2/4294967296 h$ A 10.0.0.1
last	A 192.0.2.256
EOZ
	refused
	emerg 6: $GENERATE makes 4294967296 records, more than the 1000000 that
		are allowed
	emerg 7: $GENERATE makes 1000001 records, more than the 1000000 that are
		allowed
	emerg 8: $GENERATE makes 2147483648 records, more than the 1000000 that
		are allowed
	emerg 9: "0-4294967296" is not a range like 1-100/2
	emerg 10: "0-99999999999999999999" is not a range like 1-100/2
	emerg 11: "1-2/4294967296" is not a range like 1-100/2
	emerg 12: "192.0.2.256" is not an IPv4 address
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z13 ranges');
$GENERATE 1-3/0 h$ A 10.0.0.1
$GENERATE 3-1 h$ A 10.0.0.1
$GENERATE 3-1/-1 h$ A 10.0.0.1
$GENERATE -1-3 h$ A 10.0.0.1
$GENERATE 1 h$ A 10.0.0.1
$GENERATE 1-3/ h$ A 10.0.0.1
$GENERATE 1-x h$ A 10.0.0.1
$GENERATE
$GENERATE 1-3
EOZ
	refused
	emerg 6: "1-3/0" has a step of 0
	emerg 7: "3-1" stops before it starts
	emerg 8: "3-1/-1" is not a range like 1-100/2
	emerg 9: "-1-3" is not a range like 1-100/2
	emerg 10: "1" is not a range like 1-100/2
	emerg 11: "1-3/" is not a range like 1-100/2
	emerg 12: "1-x" is not a range like 1-100/2
	emerg 13: no range
	emerg 14: no template
EOF

# what a line would become

my $zeros = '0' x 63;

zone_is($t, zone_text('z1.test', <<'EOZ'), <<EOF, 'Z13 entries');
$GENERATE 1-3 h${0,3,q} A 192.0.2.$
$GENERATE 1-3 h${0,256} A 192.0.2.$
$GENERATE 1-3 h${ A 192.0.2.$
$GENERATE 1-3 h${-2} A 192.0.2.$
$GENERATE 1-300 h$ A 192.0.2.$
$GENERATE 1-3 h${0,64} A 192.0.2.$
$GENERATE 1-2 h$.other. A 192.0.2.$
$GENERATE 1-3 h$ ( A 192.0.2.$
$GENERATE ( 1-3 h$ A 192.0.2.$ )
EOZ
	refused
	emerg 6: \$GENERATE modifier is not \${OFFSET,WIDTH,RADIX}
	emerg 7: \$GENERATE modifier is not \${OFFSET,WIDTH,RADIX}
	emerg 8: \$GENERATE modifier is not \${OFFSET,WIDTH,RADIX}
	emerg 9: \$GENERATE offset makes 1 negative
	emerg 10: \$GENERATE with 256: "192.0.2.256" is not an IPv4 address
	emerg 11: \$GENERATE with 1: "h$zeros..." is not a name: label is longer
		than 63 octets
	emerg 12: owner "h1.other." is outside the zone
	emerg 12: owner "h2.other." is outside the zone
	emerg 13: \$GENERATE with 1: parenthesis is not closed
	emerg 14: \$GENERATE inside parentheses
	emerg 14: too many errors
EOF

# a line that would get longer than 64 KiB

my $long = '${0,255}' x 300;

zone_is($t, zone_text('z1.test', "\$GENERATE 1-3 h TXT $long\n"), <<'EOF',
	refused
	emerg 6: $GENERATE makes a line that is too long
EOF
	'Z13 long line');

# an rrset that no message can hold, and one that is too large for a zone

is(length dns_ask('most.z3.test', 'TYPE65280', over => 'tcp'), 65534,
	'Z13 largest rrset');

is(scalar @{ dns_parse(dns_ask('most.z3.test', 'TYPE65280', over => 'tcp'))
	->{answer} }, $most, 'Z13 largest rrset, records');

dns_is(dns_ask('most.z3.test', 'TYPE65280'), <<'EOF', 'Z13 the same over UDP');
	NOERROR qr aa tc
	question	most.z3.test. IN TYPE65280
EOF

dns_is(dns_ask('more.z3.test', 'TYPE65280', over => 'tcp'), <<'EOF',
	SERVFAIL qr
	question	more.z3.test. IN TYPE65280
EOF
	'Z13 one record more');

my $large = 'the rrset is larger than any message, '
	. 'it is answered with SERVFAIL';

like((dns_error_log($t, qr/"more\.z3/))[0],
	qr/\[warn\].*"more\.z3\.test\." TYPE65280: $large in .*:7$/,
	'Z13 warning');

zone_is($t, zone_text('z1.test', "\$GENERATE 1-65535 a TXT \$\n"), <<EOF,
	accepted
	warn 6: "a.z1.test." TXT: $large
EOF
	'Z13 65535 records in a set');

zone_is($t, zone_text('z1.test', "\$GENERATE 0-65535 a TXT \$\n"), <<'EOF',
	refused
	emerg 6: "a.z1.test." TXT: more than 65535 records in one rrset
EOF
	'Z13 65536 records in a set');

zone_is($t, zone_text('z1.test', "\$GENERATE 1-1000000 a TXT x\n"), <<'EOF',
	accepted
EOF
	'Z13 a million records that are one');

# files that would be read 3 ** 14 times

my %files = map { ("i$_" => "\$INCLUDE i@{[ $_ + 1 ]}\n" x 3) } 1 .. 14;

$files{i15} = "a A 192.0.2.1\n";

like(zone_said($t, zone_text('z1.test', "\$INCLUDE i1\n"), files => \%files),
	qr/^refused\n
	emerg\ i\d+:\d:\ cannot\ include\ "i\d+":\ 65535\ files\ have\ been/x,
	'Z13 files in files');

undef $t;

###############################################################################

# A name may have its TTL in front, if that is not 300.

sub is_rrset {
	my ($qname, $type, $name, @rdata) = @_;

	my $ttl = $qname =~ s/^(\d+) // ? $1 : 300;
	my $answer = join '',
		map { "answer $qname. $ttl IN $type $_\n" } @rdata;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$qname. IN $type
EOF
}


sub is_nxdomain {
	my ($qname, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, 'A'), <<EOF, $name);
		NXDOMAIN qr aa
		question	$qname. IN A
		authority	${\ zone_soa('z1.test') }
EOF
}

###############################################################################
