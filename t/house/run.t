#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# "make", "make install", "make run", "make run-redis" and "make stop" in a
# fresh copy of the tree: first and second time, with a busy port, without IPv6,
# without root, with packages missing, over an old build.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/../.."); }

use Cwd;
use File::Path qw/ make_path /;
use File::Temp qw/ tempdir /;
use IO::Socket::INET;

use lib 't/house/lib';
use House qw/ free_port ask /;

###############################################################################

my $root = getcwd();
my $dir = tempdir(CLEANUP => 1);
my $clone = "$dir/clone";
my $port = free_ports();

# as in the shell of somebody who types it

delete @ENV{qw/ MAKEFLAGS MAKELEVEL MFLAGS CC_OPT LD_OPT SAN_OPT /};
delete @ENV{qw/ DEV_FLAGS TEST_FLAGS NGINX_BIN MODULES_DIR /};
$ENV{PORT} = $port;

# where another user may go as well, which a home may not allow

chmod 0755, $dir;
make_path("$clone/t");
system("cp -r config Makefile docs ngx_dns_module tools $clone/") == 0 or die;
system("cp -r t/tools $clone/t/") == 0 or die;

plan(tests => 53);

my ($rc, $out, $pid);

# first run

($rc, $out) = command("make -C $clone run");

is($rc, 0, 'run') or diag($out);
like($out, qr/configuring for nginx/, 'run configures');
like($out, qr/building build\/ngx_dns_module\.so/, 'run builds');
is(() = $out =~ /\bA\s+192\.0\.2\.80$/mg, 2, 'run shows answers');
like($out, qr/^www\.example\.net\.\s+30\s+IN\s+A\s+192\.0\.2\.8[12]$/m,
	'run shows the answer of a pool');
like($out, qr/answers on 127\.0\.0\.1:$port/, 'run says where');
like($out, qr/^to stop it: make stop$/m, 'run says how to stop');
is(ask($port, 'udp', 'www.example.com'), 'NOERROR 192.0.2.80', 'asked by UDP');
is(ask($port, 'tcp', 'ftp.example.com'), 'NOERROR 192.0.2.80', 'asked by TCP');
$pid = pid();

# second run

($rc, $out) = command("make -C $clone run");

is($rc, 0, 'second run');
is(() = $out =~ /^was already running \(process $pid\): restarted$/mg, 1,
	'second run says so');
unlike($out, qr/configuring|building/, 'second run does not build');
isnt(pid(), $pid, 'second run restarts');
$pid = pid();

# stop

($rc, $out) = command("make -C $clone stop");

is($rc, 0, 'stop');
is(own_lines($out), "stopped (process $pid)\n", 'stop says so');
ok(!-e "/proc/$pid", 'stopped');

($rc, $out) = command("make -C $clone stop");

is(own_lines($out), "is not running\n", 'second stop');

# zones from Redis

SKIP: {
	skip 'no redis-server', 13 if system('command -v redis-server > /dev/null');

	($rc, $out) = command("make -C $clone run-redis");

	is($rc, 0, 'run-redis') or diag($out);
	like($out, qr/\bA\s+192\.0\.2\.80$ .* ^\$\ redis-cli\ .*\ HSET\ .*
		\bA\s+192\.0\.2\.99$/xms, 'run-redis shows both answers');
	like($out, qr/^to stop both: make stop$/m, 'run-redis says how to stop');
	is(ask($port, 'udp', 'www.example.com'), 'NOERROR 192.0.2.99',
		'run-redis, asked by UDP');
	is(ask($port, 'tcp', 'ftp.example.com'), 'NOERROR 192.0.2.99',
		'run-redis, asked by TCP');

	my $redis = pid('redis');

	($rc, $out) = command("make -C $clone run-redis");

	is($rc, 0, 'second run-redis') or diag($out);
	ok(!-e "/proc/$redis", 'second run-redis ends the first Redis');
	is(() = $out =~ /\bA\s+192\.0\.2\.\d+$/mg, 2,
		'second run-redis, answers');

	# the other quick start ends Redis too

	$redis = pid('redis');

	($rc, $out) = command("make -C $clone run");

	is($rc, 0, 'run after run-redis') or diag($out);
	ok(!-e "/proc/$redis", 'run after run-redis ends Redis');
	is(ask($port, 'udp', 'www.example.com'), 'NOERROR 192.0.2.80',
		'run after run-redis, answer from the file');

	command("make -C $clone run-redis");
	($pid, $redis) = (pid(), pid('redis'));

	($rc, $out) = command("make -C $clone stop");

	is(own_lines($out), "stopped (process $pid)\n", 'stop after run-redis');
	ok(!-e "/proc/$pid" && !-e "/proc/$redis", 'both are stopped');
}

# a busy port, UDP and TCP

for my $proto (qw/ udp tcp /) {
	my $socket = IO::Socket::INET->new(
		Proto => $proto, LocalAddr => "127.0.0.1:$port",
		$proto eq 'tcp' ? (Listen => 1, ReuseAddr => 1) : ()) or die "$proto: $!";

	($rc, $out) = command("make -C $clone run");

	isnt($rc, 0, "busy $proto port");
	is(own_lines($out), "make run: port $port of 127.0.0.1 is in use"
		. ' by another program, choose another: make run PORT='
		. ($port + 1) . "\n", "busy $proto port, one line");
}

# old builds: another nginx, another object, newer sources

system("sed -i 's/nginx version: .*/nginx version: nginx\\/1.0.0/' "
	. "$clone/build/dev.key");

($rc, $out) = command("make -C $clone");

is($rc, 0, 'build for another nginx');
like($out, qr/configuring for nginx.*building/s, 'is made anew');

system("echo old > $clone/build/ngx_dns_module.so");
command("make -C $clone");
is(system("cmp -s $clone/build/ngx_dns_module.so"
	. " $clone/build/dev/objs/ngx_dns_module.so"), 0, 'old object replaced');

my $source = (glob "$clone/ngx_dns_module/dns/*.c")[0];
system("touch -d '+2 seconds' $source");

($rc, $out) = command("make -C $clone");

is($rc, 0, 'newer source');
is(own_lines($out), "building build/ngx_dns_module.so\n", 'is compiled');

# install

($rc, $out) = command("make -C $clone install DESTDIR=$dir/root");

is($rc, 0, 'install');
is(system("cmp -s $clone/build/ngx_dns_module.so"
	. " $dir/root/usr/lib/nginx/modules/ngx_dns_module.so"), 0,
	'installed where nginx looks');

# no nginx, no headers

($rc, $out) = command("make -C $clone NGINX_BIN=$dir/none");

isnt($rc, 0, 'no nginx');
is(own_lines($out), 'nginx is not installed: "make packages" as root'
	. " installs it\n", 'no nginx, one line');

($rc, $out) = command("make -C $clone NGINX_DEV=$dir/none");

isnt($rc, 0, 'no nginx-dev');
is(own_lines($out), 'the headers of nginx are not installed:'
	. " \"make packages\" as root installs nginx-dev\n",
	'no nginx-dev, one line');

# no IPv6: a network namespace without it

SKIP: {
	skip 'no network namespaces', 2 if $> != 0
		|| system('unshare -n true 2> /dev/null') != 0;

	($rc, $out) = command('unshare -n sh -c "ip link set lo up;'
		. ' echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6;'
		. " make -C $clone run && make -C $clone stop\" 2>&1");

	is($rc, 0, 'no IPv6') or diag($out);
	is(() = $out =~ /\bA\s+192\.0\.2\.80$/mg, 2, 'no IPv6, answers');
}

# no root

SKIP: {
	skip 'not root: all of the above ran without it', 6 if $> != 0;

	my $user = 'setpriv --reuid=65534 --regid=65534 --clear-groups';

	skip 'no setpriv, or the tree is closed to others', 6
		if system("$user test -r $clone/Makefile 2> /dev/null") != 0;

	# packages are missing: dpkg-query knows none

	make_path("$dir/bin");
	open my $f, '>', "$dir/bin/dpkg-query" or die $!;
	print $f "#!/bin/sh\nexit 1\n";
	close $f;
	chmod 0755, "$dir/bin/dpkg-query";

	system("chown -R 65534:65534 $clone");

	{
		local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
		($rc, $out) = command("$user make -C $clone run");
	}

	isnt($rc, 0, 'no root, packages missing');
	like(own_lines($out), qr/^missing\ packages,\ install\ them\ as\ root:
		\ apt-get\ install\ [^\n]*nginx-dev[^\n]*\n$/x,
		'no root, packages missing, one line');

	($rc, $out) = command("$user make -C $clone run"
		. " && $user make -C $clone stop");

	is($rc, 0, 'no root') or diag($out);
	is(() = $out =~ /\bA\s+192\.0\.2\.80$/mg, 2, 'no root, answers');

	skip 'no redis-server', 2 if system('command -v redis-server > /dev/null');

	($rc, $out) = command("$user make -C $clone run-redis"
		. " && $user make -C $clone stop");

	is($rc, 0, 'no root, run-redis') or diag($out);
	like($out, qr/\bA\s+192\.0\.2\.99$/m, 'no root, run-redis, answer');
}

# nothing is left running

END { system("make -C $clone stop > /dev/null 2>&1") if $clone; }

###############################################################################

sub command {
	my ($command) = @_;

	my $out = `$command 2>&1`;

	return ($?, $out);
}

# a free port in front of another one

sub free_ports {
	for (1 .. 100) {
		my $port = free_port();

		return $port if IO::Socket::INET->new(Proto => 'tcp',
			Listen => 1, LocalAddr => '127.0.0.1:' . ($port + 1));
	}

	die "no free ports\n";
}

# without what make itself adds

sub own_lines {
	my ($out) = @_;

	return join '', grep { !/^make(?:\[\d+\])?: / } split /^/, $out;
}

sub pid {
	my ($name) = @_;

	$name //= 'nginx';

	open my $f, '<', "$clone/build/run/$name.pid" or return '';
	my $pid = <$f>;
	close $f;
	chomp $pid;
	return $pid;
}

###############################################################################
