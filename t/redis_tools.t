#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for tools/zone2redis: a zone answered from its file, from a hash and
# from keys in Redis gives the same answers; what was there is replaced.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use Net::DNS qw//;
use Net::DNS::ZoneFile qw//;

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my %zones = (
	'z1.test' => zone_z1(<<'EOZ'),
alias.sub2	CNAME	www
$GENERATE 1-5 host-${0,3,d} A 192.0.2.$
$INCLUDE more.zone inc
back	300	A	192.0.2.7
two	60	A	192.0.2.8
two	600	A	192.0.2.9
a\.b	A	192.0.2.10
n\032o	A	192.0.2.11
\@	A	192.0.2.12
\195\164	A	192.0.2.13
UPPER	A	192.0.2.14
txt	TXT	"" "a" "b\"\\c" "\000\255"
txt	TXT	"plain"
ptr	PTR	a.test.
ptr	PTR	b.test.
zero	0	A	192.0.2.15
EOZ

	'example.test' => rdata_zone(),

	'aname.test' => zone_text('aname.test', <<'EOZ'),
@	100 IN ANAME www
@	MX	5 www
long	ALIAS	www.z1.test.
*.w	50 aname www
www	60	A	192.0.2.30
both	ANAME	www
both	A	192.0.2.31
$GENERATE 1-2 g$ ANAME host-00$.z1.test.
EOZ
);

# names and types of a zone, and some that are not there

my %questions = map { $_ => [ questions($_, $zones{$_}) ] } keys %zones;

my $t = Test::Nginx->new()->has(qw/stream udp/)
	->has_daemon('redis-server')->plan(43);

my $r = redis_start($t);

$t->write_file('more.zone', "a\tA\t192.0.2.20\n\tTXT\tx\n");
$t->write_file("$_.zone", $zones{$_}) for keys %zones;

my $conf = dns_conf(zones => \%zones, stream => $r->directives('zone=none:1m '
	. 'prefix=none') . join '', map { <<EOF } 1, 4);

    server {
        listen     127.0.0.1:%%PORT_898${_}_UDP%% udp;
        dns        on;
        @{[ $r->directives("zone=l$_:16m prefix=l$_-", state => 0) ]}
    }
EOF

for my $zone (keys %zones) {
	for my $layout (1, 4) {
		is(load($t->testdir(), $r, $zone, '--layout', "l$layout",
			'--key', 'redins', '--prefix', "l$layout-"), 0,
			"$zone, L$layout, loaded");
	}
}

dns_run($t, conf => $conf, zones => \%zones);

###############################################################################

for my $layout (1, 4) {
	for my $zone (sort keys %zones) {
		my $port = port("898$layout", udp => 1);
		my $n = @{ $questions{$zone} };

		dns_wait([ $zone, 'SOA', port => $port ], qr/^NOERROR/);

		cmp_ok($n, '>', 20, "$zone, questions");
		is(join("\n", map { differs($_, $port) } @{ $questions{$zone} }),
			'', "$zone, L$layout");
	}
}

# nothing of it is objected to

for my $layout (1, 4) {
	is(said($r, '../tools/redis-check', '--prefix', "l$layout-", '--quiet'),
		"3 zones\n", "L$layout is clean");
}

# replaced, in the other layout

load($t->testdir(), $r, 'z1.test', '--layout', 'l1', '--key', 'redins',
	'--prefix', 'l4-', '--replace');

is(join(' ', sort grep { !/example|aname/ } @{ $r->command('KEYS', 'l4-*') }),
	'l4-redins:zones l4-redins:zones:z1.test. '
	. 'l4-redins:zones:z1.test.:config', 'keys are replaced by a hash');

load($t->testdir(), $r, 'z1.test', '--layout', 'l4', '--key', 'redins',
	'--prefix', 'l1-', '--replace');

is($r->command('EXISTS', 'l1-redins:zones:z1.test.'), 0,
	'a hash is replaced by keys');

# files that cannot be used

my $soa = "\@ 60 SOA a b 1 2 3 4 5\n";

for my $case (
	[ 'no SOA', "\@ 60 A 192.0.2.1\n", qr/no SOA/ ],
	[ 'an open quote', "${soa}x 60 TXT \"a\n", qr/unexpected end .* line 2/ ],
	[ 'an open parenthesis', "${soa}x 60 TXT ( a\n", qr/unexpected end/ ],
	[ 'outside', "${soa}x.y. 60 A 192.0.2.1\n", qr/outside the zone, line 2/ ],
	[ 'no preference', "${soa}x 60 MX a b c\n", qr/line 2/ ],
	[ 'two ANAMEs', "${soa}x 60 ANAME a\nx 60 ALIAS b\n",
		qr/a second ANAME, line 3/ ],
	[ 'another class', "\@ 60 CH SOA a b 1 2 3 4 5\n", qr/class CH, line 1/ ],
)
{
	my ($name, $text, $said) = @$case;
	my ($rc, $size, $message) = refused($t->testdir(), $text);

	is($rc, 2, "$name, exit code");
	is($size, 0, "$name, nothing printed");
	like($message, $said, "$name, message");
}

###############################################################################

# What zone2redis does with a file that cannot be used: exit code, octets that
# it prints, and what it says.

sub refused {
	my ($dir, $text) = @_;

	open my $f, '>', "$dir/bad.test.zone" or die "bad.test.zone: $!\n";
	print $f $text;
	close $f;

	my $rc = system("$^X ../tools/zone2redis $dir/bad.test.zone"
		. " > $dir/bad.out 2> $dir/bad.err") >> 8;

	open $f, '<', "$dir/bad.err" or die "bad.err: $!\n";

	return ($rc, -s "$dir/bad.out", join '', <$f>);
}


# A zone with the RDATA of the unit tests, each at a name of its own; in the
# generic form where Net::DNS does not know the type or reads the text otherwise.

sub rdata_zone {
	my ($n, $text) = (0, zone_text('example.test', ''));

	for my $file (sort glob 'unit/rdata/*.txt') {
		open my $f, '<', $file or die "$file: $!\n";

		while (<$f>) {
			chomp;
			next if /^\s*(?:#|$)/;

			my ($type, $rdata, $octets) = split / \| /;

			# owners of NSEC3 are no names of the zone

			next if $type =~ /^(?:SOA|NS|DNAME|CNAME|NSEC3.*)$/
				|| ($octets // 'error') !~ /^(?:[0-9a-f]{2})+$/;

			my %number = (DSYNC => 66, RESINFO => 261, WALLET => 262);

			$type = "TYPE$number{$type}" if $number{$type};

			my $wire = pack 'H*', $octets;

			$rdata = sprintf '\# %d %s', length $wire, $octets
				if $rdata =~ /<LF>/
				|| (read_rdata($type, $rdata) // '') ne $wire;

			# a few it refuses in any form

			next if (read_rdata($type, $rdata) // '') ne $wire;

			$text .= 'r' . ++$n . "\t$type\t$rdata\n";
		}
	}

	return $text;
}


sub read_rdata {
	my ($type, $text) = @_;

	local $SIG{__WARN__} = sub { };

	return eval {
		my ($rr) = Net::DNS::ZoneFile->parse(
			"\$ORIGIN example.test.\nx 0 $type $text");

		$rr->rdata();
	};
}


# Pairs of name and type.

sub questions {
	my ($zone, $text) = @_;

	my %pairs = map { ("$_->[0] $_->[1]" => $_) } map { [ "$_.$zone",
		'A' ], [ "$_.$zone", 'MX' ] } qw/ nope a.nope x.wild x.sub
		b.ent www alias inc a.inc host-003 host-006 back two txt ptr
		upper zero x.w host-001 both long g1 g2 w /, 'a\.b', 'n\032o',
		'\@', '\195\164', 'r1';

	$pairs{"$zone $_"} = [ $zone, $_ ] for qw/ SOA NS A MX ANY TXT /;
	$pairs{"x $_"} = [ "$_.$zone", 'TXT' ] for qw/ txt a.inc x.wild /;
	$pairs{"y $_"} = [ "$_.$zone", 'PTR' ] for qw/ ptr /;

	$pairs{"$1 $2"} = [ "$1.$zone", $2 ]
		while $text =~ /^(r\d+)\t(\S+)/mg;

	return sort { "@$a" cmp "@$b" } values %pairs;
}


# The difference of answers from the file and from Redis.

sub differs {
	my ($question, $port) = @_;

	my @replies = map { dns_text(dns_ask(@$question, @$_, edns => 4096)) }
		[], [ port => $port ];

	return $replies[0] eq $replies[1] ? ()
		: "@$question:\n$replies[0]$replies[1]";
}


sub load {
	my ($dir, $r, $zone, @args) = @_;

	return system("$^X ../tools/zone2redis -q @args $dir/$zone.zone"
		. ' | redis-cli -s ' . $r->socket_path()
		. " --pipe > $dir/pipe.log 2>&1") == 0 && grep_log("$dir/pipe.log")
		? 0 : 1;
}


sub grep_log {
	my ($path) = @_;

	open my $f, '<', $path or return 0;
	return scalar grep { /^errors: 0, replies: [1-9]/ } <$f>;
}


# What the checker says, of its last line the number of zones.

sub said {
	my ($r, @command) = @_;

	open my $out, '-|', $^X, @command, '--socket', $r->socket_path()
		or die "@command: $!\n";

	return join '', map { /^(\d+ zones?), \d+ values,/ ? "$1\n" : $_ }
		<$out>;
}

###############################################################################
