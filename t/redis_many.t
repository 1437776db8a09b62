#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zones of keys of their own (L4) that are read many keys at once:
# what MGET hides is found all the same, and where MGET is not allowed it is
# not needed.

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
	->has_daemon('redis-server')->plan(17);

my $r = redis_start($t, key => 'z42');

$r->command('ACL', 'SETUSER', 'all', 'on', '>secret', '~*', '&*', '+@all');
$r->command('ACL', 'SETUSER', 'few', 'on', '>secret', '~*', '&*', '+@all',
	'-mget');

# more keys than one MGET has

$r->l4('good.test.', { map { ("n$_" => { A => { ttl => 60,
	records => [ { ip => "192.0.2.$_" } ] } }) } 1 .. 150 });

$r->l4('odd.test.', { www => { A => { ttl => 60,
	records => [ { ip => '192.0.2.1' } ] } } });

# a key of a wrong type, of a label that is listed

$r->command('SADD', $r->key('zones:odd.test.:labels'), 'list');
$r->command('RPUSH', $r->key('zones:odd.test.:labels:list:A'), 'x');

my @sources = qw/ all few /;

my $parameters = 'key=z42 password=secret';
my $second = 8071;

my $conf = dns_conf(sources => [ @sources ],
	stream => 'dns_state_path %%TESTDIR%%/state;',
	server => $r->directives("zone=all:16m user=all $parameters",
		state => 0));

my $server = $r->directives("zone=few:16m user=few $parameters", state => 0);

$conf =~ s/(.*)\n}/$1\n    server {
        listen 127.0.0.1:%%PORT_${second}_UDP%% udp;
        dns on;
        $server
    }\n}/s;

dns_run($t, conf => $conf);

my %ports = (all => dns_port(), few => port($second, udp => 1));

for my $name (@sources) {
	my @at = (port => $ports{$name});

	dns_wait([ 'n150.good.test', 'A', @at ], qr/192\.0\.2\.150/);

	like(text($name, 'n1.good.test'), qr/192\.0\.2\.1$/m, "$name, first");
	like(text($name, 'n65.good.test'), qr/192\.0\.2\.65$/m, "$name, middle");
	like(text($name, 'n150.good.test'), qr/192\.0\.2\.150$/m, "$name, last");
	like(text($name, 'www.odd.test'), qr/192\.0\.2\.1$/m,
		"$name, beside what is wrong");
	like(text($name, 'list.odd.test'), qr/SERVFAIL/, "$name, wrong type");
	like(text($name, 'list.odd.test', 'TXT'), qr/NOERROR/,
		"$name, another type of the name");
}

my $c = dns_counters();

is($c->{"$_.zones"}, 2, "$_, zones") for @sources;

my %asked = %{ $r->calls() };

cmp_ok($asked{mget} // 0, '>=', 3, 'keys were read together');
cmp_ok($asked{get} // 0, '>=', 150, 'and one by one');

my @lines = dns_error_log($t, qr/odd\.test.*list/);

is(scalar @lines, 2, 'told once by each') or diag(@lines);

###############################################################################

sub text {
	my ($name, $qname, $type) = @_;

	my $reply = dns_ask($qname, $type // 'A', port => $ports{$name});

	return dns_text($reply);
}

###############################################################################
