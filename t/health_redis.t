#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for states of addresses in Redis: one server checks and writes them,
# another one goes by them; those that redins and z42 would write count, too.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use JSON::PP qw//;
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use IO::Select;
use IO::Socket::INET;
use POSIX qw/ strftime /;
use Time::HiRes qw/ time sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(50);

my $r = redis_start($t);
my $dir = $t->testdir();
my $backend = port(8081);

# 127.0.0.1 and 127.0.0.3 have a server, 127.0.0.2 has none

$t->run_daemon(\&backend, $backend, $dir);
$t->waitforsocket("127.0.0.1:$backend");

my $check = { enable => JSON::PP::true(), uri => '/up', port => $backend,
	up_count => 2, down_count => -2 };

$r->l1('z1.test.', { map { $_ => set($check, 1, 2, 3) } '@', qw/ www *.w / },
	config => redis_soa('z1.test', domain_id => 'd-1'));
$r->l4('z2.test.', { map { $_ => { A => set($check, 1, 3)->{a} } } '@',
	'www' }, config => redis_soa('z2.test'));

# who checks, and who does not

my $health = "dns_health_interval 200ms;\n    ";

dns_run($t, stream => $r->directives('zone=one:4m') . $health);

my $passive = another('dns_health passive; dns_state_path %%TESTDIR%%/state;',
	'two', 8984)->run();

my %ports = (one => dns_port(), two => port(8984, udp => 1),
	heir => port(8985, udp => 1));

###############################################################################

# both agree, under all names

for my $name (qw/ www.z1.test z1.test a.w.z1.test /) {
	is_set($_, $name, '1 3', 'one is down') for qw/ one two /;
}

is_set($_, 'z2.test', '1 3', 'all are up') for qw/ one two /;

# what the keys say

my $up = state('www.z1.test.:127.0.0.1', sub { $_[0]{status} == 2 });
my $last = delete $up->{lastcheck};

is_deeply($up, { enable => JSON::PP::true(), protocol => 'http', uri => '/up',
	port => $backend, status => 2, timeout => 1000, up_count => 2,
	down_count => -2, domain_uuid => 'd-1', host => 'www.z1.test.',
	ip => '127.0.0.1' }, 'a key');
like($last, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'last check');

is(state('www.z1.test.:127.0.0.2')->{status}, -2, 'down');
is(state('z1.test.:127.0.0.2')->{status}, -2, 'down, apex');
is(state('*.w.z1.test.:127.0.0.2')->{status}, -2, 'down, wildcard');
is(state('z2.test.:127.0.0.3')->{status}, 2, 'up, L4');

my $ttl = $r->command('PTTL', key('www.z1.test.:127.0.0.1'));

cmp_ok($ttl, '>', 300000, 'it stays for a while');
cmp_ok($ttl, '<=', 600000, 'and goes');

# changes are seen by both

$t->write_file('sick', '');
is_set($_, 'www.z1.test', '1', 'another one is down') for qw/ one two /;

unlink "$dir/sick";
is_set($_, 'www.z1.test', '1 3', 'it is up again') for qw/ one two /;

# nothing changes, nothing is written

my $sets = $r->calls()->{set};

sleep 1;
is($r->calls()->{set}, $sets, 'no writes without a change');

# a record that is not there any more: its key is left to expire

$r->l1('z1.test.', { www => set($check, 1, 3) }, keep => 1,
	config => redis_soa('z1.test', domain_id => 'd-1'));
is_set('one', 'www.z1.test', '1 3', 'a record is removed');
cmp_ok($r->command('PTTL', key('www.z1.test.:127.0.0.2')), '>', 0,
	'its key expires');

# all is forgotten: zones by who writes them, states by who checks

$r->command('DEL', key('www.z1.test.:127.0.0.1'));
$r->command('CLIENT', 'KILL', 'TYPE', 'normal');
is(state('www.z1.test.:127.0.0.1')->{status}, 2, 'written after a reconnect');

# a user that may not write

$r->command('ACL', 'SETUSER', 'default', '-set');
$t->write_file('sick', '');

like((dns_error_log($t, qr/does not take states/))[0], qr/NOPERM/, 'refused');
is_set('one', 'www.z1.test', '1', 'checks go on');
sleep 0.5;
is(() = dns_error_log($t, qr/does not take states/, timeout => 0.1), 1,
	'told once');

$r->command('ACL', 'SETUSER', 'default', '+set');
unlink "$dir/sick";
is_set('one', 'www.z1.test', '1 3', 'all is well');

# one who would check, but the lock of the state directory is taken

my $heir = another("dns_state_path $dir/state;", 'heir', 8985)->run();

is_set('heir', 'www.z1.test', '1 3', 'by states');
is_set('heir', 'z1.test', '1 3', 'by states, apex');
is(() = dns_error_log($heir, qr/ is down: (?!heard of)/, timeout => 0.1), 0,
	'nothing is checked');

# the lock is free

$r->command('DEL', key('z1.test.:127.0.0.2'));
$t->stop();

is(state('z1.test.:127.0.0.2')->{status}, -2, 'another one checks');
is_set('heir', 'z1.test', '1 3', 'as before');

# nobody checks any more: states of other writers

$heir->stop();

put('www.z2.test.:127.0.0.1', status => -3, down_count => -3);
is_set('two', 'www.z2.test', '3', 'down by redins');

put('www.z2.test.:127.0.0.1', status => 1);
sleep 0.7;
is_set('two', 'www.z2.test', '3', 'not up yet');

put('www.z2.test.:127.0.0.1', status => 3);
is_set('two', 'www.z2.test', '1 3', 'up by redins');

put('www.z2.test.:127.0.0.1', status => -4, down_count => 4);
is_set('two', 'www.z2.test', '3', 'counts with another sign');

put('www.z2.test.:127.0.0.1');
is_set('two', 'www.z2.test', '1 3', 'no status: unknown');

put('@.z2.test.:127.0.0.3', status => -3, host => '@.z2.test.',
	ip => '127.0.0.3');
is_set('two', 'z2.test', '1', 'the apex of z42');

put('z2.test.:127.0.0.3', status => 3, later => 10);
is_set('two', 'z2.test', '1 3', 'the later one of two keys');

put('www.z2.test.:127.0.0.3', status => -3);
is_set('two', 'www.z2.test', '1', 'down');

$r->command('DEL', key('www.z2.test.:127.0.0.3'));
is_set('two', 'www.z2.test', '1 3', 'no key: unknown');

put('www.z2.test.:127.0.0.3', status => -3);
is_set('two', 'www.z2.test', '1', 'down');

$r->command('SET', key('www.z2.test.:127.0.0.3'), '{"status":');
is_set('two', 'www.z2.test', '1 3', 'no JSON: unknown');

sleep 1.2;
is(() = dns_error_log($passive, qr/\[warn\].*state of 127\.0\.0\.3:\d+ of /,
	timeout => 0.1), 1, 'told once');

$passive->stop();

# a start: what was down before is down at once, not after 500 checks

put('www.z3.test.:127.0.0.2', status => -500, down_count => -500, later => 0);
put('www.z3.test.:127.0.0.3', status => -500, down_count => -500, later => 0);
$r->l1('z3.test.', { www => set({ %$check, down_count => -500 }, 1, 2, 3) },
	config => redis_soa('z3.test'));

$t->run();
is_set('one', 'www.z3.test', '1 3', 'as before, but for the one that is up');

###############################################################################

# Another server, with directives of its own, a source and a port.

sub another {
	my ($directives, $source, $port) = @_;

	my $other = Test::Nginx->new();

	$other->write_file_expand('nginx.conf', <<EOF);
%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    $directives
    $health
    @{[ $r->directives("zone=$source:4m", state => 0) ]}

    server {
        listen 127.0.0.1:%%PORT_${port}_UDP%% udp;
        dns    on;
    }
}
EOF

	return $other;
}


sub set {
	my ($health, @octets) = @_;

	return { a => { ttl => 30, health_check => $health,
		records => [ map { { ip => "127.0.0.$_" } } @octets ] } };
}


sub key {
	return $r->key("healthcheck:$_[0]");
}


# The state in a key, once there is one that fits.

sub state {
	my ($name, $fits) = @_;

	my $value;

	for (1 .. 100) {
		my $text = $r->command('GET', key($name));

		$value = defined $text ? JSON::PP::decode_json($text) : {};

		return $value if %$value && (!$fits || $fits->($value));
		sleep 0.1;
	}

	return $value;
}


# As redins writes it.  A check was just now, or some seconds later.

sub put {
	my ($name, %members) = @_;

	my $later = delete $members{later} // 1;
	my $last = strftime('%Y-%m-%dT%H:%M:%S.123456789Z',
		gmtime(time() + $later));

	$r->command('SET', key($name), redis_json({ enable => JSON::PP::true(),
		protocol => 'http', uri => '/up', port => 80, timeout => 1000,
		up_count => 3, down_count => -3, lastcheck => $last,
		domain_uuid => '', %members }));
}


sub is_set {
	my ($server, $name, $octets, $text) = @_;

	my $got = '';

	dns_wait([ $name, 'A', port => $ports{$server} ], sub {
		$got = join ' ', $_[1] =~ /^answer.* A 127\.0\.0\.(\d)$/mg;
		return $got eq $octets;
	});

	is($got, $octets,
		"$server: $name, $text");
}


# Two addresses; the third one is well as long as there is no file "sick".

sub backend {
	my ($port, $path) = @_;

	my @servers = map { IO::Socket::INET->new(LocalAddr => "127.0.0.$_",
		LocalPort => $port, Proto => 'tcp', Listen => 100,
		ReuseAddr => 1) or die "listen: $!\n" } 1, 3;

	my $select = IO::Select->new(@servers);

	local $SIG{PIPE} = 'IGNORE';

	while (1) {
		for my $server ($select->can_read()) {
			my $client = $server->accept() or next;
			my $sick = $server == $servers[1] && -e "$path/sick";

			while (defined(my $line = $client->getline())) {
				last if $line =~ /^\r?\n$/;
			}

			$client->print('HTTP/1.1 ', $sick ? '500 Sick'
				: '200 OK', "\r\nContent-Length: 0\r\n",
				"Connection: close\r\n\r\n");
			$client->close();
		}
	}
}

###############################################################################
