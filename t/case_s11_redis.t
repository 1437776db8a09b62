#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a CNAME beside other data and at the apex in Redis: one bad name never
# takes the zone down, case S11.

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
	->has_daemon('redis-server')->plan(36);

my $r = redis_start($t);

my $ns = { ttl => 300, records => [ { host => 'ns1.x.test.' } ] };
my $a = { ttl => 300, records => [ { ip => '192.0.2.1' } ] };
my $txt = { ttl => 300, records => [ { text => 'x' } ] };

for my $layout (qw/ l1 l4 /) {
	for my $flattening (0, 1) {
		my $zone = "$layout-$flattening.test";
		my $cname = { ttl => 60, host => "t.$zone." };

		my $data = {
			'@' => { cname => $cname, ns => $ns },
			www => { cname => $cname, a => $a, txt => $txt },
			t => { a => { ttl => 300, records => [
				{ ip => '192.0.2.9' } ] } },
		};

		$data = { map { my $n = $_; $n => { map {
			uc $_ => $data->{$n}{$_} } keys %{ $data->{$n} } } }
			keys %$data } if $layout eq 'l4';

		$r->$layout("$zone.", $data, config => redis_soa($zone,
			cname_flattening => $flattening ? \1 : \0));
	}
}

dns_run($t, stream => $r->directives());

###############################################################################

for my $layout (qw/ l1 l4 /) {
	my $zone = "$layout-0.test";

	dns_wait([ $zone, 'NS' ], qr/^NOERROR/);
	apex($zone);

	for my $type (qw/ A AAAA MX CNAME /) {
		dns_is(dns_ask($zone, $type), <<EOF, "S11 $zone $type");
			NOERROR qr aa
			question	$zone. IN $type
			authority	${\ zone_soa($zone) }
EOF
	}

	dns_is(dns_ask("www.$zone", 'A'), <<EOF, "S11 www.$zone A");
		NOERROR qr aa
		question	www.$zone. IN A
		answer		www.$zone. 60 IN CNAME t.$zone.
		answer		t.$zone. 300 IN A 192.0.2.9
EOF

	for my $type (qw/ AAAA TXT /) {
		dns_is(dns_ask("www.$zone", $type), <<EOF, "S11 www.$zone $type");
			NOERROR qr aa
			question	www.$zone. IN $type
			answer		www.$zone. 60 IN CNAME t.$zone.
			authority	${\ zone_soa($zone) }
EOF
	}

	like(join("\n", dns_error_log($t, qr/\[warn\].*\Q$zone\E.*"www"/)),
		qr/CNAME/i, "S11 www.$zone is told");
	like(join("\n", dns_error_log($t, qr/\[warn\].*\Q$zone\E.*"@"/)),
		qr/CNAME/i, "S11 apex of $zone is told");
}

for my $layout (qw/ l1 l4 /) {
	my $zone = "$layout-1.test";

	dns_wait([ $zone, 'NS' ], qr/^NOERROR/);
	apex($zone);

	dns_is(dns_ask($zone, 'A'), <<EOF, "S11 $zone A, flattened");
		NOERROR qr aa
		question	$zone. IN A
		answer		$zone. 60 IN A 192.0.2.9
EOF

	for my $type (qw/ AAAA TXT /) {
		dns_is(dns_ask($zone, $type), <<EOF, "S11 $zone $type");
			NOERROR qr aa
			question	$zone. IN $type
			authority	${\ zone_soa($zone) }
EOF
	}

	dns_is(dns_ask("www.$zone", 'A'), <<EOF, "S11 www.$zone A, flattened");
		NOERROR qr aa
		question	www.$zone. IN A
		answer		www.$zone. 60 IN A 192.0.2.9
EOF

	dns_is(dns_ask("www.$zone", 'TXT'), <<EOF, "S11 www.$zone TXT");
		NOERROR qr aa
		question	www.$zone. IN TXT
		authority	${\ zone_soa($zone) }
EOF
}

###############################################################################

sub apex {
	my ($zone) = @_;

	dns_is(dns_ask($zone, 'SOA'), <<EOF, "S11 $zone SOA");
		NOERROR qr aa
		question	$zone. IN SOA
		answer		${\ zone_soa($zone, 300) }
EOF

	dns_is(dns_ask($zone, 'NS'), <<EOF, "S11 $zone NS");
		NOERROR qr aa
		question	$zone. IN NS
		answer		$zone. 300 IN NS ns1.x.test.
EOF
}

###############################################################################
