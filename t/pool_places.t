#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for pools whose addresses are for places: every word for places, lists,
# what is for nobody else, no_match, and the scope of answers.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(38);

my $d = $t->testdir();

# the way of worker processes to databases and to the state directory

chmod 0755, $d;

geo_city("$d/city.mmdb", {
	'198.51.100.0/26' => { country => 'DE', at => [52.5, 13.4] },
	'198.51.100.64/26' => { country => 'AT', at => [48.2, 16.4] },
	'198.51.100.128/26' => { country => 'US', at => [40.7, -74.0] },
	'198.51.100.192/26' => { country => 'JP', at => [35.7, 139.7] },
	'192.0.2.1/32' => { country => 'DE', at => [50.1, 8.7] },
	'192.0.2.2/32' => { country => 'US', at => [37.8, -122.4] },
	'192.0.2.3/32' => { country => 'JP', at => [34.7, 135.5] },
});

geo_asn("$d/asn.mmdb", {
	'198.51.100.0/27' => 64500,
	'198.51.100.32/27' => 64501,
	'198.51.100.128/26' => 64502,
});

# clients by what they are

my %clients = (
	de1 => '198.51.100.0/27',		# AS 64500
	de2 => '198.51.100.32/27',		# AS 64501
	at => '198.51.100.64/26',
	us => '198.51.100.128/26',		# AS 64502
	jp => '198.51.100.192/26',
	nobody => '203.0.113.0/24',
	office => '203.0.113.192/26',
	lab => '203.0.113.128/26',
);

my $pools = <<'EOF';
    dns_network office { 203.0.113.128/25; }
    dns_network lab { 203.0.113.128/26; }

    dns_pool country {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=us,JP;
        address 192.0.2.3;
        choose country;
    }

    dns_pool any {
        address 192.0.2.1 country=DE,*;
        address 192.0.2.2 country=US;
        choose country;
    }

    dns_pool none {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        choose country no_match=none;
    }

    dns_pool all {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        choose country no_match=all;
    }

    dns_pool asn {
        address 192.0.2.1 asn=64500;
        address 192.0.2.2 asn=AS64501,64502;
        address 192.0.2.3;
        choose asn;
    }

    dns_pool both {
        address 192.0.2.1 asn=64500 country=DE;
        address 192.0.2.2 country=DE;
        address 192.0.2.3 country=AT;
        address 192.0.2.4;
        choose country+asn;
    }

    dns_pool continent {
        address 192.0.2.1 continent=EU;
        address 192.0.2.2 continent=NA,AS;
        address 192.0.2.3;
        choose continent;
    }

    dns_pool network {
        address 192.0.2.1 network=Office;
        address 192.0.2.2;
        choose network;
    }

    dns_pool location {
        address 192.0.2.1;
        address 192.0.2.2;
        address 192.0.2.3;
        choose location;
    }

    dns_pool weighted {
        address 192.0.2.1 country=DE,AT weight=0;
        address 192.0.2.2 country=DE,AT weight=1;
        address 192.0.2.3 weight=1;
        choose country weighted single;
    }

    dns_pool whole {
        address 192.0.2.1;
        address 192.0.2.2;
    }
EOF

my @names = $pools =~ /dns_pool (\w+)/g;

dns_run($t,
	stream => "dns_state_path state;\n    dns_geoip $d/city.mmdb "
		. "$d/asn.mmdb;\n$pools",
	zones => { 'p.test' => zone_text('p.test',
		join '', map { "$_ 60 POOL $_\n" } @names) },
);

# databases are taken up while nginx runs; TTLs are low until then

ok(defined dns_wait([ 'country.p.test', 'A', ecs => $clients{de1} ],
	qr/ 60 IN A 192\.0\.2\.1$/m), 'databases');

###############################################################################

is(ask('country', 'de1'), '1', 'country');
is(ask('country', 'us'), '2', 'country in a list, lower case');
is(ask('country', 'jp'), '2', 'country in a list');
is(ask('country', 'at'), '3', 'country of nobody');
is(ask('country', 'nobody'), '3', 'no country');

is(ask('any', 'de1'), '1', 'any, its own');
is(ask('any', 'us'), '2', 'any, another one');
is(ask('any', 'at'), '1', 'any, for everybody else');

is(ask('none', 'de2'), '1', 'no_match=none, matches');
is(ask('none', 'at'), '', 'no_match=none');
is(ask('all', 'us'), '2', 'no_match=all, matches');
is(ask('all', 'at'), '1 2', 'no_match=all');

is(ask('asn', 'de1'), '1', 'asn');
is(ask('asn', 'de2'), '2', 'asn with letters');
is(ask('asn', 'us'), '2', 'asn in a list');
is(ask('asn', 'at'), '3', 'no asn');

is(ask('both', 'de1'), '1', 'asn and country');
is(ask('both', 'de2'), '2', 'country of another asn');
is(ask('both', 'at'), '3', 'country without asn');
is(ask('both', 'us'), '4', 'neither');

is(ask('continent', 'at'), '1', 'continent');
is(ask('continent', 'jp'), '2', 'continent in a list');
is(ask('continent', 'nobody'), '3', 'no continent');

is(ask('network', 'office'), '1', 'network');
is(ask('network', 'lab'), '2', 'another network');
is(ask('network', 'nobody'), '2', 'no network');

is(ask('location', 'de1'), '1', 'location');
is(ask('location', 'at'), '1', 'location, near by');
is(ask('location', 'us'), '2', 'location overseas');
is(ask('location', 'jp'), '3', 'location far away');
is(ask('location', 'nobody'), '1 2 3', 'no location');

is(ask('whole', 'de1'), '1 2', 'no places');

my %n;

$n{ask('weighted', 'at')}++ for 1 .. 30;
is("@{[ sort keys %n ]}", '2', 'weights behind a country');

%n = ();
$n{ask('weighted', 'jp')}++ for 1 .. 30;
is("@{[ sort keys %n ]}", '3', 'weights of the others');

# the largest network in which the answer is the same

is(scope('country', 'de1'), '198.51.100.0/27/26', 'scope of a country');
is(scope('asn', 'de1'), '198.51.100.0/27/27', 'scope of an asn');
is(scope('whole', 'de1'), '198.51.100.0/27/0', 'no scope');

undef $t;

###############################################################################

# the last numbers of the addresses

sub ask {
	my ($name, $client) = @_;

	my $m = dns_parse(dns_ask("$name.p.test", 'A',
		ecs => $clients{$client}));

	return join ' ', sort { $a <=> $b } map { /(\d+)$/ }
		map { $_->{rdata} } @{ $m->{answer} };
}


sub scope {
	my ($name, $client) = @_;

	return dns_reply_ecs(dns_ask("$name.p.test", 'A',
		ecs => $clients{$client}));
}

###############################################################################
