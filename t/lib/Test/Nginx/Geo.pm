package Test::Nginx::Geo;

# Copyright (C) ngx_dns_module contributors

# Databases of places in MaxMind's format, made in the test by Debian's
# libmaxmind-db-writer-perl.
#
#	my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(5);
#
#	geo_city($t->testdir() . '/city.mmdb', {
#		'192.0.2.0/24' => { country => 'DE', at => [52.5, 13.4] },
#		'2001:db8::/32' => { country => 'US', continent => 'NA' },
#	});
#
# Each test begins with geo_need(), which skips it if the writer is missing.
# All functions replace a database by rename, as a careful operator does, so
# that what reads the old one goes on reading it; geo_overwrite() does not.
#
# geo_run($t, geoip => 'city.mmdb') starts an nginx whose zone geo.test has a
# name for each filter, geo_at('country', '192.0.2.0/24') asks it.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Test::More qw//;

use Test::Nginx::DNS;

our @EXPORT = qw/
	geo_need geo_city geo_country geo_enterprise geo_asn geo_flat geo_write
	geo_bytes geo_overwrite geo_continent geo_run geo_conf geo_at geo_wait
	geo_known
/;

# pools of the zone geo.test: 192.0.2.9 is for everybody else

my $pools = <<'EOF';
    dns_pool country {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        address 192.0.2.9;
        choose country;
    }
    dns_pool continent {
        address 192.0.2.1 continent=EU;
        address 192.0.2.2 continent=NA;
        address 192.0.2.9;
        choose continent;
    }
    dns_pool asn {
        address 192.0.2.1 asn=64501;
        address 192.0.2.2 asn=64502;
        address 192.0.2.9;
        choose asn;
    }
    dns_pool near {
        address 203.0.113.1;
        address 203.0.113.129;
        choose location;
    }
EOF

# only if there are networks

my $network = <<'EOF';
    dns_pool network {
        address 192.0.2.1 network=one;
        address 192.0.2.2 network=two;
        address 192.0.2.9;
        choose network;
    }
EOF

# types of values by the names of their members; texts are the default

my %types = (
	asn => 'uint32',
	autonomous_system_number => 'uint32',
	autonomous_system_organization => 'utf8_string',
	accuracy_radius => 'uint16',
	city => 'map',
	confidence => 'uint16',
	continent => 'map',
	country => 'map',
	geoname_id => 'uint32',
	is_in_european_union => 'boolean',
	latitude => 'double',
	location => 'map',
	longitude => 'double',
	names => 'map',
	registered_country => 'map',
	traits => 'map',
);

# where countries are, as far as tests need it

my %continents = (
	(map { $_ => 'AF' } qw/ EG KE MA NG ZA /),
	(map { $_ => 'AS' } qw/ CN IN IR JP KR SG TR /),
	(map { $_ => 'EU' } qw/ AT BE CH CZ DE ES FI FR GB IT NL PL SE /),
	(map { $_ => 'NA' } qw/ CA MX US /),
	(map { $_ => 'OC' } qw/ AU NZ /),
	(map { $_ => 'SA' } qw/ AR BR CL CO PE /),
);

###############################################################################

# Skips the test if there is no writer of databases.

sub geo_need {
	eval {
		require MaxMind::DB::Writer::Tree;
		MaxMind::DB::Writer::Tree->import();
	};

	Test::More::plan(skip_all => 'no libmaxmind-db-writer-perl') if $@;
}


# Each takes a path and what it says of networks.  Options, all optional:
#
#   version  4 or 6, which is the default: the version of addresses
#   size     of a record of the tree in bits: 24, 28 (default), or 32
#   alias    1: the database has IPv4 at ::ffff:0:0/96 and 2002::/16 as well
#   type     the name of its kind

# GeoLite2-City: network => { country, continent, at => [latitude,
# longitude], registered }, each optional; the continent follows from the
# country if it is not given.

sub geo_city {
	my ($path, $nets, %opts) = @_;

	geo_write($path, _map($nets, \&_city), type => 'GeoLite2-City', %opts);
}


# GeoLite2-Country: network => 'DE' or as for a city.

sub geo_country {
	my ($path, $nets, %opts) = @_;

	geo_write($path, _map($nets, \&_country),
		type => 'GeoLite2-Country', %opts);
}


# GeoIP2-Enterprise: as for a city, and asn => NUMBER.

sub geo_enterprise {
	my ($path, $nets, %opts) = @_;

	geo_write($path, _map($nets, sub {
		my $record = _city(@_);

		$record->{traits} = { autonomous_system_number => $_[0]->{asn} }
			if defined $_[0]->{asn};

		return $record;
	}), type => 'GeoIP2-Enterprise', %opts);
}


# GeoLite2-ASN: network => NUMBER.

sub geo_asn {
	my ($path, $nets, %opts) = @_;

	geo_write($path, _map($nets, sub {
		return {
			autonomous_system_number => $_[0],
			autonomous_system_organization => "AS $_[0]",
		};
	}), type => 'GeoLite2-ASN', %opts);
}


# Flat records, as the free packages have them: network => { country_code,
# continent_code, asn, latitude, longitude, ... } as it is.  Numbers that are
# texts: option "text".

sub geo_flat {
	my ($path, $nets, %opts) = @_;

	geo_write($path, $nets, type => 'flat', flat => 1, %opts);
}


sub geo_write {
	my ($path, $nets, %opts) = @_;

	my $new = "$path.new$$";

	open my $fh, '>:raw', $new or die "$new: $!\n";
	print $fh geo_bytes($nets, %opts);
	close $fh or die "$new: $!\n";

	chmod 0644, $new;
	rename $new, $path or die "rename $path: $!\n";
}


# The octets of a database; records are what the writer takes.

sub geo_bytes {
	my ($nets, %opts) = @_;

	require MaxMind::DB::Writer::Tree;

	my %kinds = %types;

	@kinds{qw/ country city continent /} = ('utf8_string') x 3
		if $opts{flat};
	@kinds{qw/ asn latitude longitude /} = ('utf8_string') x 3
		if $opts{text};

	my $tree = MaxMind::DB::Writer::Tree->new(
		ip_version => $opts{version} // 6,
		record_size => $opts{size} // 28,
		database_type => $opts{type} // 'Test',
		languages => [ 'en' ],
		description => { en => 'a database of a test' },
		remove_reserved_networks => 0,
		alias_ipv6_to_ipv4 => $opts{alias} // 0,
		map_key_type_callback => sub { $kinds{$_[0]} // 'utf8_string' },
	);

	# the smaller ones come last: they are cut out of the larger ones

	my %bits;

	for my $net (keys %$nets) {
		my ($n) = $net =~ m!/(\d+)$!;
		$bits{$net} = !defined $n ? 128 : $net =~ /:/ ? $n : $n + 96;
	}

	for my $net (sort { $bits{$a} <=> $bits{$b} || $a cmp $b } keys %$nets) {
		$tree->insert_network($net, $nets->{$net});
	}

	my $bytes = '';

	open my $fh, '>:raw', \$bytes or die "open: $!\n";
	$tree->write_tree($fh);
	close $fh;

	return $bytes;
}


# Writes octets into a file that stays the same file, from its beginning; it
# is cut to their length first, as a careless operator does.

sub geo_overwrite {
	my ($path, $bytes) = @_;

	open my $fh, '>:raw', $path or die "$path: $!\n";
	print $fh $bytes;
	close $fh or die "$path: $!\n";
}


sub geo_continent {
	my ($country) = @_;

	return $continents{uc $country};
}

###############################################################################

# An nginx with the zone geo.test.  Options are those of dns_conf(), and
# geoip: what "dns_geoip" is given, state: 0 for no "dns_state_path".

sub geo_run {
	my ($t, %opts) = @_;

	# the way of worker processes to databases and to the state directory

	chmod 0755, $t->testdir();

	my $names = join '', map { "$_\t60\tPOOL\t$_\n" }
		_pools(%opts) =~ /dns_pool (\w+)/g;

	my %zones = (
		%{ $opts{zones} // {} }, 'geo.test' => zone_text('geo.test', $names)
	);

	$t->write_file("$_.zone", $zones{$_}) for keys %zones;

	return dns_run($t, conf => geo_conf(%opts));
}


sub geo_conf {
	my (%opts) = @_;

	my $stream = join "\n", _pools(%opts), $opts{stream} // (),
		$opts{state} // 1 ? 'dns_state_path state;' : (),
		defined $opts{geoip} ? "dns_geoip $opts{geoip};" : ();

	return dns_conf(%opts, stream => $stream,
		zones => { %{ $opts{zones} // {} }, 'geo.test' => 1 });
}


sub _pools {
	my (%opts) = @_;

	return $pools . (($opts{stream} // '') =~ /dns_network/ ? $network : '');
}


# The addresses, in order, that a client gets, and the scope: "192.0.2.1 /24".
# More options are those of dns_ask().

sub geo_at {
	my ($name, $subnet, %opts) = @_;

	my $reply = dns_ask("$name.geo.test", 'A', ecs => $subnet, timeout => 3,
		%opts);

	return 'no reply' unless defined $reply;

	my $m = dns_parse($reply);
	my @addresses = dns_text($reply)
		=~ /^answer \S+ \d+ IN A (\S+)$/mg;
	my ($scope) = (dns_reply_ecs($reply) // '') =~ m!/(\d+)$!;

	return join ' ', sort(@addresses), defined $scope ? "/$scope" : ();
}


# Asks until the client gets what is wanted, which may be a pattern, and gives
# the last answer.

sub geo_wait {
	my ($name, $subnet, $wanted, %opts) = @_;

	my $until = time() + ($opts{seconds} // 10);

	for ( ;; ) {
		my $got = geo_at($name, $subnet);

		return $got if time() > $until
			|| (ref $wanted ? $got =~ $wanted : $got eq $wanted);

		select undef, undef, undef, 0.02;
	}
}


# Waits until nothing more has to be done: all databases are used, or refused,
# which is the number of lines given.

sub geo_known {
	my ($t, $n) = @_;

	my $until = time() + 10;

	while (time() < $until) {
		my @lines = dns_error_log($t, qr/database "[^"]*" (?:of|is not)/);

		last if @lines >= $n;
		select undef, undef, undef, 0.02;
	}

	# workers look every 100 ms

	select undef, undef, undef, 0.25;
}

###############################################################################

sub _map {
	my ($nets, $make) = @_;

	return { map { $_ => $make->($nets->{$_}) } keys %$nets };
}


sub _country {
	my ($of) = @_;

	$of = { country => $of } if !ref $of;

	my %record;
	my $country = $of->{country};
	my $continent = $of->{continent};

	$continent = geo_continent($country)
		if !defined $continent && defined $country;

	$record{country} = { iso_code => $country, geoname_id => 1 }
		if defined $country;
	$record{continent} = { code => $continent, geoname_id => 2 }
		if defined $continent;
	$record{registered_country} = { iso_code => $of->{registered} }
		if defined $of->{registered};

	return \%record;
}


sub _city {
	my ($of) = @_;

	my $record = _country($of);

	if (ref $of && $of->{at}) {
		$record->{location} = {
			latitude => $of->{at}->[0],
			longitude => $of->{at}->[1],
			accuracy_radius => 10,
		};
		$record->{city} = { names => { en => 'City' } };
	}

	return $record;
}

###############################################################################

1;

###############################################################################
