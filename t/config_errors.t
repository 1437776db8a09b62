#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for configurations that are refused, and for what is said of them.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp unix/)
	->has(qw/stream_access stream_limit_conn stream_map/)->plan(65);

my $d = $t->testdir();
my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

my ($udp, $udp2) = ('%%PORT_8981_UDP%%', '%%PORT_8982_UDP%%');

mkdir "$d/zones";
mkdir "$d/more";

for my $name (qw/ a.test b.test c.test /) {
	$t->write_file("zones/$name.zone", zone_text($name, ''));
}

$t->write_file('more/a.test.zone', zone_text('a.test', ''));
$t->write_file('empty.zone', '');
$t->write_file('bad.zone', zone_text('a.test', <<'EOF'));
x A 192.0.2.256
y AAAA 1.2.3.4
z NOTYPE x
EOF

$t->write_file('error.log', '');

# what a working server needs

my $listen = "listen 127.0.0.1:$udp udp;";
my $zone = 'dns_zone a.test zones/a.test.zone;';

###############################################################################

# configurations that are good

good("server { $listen dns on; $zone }", 'simple');
good("$zone server { $listen dns on; }", 'zones inherited');
good("server { $listen dns on; dns_zones zones/*.zone; }", 'pattern');
good("server { $listen dns on; $zone dns_zones zones/*.zone; }",
	'pattern skips named zone');
good("server { $listen dns on; dns_zone a.test more/a.test.zone; "
	. 'dns_zones zones/*.zone; }', 'pattern skips zone of another file');
good("server { $listen dns on; dns_zones zones/*.zone; "
	. 'dns_zones zones/[ab]*; }', 'patterns overlap');
good("server { $listen dns off; return x; }", 'off');
good("server { $listen dns on; $zone } server { listen 127.0.0.1:$udp2 udp; "
	. "dns on; $zone }", 'one zone in two servers');
good("server { $listen dns on; $zone dns_udp_size 512; dns_any refused; "
	. 'dns_chaos on version=1 hostname=x; dns_nsid "$hostname"; '
	. 'dns_min_ttl 1m; dns_max_ttl 1w; dns_default_ttl 5m; '
	. 'dns_tcp_timeout 1s; dns_tcp_idle_timeout 2s; '
	. 'dns_tcp_send_timeout 3s; dns_tcp_max_unsent 32k; '
	. 'dns_tcp_max_queries 10; dns_udp_path batch; }', 'all directives');

# without zones

said("server { $listen dns on; }", qr/\[warn\].*"dns" without zones: .* in \S+:12/,
	'no zones');
said("server { $listen dns on; dns_zones none/*.zone; }",
	qr/\[warn\].*"dns" without zones: .* in \S+:12/, 'pattern without files');

# two kinds of content

bad("server { $listen dns on; $zone return x; }",
	qr/"dns" and another directive that handles the content/,
	'dns before return');
bad("server { $listen return x; dns on; $zone }",
	qr/"dns" directive conflicts with another directive that handles/,
	'return before dns');
bad("server { $listen dns on; $zone proxy_pass 127.0.0.1:1; }",
	qr/"dns" and another directive that handles the content/,
	'dns before proxy_pass');
bad("server { $listen proxy_pass 127.0.0.1:1; dns on; $zone }",
	qr/"dns" directive conflicts with another directive that handles/,
	'proxy_pass before dns');
bad("server { $listen dns on; dns on; $zone }", qr/"dns" directive is dupl/,
	'dns twice');

# zones

bad("server { $listen dns on; $zone $zone }",
	qr/duplicate zone "a\.test" of file ".*zones\/a\.test\.zone" in \S+:\d+, /,
	'duplicate zone');
bad("server { $listen dns on; $zone dns_zone A.Test. more/a.test.zone; }",
	qr/duplicate zone "A\.Test\."/, 'duplicate zone in another spelling');
bad("server { $listen dns on; dns_zones zones/*.zone; "
	. 'dns_zones more/*.zone; }',
	qr/duplicate zone "a\.test" of file .*more\/a\.test\.zone/,
	'duplicate zone of patterns');
bad("server { $listen dns on; dns_zone a..test zones/a.test.zone; }",
	qr/invalid zone name "a\.\.test": .* in .*nginx\.conf:\d+/, 'name');
bad("server { $listen dns on; dns_zone @{[ 'a' x 64 ]} zones/a.test.zone; }",
	qr/invalid zone name "a+": .*63/, 'long label');
bad("server { $listen dns on; dns_zone a.test missing.zone; }",
	qr/zone "a\.test": .*open\(\) failed \(2: No such file.*missing\.zone/,
	'missing file');
bad("server { $listen dns on; dns_zone a.test zones; }",
	qr/zone "a\.test": .*is a directory/, 'directory');
bad("server { $listen dns on; dns_zone a.test /dev/null; }",
	qr/zone "a\.test": .*is not a regular file/, 'device');
bad("server { $listen dns on; dns_zone a.test empty.zone; }",
	qr/zone "a\.test".*empty\.zone/, 'empty file');
bad("server { $listen dns on; dns_zone b.test zones/a.test.zone; }",
	qr/zone "b\.test": .*zones\/a\.test\.zone:\d+/, 'file of another zone');

my $out = bad("server { $listen dns on; dns_zone a.test bad.zone; }",
	qr/bad\.zone:6$/m, 'first error');

like($out, qr/bad\.zone:7$/m, 'second error');
like($out, qr/bad\.zone:8$/m, 'third error');
like($out, qr/zone "a\.test" is refused: 3 errors/, 'number of errors');

$out = bad("server { $listen dns on; dns_zone a.test bad.zone; "
	. 'dns_zone b.test empty.zone; }', qr/zone "a\.test" is refused/,
	'first zone');

like($out, qr/zone "b\.test" is refused/, 'second zone');

SKIP: {
skip 'root reads everything', 1 if $> == 0;

chmod 0, "$d/zones/c.test.zone";
bad("server { $listen dns on; dns_zone c.test zones/c.test.zone; }",
	qr/zone "c\.test": .*open\(\) failed \(13: Permission/, 'unreadable');
chmod 0644, "$d/zones/c.test.zone";
}

# values

bad("server { $listen dns on; $zone dns_udp_size 511; }", qr/511|512/,
	'dns_udp_size too small');
bad("server { $listen dns on; $zone dns_udp_size 4097; }", qr/4096/,
	'dns_udp_size too large');
bad("server { $listen dns on; $zone dns_any all; }", qr/"all"/, 'dns_any');
bad("server { $listen dns on; $zone dns_chaos yes; }", qr/"dns_chaos"/,
	'dns_chaos');
bad("server { $listen dns on; $zone dns_chaos on x=y; }",
	qr/invalid parameter "x=y"/, 'dns_chaos parameter');
bad("server { $listen dns on; $zone dns_nsid \$nothing; }",
	qr/unknown "nothing" variable/, 'dns_nsid variable');
bad("server { $listen dns on; $zone dns_nsid @{[ 'x' x 129 ]}; }",
	qr/"dns_nsid" is longer than 128/, 'dns_nsid too long');
bad("server { $listen dns on; $zone dns_nsid a; dns_nsid b; }",
	qr/"dns_nsid" directive is duplicate/, 'dns_nsid twice');
bad("server { $listen dns on; $zone dns_min_ttl 10; dns_max_ttl 5; }",
	qr/"dns_min_ttl" is greater than "dns_max_ttl"/, 'ttl order');
bad("server { $listen dns on; $zone dns_max_ttl 2147483648; }",
	qr/more than 2147483647|invalid value/, 'ttl too large');
bad("server { $listen dns on; $zone dns_tcp_max_queries 0; }",
	qr/must be between 1/, 'dns_tcp_max_queries');
bad("server { $listen dns on; $zone dns_udp_path fast; }", qr/"fast"/,
	'dns_udp_path');
bad("dns on; server { $listen $zone }", qr/"dns" directive is not allowed/,
	'dns at stream level');

# sockets

bad("server { listen unix:$d/udp.sock udp; dns on; $zone }",
	qr/"dns" does not work with the datagram socket "unix:.*udp\.sock"/,
	'unix datagram socket');
good("server { listen unix:$d/tcp.sock; dns on; $zone }", 'unix socket');
bad("server { listen 127.0.0.1:$udp udp proxy_protocol; dns on; $zone }",
	qr/proxy_protocol.*udp/, 'N09 PROXY protocol over UDP');

my $one = "server { listen $udp udp; dns on; $zone }";

bad("$one server { listen 127.0.0.1:$udp udp; return x; }",
	qr/in \S+:\d+ and the server in \S+:\d+ share the .* but not "dns on"/,
	'mixture');
bad("server { listen $udp udp; return x; } "
	. "server { listen 127.0.0.1:$udp udp; dns on; $zone }",
	qr/share the UDP socket ".*" but not "dns on"/, 'mixture, other order');
bad("$one server { listen 127.0.0.1:$udp udp; dns on; dns_udp_path session; "
	. "$zone }", qr/share the UDP socket ".*" but not "dns_udp_path"/,
	'mixture of paths');
good("$one server { listen 127.0.0.1:$udp; return x; }",
	'no mixture of UDP and TCP');
good("$one server { listen 127.0.0.1:$udp2 udp; return x; }",
	'no mixture of ports');
good("server { listen $udp udp; dns on; dns_udp_path session; $zone } "
	. "server { listen 127.0.0.1:$udp udp; return x; }",
	'mixture without batches');

# servers that are told apart by name, which a datagram does not have

SKIP: {
skip 'one server per address before 1.25.5', 2
	unless $t->has_version('1.25.5');

bad("server { $listen dns on; $zone } server { $listen dns on; $zone }",
	qr/"dns" in the server in \S+:\d+, which is not the default server/,
	'not the default server');
good("server { $listen dns on; $zone } "
	. "server { $listen server_name other; return x; }",
	'default server');
}

# counters are known by name

good("server { listen 127.0.0.1:$udp; return \$dns_counter_received_udp; }",
	'counter');
bad("server { listen 127.0.0.1:$udp; return \$dns_counter_nothing; }",
	qr/unknown "dns_counter_nothing" variable/, 'unknown counter');

# what other modules do

my $limit = 'limit_conn_zone $binary_remote_addr zone=l:1m;';

bad("$limit server { $listen limit_conn l 1; dns on; $zone }",
	qr/"limit_conn" has no effect on datagrams/, 'limit_conn');
bad("$limit limit_conn l 1; server { $listen dns on; $zone }",
	qr/"limit_conn" has no effect on datagrams/, 'limit_conn inherited');
good("$limit limit_conn l 1; server { listen 127.0.0.1:$udp; dns on; $zone }",
	'limit_conn TCP');

my $log = "log_format f x; server { $listen dns on; $zone access_log";

said("$log $d/a.log f; }", qr/\[warn\].*"access_log" without "buffer"/,
	'access_log');
good("$log $d/a.log f buffer=32k; }", 'access_log with buffer');
good("$log off; } access_log $d/a.log f;", 'access_log off');

undef $t;

###############################################################################

sub config {
	my ($stream) = @_;

	my $lines = join ";\n    ", split /; /, $stream;

	$t->write_file_expand('nginx.conf', <<EOF);

%%TEST_GLOBALS%%

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    $lines
}

EOF

	my $out = `$nginx -p $d/ -c nginx.conf -e error.log -t 2>&1`;

	return ($? == 0, $out);
}


sub good {
	my ($stream, $name) = @_;

	my ($ok, $out) = config($stream);

	ok($ok && $out !~ /\[(warn|error|crit|alert|emerg)\]/, $name)
		or diag $out;
}


sub bad {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($ok ? "accepted\n" : $out, $re, $name);

	return $out;
}


sub said {
	my ($stream, $re, $name) = @_;

	my ($ok, $out) = config($stream);

	like($ok ? $out : "refused: $out", $re, $name);
}

###############################################################################
