#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for CAA: of the exact name only, case S10; "profile" brings back that of
# the nearest name above.

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
	->has_daemon('redis-server')->plan(28);

my $r = redis_start($t);

my %caa = map { $_ => { ttl => 300, records => [
	{ tag => 'issue', value => "$_.ca.test", flag => 0 } ] } } qw/ up own /;
my $a = { ttl => 300, records => [ { ip => '192.0.2.1' } ] };

# the same names for each profile

for my $profile (qw/ strict redins z42 /) {
	my $zone = "$profile.test";

	$r->l1("$zone.", {
		'@' => { caa => $caa{up} },
		www => { a => $a },
		'b.ent' => { a => $a },
		sub2 => { caa => $caa{own} },
		'www.sub2' => { a => $a },
		alias => { cname => { ttl => 300, host => "www.$zone." } },
		empty => { caa => { records => [] } },
	}, config => redis_soa($zone), prefix => "$profile-");
}

dns_run($t, stream => join("\n    ", map {
	$r->directives("zone=$_:4m prefix=$_- profile=$_",
		state => $_ eq 'strict') } qw/ strict redins z42 /));

###############################################################################

dns_wait([ "$_.test", 'SOA' ], qr/^NOERROR/) for qw/ strict redins z42 /;

for my $name (qw/ www b.ent ent www.sub2 empty /) {
	nodata("$name.strict.test");
}

nodata('x.y.strict.test', 'NXDOMAIN');
is_caa('sub2.strict.test', 'own');
is_caa('strict.test', 'up');

dns_is(dns_ask('alias.strict.test', 'CAA'), <<EOF, 'S10 alias');
	NOERROR qr aa
	question	alias.strict.test. IN CAA
	answer		alias.strict.test. 300 IN CNAME www.strict.test.
	authority	${\ zone_soa('strict.test') }
EOF

for my $profile (qw/ redins z42 /) {
	my $zone = "$profile.test";

	is_caa("$_.$zone", 'up') for qw/ www b.ent /;
	is_caa("www.sub2.$zone", 'own');
	is_caa("sub2.$zone", 'own');
	is_caa($zone, 'up');

	nodata("x.y.$zone", 'NXDOMAIN');

	# the alias is followed, then the names above its target are looked at

	dns_is(dns_ask("alias.$zone", 'CAA'), <<EOF, "S10 $profile, alias");
		NOERROR qr aa
		question	alias.$zone. IN CAA
		answer		alias.$zone. 300 IN CNAME www.$zone.
		answer		www.$zone. 300 IN CAA 0 issue "up.ca.test"
EOF

	# no other type

	nodata("b.ent.$zone", 'NOERROR', 'MX');
}

nodata('www.redins.test', 'NOERROR', 'TXT');
nodata('www.strict.test', 'NOERROR', 'TXT');

like(dns_text(dns_ask('www.redins.test', 'A')), qr/^answer .* A 192/m,
	'S10 other types are as they were');

###############################################################################

sub is_caa {
	my ($name, $value) = @_;

	dns_is(dns_ask($name, 'CAA'), <<EOF, "S10 $name");
		NOERROR qr aa
		question	$name. IN CAA
		answer		$name. 300 IN CAA 0 issue "$value.ca.test"
EOF
}


sub nodata {
	my ($name, $rcode, $type) = @_;

	$rcode //= 'NOERROR';
	$type //= 'CAA';

	my ($zone) = $name =~ /(\w+\.test)$/;

	dns_is(dns_ask($name, $type), <<EOF, "S10 $name $type");
		$rcode qr aa
		question	$name. IN $type
		authority	${\ zone_soa($zone) }
EOF
}

###############################################################################
