#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a resolver that is there and says nothing while clients ask all the
# time: they have the addresses that there were, and none has to wait.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Load;
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(8);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	'www.ext A' => { rr => [ '192.0.2.1' ], ttl => 1 },
});

dns_run($t, zones => { 'a.test' => zone_text('a.test', "\@ ANAME www.ext.\n") },
	stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]} timeout=200ms;");

dns_wait([ 'a.test', 'A' ], qr/ A /);

###############################################################################

$resolver->down(1);

my $before = () = $resolver->queries();
my $load = dns_load($t, [ 'a.test', 'A' ], qr/^NOERROR.* 192\.0\.2\.1$/ms);

# the slowest answers, while nothing comes from the resolver

my ($slow, $until) = (0, time() + 5);

while (time() < $until) {
	my $start = time();

	dns_ask('a.test', 'A');
	$slow++ if time() - $start > 0.1;
	sleep 0.01;
}

my ($n, $lost, $wrong) = dns_load_end($load);

cmp_ok($n, '>', 100, 'answers');
is($lost, 0, 'lost');
is($wrong, '', 'wrong');
cmp_ok($slow, '<=', 5, 'none has to wait');

my ($ttl) = dns_text(dns_ask('a.test', 'A')) =~ / (\d+) IN A /;

cmp_ok($ttl // 99, '<=', 30, 'not for long');

my $asked = (() = $resolver->queries()) - $before;

cmp_ok($asked, '>=', 2, 'it is asked again');
cmp_ok($asked, '<=', 40, 'now and then');

# it speaks again, of another address

$resolver->set('www.ext', 'A', { rr => [ '192.0.2.2' ], ttl => 1 });
$resolver->down(0);

like(dns_text(dns_wait([ 'a.test', 'A' ], qr/192\.0\.2\.2/, 15)),
	qr/ A 192\.0\.2\.2$/m, 'over');

###############################################################################
