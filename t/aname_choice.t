#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for ANAME, CNAME and flattened targets in zones of this server that
# choose among their addresses: place, count, weights, health, and the scope of
# what is told.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;
use Test::Nginx::Redis;

use IO::Socket::INET;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server');

geo_need();

$t->plan(37);

geo_country($t->testdir() . '/country.mmdb', {
	'192.0.2.0/24' => { country => 'DE' },
	'198.51.96.0/20' => { country => 'US' },
});

# a target that lives; nothing is at the address beside it

my $port = port(8090);
my $lives = IO::Socket::INET->new(Listen => 128, ReuseAddr => 1,
	LocalAddr => "127.0.0.1:$port") or die "cannot listen: $!\n";

my $r = redis_start($t);

my %check = (health_check => { enable => JSON::PP::true(), protocol => 'tcp',
	port => 0 + $port, up_count => 1, down_count => 1, interval => 1,
	timeout => 500 });

my %sets = (
	geo => { a => { ttl => 60, filter => { geo_filter => 'country' },
		records => [ { ip => '203.0.113.1', country => 'DE' },
			{ ip => '203.0.113.2', country => [ 'US', 'CA' ] },
			{ ip => '203.0.113.3', country => '' } ] } },
	single => { a => { ttl => 70, filter => { count => 'single',
		order => 'weighted' }, records => [
			{ ip => '203.0.113.4', weight => 3 },
			{ ip => '203.0.113.5', weight => 1 },
			{ ip => '203.0.113.6', weight => 0 } ] } },
	multi => { a => { ttl => 80, filter => { count => 'multi',
		order => 'rr' }, records => [ { ip => '203.0.113.7' },
			{ ip => '203.0.113.8' } ] } },
	none => { a => { ttl => 90, filter => { geo_filter => 'country',
		no_match => 'none' }, records => [
			{ ip => '203.0.113.9', country => 'FR' } ] } },
	live => { a => { ttl => 60, %check, records => [
		{ ip => '127.0.0.1' }, { ip => '127.77.0.1' } ] } },
);

$r->l1('one.test.', {
	%sets,
	(map { ("an-$_" => { aname => { location => "$_.one.test.",
		ttl => 300 } }, "to-$_" => { aname => {
		location => "$_.two.test." } } ) } keys %sets),
	'@' => { aname => { location => 'geo.two.test.', ttl => 20 } },
	'*.w' => { aname => { location => 'geo.one.test.' } },
}, config => redis_soa('one.test'));

$r->l4('two.test.', {
	(map { ($_ => { A => $sets{$_}{a} }) } keys %sets),
	(map { ("cn-$_" => { CNAME => { host => "$_.two.test.",
		ttl => 40 } }) } keys %sets),
	'fa' => { CNAME => { host => 'an.two.test.', ttl => 40 } },
	an => { ANAME => { location => 'geo.one.test.' } },
}, config => redis_soa('two.test', cname_flattening => JSON::PP::true()));

dns_run($t, zones => { 'file.test' => zone_text('file.test',
	join '', map { "$_ ANAME $_.one.test.\n" } keys %sets) },
	stream => $r->directives() . 'dns_geoip %%TESTDIR%%/country.mmdb;');

my ($de, $us, $else) = ('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24');

dns_wait([ 'geo.one.test', 'A', ecs => $de ], qr/ A 203\.0\.113\.1$/m);
dns_wait([ 'geo.two.test', 'A', ecs => $de ], qr/ A 203\.0\.113\.1$/m);

###############################################################################

# by place, through each way, with the scope of the target's choice

my %ways = ('an-geo.one.test' => 60, 'to-geo.one.test' => 60,
	'one.test' => 20, 'x.y.w.one.test' => 60, 'cn-geo.two.test' => 40,
	'fa.two.test' => 40, 'geo.file.test' => 60);

for my $name (sort keys %ways) {
	is(told($name, $de), "$ways{$name} 203.0.113.1 $de/24", "$name DE");
	is(told($name, $us), "$ways{$name} 203.0.113.2 $us/20", "$name US");
	is(told($name, $else) =~ s/\d+$//r,
		"$ways{$name} 203.0.113.3 $else/", "$name elsewhere");
}

# nothing is left

for my $name (qw/ an-none.one.test none.file.test cn-none.two.test /) {
	like(dns_text(dns_ask($name, 'A', ecs => $us)),
		qr/^NOERROR qr aa\nquestion .*\nauthority .* SOA /,
		"$name, nobody");
}

# one of several, by weight; the one without is never sent

for my $name (qw/ an-single.one.test cn-single.two.test single.file.test /) {
	my %n;

	$n{address($name)}++ for 1 .. 60;

	is(join(' ', sort keys %n), '203.0.113.4 203.0.113.5',
		"$name, single");
	cmp_ok($n{'203.0.113.4'}, '>', $n{'203.0.113.5'}, "$name, weights");
}

# all, each first now and then

for my $name (qw/ an-multi.one.test cn-multi.two.test multi.file.test /) {
	my %n;

	$n{address($name)}++ for 1 .. 40;

	is(join(' ', sort keys %n), '203.0.113.7,203.0.113.8 '
		. '203.0.113.8,203.0.113.7', "$name, multi");
}

# the state is that of the target's owner

for my $name (qw/ an-live.one.test to-live.one.test cn-live.two.test
	live.file.test /)
{
	my $text = dns_text(dns_wait([ $name, 'A' ],
		sub { $_[1] !~ /127\.77/ }));

	like($text, qr/ A 127\.0\.0\.1\n(?!answer)/, "$name, health");
}

close $lives;

###############################################################################

# TTL, address and subnet with scope.

sub told {
	my ($name, $ecs) = @_;

	my $reply = dns_ask($name, 'A', ecs => $ecs);
	my @answer = dns_text($reply)
		=~ /^answer \Q$name\E\. (\d+) IN A (\S+)$/mg;

	return join ' ', @answer, dns_reply_ecs($reply) // 'no subnet';
}


# The addresses in order.

sub address {
	my ($name) = @_;

	my $reply = dns_parse(dns_ask($name, 'A'));

	return join ',', map { $_->{rdata} } @{ $reply->{answer} };
}

###############################################################################
