#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for what a start makes of databases and of tables that it finds in the
# state directory.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

use Digest::SHA qw/ sha256_hex /;
use Time::HiRes qw/ time sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(23);
my $d = $t->testdir();
my $path = "$d/country.mmdb";
my $client = '10.0.0.0/24';

my %answer = (DE => '192.0.2.1 /8', none => '192.0.2.9 /0');

my %bytes;
my %run = (geoip => 'country.mmdb');

###############################################################################

# what is there already is used

put('DE');
sleep 2.1;
fresh();
is(geo_wait('country', $client, $answer{DE}), $answer{DE}, 'a start');
cold('the same file', qr/ were found in /);

# as content, not by times

sleep 0.01;
put('DE');
cold('the same content', qr/ were found in /);

my $file = "$d/state/geo/" . sha256_hex(bytes('DE')) . '.geo';

damage($file, sub { substr($_[0], 5000, 1) ^= "\1" });
cold('a bit of its tables', qr/ were made in /);

damage($file, sub { $_[0] = substr $_[0], 0, -8 });
cold('tables cut off', qr/ were made in /);

damage($file, sub { substr($_[0], 30, 1) ^= "\1" });
cold('a bit of the head', qr/ were made in /);

damage($file, sub { $_[0] = '' });
cold('an empty file', qr/ were made in /);

unlink $file;
symlink '/dev/zero', $file;
cold('a link', qr/ were made in /);

damage("$d/state/geo/known", sub { substr($_[0], 40, 1) ^= "\1" });
cold('a list of what is known', qr/ were found in /);

# tables that somebody deletes are made again for new workers

fresh();
geo_wait('country', $client, $answer{DE});
unlink glob "$d/state/geo/*.geo";
is(geo_at('country', $client), $answer{DE}, 'deleted tables are used');
$t->reload();
ok(dns_error_log($t, qr/dns places "\S+" are not used: open\(\) failed/),
	'new workers miss them');
is(geo_wait('country', $client, $answer{DE}), $answer{DE}, 'made again');
$t->stop();

# a folder that nobody can write to

SKIP: {
	skip 'root may write anywhere', 3 if (stat "$d/state/geo")[4] == 0;

	$t->stop();
	put('US');
	chmod 0500, "$d/state/geo";
	unlink "$d/error.log";
	geo_run($t, %run);

	ok(dns_error_log($t, qr/country\.mmdb" cannot be used: /),
		'a folder nobody can write to');
	is(geo_at('country', $client), $answer{none}, 'nothing is known');
	like(dns_text(dns_ask('country.geo.test', 'A', ecs => $client)),
		qr/ 5 IN A 192\.0\.2\.9$/m, 'which may change soon');
	chmod 0700, "$d/state/geo";
}

undef $t;

###############################################################################

sub bytes {
	my ($country) = @_;

	# all of one length

	return $bytes{$country} //= geo_bytes({
		'10.0.0.0/8' => { country => { iso_code => $country } },
		map { ("203.0.$_.0/24" => { country => { iso_code => 'FR' } }) } 0 .. 99
	}, type => 'GeoLite2-Country');
}


sub put {
	my ($country) = @_;

	open my $fh, '>:raw', "$path.new" or die "$path.new: $!";
	print $fh bytes($country);
	close $fh;

	rename "$path.new", $path or die "rename: $!";
}


sub fresh {
	$t->stop() if -e "$d/nginx.pid";
	unlink "$d/error.log";
	geo_run($t, %run);
}


sub damage {
	my ($file, $sub) = @_;

	my $text = do {
		local $/;
		open my $fh, '<:raw', $file or die "$file: $!";
		<$fh>;
	};

	$sub->($text);

	open my $fh, '>:raw', $file or die "$file: $!";
	print $fh $text;
	close $fh;
}


sub cold {
	my ($name, $re) = @_;

	fresh();

	is(geo_wait('country', $client, $answer{DE}), $answer{DE},
		"$name: is known");
	like(join("\n", dns_error_log($t, qr/database .* is used/)), $re,
		"$name: tables");
	$t->stop();
}

###############################################################################
