#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the case of names in zones from Redis: kept in the question, ignored
# in the lookup, case W15.

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
	->has_daemon('redis-server')->plan(44);

my $r = redis_start($t);

for my $zone (qw/ l1 l4 /) {
	my $text = zone_z1("MiXed	A	192.0.2.50\n\\[\\]	A	192.0.2.51\n");

	$text =~ s/z1\.test/$zone.test/g;
	$r->zone_text("$zone.test", $text, layout => $zone);
}

dns_run($t, stream => $r->directives());

###############################################################################

for my $zone (qw/ l1 l4 /) {
	dns_wait([ "$zone.test", 'SOA' ], qr/^NOERROR/);

	for my $over (qw/ udp tcp /) {
		for my $name ("wWw.\U$zone\E.tEsT", "WWW.\U$zone\E.TEST",
			"www.$zone.test", "wwW.$zone.tesT")
		{
			my $query = dns_query($name, 'A');
			my $reply = dns_send($query, proto => $over);

			dns_is($reply, <<EOF, "W15 $name $over");
				NOERROR qr aa
				question	$name. IN A
				answer		www.$zone.test. 300 IN A 192.0.2.1
EOF

			is(unpack('H*', dns_parse($reply)->{question_raw}),
				unpack('H*', substr $query, 12),
				"W15 $name $over, octets of the question");
		}
	}

	dns_is(dns_ask("mIxEd.$zone.test", 'A'), <<EOF, "W15 stored, $zone");
		NOERROR qr aa
		question	mIxEd.$zone.test. IN A
		answer		mixed.$zone.test. 300 IN A 192.0.2.50
EOF

	dns_is(dns_ask("X.WILD.$zone.TEST", 'TXT'), <<EOF, "W15 wildcard, $zone");
		NOERROR qr aa
		question	X.WILD.$zone.TEST. IN TXT
		answer		x.wild.$zone.test. 300 IN TXT "w"
EOF

	dns_is(dns_ask("X.SUB.$zone.TEST", 'A'), <<EOF, "W15 referral, $zone");
		NOERROR qr
		question	X.SUB.$zone.TEST. IN A
		authority	sub.$zone.test. 300 IN NS ns.sub.$zone.test.
		additional	ns.sub.$zone.test. 300 IN A 192.0.2.60
EOF

	dns_is(dns_ask("NOPE.$zone.TEST", 'A'), <<EOF, "W15 no name, $zone");
		NXDOMAIN qr aa
		question	NOPE.$zone.TEST. IN A
		authority	${\ zone_soa("$zone.test") }
EOF

	dns_is(dns_ask("[].$zone.test", 'A'), <<EOF, "W15 brackets, $zone");
		NOERROR qr aa
		question	[].$zone.test. IN A
		answer		[].$zone.test. 300 IN A 192.0.2.51
EOF

	dns_is(dns_ask("{}.$zone.test", 'A'), <<EOF, "W15 braces, $zone");
		NXDOMAIN qr aa
		question	{}.$zone.test. IN A
		authority	${\ zone_soa("$zone.test") }
EOF
}

###############################################################################
