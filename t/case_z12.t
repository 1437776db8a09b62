#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for what a zone must have and must not have as a whole, case Z12: each
# defect is refused with file and line; a record that comes twice is one, and
# an rrset has one TTL.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(34);

zone_quietly(sub {
	dns_run($t, zones => { 'z1.test' => zone_text('z1.test', <<'EOZ') });
same	A	192.0.2.1
	A	192.0.2.1
	A	192.0.2.2
SAME	A	192.0.2.1
same	A	\# 4 c0000201
ttl	600	A 192.0.2.1
ttl	5	A 192.0.2.2
ttl	60	A 192.0.2.3
ttl	60	TXT "another type"
both	600	TXT "x"
both	5	TXT "x"
cname	CNAME www
cname	CNAME WWW.z1.test.
@	SOA	ns1 host 2026010101 7200 3600 1209600 60
@	NS	NS1
mx	MX 010 ns1
mx	MX 10 ns1.Z1.test.
txt	TXT "x"
	TXT "X"
zero	0 A 192.0.2.1
	10 A 192.0.2.2
sub	3 NS ns.sub
	4 NS ns2.sub
ns.sub	7 A 192.0.2.60
	6 A 192.0.2.61
ns2.sub	8 A 192.0.2.62
EOZ
});

###############################################################################

is_rrset('same.z1.test', 'A', 300, 'Z12 a record five times', '192.0.2.1',
	'192.0.2.2');
is_rrset('ttl.z1.test', 'A', 5, 'Z12 smallest TTL', '192.0.2.1', '192.0.2.2',
	'192.0.2.3');
is_rrset('ttl.z1.test', 'TXT', 60, 'Z12 TTL of another type',
	'"another type"');
is_rrset('both.z1.test', 'TXT', 5, 'Z12 a record with two TTLs', '"x"');
is_rrset('cname.z1.test', 'CNAME', 300, 'Z12 CNAME twice', 'www.z1.test.');
is_rrset('z1.test', 'SOA', 300, 'Z12 SOA twice',
	'ns1.z1.test. host.z1.test. 2026010101 7200 3600 1209600 60');
is_rrset('txt.z1.test', 'TXT', 300, 'Z12 case of strings', '"X"', '"x"');
is_rrset('zero.z1.test', 'A', 0, 'Z12 TTL of 0', '192.0.2.1', '192.0.2.2');

dns_is(dns_ask('z1.test', 'NS'), <<'EOF', 'Z12 NS twice');
	NOERROR qr aa
	question	z1.test. IN NS
	answer		z1.test. 300 IN NS ns1.z1.test.
	additional	ns1.z1.test. 300 IN A 192.0.2.53
EOF

dns_is(dns_ask('mx.z1.test', 'MX'), <<'EOF', 'Z12 MX twice');
	NOERROR qr aa
	question	mx.z1.test. IN MX
	answer		mx.z1.test. 300 IN MX 10 ns1.z1.test.
	additional	ns1.z1.test. 300 IN A 192.0.2.53
EOF

dns_is(dns_ask('x.sub.z1.test', 'A'), <<'EOF', 'Z12 TTLs of a delegation');
	NOERROR qr
	question	x.sub.z1.test. IN A
	authority	sub.z1.test. 3 IN NS ns.sub.z1.test.
	authority	sub.z1.test. 3 IN NS ns2.sub.z1.test.
	additional	ns.sub.z1.test. 6 IN A 192.0.2.60
	additional	ns.sub.z1.test. 6 IN A 192.0.2.61
	additional	ns2.sub.z1.test. 8 IN A 192.0.2.62
EOF

# the warning names the record that differs

my $differs = 'TTL differs from that of the other records of the rrset, '
	. 'the smallest is used';

zone_is($t, zone_text('z1.test', <<'EOZ'), <<EOF, 'Z12 warning');
a	600 A 192.0.2.1
a	5 A 192.0.2.2
b	7 A 192.0.2.1
b	7 A 192.0.2.2
b	8 AAAA 2001:db8::1
EOZ
	accepted
	warn 7: "a.z1.test." A: $differs
EOF

zone_is($t, zone_text('z1.test', "a A 192.0.2.1\na A 192.0.2.1\n"), <<'EOF',
	accepted
EOF
	'Z12 a record twice');

# CNAME

my $one = 'only one record of this type is allowed';
my $alias = 'the owner has a CNAME, which allows no other data';
my $apex = 'no CNAME can be at the apex, which has other data';

refused('two CNAMEs', <<'EOZ', <<EOF);
a	CNAME b
	CNAME c
EOZ
	emerg 7: "a.z1.test." CNAME: $one
EOF

refused('CNAME, then A', <<'EOZ', <<EOF);
a	CNAME b
	A 192.0.2.1
EOZ
	emerg 7: "a.z1.test." A: $alias
EOF

refused('A, then CNAME far away', <<'EOZ', <<EOF);
a	A 192.0.2.1
	AAAA 2001:db8::1
b	A 192.0.2.1
A	CNAME b
EOZ
	emerg 6: "a.z1.test." A: $alias
	emerg 7: "a.z1.test." AAAA: $alias
EOF

refused('CNAME and an unknown type', <<'EOZ', <<EOF);
a	CNAME b
	TYPE65280 \# 0
EOZ
	emerg 7: "a.z1.test." TYPE65280: $alias
EOF

refused('CNAME and NS', <<'EOZ', <<EOF);
a	CNAME b
	NS ns1
EOZ
	emerg 7: "a.z1.test." NS: $alias
EOF

refused('CNAME at a wildcard', <<'EOZ', <<EOF);
*.a	CNAME b
	A 192.0.2.1
EOZ
	emerg 7: "*.a.z1.test." A: $alias
EOF

refused('CNAME at the apex', "\@\tCNAME b\n", <<EOF);
	emerg 6: "z1.test." CNAME: $apex
EOF

# what signers put beside a CNAME may stand there (RFC 4034, 4)

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'Z12 CNAME and NSEC');
a	CNAME b
	NSEC b CNAME RRSIG NSEC
	RRSIG CNAME 13 3 300 20300101000000 20250101000000 1 z1.test. AAAA
	RRSIG NSEC 13 3 60 20300101000000 20250101000000 1 z1.test. AAAA
EOZ
	accepted
EOF

# DNAME

refused('two DNAMEs', "a DNAME b\na DNAME c\n", <<EOF);
	emerg 7: "a.z1.test." DNAME: $one
EOF

refused('data below a DNAME', "a DNAME b\nx.y.a A 192.0.2.1\n", <<'EOF');
	emerg 7: "x.y.a.z1.test." A: data below a DNAME
EOF

refused('DNAME and CNAME', "a DNAME b\na CNAME c\n", <<EOF);
	emerg 6: "a.z1.test." DNAME: $alias
EOF

refused('DNAME and NS', "a DNAME b\na NS ns1\n", <<'EOF');
	emerg 7: "a.z1.test." NS: NS beside a DNAME below the apex
EOF

# owners

refused('owner of another zone', <<'EOZ', <<'EOF');
www.other.test.	A 192.0.2.1
$ORIGIN test.
@	A 192.0.2.1
xz1	A 192.0.2.1
www.z1	A 192.0.2.1
z1.test	A 192.0.2.1
EOZ
	emerg 6: owner "www.other.test." is outside the zone
	emerg 8: owner "test." is outside the zone
	emerg 9: owner "xz1.test." is outside the zone
	emerg 11: owner "z1.test.test." is outside the zone
EOF

# SOA and NS

refused('two SOAs', <<'EOZ', <<EOF);
@	SOA ns1 host 2026010102 7200 3600 1209600 60
EOZ
	emerg 6: "z1.test." SOA: $one
EOF

refused('SOA elsewhere', "a SOA ns1 host 1 2 3 4 5\n", <<'EOF');
	emerg 6: "a.z1.test." SOA: an SOA stands only at the apex
EOF

refused('wildcard NS', "*.a NS ns1\n", <<'EOF');
	emerg 6: "*.a.z1.test." NS: this type cannot be at a wildcard
EOF

my $soa = '@ 300 SOA ns1 host 2026010101 7200 3600 1209600 60';

zone_is($t, "\@ 300 NS ns1\nns1 A 192.0.2.53\n", <<'EOF', 'Z12 no SOA');
	refused
	emerg: zone has no SOA record
EOF

zone_is($t, "$soa\nns1 A 192.0.2.53\n", <<'EOF', 'Z12 no NS');
	refused
	emerg: zone has no NS record at its apex
EOF

zone_is($t, "ns1 A 192.0.2.53\n", <<'EOF', 'Z12 nothing at the apex');
	refused
	emerg: zone has no SOA record
EOF

zone_is($t, "$soa\nsub NS ns1\nns1 A 192.0.2.53\n", <<'EOF',
	refused
	emerg: zone has no NS record at its apex
EOF
	'Z12 NS elsewhere');

# several at once

refused('several defects', <<'EOZ', <<EOF);
a	CNAME b
	CNAME c
	A 192.0.2.1
@	SOA ns1 host 2026010102 7200 3600 1209600 60
d	SOA ns1 host 1 2 3 4 5
*.e	NS ns1
EOZ
	emerg 9: "z1.test." SOA: $one
	emerg 8: "a.z1.test." A: $alias
	emerg 7: "a.z1.test." CNAME: $one
	emerg 10: "d.z1.test." SOA: an SOA stands only at the apex
	emerg 11: "*.e.z1.test." NS: this type cannot be at a wildcard
EOF

undef $t;

###############################################################################

sub is_rrset {
	my ($qname, $type, $ttl, $name, @rdata) = @_;

	my $answer = join '',
		map { "answer $qname. $ttl IN $type $_\n" } @rdata;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$qname. IN $type
EOF
}


sub refused {
	my ($name, $records, $said) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	zone_is($t, zone_text('z1.test', $records), "refused\n$said",
		"Z12 $name");
}

###############################################################################
