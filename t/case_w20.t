#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for slow and idle TCP clients: a message has a deadline from its first
# octet on, replies that are not read have one too, and others are served all
# the while, case W20.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(18);

dns_run($t, zones => { 'z1.test' => zone_z1() }, counters => 1,
	server => <<'EOF');
        dns_tcp_timeout       2s;
        dns_tcp_idle_timeout  1s;
        dns_tcp_send_timeout  2s;
EOF

my $answer = <<'EOF';
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

my $query = dns_query('www.z1.test', 'A');

###############################################################################

# 200 clients that send an octet now and then

my @slow = map { dns_client(proto => 'tcp') } 1 .. 200;
my $normal = dns_client(proto => 'tcp');
my $start = time();
my ($asked, $good, $longest) = (0, 0, 0);
my $data = dns_frame($query);

for my $i (0 .. length($data) - 2) {

	for my $client (@slow) {
		next if $client->{gone};
		$client->write(substr $data, $i, 1);
	}

	my $until = time() + 0.3;

	while (time() < $until) {
		my $now = time();

		$asked += 2;
		$normal->send($query);
		$good++ if dns_text($normal->recv()) eq dns_canon($answer);
		$good++ if dns_text(dns_send($query)) eq dns_canon($answer);

		$longest = time() - $now if time() - $now > $longest;
		sleep(0.02);
	}

	for my $client (@slow) {
		next if $client->{gone};

		if ($client->closed(timeout => 0)) {
			$client->{gone} = time() - $start;
		}
	}

	last unless grep { !$_->{gone} } @slow;
	last if time() - $start > 10;
}

is(scalar(grep { !$_->{gone} } @slow), 0, 'W20 slow clients are gone');

my ($early) = sort { $a <=> $b } map { $_->{gone} // 99 } @slow;

cmp_ok($early, '>', 1.5, 'W20 not before the deadline');
cmp_ok(time() - $start, '<', 8, 'W20 soon after it');
cmp_ok($asked, '>', 50, 'W20 others have asked');
is($good, $asked, 'W20 others have been served');
cmp_ok($longest, '<', 1, 'W20 others have not waited');

is(dns_counters()->{tcp_active}, 1, 'W20 open connections');

# idle: without a message, and after one

my $idle = dns_client(proto => 'tcp');
is($idle->closed(timeout => 4), 1, 'W20 idle');

my $after = dns_client(proto => 'tcp');
$after->send($query);
dns_is($after->recv(), $answer, 'W20 query before idling');

$start = time();
is($after->closed(timeout => 4), 1, 'W20 idle after a query');
cmp_ok(time() - $start, '>', 0.7, 'W20 not before the idle time');

# a client that asks and never reads

my $rss = rss($t);
my $big = dns_query('big.z1.test', 'TXT');
my $deaf = dns_client(proto => 'tcp', rcvbuf => 4096);
my $batch = dns_frame(($big) x 100);
my $written = 0;

$start = time();

for (1 .. 10_000) {
	my $n = $deaf->write($batch, timeout => 0.2);

	$written += $n;
	last if $n < length $batch;
}

cmp_ok($written, '<', 10_000 * length $batch, 'W20 server stops reading');
cmp_ok(rss($t) - $rss, '<', 4_000_000, 'W20 memory for replies not read');

dns_is(dns_ask('www.z1.test', 'A', over => 'tcp'), $answer,
	'W20 others are served');

sleep(0.1) while time() - $start < 4;

is($deaf->write('x' x 10, timeout => 0.1) && $deaf->write('x', timeout => 0.1),
	0, 'W20 closed by the server');

dns_is(dns_ask('www.z1.test', 'A', over => 'tcp'), $answer,
	'W20 good query');

undef $normal;

my $n = dns_counters();

is($n->{tcp_timeout}, 201, 'W20 deadlines passed');
is($n->{tcp_active}, 0, 'W20 no open connections');


# Resident octets of all workers.

sub rss {
	my ($t) = @_;

	my $master = int $t->read_file('nginx.pid');
	my $sum = 0;

	for my $path (glob '/proc/[0-9]*/status') {
		open my $fh, '<', $path or next;
		my $status = do { local $/; <$fh> };

		next unless defined $status && $status =~ /^PPid:\s+$master$/m;
		$sum += $1 * 1024 if $status =~ /^VmRSS:\s+(\d+)/m;
	}

	return $sum;
}

###############################################################################
