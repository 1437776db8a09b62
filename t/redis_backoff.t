#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zones that Redis refuses to give: they are tried again later and
# later, the others do not wait for them, and a change is read at once.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(9);

my $r = redis_start($t);

zone($_, '192.0.2.1') for qw/ good.test bad.test /;

# keys of one zone only are out of reach

my @rights = ('on', '>secret', 'allchannels', '+@all', 'resetkeys',
	'~redins:zones', '~redins:zones:good.test.*');

$r->command('ACL', 'SETUSER', 'some', @rights);

dns_run($t, sources => [ 'zone' ],
	stream => $r->directives('user=some password=secret'));

is_ip('good.test', '192.0.2.1', 'start');
like(dns_text(dns_ask('bad.test', 'A')), qr/^SERVFAIL/, 'no permission');

# tried after 1, 2 and 4 seconds, each one transaction with its commands

my $before = refused();
sleep 8.5;
my $tries = (refused() - $before) / per_try();

cmp_ok($tries, '>=', 2, 'tried again');
cmp_ok($tries, '<=', 4, 'less and less often');

zone('good.test', '192.0.2.2');
is_ip('good.test', '192.0.2.2', 'the others are read');

my $lines = () = $t->read_file('error.log')
	=~ /redis zone "bad.test." cannot be read/g;

is($lines, 1, 'one line');

# the next try would be seconds away

$r->command('ACL', 'SETUSER', 'some', '~*');

my $start = time();

zone('bad.test', '192.0.2.3');
is_ip('bad.test', '192.0.2.3', 'a change is read');
cmp_ok(time() - $start, '<', 2.5, 'at once');

like(join("\n", dns_error_log($t, qr/bad\.test\." can be read again/)),
	qr/notice/, 'which is told');

###############################################################################

sub zone {
	my ($zone, $ip) = @_;

	$r->l1("$zone.", { '@' => { a => { ttl => 5,
		records => [ { ip => $ip } ] } } });
}


sub refused {
	my ($n) = $r->command('INFO', 'errorstats')
		=~ /^errorstat_NOPERM:count=(\d+)/m;

	return $n // 0;
}


# The commands of one transaction that are refused: TYPE twice, GET, HGETALL.

sub per_try {
	return 4;
}


sub is_ip {
	my ($zone, $ip, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $re = qr/ A \Q$ip\E$/m;
	like(dns_text(dns_wait([ $zone, 'A' ], $re, 8)), $re, $name);
}

###############################################################################
