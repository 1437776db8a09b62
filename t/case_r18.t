#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for replies that are no replies: lengths that are not meant, arrays in
# arrays without end, garbage.  The connection is cut, what was loaded stays,
# and memory is not asked for what does not come, case R18.

###############################################################################

use warnings;
use strict;

use Test::More;

use Time::HiRes qw/ time sleep /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @cases = (
	[ 'elements', "*4294967295\r\n", qr/an array is too long/ ],
	[ 'most elements', "*16777216\r\n" . "*1\r\n" x 7,
		qr/arrays are nested too deep/ ],
	[ 'arrays in arrays', "*1\r\n" x 100_000,
		qr/arrays are nested too deep/ ],
	[ 'octets', "\$2147483648\r\nabc", qr/a string is too long/ ],
	[ 'more octets', "\$18446744073709551617\r\nabc",
		qr/a string is too long/ ],
	[ 'a negative length', "\$-7\r\n", qr/a length is no number/ ],
	[ 'garbage', "HTTP/1.1 400 Bad Request\r\n\r\n", qr/no Redis reply/ ],
	[ 'another protocol', "%1\r\n+a\r\n+b\r\n", qr/no Redis reply/ ],
	[ 'a string that is longer', "\$1\r\nabc\r\n", qr/a string has no end/ ],
	[ 'replies nobody asked for', "+OK\r\n+OK\r\n+OK\r\n", qr/not the reply|not expected|redis answers/ ],
	[ 'garbage at once', "all \0\0\0\0", qr/no Redis reply/ ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(3 + 3 * @cases);

my $r = redis_start($t);

change($r, 1);

# what stands in the file is the reply to every command but those that
# connections begin with; with "all", to those too

my $mode = $t->testdir() . '/mode';

$t->write_file('mode', '');

redis_fake($t, listen => 8981, to => $r, answer => sub {
	my ($c, $word) = @_;

	open my $f, '<', $mode or return undef;

	my $reply = do { local $/; <$f> };

	return undef if !defined $reply || $reply eq '';
	return $reply if $reply =~ s/^all //;
	return undef if $word =~ /^(?:ping|client|config|p?subscribe)$/i;
	return $reply;
});

dns_run($t, stream => <<EOF);
    dns_state_path state;
    dns_redis 127.0.0.1:8981 zone=edge:4m;
EOF

my $ask = [ 'www.z1.test', 'A' ];
my $n = 1;

like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.1$/m)), qr/ 192\.0\.2\.1$/m,
	'loaded');

my ($pid) = map { /(\d+)#\d+: dns control process/ ? $1 : () }
	log_lines($t, qr/dns control process/);

my $before = rss($pid);

sleep(1);

###############################################################################

for my $case (@cases) {
	my ($name, $reply, $said) = @$case;
	my $old = qr/ 192\.0\.2\.$n$/m;

	set_mode($t, $reply);
	change($r, ++$n);
	$r->command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
		if $reply =~ /^all/;

	is(others($ask, $old, 0.7), '', "$name: the old data");
	cmp_ok(scalar(log_lines($t, $said)), '>', 0, "$name: in the log");

	set_mode($t, '');

	like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.$n$/m, 5)),
		qr/ 192\.0\.2\.$n$/m, "$name: in step again");
}

my $more = rss($pid) - $before;

cmp_ok($more, '<', memory(4096), "memory, $more kB more");
ok(kill(0, $pid), 'the same process');

###############################################################################

sub change {
	my ($r, $n) = @_;

	$r->l1('z1.test.', { www => { a => { ttl => 5,
		records => [ { ip => "192.0.2.$n" } ] } } });
}

sub set_mode {
	my ($t, $reply) = @_;

	$t->write_file('mode.new', $reply);
	rename $t->testdir() . '/mode.new', $t->testdir() . '/mode' or die;
}

# Asks for some time, gives the replies that were not as wanted.

sub others {
	my ($ask, $re, $seconds) = @_;

	my $until = time() + $seconds;
	my %others;

	while (time() < $until) {
		my $reply = dns_ask(@$ask);
		my $text = defined $reply ? dns_text($reply) : 'none';

		$others{$text}++ if $text !~ $re;
		sleep(0.01);
	}

	return join "\n", keys %others;
}

sub log_lines {
	my ($t, $re) = @_;
	return grep { /$re/ } split /\n/, $t->read_file('error.log');
}

# kB of a process

sub rss {
	my ($pid) = @_;

	open my $f, '<', "/proc/$pid/status" or return 0;

	my ($n) = map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$f>;

	return $n;
}

# kB that may be more; a sanitizer keeps what is freed for a while, and looks
# for leaks itself

sub memory {
	my ($kb) = @_;
	return `$ENV{TEST_NGINX_BINARY} -V 2>&1` =~ /-fsanitize/ ? 65536 : $kb;
}

###############################################################################
