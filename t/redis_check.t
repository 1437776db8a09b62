#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for tools/redis-check: nothing in clean data, each fault once.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use JSON::PP qw//;
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

# Faults in one label of a zone of its own: value, and what is found.  A value
# is the JSON of a type.

my @faults = (
	[ A => '{"ttl":1', 'error not-json' ],
	[ A => '[]', 'error not-object' ],
	[ A => '{"records":{}}', 'error not-list' ],
	[ A => '{"records":["192.0.2.1"]}', 'error not-object' ],
	[ A => '{"ttl":"60","records":[]}', 'error bad-value' ],
	[ A => '{"ttl":-1,"records":[]}', 'error bad-value' ],
	[ A => '{"ttl":2147483648,"records":[{"ip":"192.0.2.1"}]}',
		'warning large-ttl' ],
	[ A => '{"ttl":1.5,"records":[]}', 'error bad-value' ],
	[ A => '{"records":[{"ip":"2001:db8::1"}]}', 'error bad-value' ],
	[ A => '{"records":[{"ip":""}]}', 'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.256"}]}', 'error bad-value' ],
	[ A => '{"records":[{"adr":"192.0.2.1"}]}', 'error missing',
		'note unknown-member' ],
	[ A => '{"records":[{"ip":"192.0.2.1","weight":-1}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1","weight":"1"}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1","country":["DE","Germany"]}]}',
		'warning bad-country' ],
	[ A => '{"records":[{"ip":"192.0.2.1","country":1}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1","weight":4294967296}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"filter":[]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"port":65536}}', 'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1","priority":65536}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1","continent":["EU","Europe"]}]}',
		'warning bad-continent' ],
	[ A => '{"records":[{"ip":"192.0.2.1","network":[1]}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"filter":'
		. '{"geo_filter":"asn+planet"}}', 'warning unknown-word' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"protocol":"ping"}}', 'warning unknown-word' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"protocol":"tcp"}}', 'warning no-port' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"uri":"up"}}', 'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"host":"a b"}}', 'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"status":[200,600]}}', 'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"verify":1}}', 'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":true,"match":' . '"' . 'x' x 1025 . '"}}',
		'warning bad-setting' ],
	[ A => '{"records":[{"ip":"192.0.2.1","asn":"64500"}]}',
		'error bad-value' ],
	[ A => '{"records":[{"ip":"192.0.2.1"},{"ip":"192.0.2.1"}]}',
		'note same-twice' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"Records":[]}',
		'warning twice' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"filter":{"order":"random"}}',
		'warning unknown-word' ],
	[ A => '{"records":[{"ip":"192.0.2.1"}],"health_check":'
		. '{"enable":"yes"}}', 'warning bad-setting' ],
	[ AAAA => '{"records":[{"ip":"192.0.2.1"}]}', 'error bad-value' ],
	[ NS => '{"records":[{"host":"x.test"}]}', 'warning no-dot' ],
	[ NS => '{"records":[{"host":"x..test."}]}', 'error bad-value' ],
	[ NS => '{"records":[{"host":"' . 'x' x 64 . '."}]}',
		'error bad-value' ],
	[ CNAME => '{"host":"x.test"}', 'warning no-dot' ],
	[ CNAME => '{"host":1}', 'error bad-value' ],
	[ PTR => '{"domain":"x.test"}', 'warning no-dot' ],
	[ ANAME => '{"location":"x.test"}', 'warning no-dot' ],
	[ MX => '{"records":[{"host":"x.test","preference":1}]}',
		'warning no-dot' ],
	[ MX => '{"records":[{"host":"x.test.","preference":65536}]}',
		'error bad-value' ],
	[ SRV => '{"records":[{"target":"x.test","port":1}]}',
		'warning no-dot' ],
	[ SRV => '{"records":[{"target":"x.test.","port":-1}]}',
		'error bad-value' ],
	[ TXT => '{"records":[{"text":1}]}', 'error bad-value' ],
	[ TXT => '{"records":[{"text":"' . 'x' x 65500 . '"}]}',
		'error bad-value' ],
	[ CAA => '{"records":[{"tag":"is sue","value":"x"}]}',
		'error bad-value' ],
	[ CAA => '{"records":[{"tag":"issue","value":"x","flag":256}]}',
		'error bad-value' ],
	[ CAA => '{"records":[{"tag":"issue"}]}', 'error missing' ],
	[ NS => '{"records":[{"host":" x.test."}]}', 'error bad-value' ],
	[ SOA => '{"records":[]}', 'error bad-type' ],
	[ ANY => '{"records":[]}', 'error bad-type' ],
	[ TXT => '{"records":[' . join(',', map { "{\"text\":\"$_" . 'x' x 65000
		. '"}' } 1, 2) . ']}', 'error too-large' ],
	[ TLSA => '{"records":[{"usage":3,"certificate":"abc"}]}',
		'error bad-value' ],
	[ DS => '{"records":[{"key_tag":1,"digest":"xy"}]}',
		'error bad-value' ],
	[ HTTPS => '{"records":[{"rdata":"1 . alpn"}]}', 'error bad-value' ],
	[ HTTPS => '{"records":[{"value":"1 ."}]}', 'error missing',
		'note unknown-member' ],
	[ SSHFP => '{"records":[{"rdata":""}]}', 'error bad-value' ],
);

# Values that are as they should be.

my $clean = {
	'@' => { ns => { ttl => 60, records => [ { host => 'x.test.' } ] },
		mx => { records => [ { host => '.', preference => 0 } ] },
		aname => { location => 'x.test.', ttl => 5 },
		caa => { records => [ { tag => 'issue', value => 'ca.test' } ] } },
	'*.w' => { txt => { ttl => 0, records => [ { text => '' },
		{ text => "\xc3\xa4" } ] } },
	'a.b' => {
		a => { ttl => 2147483647, filter => { count => 'single',
			order => 'weighted', geo_filter => 'asn+country',
			no_match => 'none' },
			health_check => { enable => JSON::PP::true(),
				protocol => 'https', uri => '/', port => 443,
				timeout => 800, up_count => 3, down_count => -3,
				interval => 5, all_down => 'none' },
			records => [
				{ ip => '192.0.2.1', weight => 3,
					country => 'DE', asn => 64500 },
				{ ip => '192.0.2.2', weight => 0,
					country => [ '', 'us' ],
					asn => [ 0, 'AS64501' ] },
			] },
		aaaa => { filter => { order => 'sticky',
			geo_filter => 'network+Continent+location' },
			health_check => { enable => JSON::PP::true(),
				protocol => 'tcp', port => 25,
				host => 'x.test', match => 'all well',
				status => [ 200, 204 ],
				verify => JSON::PP::false() },
			records => [ { ip => '2001:db8::1', priority => 1,
				continent => [ 'eu', '' ],
				network => 'office' } ] } },
	c => { cname => { ttl => 60, host => 'x.test.' } },
	p => { ptr => { domain => 'x.test.' } },
	'_s._tcp' => { srv => { records => [ { target => 'x.test.',
		priority => 0, weight => 1, port => 80 } ] },
		tlsa => { records => [ { usage => 3, selector => 1,
			matching_type => 1, certificate => 'ab' x 32 } ] } },
	d => { ns => { records => [ { host => 'x.test.' } ] },
		ds => { records => [ { key_tag => 1, algorithm => 13,
			digest_type => 2, digest => 'AB' x 32 } ] } },
	e => { https => { records => [ { rdata => '1 . alpn=h2' } ] },
		type65280 => { records => [ { rdata => '\# 1 ff' } ] },
		txt => { records => [ { rdata => '"a" "b"' } ] } },
};

my $config = { domain_id => 'd-1', dnssec => JSON::PP::false(),
	cname_flattening => JSON::PP::true(),
	soa => { ns => 'x.test.', MBox => 'y.x.test.', ttl => 1,
		refresh => 2, retry => 3, expire => 4, minttl => 5,
		serial => 4294967295 } };

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(@faults * 2 + 50);

my $r = redis_start($t);

dns_run($t, stream => $r->directives('poll=1s'));

my $json = JSON::PP->new()->utf8();

###############################################################################

# nothing to read, nothing there

my ($rc, @found) = check('--port', port(8983));

is($rc, 3, 'cannot be read');

($rc, @found) = check();

is($rc, 2, 'no list of zones');
is("@found", 'error no-list', 'says so');

# clean data, in both layouts, with parts of names of keys that are patterns

my %l1 = (prefix => 'p[*]_', suffix => '_?\\');
my %l4 = (key => 'z42');

$r->l1('one.test.', $clean, config => $config, %l1);
$r->l1('two.test.', { '@' => {} }, %l1);
$r->l4('one.test.', { map { my $types = $clean->{$_};
	$_ => { map { uc $_ => $types->{$_} } keys %$types } } keys %$clean },
	config => $config, %l4);

($rc, @found) = check(map({ ("--$_", $l1{$_}) } keys %l1));

is($rc, 0, 'clean, L1');
is("@found", '', 'nothing found, L1');

($rc, @found) = check('--key', 'z42');

is($rc, 0, 'clean, L4');
is("@found", '', 'nothing found, L4');

($rc, @found) = check();

is("@found", 'error no-list', 'other names of keys');
like($r->{said}, qr/there is one with --key z42/, 'a hint');

$r->command('FLUSHALL');

# each fault, in both layouts

my $n = 0;

for my $fault (@faults) {
	my ($type, $value) = @$fault;

	$r->l1('l1-' . ++$n . '.test.', { x => "{\"\L$type\E\":$value}" });
	$r->l4("l4-$n.test.", { x => { $type => $value } });
}

($rc, @found) = check();

is($rc, 2, 'errors');

$n = 0;

for my $fault (@faults) {
	my ($type, $value, @expected) = @$fault;
	my $at = "x/$type";

	$n++;

	# what is not JSON is the whole label in L1

	is(of(\@found, "l1-$n.test."), join(', ', map {
		/not-json/ ? "$_ x" : "$_ $at" } sort @expected),
		"L1 $type " . substr $value, 0, 60);
	is(of(\@found, "l4-$n.test."), join(', ', map { "$_ $at" }
		sort @expected), "L4 $type " . substr $value, 0, 60);
}

is(scalar @found, 2 * map({ @$_[2 .. $#$_] } @faults), 'nothing else');

# the server objects to the same zones; what it takes in silence is a missing
# dot, members that are there twice, and a key of a type that it never asks for

$r->l1('last.test.', { x => '{}' });
dns_wait([ 'last.test', 'SOA' ], qr/^NOERROR/);

my %here = map { (split)[2] => 1 } grep {
	/^(?:error|warning) (?!no-dot|twice)/ && !m!l4-.*/ANY! } @found;
my %said;

# large zones take longer

for (1 .. 50) {
	%said = map { /redis zone "(l\d-\d+\.test\.)"/ ? ($1 => 1) : () }
		dns_error_log($t, qr/\[warn\].*redis zone/);

	last if keys %said >= keys %here;
	select undef, undef, undef, 0.1;
}

is(join(' ', sort keys %said), join(' ', sort keys %here),
	'the server says so too');

$r->command('FLUSHALL');

# faults of labels, zones and keys

my $a = { a => { records => [ { ip => '192.0.2.1' } ] } };
my $rrset = { A => $a->{a} };

plant('a field that is empty', 'warning no-records x',
	sub { $r->l1($_, { x => '' }) });
plant('a field without types', 'warning no-records x',
	sub { $r->l1($_, { x => '{}' }) });
plant('a field that is not JSON', 'error not-json x',
	sub { $r->l1($_, { x => 'x' }) });
plant('a member that is no type', 'note unknown-member x',
	sub { $r->l1($_, { x => { %$a, az => {} } }) });
plant('a label without keys', 'warning no-records x',
	sub { $r->l4($_, { x => {} }) });
plant('a key without its label', 'error label-not-in-set x', sub {
	$r->l4($_, { y => $rrset });
	$r->command('SET', $r->key("zones:$_:labels:x:A"), '{}') });
plant('a key of no type', 'error bad-type y/A6A', sub {
	$r->l4($_, { y => { %$rrset, A6A => '{}' } }) });
plant('a key of another kind', 'error wrong-type y/AAAA', sub {
	$r->l4($_, { y => $rrset });
	$r->command('LPUSH', $r->key("zones:$_:labels:y:AAAA"), 1) });
plant('a zone of another kind', 'error wrong-type', sub {
	$r->command('SADD', $r->key('zones'), $_);
	$r->command('SET', $r->key("zones:$_"), 1) });
plant('a set of labels of another kind', 'error wrong-type', sub {
	$r->command('SADD', $r->key('zones'), $_);
	$r->command('SET', $r->key("zones:$_:labels"), 1) });
plant('a label that is no name', 'error bad-label x..y',
	sub { $r->l1($_, { 'x..y' => $a }) });
plant('a label with a final dot', 'error bad-label x.',
	sub { $r->l4($_, { 'x.' => $rrset }) });
plant('a key in lower case', 'error bad-type y/aaaa', sub {
	$r->l4($_, { y => { %$rrset, aaaa => '{}' } }) });
plant('a key with a number', 'error bad-type y/TYPE28', sub {
	$r->l4($_, { y => { %$rrset, TYPE28 => '{}' } }) });
plant('a label twice', 'error label-twice www',
	sub { $r->l1($_, { WWW => $a, www => $a }) });
plant('a CNAME beside other types', 'error cname-beside x',
	sub { $r->l1($_, { x => { %$a, cname => { host => 'y.' } } }) });
plant('a CNAME beside other types, L4', 'error cname-beside x', sub {
	$r->l4($_, { x => { %$rrset, CNAME => { host => 'y.' } } }) });
plant('a CNAME at the apex', 'error cname-apex @',
	sub { $r->l1($_, { '@' => { cname => { host => 'y.' } } }) });
plant('a CNAME at the apex, flattened', '',
	sub { $r->l1($_, { '@' => { cname => { host => 'y.' },
		ns => { records => [ { host => 'x.' } ] } } },
		config => { cname_flattening => JSON::PP::true() }) });
plant('NS at a wildcard', 'error wildcard *.x', sub { $r->l1($_, {
	'*.x' => { ns => { records => [ { host => 'y.' } ] } } }) });
plant('a DNAME beside NS', 'error dname-beside x', sub { $r->l1($_, {
	x => { ns => { records => [ { host => 'y.' } ] },
		dname => { records => [ { rdata => 'y.' } ] } } }) });
plant('data below a DNAME', 'error below-dname a.b.x', sub { $r->l1($_, {
	x => { dname => { records => [ { rdata => 'y.' } ] } },
	'a.b.x' => $a, xx => $a }) });
plant('two layouts', 'warning mixed', sub {
	$r->l1($_, { x => $a });
	$r->l4($_, { x => $rrset }, keep => 1) });
plant('a key that means nothing', 'note unknown-key', sub {
	$r->l1($_, { x => $a });
	$r->command('SET', $r->key("zones:$_:conf"), '{}') });
plant('no data', 'error no-data',
	sub { $r->command('SADD', $r->key('zones'), $_) });
plant('not listed', 'error not-listed',
	sub { $r->l1($_, { x => $a }, list => 0) });
plant('a config that is not JSON', 'error not-json',
	sub { $r->l1($_, { x => $a }, config => '{') });
plant('a config of wrong types', 'error bad-value, error bad-value, '
	. 'error bad-value, note unknown-member, warning no-dot',
	sub { $r->l1($_, { x => $a }, config => '{"dnssec":1,"ns":[],'
		. '"soa":{"ns":"x","ttl":"1","serial":4294967296}}') });
plant('a soa that is null', '',
	sub { $r->l1($_, { x => $a }, config => '{"soa":null}') });
plant('no keys', 'error no-keys',
	sub { $r->l1($_, { x => $a }, config => '{"dnssec":true}') });
plant('bad keys', 'error bad-key, error no-keys', sub {
	$r->l1($_, { x => $a }, config => '{"dnssec":true}');
	$r->command('SET', $r->key("zones:$_:zsk:pub"), 'x') });

$r->l1('x.test.', { x => $a }, list => 0);
$r->l1('y.test.', { x => $a });

is(join(', ', (check())[1]), 'note unlisted x.test.', 'another is not listed');

$r->command('FLUSHALL');

# spellings of a zone

for my $member ('Odd.test.', 'odd2.test', ' odd3.test.') {
	$r->command('SADD', $r->key('zones'), $member);
	$r->l1($member, { x => $a }, list => 0);

	($rc, @found) = check($member);
	is("@found", "warning odd-zone $member", "spelled \"$member\"");
	$r->remove($member);
}

$r->command('SADD', $r->key('zones'), 'twice.test.', 'twice.test', 'a..b.');
$r->l1('twice.test.', { x => $a });

($rc, @found) = check();

is(join(', ', @found), join(', ', sort 'error bad-zone a..b.',
	'warning odd-zone twice.test', 'warning zone-twice twice.test.'),
	'the same zone twice, and no name');

# a password

$r->command('CONFIG', 'SET', 'requirepass', 'secret');
$t->write_file('password', "secret\n");

is((check())[0], 3, 'no password');
is((check('--password-file', $t->testdir() . '/password'))[0], 2,
	'a password');

###############################################################################

# Runs the tool: the exit code, and for each finding "LEVEL CODE ZONE
# LABEL/TYPE", sorted.

sub check {
	my (@args) = @_;

	my @where = grep({ /^--port/ } @args) ? ()
		: ('--socket', $r->socket_path());

	# what it says to somebody who looks on is no matter here

	open my $stderr, '>&', \*STDERR or die "stderr: $!\n";
	open STDERR, '>', $r->socket_path() . '.stderr' or die "stderr: $!\n";

	open my $out, '-|', $^X, '../tools/redis-check', '--json', @where,
		@args or die "redis-check: $!\n";

	open STDERR, '>&', $stderr;

	my @lines = map { $json->decode($_) } <$out>;

	close $out;

	my $code = $? >> 8;

	pop @lines;
	$r->{said} = join "\n", map { $_->{text} } @lines;

	return ($code, sort map { join ' ', @$_{qw/ level code /},
		$_->{zone} // (), join('/', grep { defined }
			@$_{qw/ label type /}) || () } @lines);
}


# What is found of one zone, without its name.

sub of {
	my ($found, $zone) = @_;

	return join ', ', map { s/ \Q$zone\E//r } grep { / \Q$zone\E/ } @$found;
}


# Data that has one fault, in a zone of its own.

sub plant {
	my ($name, $expected, $data) = @_;

	local $_ = 'fault.test.';

	$data->();

	my ($code, @list) = check($_);

	is(of(\@list, $_), $expected, $name);

	$r->remove($_);
	$r->command('FLUSHALL');
}

###############################################################################
