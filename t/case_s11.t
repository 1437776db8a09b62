#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a CNAME beside other data and at the apex of a zone file: refused
# with file, line and name, case S11.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(13);

# What a configuration test says of a zone.  The test object is passed on, as
# one that a sub holds would outlive the plan.

sub check {
	my ($t, $records) = @_;

	$t->write_file('z1.test.zone', zone_text('z1.test', $records));

	return $t->dump_config();
}

$t->write_file_expand('nginx.conf', dns_conf(zones => { 'z1.test' => '' }));

my $file = qr/z1\.test\.zone/;

###############################################################################

like(check($t, "www\tA\t192.0.2.1\n"), qr/test is successful/, 'S11 good zone');

for my $case (
	[ 'before another type', "www\tCNAME\tns1\nwww\tA\t192.0.2.1\n" ],
	[ 'after another type', "www\tA\t192.0.2.1\nwww\tCNAME\tns1\n" ],
	[ 'beside TXT', "www\tTXT\t\"x\"\nb\tA\t192.0.2.1\nwww\tCNAME\tns1\n" ],
	[ 'two', "www\tCNAME\tns1\nwww\tCNAME\tns2\n" ],
	[ 'at a wildcard', "*.www\tA\t192.0.2.1\n*.www\tCNAME\tns1\n" ],
)
{
	my ($name, $records) = @$case;
	my $out = check($t, $records);

	like($out, qr/\[emerg\].*CNAME.*$file:\d+/s, "S11 $name");
	like($out, qr/test failed/, "S11 $name, refused");
}

my $out = check($t, "\@\tCNAME\twww.example.org.\n");

like($out, qr/\[emerg\].*CNAME/, 'S11 at the apex');
like($out, qr/test failed/, 'S11 at the apex, refused');

###############################################################################
