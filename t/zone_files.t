#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for files that a zone cannot be read from: directories, pipes, devices,
# files without permission or with faults; and for files that change while
# they are read.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Zone;

use POSIX qw/ mkfifo :sys_wait_h /;
use IO::Socket::UNIX;
use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp unix symlink/)->plan(35);

my $d = $t->testdir();

mkdir "$d/check";
mkdir "$d/check/directory";
mkdir "$d/zones";
mkfifo("$d/check/pipe", 0600) or die "making a pipe: $!\n";
symlink 'loop', "$d/check/loop";
symlink 'pipe', "$d/check/link";

my $socket = IO::Socket::UNIX->new(Local => "$d/check/socket", Listen => 1);

my $good = zone_text('z1.test', "www A 192.0.2.1\n");

dns_run($t, zones => { 'z1.test' => $good }, server => 'dns_zones zones/*;');

# what waits for a pipe waits until here

$SIG{ALRM} = sub { die "it takes too long\n" };
alarm 240;

###############################################################################

# path, what it says as the file of a zone and of an $INCLUDE

my @cases = (
	[ directory => 'is a directory' ],
	[ pipe => 'is not a regular file' ],
	[ link => 'is not a regular file' ],
	[ socket => 'open() failed (6: No such device or address)' ],
	[ '/dev/null' => 'is not a regular file' ],
	[ '/dev/zero' => 'is not a regular file' ],
	[ '/dev/full' => 'is not a regular file' ],
	[ loop => 'open() failed (40: Too many levels of symbolic links)' ],
	[ 'none' => 'open() failed (2: No such file or directory)' ],
	[ 'none/none' => 'open() failed (2: No such file or directory)' ],
	[ 'socket/x' => 'open() failed (20: Not a directory)' ],
	[ 'x' x 300 => 'open() failed (36: File name too long)' ],
);

for my $case (@cases) {
	my ($path, $why) = @$case;
	my $name = length $path > 80 ? 'long name' : $path;
	my $shown = $path =~ s/.*(.{160})/...$1/r;

	zone_is($t, "$good\$INCLUDE $path\nlast A 1\n", <<EOF, "include $name");
		refused
		emerg 7: cannot open "$shown": $why
		emerg 8: "1" is not an IPv4 address
EOF

	next if $path =~ m!^/!;

	zone_is($t, undef, <<EOF, "file $name", path => $path);
		refused
		emerg: cannot open "$shown": $why
EOF
}

# nothing is read from a pipe that has a writer

open my $pipe, '+<', "$d/check/pipe" or die "opening the pipe: $!\n";
syswrite $pipe, $good;

zone_is($t, undef, <<EOF, 'pipe with a writer', path => 'pipe');
	refused
	emerg: cannot open "pipe": is not a regular file
EOF

close $pipe;

# a disk that fails: this file is regular and cannot be read at its start

SKIP: {
skip 'no such file', 1 if !-f '/proc/self/mem';

zone_is($t, "$good\$INCLUDE /proc/self/mem\n", <<EOF, 'fault');
	refused
	emerg /proc/self/mem:1: cannot read: read() failed (5: Input/output
		error)
EOF
}

# no permission; root has to give up the right to read everything

SKIP: {
my $as = $> == 0 ? 'setpriv --bounding-set=-dac_override,-dac_read_search'
	: '';

skip 'root reads everything', 2 if system("$as true 2> /dev/null") != 0;

$t->write_file('check/secret', "x A 192.0.2.1\n");
chmod 0, "$d/check/secret";

zone_is($t, "$good\$INCLUDE secret\nlast A 1\n", <<EOF, 'permission',
	refused
	emerg 7: cannot open "secret": open() failed (13: Permission denied)
	emerg 8: "1" is not an IPv4 address
EOF
	as => $as);

zone_is($t, undef, <<EOF, 'permission, file', path => 'secret', as => $as);
	refused
	emerg: cannot open "secret": open() failed (13: Permission denied)
EOF
}

# patterns skip directories and nothing else

mkdir "$d/zones/z3.test.zone";
reload();
is(www(), '192.0.2.1', 'directory of a pattern');

mkfifo("$d/zones/z2.test.zone", 0600);
failed_reload();
is(www(), '192.0.2.1', 'pipe of a pattern');
like((dns_error_log($t, qr/z2\.test/))[0],
	qr/zone "z2\.test": cannot open "\S+": is not a regular file in /,
	'pipe of a pattern, message');

# what only sends signals does not wait for pipes either

my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

is(system("$nginx -p $d/ -c nginx.conf -e error.log -s reopen"), 0,
	'signal with a pipe');
unlink "$d/zones/z2.test.zone";

reload();
is(www(), '192.0.2.1', 'no pipe any more');

# A large file, of which the end is read when the start has become a million
# records.

my $slow = "$good\$GENERATE 1-1000000 a TXT x\n"
	. ('; ' . 'x' x 77 . "\n") x 10000;

my $meanwhile = '^refused\nemerg \d+: cannot read: '
	. 'it was written to meanwhile\n\z';

my $said = said_of_changes(sub {
	my ($n) = @_;

	open my $file, '>>', "$d/check/z1.test.zone" or die "appending: $!\n";
	print $file "; $n\n";
	close $file;
});

like($said, qr/$meanwhile/, 'file gets longer');

$said = said_of_changes(sub {
	my ($n) = @_;

	open my $file, '+<', "$d/check/z1.test.zone" or die "writing: $!\n";
	sysseek $file, -2, 2;
	syswrite $file, $n % 10;
	close $file;
});

like($said, qr/$meanwhile/, 'file is written to');

$said = said_of_changes(sub {
	my ($n) = @_;

	truncate "$d/check/z1.test.zone", length($slow) - 80 * $n
		or die "truncating: $!\n";
});

like($said, qr/$meanwhile/, 'file gets shorter');

# a file that takes the place of another is no harm: the old one is whole

$said = said_of_changes(sub {
	my ($n) = @_;

	$t->write_file('check/next', $good);
	rename "$d/check/next", "$d/check/z1.test.zone" or die "renaming: $!\n";
}, 'accepted');

is($said, "accepted\n", 'file is replaced');

zone_is($t, $good, "accepted\n", 'file is quiet');

alarm 0;

undef $t;

###############################################################################

# What is said of a large file to which something happens again and again
# while it is read.  Once more if all of it happened before or after.

sub said_of_changes {
	my ($change, $expected) = @_;

	my $said;

	for (1 .. 10) {
		$said = zone_said($t, $slow, meanwhile => sub {
			my ($pid) = @_;
			my $n = 0;

			while (waitpid($pid, WNOHANG) == 0) {
				$change->(++$n);
				sleep 0.005;
			}
		});

		last if $said ne "accepted\n" || defined $expected;
	}

	return $said;
}


sub www {
	my $text = dns_text(dns_ask('www.z1.test', 'A'));

	return $text =~ / 300 IN A (\S+)\n\z/ ? $1 : $text;
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


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
