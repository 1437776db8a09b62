#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for choices in Redis: the same JSON in a hash and as keys gives the
# same answers, from Redis and from a snapshot; what is wrong in it costs no
# more than it has to.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use JSON::PP qw//;
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;
use Test::Nginx::Redis;
use Test::Nginx::Stream qw/ stream /;

use Time::HiRes qw/ sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

# Clients, by where they are.

my %clients = (
	de => '192.0.2.1', at => '192.0.2.129', us => '198.51.100.1',
	office => '203.0.113.1', lab => '203.0.113.129', nowhere => '10.9.9.9',
	six => '2001:db8::1',
);

# Sets: how to choose, records as the last octet of an address and members,
# and who gets which octets; "|" stands between those of which a client gets
# one.

my @sets = (
	[ country => { geo_filter => 'country' },
		[ [ 1, country => 'DE' ], [ 2, country => [ 'de', 'AT' ] ],
			[ 3, country => '' ], [ 4, country => 'XX' ] ],
		{ de => '1 2', at => '2', us => '3', nowhere => '3',
			six => '1 2' } ],

	[ mixed => { geo_filter => 'country' },
		[ [ 1, country => [ '', 'DE' ] ], [ 2, country => 'AT' ] ],
		{ de => '1', at => '2', us => '1' } ],

	[ all => { geo_filter => 'country' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ] ],
		{ de => '1', us => '1 2', nowhere => '1 2' } ],

	[ nothing => { geo_filter => 'country', no_match => 'none' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ] ],
		{ de => '1', us => '', nowhere => '' } ],

	[ continent => { geo_filter => 'Continent' },
		[ [ 1, continent => 'eu' ],
			[ 2, continent => [ 'NA', 'SA' ] ], [ 3 ] ],
		{ de => '1', at => '1', us => '2', nowhere => '3' } ],

	[ asn => { geo_filter => 'asn' },
		[ [ 1, asn => 64500 ], [ 2, asn => [ 'AS64501', 0 ] ] ],
		{ de => '1', at => '2', us => '2', nowhere => '2' } ],

	[ both => { geo_filter => 'country+asn' },
		[ [ 1, asn => 64500, country => 'DE' ],
			[ 2, asn => 64500, country => 'AT' ],
			[ 3, country => 'AT' ], [ 4 ] ],
		{ de => '1', at => '3', us => '4' } ],

	[ network => { geo_filter => 'network' },
		[ [ 1, network => 'office' ], [ 2, network => [ 'LAB' ] ],
			[ 3, network => [] ], [ 4, network => 'unknown' ] ],
		{ office => '1', lab => '2', de => '3', nowhere => '3' } ],

	[ steps => { geo_filter => 'continent+network+country' },
		[ [ 1, network => 'office' ], [ 2, country => 'DE' ],
			[ 3, continent => 'EU' ], [ 4, continent => 'NA' ] ],
		{ office => '1', de => '2', at => '3', us => '4' } ],

	[ near => { geo_filter => 'location' },
		[ [ 1 ], [ 65 ], [ 129 ] ],
		{ de => '1 65', at => '129', us => '1 65',
			nowhere => '1 65 129' } ],

	[ first => { count => 'single' },
		[ [ 3 ], [ 1 ], [ 2 ] ], { de => '3' } ],

	[ weight => { count => 'single', order => 'weighted' },
		[ [ 1, weight => 0 ], [ 2, weight => 7 ], [ 3, weight => 0 ] ],
		{ de => '2' } ],

	[ any => { count => 'single', order => 'rr' },
		[ [ 1 ], [ 2 ], [ 3 ] ], { de => '1|2|3' } ],

	[ sticky => { count => 'single', order => 'sticky' },
		[ [ 1 ], [ 2 ], [ 3 ] ], { de => '1|2|3' } ],

	[ groups => undef,
		[ [ 1, priority => 2 ], [ 2, priority => 1 ],
			[ 3, priority => 1 ] ],
		{ de => '2 3' } ],

	[ 'groups-in' => { geo_filter => 'country' },
		[ [ 1, country => 'DE', priority => 9 ],
			[ 2, country => 'DE', priority => 5 ], [ 3 ] ],
		{ de => '2', us => '3' } ],

	[ checked => { geo_filter => 'country' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ] ],
		{ de => '1', us => '1 2' },
		{ enable => JSON::PP::true(), protocol => 'tcp', port => 9 } ],

	[ unknown => { count => 'some', order => 'random',
			geo_filter => 'country+planet' },
		[ [ 1, country => 'DE' ], [ 2 ] ],
		{ de => '1', us => '2' } ],

	[ bad => { geo_filter => 'country' },
		[ [ 1, country => 'DE', priority => 65536 ],
			[ 2, country => 'DE', weight => -1 ],
			[ 3, country => [ 7 ] ],
			[ 4, continent => 'Europe', country => 'DE' ],
			[ 5, network => 1 ], [ 6 ] ],
		{ de => '4', us => '6' } ],
);

my $asked = 0;
$asked += keys %{ $_->[3] } for @sets;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(3 * $asked + 15);

my $dir = $t->testdir();

geo_city("$dir/city.mmdb", {
	'192.0.2.0/25' => { country => 'DE', at => [ 52, 13 ] },
	'192.0.2.128/25' => { country => 'AT', at => [ 48, 16 ] },
	'198.51.100.0/24' => { country => 'US', at => [ 54, 10 ] },
	'2001:db8::/32' => { country => 'DE' },
});
geo_asn("$dir/asn.mmdb", { '192.0.2.0/25' => 64500 });

my $r = redis_start($t);

put();

dns_run($t, counters => 1, sources => [ 'zone' ],
	stream => $r->directives('snapshot=1s') . <<EOF);

    dns_health passive;
    dns_geoip  $dir/city.mmdb $dir/asn.mmdb;

    dns_network office { 203.0.113.0/25; }
    dns_network lab    { 203.0.113.128/25; }

    server {
        listen  127.0.0.1:8082;
        return  \$dns_health_targets;
    }
EOF

###############################################################################

ready();

answers('l1', 'L1');
answers('l4', 'L4');

# the same client, the same address

my $sticky = octets('sticky.l1.test', 'de');

is(octets('sticky.l1.test', 'de'), $sticky, 'sticky, again') for 1 .. 3;
is(octets('sticky.l4.test', 'de'), $sticky, 'sticky, by client and address');

# what is to be checked is known

is(target_count(), 4, 'targets');

# what was wrong

my @log = dns_error_log($t, qr/\[warn\].*"l1\.test\."/);

is(grep(/label "(?:unknown|bad|country)"/, @log), scalar @log,
	'no other warnings');

for my $about (qw/ count order geo_filter priority weight country continent
	network /)
{
	ok(grep(/"$about"/, @log), "a warning about \"$about\"");
}

# a start without Redis: all of it is in the snapshot

for (1 .. 100) {
	last if dns_counters()->{'zone.snapshots'};
	sleep 0.1;
}

$t->stop();
$r->kill();

$t->run();
ready();

answers('l4', 'snapshot');
is(target_count(), 4, 'targets, snapshot');

###############################################################################

sub put {
	my %data;

	for my $set (@sets) {
		my ($label, $filter, $records, undef, $check) = @$set;
		my @list;

		for my $record (@$records) {
			my ($octet, %members) = @$record;
			push @list, { ip => "192.0.2.$octet", %members };
		}

		$data{$label} = { ttl => 300, records => \@list,
			defined $filter ? (filter => $filter) : (),
			defined $check ? (health_check => $check) : () };
	}

	$r->l1('l1.test.', { map { $_ => { a => $data{$_} } } keys %data },
		config => redis_soa('l1.test'));
	$r->l4('l4.test.', { map { $_ => { A => $data{$_} } } keys %data },
		config => redis_soa('l4.test'));
}


# nobody has written states: all are unknown

sub target_count {
	my $n = 0;

	for (1 .. 100) {
		$n = stream('127.0.0.1:' . port(8082))->read();
		last if $n == 4;
		sleep 0.1;
	}

	return $n;
}


# places are read by another process

sub ready {
	for my $zone (qw/ l1 l4 /) {
		dns_wait(sub { ask("country.$zone.test", 'at') },
			qr/ 300 IN A 192\.0\.2\.2$/m);
	}
}


sub answers {
	my ($zone, $name) = @_;

	for my $set (@sets) {
		my ($label, undef, undef, $wanted) = @$set;

		for my $client (sort keys %$wanted) {
			my $text = $wanted->{$client};

			like(octets("$label.$zone.test", $client),
				qr/^(?:$text)$/, "$name, $label for $client");
		}
	}
}


# the last octets of the addresses of an answer

sub octets {
	my ($name, $client) = @_;

	my $text = dns_text(ask($name, $client));

	return join ' ', sort { $a <=> $b }
		$text =~ /^answer .* A 192\.0\.2\.(\d+)$/mg;
}


sub ask {
	my ($name, $client) = @_;

	my $subnet = $clients{$client};

	return dns_ask($name, 'A',
		ecs => $subnet . ($subnet =~ /:/ ? '/56' : '/32'));
}

###############################################################################
