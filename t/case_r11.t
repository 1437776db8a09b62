#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for names stored in mixed case and zones listed in another spelling:
# served, and told, case R11.

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
	->has_daemon('redis-server')->plan(30);

my $r = redis_start($t);

my %data = (
	WwW => { a => { ttl => 300, records => [ { ip => '192.0.2.1' } ] } },
	'*.WILD' => { txt => { ttl => 300, records => [ { text => 'W' } ] } },
	alias => { cname => { ttl => 300, host => 'WWW.%s' } },
	mail => { mx => { ttl => 300, records => [
		{ host => 'MX.Example.NET.', preference => 1 } ] } },
);

# members as stored, the zones that they mean, and the zones in the keys

my @members = (
	[ 'Mixed-L1.Test.', 'mixed-l1.test', 'Mixed-L1.Test.', 'l1' ],
	[ 'Mixed-L4.Test.', 'mixed-l4.test', 'Mixed-L4.Test.', 'l4' ],
	[ 'Other-L1.Test.', 'other-l1.test', 'other-l1.test.', 'l1' ],
	[ 'bare-l1.test', 'bare-l1.test', 'bare-l1.test', 'l1' ],
	[ 'bare-l4.test', 'bare-l4.test', 'bare-l4.test.', 'l4' ],
);

for my $member (@members) {
	my ($name, $zone, $at, $layout) = @$member;

	my $d = { map { $_ => { %{ $data{$_} } } } keys %data };

	$d->{alias} = { cname => { ttl => 300, host => "WWW.\u$zone." } };
	$d = { map { my $n = $_; $n => { map { uc $_ => $d->{$n}{$_} }
		keys %{ $d->{$n} } } } keys %$d } if $layout eq 'l4';

	$r->$layout($at, $d, config => redis_soa($zone), list => 0);
	$r->command('SADD', $r->key('zones'), $name);
}

dns_run($t, stream => $r->directives());

###############################################################################

for my $member (@members) {
	my ($name, $zone) = @$member;

	dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

	for my $www ("www.$zone", "wWw.\U$zone") {
		dns_is(dns_ask($www, 'A'), <<EOF, "R11 $www");
			NOERROR qr aa
			question	$www. IN A
			answer		www.$zone. 300 IN A 192.0.2.1
EOF
	}

	dns_is(dns_ask("alias.$zone", 'A'), <<EOF, "R11 alias.$zone");
		NOERROR qr aa
		question	alias.$zone. IN A
		answer		alias.$zone. 300 IN CNAME www.$zone.
		answer		www.$zone. 300 IN A 192.0.2.1
EOF

	dns_is(dns_ask("x.wild.$zone", 'TXT'), <<EOF, "R11 x.wild.$zone");
		NOERROR qr aa
		question	x.wild.$zone. IN TXT
		answer		x.wild.$zone. 300 IN TXT "W"
EOF

	dns_is(dns_ask("mail.$zone", 'MX'), <<EOF, "R11 mail.$zone");
		NOERROR qr aa
		question	mail.$zone. IN MX
		answer		mail.$zone. 300 IN MX 1 mx.example.net.
EOF

	ok(scalar dns_error_log($t, qr/\[warn\].*"\Q$name\E"/),
		"R11 \"$name\" is told");
}

###############################################################################
