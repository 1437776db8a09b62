package Diff::Kinds;

# Copyright (C) ngx_dns_module contributors

# Kinds of questions at which the peers differ, and what is right.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

our @EXPORT = qw/ kind_of @kinds /;

###############################################################################

our @kinds = (
);

my %unknown = (name => 'unknown', right => []);

###############################################################################

sub kind_of {
	my ($question, $replies, $main) = @_;

	for my $kind (@kinds) {
		return $kind if $kind->{when}->($question, $replies, $main);
	}

	return \%unknown;
}

###############################################################################

1;
