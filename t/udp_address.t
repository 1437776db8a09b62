#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for UDP sockets and addresses: the reply comes from the address that
# was asked (case N02), several addresses on one port, mapped addresses.

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

plan(skip_all => 'no 127.0.0.2') unless local_address('127.0.0.2');
plan(skip_all => 'no IPv6') unless local_address('::1');

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(29)
	->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format  addr  "$server_addr $server_port $remote_addr";

    # the wildcard and two more specific servers on one socket

    server {
        listen %%PORT_8981_UDP%% udp;
        dns on;
        dns_zone a.test wild.zone;
        access_log %%TESTDIR%%/wild.log addr;
    }

    server {
        listen 127.0.0.2:%%PORT_8981_UDP%% udp;
        listen 127.0.0.3:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone a.test two.zone;
        access_log %%TESTDIR%%/two.log addr;
    }

    # the same with sessions of nginx's own

    server {
        listen %%PORT_8982_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone a.test wild.zone;
    }

    server {
        listen 127.0.0.2:%%PORT_8982_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone a.test two.zone;
    }

    # IPv6

    server {
        listen [::]:%%PORT_8983_UDP%% udp ipv6only=on;
        dns on;
        dns_zone a.test wild.zone;
        access_log %%TESTDIR%%/wild6.log addr;
    }

    server {
        listen [::1]:%%PORT_8983_UDP%% udp;
        dns on;
        dns_zone a.test two.zone;
    }

    # IPv4 over a socket for both

    server {
        listen [::]:%%PORT_8984_UDP%% udp ipv6only=off;
        dns on;
        dns_zone a.test wild.zone;
        access_log %%TESTDIR%%/mapped.log addr;
    }

    # two sockets of one address each

    server {
        listen 127.0.0.1:%%PORT_8985_UDP%% udp;
        dns on;
        dns_zone a.test wild.zone;
    }

    server {
        listen 127.0.0.2:%%PORT_8985_UDP%% udp;
        dns on;
        dns_zone a.test two.zone;
    }
}

EOC

$t->write_file('wild.zone', zone_text('a.test', "\@\tTXT\t\"wild\"\n"));
$t->write_file('two.zone', zone_text('a.test', "\@\tTXT\t\"two\"\n"));

$t->run();

###############################################################################

# the sockets of clients are connected: they see no reply from elsewhere

for my $path ([ 8981, 'batch' ], [ 8982, 'session' ]) {
	my ($n, $name) = @$path;

	is(ask($n, '127.0.0.1'), 'wild', "$name wildcard");
	is(ask($n, '127.1.2.3'), 'wild', "$name wildcard other address");
	is(ask($n, '127.255.255.254'), 'wild', "$name wildcard last address");
	is(ask($n, '127.0.0.2'), 'two', "$name specific address");
}

is(ask(8981, '127.0.0.3'), 'two', 'second specific address');

# from another address of ours than the one that is asked

is(ask(8981, '127.0.0.2', from => '127.9.9.9'), 'two', 'from elsewhere');
is(ask(8981, '127.9.9.9', from => '127.0.0.2'), 'wild', 'to elsewhere');

is(ask(8983, '::1'), 'two', 'IPv6 specific address');
is(ask(8984, '::1'), 'wild', 'IPv6 wildcard');
is(ask(8984, '127.0.0.1'), 'wild', 'mapped address');
is(ask(8984, '127.3.2.1'), 'wild', 'mapped other address');

is(ask(8985, '127.0.0.1'), 'wild', 'first socket');
is(ask(8985, '127.0.0.2'), 'two', 'second socket');

# link-local addresses mean nothing without their interface

SKIP: {
my ($link, $scope) = link_local();
skip 'no link-local address', 2 unless defined $link;

is(ask(8984, "$link%$scope"), 'wild', 'link-local wildcard');
is(ask(8983, "$link%$scope"), 'wild', 'link-local beside specific');
}

# many at once, for different addresses, in one batch

my @clients = map { client(8981, "127.0.0.$_") } (1 .. 8);

for my $i (1 .. 16) {
	$_->send(dns_query('a.test', 'TXT', id => $i)) for @clients;
}

my @got = map { my $c = $_; scalar $c->recv_n(16) } @clients;

is("@got", join(' ', (16) x 8), 'batch of addresses');

is(ask(8981, '127.0.0.1'), 'wild', 'after the batch');

# what the log says of addresses

my @wild = dns_log($t, 'wild.log', 5);
my @two = dns_log($t, 'two.log', 3);

my $p = port(8981, udp => 1);

is($wild[0], "127.0.0.1 $p 127.0.0.1", 'log wildcard');
is($wild[1], "127.1.2.3 $p 127.0.0.1", 'log other address') or diag "@wild";
is($two[0], "127.0.0.2 $p 127.0.0.1", 'log specific address');
is($two[1], "127.0.0.3 $p 127.0.0.1", 'log second address');
is($two[2], "127.0.0.2 $p 127.9.9.9", 'log client elsewhere');

my @mapped = dns_log($t, 'mapped.log', 3);

$p = port(8984, udp => 1);

is($mapped[0], "::1 $p ::1", 'log IPv6');
is($mapped[1], "::ffff:127.0.0.1 $p ::ffff:127.0.0.1", 'log mapped');
is($mapped[2], "::ffff:127.3.2.1 $p ::ffff:127.0.0.1",
	'log mapped other address');

###############################################################################

sub client {
	my ($n, $addr, %opts) = @_;

	return dns_client(addr => $addr, port => port($n, udp => 1), %opts);
}


sub ask {
	my ($n, $addr, %opts) = @_;

	my $c = client($n, $addr, timeout => 3, %opts);

	$c->send(dns_query('a.test', 'TXT'));

	my $reply = $c->recv();

	return undef unless defined $reply;
	return dns_text($reply) =~ /TXT "(\w+)"/ ? $1 : dns_text($reply);
}


sub local_address {
	my ($addr) = @_;

	require IO::Socket::IP;

	return IO::Socket::IP->new(LocalHost => $addr, LocalPort => 0,
		Proto => 'udp', Type => Socket::SOCK_DGRAM());
}


sub link_local {
	for my $line (split /\n/, `ip -6 -o addr show scope link 2>/dev/null`) {
		return ($2, $1) if $line =~ m{^\d+: (\S+) +inet6 (fe80:\S+)/};
	}

	return;
}

###############################################################################
