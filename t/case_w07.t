#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for referrals whose glue does not fit: TC unless all of the in-domain
# glue is there, case W07.

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

my $zone = zone_z1();

for my $n (1 .. 13) {
	$zone .= "big13\tNS\tns$n.big13\n"
		. "ns$n.big13\tA\t192.0.2.$n\n"
		. "ns$n.big13\tAAAA\t2001:db8::$n\n";
}

# three servers inside, ten in a sibling zone

for my $n (1 .. 3) {
	$zone .= "mixed\tNS\tns$n.mixed\n"
		. "ns$n.mixed\tA\t192.0.2.$n\n";
}

for my $n (1 .. 10) {
	$zone .= "mixed\tNS\tns$n.big13\n";
}

# the same with a signed DS

for my $n (1 .. 13) {
	$zone .= "sec13\tNS\tns$n.sec13\n"
		. "ns$n.sec13\tA\t192.0.2.$n\n"
		. "ns$n.sec13\tAAAA\t2001:db8::$n\n";
}

$zone .= "sec13\tDS\t12345 13 2 " . '1' x 64 . "\n"
	. "sec13\tRRSIG\tDS 13 3 300 20400101000000 20200101000000 1 z1.test. "
	. 'A' x 86 . "==\n";

dns_run($t, zones => { 'z1.test' => $zone });

###############################################################################

# What a referral holds; "in" counts glue of servers in the child zone.

sub referral {
	my ($child, @opts) = @_;

	my $m = dns_parse(dns_ask("x.$child.z1.test", 'A', @opts));
	my @glue = @{ $m->{additional} };
	my $in = grep { $_->{owner} =~ /\.$child\.z1/ } @glue;

	return {
		flags => "$m->{rcode} $m->{aa} " . @{ $m->{answer} },
		tc => $m->{tc},
		length => $m->{length},
		ns => scalar @{ $m->{authority} },
		ds => scalar(grep { $_->{type} eq 'DS' } @{ $m->{authority} }),
		sigs => scalar(grep { $_->{type} eq 'RRSIG' }
			@{ $m->{authority} }),
		in => $in,
		out => @glue - $in,
	};
}

for my $size (undef, 512, 700, 900, 1232) {
	my $name = 'W07 size ' . ($size // 'absent');
	my $r = referral('big13', edns => $size);

	is($r->{flags}, 'NOERROR 0 0', "$name, flags");

	if ($r->{in} == 26) {
		is("$r->{ns} $r->{tc}", '13 0', "$name, complete");

	} else {
		is($r->{tc}, 1, "$name, TC as glue is missing");
	}

	cmp_ok($r->{length}, '<=', $size // 512, "$name, length");
}

my $r = referral('big13', over => 'tcp');
is("$r->{ns} $r->{in} $r->{tc}", '13 26 0', 'W07 TCP');

# sibling glue may go, in-domain glue may not

$r = referral('mixed', edns => 512);
is("$r->{ns} $r->{in} $r->{tc}", '13 3 0', 'W07 sibling glue goes first');

for my $size (512, 600, 700, 800, 1000, 1232) {
	my $name = "W07 signed, size $size";
	my $r = referral('sec13', edns => $size, do => 1);

	is($r->{flags}, 'NOERROR 0 0', "$name, flags");

	if ($r->{in} == 26) {
		is("$r->{ns} $r->{ds} $r->{sigs} $r->{tc}", '15 1 1 0',
			"$name, complete");

	} else {
		is($r->{tc}, 1, "$name, TC as glue is missing");
	}

	# a signature comes with its DS or not at all

	is($r->{ds}, $r->{sigs}, "$name, signature");
}

$r = referral('sec13', edns => 1232, over => 'tcp');
is("$r->{ns} $r->{ds} $r->{sigs} $r->{in} $r->{tc}", '13 0 0 26 0',
	'W07 signed, without DO');

$r = referral('sec13', do => 1, over => 'tcp');
is("$r->{ns} $r->{ds} $r->{sigs} $r->{in} $r->{tc}", '15 1 1 26 0',
	'W07 signed, TCP');

###############################################################################
