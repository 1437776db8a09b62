#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zone transfers: refused over UDP and TCP, case W23.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(17);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1);

my $soa = dns_rr('z1.test', 'SOA', 'IN', 0, dns_name('ns1.z1.test')
	. dns_name('host.z1.test') . pack('N5', 2026010100, 0, 0, 0, 0));

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $name (qw/ z1.test www.z1.test nope.z1.test /) {
		dns_is(dns_ask($name, 'AXFR', over => $over), <<EOF,
			REFUSED qr
			question	$name. IN AXFR
EOF
			"W23 AXFR $name $over");
	}

	dns_is(dns_ask('example.org', 'AXFR', over => $over), <<EOF,
		REFUSED qr
		question	example.org. IN AXFR
EOF
		"W23 AXFR of no zone of ours $over");

	dns_is(dns_ask('z1.test', 'IXFR', over => $over,
		authority => [ $soa ]), <<EOF, "W23 IXFR $over");
		REFUSED qr
		question	z1.test. IN IXFR
EOF

	dns_is(dns_ask('z1.test', 'IXFR', over => $over), <<EOF,
		REFUSED qr
		question	z1.test. IN IXFR
EOF
		"W23 IXFR without SOA $over");

	my $m = dns_parse(dns_ask('z1.test', 'AXFR', over => $over,
		edns => 4096, do => 1));

	is(join(' ', $m->{rcode}, map { scalar @{ $m->{$_} } }
		qw/ answer authority additional /), 'REFUSED 0 0 0',
		"W23 AXFR with EDNS $over");

	# the SOA in the authority section may be cut short

	dns_is(dns_ask('z1.test', 'IXFR', over => $over,
		authority => [ substr $soa, 0, -1 ]), <<EOF,
		FORMERR qr
		question	z1.test. IN IXFR
EOF
		"W23 IXFR, broken SOA $over");
}

is(dns_moved($before), 'rcode_formerr=2 rcode_refused=14 '
	. 'received_tcp=8 received_udp=8 tcp_accepted=8', 'W23 counters');

###############################################################################
