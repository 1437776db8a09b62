#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for names without records in Redis, and names between others: they
# exist, case S01.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(40);

my $r = redis_start($t);

my $ns = { ttl => 300, records => [ { host => 'ns1.x.test.' } ] };
my $a = { ttl => 300, records => [ { ip => '192.0.2.2' } ] };

$r->l1('l1.test.', { '@' => { ns => $ns }, 'a.b.ent' => { a => $a },
	hollow => '{}', blank => '', none => { a => { records => [] } } },
	config => redis_soa('l1.test'));

$r->l4('l4.test.', { '@' => { NS => $ns }, 'a.b.ent' => { A => $a },
	hollow => {}, blank => { A => '' }, none => { A => { records => [] } } },
	config => redis_soa('l4.test'));

# one name only, not even the apex

$r->l1('one-l1.test.', { 'a.b.ent' => { a => $a } },
	config => redis_soa('one-l1.test'));
$r->l4('one-l4.test.', { 'a.b.ent' => { A => $a } },
	config => redis_soa('one-l4.test'));

dns_run($t, stream => $r->directives());

###############################################################################

for my $zone (qw/ l1.test l4.test /) {
	dns_wait([ $zone, 'NS' ], qr/^NOERROR/);

	for my $name (qw/ ent b.ent hollow blank none /, '') {
		nodata(length $name ? "$name.$zone" : $zone, $zone) for 1 .. 2;
	}
}

for my $zone (qw/ one-l1.test one-l4.test /) {
	dns_wait([ "a.b.ent.$zone", 'A' ], qr/^NOERROR/);

	nodata("ent.$zone", $zone);
	nodata("b.ent.$zone", $zone);
	nodata($zone, $zone);

	dns_is(dns_ask("a.b.ent.$zone", 'A'), <<EOF, "S01 $zone, the name");
		NOERROR qr aa
		question	a.b.ent.$zone. IN A
		answer		a.b.ent.$zone. 300 IN A 192.0.2.2
EOF

	dns_is(dns_ask($zone, 'SOA'), <<EOF, "S01 $zone, SOA");
		NOERROR qr aa
		question	$zone. IN SOA
		answer		${\ zone_soa($zone, 300) }
EOF

	dns_is(dns_ask("ent2.$zone", 'A'), <<EOF, "S01 $zone, no name");
		NXDOMAIN qr aa
		question	ent2.$zone. IN A
		authority	${\ zone_soa($zone) }
EOF
	dns_is(dns_ask("x.a.b.ent.$zone", 'A'), <<EOF, "S01 $zone, no name below");
		NXDOMAIN qr aa
		question	x.a.b.ent.$zone. IN A
		authority	${\ zone_soa($zone) }
EOF
}

# asked twice: nothing of the first answer stays

is(dns_text(dns_ask('b.ent.l1.test', 'TXT')),
	dns_text(dns_ask('b.ent.l1.test', 'TXT')), 'S01 the same again');

is(dns_text(dns_ask('b.ent.l4.test', 'TXT')),
	dns_text(dns_ask('b.ent.l4.test', 'TXT')), 'S01 the same again, L4');

###############################################################################

sub nodata {
	my ($name, $zone) = @_;

	dns_is(dns_ask($name, 'A'), <<EOF, "S01 $name");
		NOERROR qr aa
		question	$name. IN A
		authority	${\ zone_soa($zone) }
EOF
}

###############################################################################
