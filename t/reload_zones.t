#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for zone files over reloads: changes are noticed and a bad version
# leaves the last good one in service (case Z14), unchanged files are not
# read again, files that a zone includes count.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

use Time::HiRes qw/ sleep time utime /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(36);

my $d = $t->testdir();

mkdir "$d/zones";
mkdir "$d/zones/inc";
mkdir "$d/zones/directory.zone";

$t->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;
worker_processes 2;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
        dns_zone a.test zones/a.test.zone;
        dns_zone b.test zones/b.test.zone;
        dns_zones zones/*.zone;
    }

    # the same zones again

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_zones zones/*.zone;
    }
}

EOC

# files that seem to be old at once are not looked at again

$t->write_file('zones/inc/www', "www A 192.0.2.1\n");
$t->write_file('zones/inc/a', "\$INCLUDE www\n");
$t->write_file('zones/a.test.zone',
	zone_text('a.test', "v TXT one\n\$INCLUDE inc/a\n"));
$t->write_file('zones/b.test.zone', zone_text('b.test', "v TXT one\n"));
$t->write_file('zones/c.test.zone', zone_text('c.test', "v TXT one\n"));
old(qw{ zones/inc/www zones/inc/a zones/a.test.zone zones/b.test.zone
	zones/c.test.zone });

# changing a file's times is a change too, so wait until that is past

sleep 3.1;

$t->run();

###############################################################################

is(value('a.test'), 'one', 'start a');
is(value('b.test'), 'one', 'start b');
is(value('c.test'), 'one', 'start by pattern');
is(value('a.test', 8982), 'one', 'start other server');
is(address('a.test'), '192.0.2.1', 'start include of include');
is(loaded('a.test'), 1, 'read once for two servers');
is(loaded('directory'), 0, 'directories are no zones');

# nothing has changed

reload();
reload();

is(value('a.test'), 'one', 'unchanged');
is(loaded('a.test'), 1, 'unchanged a is not read');
is(loaded('b.test'), 1, 'unchanged b is not read');
is(loaded('c.test'), 1, 'unchanged c is not read');

# one changes

$t->write_file('zones/b.test.zone', zone_text('b.test', "v TXT two\n"));
reload();

is(value('b.test'), 'two', 'change');
is(value('b.test', 8982), 'two', 'change other server');
is(loaded('b.test'), 2, 'change is read');
is(loaded('a.test'), 1, 'others are not');
is(scalar dns_error_log($t, qr/"b.test" has changed but its serial is still/),
	1, 'serial');

# good, broken, good: same serial and size within one second

$t->write_file('zones/b.test.zone', zone_text('b.test', "v TXT 3ok\n"));
reload();
is(value('b.test'), '3ok', 'Z14 good');

$t->write_file('zones/b.test.zone', zone_text('b.test', "v TXT \"3o\n"));
failed_reload();
is(value('b.test'), '3ok', 'Z14 broken');
like((dns_error_log($t, qr/\[emerg\].*b\.test\.zone:\d+/))[0],
	qr/"b\.test": .*b\.test\.zone:6$/, 'Z14 reason');

$t->write_file('zones/b.test.zone', zone_text('b.test', "v TXT 3ko\n"));
reload();
is(value('b.test'), '3ko', 'Z14 good again');
is(value('b.test', 8982), '3ko', 'Z14 good again other server');

# a failed reload does not harm the zones that it shares

is(value('a.test'), 'one', 'shared zone');
is(loaded('a.test'), 1, 'shared zone is not read');

# a file that is included by an included one

$t->write_file('zones/inc/www', "www A 192.0.2.2\n");
reload();

is(address('a.test'), '192.0.2.2', 'included file');
is(loaded('a.test'), 2, 'included file is read');

# replaced by another file with all the same times and size

$t->write_file('zones/c.test.new', zone_text('c.test', "v TXT two\n"));

my ($atime, $mtime) = (Time::HiRes::stat("$d/zones/c.test.zone"))[8, 9];
utime $atime, $mtime, "$d/zones/c.test.new";
rename "$d/zones/c.test.new", "$d/zones/c.test.zone";
reload();

is(value('c.test'), 'two', 'replaced file');

# written in place, the time set back

$t->write_file('zones/c.test.zone', zone_text('c.test', "v TXT 333\n"));
old('zones/c.test.zone');
reload();

is(value('c.test'), '333', 'time set back');

# an included file is gone

rename "$d/zones/inc/www", "$d/zones/inc/gone";
failed_reload();
is(address('a.test'), '192.0.2.2', 'missing file');
like((dns_error_log($t, qr/open\(\) failed/))[0],
	qr/"a\.test": .*open\(\) failed \(2: .*inc\/a:1$/, 'missing file reason');

rename "$d/zones/inc/gone", "$d/zones/inc/www";
reload();
is(address('a.test'), '192.0.2.2', 'file is back');

# zones come and go

$t->write_file('zones/new.test.zone', zone_text('new.test', "v TXT one\n"));
reload();
is(value('new.test'), 'one', 'new zone');

unlink "$d/zones/new.test.zone";
reload();
is(value('new.test'), 'REFUSED', 'zone is gone');

# now everything is old enough

sleep 3.1;

reload();

my @before = map { loaded("$_.test") } qw/ a b c /;

reload();

my @after = map { loaded("$_.test") } qw/ a b c /;

is("@after", "@before", 'quiet again');

is(value('a.test'), 'one', 'end a');
is(value('b.test'), '3ko', 'end b');
is(value('c.test'), '333', 'end c');

undef $t;

###############################################################################

sub ask {
	my ($name, $type, $n) = @_;

	my $c = dns_client(port => port($n // 8981, udp => 1));

	$c->send(dns_query($name, $type));

	return dns_text($c->recv());
}


sub value {
	my ($zone, $n) = @_;

	my $text = ask("v.$zone", 'TXT', $n);

	return $text =~ / TXT "(\w+)"/ ? $1 : (split / /, $text)[0];
}


sub address {
	my ($zone) = @_;

	my $text = ask("www.$zone", 'A');

	return $text =~ / A (\S+)$/ ? $1 : (split / /, $text)[0];
}


sub loaded {
	my ($zone) = @_;

	my $log = $t->read_file('error.log');
	my $n = () = $log =~ /zone "\Q$zone\E" loaded/g;

	return $n;
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


# Reloads, and waits until the old workers are gone.

sub reload {
	my $gone = count(qr/worker process \d+ exited/);

	$t->reload();
	wait_for(sub { count(qr/worker process \d+ exited/) >= $gone + 2 });
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


# Sets the times of files into the past.

sub old {
	my $then = time() - 1000;

	utime $then, $then, map { "$d/$_" } @_;
}

###############################################################################
