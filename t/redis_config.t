#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for configurations with zones from Redis that are refused, and for
# what is said of them.

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

my $t = Test::Nginx->new()->has(qw/stream stream_return udp unix/)->plan(76);

my $d = $t->testdir();
my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';
my $udp = '%%PORT_8981_UDP%%';

$t->write_file('secret', "  top secret \nsecond line\n");
$t->write_file('secret_crlf', "top\r\n");
$t->write_file('secret_empty', "\nx\n");
$t->write_file('error.log', '');

my $server = "server { listen 127.0.0.1:$udp udp; dns on; }";
my $state = 'dns_state_path state;';

###############################################################################

# addresses

redis_good('127.0.0.1:6379 zone=a:1m', 'address');
redis_good('127.0.0.1 zone=a:1m', 'address without port');
redis_good('[::1]:6379 zone=a:1m', 'IPv6');
redis_good('[::1] zone=a:1m', 'IPv6 without port');
redis_good("unix:/@{[ 'x' x 106 ]} zone=a:1m", 'unix socket');

redis_bad("unix:/@{[ 'x' x 107 ]} zone=a:1m",
	qr/too long path in the unix domain socket in address "unix:\/x+" of/,
	'unix socket, path too long');
redis_bad('unix: zone=a:1m', qr/in address "unix:" of "dns_redis"/,
	'unix socket without path');
redis_bad('127.0.0.1:70000 zone=a:1m',
	qr/invalid port in address "127\.0\.0\.1:70000" of "dns_redis"/, 'port');
redis_bad('127.0.0.1:x zone=a:1m', qr/invalid port in address/,
	'port not a number');
redis_bad(':6379 zone=a:1m', qr/no host in address ":6379"/, 'no host');
redis_bad('[::1 zone=a:1m', qr/in address "\[::1" of "dns_redis"/,
	'broken IPv6');

# host names are for a resolver

bad("$state dns_redis redis.test:6379 zone=a:1m; $server",
	qr/no resolver defined to resolve "redis\.test" of "dns_redis" in \S+:\d+/,
	'host without resolver');
good("$state resolver 127.0.0.1:1; dns_redis redis.test zone=a:1m; $server",
	'host with resolver');
good("$state resolver 127.0.0.1:1; server { listen 127.0.0.1:$udp udp; "
	. "dns on; dns_redis redis.test zone=a:1m; }",
	'host with inherited resolver');
good("$state server { listen 127.0.0.1:$udp udp; "
	. "resolver 127.0.0.1:1; resolver_timeout 1s; "
	. 'dns on; dns_redis redis.test zone=a:1m; }',
	"host with the server's resolver");
bad("$state dns_redis redis.test zone=a:1m; server { "
	. "listen 127.0.0.1:$udp udp; resolver 127.0.0.1:1; dns on; }",
	qr/no resolver defined to resolve "redis\.test"/,
	'resolver of another level');

# the shared zone

redis_bad('127.0.0.1 db=1', qr/"dns_redis" .* needs the parameter "zone=name/,
	'no zone');
bad("$state dns_redis 127.0.0.1; $server",
	qr/invalid number of arguments in "dns_redis"/, 'address alone');
redis_bad('127.0.0.1 zone=a',
	qr/"zone=a" of "dns_redis" is not of the form "zone=name:size"/,
	'no size');
redis_bad('127.0.0.1 zone=:1m', qr/"zone=:1m" .* is not of the form/,
	'no name');
redis_bad('127.0.0.1 zone=a:', qr/"zone=a:" .* has an invalid size/,
	'empty size');
redis_bad('127.0.0.1 zone=a:1x', qr/"zone=a:1x" .* has an invalid size/,
	'bad size');
redis_bad('127.0.0.1 zone=a:1023k', qr/has a size of less than 1m/,
	'small size');
redis_bad('127.0.0.1 zone=a/b:1m', qr/has a name with other characters/,
	'bad name');
redis_bad('127.0.0.1 zone=.a:1m', qr/has a name with other characters/,
	'hidden name');
redis_bad("127.0.0.1 zone=@{[ 'a' x 65 ]}:1m",
	qr/has a name longer than 64 characters/, 'long name');
redis_good("127.0.0.1 zone=@{[ 'a' x 58 ]}-B.2_:1m", 'name');
redis_bad('127.0.0.1 zone=a:1m zone=b:1m',
	qr/duplicate parameter "zone" of "dns_redis"/, 'two zones');

good("$state dns_redis 127.0.0.1 zone=a:1m; dns_redis 127.0.0.1 zone=b:2m; "
	. $server, 'several sources');
bad("$state dns_redis 127.0.0.1 zone=a:1m; dns_redis 127.0.0.2 zone=a:1m; "
	. $server, qr/duplicate zone "a" of "dns_redis", .* in \S+:\d+ in/,
	'duplicate zone');
bad("$state dns_redis 127.0.0.1 zone=a:1m; "
	. "server { listen 127.0.0.1:$udp udp; dns on; "
	. 'dns_redis 127.0.0.1 zone=a:1m; }', qr/duplicate zone "a"/,
	'duplicate zone at another level');
bad("$state limit_conn_zone \$binary_remote_addr zone=a:1m; "
	. "dns_redis 127.0.0.1 zone=a:1m; $server",
	qr/the shared memory zone "a" is already declared for a different use|(?x:
	)the\ size\ .*\ of\ shared\ memory\ zone\ "a"/, 'zone of another module');

# parameters

redis_good('127.0.0.1 zone=a:1m db=3 user=u password=p prefix=x suffix=y '
	. 'key=z42 profile=z42 poll=1s timeout=500ms stale=1h stale_ede=on '
	. 'empty=drop snapshot=1m', 'all parameters');
redis_good('127.0.0.1 zone=a:1m prefix= suffix= key=any profile=redins '
	. 'stale=0 stale_ede=off empty=keep snapshot=0', 'other values');
redis_good('127.0.0.1 zone=a:1m profile=strict', 'profile');

redis_bad('127.0.0.1 zone=a:1m bogus=1',
	qr/invalid parameter "bogus" of "dns_redis"/, 'unknown parameter');
redis_bad('127.0.0.1 zone=a:1m 127.0.0.2',
	qr/invalid parameter "127\.0\.0\.2" of "dns_redis"/, 'second address');

for my $case (
	[ 'db=x', qr/is not the number of a database/ ],
	[ 'db=-1', qr/is not the number of a database/ ],
	[ 'db=', qr/is not the number of a database/ ],
	[ 'user=', qr/is empty/ ],
	[ 'key=', qr/is empty/ ],
	[ 'profile=bind', qr/is none of "strict", "redins", and "z42"/ ],
	[ 'poll=x', qr/has an invalid time/ ],
	[ 'poll=0', qr/is less than 10 milliseconds/ ],
	[ 'timeout=', qr/has an invalid time/ ],
	[ 'timeout=9ms', qr/is less than 10 milliseconds/ ],
	[ 'stale=1x', qr/has an invalid time/ ],
	[ 'stale_ede=yes', qr/is neither "on" nor "off"/ ],
	[ 'empty=maybe', qr/is neither "keep" nor "drop"/ ],
	[ 'snapshot=x', qr/has an invalid time/ ],
) {
	my ($param, $said) = @$case;

	redis_bad("127.0.0.1 zone=a:1m $param",
		qr/parameter "\Q$param\E" of "dns_redis" $said/, $param);
}

# what is secret stays so

my $out = redis_bad('127.0.0.1 zone=a:1m password=',
	qr/parameter "password" of "dns_redis" is empty/, 'empty password');

$out = redis_bad('127.0.0.1 zone=a:1m password=hush password=hush',
	qr/duplicate parameter "password"/, 'two passwords');
unlike($out, qr/hush/, 'password not logged');

$out = redis_bad('127.0.0.1 zone=a:1m passwd=hush',
	qr/invalid parameter "passwd"/, 'misspelt password');
unlike($out, qr/hush/, 'misspelt password not logged');

redis_good('127.0.0.1 zone=a:1m password_file=secret', 'password file');
redis_good("127.0.0.1 zone=a:1m password_file=$d/secret_crlf",
	'password file, full path');
redis_bad('127.0.0.1 zone=a:1m password_file=nothing',
	qr/open\(\) "\Q$d\E\/nothing" failed \(2: No such file/,
	'password file missing');
redis_bad('127.0.0.1 zone=a:1m password_file=', qr/"password_file=" .* is empty/,
	'password file empty');
redis_bad("127.0.0.1 zone=a:1m password_file=$d", qr/read\(\) "\Q$d\E" failed/,
	'password file a folder');
$out = redis_bad('127.0.0.1 zone=a:1m password_file=secret_empty',
	qr/names a file without a first line/, 'password file without password');

redis_bad('127.0.0.1 zone=a:1m password=hush password_file=secret',
	qr/"password_file=secret" of "dns_redis" is given beside "password"/,
	'password and file');
$out = redis_bad('127.0.0.1 zone=a:1m password_file=secret password=hush',
	qr/"password" of "dns_redis" is given beside "password_file"/,
	'file and password');
unlike($out, qr/hush|top secret/, 'neither logged');

config("$state dns_redis 127.0.0.1 zone=a:1m password_file=secret; $server");
unlike(dump_all(), qr/top secret/, 'password not dumped');

# the state directory

bad("dns_redis 127.0.0.1 zone=a:1m; $server",
	qr/"dns_redis" in \S+:\d+ needs "dns_state_path"/, 'no state path');
bad("$state $state $server", qr/"dns_state_path" directive is duplicate/,
	'two state paths');
bad("dns_state_path ''; $server", qr/"dns_state_path" .* has an empty path/,
	'empty state path');
bad("server { listen 127.0.0.1:$udp udp; dns on; $state }",
	qr/"dns_state_path" directive is not allowed here/,
	'state path in a server');
bad("dns_state_path none/state; $server",
	qr/mkdir\(\) ".*none\/state" failed/, 'state path in no folder');
said("$state $server", qr/\[warn\].*"dns" without zones/,
	'state path without sources');
good("dns_state_path $d/state2///; dns_redis 127.0.0.1 zone=a:1m; $server",
	'state path with slashes');
ok(-d "$d/state2", 'state path created');

# counters are known by name

good("$state dns_redis 127.0.0.1 zone=a-b.c:1m; server { "
	. "listen 127.0.0.1:$udp; return \$dns_source_a_b_c_zones; }",
	'counter');
bad("$state dns_redis 127.0.0.1 zone=a:1m; server { "
	. "listen 127.0.0.1:$udp; return \$dns_source_a_nothing; }",
	qr/unknown "dns_source_a_nothing" variable/, 'unknown counter');

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
}


sub check {
	return `$nginx -t -p $d/ -c nginx.conf -e $d/error.log 2>&1`;
}


sub dump_all {
	return `$nginx -T -p $d/ -c nginx.conf -e $d/error.log 2>&1`;
}


sub good {
	my ($stream, $name) = @_;

	config($stream);

	my $out = check();

	is($? == 0 && $out !~ /\[(?!notice)/ ? '' : $out, '', $name);
}


sub said {
	my ($stream, $re, $name) = @_;

	config($stream);

	my $out = check();

	ok($? == 0 && $out =~ $re, $name) or diag($out);
}


sub bad {
	my ($stream, $re, $name) = @_;

	config($stream);

	my $out = check();

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	ok($? != 0 && $out =~ $re, $name) or diag($out);

	# what was refused is no alert of the test

	return $out;
}


sub redis_good {
	my ($args, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	return good("$state dns_redis $args; $server", $name);
}


sub redis_bad {
	my ($args, $re, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	return bad("$state dns_redis $args; $server", $re, $name);
}

###############################################################################
