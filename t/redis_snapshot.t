#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for snapshots: a start without Redis, how often one is written, what
# is refused and why, and a disk that does not take any.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

use Digest::SHA qw/ sha256 /;
use Time::HiRes qw/ time sleep /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(56);

my $r = redis_start($t);
my $state = $t->testdir() . '/state';
my $path = "$state/zone.snapshot";

for my $n (1 .. 30) {
	$r->l1("z$n.test.", { www => a("192.0.2.$n") });
}

$r->l4('set.test.', { www => { A => ips('198.51.100.1') }, hollow => {} });

# written when all is in step

start();

is_ip('www.z7.test', '192.0.2.7', 'from redis');
cmp_ok(wait_snapshots(1), '>=', 1, 'a snapshot');
is((stat $path)[2] & 07777, 0600, 'for its owner only');
is(-s $path, dns_counters()->{'zone.snapshot_size'}, 'size counted');
cmp_ok(abs(dns_counters()->{'zone.snapshot_time'} - time()), '<', 5,
	'time counted');
is_deeply([ glob "$state/*.tmp.*" ], [], 'nothing else is left');

# nothing changes, nothing is written

sleep 1.2;
my $written = dns_counters()->{'zone.snapshots'};
my $inode = (stat $path)[1];
sleep 1.5;

is(dns_counters()->{'zone.snapshots'}, $written, 'none without a change');
is((stat $path)[1], $inode, 'the file stays');

# changes all the time

my $until = time() + 2.5;
my $n = 0;

while (time() < $until) {
	$r->command('HSET', $r->key('zones:z1.test.'), 'www',
		redis_json(a('203.0.113.' . ($n++ % 250))));
	sleep 0.02;
}

my $more = dns_counters()->{'zone.snapshots'} - $written;

cmp_ok($more, '>=', 1, 'written while it changes');
cmp_ok($more, '<=', 4, 'not more often than once in a second');

$r->command('HSET', $r->key('zones:z1.test.'), 'www',
	redis_json(a('192.0.2.251')));
is_ip('www.z1.test', '192.0.2.251', 'the last change');
wait_snapshots(dns_counters()->{'zone.snapshots'} + 1);
sleep 1.2;

# a start without Redis

$t->stop();
$r->kill();

touch("$state/zone.snapshot.tmp.1", "$state/other.snapshot.tmp.1");
start();

is_ip('www.z1.test', '192.0.2.251', 'the last change is in the snapshot');
is_ip('www.z30.test', '192.0.2.30', 'a zone');
is_ip('www.set.test', '198.51.100.1', 'a zone of L4');
like(ask('hollow.set.test', 'A'), qr/^NOERROR .*\n(?!answer)/,
	'a name without records');
like(ask('none.z2.test', 'A'), qr/^NXDOMAIN/, 'no such name');
like(ask('none.test', 'A'), qr/^REFUSED/, 'no such zone');
is(dns_counters()->{'zone.zones'}, 31, 'zones');
cmp_ok(dns_counters()->{'zone.contact'}, '<', time(), 'contact');
like((dns_error_log($t, qr/\[notice\].* of a snapshot /))[0],
	qr/31 zones of a snapshot \d+ seconds old loaded in \d+ ms/, 'a line');

# Redis comes back

$r->start();
$r->l1('z1.test.', { www => a('192.0.2.252') });

is_ip('www.z1.test', '192.0.2.252', 'redis is back');
like(dns_text(dns_wait([ 'www.z2.test', 'A' ], qr/^REFUSED/)), qr/^REFUSED/,
	'what is not listed is gone');
cmp_ok(wait_snapshots(1), '>=', 1, 'a snapshot of it');
ok(!-e "$state/zone.snapshot.tmp.1", 'what others left is gone');
ok(-e "$state/other.snapshot.tmp.1", 'but not that of another source');

$t->stop();
$r->kill();

# what is refused

my $good = $t->read_file('state/zone.snapshot');

refused('a bit', sub { substr($_[0], 200, 1) ^= "\1" },
	qr/it is damaged: it has another checksum/);
refused('a part', sub { $_[0] = substr $_[0], 0, -1 },
	qr/it is damaged: it has \d+ octets instead of \d+/);
refused('the head', sub { substr($_[0], 40, 1) ^= "\1" },
	qr/it is damaged: its head has another checksum/);
refused('a format to come', sub { substr($_[0], 16, 4) = pack 'N', 99 },
	qr/it is of format 99, this version reads \d+,/);
refused('old zones', sub { substr($_[0], 20, 4) = pack 'N', 0 },
	qr/it holds zones of version 0, this version reads \d+,/);
refused('no snapshot', sub { $_[0] = 'x' x 4096 }, qr/it is no snapshot/);
refused('nothing', sub { $_[0] = '' }, qr/it is no snapshot/);

# somebody made it up: the checksums are right

refused('made up', sub {
	substr($_[0], 128 + 16 + 40, 1) ^= "\1";
	substr($_[0], 64, 32) = sha256(substr $_[0], 128);
	substr($_[0], 96, 32) = sha256(substr $_[0], 0, 96);
}, qr/it has a broken zone at octet 144: /);

put($good);
start(parameters => 'prefix=other_');
like(ask('www.z1.test', 'A', edns => 1232), qr/^SERVFAIL/, 'of another source');
like((dns_error_log($t, qr/not used: it is of another source/))[0],
	qr/error/, 'a line about it');
$t->stop();

SKIP: {
	skip('no symbolic links', 1) unless symlink "$path.good", "$path.link";

	rename $path, "$path.good";
	rename "$path.link", $path;
	start();
	like(ask('www.z1.test', 'A'), qr/^SERVFAIL/, 'a link is not followed');
	$t->stop();
	rename "$path.good", $path;
}

# a directory where nothing can be made

$r->start();
$r->l1('z1.test.', { www => a('192.0.2.1') });

start();
is_ip('www.z1.test', '192.0.2.1', 'with redis');
wait_snapshots(1);
chmod 0500, $state;

$good = $t->read_file('state/zone.snapshot');

SKIP: {
	skip('everything is allowed to root', 4) if own_root();

	change($_, 0.3) for 1 .. 12;

	is(scalar(dns_error_log($t, qr/no snapshot can be written/)), 1,
		'one line about it');
	is_ip('www.z1.test', '192.0.2.112', 'answers go on');
	is($t->read_file('state/zone.snapshot'), $good, 'the last one stays');

	chmod 0700, $state;

	is(scalar(dns_error_log($t, qr/snapshots are written again/)), 1,
		'one line at its end');
}

chmod 0700, $state;
$t->stop();

# less shared memory than before

$r->l1("big$_.test.", { map { ("n$_" => a("192.0.2.1")) } 1 .. 300 })
	for 1 .. 100;

start();
is_ip('n300.big100.test', '192.0.2.1', 'large zones');
wait_snapshots(dns_counters()->{'zone.snapshots'} + 1);
$t->stop();

$r->freeze();
start(parameters => 'zone=zone:1m');

like((dns_error_log($t, qr/found no room/))[0],
	qr/full: \d+ of 1\d\d zones of snapshot .* \d+ octets are missing/,
	'less shared memory');

my %seen;

for my $i (1 .. 100) {
	my $text = ask("n300.big$i.test", 'A');
	my ($rcode) = $text =~ /^(\w+)/;
	my $right = $text =~ / 192\.0\.2\.1$/m ? 1 : '';

	$seen{$rcode . $right}++;
}

is(join(' ', sort keys %seen), 'NOERROR1 SERVFAIL', 'right, or not ready');
like(ask('none.test', 'A'), qr/^SERVFAIL/, 'others not ready');

$t->stop();
$r->thaw();
$r->remove("big$_.test.") for 1 .. 100;

# a disk that is full

SKIP: {
	my $disk = $t->testdir() . '/disk';
	my $full = qr/no snapshot can be .*No space left/;

	mkdir $disk;

	skip('a disk cannot be mounted', 3)
		if system("mount -t tmpfs -o size=64k,mode=777 tmpfs $disk "
			. '2> /dev/null') != 0;

	$r->l1("full$_.test.", { map { ("n$_" => a("192.0.2.1")) } 1 .. 100 })
		for 1 .. 40;

	start(state => $disk);
	dns_wait([ 'n1.full40.test', 'A' ], qr/192.0.2.1/);

	is(scalar(dns_error_log($t, $full)), 1, 'full');
	change($_, 0.2) for 1 .. 8;
	is_deeply([ glob "$disk/*.tmp.*" ], [], 'nothing is left of it');

	$r->remove("full$_.test.") for 1 .. 40;
	wait_snapshots(1);
	ok(-s "$disk/zone.snapshot", 'room again');

	$t->stop();
	system("umount -l $disk");
}

undef $t;

###############################################################################

sub start {
	my (%opts) = @_;

	my $parameters = 'snapshot=1s ' . ($opts{parameters} // '');
	my $stream = $r->directives($parameters, state => !$opts{state});

	$stream = "dns_state_path $opts{state}; $stream" if $opts{state};

	dns_run($t, stream => $stream, sources => [ 'zone' ],
		main => 'worker_processes 2;', udp => 'reuseport');

	# what has been loaded, has been loaded

	select undef, undef, undef, 0.3;
}


sub ask {
	return dns_text(dns_ask(@_));
}


sub is_ip {
	my ($name, $ip, $what) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $re = qr/^answer \S+ \d+ IN A \Q$ip\E$/m;

	like(dns_text(dns_wait([ $name, 'A' ], $re, 8)), $re, $what);
}


sub wait_snapshots {
	my ($count) = @_;

	for (1 .. 100) {
		last if dns_counters()->{'zone.snapshots'} >= $count;
		sleep 0.1;
	}

	return dns_counters()->{'zone.snapshots'};
}


sub change {
	my ($n, $seconds) = @_;

	$r->command('HSET', $r->key('zones:z1.test.'), 'www',
		redis_json(a('192.0.2.' . (100 + $n))));
	sleep $seconds;
}


# a start with a snapshot that is changed by sub

sub refused {
	my ($name, $sub, $re) = @_;

	my $octets = $good;

	$sub->($octets);
	put($octets);
	start();

	like(ask('www.z1.test', 'A', edns => 1232),
		qr/^SERVFAIL.*^option 15 000e/ms, "$name: not ready");
	like((dns_error_log($t, $re))[0], qr/\[error\].* is not used: /,
		"$name: refused");

	$t->stop();
}


sub put {
	my ($octets) = @_;

	open my $f, '+<', $path or die "$path: $!";
	binmode $f;
	truncate $f, 0;
	print $f $octets;
	close $f;
}


sub touch {
	for my $file (@_) {
		open my $f, '>', $file or die "$file: $!";
		close $f;
	}
}


# workers are root, too, if nginx cannot become another user

sub own_root {
	return (stat $path)[4] == 0;
}


sub a {
	return { a => { ttl => 60, records => [ { ip => $_[0] } ] } };
}


sub ips {
	return { ttl => 60, records => [ map { { ip => $_ } } @_ ] };
}

###############################################################################
