#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis that is not there: attempts go on by themselves, take no
# memory and no descriptors, and end soon after its return, case R05.

###############################################################################

use warnings;
use strict;

use Test::More;

use IO::Socket::INET qw//;
use List::Util qw/ max min /;
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
	->plan(14);

my $r = redis_start($t, port => 8981, start => 0);

# an address that does not answer: its queue is full

my $hole = IO::Socket::INET->new(Proto => 'tcp', Listen => 1, LocalPort => 0,
	LocalAddr => '127.0.0.1') or die "listen: $!\n";
my $hole_port = $hole->sockport();
my @queue = map { IO::Socket::INET->new(Proto => 'tcp', Blocking => 0,
	PeerAddr => '127.0.0.1', PeerPort => $hole_port) } 1 .. 8;

dns_run($t, stream => <<EOF);
    dns_state_path state;
    dns_redis 127.0.0.1:8981 zone=down:1m;

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_redis 127.0.0.1:$hole_port zone=hole:1m timeout=300ms;
    }
EOF

my ($pid) = map { /(\d+)#\d+: dns control process/ ? $1 : () }
	log_lines($t, qr/dns control process/);

###############################################################################

# down at start

my $ask = [ 'www.z1.test', 'A' ];

like(dns_text(dns_ask(@$ask)), qr/^\s*SERVFAIL/, 'no data yet');

sleep(1);
my $before = rss($pid);
my @fds;

for (1 .. 40) {
	push @fds, descriptors($pid);
	sleep(0.1);
}

cmp_ok(rss($pid) - $before, '<', memory(300), 'memory of attempts');
cmp_ok(max(@fds) - min(@fds), '<=', 4, 'descriptors of attempts');
is(scalar(log_lines($t, qr/cannot connect to redis .*refused.*"down"/)), 2,
	'a line per connection');
is(scalar(log_lines($t, qr/cannot connect to redis .*timed out.*"hole"/)), 2,
	'a line per connection that hangs');

# it comes, goes, comes

for my $n (1 .. 3) {
	$r->start();
	change($r, $n);

	my $start = time();
	my $reply = dns_wait($ask, qr/ 192\.0\.2\.$n$/m, 5);

	like(dns_text($reply), qr/ 192\.0\.2\.$n$/m, "start $n");
	cmp_ok(time() - $start, '<', 3, "soon after start $n");

	$r->kill();
	sleep(1 + rand());
}

like(dns_text(dns_ask(@$ask)), qr/ 192\.0\.2\.3$/m, 'what was loaded stays');

# a server that hangs lets its port go: refused now

close $hole;
@queue = ();

my $until = time() + 5;

while (time() < $until) {
	last if log_lines($t, qr/cannot connect to redis .*refused.*"hole"/);
	sleep(0.05);
}

cmp_ok(time(), '<', $until, 'a change of the fault is told');
is(kill(0, $pid), 1, 'the same process');

###############################################################################

sub change {
	my ($r, $n) = @_;

	$r->l1('z1.test.', { www => { a => { ttl => 5,
		records => [ { ip => "192.0.2.$n" } ] } } });
}

sub log_lines {
	my ($t, $re) = @_;
	return grep { /$re/ } split /\n/, $t->read_file('error.log');
}

# kB of a process

sub rss {
	my ($pid) = @_;

	open my $f, '<', "/proc/$pid/status" or return 0;

	my ($n) = map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$f>;

	return $n;
}

sub descriptors {
	my ($pid) = @_;
	return scalar(() = glob "/proc/$pid/fd/*");
}

# kB that may be more; a sanitizer keeps what is freed for a while, and looks
# for leaks itself

sub memory {
	my ($kb) = @_;
	return `$ENV{TEST_NGINX_BINARY} -V 2>&1` =~ /-fsanitize/ ? 65536 : $kb;
}

###############################################################################
