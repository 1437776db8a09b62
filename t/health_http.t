#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for checks of addresses by HTTP and TCP: what is asked, what is good,
# and what answers make of it.

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
	->has_daemon('redis-server')->plan(28);

my $r = redis_start($t);

# one address for each thing that can be seen of a backend

my @modes = (
	'ok', 'status 301', 'status 503', 'status 204', 'hang', 'reset',
	'refuse', 'raw SSH-2.0\r\n', 'raw HTTP/1.1 200 OK\r\n', 'slow 100',
	'raw HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
);

my @ips = map { '127.0.0.' . ($_ + 10) } 0 .. $#modes;
my $b = health_backend($t, map { "$_:8081" } @ips);
my $port = port(8081);

$b->mode("$ips[$_]:8081", $modes[$_]) for 0 .. $#modes;

my %check = (port => $port, down_count => -2, up_count => 2,
	timeout => 300);

$r->l1('example.com.', {
	www => { a => health_check({ %check, uri => '/up?x=1' }, @ips) },
	tcp => { a => health_check({ %check, protocol => 'tcp' }, @ips) },
	body => { a => health_check({ %check, match => 'is well' },
		'127.0.0.10', '127.0.0.11', '127.0.0.13', '127.0.0.30') },
	codes => { a => health_check({ %check, status => [ 204, 503 ],
		host => 'other.example.net' }, @ips) },
	'*.wild' => { a => health_check(\%check, '127.0.0.10') },
	plain => { a => { ttl => 5, records => [ { ip => '127.0.0.12' } ] } },
});

dns_run($t, stream => $r->directives() . ' dns_health_interval 200ms;'
	. health_server(),
	sources => [ 'zone' ], main => 'worker_processes 2;');

my $c = health_wait(sub { $_[0]{up} == 19 && $_[0]{down} == 19 });

is($c->{targets}, 38, 'targets');
is($c->{unknown}, 0, 'none is unknown');
is($c->{probing}, 1, 'a process checks');
is($c->{full} + $c->{unusable}, 0, 'all can be checked');

# states

is(answer('www'), '10 11 19 20', 'http');
is(answer('tcp'), '10 11 12 13 14 15 17 18 19 20', 'tcp');
is(answer('body'), '10 11', 'a text');
is(answer('codes'), '12 13', 'statuses');
is(answer('a.wild'), '10', 'wildcard');
is(answer('plain'), '12', 'without a check');
is($c->{up}, 4 + 10 + 2 + 2 + 1, 'up');
is($c->{down}, 38 - 19, 'down');

# what was asked

my %seen = map { join(' ', @$_[1, 2]) => 1 } $b->requests('127.0.0.10:8081');

is(join("\n", sort grep { !/^connection/ } keys %seen), <<'EOF' =~ s/\n$//r,
GET / HTTP/1.1 body.example.com
HEAD / HTTP/1.1 other.example.net
HEAD / HTTP/1.1 wild.example.com
HEAD /up?x=1 HTTP/1.1 www.example.com
EOF
	'requests');

ok($seen{'connection '}, 'and connections');

# why they are down

my $log = join "\n", dns_error_log($t, qr/target .* is down/);

for my $line (
	[ 12, 'www', 'status 503' ],
	[ 13, 'www', 'status 204' ],
	[ 14, 'www', 'timed out' ],
	[ 15, 'www', 'response cut short|connection reset|sending failed' ],
	[ 16, 'www', 'connect\(\) failed \(111: Connection refused\)' ],
	[ 17, 'www', 'no valid response' ],
	[ 18, 'www', 'response cut short' ],
	[ 16, 'tcp', 'connect\(\) failed \(111: Connection refused\)' ],
	[ 13, 'body', 'status 204' ],
	[ 30, 'body', 'connect\(\) failed \(111: Connection refused\)' ])
{
	my ($ip, $name, $why) = @$line;

	my $target = "target 127.0.0.$ip:$port of \"$name.example.com.\"";

	like($log, qr/\Q$target\E is down: (?:$why)/, "why: $name, $why");
}

# a state turns, by up_count and by down_count

$b->mode('127.0.0.12:8081', 'ok');
health_wait(sub { answer('codes') eq '13'
	&& answer('www') eq '10 11 12 19 20' });

is(answer('www'), '10 11 12 19 20', 'up again');
is(answer('codes'), '13', 'down for another check');

like(join("\n", dns_error_log($t, qr/target 127.0.0.12:\d+ of "www.* is up/)),
	qr/is up/, 'is up is told');

$b->mode("$_:8081", 'status 500') for @ips;
$c = health_wait(sub { $_[0]{up} == 11 });

is(answer('www'), join(' ', 10 .. 20), 'all are down: all are answered');

###############################################################################

# the last octets of the addresses in an answer

sub answer {
	my ($name) = @_;

	return health_answer(dns_text(dns_ask("$name.example.com", 'A')));
}

###############################################################################
