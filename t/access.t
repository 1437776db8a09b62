#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for what runs before an answer over UDP: allow and deny for both
# families, set, and what is said of a client that is denied.

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

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)
	->has(qw/stream_access stream_set stream_map/)->plan(33)
	->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;
worker_processes 1;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    error_log  %%TESTDIR%%/stream.log  error;

    log_format  test  "$remote_addr $status $bytes_sent $dns_qname "
                      "$dns_rcode $number $copy";

    map $remote_addr $number {
        127.0.0.2  two;
        default    other;
    }

    server {
        listen [::1]:%%PORT_8981_UDP%% udp;
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;

        set $copy "$remote_addr:$number";

        deny 127.0.0.2;
        allow 127.0.0.0/8;
        allow ::1;
        deny all;

        access_log %%TESTDIR%%/access.log test;
    }

    # rules for one family only, no log

    server {
        listen [::1]:%%PORT_8982_UDP%% udp;
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        deny ::1;
    }

    server {
        listen [::1]:%%PORT_8983_UDP%% udp;
        listen 127.0.0.1:%%PORT_8983_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        deny 127.0.0.0/8;
    }

    server {
        listen [::1]:%%PORT_8984_UDP%% udp;
        listen 127.0.0.1:%%PORT_8984_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone z1.test z1.test.zone;
        deny 127.0.0.2;
        access_log %%TESTDIR%%/session.log test;
    }

    # mapped addresses are those of IPv4

    server {
        listen [::]:%%PORT_8985_UDP%% udp ipv6only=off;
        dns on;
        dns_zone z1.test z1.test.zone;
        deny 127.0.0.2;
    }

    # rules of the level above

    server {
        listen 127.0.0.1:%%PORT_8986_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:%%PORT_8988_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        deny all;
        error_log %%TESTDIR%%/info.log info;
    }

    server {
        listen 127.0.0.1:8987;
        return "$dns_counter_received_udp $dns_counter_drop_denied";
    }

    deny 127.0.0.3;
}

EOC

$t->write_file('z1.test.zone', zone_z1());

plan(skip_all => 'no IPv6') unless ipv6();

$t->run();

###############################################################################

is(ask(8981, '127.0.0.1'), 'NOERROR', 'allowed');
is(ask(8981, '127.0.0.2'), undef, 'denied');
is(ask(8981, '127.0.0.3'), 'NOERROR', 'allowed by network');
is(ask(8981, '::1'), 'NOERROR', 'allowed IPv6');

is(ask(8982, '127.0.0.1'), 'NOERROR', 'rule for IPv6 allows IPv4');
is(ask(8982, '::1'), undef, 'rule for IPv6 denies');
is(ask(8983, '127.0.0.1'), undef, 'rule for IPv4 denies');
is(ask(8983, '::1'), 'NOERROR', 'rule for IPv4 allows IPv6');

is(ask(8984, '127.0.0.1'), 'NOERROR', 'session allowed');
is(ask(8984, '127.0.0.2'), undef, 'session denied');

is(ask(8985, '127.0.0.1'), 'NOERROR', 'mapped allowed');
is(ask(8985, '127.0.0.2'), undef, 'mapped denied');
is(ask(8985, '::1'), 'NOERROR', 'beside mapped allowed');

is(ask(8986, '127.0.0.1'), 'NOERROR', 'inherited allowed');
is(ask(8986, '127.0.0.3'), undef, 'inherited denied');

# a denied query has a line of its own

my @log = dns_log($t, 'access.log', 4);

is($log[0], '127.0.0.1 200 45 www.z1.test. NOERROR other 127.0.0.1:other',
	'log allowed');
is($log[1], '127.0.0.2 403 0 www.z1.test. - two 127.0.0.2:two',
	'log denied');
is($log[2], '127.0.0.3 200 45 www.z1.test. NOERROR other 127.0.0.3:other',
	'log allowed after denied');
is($log[3], '::1 200 45 www.z1.test. NOERROR other ::1:other',
	'log IPv6');

@log = dns_log($t, 'session.log', 2);

like($log[0], qr/^127\.0\.0\.1 200 45 www\.z1\.test\. NOERROR other/,
	'session log allowed');
like($log[1], qr/^127\.0\.0\.2 403 0 - - two/, 'session log denied');

# counters

my ($received, $denied) = counters();

is($denied, 5, 'denied');

# one batch of both kinds

my ($good, $bad) = map { client(8981, $_) } qw/ 127.0.0.1 127.0.0.2 /;

for my $i (1 .. 30) {
	$bad->send(dns_query('www.z1.test', 'A', id => $i));
	$good->send(dns_query('www.z1.test', 'A', id => $i));
}

is(scalar $good->recv_n(30), 30, 'allowed among denied');
is($bad->recv(timeout => 0.2), undef, 'denied among allowed');

my ($received2, $denied2) = counters();

is($denied2 - $denied, 30, 'denied counted');
is($received2 - $received, 60, 'received counted');

# a flood of denied queries does not fill the error log

my $n = () = $t->read_file('stream.log') =~ /access forbidden/g;

cmp_ok($n, '>=', 5, 'error log has denied clients');
cmp_ok($n, '<', 15, 'error log does not have all of them');

# with more in the log no more of them

$bad = client(8988, '127.0.0.1');
$bad->send(map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 200);

is($bad->recv(timeout => 0.5), undef, 'all are denied');

$n = () = $t->read_file('info.log') =~ /access forbidden/g;

ok($n >= 1 && $n <= 2, 'a line in a second with level info');

like($t->read_file('stream.log'), qr/access forbidden by rule while answering/,
	'error log says what');
like($t->read_file('stream.log'), qr/, udp client: 127\.0\.0\.2, server: \S+,/,
	'error log says who');
like($t->read_file('stream.log'), qr/, question: "www\.z1\.test\. A"/,
	'error log has the question');

###############################################################################

sub client {
	my ($n, $from) = @_;

	return dns_client(
		addr => $from =~ /:/ ? '::1' : '127.0.0.1',
		from => $from,
		port => port($n, udp => 1),
		timeout => 2,
	);
}


sub ask {
	my ($n, $from) = @_;

	my $c = client($n, $from);

	$c->send(dns_query('www.z1.test', 'A'));

	my $reply = $c->recv(timeout => 0.5);

	return defined $reply ? dns_parse($reply)->{rcode} : undef;
}


sub counters {
	return split / /, stream('127.0.0.1:' . port(8987))->read();
}


sub ipv6 {
	require IO::Socket::IP;

	return IO::Socket::IP->new(LocalHost => '::1', LocalPort => 0,
		Proto => 'udp', Type => Socket::SOCK_DGRAM());
}

###############################################################################
