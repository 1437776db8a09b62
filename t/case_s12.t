#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for targets written without the final dot: absolute names in every type
# and layout, case S12.

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

my @targets = (
	[ ns => 'records', { host => 'ns1.example.net' },
		'NS ns1.example.net.' ],
	[ mx => 'records', { host => 'mx', preference => 5 }, 'MX 5 mx.' ],
	[ srv => 'records', { target => 'sip.example.com', priority => 1,
		weight => 2, port => 3 }, 'SRV 1 2 3 sip.example.com.' ],
	[ ptr => 'single', { domain => 'mail.example.com' },
		'PTR mail.example.com.' ],
	[ cname => 'single', { host => 'www.example.net' },
		'CNAME www.example.net.' ],
	[ dname => 'records', { rdata => 'example.net' },
		'DNAME example.net.' ],
	[ https => 'records', { rdata => '1 svc.example.net alpn=h2' },
		'HTTPS 1 svc.example.net. 1=026832' ],
	[ naptr => 'records', { rdata => '1 2 "u" "x" "" n.example.net' },
		'NAPTR 1 2 "u" "x" "" n.example.net.' ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(2 * @targets * 2 + 16);

my $r = redis_start($t);

for my $dot ('', '.') {
	my %data = map {
		my ($type, $form, $record) = @$_;

		# the same with the dot, and names of its own

		my %r = %$record;

		s/(example\.\w+|^mx$)(?= |$)/$1$dot/ for values %r;

		"$type-name" => { $type => $form eq 'single'
			? { ttl => 300, %r } : { ttl => 300, records => [ \%r ] } }
	} @targets;

	my $name = length $dot ? 'dot' : 'bare';

	$r->l1("l1-$name.test.", \%data, config => redis_soa("l1-$name.test"));
	$r->l4("l4-$name.test.", { map { my $n = $_; $n => { map {
		uc $_ => $data{$n}{$_} } keys %{ $data{$n} } } } keys %data },
		config => redis_soa("l4-$name.test"));
}

# targets that are none: the record is left out

my %bad = (
	bad => { mx => { ttl => 300, records => [
		{ host => '', preference => 1 },
		{ host => 'a..b.', preference => 2 },
		{ host => 'x' x 64 . '.', preference => 3 },
		{ host => join('.', ('x' x 50) x 6), preference => 4 },
		{ host => 'good.test', preference => 5 },
	] } },
	worse => { ns => { ttl => 300, records => [ { host => '' } ] } },
	worst => { cname => { host => 'a..b.' }, txt => { ttl => 300,
		records => [ { text => 'x' } ] } },
);

$r->l1('bad-l1.test.', \%bad, config => { soa => { ns => 'ns1.example.net',
	mbox => 'host.example.net', serial => 1 } });
$r->l4('bad-l4.test.', { map { my $n = $_; $n => { map {
	uc $_ => $bad{$n}{$_} } keys %{ $bad{$n} } } } keys %bad },
	config => { soa => { ns => 'ns1.example.net',
	mbox => 'host.example.net', serial => 1 } });

dns_run($t, stream => $r->directives());

###############################################################################

for my $zone (map { ("l1-$_.test", "l4-$_.test") } qw/ bare dot /) {
	dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

	for my $target (@targets) {
		my ($type, $form, $record, $text) = @$target;
		my $name = "$type-name.$zone";
		my $reply = dns_ask($name, uc $type);

		# NS makes a delegation

		my $section = $type eq 'ns' ? 'authority' : 'answer';
		my $aa = $type eq 'ns' ? '' : ' aa';

		dns_is($reply, <<EOF, "S12 $zone $type");
			NOERROR qr$aa
			question	$name. IN \U$type\E
			$section	$name. 300 IN $text
EOF
	}
}

for my $zone (qw/ bad-l1.test bad-l4.test /) {
	dns_is(dns_ask("bad.$zone", 'MX'), <<EOF, "S12 $zone, one is left");
		NOERROR qr aa
		question	bad.$zone. IN MX
		answer		bad.$zone. 300 IN MX 5 good.test.
EOF

	like(dns_text(dns_ask("x.worse.$zone", 'A')), qr/^SERVFAIL qr/,
		"S12 $zone, no server is left");
	like(dns_text(dns_ask("worst.$zone", 'TXT')), qr/^SERVFAIL qr/,
		"S12 $zone, CNAME cannot be used");
	like(dns_text(dns_ask("worst.$zone", 'A')), qr/^SERVFAIL qr/,
		"S12 $zone, CNAME cannot be used, other type");

	dns_is(dns_ask($zone, 'SOA'), <<EOF, "S12 $zone, SOA");
		NOERROR qr aa
		question	$zone. IN SOA
		answer		$zone. 300 IN SOA ns1.example.net. host.example.net. 1 86400 7200 604800 300
EOF

	for my $name (qw/ bad worse worst /) {
		ok(scalar dns_error_log($t, qr/\Q$zone\E.*"$name"/),
			"S12 $name.$zone is told");
	}
}

###############################################################################
