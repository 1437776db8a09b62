#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the list of zones in Redis: new, deleted, renamed, spelled in other
# ways, empty, of a wrong type; and for zones without keys, or with wrong ones.

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
	->has_daemon('redis-server')->plan(39);

my $r = redis_start($t);
my $list = $r->key('zones');

# the second source believes what it sees

my $conf = dns_conf(sources => [ qw/ keep drop / ],
	stream => 'dns_state_path %%TESTDIR%%/state;',
	server => 'dns_redis ' . $r->address() . ' zone=keep:1m;');

$conf =~ s/(.*)\n}/"$1\n" . <<EOF/se;
    server {
        listen 127.0.0.1:%%PORT_8070_UDP%% udp;
        dns on;
        dns_redis @{[ $r->address() ]} zone=drop:1m empty=drop;
    }
}
EOF

# at the start the list is no set, and nothing is loaded

$r->command('SET', $list, 'x');

dns_run($t, conf => $conf);

my $drop = port(8070, udp => 1);

like((dns_error_log($t, qr/list of zones .* cannot be read/))[0],
	qr/WRONGTYPE.*0 zones are kept/, 'list of a wrong type');
like(dns_text(dns_ask('a.test', 'A')), qr/^SERVFAIL/, 'nothing is known');

$r->command('DEL', $list);
zone('a.test.', '192.0.2.1');
is_ip('a.test', '192.0.2.1', 'list');
is_ip('a.test', '192.0.2.1', 'list, drop', $drop);

zone('b.test.', '192.0.2.2');
is_ip('b.test', '192.0.2.2', 'zone added');

$r->multi([ 'RENAME', $r->key('zones:b.test.'), $r->key('zones:c.test.') ],
	[ 'SREM', $list, 'b.test.' ], [ 'SADD', $list, 'c.test.' ]);
is_ip('c.test', '192.0.2.2', 'zone renamed');
is_gone('b.test', 'zone renamed, its old name');

$r->command('SADD', $list, map { "n$_.test." } 1 .. 3000);
zone('n7.test.', '192.0.2.7');
is_ip('n7.test', '192.0.2.7', 'a long list');
$r->command('SREM', $list, map { "n$_.test." } 1 .. 3000);
is_gone('n7.test', 'a short list');

# wrong while zones are loaded

$r->command('RENAME', $list, 'aside');
$r->command('SET', $list, 'x');
like((dns_error_log($t, qr/list of zones .* cannot be read.*2 zones are kept/))
	[0], qr/./, 'no list any more');
is_ip('a.test', '192.0.2.1', 'no list, the zones stay');
is_ip('a.test', '192.0.2.1', 'no list, drop does not mean errors', $drop);
$r->command('RENAME', 'aside', $list);
like((dns_error_log($t, qr/list of zones can be read again/))[0], qr/./,
	'list again');

# gone

my $before = dns_counters();

$r->command('RENAME', $list, 'aside');
is_gone('a.test', 'list gone, drop', $drop);
like((dns_error_log($t, qr/list of zones .* is empty, 2 zones are kept/))[0],
	qr/./, 'list gone');
is_ip('a.test', '192.0.2.1', 'list gone, the zones stay');
is(dns_counters()->{'keep.disbelieved'} - $before->{'keep.disbelieved'}, 1,
	'disbelieved');

# and back, one by one

$r->command('SADD', $list, 'c.test.');
select undef, undef, undef, 0.2;
is_ip('a.test', '192.0.2.1', 'list coming back');
is_gone('a.test', 'list back, without the zone');

$r->command('RENAME', 'aside', $list);
is_ip('a.test', '192.0.2.1', 'list as it was');

# a zone without keys

$r->command('RENAME', $r->key('zones:a.test.'), 'aside');
is_gone('a.test', 'keys gone, drop', $drop);
like((dns_error_log($t, qr/"a.test." is listed but none of its keys/))[0],
	qr/./, 'keys gone');
is_ip('a.test', '192.0.2.1', 'keys gone, the zone stays');
$r->command('RENAME', 'aside', $r->key('zones:a.test.'));
is_ip('a.test', '192.0.2.1', 'keys back, drop', $drop);

$r->command('SET', $r->key('zones:a.test.:config'), '{}');
$r->command('DEL', $r->key('zones:a.test.'));
is_status('a.test', qr/^NOERROR(?!.*answer)/s, 'a config is a key');

# keys of a wrong type

$r->command('SADD', $r->key('zones:w.test.'), 'x');
$r->command('SADD', $list, 'w.test.');
is_status('w.test', qr/^SERVFAIL/, 'no hash, nothing loaded');
is_status('x.w.test', qr/^SERVFAIL/, 'no hash, any name');
like((dns_error_log($t, qr/"w.test." is neither a hash nor a set/))[0],
	qr/./, 'no hash');

$r->command('DEL', $r->key('zones:w.test.'));
zone('w.test.', '192.0.2.3');
is_ip('w.test', '192.0.2.3', 'a hash');

$r->command('SET', $r->key('zones:w.test.'), 'x');
select undef, undef, undef, 0.2;
is_ip('w.test', '192.0.2.3', 'no hash again, the zone stays');

# spelling

zone('Upper.TEST', '192.0.2.4');
is_ip('upper.test', '192.0.2.4', 'a member in capitals, without dot');
like((dns_error_log($t, qr/"Upper.TEST" is not written as it should be/))[0],
	qr/./, 'told');

$r->command('HSET', $r->key('zones:Upper.TEST'), 'x',
	'{"a":{"ttl":5,"records":[{"ip":"192.0.2.5"}]}}');
is_ip('x.upper.test', '192.0.2.5', 'its key changes');

$r->command('SADD', $list, 'Lower.Test');
zone('lower.test.', '192.0.2.6', list => 0);
is_ip('lower.test', '192.0.2.6', 'data under the normalized name');

zone('Lower.Test', '192.0.2.7');
is_ip('lower.test', '192.0.2.7', 'data under the member come first');

$r->command('SADD', $list, 'lower.test.');
select undef, undef, undef, 0.2;
$r->command('SREM', $list, 'Lower.Test');
is_ip('lower.test', '192.0.2.6', 'the other spelling');

$r->command('SADD', $list, 'a..b.test.', 'x' x 300 . '.test.');
like((dns_error_log($t, qr/zone "a\.\.b\.test\." is ignored/))[0], qr/./,
	'no name');
is_ip('lower.test', '192.0.2.6', 'others stay');

# the control process has nothing to do any more

select undef, undef, undef, 0.3;
$before = dns_counters();
select undef, undef, undef, 1.1;
cmp_ok(dns_counters()->{'keep.commands'} - $before->{'keep.commands'}, '<',
	12, 'quiet');

###############################################################################

sub zone {
	my ($name, $ip, %opts) = @_;

	$r->l1($name, { '@' => { a => { ttl => 5,
		records => [ { ip => $ip } ] } } }, %opts);
}


sub is_ip {
	my ($name, $ip, $what, $port) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is_status($name, qr/^answer \S+ \d+ IN A \Q$ip\E$/m, $what, $port);
}


sub is_gone {
	my ($name, $what, $port) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is_status($name, qr/^REFUSED/, $what, $port);
}


sub is_status {
	my ($name, $re, $what, $port) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $reply = dns_wait([ $name, 'A', port => $port // dns_port() ], $re, 8);
	like(dns_text($reply), $re, $what);
}

###############################################################################
