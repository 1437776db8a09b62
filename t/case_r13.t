#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for TXT around multiples of 255 octets, and for what is in it, case R13.

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

my @lengths = (1, 254, 255, 256, 510, 511, 4000, 65000);

# octets, not characters: UTF-8 that is cut inside of a character, quotes, line
# ends, what zone files would take for escapes

my %odd = (
	utf8 => 'x' x 254 . "\xc3\xa4" . 'y' x 10,
	euro => "\xe2\x82\xac" x 170,
	quote => 'a"b',
	newline => "a\nb\tc",
	escape => 'a\\b\\065 \\" ; ( $',
	control => "\x01\x7f",
	blanks => '  a  ',
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(2 * (@lengths + keys(%odd) + 6));

my $r = redis_start($t);

my %texts = (%odd, map { ("n$_" => 'abcdefghij' x ($_ / 10)
	. substr('abcdefghij', 0, $_ % 10)) } @lengths);

my %data = map { $_ => txt($texts{$_}) } keys %texts;

$data{empty} = txt('');
$data{two} = txt('a', 'b');
$data{same} = txt('a', 'a', 'b');
$data{most} = txt('x' x 65279);
$data{more} = txt('x' x 65280, 'y');
$data{only} = txt('x' x 70000);

$r->l1('l1.test.', { map { $_ => { txt => $data{$_} } } keys %data },
	config => redis_soa('l1.test'));
$r->l4('l4.test.', { map { $_ => { TXT => $data{$_} } } keys %data },
	config => redis_soa('l4.test'));

dns_run($t, stream => $r->directives());

###############################################################################

for my $zone (qw/ l1.test l4.test /) {
	dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

	for my $name (sort keys %texts) {
		my $text = $texts{$name};

		is(join(' ', strings("$name.$zone")),
			join(' ', unpack '(a255)*', $text),
			"R13 $name.$zone, " . length($text) . ' octets');
	}

	is(unpack('H*', wire("empty.$zone")), '00', "R13 $zone, empty");
	is(scalar(() = dns_text(dns_ask("two.$zone", 'TXT')) =~ /^answer/mg), 2,
		"R13 $zone, two");
	is(scalar(() = dns_text(dns_ask("same.$zone", 'TXT')) =~ /^answer/mg), 2,
		"R13 $zone, the same twice");

	# the largest record there may be, which no message can hold

	like(dns_text(dns_ask("most.$zone", 'TXT', over => 'tcp')),
		qr/^SERVFAIL/, "R13 $zone, the largest record");
	is(join(' ', strings("more.$zone")), 'y', "R13 $zone, a larger one");
	like(dns_text(dns_ask("only.$zone", 'TXT', over => 'tcp')),
		qr/^SERVFAIL/, "R13 $zone, nothing else");
}

###############################################################################

sub txt {
	my (@texts) = @_;

	utf8::decode($_) for @texts;

	return { ttl => 300, records => [ map { { text => $_ } } @texts ] };
}


# RDATA of the only record.

sub wire {
	my ($name) = @_;

	my $m = eval { dns_parse(dns_ask($name, 'TXT', over => 'tcp')) };

	return '' if !$m || @{ $m->{answer} } != 1;
	return $m->{answer}[0]{wire};
}


sub strings {
	my ($name) = @_;
	return unpack '(C/a)*', wire($name);
}

###############################################################################
