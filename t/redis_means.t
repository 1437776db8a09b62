#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the ways in which changes in Redis are heard of: tracking, keyspace
# events where tracking is refused, polling where neither is possible.  Then
# what is lost with a connection, and a reload without reading everything.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(24);

# names with characters that mean something in patterns

my $r = redis_start($t, prefix => 'a*[b]?', suffix => '\\s', key => 'z42');

my %users = (
	track => '~* &* +@all',
	event => '~* &* +@all -client',
	blind => '~* &* +@all -client -config',
	poll => '~* resetchannels +@all -client -config',
);

$r->command('ACL', 'SETUSER', $_, 'on', '>secret', split / /, $users{$_})
	for sort keys %users;
$r->command('CONFIG', 'SET', 'notify-keyspace-events', 'KA');

my @sources = sort keys %users;
my ($servers, $port) = ('', 8070);

# each server has the zones of one source

my $conf = dns_conf(sources => [ qw/ track event poll / ],
	stream => 'dns_state_path %%TESTDIR%%/state;',
	server => servers($r, 'track'));

for my $name (grep { $_ ne 'track' } @sources) {
	my $server = servers($r, $name);
	my $n = $port++;

	$servers .= <<EOF;
    server {
        listen 127.0.0.1:%%PORT_${n}_UDP%% udp;
        dns on;
        $server
    }
EOF
}

$conf =~ s/(.*)\n}/$1\n$servers}/s;

$r->command('SELECT', 3);
change('192.0.2.1');

dns_run($t, conf => $conf);

my %ports = (track => dns_port());

$port = 8070;
$ports{$_} = port($port++, udp => 1) for grep { $_ ne 'track' } @sources;

is_ip($_, '192.0.2.1', "$_, start") for @sources;

is(means('track'), 'tracking', 'tracking');
is(means('event'), 'events', 'keyspace events');
is(means('poll'), 'polling', 'polling');

like(join("\n", dns_error_log($t, qr/by polling, everything is compared/)),
	qr/zone: "poll"/, 'polling is told');
like(join("\n", dns_error_log($t, qr/by keyspace events and polling/)),
	qr/zone: "blind"/, 'and both');

change('192.0.2.2');
is_ip($_, '192.0.2.2', "$_, change") for @sources;

# only those that cannot know compare again

select undef, undef, undef, 2.2;

my $c = dns_counters();

is($c->{"$_.comparisons"}, 1, "$_, one comparison") for qw/ track event /;
cmp_ok($c->{"$_.comparisons"}, '>', 2, "$_, comparisons") for qw/ poll /;

# whatever connection is cut, nothing is missed

kill_clients(qr/name=\S*notifications/);
change('192.0.2.3');
is_ip('track', '192.0.2.3', 'notifications cut');

kill_clients(qr/name=\S*data/);
change('192.0.2.4');
is_ip('track', '192.0.2.4', 'data cut');

# all is gone for a moment: tracking says so; the zones stay meanwhile

$r->command('FLUSHALL');
select undef, undef, undef, 0.2;
is_ip('track', '192.0.2.4', 'flushed');

change('192.0.2.5');
is_ip('track', '192.0.2.5', 'and filled');

cmp_ok(dns_counters()->{'track.disbelieved'}, '>', 0, 'disbelieved');

# events are turned off, which nobody is told, and on again

$r->command('CONFIG', 'SET', 'notify-keyspace-events', 'Ks');
is(means('event', 'polling'), 'polling', 'events turned off');

change('192.0.2.6');
is_ip('event', '192.0.2.6', 'and polled');

$r->command('CONFIG', 'SET', 'notify-keyspace-events', 'KA');
kill_clients(qr/user=event\b/);
is(means('event', 'events'), 'events', 'and on again');

###############################################################################

sub servers {
	my ($r, $name) = @_;

	return 'dns_redis ' . $r->address() . " zone=$name:1m db=3"
		. " key=z42 user=$name password=secret prefix=a*[b]?"
		. ' "suffix=\\\\s" poll=1s;';
}


sub change {
	my ($ip) = @_;

	$r->l1('z.test.', { www => { a => { ttl => 5,
		records => [ { ip => $ip } ] } } });
}


sub kill_clients {
	my ($which) = @_;

	for my $line (split /\n/, $r->command('CLIENT', 'LIST')) {
		my ($id) = $line =~ /^id=(\d+)/;

		$r->command('CLIENT', 'KILL', 'ID', $id)
			if $line =~ $which;
	}
}


sub means {
	my ($name, $wanted) = @_;

	my $value;

	for (1 .. 200) {
		$value = dns_counters()->{"$name.means"};
		last if defined $wanted ? $value eq $wanted : $value ne 'none';
		select undef, undef, undef, 0.05;
	}

	return $value;
}


sub is_ip {
	my ($source, $ip, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $reply = dns_wait([ 'www.z.test', 'A', port => $ports{$source} ],
		qr/ A \Q$ip\E$/m, 8);

	like(dns_text($reply), qr/ A \Q$ip\E$/m, $what);
}

###############################################################################
