#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the pools that README.md and docs/pools.md show: they work.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(6);
my $d = $t->testdir();

# the way of worker processes to databases and to the state directory

chmod 0755, $d;

geo_country("$d/country.mmdb", { '198.51.100.0/24' => 'AT' });

my ($readme, $page) = (slurp('../README.md'), slurp('../docs/pools.md'));

my ($short) = $readme =~ /^```nginx\n(stream \{\n    dns_pool .*?)^```/ms;
my ($long) = $page =~ /^```nginx\n(stream .*?)^```/ms;

my ($line) = $readme =~ /^and in the zone `(.*POOL.*)`/m;
my ($lines) = $page =~ /^and in `.*?^```\n(.*?)^```/ms;

ok(defined $short && defined $line, 'README has a pool');
ok(defined $long && defined $lines, 'page has a pool');

# the pools of both, under names of their own, in one server

my ($one) = $short =~ /^(    dns_pool web \{.*?^    \})/ms;
my ($two) = $long =~ /^(    dns_pool web \{.*?^    \})/ms;
my ($geoip) = $long =~ /^(    dns_geoip .*?;)/ms;

$one =~ s/web/readme/;
$line =~ s/web/readme/;
$geoip =~ s!/\S+\.mmdb!$d/country.mmdb!;

dns_run($t,
	stream => "dns_state_path state;\ndns_health off;\n$geoip\n$one\n$two",
	zones => {
		'one.test' => zone_text('one.test', "$line\n"),
		'two.test' => zone_text('two.test', $lines),
	},
);

###############################################################################

like(dns_text(dns_ask('www.one.test', 'A')), qr/ 30 IN A 192\.0\.2\.8[12]$/m,
	'README');

like(dns_text(dns_wait([ 'www.two.test', 'A', ecs => '198.51.100.0/24' ],
	qr/ IN A 192\.0\.2\.1[01]$/m)), qr/ IN A 192\.0\.2\.1[01]$/m,
	'an address of the country');
like(dns_text(dns_ask('shop.two.test', 'A', ecs => '203.0.113.0/24')),
	qr/ 30 IN A 198\.51\.100\.9$/m, 'the address of the others');
like(dns_text(dns_ask('www.two.test', 'AAAA')), qr/ IN AAAA 2001:db8::9$/m,
	'IPv6');

undef $t;

###############################################################################

sub slurp {
	my ($path) = @_;

	open my $f, '<', $path or die "$path: $!\n";
	local $/;
	return <$f>;
}

###############################################################################
