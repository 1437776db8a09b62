#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for counts of questions other than 1, and that an unknown opcode is
# found before them, case W12 (RFC 8906, 3.1.4; RFC 9619).

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

my @questions = map { substr $_, 12 } dns_query('www.z1.test', 'A'),
	dns_query('www.z1.test', 'AAAA');

# A message with an opcode and some questions.

sub message {
	my ($opcode, $n) = @_;

	return pack('n6', 0x1234, $opcode << 11, $n, 0, 0, 0)
		. join '', @questions[0 .. $n - 1];
}

my $before = dns_counters();

###############################################################################

for my $over (qw/ udp tcp /) {

	dns_is(dns_send(message(0, 0), proto => $over), "FORMERR qr\n",
		"W12 QUERY, no question $over");

	dns_is(dns_send(message(0, 2), proto => $over), "FORMERR qr\n",
		"W12 QUERY, two questions $over");

	dns_is(dns_send(message(0, 1), proto => $over), <<EOF,
		NOERROR qr aa
		question	www.z1.test. IN A
		answer		www.z1.test. 300 IN A 192.0.2.1
EOF
		"W12 QUERY, one question $over");
}

my @names = qw/ QUERY IQUERY STATUS 3 NOTIFY UPDATE DSO 7 8 9 10 11 12 13 14
	15 /;

for my $opcode (1 .. 15) {
	dns_is(dns_send(message($opcode, 0)), "NOTIMP $names[$opcode] qr\n",
		"W12 opcode $opcode, no question");

	dns_is(dns_send(message($opcode, 2)), "NOTIMP $names[$opcode] qr\n",
		"W12 opcode $opcode, two questions");
}

is(dns_moved($before), 'rcode_formerr=4 rcode_noerror=2 '
	. 'rcode_notimp=30 received_tcp=3 received_udp=33 tcp_accepted=3',
	'W12 counters');

###############################################################################
