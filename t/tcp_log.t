#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the log of queries over TCP: a line for each message, with what is
# of this message, and none for the connection.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::Stream qw/ stream /;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp stream_set stream_map stream_geo/)
	->plan(19);

dns_run($t, zones => { 'z1.test' => zone_z1() }, stream => <<'EOS',
    log_format  dns  "$dns_transport $dns_qname $dns_qtype $dns_rcode $status";
    log_format  size "$dns_id $bytes_received $bytes_sent $dns_answer_size";
    log_format  time "$session_time $connection $remote_port $protocol";
    log_format  map  "$short $geo $early";

    map  $dns_qname $short {
        ~^(?<first>[^.]*)\.  $first;
        default          none;
    }

    geo  $geo {
        default       other;
        127.0.0.0/24  local;
    }

    log_format  addr "$server_addr $dns_qname $server_port";

    server {
        listen      *:%%PORT_8982%%;
        dns         on;
        dns_zone    z1.test z1.test.zone;
        dns_nsid    "$server_addr";
        access_log  %%TESTDIR%%/addr.log addr;
    }

    server {
        listen      127.0.0.1:8081;
        access_log  off;
        return      "$dns_counter_received_tcp";
    }
EOS
	server => <<'EOS');
        # before the first message, which is nothing to the map afterwards

        set         $early "$remote_addr:$short";

        access_log  %%TESTDIR%%/dns.log dns;
        access_log  %%TESTDIR%%/size.log size;
        access_log  %%TESTDIR%%/time.log time;
        access_log  %%TESTDIR%%/map.log map;
EOS

my $www = dns_query('www.z1.test', 'A', id => 1);

###############################################################################

my $c = dns_client(proto => 'tcp');
my $from = $c->socket()->sockport();

$c->send($www, dns_query('nope.z1.test', 'AAAA', id => 2));
$c->recv_n(2);

sleep(0.3);

my $last = dns_frame(dns_query('big.z1.test', 'TXT', id => 3));

$c->write(substr $last, 0, 7);
sleep(0.4);
$c->write(substr $last, 7);

my $big = length $c->recv();

# a response, and the end

$c->send(dns_query('www.z1.test', 'A', id => 4, qr => 1));
$c->send('short');
$c->closed();

my @lines = dns_log($t, 'dns.log', 5);

is($lines[0], 'tcp www.z1.test. A NOERROR 200', 'first');
is($lines[1], 'tcp nope.z1.test. AAAA NXDOMAIN 200', 'second');
is($lines[2], 'tcp big.z1.test. TXT NOERROR 200', 'third');
like($lines[3], qr/^tcp (www\.z1\.test\. A|- -|  ) ?-? 400$/, 'response');
like($lines[4], qr/^tcp .* 400$/, 'too short');

my @size = dns_log($t, 'size.log', 5);

is($size[0], '1 ' . (2 + length $www) . ' 47 45', 'octets of the first');
is($size[2], '3 ' . length($last) . ' ' . ($big + 2) . " $big",
	'octets of the third');
like($size[4], qr/ 7 0 -?$/, 'octets of the last');

my @time = map { [ split ] } dns_log($t, 'time.log', 5);

is($time[2][1], $time[0][1], 'one connection');
is($time[2][2], $from, 'port');
is($time[2][3], 'TCP', 'protocol');
cmp_ok($time[0][0], '<', 0.2, 'time of the first');
ok($time[2][0] > 0.35 && $time[2][0] < 0.7, 'time of the third');

is(join(',', (dns_log($t, 'map.log', 5))[0 .. 2]),
	join(',', map { "$_ local 127.0.0.1:none" } qw/ www nope big /),
	'variables for each message');

# the address that was asked, of a socket that has none

$c = dns_client(proto => 'tcp', addr => '127.0.0.3', port => port(8982));
$c->send(map { dns_query('www.z1.test', 'A', nsid => 1) } 1 .. 5);

my @nsid = map { map { $_->[1] } @{ dns_parse($_)->{opt}{options} } }
	$c->recv_n(5);

is("@nsid", '127.0.0.3 ' x 4 . '127.0.0.3', 'nsid with the server address');

is(join(',', dns_log($t, 'addr.log', 5)),
	join(',', ('127.0.0.3 www.z1.test. ' . port(8982)) x 5),
	'server address for each message');

# a connection without a message has the line of the connection

$c = dns_client(proto => 'tcp');
$c->half_close();
$c->closed();

@lines = dns_log($t, 'dns.log', 6);

like($lines[5], qr/^tcp .* 200$/, 'connection without a message');

# many messages, one line for each

$c = dns_client(proto => 'tcp');
$c->send(($www) x 1000);
$c->half_close();
$c->recv_n(1000);
$c->closed();

sleep(0.3);
@lines = dns_log($t, 'dns.log', 1006);

is(scalar @lines, 1006, 'a line for each message');
is(scalar(grep { $_ eq 'tcp www.z1.test. A NOERROR 200' } @lines), 1001,
	'the same lines');

###############################################################################
