#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A08: neighbours of an ANAME and duplicates in what the resolver says.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Resolver;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(22);

# the way to the state directory, for the user of the control process

chmod 0755, $t->testdir();

my $resolver = resolver_start($t, data => {
	't.ext A' => { rr => [ '192.0.2.1', '192.0.2.1', '192.0.2.1' ],
		ttl => 50000 },
	't.ext AAAA' => { rr => [ '2001:db8::2', '2001:db8::1', '2001:db8::2' ],
		ttl => 60000 },
});

my $zone = zone_text('a.test', <<'EOF');
*.an	20 ANAME t.ext.
host.an	TXT	"x"
both	ANAME	t.ext.
both	AAAA	2001:db8::99
both	MX	10 mail
four	ANAME	t.ext.
four	A	192.0.2.99
full	ANAME	t.ext.
full	A	192.0.2.98
full	AAAA	2001:db8::98
bare	ANAME	t.ext.
mail	A	192.0.2.25
alias	CNAME	bare
EOF

dns_run($t, zones => { 'a.test' => $zone },
	stream => 'dns_state_path %%TESTDIR%%/state;'
	. "dns_aname_resolver @{[ $resolver->address() ]};");

dns_wait([ 'bare.a.test', 'A' ], qr/ A /);
dns_wait([ 'bare.a.test', 'AAAA' ], qr/ AAAA /);

my $soa = zone_soa('a.test');

###############################################################################

# one record, whatever the resolver says, as often as one likes

has($_, 'A', 20, '192.0.2.1') for qw/ x.an.a.test y.an.a.test
	a.b.an.a.test x.an.a.test /;
has('x.an.a.test', 'AAAA', 20, '2001:db8::1', '2001:db8::2');
has('bare.a.test', 'A', 300, '192.0.2.1');
has('bare.a.test', 'AAAA', 300, '2001:db8::1', '2001:db8::2');

# own data wins for its type only

has('both.a.test', 'AAAA', 300, '2001:db8::99');
has('both.a.test', 'A', 300, '192.0.2.1');
has('four.a.test', 'A', 300, '192.0.2.99');
has('four.a.test', 'AAAA', 300, '2001:db8::1', '2001:db8::2');
has('full.a.test', 'A', 300, '192.0.2.98');
has('full.a.test', 'AAAA', 300, '2001:db8::98');

dns_is(dns_ask('both.a.test', 'MX'), <<EOF, 'A08 MX');
	NOERROR qr aa
	question	both.a.test. IN MX
	answer		both.a.test. 300 IN MX 10 mail.a.test.
	additional	mail.a.test. 300 IN A 192.0.2.25
EOF

dns_is(dns_ask('alias.a.test', 'A'), <<EOF, 'A08 behind a CNAME');
	NOERROR qr aa
	question	alias.a.test. IN A
	answer		alias.a.test. 300 IN CNAME bare.a.test.
	answer		bare.a.test. 300 IN A 192.0.2.1
EOF

# a name below the wildcard that exists has none of it

dns_is(dns_ask('host.an.a.test', 'A'), <<EOF, 'A08 beside the wildcard');
	NOERROR qr aa
	question	host.an.a.test. IN A
	authority	$soa
EOF

# the ANAME is not seen

for my $type (qw/ ANY TYPE65535 TYPE65401 TXT /) {
	dns_is(dns_ask('bare.a.test', $type), <<EOF, "A08 asked for $type");
	NOERROR qr aa
	question	bare.a.test. IN $type
	authority	$soa
EOF
}

like(dns_text(dns_ask('both.a.test', 'ANY')),
	qr/^NOERROR\ qr\ aa\nquestion\ both\.a\.test\.\ IN\ ANY\n
		answer\ both\.a\.test\.\ 300\ IN\ (?:AAAA|MX)\ [^\n]+\n$/x,
	'A08 ANY of a name with more');

# nor in the other form of the zone, of which it is no part

is(scalar($resolver->queries('both.a.test')), 0,
	'A08 the name itself is not asked for');

###############################################################################

# The order may be another each time.

sub has {
	my ($qname, $type, $ttl, @addresses) = @_;

	my $reply = dns_text(dns_ask($qname, $type));
	my ($head, $question, @answer) = split /\n/, $reply;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is(join("\n", $head, $question, sort @answer), join("\n",
		'NOERROR qr aa', "question $qname. IN $type",
		map { "answer $qname. $ttl IN $type $_" } sort @addresses),
		"A08 $qname $type");
}

###############################################################################
