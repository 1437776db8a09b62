package Diff::Lookup;

# Copyright (C) ngx_dns_module contributors

# What kinds a question belongs to.  This looks at the zone the slow and plain
# way; it counts kinds and says which glue must be there, but gives no answer
# to compare with: that is what the other servers are for.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Diff::Name;

our @EXPORT = qw/ question_kinds zone_for glue_for /;

###############################################################################

# The zone that a question falls in: the deepest, and for DS the one above.

sub zone_for {
	my ($family, $name, $type) = @_;

	my ($best) = sort { length $b->{apex} <=> length $a->{apex} }
		grep { $_->is_inside($name) } @$family;

	if ($best && $type eq 'DS' && $name eq $best->{apex} && $best->{parent}) {
		return $best->{parent};
	}

	return $best;
}


# The kinds of a question, as the keys of a hash; "cut" holds a name.

sub question_kinds {
	my ($family, $name, $type) = @_;

	my $zone = zone_for($family, $name, $type);
	my %kinds;

	$kinds{deep} = 1 if name_labels($name) >= 10;

	if (!$zone) {
		@kinds{qw/ outside links /} = (1, 0);
		return \%kinds;
	}

	$kinds{child} = 1 if $zone->{parent};
	$kinds{parent} = 1 if $zone->{child};
	$kinds{apex} = 1 if $name eq $zone->{apex};
	$kinds{ds} = 1 if $type eq 'DS';

	my %seen;
	my $links = 0;

	while (defined $name) {
		if ($seen{$name}++) {
			$kinds{loop} = 1;
			last;
		}

		if (!$zone->is_inside($name)) {
			$kinds{leaves} = 1;
			last;
		}

		if ($links && $zone->{child} && $zone->{child}->is_inside($name)) {
			$kinds{'leaves-to-child'} = 1;
		}

		if ($links && $zone->{parent} && $name eq $zone->{apex}
			&& $type eq 'DS')
		{
			$kinds{'chain-ds-apex'} = 1;
		}

		$name = _step($zone, $name, $type, \%kinds);
		$links++ if defined $name;
	}

	$kinds{chain} = 1 if $links > 0;
	$kinds{'long-chain'} = 1 if $links > 5;
	$kinds{links} = $links;

	return \%kinds;
}


# One link; gives the next name or undef.

sub _step {
	my ($zone, $name, $type, $kinds) = @_;

	my $encloser = $zone->{apex};
	my @suffixes = name_suffixes($name, $zone->{apex});

	for my $suffix ($zone->{apex}, @suffixes) {
		if ($zone->is_cut($suffix)
			&& ($suffix ne $name || $type ne 'DS'))
		{
			$kinds->{$suffix eq $name ? 'cut' : 'below-cut'} = 1;
			$kinds->{referral} = $suffix;
			$kinds->{nested} = 1 if grep { name_below($_, $suffix)
				&& ($_ eq $name || name_below($name, $_)
				|| name_below($_, $name)) }
				$zone->names(sub { $zone->is_cut(@_) });
			return undef;
		}

		if ($suffix ne $name && $zone->has($suffix, 'DNAME')) {
			$kinds->{dname} = 1;

			my $next = substr($name, 0, length($name) - length $suffix)
				. _target($zone, $suffix, 'DNAME');

			$kinds->{yxdomain} = 1 if length $next > 255;

			return $type eq 'CNAME' || length $next > 255 ? undef : $next;
		}

		if (!$zone->{exists}{$suffix}) {
			my $wildcard = name_join($encloser, '*');

			if (!defined $wildcard || !$zone->{exists}{$wildcard}) {
				$kinds->{nxdomain} = 1;
				return undef;
			}

			$kinds->{wildcard} = 1;
			return _node($zone, $wildcard, $type, $kinds);
		}

		$encloser = $suffix;
	}

	$kinds->{'dname-owner'} = 1 if $zone->has($name, 'DNAME');
	$kinds->{'ds-at-cut'} = 1 if $type eq 'DS' && $zone->is_cut($name);
	$kinds->{asterisk} = 1 if $name =~ /\x01\*/;

	return _node($zone, $name, $type, $kinds);
}


sub _node {
	my ($zone, $name, $type, $kinds) = @_;

	if (!$zone->types($name)) {
		$kinds->{ent} = 1;
		return undef;
	}

	if ($type ne 'CNAME' && $zone->has($name, 'CNAME')) {
		return _target($zone, $name, 'CNAME');
	}

	$kinds->{$zone->has($name, $type) ? 'exact' : 'nodata'} = 1;

	return undef;
}


sub _target {
	my ($zone, $name, $type) = @_;

	my ($target) = values %{ $zone->{nodes}{$name}{$type}{records} };

	return $target;
}

###############################################################################

# The glue that a referral from a cut must bring: [ owner, type ] of the
# addresses of servers at or below the cut, RFC 9471, 3.1.

sub glue_for {
	my ($zone, $cut) = @_;

	my @glue;

	for my $server (values %{ $zone->{nodes}{$cut}{NS}{records} }) {
		next if $server ne $cut && !name_below($server, $cut);

		push @glue, map { [ $server, $_ ] }
			grep { $zone->has($server, $_) } qw/ A AAAA /;
	}

	return @glue;
}

###############################################################################

1;
