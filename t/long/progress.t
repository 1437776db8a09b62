#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the notices about a zone that takes seconds to load.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib '../lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(4);

$t->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen    127.0.0.1:%%PORT_8980_UDP%% udp;

        dns       on;
        dns_zone  large.test  large.test.zone;
    }
}

EOC

# 15 million records: seconds on any machine

my $zone = <<'EOZ';
$TTL 300
@ SOA ns1 host 1 7200 3600 1209600 60
@ NS ns1
ns1 A 192.0.2.53
EOZ

$zone .= "\$GENERATE 0-999999 h\$.g$_ A 192.0.2.$_\n" for 1 .. 15;

$t->write_file('large.test.zone', $zone);

# a start would have to be waited for longer than the library does

my $out = nginx_t($t);

like($out, qr/zone "large.test": \d+% of \d+ octets read after \d+ ms/,
	'progress');
like($out, qr/zone "large.test" loaded: serial 1, 150000\d\d names/, 'loaded');

my @seconds = $out =~ /octets read after (\d+)\d{3} ms/g;
cmp_ok(scalar @seconds, '>=', 1, 'times');
is(scalar(grep { $seconds[$_] < $seconds[$_ - 1] } 1 .. $#seconds), 0,
	'times grow');

###############################################################################

sub nginx_t {
	my ($t) = @_;

	my $dir = $t->testdir();
	my $nginx = $ENV{TEST_NGINX_BINARY};

	system("$nginx -p $dir/ -c nginx.conf -e error.log -t 2>/dev/null");

	return $t->read_file('error.log');
}

###############################################################################
