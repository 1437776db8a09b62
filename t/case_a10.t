#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A10: replies that are not those of the query are ignored, and the right one
# that comes after them is taken; IDs and source ports cannot be guessed.

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

my @wrong = qw/ id question type qr port short /;
my $names = 400;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(2 * @wrong + 10);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	(map { ("$_.ext A" => { rr => [ '192.0.2.1' ], before => [ $_ ] }) }
		@wrong),
	'all.ext A' => { rr => [ '192.0.2.1' ], before => [ @wrong, @wrong ] },
	'late.ext A' => { rr => [ '192.0.2.2' ], delay => 1 },
	'* A' => { rr => [ '192.0.2.9' ], ttl => 3000 },
	'* AAAA' => { rr => [], soa => [ 3000, 3000 ] },
});

dns_run($t, zones => { 'a.test' => zone_text('a.test', join '',
	(map { "$_ 30 ANAME $_.ext.\n" } @wrong, 'all', 'late'),
	(map { "n$_ ANAME n$_.ext.\n" } 1 .. $names)) },
	stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]} timeout=300ms;");

###############################################################################

for my $name (@wrong, 'all') {
	dns_is(dns_wait([ "$name.a.test", 'A' ], qr/ A /), <<EOF, "A10 $name");
	NOERROR qr aa
	question	$name.a.test. IN A
	answer		$name.a.test. 30 IN A 192.0.2.1
EOF

	my $n = () = $resolver->queries("$name.ext", 'A');

	cmp_ok($n, '<=', 2, "A10 $name, not asked in vain");
}

# one that comes when nobody waits any more is nothing either

my $text = dns_text(dns_wait([ 'late.a.test', 'A' ], qr/ A /, 2));

unlike($text, qr/192\.0\.2\.(?!2$)/m, 'A10 late');

# all names of the zone have been asked for

$resolver->wait_queries(1, "n$_.ext", 'A', 10) for 1 .. $names;

my @queries = $resolver->queries();
my %ids = map { $_->{id} => 1 } @queries;
my %ports = map { $_->{port} => 1 } @queries;

cmp_ok(scalar @queries, '>=', 2 * $names, 'A10 queries');
cmp_ok(scalar keys %ids, '>', 0.97 * @queries, 'A10 IDs are many');
cmp_ok(scalar keys %ports, '>', 0.9 * @queries, 'A10 source ports are many');

# 16 classes by the upper bits, and by the lower: chi square, 15 degrees of
# freedom, is above 44 in one of 10,000 runs

cmp_ok(chi(map { $_->{id} >> 12 } @queries), '<', 44, 'A10 upper bits of IDs');
cmp_ok(chi(map { $_->{id} & 15 } @queries), '<', 44, 'A10 lower bits of IDs');

my $steps = grep { $queries[$_]{id} == $queries[$_ - 1]{id} + 1 }
	1 .. $#queries;

cmp_ok($steps, '<', 3, 'A10 IDs are no series');

is(scalar(grep { !$_->{rd} } @queries), 0, 'A10 recursion is desired');

###############################################################################

sub chi {
	my @n = (0) x 16;

	$n[$_]++ for @_;

	my $e = @_ / 16;
	my $chi = 0;

	$chi += ($_ - $e) ** 2 / $e for @n;

	return $chi;
}

###############################################################################
