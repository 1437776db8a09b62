package Diff::Compare;

# Copyright (C) ngx_dns_module contributors

# Compares what four servers reply to one question, asked in several ways.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Socket qw/ AF_INET AF_INET6 inet_pton /;

use Diff::Kinds;
use Diff::Lookup;
use Diff::Message;
use Diff::Name;
use Diff::Peers;

our @EXPORT = qw/ compare_pair reply_text /;

###############################################################################

# Compares the replies to a question.  Asked is { how => { server => octets }
# }, how is "udp", "udp edns", "tcp" or "tcp edns", and limits says how long a
# reply may be.  Gives { problems, kinds, replies }: what is wrong with ours,
# and by which kinds the peers differ.

sub compare_pair {
	my ($question, $asked, $limits) = @_;

	my $result = { problems => [], kinds => {}, replies => {} };
	my %known;

	for my $how (sort keys %$asked) {
		my $replies = $result->{replies}{$how} = {};

		for my $server ('nginx', @peer_names) {
			$replies->{$server} = _parse($asked->{$how}{$server});
		}

		for my $peer (@peer_names) {
			$known{_key($_)} = 1 for _records($replies->{$peer});
		}
	}

	for my $how (sort keys %$asked) {
		my $replies = $result->{replies}{$how};
		my @problems = (
			_ours($question, $replies->{nginx}, $how, $limits),
			_whole($question, $replies->{nginx},
				$result->{replies}{tcp}{nginx}),
			_glue($question, $replies->{nginx}),
			_same($question, $replies, $result->{replies}{tcp},
				$result->{kinds}),
			_unknown($question, $replies->{nginx}, \%known),
		);

		push @{ $result->{problems} }, map { "$how: $_" } @problems;
	}

	return $result;
}


sub _parse {
	my ($octets) = @_;

	return { error => 'no reply' } if !defined $octets;

	my $reply = eval { reply_parse($octets) } // { error => $@ };

	chomp $reply->{error} if $reply->{error};

	return $reply;
}


sub _records {
	my ($reply) = @_;

	return map { @{ $reply->{$_} || [] } } qw/ answer authority additional /;
}


sub _key {
	my ($record) = @_;

	return join ' ', map { "$_:" . length } @$record;
}

###############################################################################

# What must be so whatever the peers say

sub _ours {
	my ($question, $reply, $how, $limits) = @_;

	return $reply->{error} if $reply->{error};

	my @problems;
	my $edns = $how =~ /edns/ ? 1 : 0;

	push @problems, 'the question is not the one asked'
		if $reply->{question} ne $question->{asked}
			. pack 'n2', type_number($question->{type}), 1;

	push @problems, "$reply->{opt} OPT records" if $reply->{opt} != $edns;

	push @problems, "$reply->{size} octets, $limits->{$how} allowed"
		if $limits->{$how} && $reply->{size} > $limits->{$how};

	my %seen;

	push @problems, map { 'twice: ' . record_text($_) }
		grep { $seen{_key($_)}++ } _records($reply);

	push @problems, 'TC over TCP' if $reply->{tc} && $how =~ /tcp/;

	return @problems;
}


# A reply over UDP says what the one over TCP does, or has TC; and no set is
# cut in two.

sub _whole {
	my ($question, $reply, $tcp) = @_;

	return () if $reply->{error} || $tcp->{error};

	if (!$reply->{tc}) {
		return _main($reply) eq _main($tcp) ? ()
			: 'other than over TCP, without TC';
	}

	return 'other rcode or AA than over TCP'
		if $reply->{rcode} != $tcp->{rcode} || $reply->{aa} != $tcp->{aa};

	my (%here, %there);

	for my $section (qw/ answer authority additional /) {
		$here{"$section $_->[0] $_->[1]"}++ for @{ $reply->{$section} };
		$there{"$section $_->[0] $_->[1]"}++ for @{ $tcp->{$section} };
	}

	my @cut = grep { $here{$_} != ($there{$_} // 0) } keys %here;

	return 'a set is cut in two' if @cut;

	my @dropped = grep { !/^additional/ && !$here{$_} } keys %there;

	return @dropped || _missing($question, $reply) ? ()
		: 'TC though nothing is dropped';
}


# No record that none of the peers gives.

sub _unknown {
	my ($question, $reply, $known) = @_;

	return map { 'no peer gives ' . record_text($_) }
		grep { !$known->{_key($_)} && !_vouched($question, $reply, $_) }
		_records($reply);
}


# Knot alone adds addresses, but not beyond five links of a chain, nor all of
# those for SVCB and HTTPS.  There the zone is the witness: the address of a
# name in the RDATA of the answer (RFC 1034, 4.3.2, 6; RFC 9460, 4.1).

sub _vouched {
	my ($question, $reply, $record) = @_;

	my ($owner, $type, $ttl, $rdata) = @$record;
	my $answer = $reply->{answer};

	return 0 if !grep { $_ == $record } @{ $reply->{additional} };
	return 0 if !$question->{kinds}{'long-chain'}
		&& !grep { $_->[1] == 64 || $_->[1] == 65 } @$answer;

	my $set = $question->{zone}->has($owner, type_text($type)) || return 0;
	my $family = $type == 1 ? AF_INET : AF_INET6;

	return $set->{ttl} == $ttl
		&& grep({ inet_pton($family, $_) eq $rdata } keys %{ $set->{records} })
		&& grep({ index(name_fold($_->[3]), $owner) >= 0
			|| $_->[0] eq $owner && $_->[3] =~ /^..\0/s } @$answer);
}


# All in-domain glue is in a referral, or TC says that it is not.

sub _glue {
	my ($question, $reply) = @_;

	return () if $reply->{error} || $reply->{tc};

	return map { 'no glue ' . name_text($_->[0]) . " $_->[1]" }
		_missing($question, $reply);
}


sub _missing {
	my ($question, $reply) = @_;

	my $cut = $question->{kinds}{referral} // return ();

	my %has = map { $_->[0] . type_text($_->[1]) => 1 }
		@{ $reply->{additional} };

	return grep { !$has{"$_->[0]$_->[1]"} }
		glue_for($question->{zone}, $cut);
}

###############################################################################

# Our reply is that of the peers; where they differ, that of one that is right.

sub _same {
	my ($question, $replies, $tcp, $kinds) = @_;

	my %main = map { $_ => _main($replies->{$_}) } keys %$replies;
	my %differ = map { $main{$_} => 1 } @peer_names;
	my @like = grep { $main{$_} eq $main{nginx} } @peer_names;

	my %whole = map { $_ => _main($tcp->{$_}) } keys %$tcp;

	if (keys %differ == 1) {
		return () if @like;

		# what does not fit into the replies of others may fit into ours

		return $differ{TC} && $main{nginx} eq $whole{nginx} ? ()
			: 'other than all peers';
	}

	my $kind = kind_of($question, $replies, \%main, \%whole);

	$kinds->{$kind->{name}} = 1;

	return () if $kind->{own}
		&& $kind->{own}->($question, $replies, \%main, \%whole);

	return "other than each of the peers, which differ: $kind->{name}"
		if !@like;

	return () if !$kind->{right};

	my %right = map { $_ => 1 } @{ $kind->{right} };

	return grep({ $right{$_} } @like) ? ()
		: "like @like, $kind->{name} is decided otherwise";
}


# What is compared of a reply.  Of a truncated one, that it is: how much is
# left is up to the server (RFC 2181, 9), and it may not have got to the end of
# the chain that decides the rcode.

sub _main {
	my ($reply) = @_;

	return $reply->{error} if $reply->{error};
	return 'TC' if $reply->{tc};

	return join "\n", rcode_text($reply->{rcode}) . " AA=$reply->{aa}",
		_chain($reply->{answer}),
		'-', sort map { _key($_) } @{ $reply->{authority} };
}


# Sets in the order of the chain, each sorted.  Peers repeat what a loop or a
# DNAME leads to again; a set is in a section once (RFC 2181, 5).

sub _chain {
	my ($records) = @_;

	my ($last, %seen, @sets) = '';

	for my $record (@$records) {
		my $set = "$record->[0] $record->[1]";

		next if $seen{_key($record)}++;

		push @sets, [] if $set ne $last;
		push @{ $sets[-1] }, _key($record);
		$last = $set;
	}

	return map { sort @$_ } @sets;
}

###############################################################################

sub reply_text {
	my ($reply) = @_;

	return "  $reply->{error}\n" if $reply->{error};

	my $text = '  ' . rcode_text($reply->{rcode}) . " AA=$reply->{aa}"
		. " TC=$reply->{tc} $reply->{size} octets\n";

	for my $section (qw/ answer authority additional /) {
		$text .= "  $section: " . record_text($_) . "\n"
			for @{ $reply->{$section} };
	}

	return $text;
}

###############################################################################

1;
