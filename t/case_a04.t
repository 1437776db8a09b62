#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A04: ANAME over TCP is what it is over UDP, also between other queries, and
# a client that goes away leaves nothing behind.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(9);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	'www.ext A' => { rr => [ '192.0.2.1', '192.0.2.2' ], ttl => 100000,
		chain => [ [ 'c.ext', 90000 ] ] },
	'late.ext A' => { rr => [ '192.0.2.3' ], delay => 1 },
});

dns_run($t, zones => { 'a.test' => zone_text('a.test', <<'EOF') },
@	ANAME	www.ext.
late	ANAME	late.ext.
www	A	192.0.2.80
EOF
	counters => 1, stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]} timeout=3s;");

my $worker = worker($t);

###############################################################################

dns_wait([ 'a.test', 'A' ], qr/ A /);

my $udp = dns_text(dns_ask('a.test', 'A'));

is($udp, dns_canon(<<EOF), 'A04 over UDP');
	NOERROR qr aa
	question	a.test. IN A
	answer		a.test. 300 IN A 192.0.2.1
	answer		a.test. 300 IN A 192.0.2.2
EOF

is(dns_text(dns_ask('a.test', 'A', over => 'tcp')), $udp, 'A04 over TCP');

# between others, on one connection

my $client = dns_client(proto => 'tcp');
my @asked = ([ 'www.a.test', 'A' ], [ 'a.test', 'A' ], [ 'a.test', 'NS' ],
	[ 'a.test', 'A' ], [ 'www.a.test', 'A' ]);

$client->write(join '', map { dns_frame(dns_query(@{ $asked[$_] },
	id => $_ + 1)) } 0 .. $#asked);

my %replies = map { (unpack('n', $_) => dns_text($_)) }
	grep { defined } map { $client->recv() } @asked;

is($replies{2}, $udp, 'A04 second of five');
is($replies{4}, $udp, 'A04 fourth of five');
like($replies{$_}, qr/192\.0\.2\.80/, "A04 another, $_") for 1, 5;

$client->close();

# clients that go away while the resolver is asked

my $before = descriptors($worker);

for (1 .. 20) {
	my $c = dns_client(proto => 'tcp');

	$c->write(dns_frame(dns_query('late.a.test', 'A')));
	$c->close();
}

like(dns_text(dns_wait([ 'late.a.test', 'A' ], qr/ A /)),
	qr/late\.a\.test\. \d+ IN A 192\.0\.2\.3/, 'A04 the answer comes');

my $after;

for (1 .. 50) {
	$after = descriptors($worker);
	last if $after <= $before;
	sleep 0.1;
}

cmp_ok($after, '<=', $before, 'A04 no descriptor is left');
is(dns_text(dns_ask('a.test', 'A', over => 'tcp')), $udp, 'A04 at the end');

###############################################################################

# The process that answers.

sub worker {
	my ($t) = @_;
	my ($line) = dns_error_log($t, qr/start worker process \d+/);

	return $line =~ /start worker process (\d+)/ ? $1 : 0;
}


sub descriptors {
	my ($pid) = @_;

	opendir my $d, "/proc/$pid/fd" or return -1;

	return scalar grep { /^\d+$/ } readdir $d;
}

###############################################################################
