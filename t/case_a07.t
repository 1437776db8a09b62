#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A07: the network of the client in queries to the resolver, if it is wanted:
# answers are kept for each network that the resolver tells apart, with its
# scope.  Private addresses are told to nobody, and nothing is told unless
# dns_aname_ecs is on.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(19);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my ($gb, $us) = ('81.2.69.0/24', '216.160.83.0/24');

my %near = (rr => [ '192.0.2.9' ], ttl => 300, subnets => {
	$gb => { rr => [ '192.0.2.1' ], scope => 24 },
	$us => { rr => [ '192.0.2.2' ], scope => 16 },
});

my $resolver = resolver_start($t, data => {
	'cdn.ext A' => { %near },
	'flat.ext A' => { rr => [ '192.0.2.5' ], ttl => 300, scope => 0 },
});

dns_run($t, zones => { 'a.test' => zone_text('a.test', <<'EOF') },
$TTL 600
cdn	ANAME cdn.ext.
flat	ANAME flat.ext.
EOF
	stream => 'dns_state_path %%TESTDIR%%/state; dns_aname_ecs on;'
	. "dns_aname_resolver @{[ $resolver->address() ]};");

dns_wait([ 'cdn.a.test', 'A' ], qr/ A /);
dns_wait([ 'flat.a.test', 'A' ], qr/ A /);

###############################################################################

# without a network: everybody's

is(told('cdn.a.test'), '192.0.2.9 -', 'A07 no subnet, a private client');
is(told('cdn.a.test', '10.1.2.0/24'), '192.0.2.9 10.1.2.0/24/0',
	'A07 a private subnet');
is(scalar(grep { defined $_->{ecs} } $resolver->queries()), 0,
	'A07 private addresses are not told');

# each network its own, with the scope of the resolver

dns_wait([ 'cdn.a.test', 'A', ecs => $gb ], qr/192\.0\.2\.1$/m);
dns_wait([ 'cdn.a.test', 'A', ecs => $us ], qr/192\.0\.2\.2$/m);

is(told('cdn.a.test', $gb), "192.0.2.1 $gb/24", 'A07 scope 24');
is(told('cdn.a.test', $us), "192.0.2.2 $us/16", 'A07 scope 16');
is(told('cdn.a.test', '216.160.9.0/24'), '192.0.2.2 216.160.9.0/24/16',
	'A07 another network in the same scope');
is(told('cdn.a.test'), '192.0.2.9 -', 'A07 everybody as before');
is(told('cdn.a.test', '81.2.69.0/25'), '192.0.2.1 81.2.69.0/25/24',
	'A07 a smaller network');
is(told('cdn.a.test', '10.1.2.0/24'), '192.0.2.9 10.1.2.0/24/24',
	'A07 a private subnet, when others are given something else');

my @asked = map { $_->{ecs} // 'none' } $resolver->queries('cdn.ext', 'A');

is(scalar(grep { $_ eq $gb } @asked), 1, 'A07 each network once');
is(scalar(grep { $_ eq $us } @asked), 1, 'A07 each network once, the other');
is(scalar(grep { $_ eq '216.160.9.0/24' } @asked), 0,
	'A07 what the scope covers is not asked for');

# the prefix is never longer than 24

told('cdn.a.test', '198.51.77.7/32');
sleep 0.5;

is(scalar(grep { ($_->{ecs} // '') =~ m{/(?:2[5-9]|3)} }
	$resolver->queries()), 0, 'A07 at most 24 bits are told');

# the same for all: one entry, scope 0

dns_wait([ 'flat.a.test', 'A', ecs => $gb ],
	sub { (dns_reply_ecs($_[0]) // '') eq "$gb/0" });

is(told('flat.a.test', $gb), "192.0.2.5 $gb/0", 'A07 scope 0');
is(told('flat.a.test', $us), "192.0.2.5 $us/0", 'A07 scope 0 for all');

my $flat = () = $resolver->queries('flat.ext', 'A');

told('flat.a.test', "198.51.$_.0/24") for 1 .. 20;
sleep 0.5;

is(scalar(my @n = $resolver->queries('flat.ext', 'A')), $flat,
	'A07 and nobody is asked again');

# off: nothing is told, one entry

$t->write_file('nginx.conf', $t->read_file('nginx.conf')
	=~ s/dns_aname_ecs on/dns_aname_ecs off/r);
$t->reload();

is(told_soon('cdn.a.test', $gb), "192.0.2.9 $gb/0", 'A07 off');

# the old processes may answer and ask for a moment more

sleep 0.5;

my $before = grep { defined $_->{ecs} } $resolver->queries();

told('cdn.a.test', "198.51.100.0/24") for 1 .. 5;
sleep 0.5;

is(scalar(grep { defined $_->{ecs} } $resolver->queries()), $before,
	'A07 off, nothing is told');
is(told('cdn.a.test', $us), "192.0.2.9 $us/0", 'A07 off, for all the same');

###############################################################################

# Addresses and subnet with scope.

sub told {
	my ($name, $ecs) = @_;

	my $reply = dns_ask($name, 'A', defined $ecs ? (ecs => $ecs) : ());

	return join ' ', dns_text($reply) =~ / IN A (\S+)$/mg,
		dns_reply_ecs($reply) // '-';
}


# The same when the new workers answer.

sub told_soon {
	my ($name, $ecs) = @_;
	my $told;

	for (1 .. 100) {
		$told = told($name, $ecs);
		last if $told =~ m{/0$};
		sleep 0.05;
	}

	return $told;
}

###############################################################################
