#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for ANAME targets of other servers: the control process asks for them
# when their zone comes, follows what resolvers say, and keeps it fresh.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(22);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $res = resolver_start($t, data => {
	'a.out.test A' => { rr => [ '192.0.2.1', '192.0.2.2' ], ttl => 300 },
	'a.out.test AAAA' => { rr => [ '2001:db8::1' ], ttl => 200 },
	'chain.out.test A' => { chain => [ [ 'x.out.test', 50 ],
		[ 'y.out.test', 70 ] ], rr => [ '192.0.2.3' ], ttl => 300,
		reverse => 1 },
	'tc.out.test A' => { rr => [ map { "192.0.2.$_" } 1 .. 200 ],
		ttl => 300, tc => 1 },
	'old.out.test A' => { rr => [ '192.0.2.5' ], edns => 'formerr' },
	'late.out.test A' => { rr => [ '192.0.2.6' ], ttl => 300,
		delay => 0.6 },
	'twice.out.test A' => { rr => [ ('192.0.2.7') x 3 ] },
	'fresh.out.test A' => { rr => [ '192.0.2.8' ], ttl => 2 },
});

dns_run($t,
	zones => { 'example.com' => zone_text('example.com', <<EOF) },
a      60 ANAME a.out.test.
chain 100 ANAME chain.out.test.
tc     60 ANAME tc.out.test.
old    60 ANAME old.out.test.
late   60 ANAME late.out.test.
twice  60 ANAME twice.out.test.
fresh  60 ANAME fresh.out.test.
local  60 ANAME www.example.com.
www    60 A     192.0.2.99
EOF
	stream => 'dns_state_path state;
		dns_aname_resolver ' . $res->address() . ';',
	counters => 1,
);

# asked for before anybody wants it

is($res->wait_queries(1, 'a.out.test', 'A'), 1, 'asked for at start');
is($res->wait_queries(1, 'a.out.test', 'AAAA'), 1, 'both types');

sleep 0.2;

dns_is(dns_ask('a.example.com', 'A'), <<EOF, 'A, the first question');
NOERROR qr aa
question a.example.com. IN A
answer a.example.com. 60 IN A 192.0.2.1
answer a.example.com. 60 IN A 192.0.2.2
EOF

like(dns_text(dns_ask('a.example.com', 'AAAA')), qr/ AAAA 2001:db8::1$/m,
	'AAAA');
like(dns_text(dns_ask('chain.example.com', 'A')),
	qr/ (50|49) IN A 192\.0\.2\.3$/m, 'a chain of CNAMEs');
like(dns_text(dns_wait([ 'old.example.com', 'A' ], qr/192\.0\.2\.5$/m)),
	qr/192\.0\.2\.5$/m, 'a server without EDNS');
is(() = dns_text(dns_wait([ 'twice.example.com', 'A' ], qr/192\.0/))
	=~ /192\.0\.2\.7$/mg, 1, 'an address that comes three times');

my $reply = dns_wait(sub { dns_ask('tc.example.com', 'A', over => 'tcp') },
	qr/192\.0\.2\.200$/m);

is(() = dns_text($reply) =~ / A 192\.0\.2\./g, 200, 'by TCP');

my ($tcp) = grep { $_->{proto} eq 'tcp' } $res->queries('tc.out.test', 'A');

ok($tcp, 'asked by TCP');

# a late one is asked for again, and the first reply is as good

like(dns_text(dns_wait([ 'late.example.com', 'A' ], qr/192\.0\.2\.6$/m)),
	qr/192\.0\.2\.6$/m, 'a late reply');
is($res->wait_queries(2, 'late.out.test', 'A'), 2, 'asked again');

# nobody asks for what is here

is($res->queries('www.example.com'), 0, 'a target of our own');
like(dns_text(dns_ask('local.example.com', 'A')), qr/192\.0\.2\.99$/m,
	'is answered');

# queries

my ($q) = $res->queries('a.out.test', 'A');

is($q->{rd}, 1, 'RD');
is($q->{edns}, 1232, 'EDNS');
is($q->{ecs}, undef, 'no subnet');

# what somebody asks for is kept fresh; what nobody asks for is not

for (1 .. 60) {
	dns_ask('fresh.example.com', 'A');
	sleep 0.05;
}

cmp_ok($res->queries('fresh.out.test', 'A'), '>=', 3, 'kept fresh');
is($res->queries('a.out.test', 'A'), 1, 'others live on');

# a reload loses nothing and asks for nothing

$res->down(1);

$t->reload();
sleep 0.5;

like(dns_text(dns_ask('a.example.com', 'A')), qr/192\.0\.2\.1$/m,
	'after a reload');
is($res->queries('a.out.test', 'A'), 1, 'not asked for again');

# the new process goes on

$res->down(0);
$res->set('a.out.test', 'A', { rr => [ '192.0.2.55' ], ttl => 300 });
$res->set('fresh.out.test', 'A', { rr => [ '192.0.2.9' ], ttl => 2 });

like(dns_text(dns_wait([ 'fresh.example.com', 'A' ], qr/192\.0\.2\.9$/m)),
	qr/192\.0\.2\.9$/m, 'fresh after a reload');
like(dns_text(dns_ask('a.example.com', 'A')), qr/192\.0\.2\.1$/m,
	'and the rest lives on');

###############################################################################
