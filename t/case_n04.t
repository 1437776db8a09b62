#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Case N04: a frozen Redis takes no connections of the workers: names from
# Redis and from a file are answered all the time, however many clients ask.

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
	->has_daemon('redis-server')->plan(7);

my $redis = redis_start($t);
my $d = $t->testdir();

my $clients = 400;
my $rounds = 50;

$redis->l1('r.test.', { www => { a => {
	ttl => 60, records => [ { ip => '192.0.2.1' } ] } } });

dns_run($t,
	main => 'worker_processes 1;', udp => 'rcvbuf=4m',
	events => 'worker_connections 256;',
	stream => "error_log $d/error.log info;\n    "
		. "dns_state_path $d/state;\n    dns_redis "
		. $redis->address() . ' zone=edge:4m timeout=300ms;',
	zones => { 'f.test' => zone_text('f.test', "www A 192.0.2.2\n") },
	sources => [ 'edge' ],
);

ok(defined dns_wait([ 'www.r.test', 'A' ], qr/192\.0\.2\.1$/m), 'start');

my $before = dns_counters();

$redis->freeze();

# each client has a port of its own, far more of them than connections

my @clients = map { dns_client(timeout => 5) } 1 .. $clients;
my ($right, $file) = (0, 0);

for my $round (1 .. $rounds) {

	$_->send(dns_query('www.r.test', 'A')) for @clients;

	for my $client (@clients) {
		my $reply = $client->recv();
		$right++ if defined $reply
			&& dns_text($reply) =~ /^NOERROR.* 192\.0\.2\.1$/ms;
	}

	$file++ if dns_text(dns_ask('www.f.test', 'A') // '')
		=~ /^NOERROR.* 192\.0\.2\.2$/ms;
}

is($right, $clients * $rounds, 'names from Redis');
is($file, $rounds, 'names from a file');

my $after = dns_counters();

is($after->{rcode_servfail}, $before->{rcode_servfail}, 'no SERVFAIL');
is(dns_error_log($t, qr/worker_connections are not enough/), 0,
	'connections enough');

$redis->thaw();

$redis->l1('r.test.', { www => { a => {
	ttl => 60, records => [ { ip => '192.0.2.3' } ] } } });

ok(defined dns_wait([ 'www.r.test', 'A' ], qr/192\.0\.2\.3$/m),
	'change after it goes on');

dns_is(dns_ask('www.f.test', 'A'), <<'EOF', 'file zone after all');
	NOERROR qr aa
	question   www.f.test. IN A
	answer     www.f.test. 300 IN A 192.0.2.2
EOF

###############################################################################
