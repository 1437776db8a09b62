#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the class and the TTL of records from Redis: an explicit 0 is not the
# maximum, limits apply when answering, TLSA is of class IN, case R17.

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
	->has_daemon('redis-server')->plan(43);

my $r = redis_start($t);

my @ttls = (absent => undef, n0 => 0, n3 => 3, n300 => 300, n100000 => 100000,
	max => 2147483647);

for my $profile (qw/ strict redins z42 /) {
	my %data = ('_443._tcp' => { tlsa => { ttl => 60, records => [ {
		usage => 3, selector => 1, matching_type => 1,
		certificate => 'Ab' x 32 } ] } });

	my @list = @ttls;

	while (my ($name, $ttl) = splice @list, 0, 2) {
		$data{$name} = { a => { defined $ttl ? (ttl => $ttl) : (),
			records => [ { ip => '192.0.2.1' } ] } };
	}

	$r->l1("$profile-l1.test.", \%data, prefix => "$profile-",
		config => redis_soa("$profile-l1.test"));
	$r->l4("$profile-l4.test.", { map { my $n = $_; $n => { map {
		uc $_ => $data{$n}{$_} } keys %{ $data{$n} } } } keys %data },
		prefix => "$profile-", config => redis_soa("$profile-l4.test"));
}

# what cannot be a TTL

$r->l1('strict-bad.test.', {
	negative => '{"a":{"ttl":-1,"records":[{"ip":"192.0.2.1"}]}}',
	text => '{"a":{"ttl":"60","records":[{"ip":"192.0.2.1"}]},'
		. '"txt":{"records":[{"text":"x"}]}}',
	huge => '{"a":{"ttl":4294967296,"records":[{"ip":"192.0.2.1"}]}}',
}, prefix => 'strict-');

# one source for each profile; the limits are the server's

dns_run($t, stream => join("\n    ", map {
		$r->directives("zone=$_:4m prefix=$_- profile=$_",
			state => $_ eq 'strict') } qw/ strict redins z42 /),
	server => 'dns_min_ttl 5; dns_max_ttl 3600;');

###############################################################################

# redins takes the maximum where nothing or 0 is written, z42 takes 0 for
# nothing

my %expected = (
	strict => { absent => 3600, n0 => 5, n3 => 5, n300 => 300,
		n100000 => 3600, max => 3600 },
	redins => { absent => 3600, n0 => 3600, n3 => 5, n300 => 300,
		n100000 => 3600, max => 3600 },
	z42 => { absent => 5, n0 => 5, n3 => 5, n300 => 300, n100000 => 3600,
		max => 3600 },
);

for my $profile (qw/ strict redins z42 /) {
	for my $layout (qw/ l1 l4 /) {
		my $zone = "$profile-$layout.test";

		dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

		for my $name (sort keys %{ $expected{$profile} }) {
			my $ttl = $expected{$profile}{$name};

			dns_is(dns_ask("$name.$zone", 'A'), <<EOF, "R17 $zone $name");
				NOERROR qr aa
				question	$name.$zone. IN A
				answer		$name.$zone. $ttl IN A 192.0.2.1
EOF
		}
	}
}

# class

my $tlsa = '_443._tcp.strict-l1.test';

for my $do (0, 1) {
	my $text = dns_text(dns_ask($tlsa, 'TLSA', edns => 1232, do => $do));

	like($text, qr/^answer \Q$tlsa\E\. 60 IN TLSA 3 1 1 (?:ab){32}$/m,
		"R17 class of TLSA, DO $do");
}

# the SOA is not limited

like(dns_text(dns_ask('strict-l1.test', 'SOA')), qr/^answer \S+ 300 IN SOA/m,
	'R17 SOA');

like(dns_text(dns_ask('huge.strict-bad.test', 'A')),
	qr/^answer \S+ 3600 IN A 192\.0\.2\.1$/m, 'R17 TTL huge');

for my $name (qw/ negative text /) {
	like(dns_text(dns_ask("$name.strict-bad.test", 'A')),
		qr/^SERVFAIL qr/, "R17 TTL $name");
}

like(dns_text(dns_ask('text.strict-bad.test', 'TXT')),
	qr/^NOERROR qr aa\n.*\nanswer \S+ 3600 IN TXT "x"/,
	'R17 another type of that name');

###############################################################################
