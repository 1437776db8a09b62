#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for access control of TCP clients: allow, deny and limit_conn.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::Stream qw/ stream /;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(9);

dns_run($t, zones => { 'z1.test' => zone_z1() }, conf => <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    dns_zone  z1.test z1.test.zone;

    log_format  limit  "$status $limit_conn_status $dns_qname";

    limit_conn_zone  $binary_remote_addr zone=one:1m;

    server {
        listen  127.0.0.1:%%PORT_8980_UDP%% udp;
        listen  127.0.0.1:%%PORT_8980_UDP%%;
        dns     on;

        allow   127.0.0.1;
        deny    all;
    }

    server {
        listen  127.0.0.1:8082;
        dns     on;

        limit_conn  one 2;

        access_log  %%TESTDIR%%/limit.log limit;
    }

    server {
        listen  127.0.0.1:8081;
        return  "$dns_counter_received_tcp $dns_counter_tcp_accepted";
    }
}
EOS

my $query = dns_query('www.z1.test', 'A');

###############################################################################

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45, 'allowed');

my $c = dns_client(proto => 'tcp', from => '127.0.0.2');
$c->send($query);

is($c->closed(), 1, 'denied');

# connections, not messages

my @c = map { dns_client(proto => 'tcp', port => port(8082)) } 1 .. 2;

for (1 .. 5) {
	$_->send($query) for @c;
}

is(scalar(map { $_->recv_n(5) } @c), 10, 'within the limit');

$c = dns_client(proto => 'tcp', port => port(8082));
$c->send($query);
is($c->closed(), 1, 'over the limit');

(shift @c)->close();

my $reply;

for (1 .. 30) {
	$c = dns_client(proto => 'tcp', port => port(8082));
	$c->send($query);
	$reply = $c->recv();
	last if defined $reply;
	select undef, undef, undef, 0.1;
}

is(length($reply // ''), 45, 'one has gone');

# log

my @lines = dns_log($t, 'limit.log', 12);

is(scalar(grep { $_ eq '200 PASSED www.z1.test.' } @lines), 11, 'log, passed');
is(scalar(grep { /^503 REJECTED -?$/ } @lines) > 0, 1, 'log, rejected');

# what is refused is no message

my ($received, $accepted) = split ' ',
	stream('127.0.0.1:' . port(8081))->read();

is($received, 12, 'messages');
is($accepted, 4, 'connections');

###############################################################################
