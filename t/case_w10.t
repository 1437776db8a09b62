#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for names of 255 and more octets, and how they are logged, case W10.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(31);

dns_run($t, zones => { 'z1.test' => zone_z1() }, stream => <<'EOF');
    log_format text  escape=none '$dns_qname';
    log_format plain '$remote_addr "$dns_qname" $dns_qtype end';
    log_format json  escape=json '{"name":"$dns_qname"}';

    access_log %%TESTDIR%%/text.log text;
    access_log %%TESTDIR%%/plain.log plain;
    access_log %%TESTDIR%%/json.log json;
EOF

# Labels of one octet that fill a name up to a size, all of it in wire format.

sub filled {
	my ($octet, $size, $suffix) = @_;

	my $left = $size - length $suffix;
	my $name = '';

	while ($left > 0) {
		my $len = $left > 64 ? 63 : $left - 1;

		# a label has at least one octet

		$len-- if $left - 1 - $len == 1;

		$name .= chr($len) . $octet x $len;
		$left -= 1 + $len;
	}

	return $name . $suffix;
}

sub rcode {
	my ($name, $over) = @_;

	my $m = dns_parse(dns_send(dns_query(undef, 'A', qname => $name),
		proto => $over));

	return "$m->{rcode} " . @{ $m->{question} };
}

my $apex = dns_name('z1.test');

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $octet ('a', "\1", "\xff") {
		my $hex = unpack 'H*', $octet;

		is(rcode(filled($octet, 256, "\0"), $over), 'FORMERR 0',
			"W10 256 of $hex $over");
		is(rcode(filled($octet, 256, $apex), $over), 'FORMERR 0',
			"W10 256 of $hex in the zone $over");
		is(rcode(filled($octet, 255, "\0"), $over), 'REFUSED 1',
			"W10 255 of $hex $over");
		is(rcode(filled($octet, 255, $apex), $over), 'NXDOMAIN 1',
			"W10 255 of $hex in the zone $over");
	}
}

# 127 labels, and one more

is(rcode("\1a" x 123 . $apex, 'udp'), 'NXDOMAIN 1', 'W10 125 labels');
is(rcode("\1a" x 127 . "\0", 'udp'), 'REFUSED 1', 'W10 127 labels');
is(rcode("\1a" x 128 . "\0", 'udp'), 'FORMERR 0', 'W10 128 labels');

$t->stop();

# as text of a zone file, which nginx escapes once more

my $name = dns_name_text(filled("\1", 255, $apex));
my @lines = dns_log($t, 'text.log', 27);

is(scalar @lines, 27, 'W10 lines');
is((grep { /^\\001.*z1/ } @lines)[0], $name, 'W10 logged whole');
cmp_ok(length $name, '>', 900, 'W10 length of the line');

my @bad = grep { !/^[ -~]*$/ } @lines;

push @bad, grep { !/^127\.0\.0\.1 "[ !#-~]*" (?:A|-) end$/ }
	dns_log($t, 'plain.log', 27);

push @bad, grep { !/^\{"name":"(?:[ !#-\[\]-~]|\\\\)*"\}$/ }
	dns_log($t, 'json.log', 27);

is(join("\n", @bad), '', 'W10 nothing else in the logs');

###############################################################################
