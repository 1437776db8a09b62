#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G09: weights.  The share of each address as the first one is
# as its weight says, by a chi-squared test with p > 0.001; zero is never
# chosen beside others; all zero is any.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

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
	negative => [ [ -5, 10 ], [ 0, 10 ] ],
	absent => [ [ (undef) x 4 ], [ (1) x 4 ] ],
);

# critical values for p = 0.001 by degrees of freedom

my %critical = (0 => 0, 1 => 10.83, 2 => 13.82, 3 => 16.27, 19 => 43.82);

my $asks = 2000;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(31);

my $redis = redis_start($t);
my %data;

for my $name (keys %sets) {
	for my $count (qw/ single multi /) {
		for my $order (qw/ weighted rr /) {
			$data{"$name-$count-$order"} = { a => { ttl => 60,
				filter => { count => $count, order => $order },
				records => records($sets{$name}->[0]) } };
		}
	}
}

$redis->l1('w.test.', \%data, config => redis_soa('w.test'));

# each answer would be many lines of the debugging log

dns_run($t, stream => "error_log error.log info;\n    "
	. $redis->directives());

dns_wait([ 'one-single-rr.w.test', 'A' ], qr/^answer/m);

for my $name (sort keys %sets) {
	my @want = @{ $sets{$name}->[1] };

	for my $count (qw/ single multi /) {
		for my $order (qw/ weighted rr /) {
			my @w = $order eq 'rr' ? map { 1 } @want : @want;

			my @args = ("$name-$count-$order",
				$name eq 'negative' ? [ 1 ] : \@w, $count);

			# one of a thousand misses by chance, not two in a row

			ok(shares(@args) || shares(@args), $args[0]);
		}
	}
}

# all of them come with multi, the rest in the order as stored

my %rotations;

for (1 .. 200) {
	$rotations{join ' ', order('a-multi-weighted')} = 1;
}

is(join(', ', sort keys %rotations), '0 1 2, 1 2 0, 2 0 1', 'rotated');

# the zero of a set never is the first, but stays in it

%rotations = ();

for (1 .. 200) {
	$rotations{join ' ', order('b-multi-weighted')} = 1;
}

is(join(', ', sort keys %rotations), '1 2 0, 2 0 1', 'zero is not drawn');

# A and AAAA, each server, each worker: see the unit tests of choosing

my ($repeated, @seen) = (0);

for my $i (1 .. 64) {
	push @seen, (order('zero-single-rr'))[0];
}

cmp_ok(scalar(grep { $seen[$_] ne $seen[$_ % 3] } 0 .. 63), '>', 0,
	'no turn that repeats');

###############################################################################

sub records {
	my ($weights) = @_;

	my $i = 0;

	return [ map { { ip => '192.0.2.' . $i++,
		defined $_ ? (weight => $_) : () } } @$weights ];
}


# the last octets of the addresses in the order of the answer

sub order {
	my ($name) = @_;

	my $m = dns_parse(dns_ask("$name.w.test", 'A'));

	return map { $_->{rdata} =~ /(\d+)$/ } @{ $m->{answer} };
}


sub shares {
	my ($name, $weights, $count) = @_;

	my ($sum, $n, %first, $size) = (0, 0);
	my $client = dns_client();

	$sum += $_ for @$weights;

	for (1 .. $asks / 50) {
		$client->send(dns_query("$name.w.test", 'A')) for 1 .. 50;

		for (1 .. 50) {
			my $reply = $client->recv() // last;

			# the first address and how many there are

			$size = unpack 'x6 n', $reply;
			my $at = 12 + length(dns_name("$name.w.test")) + 4;

			$first{ord substr $reply, $at + 15, 1}++;
			$n++;
		}
	}

	my $offset = $name =~ /^negative/ ? 1 : 0;
	my ($x, $bad) = (0, 0);

	for my $i (0 .. $#$weights) {
		my $want = $n * $weights->[$i] / $sum;
		my $got = delete $first{$i + $offset} // 0;

		if ($want == 0) {
			$bad += $got;
			next;
		}

		$x += ($got - $want) ** 2 / $want;
	}

	$bad += $_ for values %first;

	my $degrees = grep({ $_ } @$weights) - 1;

	return 1 if $n == $asks && $bad == 0 && $x <= $critical{$degrees}
		&& $size == ($count eq 'multi' ? @$weights : 1);

	note("$name: asked $n, wrong $bad, chi squared $x, size $size");

	return 0;
}

###############################################################################
