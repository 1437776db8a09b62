#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zones kept in step with Redis: both layouts, changes of each kind,
# moves between layouts, and what an outage leaves.

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
	->has_daemon('redis-server')->plan(45);

my $r = redis_start($t);

$r->l1('hash.test.', { '@' => ns('ns1.hash.test.'), www => a('192.0.2.1') });
$r->l4('set.test.', {
	'@' => { NS => host('ns1.set.test.') },
	www => { A => ips('192.0.2.1'), TXT => text('one') },
	hollow => {},
});

# a zone that is about to be moved

$r->l1('move.test.', { www => a('192.0.2.1') });
$r->l4('move.test.', { www => { A => ips('192.0.2.2'), TXT => text('two') } },
	keep => 1);

dns_run($t, stream => $r->directives(), sources => [ 'zone' ],
	main => 'worker_processes 2;', server => 'dns_nsid $pid;',
	udp => 'reuseport');

is_ip('www.hash.test', '192.0.2.1', 'L1');
is_ip('www.set.test', '192.0.2.1', 'L4');
is_txt('www.set.test', 'one', 'L4, another type');
is_ip('www.move.test', '192.0.2.1', 'both layouts');
is_nodata('hollow.set.test', 'L4, a label without keys');
is_nxdomain('none.set.test', 'L4, no such name');
is_nxdomain('none.hash.test', 'L1, no such name');

my $c = dns_counters();

is($c->{'zone.connected'}, 1, 'connected');
is($c->{'zone.comparisons'}, 1, 'one comparison');
is(wait_counter('zones', sub { $_[0] == 3 }), 3, 'zones');

# changes

$r->command('HSET', $r->key('zones:hash.test.'), 'www',
	redis_json(a('192.0.2.2')));
is_ip('www.hash.test', '192.0.2.2', 'L1, a field changed');

$r->command('HDEL', $r->key('zones:hash.test.'), 'www');
is_nxdomain('www.hash.test', 'L1, a field deleted');

$r->command('SET', $r->key('zones:set.test.:labels:www:A'),
	redis_json(ips('192.0.2.2')));
is_ip('www.set.test', '192.0.2.2', 'L4, a key changed');
is_txt('www.set.test', 'one', 'L4, its neighbour stays');

$r->command('SET', $r->key('zones:set.test.:labels:hollow:A'),
	redis_json(ips('192.0.2.3')));
is_ip('hollow.set.test', '192.0.2.3', 'L4, the first key of a label');

$r->command('SET', $r->key('zones:set.test.:labels:new:A'),
	redis_json(ips('192.0.2.4')));
select undef, undef, undef, 0.1;
is_nxdomain('new.set.test', 'L4, a key without its label');

$r->command('SADD', $r->key('zones:set.test.:labels'), 'new');
is_ip('new.set.test', '192.0.2.4', 'L4, the label follows');

$r->command('SREM', $r->key('zones:set.test.:labels'), 'new');
is_nxdomain('new.set.test', 'L4, a label taken out');

$r->command('SADD', $r->key('zones:set.test.:labels'), 'new');
is_ip('new.set.test', '192.0.2.4', 'L4, and put in again');

$r->command('DEL', $r->key('zones:set.test.:labels:www:TXT'));
is_nodata('www.set.test', 'L4, a key deleted', 'TXT');
is_ip('www.set.test', '192.0.2.2', 'L4, its neighbour stays again');

$r->command('SET', $r->key('zones:set.test.:config'),
	'{"soa":{"serial":7}}');
dns_ok([ 'set.test', 'SOA' ], qr/ 7 86400 7200 /, 'config');

$r->command('DEL', $r->key('zones:set.test.:config'));
dns_ok([ 'set.test', 'SOA' ], sub { $_[1] !~ / 7 86400 / }, 'no config');

# a key of a type that nobody has heard of before

$r->command('SET', $r->key('zones:set.test.:labels:new:TYPE65280'),
	'{"ttl":5,"records":[{"rdata":"\\\\# 2 abcd"}]}');
dns_ok([ 'new.set.test', 'TYPE65280' ], qr/TYPE65280 .*abcd/, 'unknown type');

# a zone is moved from one layout to the other

$r->l4('hash.test.', { '@' => { NS => host('ns1.hash.test.') },
	moved => { A => ips('192.0.2.5') } }, keep => 1);
select undef, undef, undef, 0.1;
is_nxdomain('moved.hash.test', 'the hash is what counts');

$r->command('DEL', $r->key('zones:hash.test.'));
is_ip('moved.hash.test', '192.0.2.5', 'until it is deleted');

$r->l1('hash.test.', { back => a('192.0.2.6') });
is_ip('back.hash.test', '192.0.2.6', 'and back');

$r->command('DEL', $r->key('zones:move.test.'));
is_ip('www.move.test', '192.0.2.2', 'keys from before the start');
is_txt('www.move.test', 'two', 'all of them');

# a new zone; the list first, then the data

$r->command('SADD', $r->key('zones'), 'late.test.');
select undef, undef, undef, 0.1;
like(ask('late.test', 'SOA'), qr/^REFUSED/, 'no data yet');

$r->l1('late.test.', { www => a('192.0.2.7') }, list => 0);
is_ip('www.late.test', '192.0.2.7', 'data');

$r->l4('key.test.', { www => { A => ips('192.0.2.8') } }, list => 0);
select undef, undef, undef, 0.1;
like(ask('www.key.test', 'A'), qr/^REFUSED/, 'not listed');
$r->command('SADD', $r->key('zones'), 'key.test.');
is_ip('www.key.test', '192.0.2.8', 'listed');

$r->remove('late.test.');
dns_ok([ 'www.late.test', 'A' ], qr/^REFUSED/, 'zone taken out');

# one value that is none

$r->command('HSET', $r->key('zones:hash.test.'), 'back', 'no json');
dns_ok([ 'back.hash.test', 'A' ], qr/^SERVFAIL/, 'a bad value');
like((dns_error_log($t, qr/\[warn\].*redis.*hash\.test.*back/))[0],
	qr/./, 'a line about it');
is(wait_counter('bad', sub { $_[0] == 1 }), 1, 'counted');

$r->command('HSET', $r->key('zones:hash.test.'), 'back',
	redis_json(a('192.0.2.9')));
is_ip('back.hash.test', '192.0.2.9', 'a good one');
is(wait_counter('bad', sub { $_[0] == 0 }), 0, 'counted no more');

# nothing else was compared

is(dns_counters()->{'zone.comparisons'}, 1, 'still one comparison');

# the server goes away, and comes back with other data

$r->kill();
select undef, undef, undef, 0.3;
is_ip('back.hash.test', '192.0.2.9', 'without a server');
is(wait_counter('connected', sub { !$_[0] }), 0, 'not connected');

$r->start();
$r->l1('hash.test.', { back => a('192.0.2.10') });

is_ip('back.hash.test', '192.0.2.10', 'back in step');
dns_ok([ 'www.set.test', 'A' ], qr/^REFUSED/, 'what is not listed is gone');
is(wait_counter('connected', sub { $_[0] }), 1, 'connected again');

###############################################################################

sub ask {
	return dns_text(dns_ask(@_));
}


sub dns_ok {
	my ($ask, $cond, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $start = time();
	my $text = dns_text(dns_wait($ask, $cond, 8));

	ok(ref $cond eq 'CODE' ? $cond->(undef, $text) : $text =~ $cond, $name)
		or diag($text);
}


sub is_ip {
	my ($name, $ip, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_ok([ $name, 'A' ], qr/^answer \S+ \d+ IN A \Q$ip\E$/m, $what);
}


sub is_txt {
	my ($name, $text, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_ok([ $name, 'TXT' ], qr/^answer .* TXT "\Q$text\E"$/m, $what);
}


sub is_nodata {
	my ($name, $what, $type) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_ok([ $name, $type // 'A' ],
		sub { $_[1] =~ /^NOERROR/ && $_[1] !~ /^answer/m }, $what);
}


sub is_nxdomain {
	my ($name, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_ok([ $name, 'A' ], qr/^NXDOMAIN/, $what);
}


sub wait_counter {
	my ($name, $cond) = @_;

	my $value;

	for (1 .. 100) {
		$value = dns_counters()->{"zone.$name"};
		last if $cond->($value);
		select undef, undef, undef, 0.05;
	}

	return $value;
}


sub a {
	return { a => ips(@_) };
}


sub ns {
	return { ns => host(@_) };
}


sub ips {
	return { ttl => 5, records => [ map { { ip => $_ } } @_ ] };
}


sub host {
	return { ttl => 5, records => [ map { { host => $_ } } @_ ] };
}


sub text {
	return { ttl => 5, records => [ map { { text => $_ } } @_ ] };
}

###############################################################################
