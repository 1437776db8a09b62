#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis that answers errors in place of data: what is loaded stays,
# few lines are logged, and all is well as soon as the errors are over.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @cases = (
	[ 'loading', "-LOADING Redis is loading the dataset in memory\r\n" ],
	[ 'readonly', "-READONLY You can't write\r\n" ],
	[ 'moved', "-MOVED 1 127.0.0.1:1\r\n" ],
	[ 'clusterdown', "-CLUSTERDOWN The cluster is down\r\n" ],
	[ 'noperm', "-NOPERM this user has no permissions\r\n" ],
	[ 'integer', ":1\r\n" ],
	[ 'nil', "\$-1\r\n" ],
	[ 'nils', "*2\r\n\$-1\r\n\$-1\r\n" ],
	[ 'empty', "*0\r\n" ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(3 * @cases + 2);

my $r = redis_start($t);
my $file = $t->testdir() . '/case';

# what is said in place of lists and of what transactions give

my $fake = redis_fake($t, listen => 8982, to => $r, answer => sub {
	my ($c, @words) = @_;

	open my $f, '<', $file or return undef;
	local $/;
	my $say = <$f>;

	return $words[0] =~ /^(?:SSCAN|SCAN|EXEC)$/i ? $say : undef;
});

change('192.0.2.0');
say_instead($cases[0][1]);

dns_run($t, stream => 'dns_state_path %%TESTDIR%%/state; '
	. "dns_redis $fake zone=zone:1m;", sources => [ 'zone' ]);

select undef, undef, undef, 0.3;
is(ask(), 'SERVFAIL', 'errors at the start');

say_instead(undef);
is_ip('192.0.2.0', 'and data');

for my $case (@cases) {
	my ($name, $say) = @$case;

	say_instead($say);
	my $lines = lines($t);
	my $ip = "192.0.2." . (1 + $lines % 250);

	change($ip);

	# the list too, and all of it again

	$r->command('SADD', $r->key('zones'), 'x.test.');
	select undef, undef, undef, 1.5;

	isnt(ask(), $ip, "$name, not yet");
	cmp_ok(lines($t) - $lines, '<=', 4, "$name, few lines");

	say_instead(undef);
	is_ip($ip, "$name, over");
}

###############################################################################

sub change {
	my ($ip) = @_;

	$r->l1('z.test.', { '@' => { a => { ttl => 5,
		records => [ { ip => $ip } ] } } });
}


sub say_instead {
	my ($octets) = @_;

	if (!defined $octets) {
		unlink $file;
		return;
	}

	open my $f, '>', "$file.new" or die;
	print $f $octets;
	close $f;
	rename "$file.new", $file;
}


sub lines {
	my ($t) = @_;

	my $text = $t->read_file('error.log');

	return scalar(() = $text =~ /\[(?:warn|error|crit|notice)\].*redis/g);
}


sub ask {
	my $text = dns_text(dns_ask('z.test', 'A'));

	return $text =~ / A (\S+)$/m ? $1 : ($text =~ /^(\w+)/)[0];
}


sub is_ip {
	my ($ip, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $re = qr/ A \Q$ip\E$/m;
	like(dns_text(dns_wait([ 'z.test', 'A' ], $re, 8)), $re, $name);
}

###############################################################################
