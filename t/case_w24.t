#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for classes other than IN: REFUSED, the question as it was, case W24.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(24);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1);

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $class (qw/ CH HS NONE ANY CLASS2 CLASS65280 /) {
		dns_is(dns_ask('www.z1.test', 'A', class => $class,
			over => $over), <<EOF, "W24 $class $over");
			REFUSED qr
			question	www.z1.test. $class A
EOF
	}

	# nothing is disclosed

	for my $name (qw/ version.bind version.server id.server
		hostname.bind /)
	{
		dns_is(dns_ask($name, 'TXT', class => 'CH', over => $over),
			<<EOF, "W24 $name $over");
			REFUSED qr
			question	$name. CH TXT
EOF
	}
}

# the octets of the class

for my $class (0, 3, 255) {
	my $m = dns_parse(dns_ask('www.z1.test', 'A', class => $class));

	is(unpack('n', substr $m->{question_raw}, -2), $class,
		"W24 class $class");
}

is(dns_moved($before), 'rcode_refused=23 received_tcp=10 '
	. 'received_udp=13 tcp_accepted=10', 'W24 counters');

###############################################################################
