#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for members whose names differ in case only, and for the SOA when there
# is none: defaults, with a serial that all workers agree on, case R15.

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
	->has_daemon('redis-server')->plan(28);

my $r = redis_start($t);

my $soa = '"ns1":1,"refresh":7200,"retry":3600,"expire":1209600,"minttl":60,'
	. '"serial":2026010101';

my %configs = (
	upper => '{"soa":{"MBox":"host.upper.test.","Ns":"ns1.upper.test.",'
		. "\"TTL\":300,$soa}}",
	lower => '{"soa":{"mbox":"host.lower.test.","ns":"ns1.lower.test.",'
		. "\"ttl\":300,$soa}}",
	shout => '{"SOA":{"MBOX":"host.shout.test.","NS":"ns1.shout.test.",'
		. "\"Ttl\":300,$soa},\"DOMAIN_ID\":\"x\"}",
);

my $www = '{"A":{"TTL":300,"Records":[{"IP":"192.0.2.1","Country":["DE"],'
	. '"ASN":64500}]}}';
my %www = (a => '{"Ttl":300,"RECORDS":[{"Ip":"192.0.2.1"}]}');

for my $name (keys %configs) {
	$r->l1("$name.test.", { www => $www }, config => $configs{$name});
}

$r->l4('keys.test.', { www => { A => $www{a} } },
	config => redis_soa('keys.test'));

# of two spellings the last one is taken, as of two equal members

$r->l1('twice.test.', { www => '{"a":{"records":[{"ip":"192.0.2.8"}]},'
	. '"A":{"ttl":300,"ttl":60,"records":[{"ip":"192.0.2.9"}]}}' },
	config => redis_soa('twice.test'));

# no SOA, in several ways, with the same content

my $none = '{"a":{"records":[{"ip":"192.0.2.1"}]}}';

$r->l1('absent.test.', { www => $none });
$r->l1('null.test.', { www => $none }, config => '{"soa":null}');
$r->l1('empty.test.', { www => $none }, config => '{}');
$r->l1('blank.test.', { www => $none }, config => '');
$r->l1('parts.test.', { www => $none }, config => '{"soa":{"serial":7}}');

dns_run($t, stream => $r->directives(), main => 'worker_processes 4;',
	server => 'dns_nsid $pid;', udp => 'reuseport');

###############################################################################

for my $name (qw/ upper lower shout keys /) {
	my $zone = "$name.test";

	dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

	dns_is(dns_ask($zone, 'SOA'), <<EOF, "R15 $name");
		NOERROR qr aa
		question	$zone. IN SOA
		answer		${\ zone_soa($zone, 300) }
EOF

	dns_is(dns_ask("www.$zone", 'A'), <<EOF, "R15 $name, address");
		NOERROR qr aa
		question	www.$zone. IN A
		answer		www.$zone. 300 IN A 192.0.2.1
EOF

	ok(defined dns_wait_workers([ $zone, 'SOA' ],
		qr/host\.$zone\. 2026010101 7200 3600 1209600 60$/m, 10, 4),
		"R15 $name, all workers");
}

dns_is(dns_ask('www.twice.test', 'A'), <<EOF, 'R15 twice');
	NOERROR qr aa
	question	www.twice.test. IN A
	answer		www.twice.test. 60 IN A 192.0.2.9
EOF

# defaults

my %serial;

for my $name (qw/ absent null empty blank parts /) {
	my $zone = "$name.test";
	my $text = dns_text(dns_wait([ $zone, 'SOA' ], qr/^NOERROR/));

	my ($n) = $text =~ /^answer\ \Q$zone\E\.\ 300\ IN\ SOA\ ns1\.\Q$zone\E\.
		\ hostmaster\.\Q$zone\E\.\ (\d+)\ 86400\ 7200\ 604800\ 300$/mx;

	ok(defined $n, "R15 $name, defaults") or diag($text);
	$serial{$name} = $n // 'none';
}

is($serial{parts}, 7, 'R15 a serial that is written');

dns_is(dns_ask('nope.absent.test', 'A'), <<EOF, 'R15 absent, negative answer');
	NXDOMAIN qr aa
	question	nope.absent.test. IN A
	authority	absent.test. 300 IN SOA ns1.absent.test. hostmaster.absent.test. $serial{absent} 86400 7200 604800 300
EOF

my $soa_is = sub { qr/hostmaster\.absent\.test\. \Q$_[0]\E 86400/ };

ok(defined dns_wait_workers([ 'absent.test', 'SOA' ],
	$soa_is->($serial{absent}), 10, 4), 'R15 serial of all workers');

# another content, another serial; the old one again, the same as before

$r->command('HSET', $r->key('zones:absent.test.'), 'www',
	'{"a":{"records":[{"ip":"192.0.2.2"}]}}');

my $text = dns_text(dns_wait([ 'www.absent.test', 'A' ], qr/192\.0\.2\.2$/m));

like($text, qr/192\.0\.2\.2$/m, 'R15 changed');

my ($other) = dns_text(dns_ask('absent.test', 'SOA'))
	=~ /hostmaster\S+ (\d+) 86400/;

isnt($other, $serial{absent}, 'R15 another serial');
ok(defined dns_wait_workers([ 'absent.test', 'SOA' ], $soa_is->($other), 10, 4),
	'R15 another serial of all workers');

$r->command('HSET', $r->key('zones:absent.test.'), 'www', $none);

ok(defined dns_wait_workers([ 'absent.test', 'SOA' ],
	$soa_is->($serial{absent}), 10, 4), 'R15 the serial from before');

# loaded anew

$t->reload();

ok(defined dns_wait_workers([ 'absent.test', 'SOA' ],
	$soa_is->($serial{absent}), 10, 4), 'R15 serial after a reload');

is(() = dns_error_log($t, qr/\[warn\].*twice\.test/, timeout => 0.1), 0,
	'R15 two spellings are no fault');

is(() = dns_error_log($t, qr/\[(?:warn|error)\].*null\.test/, timeout => 0.1),
	0, 'R15 null is no fault');

###############################################################################
