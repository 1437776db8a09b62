package Diff::Questions;

# Copyright (C) ngx_dns_module contributors

# Random questions about a family of zones, aimed at each kind in turn.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Diff::Generator;
use Diff::Lookup;
use Diff::Name;

our @EXPORT = qw/ question_make @question_aims /;

###############################################################################

# What to aim at, with weights; a maker gives a name and may give a type.

my @aims = (
	[ 4 => 'exact', \&_exact ],
	[ 4 => 'nodata', \&_nodata ],
	[ 6 => 'nxdomain', \&_nxdomain ],
	[ 8 => 'wildcard', \&_wildcard ],
	[ 6 => 'ent', \&_ent ],
	[ 5 => 'cut', \&_cut ],
	[ 6 => 'below-cut', \&_below_cut ],
	[ 13 => 'nested', \&_nested ],
	[ 7 => 'ds', \&_ds ],
	[ 9 => 'dname', \&_dname ],
	[ 5 => 'dname-owner', \&_dname_owner ],
	[ 0.9 => 'yxdomain', \&_yxdomain ],
	[ 7 => 'chain', \&_chain ],
	[ 0.7 => 'loop', \&_loop ],
	[ 5 => 'apex', \&_apex ],
	[ 10 => 'child', \&_child ],
	[ 7 => 'deep', \&_deep ],
	[ 5 => 'large', \&_large ],
	[ 8 => 'outside', \&_outside ],
	[ 5 => 'target', \&_target ],
);

our @question_aims = map { $_->[1] } @aims;

my @types = qw/
	A A A AAAA TXT MX NS SOA CNAME DNAME DS PTR SRV HTTPS SVCB CAA DNSKEY
	TYPE65280 TYPE65281
/;

###############################################################################

# Kinds at which the peers are known to differ: enough to see what we do, not
# so many that they hide the rest.  This is the share that is kept.

my %kept = (loop => 0.25, 'long-chain' => 0.3, yxdomain => 0.5);

# Longer chains are cut at places that differ from server to server.  Beyond
# five links Knot is no witness, so others must not fall out for other reasons.

my $max_links = 16;

###############################################################################

# Gives { family, name, asked, type, aim, zone, kinds }, or undef if the family
# has nothing for what was aimed at.

sub question_make {
	my ($family) = @_;

	my $aim = pick_weighted(map { [ $_->[0], $_ ] } @aims);
	my $zone = pick(@$family);

	my ($name, $type) = $aim->[2]->($zone, $family);

	return undef if !defined $name;

	$type //= pick(@types);
	$name = $name eq "\0" ? $name : _case($name);

	my $folded = name_fold($name);
	my $kinds = question_kinds($family, $folded, $type);

	return undef if $kinds->{links} > $max_links;
	return undef if $kinds->{'long-chain'}
		&& (@$family > 1 || $kinds->{ds});
	return undef if grep { $kinds->{$_} && rand() >= $kept{$_} }
		sort keys %kept;

	return { family => $family, name => $folded, asked => $name,
		type => $type, aim => $aim->[1], kinds => $kinds,
		zone => zone_for($family, $folded, $type) };
}


sub _case {
	my ($name) = @_;

	return $name if rand() < 0.6;

	$name =~ s/([a-z])/rand() < 0.5 ? uc $1 : $1/ge;
	return $name;
}


# Names that a function wants, of those not below a cut.

sub _names {
	my ($zone, $wanted) = @_;

	return grep { !defined $zone->cut_of($_) } $zone->names($wanted);
}


sub _cuts {
	my ($zone) = @_;

	return grep { $zone->cut_of($_) eq $_ }
		$zone->names(sub { $zone->is_cut(@_) });
}


sub _over {
	my ($name, @counts) = @_;

	return undef if !defined $name;
	return name_join($name, random_labels(pick(@counts ? @counts : (1, 1, 2))));
}

###############################################################################

sub _exact {
	my ($zone) = @_;

	my $name = pick(_names($zone)) // return;

	return ($name, pick($zone->types($name)));
}


sub _nodata {
	my ($zone) = @_;

	my $name = pick(_names($zone)) // return;

	return ($name, pick(grep { !$zone->has($name, $_) } @types));
}


sub _nxdomain {
	my ($zone) = @_;

	return _over(pick(grep { !defined $zone->cut_of($_) }
		sort keys %{ $zone->{exists} }), 1, 1, 2, 5);
}


sub _wildcard {
	my ($zone) = @_;

	my $name = pick(_names($zone, sub { $_[0] =~ /^\x01\*/ })) // return;
	my $type = rand() < 0.6 ? pick($zone->types($name)) : undef;

	return (_over(name_parent($name), 1, 1, 2, 6), $type);
}


sub _ent {
	my ($zone) = @_;

	return pick(grep { !defined $zone->cut_of($_) } $zone->ents());
}


sub _cut {
	my ($zone) = @_;

	return (pick(_cuts($zone)), pick('NS', 'A', undef));
}


sub _below_cut {
	my ($zone) = @_;

	my $cut = pick(_cuts($zone)) // return;
	my @below = $zone->names(sub { name_below($_[0], $cut) });

	return @below && rand() < 0.5 ? pick(@below) : _over($cut, 1, 1, 2, 5);
}


sub _nested {
	my ($zone) = @_;

	my $name = pick(grep { $zone->cut_of($_) ne $_ }
		$zone->names(sub { $zone->is_cut(@_) })) // return;

	return (rand() < 0.4 ? $name : _over($name), pick('NS', 'DS', 'A', undef));
}


sub _ds {
	my ($zone) = @_;

	return (pick(_cuts($zone)), 'DS');
}


sub _dname {
	my ($zone) = @_;

	my $name = pick(_names($zone, sub { $zone->has($_[0], 'DNAME')
		&& length _dname_target($zone, $_[0]) < 150 })) // return;

	# what the target has below itself

	my $target = _dname_target($zone, $name);
	my @below = $zone->names(sub { name_below($_[0], $target) });
	my $host = pick(@below);

	if (defined $host && rand() < 0.6) {
		return name_join($name, name_labels(
			substr $host, 0, length($host) - length $target));
	}

	return (_over($name, 1, 1, 2, 4), pick('A', 'CNAME', 'DNAME', undef));
}


sub _dname_target {
	my ($zone, $name) = @_;

	return (values %{ $zone->{nodes}{$name}{DNAME}{records} })[0];
}


sub _dname_owner {
	my ($zone) = @_;

	return (pick(_names($zone, sub { $zone->has($_[0], 'DNAME') })),
		pick('DNAME', 'A', undef));
}


sub _yxdomain {
	my ($zone) = @_;

	my $name = pick(_names($zone, sub { $zone->has($_[0], 'DNAME')
		&& length _dname_target($zone, $_[0]) > 200 })) // return;

	return _over($name, 1, 2, 5, 10, 16);
}


sub _chain {
	my ($zone) = @_;

	my $name = pick(_names($zone, sub { $zone->has($_[0], 'CNAME') }))
		// return;

	return ($name, pick('A', 'A', 'CNAME', 'MX', undef));
}


sub _loop {
	my ($zone, $family) = @_;

	my @names = grep { question_kinds($family, $_, 'A')->{loop} }
		_names($zone, sub { $zone->has($_[0], 'CNAME')
			&& $_[0] !~ /^\x01\*/ });

	return pick(@names);
}


sub _apex {
	my ($zone) = @_;

	return ($zone->{apex}, pick('SOA', 'NS', undef, undef));
}


sub _child {
	my ($zone) = @_;

	return if !$zone->{child};

	my $apex = $zone->{child}{apex};

	return pick_weighted(
		[ 3 => sub { $apex } ],
		[ 3 => sub { ($apex, 'DS') } ],
		[ 2 => sub { _over($apex) } ],
		[ 2 => sub { pick($zone->{child}->names()) } ],
		[ 2 => sub { _over(name_parent($apex)) } ],
	)->();
}


sub _deep {
	my ($zone) = @_;

	my @deep = _names($zone, sub { name_labels($_[0]) >= 10 });

	return pick(@deep) if @deep && rand() < 0.6;
	return _over($zone->{apex}, 9 .. 18);
}


sub _large {
	my ($zone) = @_;

	my $name = pick(_names($zone, sub {
		grep { keys %{ $zone->{nodes}{$_[0]}{$_}{records} } > 4 }
			$zone->types($_[0]);
	})) // return;

	return ($name, pick($zone->types($name)));
}


sub _outside {
	my ($zone) = @_;

	return rand() < 0.2 ? name_parent($zone->{apex})
		: name_join("\5other\0", random_labels(pick(1, 2, 3, 8, 18)));
}


sub _target {
	my ($zone) = @_;

	my @found;

	for my $name (_names($zone)) {
		push @found, map { [ $name, $_ ] } grep { /^(?:MX|SRV|HTTPS|SVCB)$/ }
			$zone->types($name);
	}

	return @found ? pick(@found)->@* : ();
}

###############################################################################

1;
