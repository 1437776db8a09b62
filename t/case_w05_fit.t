#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for replies that just fit, with and without OPT, and one octet less;
# for replies over TCP, which have no such limit, and for "dns_udp_size",
# case W05.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(25);

# reply: header 12, question 18, record 12 + 1 + n and + 1 after 255; OPT 11

my @sizes = (512, 523, 1221, 1232, 1400);

my $zone = zone_z1();

for my $size (@sizes) {
	my $n = $size - 12 - length("\4sXYZ\2z1\4test\0") - 4 - 12;

	# "s0512" has one octet more than "sXYZ"

	$n--;

	my @strings;

	while ($n > 0) {
		my $len = $n - 1 > 255 ? 255 : $n - 1;

		push @strings, '"' . 'x' x $len . '"';
		$n -= 1 + $len;
	}

	$zone .= sprintf "s%04d\tTXT\t%s\n", $size, join ' ', @strings;
}

dns_run($t, zones => { 'z1.test' => $zone }, server => 'dns_udp_size 1400;');

###############################################################################

sub shape {
	my ($name, @opts) = @_;

	my $reply = dns_ask("$name.z1.test", 'TXT', @opts);
	my $m = dns_parse($reply);

	return join ' ', length $reply, 'tc', $m->{tc}, 'records',
		scalar @{ $m->{answer} };
}

# over TCP, all

is(shape("s$_", over => 'tcp'), ($_ + 0) . ' tc 0 records 1', "W05 TCP $_")
	for map { sprintf '%04d', $_ } @sizes;

# without OPT, 512

is(shape('s0512'), '512 tc 0 records 1', 'W05 512 fits');
is(shape('s0523'), '31 tc 1 records 0', 'W05 523 does not');

# with OPT, the size that was given, OPT included

is(shape('s0512', edns => 512), '42 tc 1 records 0', 'W05 512 and OPT in 512');
is(shape('s0512', edns => 522), '42 tc 1 records 0', 'W05 512 and OPT in 522');
is(shape('s0512', edns => 523), '523 tc 0 records 1', 'W05 512 and OPT in 523');
is(shape('s0512', edns => 524), '523 tc 0 records 1', 'W05 512 and OPT in 524');
is(shape('s0523', edns => 523), '42 tc 1 records 0', 'W05 523 and OPT in 523');

is(shape('s1221', edns => 1231), '42 tc 1 records 0', 'W05 1221 in 1231');
is(shape('s1221', edns => 1232), '1232 tc 0 records 1', 'W05 1221 in 1232');
is(shape('s1232', edns => 1232), '42 tc 1 records 0', 'W05 1232 in 1232');
is(shape('s1232', edns => 1243), '1243 tc 0 records 1', 'W05 1232 in 1243');

# our own limit

is(shape('s1400', edns => 4096), '42 tc 1 records 0', 'W05 above our limit');
is(shape('s1400', edns => 65535), '42 tc 1 records 0', 'W05 far above');

is(dns_parse(dns_ask('z1.test', 'SOA', edns => 512))->{opt}{size}, 1400,
	'W05 our limit in OPT');

# with other options in the reply

is(shape('s1221', edns => 1232, do => 1), '1232 tc 0 records 1', 'W05 DO');
is(shape('s1221', edns => 1232, options => [ [ 100, 'x' x 100 ] ]),
	'1232 tc 0 records 1', 'W05 unknown option');

# TCP again, the set of 20

for my $size (undef, 0, 512, 65535) {
	my $m = dns_parse(dns_ask('big.z1.test', 'TXT', over => 'tcp',
		edns => $size));

	is("$m->{tc} " . @{ $m->{answer} }, '0 20',
		'W05 TCP, size ' . ($size // 'absent'));
}

###############################################################################
