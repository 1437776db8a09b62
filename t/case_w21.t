#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for ANY: one rrset, or HINFO where that would be too much, case W21
# (RFC 8482).

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(40);

# signatures of a zone that was signed elsewhere

sub rrsig {
	my ($owner, $type, $labels) = @_;

	return "$owner\tRRSIG\t$type 13 $labels 300 20400101000000 "
		. "20200101000000 1 s.test. " . 'A' x 86 . "==\n";
}

my $signed = zone_text('s.test', "www\tA\t192.0.2.1\nwww\tAAAA\t2001:db8::1\n"
	. "big\tTXT\t\"" . 'x' x 200 . "\"\n"
	. rrsig('www', 'A', 3) . rrsig('www', 'AAAA', 3)
	. rrsig('big', 'TXT', 3)
	. rrsig('@', 'SOA', 2) . rrsig('@', 'NS', 2) . rrsig('ns1', 'A', 3));

dns_run($t, zones => { 'z1.test' => zone_z1(), 's.test' => $signed });

my $soa = zone_soa('z1.test');

###############################################################################

for my $over (qw/ udp tcp /) {

	for my $name (qw/ z1.test www.z1.test big.z1.test x.wild.z1.test /) {
		my $query = dns_query($name, 'ANY');
		my $reply = dns_send($query, proto => $over);
		my $m = dns_parse($reply);

		my %sets = map { ("$_->{owner} $_->{type}" => 1) }
			@{ $m->{answer} };

		is("$m->{rcode} $m->{aa}$m->{tc}", 'NOERROR 10',
			"W21 $name $over");
		is(scalar keys %sets, 1, "W21 $name $over, one rrset");
		cmp_ok(length $reply, '<=', 3 * length $query,
			"W21 $name $over, length");
	}

	dns_is(dns_ask('nope.z1.test', 'ANY', over => $over), <<EOF,
		NXDOMAIN qr aa
		question	nope.z1.test. IN ANY
		authority	$soa
EOF
		"W21 no name $over");

	dns_is(dns_ask('ent.z1.test', 'ANY', over => $over), <<EOF,
		NOERROR qr aa
		question	ent.z1.test. IN ANY
		authority	$soa
EOF
		"W21 empty non-terminal $over");

	dns_is(dns_ask('alias.z1.test', 'ANY', over => $over), <<EOF,
		NOERROR qr aa
		question	alias.z1.test. IN ANY
		answer		alias.z1.test. 300 IN CNAME www.z1.test.
EOF
		"W21 CNAME $over");

	dns_is(dns_ask('x.sub.z1.test', 'ANY', over => $over), <<EOF,
		NOERROR qr
		question	x.sub.z1.test. IN ANY
		authority	sub.z1.test. 300 IN NS ns.sub.z1.test.
		additional	ns.sub.z1.test. 300 IN A 192.0.2.60
EOF
		"W21 referral $over");
}

# nothing suits

dns_is(dns_ask('big.z1.test', 'ANY', edns => 4096), <<EOF, 'W21 HINFO');
	NOERROR qr aa
	question	big.z1.test. IN ANY
	answer		big.z1.test. 60 IN HINFO "RFC8482" ""
	edns 0 size 1232
EOF

dns_is(dns_ask('a.b.ent.z1.test', 'ANY'), <<EOF, 'W21 the only rrset');
	NOERROR qr aa
	question	a.b.ent.z1.test. IN ANY
	answer		a.b.ent.z1.test. 300 IN A 192.0.2.2
EOF

# with signatures

for my $over (qw/ udp tcp /) {
	dns_is(dns_ask('www.s.test', 'ANY', do => 1, over => $over), <<EOF,
		NOERROR qr aa
		question	www.s.test. IN ANY
		answer		www.s.test. 300 IN A 192.0.2.1
		answer		www.s.test. 300 IN RRSIG A 13 3 300 2208988800 1577836800 1 s.test. ${\ ('A' x 86)}==
		edns 0 size 1232 do
EOF
		"W21 signed $over");

	dns_is(dns_ask('www.s.test', 'ANY', over => $over), <<EOF,
		NOERROR qr aa
		question	www.s.test. IN ANY
		answer		www.s.test. 300 IN A 192.0.2.1
EOF
		"W21 signed, without DO $over");

	my $m = dns_parse(dns_ask('big.s.test', 'ANY', do => 1,
		over => $over));

	is(join(' ', map { $_->{type} } @{ $m->{answer} }), 'TXT RRSIG',
		"W21 signed, nothing is made up $over");
}

###############################################################################
