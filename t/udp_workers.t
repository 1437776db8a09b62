#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for UDP with one and several workers, shared sockets and reuseport,
# accept_mutex, and a single process: no query is lost (case N08).

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Stream qw/ stream /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @modes = (
	[ 'one worker', 'worker_processes 1;', '', '' ],
	[ 'one worker, reuseport', 'worker_processes 1;', '', 'reuseport' ],
	[ 'four workers', 'worker_processes 4;', '', '' ],
	[ 'four workers, reuseport', 'worker_processes 4;', '', 'reuseport' ],
	[ 'four workers, mutex', 'worker_processes 4;', 'accept_mutex on;', '' ],
	[ 'four workers, mutex, reuseport', 'worker_processes 4;',
		'accept_mutex on;', 'reuseport' ],
	[ 'multi_accept', 'worker_processes 2;', 'multi_accept on;', '' ],
	[ 'no master', 'master_process off;', '', '' ],
);

plan(tests => 7 * @modes);

for my $mode (@modes) {
	run(@$mode);
}

###############################################################################

sub run {
	my ($name, $main, $events, $listen) = @_;

	my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
		->write_file_expand('nginx.conf', <<EOC);

%%TEST_GLOBALS%%

daemon off;
$main

events {
    $events
}

stream {
    %%TEST_GLOBALS_STREAM%%

    error_log  %%TESTDIR%%/stream.log  info;
    log_format pid "\$pid \$dns_qname";

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp $listen;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp $listen;
        dns on;
        dns_zone z1.test z1.test.zone;
        access_log %%TESTDIR%%/access.log pid buffer=64k flush=100ms;
    }

    # no zones

    server {
        listen 127.0.0.1:%%PORT_8983_UDP%% udp $listen;
        dns on;
    }

    server {
        listen 127.0.0.1:8984;
        return "\$dns_counter_received_udp \$dns_counter_rcode_noerror";
    }
}

EOC

	$t->write_file('z1.test.zone', zone_z1());
	$t->run();

	# 64 clients, each with its own port, 20 queries each

	for my $n (8981, 8982) {
		my @clients = map { dns_client(port => port($n, udp => 1)) } 1 .. 64;
		my $got = 0;

		for my $i (1 .. 20) {
			$_->send(dns_query('www.z1.test', 'A', id => $i)) for @clients;

			for my $c (@clients) {
				$got++ if defined $c->recv();
			}
		}

		is($got, 64 * 20, "$name: answers " . ($n == 8981 ? '' : 'logged'));
	}

	my $none = dns_client(port => port(8983, udp => 1));

	$none->send(dns_query('www.z1.test', 'A'));
	is(dns_parse($none->recv())->{rcode}, 'REFUSED', "$name: no zones");

	# counters and logs of all processes

	my ($received, $noerror) =
		split / /, stream('127.0.0.1:' . port(8984))->read();

	is("$received $noerror", '2561 2560', "$name: counters");

	my @lines = dns_log($t, 'access.log', 1280);

	is(scalar @lines, 1280, "$name: log");

	my %pid;
	$pid{$_}++ for map { /^(\d+)/ } @lines;

	diag("$name: " . join ' ', sort { $a <=> $b } values %pid)
		if $ENV{TEST_NGINX_VERBOSE};
}

###############################################################################
