#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for TCP connections over a reload: what has begun is finished by the old
# worker, idle connections are closed.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(17);

my $zone = zone_z1();

dns_run($t, zones => { 'z1.test' => $zone }, tcp => 'sndbuf=16k');

my $query = dns_query('www.z1.test', 'A', options => [ [ 11, '' ] ]);
my $data = dns_frame($query);
my $size = length(dns_ask('big.z1.test', 'TXT', over => 'tcp'));

my @workers = workers($t);

is(scalar @workers, 1, 'one worker');

###############################################################################

my $idle = dns_client(proto => 'tcp');
my $after = dns_client(proto => 'tcp');
$after->send($query);
like(unpack('H*', $after->recv()), qr/000b00020064$/, 'keepalive before');

my $half = dns_client(proto => 'tcp');
$half->write(substr $data, 0, 20);

my $never = dns_client(proto => 'tcp');
$never->write(substr $data, 0, 20);

# some 1.2 MB of replies, of which the kernel takes a part

my $unread = dns_client(proto => 'tcp', rcvbuf => 16384);
$unread->send(map { dns_query('big.z1.test', 'TXT', id => $_) } 1 .. 300);

sleep(0.3);

$zone =~ s/^www\tA\t192\.0\.2\.1$/www\tA\t192.0.2.99/m or die;
$t->write_file('z1.test.zone', $zone);

$t->reload();

my $address = '';

for (1 .. 50) {
	$address = dns_parse(dns_ask('www.z1.test', 'A', over => 'tcp'))
		->{answer}[0]{rdata};
	last if $address eq '192.0.2.99';
	sleep(0.1);
}

is($address, '192.0.2.99', 'new worker');

# idle ones

is($idle->closed(timeout => 1), 1, 'idle connection closed');
is($after->closed(timeout => 1), 1, 'idle connection closed after a query');

# messages that have begun, answered by the worker that has read them

is(kill(0, @workers), 1, 'old worker is there');

$half->write(substr $data, 20);

my $reply = $half->recv();

is(dns_parse($reply)->{answer}[0]{rdata}, '192.0.2.1', 'message finished');
like(unpack('H*', $reply), qr/000b00020000$/, 'keepalive of the end');
is($half->closed(timeout => 1), 1, 'closed after the message');

# replies not read

my @replies = $unread->recv_n(300);

is(join(' ', map { unpack 'n', $_ } @replies), join(' ', 1 .. 300),
	'all replies');
is(scalar(grep { length $_ == $size } @replies), 300, 'whole replies');
is($unread->closed(timeout => 1), 1, 'closed after the replies');

# the message that never ends holds the worker for its time only

is($never->closed(timeout => 6), 1, 'closed after its time');

for (1 .. 50) {
	last unless kill 0, @workers;
	sleep(0.1);
}

is(kill(0, @workers), 0, 'old worker has ended');

# a client that does not stop does not hold it either

my $firehose = dns_client(proto => 'tcp');
@workers = workers($t);

$firehose->send($query);
$firehose->recv();

my $start = time();
$t->reload();

my $n = 0;

while (time() - $start < 15) {
	last if $firehose->write($data x 20, timeout => 1) < 20 * length $data;
	last if ++$n && $firehose->recv_n(20, timeout => 1) < 20;
}

cmp_ok(time() - $start, '<', 8, 'firehose is stopped');

for (1 .. 50) {
	last unless kill 0, @workers;
	sleep(0.1);
}

is(kill(0, @workers), 0, 'old worker has ended again');

# queries asked while workers change: none is lost, if asked once more when a
# connection was closed

my ($lost, $again) = (0, 0);

for my $round (1 .. 5) {
	$t->reload();

	for (1 .. 30) {
		next if dns_ask('www.z1.test', 'A', over => 'tcp');
		$again++;
		$lost++ unless dns_ask('www.z1.test', 'A', over => 'tcp');
	}
}

is("$lost", 0, 'no query lost');
note("asked again: $again");


# The process numbers of the workers.

sub workers {
	my ($t) = @_;

	my $master = int $t->read_file('nginx.pid');
	my @pids;

	for my $path (glob '/proc/[0-9]*/status') {
		open my $fh, '<', $path or next;
		my $status = do { local $/; <$fh> };

		next unless defined $status && $status =~ /^PPid:\s+$master$/m;
		push @pids, $1 if $status =~ /^Pid:\s+(\d+)/m;
	}

	return @pids;
}

###############################################################################
