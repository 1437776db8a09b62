#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G12: all targets down.  There is no threshold below: while one
# is up only those that are up are answered; those of a place that are down
# leave it to the next group.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;
use Test::Nginx::Health;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(17);

my $d = $t->testdir();
chmod 0755, $d;

geo_country("$d/country.mmdb", { '81.0.0.0/8' => 'DE', '82.0.0.0/8' => 'US',
	'83.0.0.0/8' => 'FR' });

my @last = 21 .. 32;
my @ips = map { "127.0.0.$_" } @last;
my $b = health_backend($t, map { "$_:8081" } @ips);
my $port = port(8081);

# those of the first half are for Germany, two of the others for the rest

my $plain = join '', map { "address $_; " } @ips;
my $places = join '', map { my $n = $_;
	"address 127.0.0.$n" . ($n <= 26 ? ' country=DE'
		: $n <= 30 ? ' country=US' : '') . '; ' } @last;
my $check = "health_check http port=$port interval=200ms timeout=500ms"
	. ' up=2 down=2';

dns_run($t, stream => "dns_state_path $d/state;\n" . <<"EOF"
    dns_geoip $d/country.mmdb;
    dns_pool all { $plain $check; }
    dns_pool none { $plain $check all_down=none; }
    dns_pool place { $places choose country; $check uri=/place; }
    dns_pool nowhere { $places choose country no_match=none; $check; }
EOF
	. health_server(), zones => { 'z1.test' => zone_text('z1.test',
	join '', map { "$_ 60 POOL $_\n" } qw/ all none place nowhere /) });

my $c = health_wait(sub { $_[0]{up} == 48 });

is($c->{up}, 48, 'all are up');
is(answer('all'), "@last", 'all are answered');

dns_wait([ 'place.z1.test', 'A', ecs => '81.0.0.0/24' ],
	sub { health_answer($_[1]) eq '21 22 23 24 25 26' });

is(answer('place', 81), '21 22 23 24 25 26', 'Germany');
is(answer('place', 83), '31 32', 'France');

# more and more of them are down

for my $down (1, 6, 11) {
	$b->mode("127.0.0.$_:8081", 'status 503') for @last[0 .. $down - 1];
	$c = health_wait(sub { $_[0]{down} == 4 * $down });

	is(answer('all'), "@last[$down .. 11]", "$down down");

	next if $down == 1;

	is(answer('place', 81), $down == 6 ? '31 32' : '32',
		"Germany, $down down: who is for everybody");
	is(answer('nowhere', 81), $down == 6 ? '31 32' : '32',
		"Germany, no_match=none, $down down");
}

is(answer('place', 82), '32', 'America, all down');

$b->mode("127.0.0.32:8081", 'status 503');
$c = health_wait(sub { $_[0]{down} == 48 });

is(answer('all'), "@last", '12 down: all are answered');
is(answer('place', 81), '21 22 23 24 25 26', 'and places count again');

my $soa = 'z1.test. 60 IN SOA ns1.z1.test. host.z1.test. 2026010101 7200 3600'
	. ' 1209600 60';

dns_is(dns_ask('none.z1.test', 'A'), <<EOF, 'all_down=none: no data');
	NOERROR qr aa
	question	none.z1.test. IN A
	authority	$soa
EOF

# one of another place: it is all there is

$b->mode("127.0.0.29:8081", 'ok');
$c = health_wait(sub { $_[0]{up} == 4 });

is(answer('place', 81), '29', 'one up, for another country');
is(answer('none'), '29', 'one up, all_down=none');

###############################################################################

sub answer {
	my ($name, $net) = @_;

	return health_answer(dns_text(dns_ask("$name.z1.test", 'A',
		defined $net ? (ecs => "$net.0.0.0/24") : ())));
}

###############################################################################
