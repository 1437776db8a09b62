#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for explanations of zones in Redis: where they come from, states of
# addresses, flattened chains, names of other servers, UDP.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use JSON::PP qw//;
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has_daemon('redis-server')->plan(13);

my $r = redis_start($t);

my $check = { enable => JSON::PP::true(), protocol => 'tcp',
	port => port(8985), interval => 1, up_count => 1, down_count => 1 };

$r->l1('x.test.', {
	web => { a => { ttl => 300, health_check => $check,
		filter => { count => 'single' },
		records => [ map { { ip => "127.0.0.$_" } } 2, 1 ] } },
	dead => { a => { ttl => 300, records => [ { ip => '127.0.0.2' } ],
		health_check => { %$check, all_down => 'none' } } },
	short => { cname => { ttl => 30, host => 'web.x.test.' } },
	out => { aname => { location => 'www.elsewhere.test.' } },
	bad => { a => 7 },
}, config => redis_soa('x.test', cname_flattening => JSON::PP::true()));

dns_run($t, server => 'dns_explain on;',
	stream => $r->directives() . <<'EOF');

    server {
        listen 127.0.0.1:%%PORT_8985%%;
        return "";
    }
EOF

my $down = qr/ address: 127\.0\.0\.2, weight: 0, priority: 0, down \(/;

dns_wait([ 'web.x.test.A.explain', 'TXT', class => 'CH', over => 'tcp' ],
	qr/127\.0\.0\.1, weight: 0, priority: 0, up.*$down/s);

###############################################################################

my $x = steps('web.x.test.A');

like($x, qr/ zone: x\.test\. serial 2026010101, .*from Redis \(dns_redis zone=zone\)$/m,
	'zone');
like($x, qr/ set: A, addresses: 2, TTL: 300, count: single, order: none, filters: none, checked each 1000 ms$/m,
	'set');
like($x, qr/ address: 127\.0\.0\.1, weight: 0, priority: 0, up \(last results: 1 good\)/,
	'up');
like($x, qr/$down/, 'down');
like($x, qr/ health: 1 of 2, those that are not down: 127\.0\.0\.1$/m,
	'health');
like($x, qr/ order: 127\.0\.0\.1 comes first, it is the only one$/m, 'order');

$x = steps('dead.x.test.A');

like($x, qr/ health: 0 of 1, all are down: none \(all_down\)$/m, 'all down');
like($x, qr/ count: nothing is left: no address$/m, 'nothing');

$x = steps('short.x.test.A');

like($x, qr/ link: CNAME to web\.x\.test\., TTL: 30, which is not shown \(cname_flattening\)$/m,
	'flattened');
like($x, qr/ answer: short\.x\.test\. 30 A 127\.0\.0\.1\n\z/m,
	'flattened answer');

like(steps('out.x.test.A'),
	qr/ of which nothing is known: there is no dns_aname_resolver\n.*SERVFAIL, EDE 22/s,
	'no resolver');

like(steps('bad.x.test.A'), qr/, with: A\(unreadable\)\n.*SERVFAIL/s,
	'unreadable');

# what is too long for a datagram

like(dns_text(dns_ask('web.x.test.A.explain', 'TXT', class => 'CH')),
	qr/tc/i, 'UDP');

###############################################################################

# The lines of an explanation.

sub steps {
	my ($name, %opts) = @_;

	my $text = dns_text(dns_ask("$name.explain", 'TXT', class => 'CH',
		over => 'tcp', %opts));

	my @lines = $text =~ /^answer \S+ 0 CH TXT (.*)$/mg;

	for (@lines) {
		$_ = join '', /"((?:[^"\\]|\\.)*)"/g;
		s/\\(["\\])/$1/g;
	}

	return join '', map { "$_\n" } @lines;
}

###############################################################################
