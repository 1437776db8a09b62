#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# G06: a subnet that no database knows, because it is private or nonsense, is
# an unknown client: it gets what is for everybody, never the first record,
# and not what is for the place of the resolver.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(24);
my $d = $t->testdir();

# the resolver, 127.0.0.2, is in the USA; nobody else in 127.0.0.0/8 is known

geo_city("$d/city.mmdb", {
	'127.0.0.2/32' => { country => 'US', at => [40.7, -74.0] },
	'198.51.100.0/24' => { country => 'DE', at => [52.5, 13.4] },
	'203.0.113.0/25' => { country => 'FR', at => [48.8, 2.3] },
	'203.0.113.128/25' => { country => 'US', at => [37.8, -122.4] },
	'2001:db8::/32' => { country => 'DE' },
});

geo_asn("$d/asn.mmdb", {
	'127.0.0.2/32' => 64502, '198.51.100.0/24' => 64501 });

geo_run($t, geoip => 'city.mmdb asn.mmdb', stream => <<'EOF',
    dns_network one { 198.51.100.0/24; }
    dns_network two { 127.0.0.2/32; }
    dns_pool strict {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        choose country no_match=none;
    }
    dns_pool rest {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        choose country;
    }
EOF
	zones => { 'more.test' => zone_text('more.test', <<'EOF') });
strict	POOL	strict
rest	POOL	rest
EOF

geo_known($t, 2);

my @us = (from => '127.0.0.2');
my @bogus = qw!127.0.0.0/24 10.0.0.0/24 fe80::/64!;

###############################################################################

is(geo_at('country', '198.51.100.0/24', @us), '192.0.2.1 /24', 'a known one');
like(geo_at('country', '0.0.0.0/0', @us), qr!^192\.0\.2\.2 /0$!,
	'who does not want to be located is where the resolver is');

for my $name (qw/ country continent asn network /) {
	for my $subnet (@bogus) {
		like(geo_at($name, $subnet, @us), qr!^192\.0\.2\.9 /\d+$!,
			"$name: $subnet");
	}
}

for my $subnet (@bogus) {
	like(geo_at('near', $subnet, @us),
		qr!^203\.0\.113\.1 203\.0\.113\.129 /\d+$!, "near: $subnet");
}

# the scope is true for them, too: nobody around them is known

is((split ' ', geo_at('country', '10.0.0.0/24', @us))[1], '/2',
	'the largest network without a country');

# nothing is for everybody: all, or none, as the set says

for my $subnet (@bogus) {
	my $text = dns_text(dns_ask('rest.more.test', 'A', ecs => $subnet, @us));

	like($text, qr/A 192\.0\.2\.1\n.*A 192\.0\.2\.2\n/s, "all: $subnet");

	$text = dns_text(dns_ask('strict.more.test', 'A', ecs => $subnet, @us));

	like($text, qr/^NOERROR.*^authority more\.test\. 60 IN SOA/ms,
		"none: $subnet");
}

###############################################################################
