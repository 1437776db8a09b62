#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for ANAME targets in zones of the same server, from files and from
# Redis, in both directions: chains, TTLs, what is missing or broken there,
# own data beside it, loops, delegations, flattening.

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
	->has_daemon('redis-server')->plan(38);

my $r = redis_start($t);

$r->l1('l1.test.', {
	'@' => { aname => aname('www.file.test.'),
		ns => { ttl => 300, records => [ { host => 'ns1.l1.test.' } ] },
		mx => { ttl => 300, records => [ { host => 'mail.test.',
			preference => 10 } ] } },
	edge => { a => a(30, '192.0.2.10', '192.0.2.11'),
		aaaa => a(40, '2001:db8::10') },
	www => { cname => { host => 'edge.l1.test.', ttl => 20 } },
	ttl => { aname => aname('edge.l1.test', 7) },
	UPPER => { aname => aname('EDGE.L1.Test.') },
	missing => { aname => aname('nowhere.l1.test.', 100) },
	four => { aname => aname('four.l4.test.', 100) },
	both => { aname => aname('edge.l1.test.'), a => a(60, '192.0.2.99') },
	empty => { aname => aname('edge.l1.test.'),
		a => { ttl => 60, records => [] } },
	bad => '{"aname":{"location":7},"txt":{"ttl":5,'
		. '"records":[{"text":"x"}]}}',
	tobad => { aname => aname('bad.l1.test.') },
	'*.wild' => { aname => aname('edge.l1.test.', 15) },
	self => { aname => aname('self.l1.test.') },
	loop => { aname => aname('loop.l4.test.') },
	long => { aname => aname('s00.file.test.') },
	sub => { ns => { ttl => 300, records => [ { host => 'ns.else.' } ] } },
	deleg => { aname => aname('x.sub.l1.test.') },
	out => { aname => aname('www.else.') },
}, config => redis_soa('l1.test'));

$r->l4('l4.test.', {
	'@' => { ANAME => aname('www.l1.test.', 200) },
	four => { A => a(50, '192.0.2.4') },
	loop => { ANAME => aname('loop.file.test.') },
	flat => { CNAME => { host => 'flat2.l4.test.', ttl => 80 } },
	flat2 => { CNAME => { host => 'alias.l4.test.', ttl => 90 } },
	alias => { ANAME => aname('www.file.test.', 100) },
}, config => redis_soa('l4.test', cname_flattening => JSON::PP::true()));

dns_run($t, zones => { 'file.test' => zone_text('file.test', <<'EOF')
@	ANAME	www.l1.test.
www	60 CNAME www2
www2	90 A	192.0.2.3
www2	90 TXT	"x"
two	ANAME	l4.test.
loop	ANAME	loop.l1.test.
cloop	CNAME	loop
tod	ANAME	four.d
d	70 DNAME l4.test.
EOF
	. join '', map { sprintf "s%02d ANAME s%02d\n", $_, $_ + 1 } 0 .. 20
}, stream => $r->directives());

dns_wait([ 'four.l4.test', 'A' ], qr/192\.0\.2\.4/);

my %soa = map { $_ => zone_soa($_) } qw/ l1.test l4.test file.test /;

###############################################################################

# between files and both layouts

answers('l1.test', 'A', '60 192.0.2.3', 'Redis to a file');
answers('file.test', 'A', '20 192.0.2.10 192.0.2.11', 'a file to Redis');
answers('file.test', 'AAAA', '20 2001:db8::10', 'a file to Redis, AAAA');
answers('l4.test', 'A', '20 192.0.2.10 192.0.2.11', 'one layout to the other');
answers('four.l1.test', 'A', '50 192.0.2.4', 'and back');
answers('two.file.test', 'A', '20 192.0.2.10 192.0.2.11', 'two ANAMEs');
answers('tod.file.test', 'A', '50 192.0.2.4', 'through a DNAME');
answers('ttl.l1.test', 'A', '7 192.0.2.10 192.0.2.11', 'TTL of the ANAME');
answers('upper.l1.test', 'A', '30 192.0.2.10 192.0.2.11', 'upper case');
answers('x.y.wild.l1.test', 'AAAA', '15 2001:db8::10', 'wildcard');
answers('both.l1.test', 'A', '60 192.0.2.99', 'own A');
answers('both.l1.test', 'AAAA', '40 2001:db8::10', 'beside own A');
answers('empty.l1.test', 'A', '30 192.0.2.10 192.0.2.11', 'own A is empty');

# other types are not touched

dns_is(dns_ask('l1.test', 'MX'), <<EOF, 'MX at the apex');
	NOERROR qr aa
	question	l1.test. IN MX
	answer		l1.test. 300 IN MX 10 mail.test.
EOF

no_data($_->[0], $_->[1], $_->[2], "$_->[1] of $_->[0]") for
	[ 'missing.l1.test', 'A', 'l1.test' ],
	[ 'missing.l1.test', 'MX', 'l1.test' ],
	[ 'four.l1.test', 'AAAA', 'l1.test' ],
	[ 'l1.test', 'AAAA', 'l1.test' ],
	[ 'ttl.l1.test', 'TXT', 'l1.test' ],
	[ 'ttl.l1.test', 'CNAME', 'l1.test' ],
	[ 'ttl.l1.test', 'ANY', 'l1.test' ],
	[ 'ttl.l1.test', 'TYPE65535', 'l1.test' ];

# the MX does not care what becomes of the ANAME

fails('bad.l1.test', 'A', 24, 'an unusable ANAME');
fails('tobad.l1.test', 'A', 24, 'a target that is unusable');

dns_is(dns_ask('bad.l1.test', 'TXT'), <<EOF, 'beside an unusable ANAME');
	NOERROR qr aa
	question	bad.l1.test. IN TXT
	answer		bad.l1.test. 5 IN TXT "x"
EOF

# nobody asks other servers here

fails('out.l1.test', 'A', 22, 'a target of other servers');
fails('deleg.l1.test', 'A', 22, 'a target below a delegation');

# A09: loops

fails('self.l1.test', 'A', 24, 'A09 itself');
fails('loop.l1.test', 'A', 24, 'A09 a loop of three zones');
fails('loop.file.test', 'AAAA', 24, 'A09 the same from a file');
fails('cloop.file.test', 'A', 24, 'A09 behind a CNAME');
fails('s00.file.test', 'A', 24, 'A09 more than 16 links');
no_data('s05.file.test', 'A', 'file.test', 'A09 16 links and nothing there');
fails('long.l1.test', 'A', 24, 'A09 more than 16 links from Redis');

# flattening, through the ANAME

answers('flat.l4.test', 'A', '60 192.0.2.3', 'flattened');
no_data('flat.l4.test', 'AAAA', 'l4.test', 'flattened, no such type');

dns_is(dns_ask('flat.l4.test', 'CNAME'), <<EOF, 'the CNAME itself');
	NOERROR qr aa
	question	flat.l4.test. IN CNAME
	answer		flat.l4.test. 80 IN CNAME flat2.l4.test.
EOF

# a change of the target is a change of the answer

$r->l1('l1.test.', { edge => { a => a(30, '192.0.2.77') } }, keep => 1,
	config => redis_soa('l1.test'));

like(dns_text(dns_wait([ 'file.test', 'A' ], qr/192\.0\.2\.77/)),
	qr/answer file\.test\. 20 IN A 192\.0\.2\.77\n$/, 'the target changes');

###############################################################################

sub a {
	my ($ttl, @addresses) = @_;
	return { ttl => $ttl, records => [ map { { ip => $_ } } @addresses ] };
}


sub aname {
	my ($target, $ttl) = @_;
	return { location => $target, defined $ttl ? (ttl => $ttl) : () };
}


sub answers {
	my ($qname, $type, $answer, $name) = @_;

	my ($ttl, @addresses) = split / /, $answer;
	my $lines = join '', map { "answer $qname. $ttl IN $type $_\n" }
		@addresses;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type),
		"NOERROR qr aa\nquestion $qname. IN $type\n$lines", $name);
}


sub no_data {
	my ($qname, $type, $zone, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type), "NOERROR qr aa\n"
		. "question $qname. IN $type\nauthority $soa{$zone}\n", $name);
}


sub fails {
	my ($qname, $type, $ede, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask($qname, $type, edns => 1232),
		sprintf("SERVFAIL qr\nquestion $qname. IN $type\n"
		. "edns 0 size 1232\noption 15 %04x\n", $ede), $name);
}

###############################################################################
