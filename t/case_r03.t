#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for Redis with passwords and databases: AUTH and SELECT come first on
# every connection, no reply is taken for another one's, and a password that
# is refused is told once, case R03.

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

my $t = Test::Nginx->new()->has(qw/stream udp unix/)
	->has_daemon('redis-server')->plan(16);

my $r = redis_start($t, port => 8981, password => 'of-default',
	conf => "unixsocketperm 777\nuser zones on >of-user ~* &* +\@all");

# databases 0 and 5 have the same keys, each source looks for its own

for my $db (0, 5) {
	for my $name (qw/ default user wrong none /) {
		change($r, $name, $db ? '192.0.2.1' : '203.0.113.1', $db);
	}
}

my $socket = $r->socket_path();

$t->write_file('password', "of-user\n");

dns_run($t, sources => [ 'default', 'user' ], stream => <<EOF);
    dns_state_path state;

    dns_redis 127.0.0.1:8981 zone=default:1m db=5 prefix=default-
              password=of-default;
    dns_redis unix:$socket zone=user:1m db=5 prefix=user- user=zones
              password_file=password;

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_redis 127.0.0.1:8981 zone=wrong:1m prefix=wrong-
                  user=zones password=not-of-user;
    }
EOF

my $answer = <<'EOF';
	NOERROR qr aa
	question	www.default.test. IN A
	answer		www.default.test. 5 IN A 192.0.2.1
EOF

###############################################################################

dns_is(dns_wait([ 'www.default.test', 'A' ], $answer), $answer, 'password');

# what is seen is all that there is: no other database, no other order

my %seen;

for my $i (1 .. 50) {
	for my $type (qw/ normal pubsub /) {
		$r->command('CLIENT', 'KILL', 'TYPE', $type, 'SKIPME', 'yes');
	}

	for (1 .. 4) {
		for my $zone (qw/ default user none /) {
			my $reply = dns_ask("www.$zone.test", 'A');
			$seen{dns_text($reply) =~ s/^\s+//gmr}++;
		}
	}

	sleep(rand() * 0.2);
}

is(scalar(keys %seen), 3, 'the same replies all the time')
	or diag(join "\n", sort keys %seen);
is(scalar(grep { /203\.0\.113/ } keys %seen), 0, 'never from database 0');

my $counters = dns_counters();

cmp_ok($counters->{'default.reconnects'}, '>', 3, 'connected again');
cmp_ok($counters->{'user.reconnects'}, '>', 3, 'connected again, user');

# and changes come from the same database

change($r, 'user', '203.0.113.2', 0);
change($r, 'user', '192.0.2.2', 5);

my $changed = dns_wait([ 'www.user.test', 'A' ], qr/\.2$/m);

like(dns_text($changed), qr/ 192\.0\.2\.2$/m, 'a change');

like($r->command('CLIENT', 'LIST'),
	qr/ name=ngx_dns_module:user:\w+:\d+ .* db=5 .* user=zones /,
	'name of the client');

# a password that changes: the data stays, one line tells it

$r->command('ACL', 'SETUSER', 'zones', 'resetpass', '>other');
$r->command('CLIENT', 'KILL', 'USER', 'zones');
change($r, 'user', '192.0.2.3', 5);

sleep(3);

like(dns_text(dns_ask('www.user.test', 'A')), qr/ 192\.0\.2\.2$/m,
	'what was there stays');

my @refused = log_lines($t, qr/cannot connect to redis .* zone: "user"/);

is(scalar(grep { !/AUTH: "WRONGPASS / } @refused), 0, 'refused');
is(scalar(@refused), 2, 'a line per connection');

$r->command('ACL', 'SETUSER', 'zones', 'resetpass', '>of-user');

my $start = time();

$changed = dns_wait([ 'www.user.test', 'A' ], qr/ 192\.0\.2\.3$/m);

like(dns_text($changed), qr/ 192\.0\.2\.3$/m, 'the password again');
cmp_ok(time() - $start, '<', 3, 'soon');

# one that was never right

my $reply = dns_ask('www.wrong.test', 'A', port => port(8982, udp => 1),
	edns => 1232);

like(dns_text($reply), qr/^\s*SERVFAIL/, 'no data without password');
like(dns_text($reply), qr/^option 15 000e/m, 'not ready');

@refused = log_lines($t, qr/cannot connect to redis .* zone: "wrong"/);

is(scalar(@refused), 2, 'a line per connection, however many attempts');

is(scalar(log_lines($t, qr/of-default|of-user/)), 0, 'no password in the log');

###############################################################################

sub change {
	my ($r, $name, $ip, $db) = @_;

	my $client = $r->client();

	$client->command('SELECT', $db);
	$client->multi($r->l1_commands("$name.test.", { www => { a => {
		ttl => 5, records => [ { ip => $ip } ] } } },
		prefix => "$name-"));
}

sub log_lines {
	my ($t, $re) = @_;
	return grep { /$re/ } split /\n/, $t->read_file('error.log');
}

###############################################################################
