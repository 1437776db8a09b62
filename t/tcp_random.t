#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for random messages over TCP, cut at random places: whatever comes between
# them, good queries are answered, in order.  SEED repeats a run.

###############################################################################

use warnings;
use strict;

use Test::More;

use POSIX qw//;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(4);

my $seed = $ENV{SEED} // int rand 1_000_000_000;

srand $seed;
note("SEED=$seed");

dns_run($t, zones => { 'z1.test' => zone_z1() }, server => <<'EOF');
        dns_tcp_max_queries  7;
        dns_tcp_max_unsent   3k;
EOF

my @good = map { [ split ] } ('www.z1.test A', 'www.z1.test AAAA',
	'big.z1.test TXT', 'nope.z1.test A', 'x.wild.z1.test TXT',
	'sub.z1.test A', 'example.org A', 'alias.z1.test A');

my %answers = map { ("@$_", text(dns_ask(@$_, over => 'tcp'))) } @good;

###############################################################################

my ($asked, $right, $order, $closed) = (0, 0, 0, 0);

for (1 .. 80) {
	my $c = dns_client(proto => 'tcp');
	my (@expected, $data);

	for my $id (1 .. 1 + int rand 60) {

		if (rand() < 0.6) {
			my $question = $good[rand @good];

			$data .= dns_frame(dns_query(@$question, id => $id));
			push @expected, [ $id, "@$question" ];
			next;
		}

		$data .= dns_frame(garbage());
	}

	$asked += @expected;

	my $pid = fork() // die "fork: $!\n";

	if (!$pid) {
		pieces($c, $data);
		POSIX::_exit(0);
	}

	# replies to garbage have an ID from 1000 on

	my @ids;

	while (defined(my $reply = $c->recv())) {
		my $id = unpack 'n', $reply;

		next if $id >= 1000;

		push @ids, $id;
		my ($e) = grep { $_->[0] == $id } @expected;
		$right++ if $e && text($reply) eq $answers{$e->[1]};
	}

	waitpid $pid, 0;

	$order++ if "@ids" eq join ' ', map { $_->[0] } @expected;
	$closed++ if $c->{eof};
}

is($right, $asked, 'answers');
is($order, 80, 'order');
is($closed, 80, 'closed after half-close');

is(length(dns_ask('www.z1.test', 'A', over => 'tcp') // ''), 45, 'good query');


# A message of 12 octets or more that is not a good query: noise, or a query
# with some octets changed.

sub garbage {
	my $message = rand() < 0.5
		? join '', map { chr rand 256 } 1 .. 11 + 2 ** rand 14
		: dns_query(@{ $good[rand @good] }, edns => 1232);

	for (1 .. 1 + rand 5) {
		substr($message, 2 + rand(length($message) - 2), 1) = chr rand 256;
	}

	substr($message, 0, 2) = pack 'n', 1000 + rand 60_000;

	return $message;
}


# Sends in pieces of random lengths, and half-closes.

sub pieces {
	my ($c, $data) = @_;

	while (length $data) {
		$c->write(substr $data, 0, 1 + 2 ** rand 12, '');
		select undef, undef, undef, 0.002 if rand() < 0.2;
	}

	$c->half_close();
}


# The reply without its ID.

sub text {
	my ($reply) = @_;

	substr($reply, 0, 2) = "\0\0";
	return unpack 'H*', $reply;
}

###############################################################################
