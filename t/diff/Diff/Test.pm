package Diff::Test;

# Copyright (C) ngx_dns_module contributors

# The differential test as a test: how many questions, what has to come out,
# and where failures are written.
#
# TEST_DIFF_PAIRS, TEST_DIFF_SEED change the number of questions and the seed;
# TEST_DIFF_FAMILY asks about one family only, to look at a failure again.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Cwd qw/ abs_path /;
use File::Path qw/ make_path /;
use Test::More;

use Diff::Compare;
use Diff::Kinds;
use Diff::Name;
use Diff::Run;

our @EXPORT = qw/ diff_needs diff_test $diff_tests /;

our $diff_tests = 6;

# Kinds of questions that must be at least 5 %; loops are chains.

my @wanted = qw/
	exact nodata nxdomain wildcard ent cut|below-cut nested ds dname
	dname-owner chain apex parent child deep outside
/;

###############################################################################

# The peers may be where only root looks.

sub diff_needs {
	my ($t) = @_;

	$ENV{PATH} .= ':/usr/sbin';
	$t->has_daemon($_) for qw/ knotd nsd named /;

	return $t;
}


# Asks, compares, and tests.  The environment changes the number of pairs, and
# the seed, without which the time is one.

sub diff_test {
	my ($t, $pairs, $seed) = @_;

	$seed = $ENV{TEST_DIFF_SEED} // $seed // time() % 1_000_000;
	my $family = $ENV{TEST_DIFF_FAMILY};

	$pairs = $ENV{TEST_DIFF_PAIRS} // $pairs;
	note("seed $seed, $pairs pairs");

	my ($zones, $questions, $any) = ([], [], []);

	for (my $n = $family // 1; @$questions < $pairs; $n++) {
		my $made = diff_family($seed, $n);

		push @$zones, @{ $made->{zones} };
		push @$questions, @{ $made->{questions} };
		push @$any, @{ $made->{any} };
		last if defined $family;
	}

	my $ports = diff_start($t, @$zones);
	my $report = diff_ask($ports, $questions);

	_notes($report);
	_failures($report);

	is(scalar @{ $report->{bad} }, 0,
		"$report->{pairs} pairs without unexplained difference, seed $seed");

	SKIP: {
		skip 'one family', 4 if defined $family;

		cmp_ok($report->{differing}, '<', 0.03 * $report->{pairs},
			'pairs at which the peers differ are under 3 %');

		my @few = grep { !_often($report, $_) } @wanted;

		is("@few", '', 'each kind is at least 5 % of the pairs');

		my @none = grep { !$report->{labels}{$_} } 1 .. 20;

		is("@none", '', 'names of 1 to 20 labels');

		my @strange = grep { my $name = $_;
			!grep { $_->{name} eq $name && $_->{why} } @kinds }
			keys %{ $report->{differ} };

		is("@strange", '', 'each difference of the peers is decided');
	}

	my @any = map { name_text($_->{name}) . " of family $_->{number}" }
		diff_any($ports, $any);

	is(join(', ', grep { defined } @any[0 .. 4]), '', 'ANY, rcode and AA');
}


sub _often {
	my ($report, $kinds) = @_;

	my $sum = 0;

	$sum += $report->{kinds}{$_} // 0 for split /\|/, $kinds;

	return $sum >= 0.05 * $report->{pairs};
}

###############################################################################

sub _notes {
	my ($report) = @_;

	my $percent = sub { sprintf '%s %.1f %%', $_[0],
		100 * $_[1] / $report->{pairs} };

	note('questions: ', join ', ', map { $percent->($_,
		$report->{kinds}{$_}) } sort keys %{ $report->{kinds} });

	note($percent->('peers differ:', $report->{differing}), ', by kind: ',
		join ', ', map { "$_ $report->{differ}{$_}" }
		sort keys %{ $report->{differ} });
}


# Files in build/diff/, with all to ask again by hand or by seed.

sub _failures {
	my ($report) = @_;

	return if !@{ $report->{bad} };

	my $folder = abs_path('..') . '/build/diff';

	make_path($folder);

	for my $n (1 .. 100) {
		my $bad = $report->{bad}[$n - 1] // last;
		my $question = $bad->{question};
		my $file = "$folder/$question->{seed}-$question->{number}-$n.txt";

		open my $f, '>:raw', $file or die "$file: $!\n";
		print $f failure_text($bad);
		close $f;

		diag(_title($question), ": $bad->{problems}[0], see $file")
			if $n <= 10;
	}
}


sub _title {
	my ($question) = @_;

	return name_text($question->{asked}) . " $question->{type}";
}


sub failure_text {
	my ($bad) = @_;

	my $question = $bad->{question};
	my $text = "question: " . _title($question)
		. "\nEDNS size: $question->{size}"
		. "\nkinds: " . join(' ', sort grep { $_ ne 'referral' }
			keys %{ $question->{kinds} })
		. "\nagain: TEST_DIFF_SEED=$question->{seed}"
		. " TEST_DIFF_FAMILY=$question->{number} prove t/differential.t\n\n";

	$text .= "$_\n" for @{ $bad->{problems} };

	for my $how (sort keys %{ $bad->{replies} }) {
		my $replies = $bad->{replies}{$how};

		$text .= "\n$how, $_:\n" . reply_text($replies->{$_})
			for sort keys %$replies;
	}

	$text .= "\n; zone\n$_->{text}" for @{ $question->{family} };

	return $text;
}

###############################################################################

1;
