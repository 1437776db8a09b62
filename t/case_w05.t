#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the sizes of UDP replies: what the requestor takes, at least 512,
# and at most our own limit, case W05.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(60);

# records of 1 kB and less: a reply that fits between 512 and 1232

my $mid = join '', map { sprintf "mid\tTXT\t\"%d%s\"\n", $_, 'y' x 199 } 1 .. 4;
my $small = "small\tTXT\t\"" . 'z' x 255 . "\" \"" . 'z' x 150 . "\"\n";

dns_run($t, zones => { 'z1.test' => zone_z1($mid . $small) });

###############################################################################

for my $size (undef, 0, 1, 100, 511, 512, 513, 1231, 1232, 1233, 4096, 65535) {
	my $name = 'W05 size ' . ($size // 'absent');
	my $limit = ($size // 0) < 512 ? 512 : $size > 1232 ? 1232 : $size;

	my $reply = dns_ask('big.z1.test', 'TXT', edns => $size);

	cmp_ok(length $reply, '<=', $limit, $name);
	dns_is($reply, <<EOF . (defined $size ? "edns 0 size 1232\n" : ''),
		NOERROR qr aa tc
		question	big.z1.test. IN TXT
EOF
		"$name, TC");

	$reply = dns_ask('mid.z1.test', 'TXT', edns => $size);

	my $m = dns_parse($reply);
	my $fits = $limit >= 1000;

	cmp_ok(length $reply, '<=', $limit, "$name, medium");
	is($m->{tc}, $fits ? 0 : 1, "$name, medium, TC");
	is(scalar @{ $m->{answer} }, $fits ? 4 : 0, "$name, medium, records");
}

###############################################################################
