#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for health checks of pools: what is down is not answered whatever name
# has it, each address is checked once for all names and servers, states stay
# over reloads as long as the check does.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp http unix/)->plan(27);
my $d = $t->testdir();

# the way of worker processes to the state directory

chmod 0755, $d;

# 127.0.0.2 is up, 127.0.0.3 is down, of 127.0.0.4 another page is

my $http = <<'EOF';
    log_format probes '$server_addr "$request" $http_host';
    access_log %%TESTDIR%%/probes.log probes;

    server {
        listen 127.0.0.2:%%PORT_8985%%;
        location / { return 404; }
        location /up { return 200 "all is well"; }
        location /moved { return 204; }
    }

    server {
        listen 127.0.0.3:%%PORT_8985%%;
        return 503;
    }

    server {
        listen 127.0.0.4:%%PORT_8985%%;
        location / { return 404; }
        location /up { return 200 "out of order"; }
        location /moved { return 204; }
    }
EOF

# an interval that is as good as never leaves the first check

my %pools = (
	web => 'address 127.0.0.2; address 127.0.0.3; address 127.0.0.4; '
		. 'health_check http port=%%PORT_8985%% uri=/up interval=200ms '
		. 'up=1 down=2;',
	match => 'address 127.0.0.2; address 127.0.0.3; address 127.0.0.4; '
		. 'health_check http port=%%PORT_8985%% uri=/up interval=200ms '
		. 'up=1 down=1 match=well host=pool.test;',
	status => 'address 127.0.0.2; address 127.0.0.3; address 127.0.0.4; '
		. 'health_check http port=%%PORT_8985%% uri=/moved '
		. 'interval=200ms up=1 down=1 status=503,201;',
	all => 'address 127.0.0.3; address 2001:db8::3; '
		. 'health_check http port=%%PORT_8985%% interval=200ms '
		. 'up=1 down=1;',
	none => 'address 127.0.0.3; health_check http port=%%PORT_8985%% '
		. 'interval=200ms up=1 down=1 all_down=none;',
	tcp => 'address 127.0.0.2; address 127.0.0.5; '
		. 'health_check tcp port=%%PORT_8985%% interval=200ms up=1 down=1;',
	groups => 'address 127.0.0.3 network=home; address 127.0.0.5; '
		. 'address 127.0.0.2; choose network; health_check tcp '
		. 'port=%%PORT_8985%% interval=200ms up=1 down=1;',
	spare => 'address 127.0.0.5; address 127.0.0.2 priority=1; '
		. 'address 127.0.0.4 priority=1; health_check tcp '
		. 'port=%%PORT_8985%% interval=200ms up=1 down=1;',
	slow => 'address 127.0.0.2; address 127.0.0.5; '
		. 'health_check tcp port=%%PORT_8985%% interval=30s up=1 down=1;',
);

my $zone = zone_text('p.test', join('', map { "$_ 60 POOL $_\n" } keys %pools)
	. "www 60 POOL web\n*.wild 60 POOL web\n\@ 60 POOL web\n"
	. "cname 60 CNAME www\n");

$t->write_file('p.test.zone', $zone);

dns_run($t, zones => { 'q.test' => zone_text('q.test', "www 60 POOL web\n") },
	conf => conf());

###############################################################################

is(until_is('web', '2 4'), '2 4', 'one is down');
is(addresses('www'), '2 4', 'another name');
is(addresses('x.wild'), '2 4', 'wildcard');
is(addresses(''), '2 4', 'apex');
is(addresses('cname'), '2 4', 'CNAME');
is(addresses('www.q.test.'), '2 4', 'another zone');

is(until_is('match', '2'), '2', 'match');
is(until_is('status', '3'), '3', 'status');
is(until_is('tcp', '2'), '2', 'tcp');
is(until_is('none', ''), '', 'all_down=none');
is(until_is('spare', '2 4'), '2 4', 'the next priority');
is(until_is('groups', '3'), '3', 'the group of the network is up');
is(addresses('all'), '3', 'all are down');

my $text = dns_text(dns_ask('none.p.test', 'A'));

like($text, qr/^NOERROR.*authority p\.test\. \d+ IN SOA/ms, 'none is NODATA');

# what is asked for, and how often: once an interval for all names

my $log = $t->read_file('probes.log');

like($log, qr!^127\.0\.0\.2 "HEAD /up HTTP/1\.1" web(?::\d+)?$!m, 'request');
like($log, qr!^127\.0\.0\.2 "GET /up HTTP/1\.1" pool\.test(?::\d+)?$!m,
	'request with match and host');

my ($before, $start) = (probes('127.0.0.3', 'web'), time());
sleep 2;
my $rate = (probes('127.0.0.3', 'web') - $before) / ((time() - $start) / 0.2);

cmp_ok($rate, '<', 1.35, 'once for all names');
cmp_ok($rate, '>', 0.5, 'as often as said');

# a state stays over a reload

is(until_is('slow', '2'), '2', 'state before reload');

reload();
is(addresses('slow'), '2', 'state after reload');
is(addresses('web'), '2 4', 'state after reload, another pool');

# and in a pool that has changed, if the check has not

$pools{slow} =~ s/address 127\.0\.0\.5;/address 127.0.0.5 weight=3;/;
$pools{slow} .= ' address 2001:db8::1;';
reload();
is(addresses('slow'), '2', 'state of a pool that has changed');

# another check is another target

$pools{web} =~ s!uri=/up!uri=/other!;
$pools{slow} =~ s/up=1/up=2/;
reload();
is(until_is('slow', '2'), '2', 'another check');

$before = probes('127.0.0.2', 'web', '/up');
sleep 1;
is(probes('127.0.0.2', 'web', '/up') - $before, 0, 'the old check has ended');
cmp_ok(probes('127.0.0.2', 'web', '/other'), '>', 0, 'the new one has begun');

is(until_is('web', '2 3 4'), '2 3 4', 'all are down by the new check');

# not a word of an error: what is down is nothing unusual

is(scalar dns_error_log($t, qr/\[(crit|alert|emerg)\]/), 0, 'log');

undef $t;

###############################################################################

sub conf {
	my $conf = dns_conf(
		zones => { 'p.test' => 1, 'q.test' => 1 },
		stream => "dns_state_path state;\n"
			. "dns_network home { 127.0.0.0/8; }\n"
			. join("\n", map { "dns_pool $_ { $pools{$_} }" }
				sort keys %pools),
		http => $http,
		main => 'worker_processes 2;',
	);

	return $conf;
}


# the last numbers of the addresses

sub addresses {
	my ($name) = @_;

	$name = $name eq '' ? 'p.test' : "$name.p.test" if $name !~ /\.$/;

	my $reply = dns_ask($name, 'A');
	my $m = defined $reply ? dns_parse($reply) : { answer => [] };

	return join ' ', sort map { /(\d+)$/ } map { $_->{rdata} }
		grep { $_->{type} eq 'A' } @{ $m->{answer} };
}


sub until_is {
	my ($name, $want) = @_;

	my $until = time() + 5;
	my $is;

	while (($is = addresses($name)) ne $want && time() < $until) {
		sleep 0.05;
	}

	return $is;
}


# probes of an address for a host that the log has

sub probes {
	my ($address, $host, $uri) = @_;

	$uri //= '/\S*';

	my $n = () = $t->read_file('probes.log')
		=~ /^\Q$address\E "\w+ $uri HTTP\S+" \Q$host\E(?::\d+)?$/mg;

	return $n;
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


# Reloads and waits until the old workers are gone.

sub reload {
	my $gone = count(qr/worker process \d+ exited/);

	$t->write_file_expand('nginx.conf', conf());
	$t->reload();

	my $until = time() + 10;

	while (count(qr/worker process \d+ exited/) < $gone + 2) {
		return diag('it takes too long') if time() > $until;
		sleep 0.02;
	}
}

###############################################################################
