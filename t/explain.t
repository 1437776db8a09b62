#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for explanations: a question of class CH is answered with the steps
# that lead to the answer of class IN.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(42);

my $d = $t->testdir();

chmod 0755, $d;

geo_city("$d/city.mmdb", {
	'198.51.100.0/25' => { country => 'DE', at => [52.5, 13.4] },
	'198.51.100.128/25' => { country => 'US', at => [-33.9, -70.7] },
	'192.0.2.10/32' => { country => 'DE', at => [52, 13] },
	'192.0.2.11/32' => { country => 'US', at => [40, -74] },
});

my $large = join "\n", map {
	sprintf 'address 10.0.%d.%d weight=%d;', $_ >> 8, $_ & 255, $_ } 1 .. 1200;

dns_run($t, ipv6 => 1, counters => 1, server => 'dns_explain on;',
	stream => <<EOF,
    dns_state_path state;
    dns_geoip $d/city.mmdb;
    dns_network Office { 203.0.113.0/24; }

    dns_pool web {
        address 192.0.2.10 country=DE,AT weight=3;
        address 192.0.2.11 country=DE,AT weight=0;
        address 198.51.100.9;
        address 198.51.100.8 priority=1;
        choose country weighted single;
    }
    dns_pool near {
        address 192.0.2.10;
        address 192.0.2.11;
        choose network+location sticky;
    }
    dns_pool office {
        address 192.0.2.10 network=office;
        choose network no_match=none;
    }
    dns_pool large {
        $large
        choose weighted;
    }
EOF
	zones => { 'x.test' => zone_text('x.test', <<'EOF') });
web	30	POOL	web
near	30	POOL	near
office	30	POOL	office
large	30	POOL	large
alias	60	CNAME	web
*.wild	60	A	192.0.2.7
a.ent	60	TXT	"e"
sub	60	NS	ns.elsewhere.test.
old	60	DNAME	new
a.new	60	A	192.0.2.8
@	60	ANAME	web
ext	60	ANAME	www.elsewhere.test.
EOF

dns_wait([ 'web.x.test', 'A', ecs => '198.51.100.0/24' ],
	qr/ 30 IN A 192\.0\.2\.10$/m);

###############################################################################

# the usual case

my $x = steps('web.x.test.A', ecs => '198.51.100.0/24');

like($x, qr/^001 question: web\.x\.test\. A$/m, 'question');
like($x, qr!^\d+ client: 198\.51\.100\.0/24, the subnet in the query$!m,
	'client');
like($x, qr!^\d+ places: .*country DE in /25, continent EU in /25, !m,
	'places');
like($x, qr!, point 52\.5 13\.4 in /25$!m, 'point');
like($x, qr/^\d+ zone: x\.test\. serial 2026010101, .*from a file$/m, 'zone');
like($x, qr/^\d+ name: web\.x\.test\. exists, with: A$/m, 'name');
like($x, qr/^\d+ set: A, addresses: 4, TTL: 30, count: single, order: weighted/m,
	'set');
like($x, qr/^\d+ address: 192\.0\.2\.10, for: DE AT, weight: 3, priority: 0$/m,
	'address');
like($x, qr/^\d+ country: 2 of 4, those for the client: 192\.0\.2\.10 192\.0\.2\.11$/m,
	'country');
like($x, qr/^\d+ order: 192\.0\.2\.10 comes first, drawn by weights$/m,
	'order');
like($x, qr/^\d+ count: 1 of 2, single: 192\.0\.2\.10$/m, 'count');
like($x, qr/^\d+ TTL: 30, as stored$/m, 'TTL');
like($x, qr!^\d+ scope: /25, !m, 'scope');
like($x, qr/^\d+ reply: NOERROR, aa$/m, 'reply');
like($x, qr/^\d+ answer: web\.x\.test\. 30 A 192\.0\.2\.10\n\z/m, 'answer');

is(join(',', map { $_ + 0 } $x =~ /^(\d+) /mg),
	join(',', 1 .. ($x =~ tr/\n//)), 'lines in order');

$x = steps('web.x.test.A', ecs => '203.0.113.0/24');

like($x, qr/ places: network "Office" in \/24, asn \(no data\), country unknown/,
	'a client without country');
like($x, qr/ country: 2 of 4, none is for the client: those for everybody else: 198\.51\.100\.8 198\.51\.100\.9$/m,
	'for everybody else');
like($x, qr/ priority: 1 of 2, those of the first group: 198\.51\.100\.9$/m,
	'priority');

# other steps

$x = steps('near.x.test.A', ecs => '198.51.100.128/25');

like($x, qr/ point -33\.9 -70\.7 in/, 'a point in the south and west');
like($x, qr/ network: no say: all that are left are for everybody$/m,
	'a filter without a say');
like($x, qr/ location: 1 of 2, the nearest: 192\.0\.2\.11$/m, 'location');

$x = steps('office.x.test.A');

like($x, qr/ client: 127\.0\.0\.1, where the query came from: it has no subnet$/m,
	'no subnet');
like($x, qr/ network: 0 of 1, none is for the client, none for everybody else \(no_match\)/,
	'no match');
like($x, qr/ authority: x\.test\. 30 SOA ns1\.x\.test\. /, 'SOA');

# chains and names

like(steps('alias.x.test.A'),
	qr/ link: CNAME to web\.x\.test\., TTL: 60\n.* name: web.* answer: alias\.x\.test\. 60 CNAME web\.x\.test\.\n\d+ answer: web\.x\.test\. 30 A /s,
	'CNAME');
like(steps('x.test.A'),
	qr/ link: ANAME to web\.x\.test\., TTL: 60 at most\n.* answer: x\.test\. 30 A /s,
	'ANAME');
like(steps('ext.x.test.A'),
	qr/ ANAME: www\.elsewhere\.test\. is a name of other servers, of which nothing is known.* reply: SERVFAIL, EDE 22/s,
	'ANAME of others');
like(steps('a.b.wild.x.test.A'),
	qr/ does not exist; \*\.wild\.x\.test\. stands for it, with: A$/m,
	'wildcard');
like(steps('nope.x.test.TYPE65'),
	qr/ question: nope\.x\.test\. HTTPS\n.* does not exist; the closest that does is x\.test\., which has no wildcard\n.* reply: NXDOMAIN/s,
	'NXDOMAIN');
like(steps('a.sub.x.test.A'),
	qr/ name: a\.sub\.x\.test\. is delegated at sub\.x\.test\.$/m,
	'delegation');
like(steps('a.old.x.test.A'),
	qr/ link: a\.old\.x\.test\. is below old\.x\.test\., a DNAME to new\.x\.test\.$/m,
	'DNAME');
like(steps('other.test.A'), qr/ zone: the name is in none\n.* reply: REFUSED/s,
	'no zone');

# more than a datagram holds

like(steps('large.x.test.A'),
	qr/ address: and 1136 more\n.* count: 1200 of 1200, multi: .* and 1184 more\n.* answer: large/s,
	'a large set');

my $long = steps('large.x.test.A');

like($long, qr/\n999 more lines than fit\n\z/, 'more than a message holds');
cmp_ok(length($long), '<', 65535, 'length');

# a name as long as it may be, of octets that are no text

my $name = join '.', ("\001" x 63) x 3, "\001" x 40, 'x.test.A';

$long = steps($name);

like($long, qr/^001 question: (?:\\001){63}\./, 'a long name');
like($long, qr/ reply: NXDOMAIN, aa$/m, 'a long name, the reply');

# what cannot be explained

like(steps('www.x.test.NOTYPE'),
	qr/^001 error: the label in front of "explain" is no type\n\z/, 'no type');
is(dns_parse(dns_ask('web.x.test.A.explain', 'A', class => 'CH'))->{rcode},
	'REFUSED', 'another type');

# over IPv6 too, if there is any

my $reply = eval { dns_ask('web.x.test.A.explain', 'TXT', class => 'CH',
	addr => '::1', over => 'tcp') };

like(dns_text($reply), qr/client: ::1, where/, 'IPv6');

# the choice of an explanation is none of an answer

my $before = dns_counters();

steps('web.x.test.A');

unlike(dns_moved($before), qr/choice_/, 'not counted');

###############################################################################

# The lines of an explanation.

sub steps {
	my ($name, %opts) = @_;

	my $text = dns_text(dns_ask("$name.explain", 'TXT', class => 'CH',
		over => 'tcp', %opts));

	my @lines = $text =~ /^answer \S+ 0 CH TXT (.*)$/mg;

	for (@lines) {
		$_ = join '', /"((?:[^"\\]|\\.)*)"/g;
		s/\\(["\\])/$1/g;
	}

	return join '', map { "$_\n" } @lines;
}

###############################################################################
