#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis on a unix socket that is missing, that may not be used, and
# that is another one after a restart, case R08.

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

my $t = Test::Nginx->new()->has(qw/stream udp unix/)
	->has_daemon('redis-server')->plan(9);

my $r = redis_start($t, conf => 'unixsocketperm 777', start => 0);
my $address = $r->address();

dns_run($t, stream => <<EOF);
    dns_state_path state;
    dns_redis $address zone=edge:1m;
EOF

my $ask = [ 'www.z1.test', 'A' ];

###############################################################################

like(dns_text(dns_ask(@$ask)), qr/^\s*SERVFAIL/, 'no socket');
is(scalar(log_lines($t, qr/cannot connect .*\(2: No such file/)), 2,
	'no socket, in the log');

for my $n (1 .. 3) {
	$r->start();
	change($r, $n);

	my $reply = dns_wait($ask, qr/ 192\.0\.2\.$n$/m, 5);

	like(dns_text($reply), qr/ 192\.0\.2\.$n$/m, "socket number $n");

	$r->kill();
}

# a socket that may not be used

$r->start();
chmod 0, $r->socket_path();

my $until = time() + 10;

while (time() < $until) {
	last if log_lines($t, qr/cannot connect .*\(13: Permission denied/);
	sleep(0.05);
}

cmp_ok(time(), '<', $until, 'no permission');

chmod 0777, $r->socket_path();
change($r, 9);

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.9$/m, 5)), qr/ 192\.0\.2\.9$/m,
	'permission');

my $last = (log_lines($t, qr/redis/))[-1];

unlike($last, qr/cannot connect|lost/, 'connected in the end');
is(scalar(log_lines($t, qr/\[(?:alert|crit|emerg)\]/)), 0, 'nothing worse');

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

###############################################################################
