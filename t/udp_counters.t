#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for what becomes of datagrams: every one is counted once as a reply
# or as a drop (case M04), large ones (case N11), source port 0, replies that
# cannot be sent.

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

my @counters = qw/ received_udp drop_short drop_response drop_oversize
	drop_port_zero drop_denied drop_failed truncated send_full send_failed
	rcode_noerror rcode_formerr rcode_servfail rcode_nxdomain
	rcode_notimp rcode_refused rcode_yxdomain rcode_badvers rcode_other /;

my $values = join ' ', map { "$_=\$dns_counter_$_" } @counters;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp/)->plan(36)
	->write_file_expand('nginx.conf', <<EOC);

%%TEST_GLOBALS%%

daemon off;
worker_processes 1;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:8983;
        return "$values";
    }
}

EOC

$t->write_file('z1.test.zone', zone_z1());
$t->run();

###############################################################################

my $www = dns_query('www.z1.test', 'A');

for my $n (8981, 8982) {
	my $name = $n == 8981 ? 'batch' : 'session';

	moves($n, $www, { rcode_noerror => 1 }, "$name answer");
	moves($n, dns_query('no.z1.test', 'A'), { rcode_nxdomain => 1 },
		"$name nxdomain");
	moves($n, dns_query('other.test', 'A'), { rcode_refused => 1 },
		"$name refused");
	moves($n, dns_query('www.z1.test', 'A', opcode => 5),
		{ rcode_notimp => 1 }, "$name opcode");
	moves($n, dns_query('www.z1.test', 'A', version => 1),
		{ rcode_badvers => 1 }, "$name version");
	moves($n, dns_query('big.z1.test', 'TXT', edns => 1232),
		{ rcode_noerror => 1, truncated => 1 }, "$name truncated");
	moves($n, dns_query('www.z1.test', 'A', qr => 1),
		{ drop_response => 1 }, "$name response");
	moves($n, substr($www, 0, 11), { drop_short => 1 }, "$name short");
	moves($n, '', { drop_short => 1 }, "$name empty");
	moves($n, substr($www, 0, 20), { rcode_formerr => 1 },
		"$name cut question");
}

# larger than the buffer of a datagram: header and question are whole

my $padded = dns_query('www.z1.test', 'A', edns => 1232,
	options => [ [ 12, "\0" x 9000 ] ]);

moves(8981, $padded, { rcode_formerr => 1 }, 'N11 9000 octets');
moves(8982, $padded, { rcode_noerror => 1 }, 'N11 9000 octets session');

$padded = dns_query('www.z1.test', 'A', edns => 1232,
	options => [ [ 12, "\0" x 60000 ] ]);

moves(8981, $padded, { rcode_formerr => 1 }, 'N11 60000 octets');
moves(8982, $padded, { rcode_noerror => 1 }, 'N11 60000 octets session');

# as large as the buffer, and one octet more

my $rest = 4096 - length dns_query('www.z1.test', 'A', edns => 1232,
	options => [ [ 12, '' ] ]);

for my $more (0, 1) {
	$padded = dns_query('www.z1.test', 'A', edns => 1232,
		options => [ [ 12, "\0" x ($rest + $more) ] ]);

	moves(8981, $padded,
		{ ($more ? 'rcode_formerr' : 'rcode_noerror') => 1 },
		length($padded) . ' octets');
}

# nothing of one datagram is taken for another

my $c = client(8981);
$c->send($padded, $www, $padded, $www);

is(join(' ', map { dns_parse($_)->{rcode} } $c->recv_n(4)),
	'FORMERR NOERROR FORMERR NOERROR', 'N11 order');

# a response with a whole question, cut by the buffer

moves(8981, "\x12\x34\x80\x00" . substr($padded, 4), { drop_response => 1 },
	'long response');

# header without room for the question

moves(8981, substr($www, 0, 12) . "\x3f" x 5000, { drop_oversize => 1 },
	'long without question', either => { rcode_formerr => 1 });

# a query from port 0 cannot be answered; its neighbors are

SKIP: {
skip 'needs raw sockets', 5 unless raw();

my %before = counters();

$c = client(8981);

for my $i (1 .. 20) {
	port_zero($www) if $i % 5 == 0;
	$c->send(dns_query('www.z1.test', 'A', id => $i));
}

is(scalar($c->recv_n(20)), 20, 'replies beside port 0');

my %after = counters();

is($after{drop_port_zero} - $before{drop_port_zero}, 4, 'port 0 counted');
is($after{rcode_noerror} - $before{rcode_noerror}, 20, 'others counted');

# a reply that the kernel refuses to send costs only itself: we may not send
# to a broadcast address

%before = counters();

for my $i (1 .. 20) {
	port_zero($www, '255.255.255.255', 9) if $i % 5 == 0;
	$c->send(dns_query('www.z1.test', 'A', id => $i));
}

is(scalar($c->recv_n(20)), 20, 'replies beside refused ones');

%after = counters();

is($after{send_failed} - $before{send_failed}, 4, 'refused ones counted');
}

my %n = counters();
my ($received, $sum) = ($n{received_udp}, 0);

$sum += $n{$_} for grep { /^(drop|rcode)_/ } keys %n;

is($sum, $received, 'balance');

is(dns_parse(dns_send($www, port => port(8981, udp => 1)))->{rcode},
	'NOERROR', 'good query at the end');

###############################################################################

sub client {
	my ($n) = @_;

	return dns_client(port => port($n, udp => 1));
}


sub counters {
	return map { split /=/ } split / /, stream('127.0.0.1:' . port(8983))->read();
}


# Sends a message and waits until exactly these counters have moved.

sub moves {
	my ($n, $message, $expected, $name, %opts) = @_;

	my %want = (received_udp => 1, %$expected);
	my %before = counters();

	client($n)->send($message);

	my $moved = '';

	for (1 .. 50) {
		my %after = counters();

		$moved = join ' ', map { "$_+" . ($after{$_} - $before{$_}) }
			grep { $after{$_} != $before{$_} } sort keys %after;

		last if $moved ne '';
		select undef, undef, undef, 0.02;
	}

	if ($opts{either} && index($moved, (keys %{ $opts{either} })[0]) >= 0) {
		%want = (received_udp => 1, %{ $opts{either} });
	}

	is($moved, join(' ', map { "$_+$want{$_}" } sort keys %want), $name);
}


sub raw {
	return socket my $s, Socket::AF_INET(), Socket::SOCK_RAW(), 255;
}


# A datagram with a source address and port of our choice.

sub port_zero {
	my ($message, $from, $source) = @_;

	socket my $s, Socket::AF_INET(), Socket::SOCK_RAW(), 255
		or die "raw socket: $!\n";

	my $src = Socket::inet_aton($from // '127.0.0.1');
	my $dst = Socket::inet_aton('127.0.0.1');
	my $p = port(8981, udp => 1);

	my $udp = pack 'n4', $source // 0, $p, 8 + length $message, 0;
	my $ip = pack 'CCnnnCCna4a4', 0x45, 0, 28 + length $message, 1, 0, 64,
		17, 0, $src, $dst;

	send $s, $ip . $udp . $message, 0,
		Socket::pack_sockaddr_in($p, $dst) or diag "send: $!";
}

###############################################################################
