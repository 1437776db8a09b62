#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for names outside our zones: REFUSED without records, case W25.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(37);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1);

my @questions = ('www.example.org A', '. NS', '. SOA', '. ANY', 'test A',
	'test NS', 'test DS', 'az1.test A', 'z1.test.org A');

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $question (@questions) {
		my ($name, $type) = split / /, $question;

		my $full = $name eq '.' ? '.' : "$name.";

		dns_is(dns_ask($name, $type, over => $over), <<EOF,
			REFUSED qr
			question	$full IN $type
EOF
			"W25 $question $over");

		# "Not Authoritative", RFC 8914

		dns_is(dns_ask($name, $type, over => $over, do => 1), <<EOF,
			REFUSED qr
			question	$full IN $type
			edns 0 size 1232 do
			option 15 0014
EOF
			"W25 $question with DO $over");
	}
}

is(dns_moved($before), 'rcode_refused=36 received_tcp=18 '
	. 'received_udp=18 tcp_accepted=18', 'W25 counters');

###############################################################################
