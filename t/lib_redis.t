#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the library: a private Redis, its client, zones as data, a server
# that pretends to be Redis, and waiting for answers.

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
	->has_daemon('redis-server')->plan(38);

# the protocol

is(redis_encode('SET', 'a', ''), "*3\r\n\$3\r\nSET\r\n\$1\r\na\r\n\$0\r\n\r\n",
	'encode');

my $octets = "*4\r\n:1\r\n\$2\r\n\r\n\r\n\$-1\r\n*2\r\n+OK\r\n-ERR x\r\n:7\r\n";
my @parts = (substr($octets, 0, 30), substr($octets, 30));
my $buffer = $parts[0];

is((redis_decode(\$buffer))[0], 0, 'decode a part');
$buffer .= $parts[1];

my ($whole, $value) = redis_decode(\$buffer);

is($whole, 1, 'decode the rest');
is_deeply([ @$value[0, 1, 2], $value->[3][0] ], [ 1, "\r\n", undef, 'OK' ],
	'values');
is(redis_error($value->[3][1]), 'ERR x', 'an error');
is(redis_error('ERR x'), undef, 'no error');
is($buffer, ":7\r\n", 'what follows stays');

# the server

my $r = redis_start($t);

like($r->address(), qr/^unix:/, 'on a unix socket');
is($r->command('SET', 'k', 'v'), 'OK', 'command');
is_deeply($r->command('MGET', 'k', 'none'), [ 'v', undef ], 'list');
is(redis_error($r->try('LPUSH', 'k', 1)) =~ /^WRONGTYPE/, 1, 'error');
is(eval { $r->command('LPUSH', 'k', 1); 1 }, undef, 'error dies');
is_deeply([ $r->pipeline(map { [ 'INCR', 'n' ] } 1 .. 1200) ],
	[ 1 .. 1200 ], 'pipeline');
is_deeply([ $r->multi([ 'SET', 'k', 'w' ], [ 'GET', 'k' ]) ], [ 'OK', 'w' ],
	'transaction');
cmp_ok($r->calls()->{incr}, '==', 1200, 'calls');

# data

$r->l1('a.test.', { '@' => { a => { ttl => 5, records => [
	{ ip => '192.0.2.1' } ] } }, www => '{}' },
	config => { soa => { ttl => 7 } }, prefix => 'p_', suffix => '_s');

is($r->key('zones', prefix => 'p_', suffix => '_s'), 'p_redins:zones_s',
	'key');
is_deeply($r->command('SMEMBERS', 'p_redins:zones_s'), [ 'a.test.' ],
	'zone listed');
is_deeply({ @{ $r->command('HGETALL', 'p_redins:zones:a.test._s') } },
	{ '@' => '{"a":{"records":[{"ip":"192.0.2.1"}],"ttl":5}}',
	www => '{}' }, 'L1');
is($r->command('GET', 'p_redins:zones:a.test.:config_s'),
	'{"soa":{"ttl":7}}', 'config');

$r->l4('b.test.', { '@' => { A => '{}', TXT => '{}' }, x => {} },
	key => 'z42');
$r->l4('b.test.', { '@' => { A => '{"ttl":1}' } }, key => 'z42');

is_deeply($r->command('SMEMBERS', 'z42:zones:b.test.:labels'), [ '@' ],
	'L4 labels replaced');
is($r->command('GET', 'z42:zones:b.test.:labels:@:A'), '{"ttl":1}', 'L4');
is($r->command('EXISTS', 'z42:zones:b.test.:labels:@:TXT'), 0,
	'L4 rrset gone');

$r->remove('b.test.', key => 'z42');
is_deeply($r->command('KEYS', '*b.test*'), [], 'zone removed');

# ends, freezes, starts again

$r->freeze();
is(eval { $r->client(timeout => 0.2)->try('PING') }, undef, 'frozen');
$r->thaw();
is($r->command('PING'), 'PONG', 'thawed');

$r->kill();
is(eval { $r->command('PING') }, undef, 'killed');
$r->start();
is($r->command('DBSIZE'), 0, 'started, empty');
$r->stop();

my $p = redis_start($t, port => 8981, password => 'secret');

is($p->address(), '127.0.0.1:' . port(8981), 'on a port');
is($p->command('SET', 'k', 'v'), 'OK', 'with a password');
like(redis_error(Test::Nginx::Redis::Client->new(addr => $p->address())
	->try('GET', 'k')), qr/^NOAUTH/, 'without a password');

# a server that pretends

my $fake = redis_fake($t, listen => 8982, to => $p, answer => sub {
	my ($c, @words) = @_;

	die if $words[0] eq 'BYE';
	return $words[0] eq 'FAKE' ? "+fake $c->{n}\r\n" : undef;
});

my $client = Test::Nginx::Redis::Client->new(addr => $fake);

is_deeply([ $client->pipeline([ 'FAKE' ], [ 'AUTH', 'secret' ]),
	$client->command('GET', 'k') ], [ 'fake 1', 'OK', 'v' ], 'fake');
is(eval { $client->command('BYE'); 1 }, undef, 'fake closes');

# waiting

dns_run($t, zones => { 'z1.test' => zone_z1() }, main => 'worker_processes 2;',
	server => 'dns_nsid $pid;', udp => 'reuseport');

my $ask = [ 'www.z1.test', 'A' ];

ok(defined dns_wait_workers($ask, qr/192\.0\.2\.1$/m, 10, 2), 'all workers');
like(dns_worker(dns_ask(@$ask, nsid => 1)), qr/^\d+$/, 'worker');
is(dns_wait_workers($ask, qr/192\.0\.2\.9$/m, 0.2, 1), undef, 'none is right');

dns_is(dns_wait($ask, <<EOF), <<EOF, 'answer as text');
	NOERROR qr aa
	question www.z1.test. IN A
	answer www.z1.test. 300 IN A 192.0.2.1
	NOERROR qr aa
	question www.z1.test. IN A
	answer www.z1.test. 300 IN A 192.0.2.1
EOF
	NOERROR qr aa
	question www.z1.test. IN A
	answer www.z1.test. 300 IN A 192.0.2.1
EOF

my $n = 0;

dns_wait($ask, sub { ++$n == 3 });
is($n, 3, 'asks again');

my $reply = dns_wait(sub { dns_ask(@$ask) }, qr/NXDOMAIN/, 0.1);
like(dns_text($reply), qr/^NOERROR/, 'gives up');

###############################################################################
