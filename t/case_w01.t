#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for EDNS versions other than 0, case W01.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(10);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1);

my $expected = <<'EOF';
	BADVERS qr
	question	z1.test. IN SOA
	edns 0 size 1232
EOF

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {
	my @to = (over => $over, edns => 1232);

	dns_is(dns_ask('z1.test', 'SOA', @to, version => 1), $expected,
		"W01 version 1 $over");
	dns_is(dns_ask('z1.test', 'SOA', @to, version => 255), $expected,
		"W01 version 255 $over");
	dns_is(dns_ask('z1.test', 'SOA', @to, version => 1,
		options => [ [ 100, '' ] ]), $expected,
		"W01 version 1 and an unknown option $over");
}

my $m = dns_parse(dns_ask('z1.test', 'SOA', version => 1));

is($m->{header_rcode}, 0, 'W01 rcode in the header');
is($m->{opt}{ext_rcode}, 1, 'W01 rcode in OPT');

dns_is(dns_ask('z1.test', 'SOA', version => 0), <<EOF, 'W01 good query');
	NOERROR qr aa
	question	z1.test. IN SOA
	answer		${\ zone_soa('z1.test', 300) }
	edns 0 size 1232
EOF

is(dns_moved($before), 'rcode_badvers=7 rcode_noerror=1 '
	. 'received_tcp=3 received_udp=5 tcp_accepted=3', 'W01 counters');

###############################################################################
