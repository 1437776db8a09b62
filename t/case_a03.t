#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A03: the TTL of addresses that come from other servers is the smallest of
# the chain, counts down with what is left, never wraps, and they are asked
# for anew when it is over.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(17);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	'chain.ext A' => { rr => [ '192.0.2.1' ], ttl => 3600,
		chain => [ [ 'c.ext', 60 ] ] },
	'short.ext A' => { rr => [ '192.0.2.2' ], ttl => 4 },
	'zero.ext A' => { rr => [ '192.0.2.3' ], ttl => 0 },
	'max.ext A' => { rr => [ '192.0.2.4' ], ttl => 4294967295 },
	'day.ext A' => { rr => [ '192.0.2.5' ], ttl => 86400 },
	'none.ext A' => { rr => [], soa => [ 300, 3 ] },
});

dns_run($t, zones => { 'a.test' => zone_text('a.test', <<'EOF') },
$TTL 86400
chain	300 ANAME chain.ext.
small	20 ANAME chain.ext.
short	ANAME short.ext.
zero	ANAME zero.ext.
max	300 ANAME max.ext.
day	ANAME day.ext.
none	ANAME none.ext.
EOF
	server => 'dns_min_ttl 10s;',
	stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]};");

for my $name (qw/ chain small short zero max day /) {
	dns_wait([ "$name.a.test", 'A' ], qr/ A /);
}

###############################################################################

# the smallest of ANAME, CNAME and addresses; the ANAME's own is constant

my $start = time();
my $first = ttl('chain.a.test');

cmp_ok($first, '<=', 60, 'A03 the CNAME has the smallest');
cmp_ok($first, '>=', 50, 'A03 and it is not much less');
is(ttl('small.a.test'), 20, 'A03 the ANAME has the smallest');

# RFC 2181, 8: above 2^31 - 1 it is taken for 0

cmp_ok(ttl('max.a.test'), '<=', 1, 'A03 2^32 - 1 does not wrap');
cmp_ok(ttl('day.a.test'), '<=', 86400, 'A03 a day');
cmp_ok(ttl('day.a.test'), '>=', 86300, 'A03 a day, counting down');

cmp_ok(ttl('zero.a.test'), '<=', 1, 'A03 0, whatever the minimum is');

# it is never more than what is left since the last question upstream

my ($bad, $asked) = (0, 0);

for (1 .. 60) {
	my ($last) = map { $_->{time} }
		reverse $resolver->queries('short.ext', 'A');
	my $ttl = ttl('short.a.test');
	my $left = $last + 4 - time();

	# refreshed between the two looks

	my ($again) = map { $_->{time} }
		reverse $resolver->queries('short.ext', 'A');

	$bad++ if $again == $last && $ttl > $left + 1.2 && $ttl > 1;
	$bad++ if $ttl > 4;

	sleep 0.1;
}

is($bad, 0, 'A03 a series of TTLs');

$asked = () = $resolver->queries('short.ext', 'A');

cmp_ok($asked, '>=', 2, 'A03 refreshed while it is asked for');
cmp_ok($asked, '<=', 8, 'A03 but not more than it takes');

my $spent = time() - $start;
my $now = ttl('chain.a.test');

cmp_ok($now, '<', $first, 'A03 counts down');
cmp_ok($first - $now, '>=', $spent - 2, 'A03 as the time goes');

# no addresses: not longer than the SOA of the resolver says

for (1 .. 3) {
	my ($n) = dns_text(dns_ask('none.a.test', 'A'))
		=~ /^authority a\.test\. (\d+) IN SOA/m;

	cmp_ok($n // 99, '<=', 3, 'A03 nothing, for a short time');
	sleep 1;
}

# nobody has asked: old, for a moment, then new

$resolver->set('short.ext', 'A', { rr => [ '192.0.2.22' ], ttl => 4 });
sleep 6;

my $text = dns_text(dns_ask('short.a.test', 'A'));

like($text, qr/ [0-4] IN A 192\.0\.2\.22?$/m, 'A03 after it has expired');
like(dns_text(dns_wait([ 'short.a.test', 'A' ], qr/192\.0\.2\.22$/m, 3)),
	qr/192\.0\.2\.22$/m, 'A03 and what is new');

###############################################################################

sub ttl {
	my ($name) = @_;

	my ($ttl) = dns_text(dns_ask($name, 'A'))
		=~ /^answer \Q$name\E\. (\d+) IN A /m;

	return $ttl // 4294967295;
}

###############################################################################
