#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the connection to Redis: a server that is frozen is noticed, also
# while there is nothing to do, and values that are too long cost themselves.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(15);

my $r = redis_start($t);

change($r, 1);

my $address = $r->address();

dns_run($t, sources => [ 'edge' ], stream => <<EOF);
    dns_state_path state;
    dns_redis $address zone=edge:4m timeout=500ms;
EOF

my $ask = [ 'www.z1.test', 'A' ];

###############################################################################

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.1$/m)), qr/ 192\.0\.2\.1$/m,
	'loaded');

# connections on which nothing happens stay

my $before = dns_counters()->{'edge.commands'};

sleep(3.5);

my $counters = dns_counters();

is($counters->{'edge.connected'}, 1, 'connected');
is($counters->{'edge.reconnects'}, 0, 'not again');
cmp_ok($counters->{'edge.commands'} - $before, '<', 10, 'few commands');

# a server that is frozen

for my $n (2, 3) {
	my $start = time();

	$r->freeze();

	while (time() - $start < 10) {
		last if !dns_counters()->{'edge.connected'};
		sleep(0.02);
	}

	# a second without a word, then half of one without a reply

	cmp_ok(time() - $start, '<', 3, 'noticed');

	my $old = $n - 1;

	like(dns_text(dns_ask(@$ask)), qr/ 192\.0\.2\.$old$/m, 'data stay');

	sleep(rand() * 3);
	$r->thaw();
	change($r, $n);
	$start = time();

	like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.$n$/m)),
		qr/ 192\.0\.2\.$n$/m, 'in step');
	cmp_ok(time() - $start, '<', 3, 'soon');
}

like($t->read_file('error.log'),
	qr/connection to redis lost \(\w+\): no reply for 500 ms/, 'the reason');

# a value of 17 MiB

my $long = 'x' x (17 * 1024 * 1024);

$r->command('HSET', 'redins:zones:z1.test.', 'long', $long);
change($r, 4, keep => 1);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.4$/m)), qr/ 192\.0\.2\.4$/m,
	'a long value beside');
like(dns_text(dns_ask('long.z1.test', 'A')), qr/^\s*SERVFAIL/,
	'a long value');

###############################################################################

sub change {
	my ($r, $n, %opts) = @_;

	$r->l1('z1.test.', { www => { a => { ttl => 5,
		records => [ { ip => "192.0.2.$n" } ] } } }, %opts);
}

###############################################################################
