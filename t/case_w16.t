#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for large TCP replies: names beyond the reach of a compression pointer,
# and an rrset beyond 65535 octets, case W16.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(16);

my $label = 'long-label-' . 'x' x 20;
my $zone = zone_z1();

# 450 targets, each twice: the second half of them comes after offset 16383

for my $n (1 .. 900) {
	my $target = sprintf 'mx-%03d.%s-%1$03d', ($n - 1) % 450, $label;
	$zone .= "mx\tMX\t$n $target\n";
}

# the same with addresses, which repeat the names once more

for my $n (1 .. 500) {
	$zone .= "mxa\tMX\t$n mail-$n.$label.a\n"
		. "mail-$n.$label.a\tA\t192.0.2.1\n";
}

for my $n (1 .. 350) {
	$zone .= sprintf "over\tTXT\t\"%03d%s\"\n", $n, 'x' x 197;
}

# as long as a message may be, and one octet more

sub txt {
	my ($owner, $octets) = @_;

	my $text = '';
	my $n = 0;

	while ($octets > 0) {
		my $len = $octets - 13 > 240 ? 240 : $octets - 13;

		# the rest must have room for a record

		my $rest = $octets - 13 - $len;

		$len -= 20 if $rest > 0 && $rest < 20;

		$text .= sprintf "%s\tTXT\t\"%03d%s\"\n", $owner, $n++,
			'x' x ($len - 3);
		$octets -= 13 + $len;
	}

	return $text;
}

my $room = 65535 - 12 - length(dns_name('full.z1.test')) - 4;

$zone .= txt('full', $room) . txt('more', $room + 1);

dns_run($t, zones => { 'z1.test' => $zone });

###############################################################################

my $reply = dns_ask('mx.z1.test', 'MX', over => 'tcp');
my $m = dns_parse($reply);

cmp_ok(length $reply, '>', 30_000, 'W16 length');
is("$m->{rcode} $m->{aa}$m->{tc}", 'NOERROR 10', 'W16 flags');
is(scalar @{ $m->{answer} }, 900, 'W16 records');

my %names = map { $_->{rdata} => 1 } @{ $m->{answer} };

is(scalar(grep { $names{sprintf '%d mx-%03d.%s-%2$03d.z1.test.', $_,
	($_ - 1) % 450, $label} } 1 .. 900), 900, 'W16 names');
cmp_ok((sort { $b <=> $a } @{ $m->{pointers} })[0], '<', 0x4000,
	'W16 pointers');

$m = dns_parse(dns_ask('mxa.z1.test', 'MX', over => 'tcp'));

is("$m->{rcode} $m->{aa}$m->{tc}", 'NOERROR 10', 'W16 flags, addresses');
is(scalar @{ $m->{answer} }, 500, 'W16 records, addresses');
is(scalar(grep { $_->{owner} !~ /^mail-\d+\.$label\.a\.z1\.test\.$/ }
	@{ $m->{additional} }), 0, 'W16 owners of addresses');

# over UDP nothing of it fits

dns_is(dns_ask('mx.z1.test', 'MX'), <<EOF, 'W16 UDP');
	NOERROR qr aa tc
	question	mx.z1.test. IN MX
EOF

# what fits in no message

dns_is(dns_ask('over.z1.test', 'TXT', over => 'tcp'), <<EOF, 'W16 70 kB');
	SERVFAIL qr
	question	over.z1.test. IN TXT
EOF

dns_is(dns_ask('over.z1.test', 'TXT'), <<EOF, 'W16 70 kB UDP');
	NOERROR qr aa tc
	question	over.z1.test. IN TXT
EOF

$m = dns_parse(dns_ask('full.z1.test', 'TXT', over => 'tcp'));

is("$m->{rcode} $m->{length}", 'NOERROR 65535', 'W16 65535 octets');

$m = dns_parse(dns_ask('full.z1.test', 'TXT', over => 'tcp', edns => 1232));

is("$m->{rcode} " . @{ $m->{answer} }, 'SERVFAIL 0', 'W16 65535 and OPT');

dns_is(dns_ask('more.z1.test', 'TXT', over => 'tcp'), <<EOF, 'W16 65536');
	SERVFAIL qr
	question	more.z1.test. IN TXT
EOF

# the connection is still good

my $c = dns_client(proto => 'tcp');

$c->send(dns_query('over.z1.test', 'TXT', id => 1),
	dns_query('full.z1.test', 'TXT', id => 2),
	dns_query('www.z1.test', 'A', id => 3));

my %replies = map { unpack('n', $_) => $_ } $c->recv_n(3);

is(join(' ', map { $_, length $replies{$_} } sort keys %replies),
	'1 30 2 65535 3 45', 'W16 pipelined');

dns_is($replies{3}, <<EOF, 'W16 good query');
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
EOF

###############################################################################
