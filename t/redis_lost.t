#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a zone that changes while a comparison reads it, and once more
# after that connection was lost and before it is read again.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(5);

my $r = redis_start($t);
my $d = $t->testdir();

put('one.test.', 1);
put('two.test.', 1);

redis_fake($t, listen => 8982, to => $r, answer => \&answer);

dns_run($t, stream => 'dns_state_path %%TESTDIR%%/state; '
	. 'dns_redis 127.0.0.1:8982 zone=zone:16m snapshot=0;');

# the zone is being read, then it waits behind a list that does not come

is(change('exec', 2), 1, 'changed while it is read');
is(change('list', 3), 1, 'changed before it is read again');

is_version('one.test', 3, 'the last version');

# it goes, another one changes: nothing is left of it

$r->remove('one.test.');
dns_wait([ 'www.one.test', 'A' ], qr/^REFUSED/);
put('two.test.', 5);
is_version('two.test', 5, 'another zone');

put('one.test.', 6);
is_version('one.test', 6, 'it is back');

###############################################################################

# Withholds one reply of each kind, with a note of that: to the first
# transaction, and to the list of zones on the connection that follows.

sub answer {
	my ($c, @words) = @_;

	my $word = uc $words[0];

	return withhold('exec') if $word eq 'EXEC' && !-e "$d/exec";

	return withhold('list') if $word eq 'SSCAN' && -e "$d/exec"
		&& !-e "$d/list";

	return undef;
}


sub withhold {
	my ($name) = @_;

	open my $file, '>', "$d/$name" or die "$d/$name: $!\n";
	close $file;

	return '';
}


# Writes a version while a reply is withheld.

sub change {
	my ($name, $version) = @_;

	for (1 .. 1000) {
		last if -e "$d/$name";
		select undef, undef, undef, 0.01;
	}

	select undef, undef, undef, 0.1;
	put($_, $version) for qw/ one.test. two.test. /;

	return -e "$d/$name" ? 1 : 0;
}


sub put {
	my ($zone, $version) = @_;

	$r->l1($zone, { www => { a => { ttl => 60,
		records => [ { ip => "192.0.2.$version" } ] } } }, keep => 1);
}


sub is_version {
	my ($zone, $version, $name) = @_;

	my $re = qr/ A 192\.0\.2\.$version$/m;

	like(dns_text(dns_wait([ "www.$zone", 'A' ], $re)), $re, $name);
}

###############################################################################
