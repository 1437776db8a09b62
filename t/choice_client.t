#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for who the client of a choice is: over TCP, over UDP as a session, and
# behind a proxy the address that "set_real_ip_from" has found out.

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

my $t = Test::Nginx->new()->has(qw/stream stream_realip udp/)->plan(9);

# networks need no database

my $d = $t->testdir();

dns_run($t,
	stream => <<EOF,
    dns_state_path $d/state;
    dns_network one { 127.0.0.1; }
    dns_network two { 127.0.0.2; }
    dns_network far { 81.2.69.0/24; 2001:db8::/32; }

    dns_pool who {
        address 192.0.2.1 network=one;
        address 192.0.2.2 network=two;
        address 192.0.2.3 network=far;
        address 192.0.2.4;
        choose network;
    }

    server {
        listen 127.0.0.1:8983 proxy_protocol;
        set_real_ip_from 127.0.0.0/8;
        dns on;
        dns_zone z1.test z1.test.zone;
    }

    server {
        listen 127.0.0.1:%%PORT_8984_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone z1.test z1.test.zone;
    }
EOF
	zones => { 'z1.test' => zone_text('z1.test', "who 60 POOL who\n") });

dns_wait([ 'who.z1.test', 'A', from => '127.0.0.2' ], qr/192\.0\.2\.2$/m);

for my $proto (qw/ udp tcp /) {
	is(who(dns_ask('who.z1.test', 'A', from => '127.0.0.1',
		over => $proto)), '192.0.2.1', $proto);
	is(who(dns_ask('who.z1.test', 'A', from => '127.0.0.2',
		over => $proto)), '192.0.2.2', "$proto, another address");
}

is(who(dns_ask('who.z1.test', 'A', from => '127.0.0.2',
	port => port(8984, udp => 1))), '192.0.2.2', 'session');

is(proxied('TCP4 81.2.69.142 192.0.2.7 4321 53'), '192.0.2.3', 'proxy');
is(proxied('TCP6 2001:db8::1 2001:db8::2 4321 53'), '192.0.2.3',
	'proxy, IPv6');
is(proxied('TCP4 127.0.0.2 192.0.2.7 4321 53', ecs => '81.2.69.0/24'),
	'192.0.2.3', 'proxy, subnet');
is(proxied('TCP4 127.0.0.2 192.0.2.7 4321 53', ecs => '0.0.0.0/0'),
	'192.0.2.2', 'proxy, no subnet wanted');

###############################################################################

sub proxied {
	my ($header, %opts) = @_;

	my $reply = stream('127.0.0.1:' . port(8983))->io("PROXY $header\r\n"
		. dns_frame(dns_query('who.z1.test', 'A', %opts)), read => 1);

	return who(substr $reply, 2);
}


sub who {
	return join ' ', dns_text($_[0]) =~ / IN A (\S+)$/mg;
}

###############################################################################
