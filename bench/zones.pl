#!/usr/bin/perl

# (C) ngx_dns_module contributors

# Makes the zones and questions of the benchmarks, always the same ones.
#
#   zones.pl query DIR    DIR/zones/bench.test.zone (100,000 names) and
#                         DIR/questions
#   zones.pl load DIR     DIR/large/a.test.zone (1,000,000 A records at as
#                         many names in random order) and
#                         DIR/large/mix.test.zone (1,000,000 records of four
#                         types)

###############################################################################

use warnings;
use strict;

use File::Path qw/ make_path /;

###############################################################################

my $NAMES = 100_000;
my $QUESTIONS = 400_000;
my $RECORDS = 1_000_000;

my $state = 1;

my ($what, $dir) = @ARGV;

die "usage: zones.pl query|load DIR\n"
	unless @ARGV == 2 && $what =~ /^(query|load)$/;

if ($what eq 'query') {
	make_path("$dir/zones");
	query_zone("$dir/zones/bench.test.zone", "$dir/questions");

} else {
	make_path("$dir/large");
	load_a("$dir/large/a.test.zone");
	load_mix("$dir/large/mix.test.zone");
}

###############################################################################

# a linear congruential generator: perl's own differs between versions

sub random {
	my ($n) = @_;

	use integer;

	$state = ($state * 1103515245 + 12345) & 0x7fffffff;

	my $high = $state >> 11;

	$state = ($state * 1103515245 + 12345) & 0x7fffffff;

	return (($high << 20) | ($state >> 11)) % $n;
}

sub shuffle {
	my ($list) = @_;

	for (my $i = @$list - 1; $i > 0; $i--) {
		my $j = random($i + 1);
		@$list[$i, $j] = @$list[$j, $i];
	}
}

# n different labels of 8 characters in random order

sub labels {
	my ($n) = @_;
	my (%seen, @labels);
	my @chars = ('a' .. 'z', 0 .. 9);

	while (@labels < $n) {
		my $label = join '', $chars[random(26)],
			map { $chars[random(36)] } 1 .. 7;

		push @labels, $label unless $seen{$label}++;
	}

	return \@labels;
}

sub address {
	my ($i) = @_;
	return join '.', 10, ($i >> 16) & 255, ($i >> 8) & 255, $i & 255;
}

sub address6 {
	my ($i) = @_;
	return sprintf '2001:db8::%x:%x', $i >> 16, $i & 0xffff;
}

sub head {
	my ($f, $origin) = @_;

	print $f <<EOT;
\$ORIGIN $origin.
\$TTL 300
\@ SOA ns1 hostmaster 1 7200 3600 1209600 60
\@ NS ns1
\@ NS ns2
ns1 A 192.0.2.1
ns2 A 192.0.2.2
mail A 192.0.2.3
EOT
}

sub query_zone {
	my ($zone, $questions) = @_;
	my $labels = labels($NAMES);

	open my $f, '>', $zone or die "$zone: $!\n";

	head($f, 'bench.test');

	for my $i (0 .. $#$labels) {
		print $f "$labels->[$i] A ", address($i), "\n";

		print $f "$labels->[$i] AAAA ", address6($i), "\n"
			if $i % 4 == 0;
		print $f "$labels->[$i] MX 10 mail\n"
			if $i % 5 == 0;
	}

	close $f or die "$zone: $!\n";

	open $f, '>', $questions or die "$questions: $!\n";

	for (1 .. $QUESTIONS) {
		print $f question($labels), "\n";
	}

	close $f or die "$questions: $!\n";
}

# 70 % A, 15 % AAAA of which a quarter exist, 10 % NXDOMAIN, 5 % MX

sub question {
	my ($labels) = @_;
	my $kind = random(100);
	my $i = random($NAMES);

	if ($kind < 70) {
		return "$labels->[$i].bench.test A";
	}

	if ($kind < 85) {
		return "$labels->[$i].bench.test AAAA";
	}

	if ($kind < 95) {
		return "$labels->[$i]" . 'x' . ".bench.test A";
	}

	$i -= $i % 5;

	return "$labels->[$i].bench.test MX";
}

sub load_a {
	my ($zone) = @_;
	my $labels = labels($RECORDS - 6);

	open my $f, '>', $zone or die "$zone: $!\n";

	head($f, 'a.test');

	for my $i (0 .. $#$labels) {
		print $f "$labels->[$i] A ", address($i), "\n";
	}

	close $f or die "$zone: $!\n";
}

# every name has an A record, most have one to three records more

sub load_mix {
	my ($zone) = @_;
	my $labels = labels(400_000);
	my $left = $RECORDS - 6 - @$labels;
	my ($i, @lines);

	for $i (0 .. $#$labels) {
		my $l = $labels->[$i];

		$lines[$i] = "$l A " . address($i) . "\n";

		if ($i % 4 < 3 && $left > 0) {
			$lines[$i] .= "$l AAAA " . address6($i) . "\n";
			$left--;
		}

		if ($i % 2 == 0 && $left > 0) {
			$lines[$i] .= "$l MX 10 mail\n";
			$left--;
		}

		if ($i % 4 == 1 && $left > 0) {
			$lines[$i] .= "$l TXT \"v=spf1 ip4:" . address($i)
				. " -all\"\n";
			$left--;
		}
	}

	shuffle(\@lines);

	open my $f, '>', $zone or die "$zone: $!\n";

	head($f, 'mix.test');

	print $f @lines;

	close $f or die "$zone: $!\n";
}

###############################################################################
