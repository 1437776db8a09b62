#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for very many zones that get other names in one transaction: what that
# takes grows with their number, not with its square.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use POSIX qw//;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $zones = 20000;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(7);

my $r = redis_start($t);

$r->command('EVAL', <<'END', 0, $zones);
for i = 1, ARGV[1] do
    redis.call('HSET', 'redins:zones:old' .. i .. '.test.', 'www',
               '{"a":{"ttl":60,"records":[{"ip":"192.0.2.1"}]}}')
    redis.call('SADD', 'redins:zones', 'old' .. i .. '.test.')
end
END

dns_run($t, stream => $r->directives('zone=zone:32m'), sources => [ 'zone' ]);

is(zones(), $zones, 'zones');

my $master = int $t->read_file('nginx.pid');
my $control = control();
my $used = dns_counters()->{'zone.used'};
my $spent = cpu($control);

$r->command('EVAL', <<'END', 0, $zones);
for i = 1, ARGV[1] do
    redis.call('RENAME', 'redins:zones:old' .. i .. '.test.',
               'redins:zones:new' .. i .. '.test.')
    redis.call('SREM', 'redins:zones', 'old' .. i .. '.test.')
    redis.call('SADD', 'redins:zones', 'new' .. i .. '.test.')
end
END

my @wrong = grep { dns_text(dns_wait([ "www.new$_.test", 'A' ],
	qr/192\.0\.2\.1$/m, 60)) !~ /192\.0\.2\.1$/m } some();

is("@wrong", '', 'new names');

@wrong = grep { dns_text(dns_wait([ "www.old$_.test", 'A' ], qr/^REFUSED/))
	!~ /^REFUSED/ } some();

is("@wrong", '', 'old names');
is(zones(), $zones, 'zones, renamed');

# octets of names and of zones are the same

is(dns_counters()->{'zone.used'}, $used, 'octets in use');

is(control(), $control, 'the same process');

$spent = cpu($control) - $spent;

cmp_ok($spent, '<', $ENV{TEST_DNS_SANITIZED} ? 20 : 4, 'seconds of its CPU');

###############################################################################

sub some {
	return map { 1 + $_ * 997 % $zones } 0 .. 99;
}


sub zones {
	my $n;

	for (1 .. 300) {
		$n = dns_counters()->{'zone.zones'};
		last if $n == $zones;
		select undef, undef, undef, 0.1;
	}

	return $n;
}


sub control {
	my ($pid) = map { /^\s*(\d+) nginx: cache manager/ ? $1 : () }
		split /\n/, `ps -o pid,args --ppid $master`;

	return $pid;
}


# Seconds of a process, its own and those that the system spent for it.

sub cpu {
	my ($pid) = @_;

	open my $stat, '<', "/proc/$pid/stat" or return 0;

	my @fields = split / /, (<$stat> =~ s/.*\) //r);

	return ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

###############################################################################
