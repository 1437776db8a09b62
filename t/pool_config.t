#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for pools whose configuration is refused, and for zone files that name
# pools: what is said, with file and line.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(42);

my $d = $t->testdir();
my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

$t->write_file('error.log', '');
$t->write_file('pool.conf', "address 192.0.2.1;\naddress 192.0.2.256;\n");

my $address = 'address 192.0.2.1;';

###############################################################################

good("dns_pool p { $address }", 'smallest pool');
said("dns_network office { 192.0.2.0/24; } "
	. "dns_pool p { address 192.0.2.1 weight=3 country=DE,AT asn=64500 "
	. "continent=EU network=office priority=1; address 2001:db8::1; "
	. "choose country+asn+continent+network "
	. "weighted single no_match=none; }",
	qr/syntax is ok/, 'all parameters');
good("dns_pool p { $address } dns_pool P { $address } "
	. "dns_pool p.2_x-y { $address }", 'names');
good("dns_state_path state; dns_pool p { $address health_check http port=8080 "
	. 'uri=/up timeout=800ms interval=5s up=3 down=3 host=h status=200,204 '
	. 'match=ok all_down=none; }', 'health_check');
said("dns_pool p { address 192.0.2.1 weight=1; address 192.0.2.2; "
	. 'choose weighted; }',
	qr/\[warn\].*"p": an address without "weight=" .* never the first in/,
	'address without weight');
said("dns_pool p { address 192.0.2.1 asn=1; choose rr; }",
	qr/\[warn\].*"p": "asn=" of an address has no effect, .*:4$/m,
	'a place that nobody looks at');
said("dns_pool p { address 192.0.2.1 weight=1; choose rr; }",
	qr/\[warn\].*"p": "weight=" of an address has no effect, .*:4$/m,
	'a weight that nobody looks at');
said("dns_pool p { $address choose asn; }",
	qr/\[warn\].*"p" chooses by places, .* without "dns_geoip"$/m,
	'places without dns_geoip');
said("dns_network lab { 192.0.2.0/24; } dns_pool p { address 192.0.2.1 "
	. 'network=LAB; address 192.0.2.2 network=*,office; choose network; }',
	qr/\[warn\].*"p" has an address for a network that no "dns_network"/,
	'unknown network');

bad("dns_pool { $address }", qr/invalid number of arguments in "dns_pool"/,
	'no name');
bad("dns_pool p/q { $address }", qr/"p\/q" is not the name of a pool.*:1$/m,
	'name');
bad("dns_pool p { $address } dns_pool p { $address }",
	qr/duplicate dns_pool "p" in .*nginx\.conf:3$/m, 'duplicate pool');
bad("dns_pool p { }", qr/dns_pool "p": no addresses in .*:2$/m,
	'no addresses');
bad("dns_pool p { choose rr; }", qr/dns_pool "p": no addresses in .*:3$/m,
	'no addresses, a line');
bad("dns_pool p { $address $address }",
	qr/dns_pool "p": "192\.0\.2\.1" is an address of the pool already in .*:3$/m,
	'duplicate address');
bad("dns_pool p { $address address 192.0.2.256; }",
	qr/dns_pool "p": "192\.0\.2\.256" is not an address in .*:3$/m,
	'address');
bad("dns_pool p { address 192.0.2.1 weight=4294967296; }",
	qr/dns_pool "p": "weight=4294967296" is out of range: .* in .*:2$/m,
	'weight');
bad("dns_pool p { address 192.0.2.1 city=x; }",
	qr/dns_pool "p": "city=x" is not a parameter of "address" in .*:2$/m,
	'parameter');
bad("dns_pool p { server 192.0.2.1; }",
	qr/dns_pool "p": "server" is not known in a pool: .* in .*:2$/m,
	'line');
bad("dns_pool p { $address choose wighted; }",
	qr/dns_pool "p": "wighted" is not a word of "choose" in .*:3$/m,
	'word of choose');
bad("dns_pool p { $address choose country asn; }",
	qr/dns_pool "p": "asn" says again .* in .*:3$/m, 'places twice');
bad("dns_pool p { $address choose rr; choose rr; }",
	qr/dns_pool "p": a second "choose" in .*:4$/m, 'choose twice');
bad("dns_state_path state; dns_pool p { $address health_check http; "
	. 'health_check http; }',
	qr/dns_pool "p": a second "health_check" in .*:5$/m,
	'health_check twice');
bad("dns_pool p { $address health_check icmp; }",
	qr/dns_pool "p": "icmp" is none of http, https, tcp in .*:3$/m,
	'protocol');
bad("dns_pool p { $address health_check http; }",
	qr/"health_check" in \S+:3 needs "dns_state_path"/,
	'health_check without dns_state_path');
bad("dns_pool p { address { } }", qr/unexpected "\{" in .*:2$/m,
	'block in a pool');
bad("dns_pool p { include pool.conf; }",
	qr/"192\.0\.2\.256" is not an address in \S+\/pool\.conf:2$/m,
	'included lines');
bad("server { listen 127.0.0.1:%%PORT_8981_UDP%% udp; dns_pool p { "
	. "$address } }", qr/"dns_pool" directive is not allowed here/,
	'in a server');

# zone files

zone_good("www 30 POOL p\n*.w POOL p\n\@ POOL p\n", 'POOL');
zone_good("\$GENERATE 1-100 h\$ POOL p\n", 'POOL generated');
zone_bad("www 30 POOL q\n", qr/"q" is not the name of a "dns_pool".*zone:6$/m,
	'unknown pool');
zone_bad("www 30 POOL P\n", qr/"P" is not the name of a "dns_pool".*zone:6$/m,
	'names of pools have a case');
zone_bad("www 30 POOL p\nwww 30 A 192.0.2.1\n",
	qr/"www\.a\.test\." has a POOL in \S+:6: no other .*zone:7$/m,
	'POOL beside A');
zone_bad("www 30 AAAA 2001:db8::1\nwww 30 POOL p\n",
	qr/"www\.a\.test\." has a POOL in \S+:7: no other .*zone:6$/m,
	'POOL beside AAAA');
zone_bad("www 30 CNAME x\nwww 30 POOL p\n",
	qr/"www\.a\.test\." has a POOL in \S+:7: no other .*zone:6$/m,
	'POOL beside CNAME');
zone_bad("www 30 POOL p\nx POOL p\nWWW 30 POOL p2\n",
	qr/a second POOL at this name, the first is in \S+zone:6 in .*zone:8$/m,
	'two POOLs at a name');
zone_bad("www.b.test. 30 POOL p\n", qr/"www\.b\.test\." is outside.*zone:6$/m,
	'outside of the zone');
zone_bad("www 30 POOL p x\n", qr/"x" is too much.*zone:6$/m, 'a word more');
zone_bad("www 30 POOL\n", qr/no name of a pool.*zone:6$/m, 'no word');

my $rrsig = '@ RRSIG NS 13 2 5 20300101000000 20200101000000 1 a.test. AAAA';

zone_said("www 30 POOL p\n$rrsig\n",
	qr/\[warn\].*POOL in a signed zone: .*zone:6$/m, 'signed zone');

# several errors at once

my $out = zone_bad("www 30 POOL q\nx POOL r\n", qr/"q" is not the name/,
	'two errors');
like($out, qr/"r" is not the name/, 'two errors, the second');

undef $t;

###############################################################################

sub config {
	my ($stream) = @_;

	my $conf = join ";\n    ", split /; /, $stream;
	$conf =~ s/\{ /{\n    /g;

	my ($first) = $conf =~ /^([^\n]*)/;

	$t->write_file_expand('nginx.conf', <<EOF);

%%TEST_GLOBALS%%

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%
    $conf
}

EOF

	my $out = `$nginx -p $d/ -c nginx.conf -e error.log -t 2>&1`;

	my $ok = ($? == 0);

	# lines are counted from the first one of ours

	$conf = $t->read_file('nginx.conf');
	my $before = substr($conf, 0, index($conf, $first)) =~ tr/\n//;
	$out =~ s/(nginx\.conf:)(\d+)/$1 . ($2 - $before)/ge;

	return ($ok, $out);
}


sub good {
	my ($stream, $name) = @_;

	my ($ok, $out) = config($stream);

	ok($ok && $out !~ /\[(warn|error|crit|alert|emerg)\]/, $name)
		or diag $out;
}


sub bad {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($ok ? "accepted\n" : $out, $re, $name);

	return $out;
}


sub said {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($ok ? $out : "refused: $out", $re, $name);
}


# a pool behind the server whose zone names it

sub zone {
	my ($lines) = @_;

	$t->write_file('a.test.zone', zone_text('a.test', $lines));

	return 'server { listen 127.0.0.1:%%PORT_8981_UDP%% udp; dns on; '
		. 'dns_zone a.test a.test.zone; } dns_pool p { address 192.0.2.1; '
		. 'address 2001:db8::1; choose rr; } dns_pool p2 { address 192.0.2.2; }';
}


sub zone_good {
	my ($lines, $name) = @_;

	good(zone($lines), $name);
}


sub zone_bad {
	my ($lines, $re, $name) = @_;

	return bad(zone($lines), $re, $name);
}


sub zone_said {
	my ($lines, $re, $name) = @_;

	said(zone($lines), $re, $name);
}

###############################################################################
