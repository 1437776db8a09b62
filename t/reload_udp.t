#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for reloads under load: no query over UDP is lost (case N03; t/long
# and bench have the large version of it).

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Stream qw/ stream /;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @modes = (
	[ 'shared', 2, '' ],
	[ 'reuseport', 2, 'reuseport' ],
	[ 'reuseport, one worker', 1, 'reuseport' ],
);

plan(tests => 5 * @modes);

run(@$_) for @modes;

###############################################################################

sub run {
	my ($name, $workers, $listen) = @_;

	my $t = Test::Nginx->new()->has(qw/stream udp stream_return/)
		->write_file_expand('nginx.conf', <<EOC);

%%TEST_GLOBALS%%

daemon off;
worker_processes $workers;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    error_log  %%TESTDIR%%/stream.log  info;

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp rcvbuf=2m $listen;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:8982;
        return "\$dns_counter_received_udp \$dns_counter_rcode_noerror";
    }
}

EOC

	$t->write_file('z1.test.zone', zone_z1());
	$t->run();

	# 16 clients, each with one query outstanding

	my @clients = map { dns_client(port => port(8981, udp => 1)) } 1 .. 16;
	my ($sent, $got, $reloads) = (0, 0, 0);
	my $end = time() + 4;
	my $next = time() + 0.3;

	while (time() < $end) {

		$_->send(dns_query('www.z1.test', 'A', id => ++$sent & 0xffff))
			for @clients;

		for my $c (@clients) {
			$got++ if defined $c->recv(timeout => 1);
		}

		if (time() > $next && $reloads < 8) {
			$t->reload();
			$reloads++;
			$next = time() + 0.4;
		}
	}

	is($got, $sent, "$name: answers");
	is($reloads, 8, "$name: reloads");

	# counters go on over reloads

	is(stream('127.0.0.1:' . port(8982))->read(), "$sent $sent",
		"$name: counters");
}

###############################################################################
