#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the PROXY protocol, case N09: the address of the header is that of
# the client, a missing or broken header closes the connection, UDP has none.

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

my $t = Test::Nginx->new()->has(qw/stream stream_realip udp/)->plan(22);

dns_run($t, zones => { 'z1.test' => zone_z1() }, conf => <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format  dns  "$remote_addr $remote_port $proxy_protocol_addr $geo $dns_qname $bytes_received";

    dns_zone  z1.test z1.test.zone;

    geo  $geo {
        default       other;
        192.0.2.0/24  doc;
    }

    server {
        listen  127.0.0.1:%%PORT_8980_UDP%% udp;
        listen  127.0.0.1:%%PORT_8980_UDP%% proxy_protocol;
        dns     on;

        set_real_ip_from  127.0.0.1;

        deny   192.0.2.66;
        allow  all;

        proxy_protocol_timeout  700ms;

        access_log  %%TESTDIR%%/dns.log dns buffer=64k flush=100ms;
    }
}
EOS

my $query = dns_query('www.z1.test', 'A');
my $frame = dns_frame($query);

sub v1 {
	my ($from) = @_;
	return "PROXY TCP4 $from 192.0.2.7 4321 53\r\n";
}

sub v2 {
	my ($command, $family, $data) = @_;

	return "\r\n\r\n\0\r\nQUIT\n" . pack 'C C n/a*', 0x20 | $command,
		$family, $data;
}

# the reply, or what is wrong

sub get {
	my ($data, @more) = @_;

	my $c = dns_client(proto => 'tcp');
	$c->write($data);

	for (@more) {
		select undef, undef, undef, 0.1;
		$c->write($_);
	}

	my $reply = $c->recv(timeout => 2);

	return defined $reply ? dns_parse($reply)->{rcode}
		: $c->closed(timeout => 0) ? 'closed' : 'nothing';
}

###############################################################################

# with the header in the same segment as a query, and split anywhere

is(get(v1('192.0.2.1') . $frame), 'NOERROR', 'v1');
is(get(v1('192.0.2.2'), $frame), 'NOERROR', 'v1 and query apart');
is(get(v1('192.0.2.3') . substr($frame, 0, 1), substr($frame, 1)), 'NOERROR',
	'v1 and half a length');
is(get("PROXY UNKNOWN\r\n$frame"), 'NOERROR', 'v1 unknown');
is(get("PROXY TCP6 2001:db8::1 2001:db8::2 4321 53\r\n$frame"), 'NOERROR',
	'v1 IPv6');
is(get(v2(1, 0x11, "\xc0\0\2\4\xc0\0\2\7" . pack('n n', 4321, 53)) . $frame),
	'NOERROR', 'v2');
is(get(v2(0, 0, '') . $frame), 'NOERROR', 'v2 local');

# access by the address in the header

is(get(v1('192.0.2.66') . $frame), 'closed', 'denied');
is(get(v2(1, 0x11, "\xc0\0\2\x42\xc0\0\2\7" . pack('n n', 4321, 53))
	. $frame), 'closed', 'denied, v2');

# missing, broken

is(get($frame), 'closed', 'no header');
is(get("PROXY TCP4 192.0.2.1 x\r\n$frame"), 'closed', 'broken v1');
is(get("PROXY\r\n$frame"), 'closed', 'short v1');
is(get('PROXY TCP4 192.0.2.1 192.0.2.7 4321 53' . 'x' x 100), 'closed',
	'long v1');
is(get(v2(1, 0x11, 'abc') . $frame), 'closed', 'broken v2');
is(get(''), 'closed', 'nothing but a connection');

# UDP has none

is(dns_parse(dns_ask('www.z1.test', 'A'))->{rcode}, 'NOERROR', 'UDP');

# logged

my @lines = grep { / www\.z1\.test\. / } dns_log($t, 'dns.log', 8);
my $len = length $frame;

is($lines[0], "192.0.2.1 4321 192.0.2.1 doc www.z1.test. $len", 'log v1');
like($lines[3], qr/^127\.0\.0\.1 \d+ -? ?other www\.z1\.test\. $len$/,
	'log unknown');
is($lines[4], "2001:db8::1 4321 2001:db8::1 other www.z1.test. $len",
	'log IPv6');
is($lines[5], "192.0.2.4 4321 192.0.2.4 doc www.z1.test. $len", 'log v2');
is(scalar(grep { /192\.0\.2\.66/ } @lines), 0, 'log denied');

# a configuration that asks for it on UDP

$t->write_file_expand('bad.conf', <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen    127.0.0.1:%%PORT_8980_UDP%% udp proxy_protocol;
        dns       on;
        dns_zone  z1.test z1.test.zone;
    }
}
EOS

my $dir = $t->testdir();
my $out = `$ENV{TEST_NGINX_BINARY} -p $dir/ -c bad.conf -t 2>&1`;

like($out, qr/\[emerg\].*proxy_protocol/, 'udp with proxy_protocol');

###############################################################################
