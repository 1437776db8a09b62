#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G09 with pools: the share of each address as the first one is
# as its weight says (chi-squared), also behind a filter by place.

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

# weights by name, and what they come to

my %sets = (
	a => [ [ 10, 20, 70 ], [ 10, 20, 70 ] ],
	b => [ [ 0, 50, 50 ], [ 0, 50, 50 ] ],
	zero => [ [ 0, 0, 0 ], [ 1, 1, 1 ] ],
	one => [ [ 1 ], [ 1 ] ],
	large => [ [ (65535) x 20 ], [ (1) x 20 ] ],
	huge => [ [ (4294967295) x 3 ], [ 1, 1, 1 ] ],
	absent => [ [ (undef) x 4 ], [ (1) x 4 ] ],
	network => [ [ 10, 30 ], [ 10, 30 ], 'network' ],
);

# critical values by degrees of freedom, for a chance of 0.00001 each: there
# are many of them (unit tests draw more often, for p = 0.001)

my %critical = (0 => 0, 1 => 19.51, 2 => 23.03, 3 => 25.90, 19 => 57.9);

my $asks = 1000;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(3 * 2 * keys %sets);

my ($pools, $names) = ('', '');

for my $name (sort keys %sets) {
	my ($weights, $want, $places) = @{ $sets{$name} };

	for my $count (qw/ single multi /) {
		for my $order (qw/ weighted rr sticky /) {
			my $i = 0;
			my @lines = map {
				'address 192.0.2.' . $i++
				. (defined $_ ? " weight=$_" : '')
				. ($places ? " $places=home" : '') . ';'
			} @$weights;

			push @lines, 'address 192.0.2.99 weight=1000;' if $places;
			push @lines, join ' ', 'choose', $count, $order,
				$places // (), ';';

			$pools .= "dns_pool $name-$count-$order { @lines }\n";
			$names .= "$name-$count-$order 60 POOL $name-$count-$order\n";
		}
	}
}

# each answer would be many lines of the debugging log

dns_run($t,
	stream => "error_log error.log info;\n"
		. "dns_network home { 127.0.0.0/8; }\n$pools",
	zones => { 'w.test' => zone_text('w.test', $names) },
);

###############################################################################

for my $name (sort keys %sets) {
	my @want = @{ $sets{$name}->[1] };

	for my $count (qw/ single multi /) {
		shares("$name-$count-weighted", [ @want ], $count);
		shares("$name-$count-rr", [ map { 1 } @want ], $count);

		# one client is always given the same one

		my ($first) = first("$name-$count-sticky", 50, $count, @want);

		is(scalar keys %$first, 1, "$name-$count-sticky");
	}
}

undef $t;

###############################################################################

# how often each address is the first, and how many answers were wrong

sub first {
	my ($name, $n, $count, @want) = @_;

	my ($wrong, %first) = (0);
	my $client = dns_client();

	for (1 .. $n / 50) {
		$client->send(dns_query("$name.w.test", 'A')) for 1 .. 50;

		for (1 .. 50) {
			my $reply = $client->recv() // last;
			my @list = map { $_->{rdata} =~ /(\d+)$/ }
				@{ dns_parse($reply)->{answer} };

			$first{ $list[0] // 'none' }++;
			$wrong++ if @list != ($count eq 'single' ? 1 : @want);
		}
	}

	return (\%first, $wrong);
}


sub shares {
	my ($name, $want, $count) = @_;

	my ($first, $wrong) = first($name, $asks, $count, @$want);
	my ($sum, $chi, $n, $odd) = (0, 0, 0, '');

	$sum += $_ for @$want;

	for my $i (0 .. $#$want) {
		my $got = delete $first->{$i} // 0;

		if ($want->[$i] == 0) {
			$odd .= " $i is chosen" if $got;
			next;
		}

		my $expected = $asks * $want->[$i] / $sum;

		$chi += ($got - $expected) ** 2 / $expected;
		$n++;
	}

	$odd .= " $_ is chosen" for keys %$first;
	$odd .= " $wrong are of another size" if $wrong;
	$odd .= sprintf ' chi squared is %.1f', $chi
		if $chi > $critical{$n - 1};

	is($odd, '', $name);
}

###############################################################################
