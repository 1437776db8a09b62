#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for replies that are errors, or not what was asked for: what was
# loaded stays, and the log has few lines of it, case R02.

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

my @replies = (
	"-LOADING Redis is loading the dataset in memory\r\n",
	"-NOAUTH Authentication required.\r\n",
	"-WRONGPASS invalid username-password pair\r\n",
	"-READONLY You can't write against a read only replica.\r\n",
	"-MASTERDOWN Link with MASTER is down\r\n",
	"-MOVED 1 127.0.0.1:1\r\n",
	"-CLUSTERDOWN Hash slot not served\r\n",
	"-ERR unknown command\r\n",
	":1\r\n", "\$-1\r\n", "*1\r\n\$-1\r\n", "*0\r\n",
	"all -LOADING Redis is loading the dataset in memory\r\n",
	"all -NOAUTH Authentication required.\r\n",
	"all -ERR max number of clients reached\r\n",
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(4 + 3 * @replies);

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

###############################################################################

my $faults = qr/\[(?:error|warn|crit)\].*zone: "edge"/;

for my $reply (@replies) {
	my ($name) = $reply =~ /^(\S+ ?\S*)/;
	my $old = qr/ 192\.0\.2\.$n$/m;
	my $start = time();
	my $before = log_lines($t, $faults);

	set_mode($t, $reply);
	change($r, ++$n);
	$r->command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
		if $reply =~ /^all/;

	is(others($ask, $old, 1.5), '', "$name: the old data");

	set_mode($t, '');

	like(dns_text(dns_wait($ask, qr/ 192\.0\.2\.$n$/m, 5)),
		qr/ 192\.0\.2\.$n$/m, "$name: in step again");

	my $lines = log_lines($t, $faults) - $before;
	my $seconds = time() - $start;

	cmp_ok($lines, '<=', $seconds + 3,
		sprintf "%s: %d lines in %.1f s", $name, $lines, $seconds);
}

# keys of another type: what was loaded stays

$r->command('DEL', 'redins:zones');
$r->command('SET', 'redins:zones', 'x');

is(others($ask, qr/ 192\.0\.2\.$n$/m, 1), '', 'the list is no set');

$r->command('DEL', 'redins:zones');
$r->command('SADD', 'redins:zones', 'z1.test.');
$r->command('SADD', 'redins:zones:z1.test.:config', 'x');

is(others($ask, qr/ 192\.0\.2\.$n$/m, 1), '', 'the config is no string');
like(dns_text(dns_ask('www.none.test', 'A')), qr/^\s*REFUSED/,
	'outside the zones');

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

###############################################################################
