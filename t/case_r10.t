#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for subscriptions: one per source however often connections are cut
# and nginx reloads, no memory for each, and a refused one costs no connection,
# case R10.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(12);

my $r = redis_start($t);

change($r, 1);

my $address = $r->address();

dns_run($t, stream => <<EOF);
    dns_state_path state;
    dns_redis $address zone=edge:1m poll=1s;
EOF

my $ask = [ 'www.z1.test', 'A' ];
my $n = 1;

###############################################################################

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.1$/m)), qr/ 192\.0\.2\.1$/m,
	'loaded');
is(wait_for(sub { subscriptions($r) }, 1), 1, 'one subscription');

# cut again and again

my ($pid) = control($t);
my $before;

for (1 .. 60) {
	for my $type (qw/ pubsub normal /) {
		$r->command('CLIENT', 'KILL', 'TYPE', $type, 'SKIPME', 'yes');
		sleep(rand() * 0.05);
	}

	$before = rss($pid) if $_ == 20;
	sleep(0.05);
}

change($r, 2);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.2$/m)), qr/ 192\.0\.2\.2$/m,
	'in step');
is(wait_for(sub { subscriptions($r) }, 1), 1, 'one subscription, still');
is(wait_for(sub { clients($r) }, 2), 2, 'two connections');
cmp_ok(rss($pid) - $before, '<', memory(500), 'memory');

# reloads

for (1 .. 10) {
	$t->reload();
	sleep(0.2);
}

change($r, 3);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.3$/m)), qr/ 192\.0\.2\.3$/m,
	'in step after reloads');
is(wait_for(sub { subscriptions($r) }, 1), 1, 'the subscription of one');
is(wait_for(sub { clients($r) }, 2), 2, 'the connections of one');

# a user without channels

$r->command('ACL', 'SETUSER', 'default', 'resetchannels');
$r->command('CLIENT', 'KILL', 'TYPE', $_, 'SKIPME', 'yes')
	for qw/ pubsub normal /;

sleep(3);

my $id = join ' ', ids($r);

change($r, 4);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.4$/m)), qr/ 192\.0\.2\.4$/m,
	'in step without subscription');

sleep(2);

is(join(' ', ids($r)), $id, 'the connections stay');
is(subscriptions($r), 0, 'no subscription');

###############################################################################

sub change {
	my ($r, $n) = @_;

	$r->l1('z1.test.', { www => { a => { ttl => 5,
		records => [ { ip => "192.0.2.$n" } ] } } });
}

sub subscriptions {
	my ($r) = @_;
	return $r->command('PUBSUB', 'NUMSUB', '__redis__:invalidate')->[1]
		+ $r->command('PUBSUB', 'NUMPAT');
}

sub ids {
	my ($r) = @_;

	return sort { $a <=> $b } map { / name=ngx_dns/ && /^id=(\d+)/ ? $1 : () }
		split /\n/, $r->command('CLIENT', 'LIST');
}

sub clients {
	my ($r) = @_;
	return scalar(() = ids($r));
}

# The value of a function, in the end.

sub wait_for {
	my ($value, $wanted) = @_;

	my $until = time() + 10;

	while (time() < $until) {
		last if $value->() == $wanted;
		sleep(0.05);
	}

	return $value->();
}

sub control {
	my ($t) = @_;

	return map { /(\d+)#\d+: dns control process/ ? $1 : () }
		split /\n/, $t->read_file('error.log');
}

# kB of a process

sub rss {
	my ($pid) = @_;

	open my $f, '<', "/proc/$pid/status" or return 0;

	my ($n) = map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$f>;

	return $n;
}

# kB that may be more; a sanitizer keeps what is freed for a while, and looks
# for leaks itself

sub memory {
	my ($kb) = @_;
	return `$ENV{TEST_NGINX_BINARY} -V 2>&1` =~ /-fsanitize/ ? 65536 : $kb;
}

###############################################################################
