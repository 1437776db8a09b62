#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# G07: IPv4 that comes in IPv6 is IPv4, in places, access rules, and maps of
# networks, and is logged as nginx logs it everywhere; a database of one family
# says nothing of the other.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

use IO::Socket::IP;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

plan(skip_all => 'no IPv6')
	unless IO::Socket::IP->new(Proto => 'udp', LocalHost => '::1');

my $t = Test::Nginx->new()->has(qw/stream udp stream_access stream_geo/)
	->plan(22);
my $d = $t->testdir();

geo_country("$d/both.mmdb", {
	'127.0.0.1/32' => 'DE', '127.0.0.3/32' => 'US', '127.0.0.4/32' => 'DE',
	'81.2.69.0/24' => 'GB', '2001:218::/32' => 'JP',
});
geo_country("$d/four.mmdb", { '127.0.0.1/32' => 'DE' }, version => 4);
geo_country("$d/six.mmdb", { '2001:218::/32' => 'DE' });

my $port = port(8985, udp => 1);

my $stream = <<'EOF';
    log_format  addr  "$remote_addr $status $network";

    geo $network {
        127.0.0.3/32  three;
        default       other;
    }

    dns_network home { 127.0.0.1/32; }
    dns_network away { ::/0; }

    dns_pool more {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=US;
        address 192.0.2.3 country=FR;
        address 192.0.2.4 country=GB;
        address 192.0.2.5 country=JP;
        address 192.0.2.9;
        choose country;
    }
    dns_pool home {
        address 192.0.2.1 network=home;
        address 192.0.2.2 network=away;
        address 192.0.2.9;
        choose network;
    }

    server {
        listen [::]:%%PORT_8985_UDP%% udp ipv6only=off;
        listen [::]:%%PORT_8985_UDP%% ipv6only=off;
        dns on;
        dns_zone more.test more.test.zone;
        access_log %%TESTDIR%%/access.log addr;
        deny 127.0.0.4;
    }
EOF

my %run = (
	stream => $stream,
	zones => { 'more.test' => zone_text('more.test', <<'EOF') }
more	POOL	more
home	POOL	home
EOF
);

###############################################################################

start('both.mmdb');

for my $over (qw/ udp tcp /) {
	my @over = (over => $over);

	is(plain('more', '127.0.0.1', @over), '192.0.2.1', "$over: IPv4");
	is(plain('more', '127.0.0.3', @over), '192.0.2.2', "$over: another one");
	is(plain('more', '::1', @over), '192.0.2.9', "$over: IPv6");
	is(plain('home', '127.0.0.1', @over), '192.0.2.1', "$over: a network");
	is(plain('home', '::1', @over), '192.0.2.2', "$over: one of IPv6");
	is(plain('home', '127.0.0.3', @over), '192.0.2.9', "$over: no network");
	is(plain('more', '127.0.0.4', @over, timeout => 0.5), 'no reply',
		"$over: denied");
}

like(plain('more', '127.0.0.1', ecs => '81.2.69.0/24'), qr!^192\.0\.2\.4$!,
	'ECS, IPv4');
like(plain('more', '127.0.0.1', ecs => '2001:218::/56'), qr!^192\.0\.2\.5$!,
	'ECS, IPv6');
is(plain('more', '::1', ecs => '::ffff:81.2.69.0/120'), '192.0.2.4',
	'ECS, IPv4 in IPv6');

my @log = dns_log($t, 'access.log', 17);

is(scalar(grep { /^::ffff:127\.0\.0\.3 \d+ three$/ } @log), 4,
	'a map of networks');

# a database of one family

start('four.mmdb');
is(plain('more', '127.0.0.1'), '192.0.2.1', 'IPv4 only: IPv4');
is(plain('more', '::1', ecs => '2001:218::/56'), '192.0.2.9',
	'IPv4 only: IPv6');

start('six.mmdb');
is(plain('more', '127.0.0.1'), '192.0.2.9', 'IPv6 only: IPv4');
is(plain('more', '127.0.0.1', ecs => '2001:218::/56'), '192.0.2.1',
	'IPv6 only: IPv6');

undef $t;

###############################################################################

sub start {
	my ($geoip) = @_;

	$t->stop() if -e "$d/nginx.pid";
	unlink "$d/error.log", "$d/access.log";

	port(8985, socket => 1)->close();
	geo_run($t, geoip => $geoip, %run);
	geo_known($t, 1);
}


# what a client at an address gets

sub plain {
	my ($name, $from, %opts) = @_;

	my $reply = eval {
		dns_ask("$name.more.test", 'A', addr => $from =~ /:/ ? '::1'
			: '127.0.0.1', from => $from, port => $port, timeout => 3, %opts)
	};

	return 'no reply' unless defined $reply;

	return join ' ', dns_text($reply) =~ /^answer \S+ \d+ IN A (\S+)$/mg;
}

###############################################################################
