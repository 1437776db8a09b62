#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the checks of a zone as a whole that give warnings, and for files
# with several errors, each with its line.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(15);

my $occluded = 'below a delegation and never answered';
my $glue = 'the name server has no address (missing glue)';
my $alias = 'the target has a CNAME (RFC 2181, 10.3)';

my $ttl = 'TTL differs from that of the other records of the rrset, '
	. 'the smallest is used';

my $checks = zone_text('z1.test', <<'EOZ');
alias	CNAME www
out	CNAME www.other.test.
www	A 192.0.2.1
mx	MX 5 alias
	MX 6 www
	MX 7 nowhere
	MX 8 mx.other.test.
	MX 9 out
_s._tcp	SRV 1 2 3 alias
ns	NS alias
	NS www
sub	NS ns.sub
	NS sub
	NS ns.other.test.
	NS nowhere
	DS 1 8 1 0000000000000000000000000000000000000000
	A 192.0.2.2
x.sub	TXT "occluded"
y.sub	A 192.0.2.3
sub2	NS ns.sub2
	NS ns.sub3
sub3	NS ns.sub3
ns.sub3	AAAA 2001:db8::1
a.b.sub3 MX 5 www
c.sub3	NS www
h	HTTPS 1 alias
p	PTR alias
c	CNAME alias
EOZ

zone_quietly(sub {
	dns_run($t, zones => { 'z1.test' => $checks });
});

###############################################################################

zone_is($t, $checks, <<EOF, 'all checks');
	accepted
	warn 23: "x.sub.z1.test." TXT: $occluded
	warn 29: "a.b.sub3.z1.test." MX: $occluded
	warn 30: "c.sub3.z1.test." NS: $occluded
	warn 14: "_s._tcp.z1.test." SRV: $alias
	warn 9: "mx.z1.test." MX: $alias
	warn 13: "mx.z1.test." MX: $alias
	warn 15: "ns.z1.test." NS: $alias
	warn 17: "sub.z1.test." NS: $glue
	warn 25: "sub2.z1.test." NS: $glue
EOF

# a start says the same

my @warnings = dns_error_log($t, qr/\[warn\].*zone "z1\.test": /);

is(scalar @warnings, 9, 'warnings at the start');

# what is warned of is answered as it stands

dns_is(dns_ask('mx.z1.test', 'MX'), <<'EOF', 'MX with a CNAME');
	NOERROR qr aa
	question	mx.z1.test. IN MX
	answer		mx.z1.test. 300 IN MX 5 alias.z1.test.
	answer		mx.z1.test. 300 IN MX 6 www.z1.test.
	answer		mx.z1.test. 300 IN MX 7 nowhere.z1.test.
	answer		mx.z1.test. 300 IN MX 8 mx.other.test.
	answer		mx.z1.test. 300 IN MX 9 out.z1.test.
	additional	www.z1.test. 300 IN A 192.0.2.1
EOF

dns_is(dns_ask('x.sub.z1.test', 'TXT'), <<'EOF', 'occluded data');
	NOERROR qr
	question	x.sub.z1.test. IN TXT
	authority	sub.z1.test. 300 IN NS nowhere.z1.test.
	authority	sub.z1.test. 300 IN NS ns.other.test.
	authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
	authority	sub.z1.test. 300 IN NS sub.z1.test.
	additional	sub.z1.test. 300 IN A 192.0.2.2
EOF

dns_is(dns_ask('x.sub2.z1.test', 'A'), <<'EOF', 'missing glue');
	NOERROR qr
	question	x.sub2.z1.test. IN A
	authority	sub2.z1.test. 300 IN NS ns.sub2.z1.test.
	authority	sub2.z1.test. 300 IN NS ns.sub3.z1.test.
	additional	ns.sub3.z1.test. 300 IN AAAA 2001:db8::1
EOF

# name servers of the zone itself

zone_is($t, <<'EOZ', <<EOF, 'addresses of the apex');
@ 300	SOA ns1 host 1 2 3 4 5
	NS ns1
	NS ns2.other.test.
	NS ns3
	NS ns4
ns3	CNAME www
ns4	A 192.0.2.4
EOZ
	accepted
	warn 2: "z1.test." NS: $glue
	warn 4: "z1.test." NS: $alias
EOF

# a signature that nothing belongs to

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'signature');
a	TXT "x"
	RRSIG TXT 13 3 300 20300101000000 20250101000000 1 z1.test. AAAA
	RRSIG A 13 3 300 20300101000000 20250101000000 1 z1.test. AAAA
EOZ
	accepted
	warn 8: "a.z1.test." RRSIG: covers a type that the owner lacks, ignored
EOF

# there may be very many

my $shown = join "\n", map {
	sprintf 'warn 7: "x%03d.sub.z1.test." TXT: %s', $_, $occluded } 0 .. 19;

zone_is($t, zone_text('z1.test', <<'EOZ'), <<EOF, 'many warnings');
sub	NS ns1
$GENERATE 0-999 x${0,3}.sub TXT x
EOZ
	accepted
	$shown
	warn: 980 more warnings are not shown
EOF

# no word about what is as it should be

zone_is($t, zone_text('z1.test', <<'EOZ'), "accepted\n", 'no warning');
www	A 192.0.2.1
mx	MX 0 .
	MX 10 www
	MX 10 mx.other.test.
sub	NS ns.sub
	DS 1 8 1 0000000000000000000000000000000000000000
ns.sub	A 192.0.2.2
ns2.a.sub AAAA 2001:db8::1
sub2	NS ns.sub
sub3	NS ns.other.test.
EOZ

# several errors in a file, of all kinds

my $bad = zone_text('z1.test', <<'EOZ');
a	A 192.0.2.256
b	AAAA 1.2.3.4

c	NOTYPE x ; comment
d	TXT "x
e	MX ( 10
	mx extra
	)
	A 192.0.2
f..g	A 192.0.2.1
$NOTHING
h	1x A 192.0.2.1
EOZ

zone_is($t, $bad, <<'EOF', 'several errors');
	refused
	emerg 6: "192.0.2.256" is not an IPv4 address
	emerg 7: "1.2.3.4" is not an IPv6 address
	emerg 9: "NOTYPE" is not an RR type
	emerg 10: quote is not closed
	emerg 12: "extra" is too much
	emerg 14: "192.0.2" is not an IPv4 address
	emerg 15: "f..g" is not a name: label is empty
	emerg 16: "$NOTHING" is not a directive
	emerg 17: "1x" is not a TTL (seconds up to 2147483647, or units like
		1w2d3h4m5s)
EOF

# too many for a screen: reading stops

$shown = join "\n", map { "emerg $_: \"1\" is not an IPv4 address" } 6 .. 15;

zone_is($t, zone_text('z1.test', "x A 1\n" x 1000), <<EOF, 'many errors');
	refused
	$shown
	emerg 15: too many errors
EOF

# errors of the zone as a whole are shown if there is none in the file

zone_is($t, zone_text('z1.test', "a CNAME b\na CNAME c\nd A 1\n"), <<'EOF',
	refused
	emerg 8: "1" is not an IPv4 address
EOF
	'errors of the file first');

my $one = 'only one record of this type is allowed';

$shown = join "\n", map {
	sprintf 'emerg 7: "x%03d.z1.test." CNAME: %s', $_, $one } 0 .. 19;

zone_is($t, zone_text('z1.test', <<'EOZ'), <<EOF, 'many errors of the zone');
$GENERATE 0-999 x${0,3} CNAME a
$GENERATE 0-999 x${0,3} CNAME b
EOZ
	refused
	$shown
	emerg: 980 more errors are not shown
	errors: 1000
EOF

# errors and warnings together

zone_is($t, zone_text('z1.test', <<'EOZ'), <<EOF, 'errors and warnings');
mx	MX 5 alias
alias	CNAME ns1
	A 192.0.2.1
a	5 A 192.0.2.1
	6 A 192.0.2.2
EOZ
	refused
	warn 10: "a.z1.test." A: $ttl
	emerg 8: "alias.z1.test." A: the owner has a CNAME, which allows no
		other data
EOF

# zones of one configuration are all looked at

is(scalar(() = zone_said($t, "x A 1\n", server => 'dns_zone z2.test '
	. 'check/z1.test.zone; dns_zone z3.test check/none.zone;')
	=~ /^said: .* is refused: 1 errors/mg), 2, 'errors of several zones');

###############################################################################
