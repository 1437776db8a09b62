#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for broken OPT records, case W04.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(19);

dns_run($t, zones => { 'z1.test' => zone_z1() });

my $error = <<'EOF';
	FORMERR qr
	question	z1.test. IN SOA
EOF

# what stands in place of a sound OPT, and the count of additional records

my @broken = (
	[ 'owner', "\x01x\0\x29\x04\xd0\0\0\0\0\0\0" ],
	[ 'RDLENGTH past the end',
		"\0\0\x29\x04\xd0\0\0\0\0\0\x0c\0\x0a\0\x08" . '1234' ],
	[ 'option past RDATA',
		"\0\0\x29\x04\xd0\0\0\0\0\0\x0c\0\x0a\0\x28" . '12345678' ],
	[ 'half an option', "\0\0\x29\x04\xd0\0\0\0\0\0\x03\0\x0a\0" ],
	[ 'half an option after a whole one',
		"\0\0\x29\x04\xd0\0\0\0\0\0\x05\0\x64\0\0\0" ],
	[ 'cut in the header', "\0\0\x29\x04\xd0\0\0" ],
	[ 'cut after the type', "\0\0\x29" ],
	[ 'missing', '' ],
	[ 'two', dns_opt() x 2, 2 ],
);

###############################################################################

for my $over (qw/ udp tcp /) {
	for my $case (@broken) {
		my ($name, $octets, $count) = @$case;

		my $query = dns_query('z1.test', 'SOA', trailing => $octets,
			counts => [ 1, 0, 0, $count // 1 ]);

		dns_is(dns_send($query, proto => $over), $error,
			"W04 $name $over");
	}
}

dns_is(dns_ask('www.z1.test', 'A', edns => 1232), <<EOF, 'W04 good query');
	NOERROR qr aa
	question	www.z1.test. IN A
	answer		www.z1.test. 300 IN A 192.0.2.1
	edns 0 size 1232
EOF

###############################################################################
