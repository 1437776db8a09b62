package Diff::Kinds;

# Copyright (C) ngx_dns_module contributors

# Kinds of questions at which the peers differ, and what is right.
#
#   name    of the kind
#   why     the RFC and section that decide, and what the others do
#   when    whether a question is of the kind
#   right   the peers of which ours has to be like one; without it any will do
#   own     whether ours is right though no peer says so
#
# The first kind that fits is taken.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

our @EXPORT = qw/ kind_of @kinds /;

###############################################################################

our @kinds = ({
	name => 'truncation',
	why => 'RFC 2181, 9: TC says that a required set did not fit.  When'
		. ' that is depends on how names are compressed and what is added;'
		. ' that ours is whole or has TC is tested apart from the peers.'
		. '  Knot may leave out the SOA without TC.',
	when => sub {
		my ($question, $replies, $main, $whole) = @_;
		return scalar grep { $main->{$_} ne $whole->{$_} } keys %$main;
	},
	own => sub {
		my ($question, $replies, $main, $whole) = @_;
		return $main->{nginx} eq $whole->{nginx};
	},
}, {
	name => 'loop',
	why => 'RFC 1034, 3.6.2: software should not fail at a loop.  The answer'
		. ' is each link once, NOERROR, so that the resolver sees the loop'
		. ' (RFC 1034, 5.2.2).  BIND says SERVFAIL with the same links, Knot'
		. ' stops after five.',
	when => sub { $_[0]{kinds}{loop} },
	right => [ qw/ knot nsd / ],
}, {
	name => 'long chain',
	why => 'RFC 1034, 4.3.2, 3a: the search starts again at each link, and'
		. ' 3.6.2: chains should be followed.  Knot stops after five links,'
		. ' BIND says SERVFAIL after eleven.',
	when => sub { $_[0]{kinds}{'long-chain'} },
	right => [ qw/ nsd / ],
}, {
	name => 'name too long',
	why => 'RFC 6672, 2.2: YXDOMAIN when a DNAME makes a name over 255'
		. ' octets, with nothing but the DNAME.  Knot says NXDOMAIN.',
	when => sub { $_[0]{kinds}{yxdomain} },
	right => [ qw/ nsd bind / ],
}, {
	name => 'chain into the child zone',
	why => 'RFC 1034, 4.3.2 would search all zones again.  A chain stays in'
		. ' the zone of the question here, and ends in the referral that'
		. ' this zone has: a resolver asks for the target anyhow, as it may'
		. ' not take data of another zone from this answer'
		. ' (RFC 2181, 5.4.1).  Knot does so too.',
	when => sub { $_[0]{kinds}{'leaves-to-child'} },
	right => [ qw/ knot / ],
}, {
	name => 'DS of a zone not delegated',
	why => 'RFC 4035, 3.1.4.1 has the parent answer, and RFC 8020, 2 forbids'
		. ' to deny a name that exists: NODATA of the parent.  Knot and BIND'
		. ' say NXDOMAIN.',
	when => sub { _not_delegated($_[0]) && _alone('nsd', @_) },
	right => [ qw/ nsd / ],
}, {
	name => 'sets of one owner together',
	why => 'RFC 1034, 4.3.2: the answer grows link by link.  BIND puts a set'
		. ' behind another one of the same owner.',
	when => sub { my ($question, $replies, $main) = @_;
		$main->{knot} eq $main->{nsd} && _sorted($main->{bind})
			eq _sorted($main->{knot}) },
	right => [ qw/ knot nsd / ],
}, {
	name => 'DS at a CNAME',
	why => 'RFC 1034, 4.3.2, 3a: a CNAME stands for all types but CNAME.  NSD'
		. ' says NODATA for DS.',
	when => sub { $_[0]{kinds}{ds} && $_[0]{kinds}{chain}
		&& _alone('nsd', @_) },
	right => [ qw/ knot bind / ],
}, {
	name => 'case of SVCB',
	why => 'RFC 4034, 6.2 and RFC 6840, 5.1: SVCB and HTTPS are not among the'
		. ' types whose names are the same in another case.  NSD folds them.',
	when => sub { _alone('nsd', @_) && grep { $_->[1] == 64 || $_->[1] == 65 }
		@{ $_[1]{knot}{answer} || [] } },
	right => [ qw/ knot bind / ],
}, {
	name => 'names of the other zone',
	why => 'RFC 1034, 4.2: a zone has the names in its own data.  NSD keeps'
		. ' the names of all zones in one tree, so that those of the parent'
		. ' exist in the child and hide its wildcards, and the reverse.',
	when => sub { @{ $_[0]{family} } > 1 && _alone('nsd', @_) },
	right => [ qw/ knot bind / ],
});

my %unknown = (name => 'unknown', right => []);

###############################################################################

# Replies by server, what is compared of them, and what is of those over TCP.

sub kind_of {
	for my $kind (@kinds) {
		return $kind if $kind->{when}->(@_);
	}

	return \%unknown;
}


# A zone and its parent are here, and the parent does not know the name.

sub _not_delegated {
	my ($question) = @_;

	my $child = ($question->{zone} || {})->{child} || return 0;

	return $question->{type} eq 'DS' && $question->{name} eq $child->{apex}
		&& $question->{kinds}{nxdomain} && !$question->{kinds}{chain};
}


# The same whatever the order of records.

sub _sorted {
	my ($main) = @_;

	return join "\n", sort split /\n/, $main;
}


# Whether all peers but one say the same.

sub _alone {
	my ($peer, $question, $replies, $main) = @_;

	my %others = map { $main->{$_} => 1 }
		grep { $_ ne $peer && $_ ne 'nginx' } keys %$main;

	return keys %others == 1 && !$others{$main->{$peer}};
}

###############################################################################

1;
