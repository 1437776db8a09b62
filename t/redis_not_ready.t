#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a control process that ends before all zones have been read: what
# is not there yet is not said to be nowhere by the next one either.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use Time::HiRes qw/ sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(6);

my $r = redis_start($t);

for my $n (1, 2) {
	$r->l1("z$n.test.", { www => { a => { ttl => 60,
		records => [ { ip => "192.0.2.$n" } ] } } });
}

# the second zone is asked for in vain, as long as there is a file

$t->write_file('hold', '');

my $hold = $t->testdir() . '/hold';

redis_fake($t, listen => 8981, to => $r, answer => sub {
	my ($c, $word, @args) = @_;

	$c->{held} = 0 if $word eq 'MULTI';
	$c->{held} = 1 if grep { /z2\.test/ } @args;

	return $word eq 'EXEC' && $c->{held} && -e $hold ? '' : undef;
});

# killing is an alert

$t->todo_alerts();

dns_run($t, stream => <<EOF);
    dns_state_path state;
    dns_redis 127.0.0.1:8981 zone=edge:4m timeout=300ms;
EOF

like(dns_text(dns_wait([ 'www.z1.test', 'A' ], qr/192\.0\.2\.1$/m)),
	qr/192\.0\.2\.1$/m, 'the first zone');
like(dns_text(dns_ask('www.z2.test', 'A')), qr/^SERVFAIL/, 'not ready');

my ($pid) = map { /(\d+)#/ } dns_error_log($t, qr/dns control process/);

kill 'KILL', $pid;

for (1 .. 100) {
	last if dns_error_log($t, qr/writing published zones/) > 1;
	sleep 0.1;
}

sleep 0.1;

like(dns_text(dns_ask('www.z1.test', 'A')), qr/192\.0\.2\.1$/m,
	'the first zone stays');
like(dns_text(dns_ask('www.z2.test', 'A')), qr/^SERVFAIL/,
	'not ready for the next process');

unlink $hold;

like(dns_text(dns_wait([ 'www.z2.test', 'A' ], qr/192\.0\.2\.2$/m)),
	qr/192\.0\.2\.2$/m, 'the second zone');
like(dns_text(dns_ask('www.z3.test', 'A')), qr/^REFUSED/, 'ready');

###############################################################################
