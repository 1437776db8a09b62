#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# The measures of the source: columns, blanks, comments, lengths of functions.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/../.."); }

###############################################################################

my @sources = sort glob 'ngx_dns_module/*/*.[ch]';

plan(tests => 2 * @sources);

for my $source (@sources) {
	my ($start, $name, @lines, @layout, @long);

	open my $f, '<', $source or die "$source: $!";

	while (<$f>) {
		my $at = "$source:$.";

		chomp;

		push @layout, "$at: over 80 columns" if length > 80;
		push @layout, "$at: tab" if /\t/;
		push @layout, "$at: trailing blank" if /\s$/;
		push @layout, "$at: comment other than /* */"
			if m{(?:^|[\s;{}])//(?![^"]*"[^"]*$)};

		# a body begins and ends by a brace in the first column

		if (/^(\w+)\(/) {
			$name = $1;
			$start = $.;
		}

		if (/^\}\s*$/ && defined $start) {
			push @long, "$at: $name has " . ($. - $start) . ' lines'
				if $. - $start > 150;
			undef $start;
		}
	}

	close $f;

	is(join("\n", @layout), '', "layout of $source");
	is(join("\n", @long), '', "functions of $source");
}

###############################################################################
