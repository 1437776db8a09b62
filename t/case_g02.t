#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G02: malformed client subnet options are form errors.

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

# OPT records of the case and others, what the answer is

my @cases = (
	[ '000c00080008000118005102458e', 'FORMERR', 'too many octets' ],
	[ '000b00080007000117005102ff', 'FORMERR', 'bits behind the prefix' ],
	[ '000b0008000700011818510245', 'FORMERR', 'scope in a query' ],
	[ '000d00080009000121005102458e00', 'FORMERR', 'prefix of 33 bits' ],
	[ '000b0008000700031800510245', 'FORMERR', 'family 3' ],
	[ '0007' . '00080003' . '000118', 'FORMERR', 'three octets' ],
	[ '0004' . '00080000', 'FORMERR', 'no octets' ],
	[ '0016' . '0008000700011800510245' x 2, 'FORMERR', 'two options' ],
	[ '0010' . '0008000400010000' x 2, 'FORMERR', 'two options, /0' ],
	[ '000a' . '00080006' . '000118005102', 'FORMERR', 'too few octets' ],
	[ '0009' . '00080005' . '0000080051', 'FORMERR', 'family 0 with a prefix' ],
	[ '0019' . '00080015' . '00028100' . '20' x 17, 'FORMERR',
		'prefix of 129 bits' ],
	[ '0018' . '00080014' . '00027f00' . '20' x 15 . '01', 'FORMERR',
		'the last bit behind the prefix' ],
	[ '000b' . '00080007' . '01011800510245', 'FORMERR', 'family 257' ],

	# an option that ends behind the record, and one that is sound

	[ '000b' . '00080008' . '00011800510245', 'FORMERR', 'option is cut' ],
	[ '000b' . '00080007' . '00011700510244', 'NXDOMAIN', 'sound' ],
	[ '0008' . '00080004' . '00010000', 'NXDOMAIN', 'sound, /0' ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(2 * @cases + 3);

my $off = 8981;

dns_run($t,
	zones => { 'z1.test' => zone_z1() },
	counters => 1,
	stream => "server { listen 127.0.0.1:%%PORT_${off}_UDP%% udp;"
		. " dns on; dns_ecs off; dns_zone z1.test z1.test.zone; }");

my $before = dns_counters();

for my $case (@cases) {
	my ($opt, $rcode, $what) = @$case;

	my $query = pack 'H*', '1234000000010000000000010367656f027a310474657374'
		. '0000010001' . '00002904d000000000' . $opt;

	my $reply = dns_send($query);

	is(rcode($reply), $rcode, $what);
	is(unpack('H*', substr $reply, 0, 2), '1234', "$what, ID");
}

is(dns_moved($before), 'ecs=16 rcode_formerr=15 rcode_nxdomain=2 '
	. 'received_udp=17', 'counters');

# whoever does not look at subnets does not look at errors in them

my $bad = pack 'H*', '1234000000010000000000010367656f027a310474657374'
	. '000001000100002904d000000000' . '000b00080007000117005102ff';

is(rcode(dns_send($bad, port => port($off, udp => 1))), 'NXDOMAIN', 'off');

# TCP

is(rcode(dns_send($bad, proto => 'tcp')), 'FORMERR', 'TCP');

###############################################################################

sub rcode {
	return (split / /, dns_text($_[0]))[0];
}

###############################################################################
