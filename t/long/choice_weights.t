#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for weights: for each order 200,000 answers, without anything else,
# behind a country, with a dead address, and with both, by a chi-squared test
# with p > 0.001.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib '../lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;
use Test::Nginx::Health;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $answers = $ENV{TEST_WEIGHTS_ANSWERS} // 200_000;
my $batch = 50;

# the last octets of addresses with their weights; those up to 5 are for the
# country of all clients, 6 is for others; nobody listens at 4

my %weights = (1 => 10, 2 => 20, 3 => 30, 4 => 40, 5 => 0, 6 => 50);
my $dead = 4;

my %who = (
	plain => [ 1 .. 6 ], country => [ 1 .. 5 ],
	dead => [ grep { $_ != $dead } 1 .. 6 ],
	both => [ grep { $_ != $dead } 1 .. 5 ],
);

# critical values for p = 0.001 by degrees of freedom

my @critical = (0, 10.83, 13.82, 16.27, 18.47, 20.52);

my @cases = map { my $order = $_; map { [ $order, $_ ] }
	qw/ plain country dead both / } qw/ weighted rr sticky none /;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->plan(2 + @cases);

my $d = $t->testdir();

# the way of worker processes to databases and to the state directory

chmod 0755, $d;

geo_country("$d/country.mmdb", { '80.0.0.0/4' => 'DE' });

my $listen = join '', map { "listen 127.0.0.$_:%%PORT_8985%%; " }
	grep { $_ != $dead } keys %weights;

my $pools = join "\n", map { pool(@$_) } @cases;

# each answer would be many lines of the debugging log

dns_run($t,
	stream => <<EOF . health_server() . $pools,
    error_log error.log info;
    dns_state_path state;
    dns_geoip $d/country.mmdb;

    server { $listen return ""; }
EOF
	zones => { 'w.test' => zone_text('w.test',
		join '', map { "$_->[0]-$_->[1] 60 POOL $_->[0]-$_->[1]\n" }
		@cases) });

# places and states have to be known

my $counters = health_wait(sub {
	my ($c) = @_;
	return $c->{targets} && $c->{up} + $c->{down} == $c->{targets};
});

is($counters->{down}, $counters->{targets} / 6, 'dead addresses');

ok(dns_wait([ 'none-country.w.test', 'A', ecs => '80.0.0.0/24' ],
	sub { (dns_reply_ecs($_[0]) // '') =~ m!/4$! }), 'places');

###############################################################################

my $client = dns_client();

for my $case (@cases) {
	my ($order, $variant) = @$case;

	# of the 1000 runs one misses by chance, but for sticky, which draws
	# the same for a client whenever it asks

	my $got = ask(@$case);
	my $x = chi2($got, @$case);

	$x = chi2($got = ask(@$case), @$case)
		if defined $x && $x > 0 && $order ne 'sticky'
		&& $x >= limit(@$case);

	ok(defined $x && $x <= limit(@$case),
		"$order, $variant: chi-squared " . ($x // 'infinite'))
		or diag(join ' ', map { "$_=$got->{$_}" } sort keys %$got);
}

###############################################################################

sub pool {
	my ($order, $variant) = @_;

	my $country = $variant =~ /country|both/ ? 'country' : '';

	my $addresses = join "\n", map { "address 127.0.0.$_"
		. ($order =~ /weighted|sticky/ ? " weight=$weights{$_}" : '')
		. ($country && $_ != 6 ? ' country=DE;' : ';') }
		sort keys %weights;

	my $check = $variant =~ /dead|both/
		? 'health_check tcp port=%%PORT_8985%% interval=1s down=1;' : '';

	return <<EOF;
    dns_pool $order-$variant {
        $addresses
        choose single $order $country;
        $check
    }
EOF
}


# How often each weight counts; those at 0 never come.

sub shares {
	my ($order, $variant) = @_;

	my @who = @{ $who{$variant} };

	return $order eq 'none' ? ($who[0] => 1)
		: $order eq 'rr' ? map { $_ => 1 } @who
		: map { $_ => $weights{$_} } grep { $weights{$_} } @who;
}


sub limit {
	my %shares = shares(@_);

	return $critical[keys(%shares) - 1];
}


# undef: an address came that must not, or an answer was lost

sub chi2 {
	my ($got, @case) = @_;

	my %shares = shares(@case);
	my ($n, $sum, $x) = (0, 0, 0);

	$n += $_ for values %$got;
	$sum += $_ for values %shares;

	return undef if $n != $answers || grep { !$shares{$_} } keys %$got;

	for my $who (keys %shares) {
		my $want = $n * $shares{$who} / $sum;
		$x += (($got->{$who} // 0) - $want) ** 2 / $want;
	}

	return sprintf '%.2f', $x;
}


# Asks for as many clients, each with a network of its own; how often each
# address came.

sub ask {
	my ($order, $variant) = @_;

	my $name = "$order-$variant.w.test";
	my $query = dns_query($name, 'A', id => 1, ecs => '80.0.0.0/24');
	my $place = length($query) - 3;
	my $at = 12 + length(dns_name($name)) + 4 + 12 + 3;
	my %got;

	for (my $i = 0; $i < $answers; $i += $batch) {

		for my $n ($i .. $i + $batch - 1) {

			# each of the 2 ^ 20 networks once, in no order

			my $net = 5 << 20 | $n * 0x9e3b5 & 0xfffff;

			substr $query, $place, 3, substr pack('N', $net << 8),
				0, 3;
			$client->send($query);
		}

		for (1 .. $batch) {
			my $reply = $client->recv() // return \%got;

			next unless unpack('x6 n', $reply) == 1;
			$got{ord substr $reply, $at, 1}++;
		}
	}

	return \%got;
}

###############################################################################
