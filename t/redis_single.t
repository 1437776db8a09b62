#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zones from Redis with "master_process off": one process answers
# and keeps the zones in step.

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

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has_daemon('redis-server')->plan(9);

my $redis = redis_start($t);
my $d = $t->testdir();

zone(1);

dns_run($t, main => 'master_process off;', sources => [ 'edge' ],
	stream => "dns_state_path $d/state; dns_redis " . $redis->address()
		. ' zone=edge:2m snapshot=100ms;');

like(dns_text(dns_wait([ 'www.a.test', 'A' ], qr/192\.0\.2\.1$/m)),
	qr/^NOERROR qr aa\n/, 'answer');

my @started = dns_error_log($t, qr/dns control process/);

is(@started, 1, 'one control process');
like($started[0], qr/ @{[ int $t->read_file('nginx.pid') ]}#/,
	'which is the only one');

for my $n (2 .. 4) {
	zone($n);

	like(dns_text(dns_wait([ 'www.a.test', 'A' ], qr/192\.0\.2\.$n$/m)),
		qr/192\.0\.2\.$n$/m, "change $n");
}

like(dns_text(dns_ask('www.a.test', 'A', over => 'tcp')), qr/192\.0\.2\.4$/m,
	'over TCP');

my $c = dns_counters();

is($c->{'edge.ready'}, 1, 'ready');
is($t->waitforfile("$d/state/edge.snapshot"), 1, 'snapshot');

undef $t;

###############################################################################

sub zone {
	my ($n) = @_;

	$redis->l1('a.test.', {
		'@' => { ns => { records => [ { host => 'ns1.a.test.' } ] } },
		www => { a => { records => [ { ip => "192.0.2.$n" } ] } } });
}

###############################################################################
