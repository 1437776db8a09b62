#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for pools over reloads: zones that use a pool which has changed are
# read again, and no others; a pool that is refused leaves what was.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(24);

my %zones = (
	'a.test' => "www POOL a\nall POOL b\n",
	'b.test' => "www POOL b\n",
	'none.test' => "www A 192.0.2.9\n",
);

my %pools = (
	a => 'address 192.0.2.1;',
	b => 'address 192.0.2.2;',
	unused => 'address 192.0.2.3;',
);

# files that seem to be old at once are not looked at again

for my $zone (keys %zones) {
	$t->write_file("$zone.zone", zone_text($zone, $zones{$zone}));
	utime(time() - 100, time() - 100, $t->testdir() . "/$zone.zone");
}

sleep 3.1;

dns_run($t, zones => {}, conf => conf());

###############################################################################

is(answer('www.a.test'), '192.0.2.1', 'start');
is(answer('www.b.test'), '192.0.2.2', 'start, another zone');
is(loads(), 'a 1 b 1 none 1', 'each zone is read once');

# the same again

reload();
is(loads(), 'a 1 b 1 none 1', 'nothing has changed');

# other words for the same, another place

$pools{a} = "choose none;\n  address 192.0.2.1;";
reload();
is(loads(), 'a 1 b 1 none 1', 'a pool in other words');

# one changes

$pools{a} = 'address 192.0.2.11;';
reload();
is(answer('www.a.test'), '192.0.2.11', 'address');
is(loads(), 'a 2 b 1 none 1', 'the zone with the pool is read');

# both zones have this one

$pools{b} = 'address 192.0.2.2; address 2001:db8::2;';
reload();
is(answer('www.b.test', 'AAAA'), '2001:db8::2', 'another address');
is(answer('all.a.test', 'AAAA'), '2001:db8::2', 'in the other zone');
is(loads(), 'a 3 b 2 none 1', 'the zones with the pool are read');

# nothing but the way to choose

$pools{b} .= ' choose single rr;';
reload();
is(loads(), 'a 4 b 3 none 1', 'choose');

$pools{b} = 'address 192.0.2.2 weight=3; address 2001:db8::2; '
	. 'choose single rr;';
reload();
is(loads(), 'a 5 b 4 none 1', 'weight');

# pools that no zone has

$pools{unused} = 'address 192.0.2.33; choose rr;';
$pools{more} = 'address 192.0.2.4;';
reload();
is(loads(), 'a 5 b 4 none 1', 'unused pools');

delete $pools{unused};
reload();
is(loads(), 'a 5 b 4 none 1', 'a pool less, other places for the rest');

# a pool that a zone has is gone

my $gone = delete $pools{b};
failed();
is(answer('www.b.test'), '192.0.2.2', 'pool is gone');
like((dns_error_log($t, qr/\[emerg\].*b\.test\.zone/))[0],
	qr/"b\.test": "b" is not the name of a "dns_pool" in \S+zone:\d+$/,
	'pool is gone, reason');

$pools{b} = $gone;
reload();
is(answer('www.b.test'), '192.0.2.2', 'pool is back');

my $loads = loads();

# a pool that is refused

$pools{a} = 'address 192.0.2.1; address 192.0.2.1;';
failed();
is(answer('www.a.test'), '192.0.2.11', 'pool is refused');

$pools{a} = 'address 192.0.2.11;';
reload();
is(loads(), $loads, 'pool as before');

# a change of a file and of a pool; of a file only

$t->write_file('a.test.zone', zone_text('a.test', "www POOL b\nall POOL a\n"));
utime(time() - 100, time() - 100, $t->testdir() . '/a.test.zone');
sleep 3.1;
reload();
is(answer('all.a.test'), '192.0.2.11', 'other pools in the file');
is(answer('www.a.test'), '192.0.2.2', 'other pools in the file, www');

$loads = loads();
$pools{more} = 'address 192.0.2.44;';
reload();
is(loads(), $loads, 'the pools that it uses now are known');

# the zone does not use any pool any more

$t->write_file('a.test.zone', zone_text('a.test', "www A 192.0.2.5\n"));
delete $pools{a};
reload();
is(answer('www.a.test'), '192.0.2.5', 'no pools in the file');

# another serial is not wanted when only a pool changes

is(scalar dns_error_log($t, qr/"b\.test" has changed but its serial/), 0,
	'serial');

undef $t;

###############################################################################

sub conf {
	return dns_conf(
		zones => \%zones,
		stream => join("\n", map { "dns_pool $_ { $pools{$_} }" }
			sort { $b cmp $a } keys %pools),
	);
}


sub answer {
	my ($name, $type) = @_;

	my $c = dns_client();

	$c->send(dns_query($name, $type // 'A'));

	my $m = dns_parse($c->recv());

	return join ' ', map { $_->{rdata} } @{ $m->{answer} };
}


# how often each zone was read

sub loads {
	my $log = $t->read_file('error.log');

	return join ' ', map {
		my $n = () = $log =~ /zone "$_\.test" loaded/g;
		"$_ $n"
	} qw/ a b none /;
}


sub count {
	my ($re) = @_;

	my $n = () = $t->read_file('error.log') =~ /$re/g;

	return $n;
}


# Reloads and waits until the old workers are gone.

sub reload {
	my $n = count(qr/worker process \d+ exited/);

	$t->write_file_expand('nginx.conf', conf());
	$t->reload();

	wait_for(sub { count(qr/worker process \d+ exited/) > $n });
}


# The same for a configuration that is refused.

sub failed {
	my $n = count(qr/\[emerg\]/);

	$t->write_file_expand('nginx.conf', conf());
	$t->reload();

	wait_for(sub { count(qr/\[emerg\]/) > $n });
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
