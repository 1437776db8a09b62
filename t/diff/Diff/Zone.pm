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

# SOA first, as some readers want, and the rest of the apex at the end: BIND
# takes what follows its NS set for glue, and refuses DS there.

sub text {
	my ($self) = @_;

	my $apex = $self->{apex};

	return '$ORIGIN ' . name_text($apex) . "\n\$TTL 3600\n"
		. $self->_set_text($apex, 'SOA')
		. join '', map { my $name = $_;
			map { $self->_set_text($name, $_) }
				grep { $_ ne 'SOA' } $self->types($name)
		} (grep { $_ ne $apex } $self->names()), $apex;
}


sub _set_text {
	my ($self, $name, $type) = @_;

	my $set = $self->{nodes}{$name}{$type};

	return join '', map {
		join("\t", name_mixed($name), $set->{ttl}, $type, $_) . "\n"
	} sort keys %{ $set->{records} };
}

###############################################################################

1;
