package Diff::Generator;

# Copyright (C) ngx_dns_module contributors

# Random zones for the differential test.  All randomness comes from rand(),
# and nothing depends on the order of hashes: the same seed makes the same
# zones.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Diff::Name;
use Diff::Zone;

our @EXPORT = qw/ zone_family pick pick_weighted random_labels /;

###############################################################################

# Few labels, so that names meet; and some that are hard to write.

my @labels = qw/
	a b c d e www mail ns1 ns2 x y _tcp _sip host-1 0 k9 sub web
/;

my @odd = (
	'*', "a.b", "sp ace", "\0", "\xff\xe9", 'back\\slash', 'semi;colon',
	'"q"', 'x' x 63, '$', '@', '(', 'z' x 30,
);

my @hosts = qw/ A AAAA TXT MX SRV CAA HTTPS SVCB PTR SSHFP TYPE65280 /;

my @features = (
	[ 8 => \&_host ], [ 4 => \&_deep ], [ 5 => \&_wildcard ],
	[ 2 => \&_below_wildcard ], [ 4 => \&_cut ], [ 3 => \&_nested ],
	[ 2 => \&_occluded ], [ 4 => \&_dname ], [ 4 => \&_cname ],
	[ 3 => \&_chain ], [ 2 => \&_loop ], [ 0.4 => \&_large ],
	[ 2 => \&_targets ], [ 0.2 => \&_long_chain ], [ 0.4 => \&_crowd ],
);

###############################################################################

sub pick {
	return @_ ? $_[rand @_] : undef;
}


sub pick_weighted {
	my (@choices) = @_;

	my $sum = 0;

	$sum += $_->[0] for @choices;

	my $at = rand $sum;

	for my $choice (@choices) {
		return $choice->[1] if ($at -= $choice->[0]) < 0;
	}

	return $choices[-1][1];
}


sub random_labels {
	my ($count) = @_;

	return map { rand() < 0.06 ? pick(@odd) : pick(@labels) } 1 .. $count;
}

###############################################################################

# One zone, or a parent and its child.  Number keeps families apart.

sub zone_family {
	my ($number) = @_;

	my $apex = name_join("\0", (map { pick(@labels[0 .. 9]) }
		1 .. pick(0, 0, 0, 1, 2, 4)), "z$number",
		pick([], [ 'test' ], [ 'Deep', 'test' ])->@*);

	my $zone = _zone(name_fold($apex));

	return $zone if $zone->{all_dname} || rand() >= 0.45;

	my $child = _child($zone);

	return ($zone, $child ? $child : ());
}


sub _child {
	my ($parent) = @_;

	my $apex;

	# at a cut, or where nothing in the parent says so

	if (rand() < 0.8) {
		my @cuts = grep { $parent->cut_of($_) eq $_ }
			$parent->names(sub { $parent->is_cut(@_) });

		@cuts = grep { _plain($_) } @cuts;

		$apex = pick(@cuts) // return undef;

	} else {
		$apex = _new_name($parent, 1) // return undef;
		return undef if !_plain($apex);
	}

	my $child = _zone($apex);

	# NSD wants nothing of any zone below a DNAME

	return undef if _dname_over($parent, $child)
		|| _dname_over($child, $parent);

	$child->{parent} = $parent;
	$parent->{child} = $child;

	return $child;
}


sub _dname_over {
	my ($zone, $other) = @_;

	for my $dname ($zone->names(sub { $zone->has($_[0], 'DNAME') })) {
		return 1 if $other->names(sub { name_below($_[0], $dname) });
	}

	return 0;
}


# Whether a name can be the name of a file and needs no escapes.

sub _plain {
	my ($name) = @_;

	return !grep { !/^[a-z0-9_-]+$/ } name_labels($name);
}


sub _zone {
	my ($apex) = @_;

	my $zone = Diff::Zone->new($apex);
	my @ttl = map { pick(30, 60, 300, 900, 3600) } 1 .. 2;

	$zone->add($apex, 'SOA', join ' ', name_text(name_join($apex, 'ns1')
		// $apex), name_text($apex), 1 + int rand 1e9, 7200, 3600,
		1209600, $ttl[0]);
	$zone->{nodes}{$apex}{SOA}{ttl} = $ttl[1];

	if (rand() < 0.02) {
		return _all_dname($zone);
	}

	for my $n (1 .. pick(1, 2, 2, 3)) {
		my $server = rand() < 0.2 ? _outside() : name_join($apex, "ns$n");

		$zone->add($apex, 'NS', name_mixed($server), $server);
		_addresses($zone, $server) if $zone->is_inside($server);
	}

	_records($zone, $apex, pick(@hosts)) for 1 .. pick(0, 1, 3);

	pick_weighted(@features)->($zone) for 1 .. 15 + int rand 25;

	return $zone;
}


# A DNAME at the apex: no other names.

sub _all_dname {
	my ($zone) = @_;

	my $server = _outside();

	$zone->{all_dname} = 1;
	$zone->add($zone->{apex}, 'NS', name_text($server), $server);

	my $target = _outside();

	$zone->add($zone->{apex}, 'DNAME', name_text($target), $target);
	_records($zone, $zone->{apex}, pick(@hosts)) for 1 .. 2;

	return $zone;
}

###############################################################################

# Names

sub _outside {
	return name_join("\7example\0", map { pick(@labels) } 1 .. pick(1, 2, 3));
}


# A name that may or may not exist yet: 1 to depth labels over another one.

sub _new_name {
	my ($zone, $depth) = @_;

	my $base = rand() < 0.4 ? $zone->{apex}
		: pick(sort keys %{ $zone->{exists} });

	$base = $zone->{apex} if defined $zone->cut_of($base);

	return name_join($base, random_labels(1 + int rand $depth));
}


# A name at which a host can be, not below a cut.

sub _host_name {
	my ($zone) = @_;

	return pick(grep { !defined $zone->cut_of($_) } $zone->names());
}


# What CNAME, MX and the like may point at.

sub _target {
	my ($zone) = @_;

	return pick_weighted(
		[ 6 => \&_host_name ],
		[ 1 => sub { pick(sort keys %{ $zone->{exists} }) } ],
		[ 1.5 => sub { _new_name($zone, 3) } ],
		[ 1 => sub { _below($zone, $zone->names(
			sub { $_[0] =~ /^\x01\*/ })) } ],
		[ 0.6 => sub { _below($zone, $zone->names(
			sub { $zone->is_cut(@_) })) } ],
		[ 0.8 => sub { my $dname = pick($zone->names(
			sub { $zone->has($_[0], 'DNAME') })) // return undef;
			name_join($dname, random_labels(1)) } ],
		[ 1 => \&_outside ],
	)->($zone) // $zone->{apex};
}


# A name below one of those given, or beside a wildcard.

sub _below {
	my ($zone, @names) = @_;

	my $base = pick(@names) // return undef;

	$base = name_parent($base) if $base =~ /^\x01\*/;

	return name_join($base, random_labels(pick(1, 1, 2)));
}

###############################################################################

# Records

sub _addresses {
	my ($zone, $name) = @_;

	my @types = pick([ 'A' ], [ 'A' ], [ 'AAAA' ], [ 'A', 'AAAA' ])->@*;

	for my $type (@types) {
		_record($zone, $name, $type) for 1 .. pick(1, 1, 1, 2);
	}
}


sub _records {
	my ($zone, $name, $type) = @_;

	_record($zone, $name, $type) for 1 .. pick(1, 1, 2, 3);
}


sub _record {
	my ($zone, $name, $type) = @_;

	my $target = _target($zone);

	return $zone->add($name, $type, _rdata($type, _written($type, $target)),
		$type =~ /^(?:MX|SRV|HTTPS|SVCB|PTR)$/ ? $target : undef);
}


# Peers differ by the case of SVCB: not too much of it.

sub _written {
	my ($type, $target) = @_;

	return $type =~ /^(?:HTTPS|SVCB)$/ && rand() < 0.9
		? name_text($target) : name_mixed($target);
}


sub _rdata {
	my ($type, $target) = @_;

	my $n = 1 + int rand 200;

	return "192.0.2.$n" if $type eq 'A';
	return "2001:db8::$n" if $type eq 'AAAA';
	return "\"text $n\"" . ' "more; of it"' x rand 3 if $type eq 'TXT';
	return "$n $target" if $type eq 'MX';
	return "0 5 $n $target" if $type eq 'SRV';
	return "0 issue \"ca$n.example\"" if $type eq 'CAA';
	return pick("0 $target", "1 . alpn=h2 port=$n", "2 $target alpn=h3")
		if $type =~ /^(?:HTTPS|SVCB)$/;
	return $target if $type eq 'PTR';
	return "1 1 " . sprintf '%040x', $n if $type eq 'SSHFP';
	return "$n 13 2 " . sprintf '%064x', $n if $type eq 'DS';
	return "\\# 2 " . sprintf '%04x', $n;
}

###############################################################################

# Features

sub _host {
	my ($zone) = @_;

	my $name = _new_name($zone, 2);

	_records($zone, $name, pick('A', 'AAAA', @hosts)) for 1 .. pick(1, 2, 3);
}


sub _deep {
	my ($zone) = @_;

	_records($zone, _new_name($zone, pick(4, 8, 19)), pick(@hosts));
}


sub _wildcard {
	my ($zone) = @_;

	my $base = rand() < 0.7 ? _new_name($zone, 2) : _host_name($zone);
	my $name = name_join($base // return, '*') // return;

	if (rand() < 0.3) {
		my $target = _target($zone);

		$zone->add($name, 'CNAME', name_mixed($target), $target);
		return;
	}

	_records($zone, $name, pick('A', @hosts)) for 1 .. pick(1, 2);
}


# Hosts and other things below or beside a wildcard.

sub _below_wildcard {
	my ($zone) = @_;

	my $wildcard = pick($zone->names(sub { $_[0] =~ /^\x01\*/ })) // return;
	my $base = rand() < 0.4 ? $wildcard : name_parent($wildcard);

	_records($zone, name_join($base, random_labels(pick(1, 1, 2))),
		pick('A', @hosts));
}


sub _cut {
	my ($zone, $name) = @_;

	$name //= _new_name($zone, 2) // return;

	return if $name =~ /^\x01\*/;

	for (1 .. pick(1, 2, 2, 3)) {
		_server($zone, $name) or return;
	}

	if (rand() < 0.5) {
		$zone->add($name, 'DS', _rdata('DS')) for 1 .. pick(1, 2);
	}
}


# A cut with more servers than UDP has room for: its own must come first.

sub _crowd {
	my ($zone) = @_;

	my $cut = _new_name($zone, 1) // return;
	my ($other) = grep { $zone->cut_of($_) eq $_ }
		$zone->names(sub { $zone->is_cut(@_) });

	return if $cut =~ /^\x01\*/;

	my @bases = ($cut, $zone->{apex}, $other // ());

	for my $n (1 .. 5 + int rand 6) {
		my $server = name_join(pick(@bases), pick(qw/ a m z /) . $n)
			// return;

		$zone->add($cut, 'NS', name_mixed($server), $server) or return;
		_addresses($zone, $server);
	}
}


# A server of a cut: in-domain, in another cut, elsewhere in the zone, outside.

sub _server {
	my ($zone, $cut) = @_;

	my $server = pick_weighted(
		[ 4 => sub { name_join($cut, random_labels(pick(1, 1, 2))) } ],
		[ 0.5 => sub { $cut } ],
		[ 2 => sub { _below($zone, $zone->names(
			sub { $zone->is_cut(@_) })) } ],
		[ 1.5 => \&_host_name ],
		[ 1.5 => \&_outside ],
	)->($zone) // return 0;

	$zone->add($cut, 'NS', name_mixed($server), $server) or return 0;

	if ($zone->is_inside($server) && rand() < 0.95) {
		_addresses($zone, $server);
	}

	return 1;
}


sub _nested {
	my ($zone) = @_;

	my $cut = pick($zone->names(sub { $zone->is_cut(@_) })) // return;

	_cut($zone, name_join($cut, random_labels(pick(1, 1, 2))) // return);
}


sub _occluded {
	my ($zone) = @_;

	my $cut = pick($zone->names(sub { $zone->is_cut(@_) })) // return;
	my $name = rand() < 0.2 ? $cut
		: name_join($cut, rand() < 0.2 ? '*' : (), random_labels(1));

	_records($zone, $name, pick(qw/ A TXT TXT /));
}


sub _dname {
	my ($zone) = @_;

	my $target = pick_weighted(
		[ 5 => sub { my $host = _host_name($zone) // return undef;
			$host ne $zone->{apex} ? name_parent($host) : $host } ],
		[ 2 => sub { _target($zone) } ],
		[ 1 => \&_outside ],
		[ 0.7 => sub { _long_name($zone) } ],
	)->() // return;

	$zone->add(_new_name($zone, 2), 'DNAME', name_mixed($target), $target);
}


# A name with little room for more labels.

sub _long_name {
	my ($zone) = @_;

	my $name = $zone->{apex};
	my $room = 252 - int rand 40;

	while (length $name < $room) {
		my $length = $room - length $name;

		$length = 40 if $length > 40;
		last if $length < 2;
		$name = name_join($name, 'l' x ($length - 1));
	}

	return $name;
}


sub _cname {
	my ($zone) = @_;

	my $target = _target($zone);

	$zone->add(_new_name($zone, 2), 'CNAME', name_mixed($target), $target);
}


sub _links {
	my ($zone, $count) = @_;

	my @names = grep { defined && !$zone->{exists}{$_}
		&& !defined $zone->cut_of($_) && $_ !~ /^\x01\*/ }
		map { _new_name($zone, 2) } 1 .. $count;

	my %seen;

	return grep { !$seen{$_}++ } @names;
}


sub _chain {
	my ($zone, $count) = @_;

	my @names = _links($zone, $count // 2 + int rand 4);
	my $last = _target($zone);

	for my $name (@names) {
		$zone->add($name, 'CNAME', name_mixed($last), $last) or return;
		$last = $name;
	}
}


sub _long_chain {
	my ($zone) = @_;

	_chain($zone, 5 + int rand 12);
}


# Loops of CNAME, of DNAME, and through wildcards.

sub _loop {
	my ($zone) = @_;

	my @names = _links($zone, 1 + int rand 4);
	my $last = $names[-1] // return;

	for my $name (@names) {
		if (rand() < 0.2) {
			my $dname = name_parent($last);

			$zone->add(name_parent($name), 'DNAME',
				name_mixed($dname), $dname);

		} elsif (rand() < 0.2) {
			my $wildcard = name_join(name_parent($name), '*');

			$zone->add($wildcard, 'CNAME', name_mixed($last), $last);

		} else {
			$zone->add($name, 'CNAME', name_mixed($last), $last);
		}

		$last = $name;
	}
}


# Sets that are far too large for UDP, or for UDP without EDNS.

sub _large {
	my ($zone) = @_;

	my $name = _new_name($zone, 2);
	my ($count, $size) = pick([ 20, 200 ], [ 5, 150 ], [ 40, 20 ])->@*;

	if (rand() < 0.5) {
		$zone->add($name, 'TXT', sprintf '"%02d%s"', $_, 'x' x $size)
			for 1 .. $count;
		return;
	}

	$zone->add($name, 'A', "192.0.2.$_") for 1 .. pick(60, 80);
}


# Records that point at hosts with addresses.

sub _targets {
	my ($zone) = @_;

	my $name = _new_name($zone, 2);
	my $type = pick(qw/ MX SRV HTTPS SVCB /);

	for (1 .. pick(1, 2, 3)) {
		my $target = pick(grep { !defined $zone->cut_of($_) }
			$zone->names(sub { $zone->has($_[0], 'A') })) // return;

		my $rdata = $type =~ /^(?:HTTPS|SVCB)$/ ? '1 ' : _number($type);

		$zone->add($name, $type, $rdata . _written($type, $target),
			$target);
	}
}


sub _number {
	my ($type) = @_;

	return ($type eq 'SRV' ? '0 0 ' : '') . int(rand 100) . ' ';
}

###############################################################################

1;
