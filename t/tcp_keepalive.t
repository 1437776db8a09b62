#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for EDNS keepalive over TCP, RFC 7828.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(8);

dns_run($t, zones => { 'z1.test' => zone_z1() }, conf => <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    dns_zone  z1.test z1.test.zone;

    server {
        listen  127.0.0.1:%%PORT_8980_UDP%% udp;
        listen  127.0.0.1:%%PORT_8980_UDP%%;
        dns     on;
    }

    server {
        listen  127.0.0.1:8081;
        dns     on;

        dns_tcp_idle_timeout  2500ms;
    }

    server {
        listen  127.0.0.1:8082;
        dns     on;

        dns_tcp_idle_timeout  1d;
    }
}
EOS

# the options of a reply as code=hex

sub options {
	my ($reply) = @_;

	my $m = dns_parse($reply);

	return 'no OPT' unless $m->{opt};
	return join ' ', map { "$_->[0]=" . unpack 'H*', $_->[1] }
		@{ $m->{opt}{options} };
}

sub ask {
	my ($options, %o) = @_;

	return options(dns_ask('www.z1.test', 'A', over => 'tcp',
		options => $options, %o));
}

###############################################################################

is(ask([ [ 11, '' ] ]), '11=0064', 'the default, 10 s');
is(ask([]), '', 'not asked for');
is(options(dns_ask('www.z1.test', 'A', over => 'tcp')), 'no OPT', 'no EDNS');
is(ask([ [ 11, '' ] ], port => port(8081)), '11=0019', '2500 ms');
is(ask([ [ 11, '' ] ], port => port(8082)), '11=ffff', 'longer than it can be');

# a client must not send a time (RFC 7828, 3.2.1), but may be old

is(ask([ [ 11, "\0\1" ] ]), '11=0064', 'client that sends a time');

# UDP: to be ignored

is(ask([ [ 11, '' ] ], over => 'udp'), '', 'UDP');

# errors have it too

is(options(dns_ask('example.org', 'A', over => 'tcp',
	options => [ [ 11, '' ] ])) =~ /11=0064/, 1, 'refused');

###############################################################################
