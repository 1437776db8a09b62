#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for UDP while connections of other servers use up the descriptors of
# the process: nginx stops listening for half a second at a time, on all
# sockets, but we have to go on.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use IO::Socket::INET;
use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @modes = ([ 'shared', '' ], [ 'reuseport', 'reuseport' ]);

plan(tests => 7 * @modes);

run(@$_) for @modes;

###############################################################################

sub run {
	my ($name, $listen) = @_;

	my $t = Test::Nginx->new()->has(qw/http stream udp stream_return/)
		->write_file_expand('nginx.conf', <<EOC);

%%TEST_GLOBALS%%

daemon off;
worker_processes 1;
worker_rlimit_nofile 64;

events {
    worker_connections 512;
}

http {
    %%TEST_GLOBALS_HTTP%%

    server {
        listen 127.0.0.1:8080;
        keepalive_timeout 60s;
    }
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp $listen;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:8982;
        return \$dns_counter_reenabled;
    }
}

EOC

	$t->write_file('z1.test.zone', zone_z1());
	$t->run();

	my $c = dns_client(port => port(8981, udp => 1));

	is(lost($c, 50), 0, "$name: before");

	my @idle;

	for (1 .. 120) {
		my $s = IO::Socket::INET->new(Proto => 'tcp', Blocking => 0,
			PeerAddr => '127.0.0.1:' . port(8080)) or last;

		push @idle, $s;
	}

	sleep 0.2;

	like($t->read_file('error.log'), qr/accept4?\(\) failed \(24:/,
		"$name: no descriptors");

	# for longer than nginx stops listening

	my $worst = 0;

	is(lost($c, 1000, \$worst), 0, "$name: meanwhile");
	cmp_ok($worst, '<', 0.25, "$name: worst time") or diag $worst;

	# nginx closes its sockets with that timer still set, if it is told to quit
	# before half a second has passed

	@idle = ();
	sleep 0.8;

	is(lost($c, 50), 0, "$name: after");
}


# Asks n times, one after the other, two milliseconds apart.

sub lost {
	my ($c, $n, $worst) = @_;

	my $lost = 0;

	for my $i (1 .. $n) {
		my $start = time();

		$c->send(dns_query('www.z1.test', 'A', id => $i));

		my $reply = $c->recv(timeout => 2);
		my $took = time() - $start;

		$lost++ unless defined $reply;
		$$worst = $took if $worst && $took > $$worst;

		sleep 0.002;
	}

	return $lost;
}

###############################################################################
