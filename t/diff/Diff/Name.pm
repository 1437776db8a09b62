package Diff::Name;

# Copyright (C) ngx_dns_module contributors

# Names of the differential test: uncompressed wire format in lower case, with
# the root label, as keys; text only for zone files and reports.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

our @EXPORT = qw/
	name_fold name_text name_mixed name_parent name_labels name_below
	name_suffixes name_join
/;

###############################################################################

# Length octets are below 64, so that folding cannot touch them.

sub name_fold {
	my ($name) = @_;

	$name =~ tr/A-Z/a-z/;
	return $name;
}


# The labels of a name, leftmost first, without the root.

sub name_labels {
	my ($name) = @_;

	my @labels = unpack '(C/a*)*', $name;

	pop @labels;
	return @labels;
}


# A name of labels in front of another one, or undef if it gets too long.

sub name_join {
	my ($base, @labels) = @_;

	my $name = pack('(C/a*)*', @labels) . $base;

	return length $name > 255 ? undef : $name;
}


sub name_parent {
	my ($name) = @_;

	return substr $name, 1 + ord $name;
}


# Whether a name is strictly below another one.

sub name_below {
	my ($name, $base) = @_;

	my $extra = length($name) - length($base);

	return 0 if $extra <= 0 || substr($name, $extra) ne $base;

	my $at = 0;

	$at += 1 + ord substr $name, $at, 1 while $at < $extra;

	return $at == $extra;
}


# The names from just below base down to the name itself.

sub name_suffixes {
	my ($name, $base) = @_;

	my @suffixes;

	while (length $name > length $base) {
		unshift @suffixes, $name;
		$name = name_parent($name);
	}

	return @suffixes;
}


sub name_text {
	my ($name) = @_;

	return join('', map { _label($_) . '.' } name_labels($name)) || '.';
}


# Text in which the case of some letters is changed.

sub name_mixed {
	my ($name) = @_;

	my $text = name_text($name);

	$text =~ s/([a-z])/rand() < 0.5 ? uc $1 : $1/ge if rand() < 0.3;

	return $text;
}


sub _label {
	my ($label) = @_;

	$label =~ s/([^a-zA-Z0-9_*\/-])/_escape($1)/ge;
	return $label;
}


sub _escape {
	my ($c) = @_;

	return $c =~ /[!-~]/ && $c !~ /[0-9]/ ? "\\$c" : sprintf '\\%03d', ord $c;
}

###############################################################################

1;
