#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a log of UDP queries that goes to syslog: what arrives there, and
# that a log server that is away is told of once in a second.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use IO::Select;
use IO::Socket::INET;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(5)
	->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;
worker_processes 1;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format dns escape=json '{"qname":"$dns_qname","rcode":"$dns_rcode"}';

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        error_log %%TESTDIR%%/syslog.log info;
        access_log syslog:server=127.0.0.1:%%PORT_8982_UDP%%,tag=dns dns;
    }
}

EOC

$t->write_file('z1.test.zone', zone_z1());
$t->run();

###############################################################################

my $syslog = IO::Socket::INET->new(
	Proto => 'udp',
	LocalAddr => '127.0.0.1:' . port(8982),
)
	or die "Can't bind: $!\n";

my $c = dns_client(port => port(8981, udp => 1));

ask('www.z1.test', 1);
like(line(), qr/ dns: \{"qname":"www\.z1\.test\.","rcode":"NOERROR"\}$/,
	'line');

ask('nope.z1.test', 2);
like(line(), qr/ dns: \{"qname":"nope\.z1\.test\.","rcode":"NXDOMAIN"\}$/,
	'second line');

# nobody is there

undef $syslog;

my $got = 0;

for my $i (1 .. 200) {
	$got++ if defined ask('www.z1.test', $i);
}

is($got, 200, 'answers without a log server');

my $log = $t->read_file('syslog.log');
my $n = () = $log =~ /send\(\) to syslog failed/g;

cmp_ok($n, '>=', 1, 'said');
cmp_ok($n, '<', 10, 'not for each datagram');

###############################################################################

sub ask {
	my ($name, $id) = @_;

	$c->send(dns_query($name, 'A', id => $id));

	return $c->recv();
}


sub line {
	return undef unless IO::Select->new($syslog)->can_read(5);

	$syslog->recv(my $data, 65536);

	return $data;
}

###############################################################################
