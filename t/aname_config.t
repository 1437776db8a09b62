#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the directives of ANAME targets: what is refused and taken, counters,
# and what is said if there is no resolver though one is needed.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(21);

my $d = $t->testdir();
chmod 0755, $d;

my $state = "dns_state_path $d/state;";
my $resolver = 'dns_aname_resolver 192.0.2.53';

refused($t, "$resolver;",
	qr/"dns_aname_resolver" in \S+ needs "dns_state_path"/);
refused($t, "$state $resolver; $resolver;", qr/is duplicate/);
refused($t, "$state dns_aname_resolver;", qr/invalid number of arguments/);
refused($t, "$state dns_aname_resolver timeout=1s;", qr/has no address/);
refused($t, "$state dns_aname_resolver a..b;", qr/is not an address/);
refused($t, "$state dns_aname_resolver unix:/x;", qr/is not an address/);
refused($t, "$state dns_aname_resolver localhost;", qr/is not an address/);
refused($t, "$state $resolver timeout=5ms;", qr/between 10ms and 60s/);
refused($t, "$state $resolver timeout=2m;", qr/between 10ms and 60s/);
refused($t, "$state $resolver timeout=;", qr/invalid parameter "timeout="/);
refused($t, "$state dns_aname_resolver " . join(' ', map { "192.0.2.$_" }
	1 .. 5) . ';', qr/more than 4 addresses/);
refused($t, "$state $resolver; dns_aname_cache 8k;", qr/is less than 256k/);
refused($t, "$state $resolver; dns_aname_ecs maybe;", qr/it must be "on"/);

accepted($t, "$state $resolver;");
accepted($t, "$state dns_aname_resolver 192.0.2.1:5353 [2001:db8::1]:53 "
	. '[::1] timeout=1s; dns_aname_ecs on; dns_aname_cache 1m;');
accepted($t, 'dns_aname_ecs on; dns_aname_cache 256k;');

# no resolver: names of this server only; nginx.pid is there already

unlink "$d/nginx.pid";

dns_run($t, zones => { 'a.test' => zone_text('a.test', <<'EOF') },
local	ANAME	www
www	A	192.0.2.1
away	ANAME	www.ext.
EOF
	stream => $state . <<'EOF');

    server {
        listen 127.0.0.1:%%PORT_8085%%;
        return "$dns_aname_entries $dns_aname_queries $dns_aname_age";
    }
EOF

like(dns_text(dns_ask('local.a.test', 'A')), qr/ A 192\.0\.2\.1$/m,
	'a target in a zone');
like(dns_text(dns_ask('away.a.test', 'A', edns => 1232)),
	qr/^SERVFAIL qr\n.*option 15 0016$/ms, 'a target of others');

my @said = dns_error_log($t, qr/ANAME to ".*" is answered with|ANAME to "/);

is(scalar @said, 1, 'it is said once');
like($said[0], qr/\[warn\].*ANAME to "www\.ext\.", which is in no zone/,
	'what is said');

is(Test::Nginx::Stream::stream('127.0.0.1:' . port(8085))->read(), '0 0 0',
	'counters of nothing');

###############################################################################

sub tested {
	my ($t, $directives) = @_;

	my $d = $t->testdir();
	my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

	$t->write_file_expand('check.conf', <<EOF);
%%TEST_GLOBALS%%

events { }

stream {
    %%TEST_GLOBALS_STREAM%%
    $directives

    server {
        listen 127.0.0.1:%%PORT_8986_UDP%% udp;
        dns on;
    }
}
EOF

	my $out = `$nginx -p $d/ -c check.conf -e check.log -t 2>&1`;

	return ($?, $out);
}


sub refused {
	my ($t, $directives, $re) = @_;

	my ($status, $out) = tested($t, $directives);

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	like(($status ? 'refused: ' : 'taken: ') . $out, qr/^refused: .*$re/s,
		$directives =~ s/^dns_state_path \S+ //r);
}


sub accepted {
	my ($t, $directives) = @_;

	my ($status, $out) = tested($t, $directives);

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is($status, 0, $directives =~ s/^dns_state_path \S+ //r)
		or diag($out);
}

###############################################################################
