#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests of Test::Nginx and Test::Nginx::Stream on modules of nginx itself.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx qw/ :DEFAULT http_content /;
use Test::Nginx::Stream qw/ dgram stream /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/http stream stream_return udp/)->plan(31);

$t->write_file_expand('nginx.conf', <<'EOF');

%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen  127.0.0.1:8081;
        return  $remote_port;
    }

    server {
        listen  127.0.0.1:%%PORT_8982_UDP%% udp;
        return  $protocol;
    }

    server {
        listen  127.0.0.1:%%PORT_8983%%;
        return  $server_port;
    }
}

http {
    %%TEST_GLOBALS_HTTP%%

    # the debug log of http passes null pointers to memcpy()

    error_log %%TESTDIR%%/error.log info;

    server {
        listen  127.0.0.1:8080;
        server_name  localhost;

        location / {
            return  200 "$request_uri in %%TESTDIR%%";
        }

        location /body {
            return  200 $http_x;
        }
    }
}

EOF

$t->run();

###############################################################################

# features

is($t->has_module('stream'), 1, 'module');
is($t->has_module('stream_return'), 1, 'module that is on by default');
is($t->has_module('nginx version'), 1, 'pattern');
is($t->has_module('no such thing'), 0, 'no such module');
is($t->has_feature('udp'), 1, 'feature');
is($t->has_feature('no such thing'), 0, 'no such feature');
is($t->has_version('1.22'), 1, 'version');
is($t->has_version('1.22.0.1') + $t->has_version('99'), 1, 'later version');

# files

is($t->write_file('a', "a\0\n"), $t, 'write_file');
is($t->read_file('a'), "a\0\n", 'read_file');
ok(!eval { $t->read_file('absent'); 1 }, 'read_file of an absent file');
is($t->waitforfile($t->testdir() . '/a'), 1, 'waitforfile');
like($t->read_file('nginx.conf'), qr/^pid \Q${\ $t->testdir()}\E/m, 'globals');
like($t->dump_config(), qr/return  \$protocol;/, 'dump_config');

# ports

like(port(8080), qr/^8\d{3}$/, 'port');
is(port(8080), port(8080), 'port again');
isnt(port(8081), port(8080), 'another port');
is($t->waitforsocket('127.0.0.1:' . port(8080)), 1, 'waitforsocket');

my $lock = port(8984, udp => 1, socket => 1);

is($lock->socktype(), &IO::Socket::SOCK_STREAM, 'lock of a UDP port');
is($lock->sockport(), port(8984), 'lock has the same number');

# http

my $dir = $t->testdir();

is(http_content(http_get('/a')), "/a in $dir", 'http_get');
like(http_head('/a'), qr/^HTTP\S+ 200.*\x0d\x0a\x0d\x0a$/s, 'http_head');
like(http("GET /body HTTP/1.0\nX: y\n\n"), qr/y$/, 'http');

my $s = http("GET /b HT", start => 1);
is(http_content(http("TP/1.0\n\n", socket => $s)), "/b in $dir",
	'http in two parts');

# stream

$s = stream('127.0.0.1:' . port(8081));
is($s->read(), $s->sockport(), 'stream');
is($s->read(), '', 'end of stream');

is(stream(PeerPort => port(8983))->io(''), port(8983), 'stream by port');

$s = dgram('127.0.0.1:' . port(8982));
is($s->io('1', read_timeout => 3), 'UDP', 'dgram');
is($s->io('', read_timeout => 3), 'UDP', 'dgram without content');
is($s->read(read_timeout => 0.2), undef, 'dgram without a reply');

# reload

# the ports are there already: not to be expanded again

$t->write_file('nginx.conf', $t->read_file('nginx.conf')
	=~ s/return  \$protocol/return  new/r);
$t->reload();

my $new = '';

for (1 .. 50) {
	last if ($new = dgram('127.0.0.1:' . port(8982))->io('1')) eq 'new';
	select undef, undef, undef, 0.1;
}

is($new, 'new', 'reload');

###############################################################################
