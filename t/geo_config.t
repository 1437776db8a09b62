#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for "dns_geoip" and "dns_network": what is refused and where, that the
# signaller opens no database, nginx without a master process, and networks
# in each other.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

use File::Path qw/ remove_tree /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(38);
my $d = $t->testdir();
my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

$t->write_file('error.log', '');
$t->write_file('text', "no database\n" x 100_000);
$t->write_file('empty', '');
mkdir "$d/folder";

geo_city("$d/city.mmdb", { '10.0.0.0/8' => { country => 'DE' } });
geo_asn("$d/asn.mmdb", { '10.0.0.0/8' => 64501 });
geo_write("$d/none.mmdb", { '10.0.0.0/8' => { word => 'x' } });

my $state = 'dns_state_path state;';

###############################################################################

# databases

good("$state dns_geoip city.mmdb asn.mmdb;", 'two files');
good("$state dns_geoip city.mmdb; dns_geoip asn.mmdb;", 'two directives');
good("dns_geoip city.mmdb; $state", 'in any order');
good("$state dns_geoip none.mmdb;", 'that it knows nothing is seen later');

bad('dns_geoip city.mmdb;',
	qr/"dns_geoip" in \S+nginx\.conf:1 needs "dns_state_path"/,
	'no dns_state_path');
bad("$state dns_geoip;", qr/invalid number of arguments in "dns_geoip"/,
	'no file');
bad("$state dns_geoip city.mmdb nowhere;",
	qr/open\(\) "\Q$d\E\/nowhere" failed \(2: .*nginx\.conf:2$/m,
	'no such file');
bad("$state dns_geoip text;",
	qr/"\S+text" is no database of places: it has no metadata.*conf:2$/m,
	'no database');
bad("$state dns_geoip empty;", qr/no metadata of MaxMind's format in .*:2$/m,
	'an empty file');
bad("$state dns_geoip folder;", qr/it is no regular file in .*:2$/m,
	'a folder');
bad("$state dns_geoip city.mmdb; dns_geoip asn.mmdb city.mmdb;",
	qr/duplicate "dns_geoip" file "\S+city\.mmdb" in .*:3$/m, 'twice');
bad('server { listen 127.0.0.1:%%PORT_8981_UDP%% udp; dns_geoip x; }',
	qr/"dns_geoip" directive is not allowed here/, 'in a server');

# networks

good('dns_network a { 10.0.0.0/8; 192.0.2.1; 2001:db8::/32; }', 'networks');
good('dns_network a { 10.0.0.0/8 10.1.0.0/16; } dns_network b { 10.2.0.0/16; }',
	'in a line, in each other');
good('dns_network a { }', 'no networks');

$t->write_file('nets', "10.0.0.0/8;\n10.1.0.0/16;\nx;\n");

bad('dns_network a { 10.0.0.0/33; }', qr/invalid network "10\.0\.0\.0\/33"/,
	'length');
bad('dns_network a { office; }', qr/invalid network "office" in .*conf:1$/m,
	'no network');
bad('dns_network a { include nets; }', qr/invalid network "x" in \S+nets:3$/m,
	'in a file');
bad('dns_network a { 2001:db8::/96; }', qr/"2001:db8::\/96" is smaller than/,
	'small networks of IPv6');
bad('dns_network a { 10.0.0.0/8; } dns_network a { 11.0.0.0/8; }',
	qr/"a" has the name of that in \S+nginx\.conf:1 in \S+nginx\.conf:2$/m,
	'a name twice');
bad('dns_network Lab { 10.0.0.0/8; } dns_network laB { 11.0.0.0/8; }',
	qr/"laB" has the name of that in/, 'names have no case');
bad('dns_network n512789 { 10.0.0.0/8; } dns_network n749192 { }',
	qr/"n749192" needs another name: it is taken for that in/,
	'names with one number');
bad('dns_network a { 10.0.0.0/8; 10.0.0.0/8; }',
	qr/the network in \S+conf:2 is that in \S+conf:1, too/, 'twice');
bad('dns_network a { 10.0.0.0/8; } dns_network b { 10.0.0.0/8; }',
	qr/the network in \S+conf:2 is that in \S+conf:1, too/,
	'under two names');
bad('dns_network { 10.0.0.0/8; }', qr/invalid number of arguments/, 'no name');
bad('dns_network a;', qr/directive "dns_network" has no opening "\{"/,
	'no block');
said('dns_network a { 10.1.1.1/8; }', qr/\[warn\].*low address bits of/,
	'low bits');
said('dns_network a { ::ffff:10.1.0.0/112; 10.1.0.0/16; }',
	qr/the network in \S+conf:2 is that in/, 'IPv4 in IPv6');

# those in each other, and in pools

my $networks = <<'EOF';
    dns_network one { 10.0.0.0/8; 10.2.3.0/24; 2001:db8::/32;
                      2001:db8:2:100::/56; }
    dns_network Two { 10.2.0.0/16; 10.2.3.128/25; 2001:db8:2::/48; }
EOF

# that of the configuration tests

unlink "$d/nginx.pid";

geo_run($t, stream => $networks, state => 0);

is(join(', ', map { geo_at('network', $_) } qw!
	10.1.0.0/24 10.2.0.0/24 10.2.3.0/24 10.2.3.192/28 10.4.0.0/24 11.0.0.0/24
	192.0.2.0/24 !),
	'192.0.2.1 /15, 192.0.2.2 /23, 192.0.2.1 /25, 192.0.2.2 /25, '
	. '192.0.2.1 /14, 192.0.2.9 /8, 192.0.2.9 /1', 'the longest prefix');
is(join(', ', map { geo_at('network', $_) } qw!
	2001:db8::/56 2001:db8:2::/56 2001:db8:2:100::/56 2001:db9::/48 !),
	'192.0.2.1 /47, 192.0.2.2 /56, 192.0.2.1 /56, 192.0.2.9 /32',
	'the longest prefix, IPv6');
like(dns_text(dns_ask('network.geo.test', 'A', ecs => '10.1.0.0/24')),
	qr/ 60 IN A /, 'nothing has to be waited for');

$t->write_file_expand('nginx.conf', geo_conf(state => 0,
	stream => 'dns_network two { 10.1.0.0/16; }'));
$t->reload();
is(geo_wait('network', '10.1.0.0/24', '192.0.2.2 /16'), '192.0.2.2 /16',
	'reload with other networks');
$t->stop();

# one process does it all

geo_run($t, geoip => 'city.mmdb asn.mmdb', main => 'master_process off;');

is(geo_wait('country', '10.1.0.0/24', '192.0.2.1 /8'), '192.0.2.1 /8',
	'without a master process');
is(geo_wait('asn', '10.1.0.0/24', '192.0.2.1 /8'), '192.0.2.1 /8',
	'both files');
$t->stop();

# what knows nothing is said when it is looked into

# by another user than before

remove_tree("$d/state");
geo_run($t, geoip => 'none.mmdb');
like((dns_error_log($t, qr/none\.mmdb" is not used/))[0],
	qr/it knows neither countries nor AS numbers nor places/,
	'a database of something else');
is(geo_at('country', '10.1.0.0/24'), '192.0.2.9 /0', 'it is not used');

# the signaller

unlink "$d/none.mmdb";

my $out = `$nginx -p $d/ -c nginx.conf -e error.log -s reopen 2>&1`;

is($?, 0, 'reopen without the database') or diag $out;
unlike($out, qr/emerg/, 'nothing is said of it');

undef $t;

###############################################################################

sub config {
	my ($stream) = @_;

	$stream =~ s/; /;\n/g;

	$t->write_file_expand('nginx.conf', "%%TEST_GLOBALS%%\nevents { }\n"
		. "stream {\n# 1\n$stream\n}\n");

	# lines are counted from the one before the directives

	my $text = $t->read_file('nginx.conf');
	my $line = () = $text =~ /\G.*?\n(?=.*^# 1$)/gms;
	my $out = `$nginx -p $d/ -c nginx.conf -e error.log -t 2>&1`;
	my $ok = ($? == 0);

	$out =~ s/(nginx\.conf:)(\d+)/$1 . ($2 - $line - 1)/ge;

	return ($ok, $out);
}


sub good {
	my ($stream, $name) = @_;

	my ($ok, $out) = config($stream);

	ok($ok, $name) or diag $out;
}


sub bad {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($ok ? "accepted\n" : $out, $re, $name);
}


sub said {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($out, $re, $name);
}

###############################################################################
