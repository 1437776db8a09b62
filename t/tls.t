#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for DNS over TLS, RFC 7858: pipelining, padding by RFC 8467, ALPN, clients
# that do not read, log.

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

# closing a connection that the server has closed writes to it

$SIG{PIPE} = 'IGNORE';

my $t = Test::Nginx->new()->has(qw/stream stream_ssl udp socket_ssl/)
	->has_daemon('openssl')->plan(34);

$t->write_file('openssl.conf', <<'EOS');
[ req ]
default_bits = 2048
encrypt_key = no
distinguished_name = req_distinguished_name
[ req_distinguished_name ]
EOS

my $d = $t->testdir();

system("openssl req -x509 -new -config $d/openssl.conf -subj /CN=localhost/ "
	. "-out $d/localhost.crt -keyout $d/localhost.key "
	. ">> $d/openssl.out 2>&1") == 0 or die "no certificate: $!\n";

dns_run($t, zones => { 'z1.test' => zone_z1() }, conf => <<'EOS');
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format  dns  "$dns_transport $dns_qname $dns_rcode $bytes_received $bytes_sent $ssl_protocol";

    dns_zone  z1.test z1.test.zone;

    ssl_certificate      localhost.crt;
    ssl_certificate_key  localhost.key;
    ssl_alpn             dot;

    server {
        listen  127.0.0.1:%%PORT_8980_UDP%% udp;
        listen  127.0.0.1:%%PORT_8980_UDP%%;
        listen  127.0.0.1:8085 ssl;
        dns     on;

        access_log  %%TESTDIR%%/dns.log dns;
    }

    server {
        listen  127.0.0.1:8086 ssl sndbuf=16k;
        dns     on;

        dns_tcp_timeout       500ms;
        dns_tcp_idle_timeout  800ms;
        dns_tcp_send_timeout  3s;
    }

    server {
        listen  127.0.0.1:8087 ssl proxy_protocol;
        dns     on;
    }

    server {
        listen  127.0.0.1:8081;
        return  "$dns_counter_received_tls $dns_counter_received_tcp";
    }
}
EOS

my @tls = (proto => 'tls', port => port(8085));
my $query = dns_query('www.z1.test', 'A');

my $answer = <<'EOS';
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOS

sub ids {
	return join ' ', sort { $a <=> $b } map { unpack 'n', $_ } @_;
}

sub padded {
	my ($name, $type, %opts) = @_;

	return dns_query($name, $type, options => [ [ 12, "\0" x 20 ] ], %opts);
}

# the length of the padding option, or undef

sub padding {
	my ($reply) = @_;

	my ($option) = grep { $_->[0] == 12 }
		@{ dns_parse($reply)->{opt}{options} };

	return defined $option ? length $option->[1] : undef;
}

###############################################################################

my $c = dns_client(@tls);
$c->send($query);
dns_is($c->recv(), $answer, 'answer');

# many in one record, and octet by octet

$c->send(map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 500);
is(ids($c->recv_n(500)), join(' ', 1 .. 500), 'pipelined');

$c->write($_) for split //, dns_frame($query);
dns_is($c->recv(), $answer, 'octet by octet');

$c->send(map { dns_query('big.z1.test', 'TXT', id => $_) } 1 .. 200);
is(ids($c->recv_n(200)), join(' ', 1 .. 200), '800 kB of answers');

$c->send($query . 'x' x (65535 - length $query), $query);
is(dns_parse($c->recv())->{rcode}, 'FORMERR', '65535 octets');
dns_is($c->recv(), $answer, 'good query');

# the end

$c->send($query, 'short', $query);
dns_is($c->recv(), $answer, 'query before a short message');
is($c->closed(), 1, 'short message');

$c = dns_client(@tls);
$c->send(map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 50);
shutdown $c->socket(), Socket::SHUT_WR();
is(ids($c->recv_n(50)), join(' ', 1 .. 50), 'half-close');
is($c->closed(), 1, 'closed after half-close');

# padding, if asked for

$c = dns_client(@tls);

$c->send(padded('www.z1.test', 'A'));
my $reply = $c->recv();

is(length $reply, 468, 'padded');
is(defined padding($reply), 1, 'padding option');

$c->send(padded('nope.z1.test', 'A'));
is(length $c->recv(), 468, 'padded, negative');

$c->send(padded('big.z1.test', 'TXT'));
$reply = $c->recv();
is(length($reply) % 468, 0, 'padded, longer');
is(scalar @{ dns_parse($reply)->{answer} }, 20, 'padded, nothing is missing');

$c->send(padded('example.org', 'A'));
is(length $c->recv(), 468, 'padded, refused');

$c->send(padded('www.z1.test', 'A', version => 1));
$reply = $c->recv();
is(dns_parse($reply)->{rcode}, 'BADVERS', 'bad version');

$c->send(dns_query('www.z1.test', 'A', edns => 1232));
$reply = $c->recv();
is(padding($reply), undef, 'not padded without the option');
cmp_ok(length $reply, '<', 100, 'not longer without the option');

# not where nobody can see it (RFC 7830, 6)

$reply = dns_send(padded('www.z1.test', 'A'), proto => 'tcp');
is(padding($reply), undef, 'not padded over TCP');

$reply = dns_send(padded('www.z1.test', 'A'));
is(padding($reply), undef, 'not padded over UDP');

# keepalive

$c->send(dns_query('www.z1.test', 'A', options => [ [ 11, '' ] ]));
like(unpack('H*', $c->recv()), qr/000b00020064$/, 'keepalive');

# ALPN

SKIP: {
	skip 'no ALPN', 2 unless IO::Socket::SSL->can_alpn();

	$c = dns_client(@tls, SSL_alpn_protocols => [ 'dot' ]);
	is($c->socket()->alpn_selected(), 'dot', 'ALPN');

	$c->send($query);
	dns_is($c->recv(), $answer, 'answer with ALPN');
}

# PROXY protocol in front of the handshake

$c = dns_client(proto => 'tcp', port => port(8087));
$c->write("PROXY TCP4 192.0.2.1 192.0.2.7 4321 53\r\n");
$c->socket()->blocking(1);
IO::Socket::SSL->start_SSL($c->socket(), SSL_verify_mode => 0);
$c->send($query);
dns_is($c->recv(), $answer, 'PROXY protocol');

# deadlines

my @limited = (proto => 'tls', port => port(8086));
my $start = time();

$c = dns_client(@limited);
is($c->closed(timeout => 5), 1, 'idle');
cmp_ok(time() - $start, '<', 2, 'idle time');
ok(!$c->{reset}, 'idle, closed in order');

$start = time();
$c = dns_client(@limited);
$c->write("\0\x1d");
is($c->closed(timeout => 5), 1, 'message that does not end');
cmp_ok(time() - $start, '<', 1.5, 'deadline');

# a client that reads late: what could not be sent is sent then

$c = dns_client(@limited, rcvbuf => 16384);
$c->send(map { dns_query('big.z1.test', 'TXT', id => $_) } 1 .. 60);
sleep(0.5);
is(ids($c->recv_n(60)), join(' ', 1 .. 60), 'client that reads late');

# a client that does not read at all

$c = dns_client(@limited, rcvbuf => 4096);
$c->send((dns_query('big.z1.test', 'TXT')) x 300);
sleep(4);

isnt(unpack('C', getsockopt $c->socket(), Socket::IPPROTO_TCP(), 11), 1,
	'client that does not read');

# log

my ($line) = dns_log($t, 'dns.log', 1);

is($line, 'tls www.z1.test. NOERROR ' . (2 + length $query) . ' 47 '
	. dns_client(@tls)->socket()->get_sslversion() =~ s/_/./r, 'log');

my ($tls) = split ' ', stream('127.0.0.1:' . port(8081))->read();

cmp_ok($tls, '>', 700, 'counter');

###############################################################################
