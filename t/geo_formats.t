#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for databases of places: what is known is found in all of their forms,
# and the scope is that of the largest network with the same fact.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(59);
my $d = $t->testdir();

# two neighbours of one country are one network

my %places = (
	'10.1.0.0/24' => { country => 'DE', at => [52.5, 13.4] },
	'10.1.1.0/24' => { country => 'DE', at => [48.1, 11.6] },
	'10.1.2.0/23' => { country => 'US', at => [40.7, -74.0] },
	'203.0.113.0/25' => { country => 'FR', at => [48.8, 2.3] },
	'203.0.113.128/25' => { country => 'US', at => [37.8, -122.4] },
);

my %places6 = (
	'2001:db8:1::/48' => { country => 'DE', at => [52.5, 13.4] },
	'2001:db8:2::/47' => { country => 'US', at => [40.7, -74.0] },
);

my %asns = ('10.1.0.0/23' => 64501, '10.1.2.0/24' => 64502);
my %asns6 = ('2001:db8:1::/48' => 64501);

###############################################################################

geo_city("$d/city.mmdb", { %places, %places6 });
start('city.mmdb', 1, 'City');
country('City');
country6('City');
near('City');

geo_city("$d/city.mmdb", { %places, %places6 }, size => 24, alias => 1);
start('city.mmdb', 1, 'City, 24 bits, aliases');
country('City, 24 bits');
country6('City, 24 bits');

geo_country("$d/country.mmdb", { %places, %places6 }, size => 32);
start('country.mmdb', 1, 'Country');
country('Country');
country6('Country');
is(geo_at('near', '10.1.0.0/24'), '203.0.113.1 203.0.113.129 /0',
	'no places in Country');

geo_country("$d/country.mmdb", { %places }, version => 4);
start('country.mmdb', 1, 'Country, IPv4');
country('Country, IPv4');
is(geo_at('country', '2001:db8:1::/56'), '192.0.2.9 /0',
	'IPv6 is unknown to it');

# each fact from the first one that knows it, in any order

geo_asn("$d/asn.mmdb", { %asns, %asns6 });
geo_city("$d/city.mmdb", { %places, %places6 });
start('asn.mmdb city.mmdb', 2, 'ASN and City');
country('ASN and City');
near('ASN and City');
asn('ASN and City');

# for IPv4 and for IPv6

geo_city("$d/four.mmdb", { %places }, version => 4);
geo_city("$d/six.mmdb", { %places6 });
start('six.mmdb four.mmdb asn.mmdb', 3, 'one for each family');
country('one for each family');
country6('one for each family');
near('one for each family');
asn('one for each family');

# one that knows a fact comes first

geo_country("$d/other.mmdb", { '10.1.0.0/16' => 'US' });
start('other.mmdb city.mmdb', 2, 'Country first');
is(geo_at('country', '10.1.0.0/24'), '192.0.2.2 /16', 'Country first');
is(geo_at('near', '10.1.0.0/24'), '203.0.113.1 /24', 'City for places');

geo_enterprise("$d/all.mmdb", { map { $_ => {
	%{ $places{$_} }, asn => /10\.1\.[01]/ ? 64501 : 64502
} } keys %places });
start('all.mmdb', 1, 'Enterprise');
country('Enterprise');
near('Enterprise');
is(geo_at('asn', '10.1.0.0/24'), '192.0.2.1 /23', 'Enterprise: AS number');

# flat ones

my %flat = map { $_ => {
	country_code => $places{$_}{country},
	continent_code => geo_continent($places{$_}{country}),
	latitude => $places{$_}{at}[0], longitude => $places{$_}{at}[1],
	asn => $asns{'10.1.0.0/23'},
} } keys %places;

geo_flat("$d/flat.mmdb", \%flat);
start('flat.mmdb', 1, 'flat');
country('flat');
near('flat');
like(geo_at('asn', '10.1.2.0/24'), qr/^192\.0\.2\.1 /, 'flat: AS number');

my %text = map { my $f = $flat{$_}; $_ => {
	country => lc $f->{country_code}, asn => "AS$f->{asn}",
	latitude => "$f->{latitude}", longitude => "$f->{longitude}",
} } keys %flat;

geo_flat("$d/flat.mmdb", \%text, text => 1);
start('flat.mmdb', 1, 'flat, texts');
is(geo_at('country', '10.1.0.0/24'), '192.0.2.1 /23', 'lower case');
is(geo_at('continent', '10.1.2.0/24'), '192.0.2.2 /23',
	'the continent of a country');
near('flat, texts');
like(geo_at('asn', '10.1.2.0/24'), qr/^192\.0\.2\.1 /, '"AS64501"');

undef $t;

###############################################################################

# starts anew, and waits for n databases

sub start {
	my ($geoip, $n, $name) = @_;

	$t->stop() if -e "$d/nginx.pid";
	unlink "$d/error.log";
	geo_run($t, geoip => $geoip);
	geo_known($t, $n);

	is(() = dns_error_log($t, qr/database .* is used/), $n, "$name: used");
}


sub country {
	my ($name) = @_;

	is(join(', ', map { geo_at('country', "$_/24") }
		qw/ 10.1.0.0 10.1.1.0 10.1.3.0 10.1.4.0 203.0.113.0 /),
		'192.0.2.1 /23, 192.0.2.1 /23, 192.0.2.2 /23, 192.0.2.9 /22, '
		. '192.0.2.9 /25', "$name: countries");
	is(join(', ', map { geo_at('continent', "$_/24") }
		qw/ 10.1.0.0 10.1.3.0 10.1.4.0 203.0.113.0 /),
		'192.0.2.1 /23, 192.0.2.2 /23, 192.0.2.9 /22, 192.0.2.1 /25',
		"$name: continents");
}


sub country6 {
	my ($name) = @_;

	is(join(', ', map { geo_at('country', "$_/56") }
		qw/ 2001:db8:1:100:: 2001:db8:3:: 2001:db9:: /),
		'192.0.2.1 /48, 192.0.2.2 /47, 192.0.2.9 /32',
		"$name: countries, IPv6");
}


sub near {
	my ($name) = @_;

	is(join(', ', map { geo_at('near', "$_/24") } qw/ 10.1.0.0 10.1.2.0 /),
		'203.0.113.1 /24, 203.0.113.129 /23', "$name: the nearest");
	is(geo_at('near', '203.0.113.129/32'), '203.0.113.129 /25',
		"$name: itself");
	is(geo_at('near', '10.9.0.0/16'), '203.0.113.1 203.0.113.129 /13',
		"$name: an unknown client");
}


sub asn {
	my ($name) = @_;

	is(join(', ', map { geo_at('asn', $_) }
		qw!10.1.1.0/24 10.1.2.0/24 10.1.3.0/24 2001:db8:1::/56!),
		'192.0.2.1 /23, 192.0.2.2 /24, 192.0.2.9 /24, 192.0.2.1 /48',
		"$name: AS numbers");
}

###############################################################################
