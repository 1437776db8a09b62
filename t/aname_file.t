#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for ANAME and ALIAS in zone files: what the reader takes and refuses,
# what is answered, what is never seen, and that a reload reads what changed
# and nothing else.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Zone;

use Time::HiRes qw/ sleep utime time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(26);

my %zones = (
	'a.test' => zone_text('a.test', <<'EOF'),
@	3600 ANAME www.b.test.
@	MX	10 ns1
@	TXT	"apex"
ALIAS	100 IN ALIAS www
www	30 A	192.0.2.1
www	AAAA	2001:db8::1
both	ANAME	www
both	A	192.0.2.2
*.wild	20 alias www
$GENERATE 1-3 g$ 10 ANAME h$
$GENERATE 1-3 h$ A 198.51.100.$
EOF
	'b.test' => zone_text('b.test', <<'EOF'),
www	60 CNAME www2
www2	90 A	192.0.2.3
www2	90 A	192.0.2.4
EOF
);

# files that seem to be old at once are not looked at again

my $d = $t->testdir();
my $then = time() - 60;

$t->write_file("$_.zone", $zones{$_}) for keys %zones;
utime $then, $then, map { "$d/$_.zone" } keys %zones;
sleep 3.1;

dns_run($t, conf => dns_conf(zones => \%zones));

my $soa = zone_soa('a.test');

###############################################################################

# what is answered

dns_is(dns_ask('a.test', 'A'), <<EOF, 'apex');
	NOERROR qr aa
	question	a.test. IN A
	answer		a.test. 60 IN A 192.0.2.3
	answer		a.test. 60 IN A 192.0.2.4
EOF

dns_is(dns_ask('a.test', 'AAAA'), <<EOF, 'apex, no such type at the target');
	NOERROR qr aa
	question	a.test. IN AAAA
	authority	$soa
EOF

dns_is(dns_ask('a.test', 'MX'), <<EOF, 'apex, another type');
	NOERROR qr aa
	question	a.test. IN MX
	answer		a.test. 300 IN MX 10 ns1.a.test.
	additional	ns1.a.test. 300 IN A 192.0.2.53
EOF

dns_is(dns_ask('a.test', 'SOA'), <<EOF, 'apex, SOA');
	NOERROR qr aa
	question	a.test. IN SOA
	answer		@{[ zone_soa('a.test', 300) ]}
EOF

dns_is(dns_ask('alias.a.test', 'A'), <<EOF, 'ALIAS at ALIAS');
	NOERROR qr aa
	question	alias.a.test. IN A
	answer		alias.a.test. 30 IN A 192.0.2.1
EOF

dns_is(dns_ask('alias.a.test', 'AAAA'), <<EOF, 'ALIAS, AAAA');
	NOERROR qr aa
	question	alias.a.test. IN AAAA
	answer		alias.a.test. 100 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('both.a.test', 'A'), <<EOF, 'own A');
	NOERROR qr aa
	question	both.a.test. IN A
	answer		both.a.test. 300 IN A 192.0.2.2
EOF

dns_is(dns_ask('both.a.test', 'AAAA'), <<EOF, 'beside own A');
	NOERROR qr aa
	question	both.a.test. IN AAAA
	answer		both.a.test. 300 IN AAAA 2001:db8::1
EOF

dns_is(dns_ask('x.y.wild.a.test', 'A'), <<EOF, 'wildcard');
	NOERROR qr aa
	question	x.y.wild.a.test. IN A
	answer		x.y.wild.a.test. 20 IN A 192.0.2.1
EOF

dns_is(dns_ask('x.wild.a.test', 'TXT'), <<EOF, 'wildcard, another type');
	NOERROR qr aa
	question	x.wild.a.test. IN TXT
	authority	$soa
EOF

dns_is(dns_ask('g3.a.test', 'A'), <<EOF, '$GENERATE');
	NOERROR qr aa
	question	g3.a.test. IN A
	answer		g3.a.test. 10 IN A 198.51.100.3
EOF

# it is never seen

for my $type (qw/ ANY TYPE65535 TYPE65401 CNAME RRSIG HTTPS /) {
	dns_is(dns_ask('alias.a.test', $type), <<EOF, "not seen by $type");
	NOERROR qr aa
	question	alias.a.test. IN $type
	authority	$soa
EOF
}

is(dns_text(dns_ask('alias.a.test', 'A', over => 'tcp')),
	dns_text(dns_ask('alias.a.test', 'A')), 'over TCP');

# unchanged files are not read again, changed ones are

is(loaded('a.test'), 1, 'read once');

reload();

is(loaded('a.test'), 1, 'unchanged is not read again');

$t->write_file('a.test.zone', $zones{'a.test'} =~ s/2026010101/2026010102/r
	=~ s/ALIAS www/ALIAS h2/r);

reload();

is(loaded('a.test'), 2, 'changed is read again');

dns_is(dns_ask('alias.a.test', 'A'), <<EOF, 'changed');
	NOERROR qr aa
	question	alias.a.test. IN A
	answer		alias.a.test. 100 IN A 198.51.100.2
EOF

# what is refused

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'errors of lines');
a	ANAME
b	ANAME x y
c	ANAME x..y
d	ANAMES x
$GENERATE 1-2 e$ ANAME
ok	ANAME x
f	CH ANAME x
EOZ
	refused
	emerg 6: no name
	emerg 7: "y" is too much
	emerg 8: "x..y" is not a name: label is empty
	emerg 9: "ANAMES" is not an RR type
	emerg 10: $GENERATE with 1: no name
	emerg 12: "CH" is not the class IN
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'errors of names');
a	ANAME x
a	ANAME y
a	A 192.0.2.1
b	CNAME x
b	ALIAS x
c	ANAME x
c	ALIAS x
*.w	ANAME x
d	DNAME x
x.d	ANAME x
EOZ
	refused
	emerg 7: "a.z1.test." ANAME: only one ANAME is allowed at a name
	emerg 10: "b.z1.test." ANAME: the owner has a CNAME, which allows no
	  other data
	emerg 15: "x.d.z1.test." ANAME: data below a DNAME
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'warnings');
@	RRSIG SOA 13 2 300 20360101000000 20260101000000 1 z1.test. AA==
@	ANAME x
sub	NS ns.sub
sub	ANAME x
ns.sub	A 192.0.2.1
y.sub	ANAME x
EOZ
	accepted
	warn 7: "z1.test." ANAME: the zone is signed, but there can be no
	  signatures for the addresses of the target
	warn 9: "sub.z1.test." ANAME: at a delegation and never answered
	warn 11: "y.sub.z1.test." ANAME: below a delegation and never answered
EOF

zone_is($t, zone_text('z1.test', <<'EOZ'), <<'EOF', 'what may be beside it');
@	ANAME x
@	MX 1 ns1
@	TXT x
d	ANAME x
d	DNAME elsewhere.
EOZ
	accepted
EOF

undef $t;

###############################################################################

sub loaded {
	my ($zone) = @_;

	return count(qr/zone "\Q$zone\E" loaded/);
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


# Reloads and waits until the old worker is gone.

sub reload {
	my $gone = count(qr/worker process \d+ exited/);

	$t->reload();

	for (1 .. 200) {
		last if count(qr/worker process \d+ exited/) > $gone;
		sleep 0.05;
	}
}

###############################################################################
