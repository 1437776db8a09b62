#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for databases that are replaced while nginx runs, without a reload:
# good ones are taken up, bad ones are not, whatever happens to the file.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

use Time::HiRes qw/ time sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(30);
my $d = $t->testdir();
my $path = "$d/country.mmdb";
my $client = '10.0.0.0/24';

my %answer = (DE => '192.0.2.1 /8', US => '192.0.2.2 /8',
	none => '192.0.2.9 /0');

my %bytes;
my %run = (geoip => 'country.mmdb', udp => 'reuseport',
	main => 'worker_processes 2;', server => 'dns_nsid $pid;');

###############################################################################

put('DE');
geo_run($t, %run);
is(geo_wait('country', $client, $answer{DE}), $answer{DE}, 'the first one');

my @files = blocks();
is(scalar @files, 1, 'one file of tables');
is((stat "$d/state/geo")[2] & 07777, 0700, 'a folder for its owner only');
is((stat $files[0])[2] & 07777, 0600, 'a file for its owner only');

# replaced by rename, on all workers

put('US');
ok(defined dns_wait_workers([ 'country.geo.test', 'A', ecs => $client ],
	qr/192\.0\.2\.2$/m, 10, 2), 'replaced by rename');

# overwritten in place, while it is mapped nowhere

geo_overwrite($path, bytes('DE'));
is(geo_wait('country', $client, $answer{DE}), $answer{DE},
	'overwritten in place');

# cut off, emptied, deleted, garbage: what was known stays

my $workers = workers();

truncate $path, 1000;
stays('cut off', qr/country\.mmdb" is not used: .*; what was .* is kept/);

geo_overwrite($path, '');
stays('emptied', qr/is not used/);

geo_overwrite($path, join '', map { chr($_ % 251) } 1 .. 100_000);
stays('garbage', qr/is not used: .*metadata/);

my $broken = bytes('US');
substr($broken, 20, 60) = "\xff" x 60;
geo_overwrite($path, $broken);
stays('a damaged tree', qr/is not used/);

unlink $path;
stays('deleted', qr/stat\(\) ".*country\.mmdb" of "dns_geoip" failed, what/);

mkdir $path;
stays('a folder', qr/is not used: it is no regular file/);
rmdir $path;

symlink "$d/nowhere", $path;
stays('a link to nothing', qr/stat\(\) .* failed/);
unlink $path;

is(workers(), $workers, 'the same workers');

# and goes on from there

put('US');
is(geo_wait('country', $client, $answer{US}), $answer{US}, 'a good one again');

# the very same once more is not made again

my $made = made();
put('US');
sleep 1.5;
is(made(), $made, 'the same content');

# what is not needed is deleted

my $until = time() + 8;
sleep 0.1 while (@files = blocks()) > 1 && time() < $until;
is(scalar @files, 1, 'tables that nobody needs are deleted');

# a reload: what was known is known from the first query on

put('DE');
geo_wait('country', $client, $answer{DE});
$workers = workers();
$t->reload();

my ($others, %seen) = (0);
$until = time() + 3;

while (time() < $until && !$others) {
	$seen{geo_at('country', $client)}++;
	$others = workers() ne $workers;
}

$seen{geo_at('country', $client)}++ for 1 .. 20;

is(join(', ', sort keys %seen), $answer{DE}, 'reload');

# a reload with another file

geo_country("$d/other.mmdb", { '10.0.0.0/8' => 'US' });
$t->write_file_expand('nginx.conf', geo_conf(%run, geoip => 'other.mmdb'));
$t->reload();
is(geo_wait('country', $client, $answer{US}), $answer{US},
	'reload with another file');

$t->write_file_expand('nginx.conf', geo_conf(%run));
$t->reload();
is(geo_wait('country', $client, $answer{DE}), $answer{DE}, 'and back');

# a reload that is refused changes nothing

geo_overwrite($path, 'x' x 5000);
$t->reload();
ok(dns_error_log($t, qr/\[emerg\].*country\.mmdb" is no database of places/),
	'a reload is refused');
is(geo_at('country', $client), $answer{DE}, 'what was known');

# none at all: what was learned from files is forgotten

$t->write_file_expand('nginx.conf', geo_conf(%run, geoip => undef));
$t->reload();
is(geo_wait('country', $client, $answer{none}), $answer{none},
	'reload without files');
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

	age("$path.new");
	rename "$path.new", $path or die "rename: $!";
}


# nobody has written to it for a while, which nginx waits for else

sub age {
	utime time() - 10, time() - 10, $_[0];
}


sub blocks {
	return glob "$d/state/geo/*.geo";
}


sub workers {
	my $reply = dns_ask('country.geo.test', 'A', nsid => 1);
	my $master = $t->read_file('nginx.pid') + 0;

	return join ' ', sort `ps -o pid= --ppid $master` =~ /(\d+)/g;
}


sub made {
	return scalar(my @lines = $t->read_file('error.log') =~ / were made in /g);
}


# a line more in the log, one only, and the old answer

sub stays {
	my ($name, $re) = @_;

	age($path) if -f $path;

	my $before = () = $t->read_file('error.log') =~ /$re/g;
	my $until = time() + 6;
	my $after;

	do {
		sleep 0.05;
		$after = () = $t->read_file('error.log') =~ /$re/g;
	} while ($after == $before && time() < $until);

	sleep 0.3;
	$after = () = $t->read_file('error.log') =~ /$re/g;

	is($after, $before + 1, "$name: told once");
	is(geo_at('country', $client), $answer{DE}, "$name: what was known");
}

###############################################################################
