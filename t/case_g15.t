#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G15: checks that should not exist.  However many workers and
# reloads there are, a target is checked once per interval; what is changed or
# removed is not checked any more; first checks are spread out.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use Time::HiRes qw/ time sleep /;

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

my @last = 61 .. 80;
my @ips = map { "127.0.0.$_" } @last;
my $be = health_backend($t, map { "$_:8081" } @ips);
my $port = port(8081);

# three names for each address: 60 targets

set('/one');

dns_run($t, stream => $r->directives() . ' dns_health_interval 1s;'
	. health_server(), sources => [ 'zone' ],
	main => 'worker_processes 4;');

my $c = health_wait(sub { $_[0]{up} == 60 });
is($c->{up}, 60, 'targets');

# the starts

my @first = map { $_->[0] } $be->requests();
my ($from, $to) = (sort { $a <=> $b } @first)[0, 59];

cmp_ok($to - $from, '>', 0.1, 'first checks are spread out');
cmp_ok($to - $from, '<', 5, 'but not for long');

# over two reloads

my $begun = time();

for (1 .. 2) {
	sleep 0.6;
	$t->reload();
	sleep 1;
}

sleep 1.8;
my $ended = time();

my %count;

$count{"$_->[1] $_->[2] $_->[3]"}++
	for grep { $_->[0] > $begun && $_->[0] <= $ended } all();

my @counts = sort { $a <=> $b } values %count;
my $seconds = $ended - $begun;

is(scalar @counts, 60, 'each is checked');
cmp_ok($counts[0], '>=', int($seconds) - 1, 'as often as it should');
cmp_ok($counts[-1], '<=', int($seconds) + 2, 'and no more often');

my $steady = 0;
my %times;

push @{ $times{"$_->[1] $_->[2] $_->[3]"} }, $_->[0]
	for grep { $_->[0] > $begun && $_->[0] <= $ended } all();

for my $times (values %times) {
	for my $i (1 .. $#$times) {
		$steady++ if $times->[$i] - $times->[$i - 1] < 0.5;
	}
}

is($steady, 0, 'none is checked again before its interval has passed');
is(health_counters()->{targets}, 60, 'no target is there twice');

# another URI: the old one is not asked any more

my $changed = time();
set('/two');

health_wait(sub { grep { $_->[1] =~ m!/two! } $be->requests() });
sleep 1.3;

is(scalar(grep { $_->[1] =~ m!/one! && $_->[0] > $changed + 1 }
	$be->requests()), 0, 'the old URI is not asked any more');
is(health_counters()->{targets}, 60, 'as many targets as before');

my %two = map { ("$_->[1] $_->[2] $_->[3]", 1) }
	grep { $_->[2] =~ m!/two! } all();
is(scalar keys %two, 60, 'all of them ask the new one');

# records and names that are removed

$r->command('HDEL', $r->key('zones:example.com.'), 'a', 'b');
$c = health_wait(sub { $_[0]{targets} == 20 });
is($c->{targets}, 20, 'names removed');

my $removed = time();
sleep 1.2;

is(scalar(grep { $_->[0] > $removed + 0.4
	&& $_->[2] !~ /^c\.example\.com$/ } $be->requests()), 0,
	'they are not asked any more');

is(health_counters()->{skipped}, 0, 'no check was left out');

###############################################################################

sub set {
	my ($uri) = @_;

	my $set = health_check({ port => $port, uri => $uri }, @ips);

	$r->l1('example.com.', { map { $_ => { a => $set } } qw/ a b c / });
}


# The requests with the address in front of what was asked for.

sub all {
	return map {
		my $ip = $_;
		map { [ $_->[0], $ip, $_->[1], $_->[2] ] }
			$be->requests("$ip:8081");
	} @ips;
}

###############################################################################
