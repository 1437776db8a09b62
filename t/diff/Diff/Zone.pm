package Diff::Zone;

# Copyright (C) ngx_dns_module contributors

# A zone as the differential test makes it: names with sets of records that
# every server accepts, its text, and what lies where.

###############################################################################

use warnings;
use strict;

use Diff::Name;

###############################################################################

sub new {
	my ($class, $apex) = @_;

	return bless {
		apex => $apex,
		nodes => {},		# name => type => { ttl, records }
		exists => {},		# names with data at or below them
		order => [],		# names with data, as they were added
	}, $class;
}


sub types {
	my ($self, $name) = @_;

	my @types = sort keys %{ $self->{nodes}{$name} || {} };

	return @types;
}


sub has {
	my ($self, $name, $type) = @_;

	return exists $self->{nodes}{$name} && $self->{nodes}{$name}{$type};
}


sub is_cut {
	my ($self, $name) = @_;

	return $name ne $self->{apex} && $self->has($name, 'NS');
}


sub is_inside {
	my ($self, $name) = @_;

	return $name eq $self->{apex} || name_below($name, $self->{apex});
}


# The topmost cut at or above a name, or undef.

sub cut_of {
	my ($self, $name) = @_;

	for my $suffix (name_suffixes($name, $self->{apex})) {
		return $suffix if $self->is_cut($suffix);
	}

	return undef;
}


# Names with data; or those where a function says yes.

sub names {
	my ($self, $wanted) = @_;

	return @{ $self->{order} } if !$wanted;
	return grep { $wanted->($_) } @{ $self->{order} };
}


sub ents {
	my ($self) = @_;

	return grep { !$self->{nodes}{$_} } sort keys %{ $self->{exists} };
}

###############################################################################

# Adds a record; target is the name in its RDATA, if there is one.  Gives
# false if a server could refuse the zone because of it.

sub add {
	my ($self, $name, $type, $rdata, $target) = @_;

	return 0 if !defined $name || !$self->_allowed($name, $type);

	if (!$self->{nodes}{$name}) {
		push @{ $self->{order} }, $name;

		$self->{exists}{$_} = 1
			for $self->{apex}, name_suffixes($name, $self->{apex});
	}

	my $set = $self->{nodes}{$name}{$type} ||= {
		ttl => (60, 300, 3600, 86400)[rand 4],
		records => {},
	};

	$set->{records}{$rdata} = $target;

	return 1;
}


sub _allowed {
	my ($self, $name, $type) = @_;

	my $apex = $name eq $self->{apex};
	my $node = $self->{nodes}{$name} || {};
	my $wildcard = $name =~ /^\x01\*/;

	return 0 if !$self->is_inside($name);
	return 0 if $self->_below_dname($name);
	return 0 if $node->{CNAME};
	return 0 if $node->{$type} && keys %{ $node->{$type}{records} } >= 90;
	return 0 if $type eq 'CNAME' && %$node;
	return 0 if $wildcard && $type =~ /^(?:NS|DNAME|DS)$/;
	return 0 if $type eq 'DS' && ($apex || !$node->{NS});

	if ($type eq 'DNAME') {
		return 0 if $node->{DNAME} || $node->{NS} && !$apex;
		return 0 if grep { name_below($_, $name) } $self->names();
	}

	if ($type eq 'NS' && !$apex) {
		return 0 if grep { !/^(?:NS|DS|A|AAAA|TXT)$/ } keys %$node;
	}

	return 1;
}


sub _below_dname {
	my ($self, $name) = @_;

	return 0 if $name eq $self->{apex};

	for my $suffix ($self->{apex}, name_suffixes($name, $self->{apex})) {
		return 1 if $suffix ne $name && $self->has($suffix, 'DNAME');
	}

	return 0;
}

###############################################################################

sub text {
	my ($self) = @_;

	my $text = '$ORIGIN ' . name_text($self->{apex}) . "\n\$TTL 3600\n";

	for my $name ($self->names()) {
		for my $type ($self->types($name)) {
			my $set = $self->{nodes}{$name}{$type};

			for my $rdata (sort keys %{ $set->{records} }) {
				$text .= join("\t", name_mixed($name),
					$set->{ttl}, $type, $rdata) . "\n";
			}
		}
	}

	# SOA first, as some readers want

	$text =~ s/^(.*?\n.*?\n)(.*?)^([^\n]*\tSOA\t[^\n]*\n)/$1$3$2/ms;

	return $text;
}

###############################################################################

1;
