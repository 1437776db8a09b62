#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests of the clients of Test::Nginx::DNS, with "return" servers of nginx on
# the other side and one that repeats what it gets.

###############################################################################

use warnings;
use strict;

use Test::More;

use IO::Select;
use IO::Socket::IP;
use Time::HiRes qw/ time /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)->plan(26);

# the answer is a whole message: the ID of our queries, QR, no sections

my $answer = '\x12\x34\x80\x00' . '\x00' x 8;

dns_run($t, conf => <<EOF);
%%TEST_GLOBALS%%

daemon off;

events { }

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format lines '\$protocol \$remote_addr \$remote_port';
    access_log %%TESTDIR%%/lines.log lines;

    server {
        listen 127.0.0.1:%%PORT_8980_UDP%% udp;
        return abcdefghijkl;
    }

    server {
        listen 127.0.0.1:%%PORT_8980_UDP%%;
        return "\$server_port";
    }
}
EOF

my $echo = port(8985);
$t->run_daemon(\&echo, $echo);
$t->waitforsocket("127.0.0.1:$echo") or die "no echo";

###############################################################################

# UDP

is(dns_send('query'), 'abcdefghijkl', 'udp');
is(dns_send('query', from => '127.0.0.2'), 'abcdefghijkl', 'source address');
is(dns_client(from_port => 0)->recv(timeout => 0.1), undef, 'no query');
is(dns_send('query', port => 1, timeout => 5), undef, 'refused port');
is(dns_ask('z1.test', 'A'), undef, 'ID of another');

like((dns_log($t, 'lines.log', 2))[1], qr/^UDP 127.0.0.2/, 'log');

my $start = time();
is(scalar dns_log($t, 'lines.log', 1000, timeout => 0.5), 3, 'log too short');
cmp_ok(time() - $start, '<', 3, 'time of waiting for the log');

# TCP

my $c = dns_client(proto => 'tcp');

is($c->recv(), undef, 'tcp, no whole message');
is($c->rest(), dns_port(), 'rest of the stream');
is($c->closed(), 0, 'closed with a rest');

my @to = (proto => 'tcp', port => $echo);

is(dns_send('query', @to), 'query', 'tcp');

$c = dns_client(@to);
$c->send('one', 'two', '');

is(join(',', $c->recv_n(3)), 'one,two,', 'several in one write');
is($c->recv(timeout => 0.1), undef, 'nothing more');

for my $octet (split //, dns_frame('three', 'four')) {
	$c->write($octet);
}

is(join(',', $c->recv_n(2)), 'three,four', 'split writes');

is($c->closed(timeout => 0.1), 0, 'not closed');
$c->send('five');
$c->half_close();
is($c->recv(), 'five', 'half closed');
is($c->closed(), 1, 'closed');
is($c->recv_n(2), 0, 'no reply after the end');

my $long = join '', map { chr rand 256 } 1 .. 65535;
$c = dns_client(@to);
$c->send(($long) x 5);
is(scalar(grep { $_ eq $long } $c->recv_n(5)), 5, 'long messages');

# the other side does not read

$c = dns_client(@to);
$c->write(dns_frame('stop'));
cmp_ok($c->write('x' x 50_000_000, timeout => 0.2), '<', 50_000_000,
	'write with a time limit');

# questions

my $query = dns_query('Www.z1.test', 'MX', id => 0x1234);
my $reply = dns_ask('Www.z1.test', 'MX', over => 'tcp', port => $echo);

is($reply, $query, 'ask');
dns_is($reply, <<'EOF', 'text');
	NOERROR
	question Www.z1.test. IN MX
EOF

# IPv6

SKIP: {
	my $listen = IO::Socket::IP->new(LocalHost => '::1', LocalPort => 0,
		Type => IO::Socket::IP::SOCK_DGRAM());

	skip 'no IPv6', 1 unless $listen;

	my $c = dns_client(addr => '::1', port => $listen->sockport());
	$c->send('query');
	$listen->recv(my $data, 100);
	is($data, 'query', 'IPv6');
}

# zones

like(zone_text('a.test', "b\tA\t192.0.2.1\n"), qr/^\$ORIGIN a.test.\n.*\nb\tA/s,
	'zone text');
is(scalar(() = zone_z1("more\tA\t192.0.2.1\n") =~ /^(?:big|more)\t/gm), 21,
	'zone z1.test');

###############################################################################

# Repeats what it reads, until it reads "stop": then it reads no more.

sub echo {
	my ($port) = @_;

	my $server = IO::Socket::IP->new(
		LocalHost => '127.0.0.1',
		LocalPort => $port,
		Listen => 5,
		ReuseAddr => 1
	)
		or die "Can't create listening socket: $!\n";

	local $SIG{PIPE} = 'IGNORE';

	my @stopped;

	while (my $client = $server->accept()) {
		while ($client->sysread(my $data, 65536)) {
			if ($data =~ /^..stop/s) {
				push @stopped, $client;
				last;
			}

			$client->syswrite($data);
		}
	}
}

###############################################################################
