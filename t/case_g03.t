#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G03: the client subnet option comes back as it was sent, but
# for the scope, in every kind of reply.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(32);

my $off = 8981;

dns_run($t,
	zones => { 'z1.test' => zone_z1() },
	counters => 1,
	stream => "server { listen 127.0.0.1:%%PORT_${off}_UDP%% udp;"
		. " dns on; dns_ecs off; dns_zone z1.test z1.test.zone; }",
	http => '');

# octets of the case

my $sent = pack 'H*', '1234000000010000000000010367656f027a310474657374'
	. '000001000100002904d000000000000b0008000700011800510245';

my $before = dns_counters();

is(option(dns_send($sent)), '00011800510245', 'octets of the case');
is(dns_moved($before), 'ecs=1 rcode_nxdomain=1 received_udp=1', 'counters');

# kinds of replies, families, lengths

my @kinds = (
	[ 'www.z1.test' => 'A', 'NOERROR', 'positive' ],
	[ 'www.z1.test' => 'MX', 'NOERROR', 'nodata' ],
	[ 'nope.z1.test' => 'A', 'NXDOMAIN', 'nxdomain' ],
	[ 'alias.z1.test' => 'A', 'NOERROR', 'chain' ],
	[ 'a.sub.z1.test' => 'A', 'NOERROR', 'referral' ],
	[ 'www.z1.test' => 'AXFR', 'REFUSED', 'transfer' ],
	[ 'www.z2.test' => 'A', 'REFUSED', 'outside' ],
);

for my $kind (@kinds) {
	my ($name, $type, $rcode, $what) = @$kind;

	for my $subnet ('81.2.69.0/24', '2001:218::/49') {
		my $reply = dns_ask($name, $type, ecs => $subnet);

		is(rcode($reply) . ' ' . option($reply),
			"$rcode " . unpack('H*', dns_ecs($subnet)),
			"$what, $subnet");
	}
}

for my $subnet ('81.2.69.142/32', '80.0.0.0/1', '2001:218::1/128',
	'::ffff:81.2.69.0/120')
{
	my $reply = dns_ask('www.z1.test', 'A', ecs => $subnet);

	is(option($reply), unpack('H*', dns_ecs($subnet)), $subnet);
}

# with other options, over TCP, cut

is(option(dns_ask('www.z1.test', 'A', ecs => '81.2.69.0/24', nsid => 1,
	do => 1, options => [ [ 12, "\0" x 7 ], [ 10, 'a' x 8 ] ])),
	'00011800510245', 'with other options');

is(option(dns_ask('big.z1.test', 'TXT', ecs => '81.2.69.0/24',
	over => 'tcp')), '00011800510245', 'TCP');

my $cut = dns_ask('big.z1.test', 'TXT', ecs => '81.2.69.0/24');

like(dns_text($cut), qr/^NOERROR .*\btc\b/, 'cut');
is(option($cut), '00011800510245', 'cut, the option');

is(option(dns_ask('www.z1.test', 'A', ecs => '81.2.69.0/24', edns => 512)),
	'00011800510245', 'small buffer');

# none without, none if the feature is off

is(option(dns_ask('www.z1.test', 'A', edns => 1232)), undef,
	'none if there was none');
is(option(dns_ask('www.z1.test', 'A')), undef, 'none without OPT');

my %off = (port => port($off, udp => 1));

is(option(dns_ask('www.z1.test', 'A', ecs => '81.2.69.0/24', %off)), undef,
	'off');
is(rcode(dns_ask('www.z1.test', 'A', options => [ [ 8, "\0\3\1" ] ], %off)),
	'NOERROR', 'off, malformed');
is(option(dns_ask('nope.z1.test', 'A', ecs => '2001:218::/56', %off)), undef,
	'off, another one');

# no other option of unknown codes comes back

is(option(dns_ask('www.z1.test', 'A', options => [ [ 10, 'a' x 8 ] ])),
	undef, 'other options are not sent back');

is(rcode(dns_ask('www.z1.test', 'A', ecs => '81.2.69.0/24', version => 1)),
	'BADVERS', 'another version of EDNS');

###############################################################################

sub option {
	my ($reply) = @_;

	my $m = dns_parse($reply);
	my @ecs = grep { $_->[0] == 8 } @{ $m->{opt}{options} // [] };

	return @ecs ? join ' ', map { unpack 'H*', $_->[1] } @ecs : undef;
}


sub rcode {
	return (split / /, dns_text($_[0]))[0];
}

###############################################################################
