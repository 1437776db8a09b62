#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G14: a target that fails now and then.  It is never down, the
# sign of down_count does not matter, and it is up only after up_count good
# results in a row.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Health;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(14);

my $r = redis_start($t);

my ($good, $flap, $dead) = map { "127.0.0.$_:8081" } 51 .. 53;
my $b = health_backend($t, $good, $flap, $dead);
my $port = port(8081);

$b->mode($flap, 'flap');
$b->mode($dead, 'status 503');

my @ips = map { "127.0.0.$_" } 51 .. 53;

$r->l1('example.com.', {
	minus => { a => health_check({ port => $port }, @ips) },
	plus => { a => health_check({ port => $port, down_count => 3,
		uri => '/plus' }, @ips) },
	default => { a => { ttl => 5, records => [ map { { ip => $_ } } @ips ],
		health_check => { enable => JSON::PP::true(), port => $port,
			protocol => 'http', uri => '/default' } } },
});

dns_run($t, stream => $r->directives() . ' dns_health_interval 100ms;'
	. health_server(), sources => [ 'zone' ]);

my $c = health_wait(sub { $_[0]{down} == 3 });

is("$c->{up} $c->{down}", '6 3', 'states');
is(answer($_), '51 52', "$_: not the one that is dead")
	for qw/ minus plus default /;

# 40 checks later nothing has turned but what was down from the start

my $n = $b->requests($flap);
cmp_ok($b->wait_requests($flap, $n + 90, 20), '>=', $n + 90, 'many checks');

my $turns = health_counters()->{turns};

is($turns, 9, 'each state has turned once');
is(scalar(my @d = dns_error_log($t, qr/target 127\.0\.0\.52:.* is down/,
	timeout => 0)), 0, 'the one that flaps has never been down');
is(answer($_), '51 52', "$_: nor is it left out") for qw/ minus plus default /;

# down at last, it does not come up by two good results in a row

$b->mode($flap, 'status 503');
health_wait(sub { $_[0]{down} == 6 });
is(answer('plus'), '51', 'down after three bad ones');

$b->mode($flap, 'flap');
$n = $b->requests($flap);
$b->wait_requests($flap, $n + 60, 20);

$c = health_counters();
is("$c->{up} $c->{down}", '3 6', 'flapping it stays down');

$b->mode($flap, 'ok');
$c = health_wait(sub { $_[0]{up} == 6 });
is("$c->{up} $c->{down}", '6 3', 'up after three good ones');

is(answer('plus'), '51 52', 'and answered');

###############################################################################

sub answer {
	my ($name) = @_;

	return health_answer(dns_text(dns_ask("$name.example.com", 'A')));
}

###############################################################################
