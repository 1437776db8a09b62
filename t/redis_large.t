#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for large zones from Redis: of both layouts, changed as a whole, while
# small ones go on; and for a shared zone that is full.

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
	->has_daemon('redis-server')->plan(20);

my $r = redis_start($t);

large('l1', 'hash.test.', '192.0.2.1');
large('l4', 'set.test.', '192.0.2.1');
$r->l1('small.test.', names(1, '192.0.2.1'));

dns_run($t, stream => $r->directives('zone=zone:6m'), sources => [ 'zone' ]);

is_ip('n29999.hash.test', '192.0.2.1', 'L1');
is_ip('n29999.set.test', '192.0.2.1', 'L4');
is_ip('n0.small.test', '192.0.2.1', 'small');

# one record of many

$r->command('HSET', $r->key('zones:hash.test.'), 'n7',
	redis_json({ a => ips('192.0.2.2') }));
is_ip('n7.hash.test', '192.0.2.2', 'L1, one record');

$r->command('SET', $r->key('zones:set.test.:labels:n7:A'),
	redis_json(ips('192.0.2.2')));
is_ip('n7.set.test', '192.0.2.2', 'L4, one record');
is_ip('n8.set.test', '192.0.2.1', 'L4, its neighbour');

# all of them at once: never a mixture

large('l1', 'hash.test.', '192.0.2.3');

my ($mixed, $text) = (0, '');

for (1 .. 2000) {
	my $first = dns_text(dns_ask('n1.hash.test', 'A'));
	my $second = dns_text(dns_ask('n29998.hash.test', 'A'));

	# what was asked first may be the old one, never the other way round

	$mixed++ if $first =~ /192\.0\.2\.3$/m && $second !~ /192\.0\.2\.3$/m;

	last if $first =~ /192\.0\.2\.3$/m;
	select undef, undef, undef, 0.002;
}

is($mixed, 0, 'all at once');
is_ip('n29998.hash.test', '192.0.2.3', 'all of them');

# small ones do not wait

large('l1', 'hash.test.', '192.0.2.4');
large('l4', 'set.test.', '192.0.2.4');

my $start = time();

for my $n (10 .. 14) {
	$r->l1('small.test.', names(1, "192.0.2.$n"));
	is_ip('n0.small.test', "192.0.2.$n", "small, change $n");
}

is_ip('n29998.hash.test', '192.0.2.4', 'L1 again');
is_ip('n29998.set.test', '192.0.2.4', 'L4 again');

# more than there is room for

$r->l1('huge.test.', names(150_000, '192.0.2.1'));

like((dns_error_log($t, qr/no room for zone "huge.test."/, timeout => 20))[0],
	qr/of \d+ octets .* \d+ octets are missing/, 'no room');
is_ip('n7.hash.test', '192.0.2.4', 'others stay');

like(dns_text(dns_wait([ 'n7.huge.test', 'A' ], qr/SERVFAIL/, 5)),
	qr/SERVFAIL/, 'no room, it fails');
like(dns_text(dns_wait([ 'huge.test', 'MX' ], qr/SERVFAIL/, 5)),
	qr/SERVFAIL/, 'no room, its apex fails');

$r->command('DEL', $r->key('zones:huge.test.'));
$r->remove('hash.test.');
$r->remove('set.test.');
large('l1', 'huge.test.', '192.0.2.1');
is_ip('n7.huge.test', '192.0.2.1', 'room again');

###############################################################################

sub large {
	my ($layout, $name, $ip) = @_;

	$r->$layout($name, names(30_000, $ip, $layout eq 'l4'));
}


sub names {
	my ($count, $ip, $set) = @_;

	my $json = redis_json(ips($ip));
	my $value = $set ? { A => $json } : "{\"a\":$json}";

	return { map { ("n$_" => $value) } 0 .. $count - 1 };
}


sub ips {
	return { ttl => 5, records => [ map { { ip => $_ } } @_ ] };
}


sub is_ip {
	my ($name, $ip, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $re = qr/^answer \S+ \d+ IN A \Q$ip\E$/m;

	like(dns_text(dns_wait([ $name, 'A' ], $re, 20)), $re, $what);
}

###############################################################################
