#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A02: what the resolver of an ANAME target may say, and what becomes of it at
# an apex that has more than the ANAME.  Nobody waits for the resolver.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

# a zone for each: what the resolver says, what is answered

my @cases = (
	[ servfail => { rcode => 'SERVFAIL' }, 'SERVFAIL' ],
	[ refused => { rcode => 'REFUSED' }, 'SERVFAIL' ],
	[ formerr => { rcode => 'FORMERR' }, 'SERVFAIL' ],
	[ notimp => { rcode => 'NOTIMP' }, 'SERVFAIL' ],
	[ silent => { silent => 1 }, 'SERVFAIL' ],
	[ nxdomain => { rcode => 'NXDOMAIN' }, 'NODATA' ],
	[ 'nxdomain-chain' => { rcode => 'NXDOMAIN',
		chain => [ [ 'nowhere.ext', 60 ] ] }, 'NODATA' ],
	[ empty => { rr => [] }, 'NODATA' ],
	[ 'empty-nosoa' => { rr => [], soa => 0 }, 'NODATA' ],
	[ good => { rr => [ '192.0.2.1' ], ttl => 200 }, '200 192.0.2.1' ],
	[ chain => { rr => [ '192.0.2.2', '192.0.2.3' ], ttl => 200,
		chain => [ [ 'c1.ext', 100 ], [ 'c2.ext', 150 ] ] },
		'100 192.0.2.2 192.0.2.3' ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(3 * @cases + 10);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	'stale.ext A' => { rr => [ '192.0.2.5' ], ttl => 1 },
	map { ("$_->[0].ext A" => $_->[1], "$_->[0].ext AAAA" => $_->[1]) }
		@cases
});

my %zones = map { ("$_->[0].test" => zone_text("$_->[0].test", <<EOF)) }
@	ANAME	$_->[0].ext.
@	MX	10 ns1
@	TXT	"x"
EOF
	@cases, [ 'stale' ];

dns_run($t, zones => \%zones, stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]} timeout=300ms;");

###############################################################################

# asked for before anybody asks here

$resolver->wait_queries(1, "$_->[0].ext", 'A') for @cases;
sleep 0.5;

for my $case (@cases) {
	my ($name, undef, $answer) = @$case;
	my $zone = "$name.test";
	my $start = time();
	my $reply = dns_ask($zone, 'A', edns => 1232);
	my $spent = time() - $start;

	like(ttl_text($reply), expected($zone, $answer), "A02 $name");
	cmp_ok($spent, '<', 0.25, "A02 $name, at once");

	dns_is(dns_ask($zone, 'MX'), <<EOF, "A02 $name, MX");
	NOERROR qr aa
	question	$zone. IN MX
	answer		$zone. 300 IN MX 10 ns1.$zone.
	additional	ns1.$zone. 300 IN A 192.0.2.53
EOF
}

# over TCP

like(ttl_text(dns_ask('servfail.test', 'A', edns => 1232, over => 'tcp')),
	expected('servfail.test', 'SERVFAIL'), 'A02 over TCP');

# it recovers: what fails is asked again

$resolver->set('servfail.ext', 'A', { rr => [ '192.0.2.4' ], ttl => 100 });
dns_ask('servfail.test', 'A');

like(ttl_text(dns_wait([ 'servfail.test', 'A', edns => 1232 ], qr/ A /)),
	expected('servfail.test', '100 192.0.2.4'), 'A02 over again');

# what was there once is better than nothing, and is not for long

like(ttl_text(dns_wait([ 'stale.test', 'A' ], qr/ A /)),
	qr/^NOERROR.*stale\.test\. [01] IN A 192\.0\.2\.5$/ms, 'A02 short TTL');

for my $case ([ servfail => { rcode => 'SERVFAIL' } ],
	[ refused => { rcode => 'REFUSED' } ], [ silent => { silent => 1 } ])
{
	my ($name, $spec) = @$case;

	$resolver->set('stale.ext', 'A', $spec);
	sleep 1.2;
	dns_ask('stale.test', 'A');
	sleep 0.7;

	like(ttl_text(dns_ask('stale.test', 'A')), qr/^NOERROR\ qr\ aa\n
		question\ stale\.test\.\ IN\ A\n
		answer\ stale\.test\.\ (?:[0-9]|[12][0-9]|30)\ IN\ A
		\ 192\.0\.2\.5$/x, "A02 $name, stale");

	dns_is(dns_ask('stale.test', 'TXT'), <<EOF, "A02 $name, TXT");
	NOERROR qr aa
	question	stale.test. IN TXT
	answer		stale.test. 300 IN TXT "x"
EOF
}

# then it is said to be gone, and so it is

$resolver->set('stale.ext', 'A', { rcode => 'NXDOMAIN' });

like(ttl_text(dns_wait([ 'stale.test', 'A' ], sub { $_[1] =~ /SOA/ }, 15)),
	expected('stale.test', 'NODATA'), 'A02 gone');

###############################################################################

sub ttl_text {
	my ($reply) = @_;

	return dns_text($reply) =~ s/^edns .*\n//mr;
}


# The TTL may be a second or two less, as it counts down.

sub expected {
	my ($zone, $answer) = @_;

	return qr/^SERVFAIL\ qr\nquestion\ \Q$zone\E\.\ IN\ A\n
		option\ 15\ 0016\n$/x if $answer eq 'SERVFAIL';

	return qr/^NOERROR\ qr\ aa\nquestion\ \Q$zone\E\.\ IN\ A\n
		authority\ \Q$zone\E\.\ \d+\ IN\ SOA\ .*\n$/x
		if $answer eq 'NODATA';

	my ($ttl, @addresses) = split / /, $answer;
	my $ttls = join '|', $ttl - 5 .. $ttl;

	my $lines = join '', map {
		"answer \Q$zone\E\\. (?:$ttls) IN A \Q$_\E\n" } @addresses;

	return qr/^NOERROR qr aa\nquestion \Q$zone\E\. IN A\n$lines$/;
}

###############################################################################
