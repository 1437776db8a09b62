#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# The module in the nginx that Debian ships, where stream is dynamic.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/../.."); }

use Cwd;
use File::Path qw/ make_path remove_tree /;

use lib 't/house/lib';
use House qw/ free_port ask wait_for stop_nginx /;

###############################################################################

my $nginx = $ENV{NGINX_BIN} || '/usr/sbin/nginx';
my $modules = $ENV{MODULES_DIR} || '/usr/lib/nginx/modules';
my $root = getcwd();

plan(skip_all => 'no stock nginx') if !-x $nginx;
plan(skip_all => 'no dynamic stream module')
	if !-e "$modules/ngx_stream_module.so";

plan(tests => 7);

###############################################################################

my $dir = "$root/build/house/stock";
my $port = free_port();

remove_tree($dir);
make_path($dir);

open my $conf, '>', "$dir/nginx.conf" or die $!;
print $conf <<"EOF";

load_module $modules/ngx_stream_module.so;
load_module $root/build/ngx_dns_module.so;

pid nginx.pid;

events {
}

stream {
    server {
        listen    127.0.0.1:$port udp;
        listen    127.0.0.1:$port;

        dns       on;
        dns_zone  example.com  $root/docs/example/zones/example.com.zone;
    }
}

EOF
close $conf;

my @command = ($nginx, '-p', "$dir/", '-c', 'nginx.conf', '-e',
	"$dir/error.log");

is(system("@command -t > $dir/check.log 2>&1"), 0, 'configuration');
is(system("@command > $dir/start.log 2>&1"), 0, 'start');

my $pid = wait_for("$dir/nginx.pid");

ok($pid, 'process number');
is(ask($port, 'udp', 'www.example.com'), 'NOERROR 192.0.2.80', 'udp');
is(ask($port, 'tcp', 'www.example.com'), 'NOERROR 192.0.2.80', 'tcp');

ok(stop_nginx($pid), 'stop');

open my $log, '<', "$dir/error.log" or die $!;
my @bad = grep { /\[(?:alert|emerg|crit)\]/ } <$log>;
close $log;

is(join('', @bad), '', 'no alerts');

###############################################################################
