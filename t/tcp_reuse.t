#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for clients that come when connections have run out: those that have
# done nothing for the longest time have to go.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(9);

dns_run($t, zones => { 'z1.test' => zone_z1() }, tcp => 'sndbuf=16k',
	events => 'worker_connections 64;');

my $query = dns_query('www.z1.test', 'A');

sub good {
	my ($c) = @_;

	$c->send($query);
	return length($c->recv(timeout => 2) // '') == 45;
}

sub gone {
	return scalar grep { $_->closed(timeout => 0) } @_;
}

###############################################################################

# idle connections

my @idle = map { dns_client(proto => 'tcp') } 1 .. 100;

is(good(dns_client(proto => 'tcp')), 1, 'idle, new client');
cmp_ok(gone(@idle[0 .. 29]), '==', 30, 'idle, the oldest have gone');
cmp_ok(gone(@idle[90 .. 99]), '==', 0, 'idle, the newest have not');

undef @idle;

# messages that do not end

my @slow = map { dns_client(proto => 'tcp') } 1 .. 100;
$_->write("\0\x1d") for @slow;

is(good(dns_client(proto => 'tcp')), 1, 'slow, new client');

undef @slow;

# one that is in use stays; each of the others asks once

my $used = dns_client(proto => 'tcp');
my $n = 0;
my $others = 0;

for (1 .. 200) {
	push @slow, dns_client(proto => 'tcp');
	$slow[-1]->write("\0");

	$n++ if good($used);
	$others++ if $_ % 10 == 0 && good(dns_client(proto => 'tcp'));
}

is($n, 200, 'connection in use');
is($others, 20, 'new connections');

undef @slow;

# clients that do not read

my $big = dns_query('big.z1.test', 'TXT');
my @deaf;

for (1 .. 100) {
	push @deaf, dns_client(proto => 'tcp', rcvbuf => 4096);
	$deaf[-1]->send(($big) x 30);
}

is(good(dns_client(proto => 'tcp')), 1, 'clients that do not read');

undef @deaf;

# UDP needs none

@slow = map { dns_client(proto => 'tcp') } 1 .. 100;

is(scalar(grep { defined dns_ask('www.z1.test', 'A') } 1 .. 50), 50, 'UDP');

undef @slow;

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45,
	'good query');

###############################################################################
