#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A09: ANAMEs that lead back to themselves, in zones of this server and by way
# of a resolver that asks this server.  Local targets are answered from local
# data, for the client who asks.

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
use Test::Nginx::Resolver;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server');

geo_need();

$t->plan(20);

geo_country($t->testdir() . '/country.mmdb', {
	'192.0.2.0/24' => { country => 'DE' },
	'198.51.100.0/24' => { country => 'US' },
});

my $r = redis_start($t);

$r->l1('r.test.', {
	geo => { a => { ttl => 60, filter => { geo_filter => 'country' },
		records => [ { ip => '203.0.113.1', country => 'DE' },
			{ ip => '203.0.113.2', country => 'US' },
			{ ip => '203.0.113.3', country => '' } ] } },
	self => { aname => { location => 'self.r.test.' } },
	one => { aname => { location => 'two.a.test.' } },
}, config => redis_soa('r.test'));

# a resolver that knows nothing by itself: of names of ours it asks us

my $resolver = resolver_start($t, data => {
	'back.ext A' => { chain => [ [ 'back.a.test', 30 ] ] },
});

$resolver->set('around.ext', 'A', { forward => dns_port() });

dns_run($t, zones => { 'a.test' => zone_text('a.test', <<'EOF') },
@	MX	10 ns1
self	ANAME	self
one	ANAME	two
two	ANAME	one.r.test.
c1	ANAME	c2
c2	CNAME	c3
c3	CNAME	c1
back	ANAME	back.ext.
around	ANAME	around.ext.
geo	ANAME	geo.r.test.
deep	ANAME	d1
d1	50 CNAME d2
d2	40 ANAME geo
*.w	ANAME	x.w
EOF
	counters => 1, stream => $r->directives()
	. "dns_geoip %%TESTDIR%%/country.mmdb;"
	. "dns_aname_resolver @{[ $resolver->address() ]} timeout=300ms;");

dns_wait([ 'geo.a.test', 'A', ecs => '192.0.2.0/24' ], qr/203\.0\.113\.1/);

###############################################################################

my $failed = dns_counters()->{rcode_servfail};
my $start = time();

for my $name (qw/ self.a.test one.a.test two.a.test c1.a.test self.r.test
	one.r.test y.w.a.test /)
{
	dns_is(dns_ask($name, 'A', edns => 1232), <<EOF, "A09 $name");
	SERVFAIL qr
	question	$name. IN A
	edns		0 size 1232
	option		15 0018
EOF
}

cmp_ok(time() - $start, '<', 2, 'A09 at once');
is(dns_counters()->{rcode_servfail} - $failed, 7, 'A09 counted');

# a CNAME of such a loop is one, asked for by itself

like(dns_text(dns_ask('c2.a.test', 'CNAME')), qr/CNAME c3\.a\.test/,
	'A09 a link of the loop');

# around by the resolver: few questions, however many of them are asked

for my $name (qw/ back around /) {
	$resolver->wait_queries(1, "$name.ext", 'A');

	my $before = () = $resolver->queries();

	my @replies = map { dns_text(dns_ask("$name.a.test", 'A')) } 1 .. 20;
	sleep 1;

	my $asked = () = $resolver->queries();

	is(scalar(grep { /^SERVFAIL|SOA/ } @replies), 20, "A09 $name");
	cmp_ok($asked - $before, '<=', 20, "A09 $name, no storm");
}

# local targets

has('geo.a.test', '192.0.2.0/24', '60 203.0.113.1');
has('geo.a.test', '198.51.100.0/24', '60 203.0.113.2');
has('geo.a.test', '100.64.0.0/24', '60 203.0.113.3');
has('deep.a.test', '192.0.2.0/24', '40 203.0.113.1');
has('deep.a.test', '198.51.100.0/24', '40 203.0.113.2');

is(local_queries($resolver), 0, 'A09 nobody else is asked for them');

###############################################################################

sub local_queries {
	my ($resolver) = @_;

	return scalar grep { $_->{name} =~ /(?:^|\.)[ar]\.test$/ }
		$resolver->queries();
}


sub has {
	my ($qname, $subnet, $answer) = @_;

	my ($ttl, $address) = split / /, $answer;
	my $text = dns_text(dns_ask($qname, 'A', ecs => $subnet));

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	like($text, qr/^NOERROR\ qr\ aa\nquestion\ \Q$qname\E\.\ IN\ A\n
		answer\ \Q$qname\E\.\ $ttl\ IN\ A\ \Q$address\E\n(?!answer)/x,
		"A09 $qname for $subnet");
}

###############################################################################
