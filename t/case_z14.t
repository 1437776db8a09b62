#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a zone file that is good, broken and good again over reloads, with
# the same serial, size and time each; for one that is gone, and for one that
# another takes the place of, case Z14.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp symlink/)->plan(27);

my $d = $t->testdir();
my $then = int time() - 1000;
my $seen = 0;	# of the log

mkdir "$d/old";
mkdir "$d/new";

put('z1.test.zone', 'www A 192.0.2.1');
put('old/z2.test.zone', 'www A 192.0.2.1', 'z2.test');
put('new/z2.test.zone', 'www A 192.0.2.2', 'z2.test');
symlink 'old', "$d/current";

# a change of times is a change too, so wait until that is past

sleep 3.1;

dns_run($t, conf => conf('z1.test.zone'));

###############################################################################

is(www(), '192.0.2.1', 'Z14 good');

reload();
is(loaded(), 1, 'Z14 good, is not read again');

# the same serial, size and time each

put('z1.test.zone', 'www A 192.0.2,2');
failed_reload();
is(www(), '192.0.2.1', 'Z14 broken');

failed_reload();
is(www(), '192.0.2.1', 'Z14 still broken');

put('z1.test.zone', 'www A 192.0.2.3');
reload();
is(www(), '192.0.2.3', 'Z14 fixed');

is(said(), <<'EOF', 'Z14 what is said');
emerg "192.0.2,2" is not an IPv4 address in z1.test.zone:6
emerg is refused: 1 errors, file "z1.test.zone"
emerg "192.0.2,2" is not an IPv4 address in z1.test.zone:6
emerg is refused: 1 errors, file "z1.test.zone"
warn has changed but its serial is still 2026010101
EOF

put('z1.test.zone', 'www A 192.0.2.4');
reload();
is(www(), '192.0.2.4', 'Z14 good to good');

# whatever the serial

put('z1.test.zone', 'www A 192.0.2.5', 'z1.test', 2025010101);
reload();
is(www(), '192.0.2.5', 'Z14 lower serial');

# what only the whole zone shows

put('z1.test.zone', 'ns1 CNAME ns1.x', 'z1.test', 2025010101);
failed_reload();
is(www(), '192.0.2.5', 'Z14 CNAME beside other data');

# a worker that starts with a broken file on disk has the good zone

my $n = count(qr/start worker process/);

kill TERM => ($t->read_file('error.log') =~ /start worker process (\d+)/g)[-1];
wait_for(sub { count(qr/start worker process/) > $n });
is(www(), '192.0.2.5', 'Z14 new worker, broken file');

put('z1.test.zone', 'www A 192.0.2.6', 'z1.test', 2025010101);
reload();
is(www(), '192.0.2.6', 'Z14 fixed again');

# the file is gone, or cannot be a zone any more

said();

rename "$d/z1.test.zone", "$d/gone";
failed_reload();
is(www(), '192.0.2.6', 'Z14 no file');

mkdir "$d/z1.test.zone";
failed_reload();
is(www(), '192.0.2.6', 'Z14 a directory instead');
rmdir "$d/z1.test.zone";

$t->write_file('z1.test.zone', '');
failed_reload();
is(www(), '192.0.2.6', 'Z14 an empty file instead');
unlink "$d/z1.test.zone";

is(said(), <<'EOF', 'Z14 why');
emerg cannot open "z1.test.zone": open() failed (2: No such file or directory)
emerg is refused: 1 errors, file "z1.test.zone"
emerg cannot open "z1.test.zone": is a directory
emerg is refused: 1 errors, file "z1.test.zone"
emerg zone has no SOA record
emerg is refused: 1 errors, file "z1.test.zone"
EOF

my $before = loaded();

rename "$d/gone", "$d/z1.test.zone";
reload();
is(www(), '192.0.2.6', 'Z14 file is back');
is(loaded(), $before + 1, 'Z14 file is back, is read');

# another file by the configuration; nobody looks at the old one

put('other.zone', 'www A 192.0.2.7', 'z1.test', 2025010101);
$t->write_file_expand('nginx.conf', conf('other.zone'));
reload();
is(www(), '192.0.2.7', 'Z14 another path');

put('z1.test.zone', 'www A 192.0.2,8');
reload();
is(www(), '192.0.2.7', 'Z14 old path is broken');

unlink "$d/z1.test.zone";
put('other.zone', 'www A 192.0.2.8', 'z1.test', 2025010101);
reload();
is(www(), '192.0.2.8', 'Z14 change of the new path');

$t->write_file_expand('nginx.conf', conf('z1.test.zone'));
failed_reload();
is(www(), '192.0.2.8', 'Z14 back to a path without a file');

put('z1.test.zone', 'www A 192.0.2.9', 'z1.test', 2025010101);
reload();
is(www(), '192.0.2.9', 'Z14 back to the first path');

# a link to another folder with a file that seems to be the same

is(www('z2.test'), '192.0.2.1', 'Z14 link');

unlink "$d/current";
failed_reload();
is(www('z2.test'), '192.0.2.1', 'Z14 no link');

symlink 'new', "$d/current";
reload();
is(www('z2.test'), '192.0.2.2', 'Z14 another link');

# back, but with a broken file at that place

put('old/z2.test.zone', 'www A 192.0.2,1', 'z2.test');
unlink "$d/current";
symlink 'old', "$d/current";
failed_reload();
is(www('z2.test'), '192.0.2.2', 'Z14 link to a broken file');
is(www(), '192.0.2.9', 'Z14 other zone');

undef $t;

###############################################################################

sub conf {
	my ($path) = @_;

	return dns_conf(server => "dns_zone z1.test $path; "
		. 'dns_zone z2.test current/z2.test.zone;');
}


# Writes a zone file of one size with one time.

sub put {
	my ($path, $record, $zone, $serial) = @_;

	my $text = zone_text($zone // 'z1.test', "$record\n");

	$text =~ s/2026010101/$serial/ if defined $serial;

	$t->write_file($path, $text);
	utime $then, $then, "$d/$path" or die "setting times of $path: $!\n";
}


sub www {
	my ($zone) = @_;

	my $name = 'www.' . ($zone // 'z1.test');
	my $text = dns_text(dns_ask($name, 'A'));

	# the address if the reply is all as it should be

	return $text =~ /^NOERROR\ qr\ aa\n
		question\ \Q$name\E\.\ IN\ A\n
		answer\ \Q$name\E\.\ 300\ IN\ A\ (\S+)\n\z/x ? $1 : $text;
}


sub loaded {
	return count(qr/zone "z1\.test" loaded/);
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


# What was said of the zone since it was asked the last time.

sub said {
	my $log = $t->read_file('error.log');
	my $text = '';

	pos($log) = $seen;

	while ($log =~ /\[(warn|emerg)\] .*?: zone "z1\.test":? (.*)\n/g) {
		$text .= "$1 $2\n" =~ s!\Q$d/\E!!gr;
		$text =~ s/ in z1.test.zone$//;
	}

	$seen = length $log;

	return $text;
}


# Reloads, and waits until the old worker is gone.

sub reload {
	my $gone = count(qr/worker process \d+ exited/);

	$t->reload();
	wait_for(sub { count(qr/worker process \d+ exited/) > $gone });
}


sub failed_reload {
	my $before = count(qr/is refused: /);

	$t->reload();
	wait_for(sub { count(qr/is refused: /) > $before });
}


sub wait_for {
	my ($done) = @_;

	my $until = time() + 10;

	while (!$done->()) {
		return diag('it takes too long') if time() > $until;
		sleep 0.02;
	}
}

###############################################################################
