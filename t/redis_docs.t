#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for what docs/redis.md shows: its commands make the zone that it speaks
# of, and the user of Redis that it describes is enough.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(26);

my $r = redis_start($t);

my ($short, $hash, $keys, $choice, $status, $batch, $acl)
	= commands('../docs/redis.md');

is(scalar @$short, 3, 'a zone in three commands');
is($acl->[0][0], 'ACL', 'a user');

# the user, and one who may listen to events only

s/^>PASSWORD$/>secret/ for @{ $acl->[0] };

$r->command(@{ $acl->[0] });

my @less = @{ $acl->[0] };

$less[2] = 'less';
$r->command(grep { $_ ne '+client|tracking' } @less);
$r->command('CONFIG', 'SET', 'notify-keyspace-events', 'KA');

# two sources: the second sees the same zones, in a server of its own

dns_run($t, stream => $r->directives('zone=one:4m user=dns password=secret')
	. "\n" . <<EOF);
    server {
        listen  127.0.0.1:%%PORT_8984_UDP%% udp;
        dns     on;
        @{[ $r->directives('zone=two:4m user=less password=secret',
		state => 0) ]}
    }
EOF

my %ports = (one => dns_port(), two => port(8984, udp => 1));

###############################################################################

ok(scalar dns_error_log($t, qr/heard of by tracking.*zone: "one"/),
	'by tracking');
ok(scalar dns_error_log($t, qr/heard of by keyspace events.*zone: "two"/),
	'by keyspace events');
is(() = dns_error_log($t, qr/NOPERM/, timeout => 0.1), 1,
	'nothing more is needed');

$r->command(@$_) for @$short;
is_address($_, 'www', 'A', '192.0.2.1') for qw/ one two /;

$r->command(@$_) for @$hash;
is_address($_, 'www', 'AAAA', '2001:db8::1') for qw/ one two /;

# choices: what nobody can be told apart by is for all

$r->command(@$_) for @$choice;
is_address($_, 'edge', 'A', '198.51.100.9', 30) for qw/ one two /;
is_address($_, 'spare', 'A', '192.0.2.10', 30) for qw/ one two /;

# a state is JSON

is(scalar @$status, 1, 'one state');
is(ref eval { JSON::PP::decode_json($status->[0][2]) }, 'HASH',
	'it is an object');

$r->pipeline(@$batch);

for my $source (qw/ one two /) {
	is_address($source, 'mail', 'A', '192.0.2.26');

	my $text = answer($source, 'example.com', 'MX', qr/ MX /);

	like($text, qr/^answer example\.com\. 300 IN MX 10 mail\.example\.com\.$/m,
		"batch, MX, $source");
}

# the same zone as keys

$r->multi(map({ [ 'DEL', $_ ] } 'redins:zones:example.com.'), @$keys);

for my $source (qw/ one two /) {
	answer($source, 'mail.example.com', 'A', qr/^NXDOMAIN/);
	is_address($source, 'www', 'A', '192.0.2.1');
	is_address($source, 'www', 'AAAA', '2001:db8::1');
}

# removed; an empty list would not be believed

$r->command('SADD', 'redins:zones', 'other.test.');
$r->command('SREM', 'redins:zones', 'example.com.');

like(answer($_, 'www.example.com', 'A', qr/^REFUSED/), qr/^REFUSED/,
	"removed, $_") for qw/ one two /;

is(() = dns_error_log($t, qr/\[(?:warn|error)\].*example\.com/, timeout => 0.1),
	0, 'nothing is objected to');

###############################################################################

# The blocks of commands in a page, each a list of lists of words.

sub commands {
	my ($path) = @_;

	open my $f, '<', $path or die "$path: $!\n";
	local $/;

	# every second part is between fences

	my @parts = split /^```.*\n/m, <$f>;
	my @blocks;

	for my $block (@parts[grep { $_ % 2 } 0 .. $#parts]) {

		# a line that begins with blanks goes on

		$block =~ s/\n\s+/ /g;

		push @blocks, [ map { [ words($_) ] } split /\n/, $block ];
	}

	return grep { ($_->[0][0] // '') =~ /^(?:HSET|SET|SADD|MULTI|ACL)$/ } @blocks;
}


sub words {
	my ($line) = @_;

	my @words;

	push @words, $1 // $2 while $line =~ /\G\s*(?:'([^']*)'|(\S+))/g;

	return @words;
}


sub answer {
	my ($source, $name, $type, $wanted) = @_;

	return dns_text(dns_wait([ $name, $type, port => $ports{$source} ],
		$wanted));
}


sub is_address {
	my ($source, $label, $type, $address, $ttl) = @_;

	my $name = "$label.example.com";

	# until places are known TTLs are short

	$ttl //= 300;

	my $text = answer($source, $name, $type, qr/ $ttl IN $type \Q$address\E$/m);

	like($text, qr/^answer \Q$name\E\. $ttl IN $type \Q$address\E$/m,
		"$name $type, $source");
}

###############################################################################
