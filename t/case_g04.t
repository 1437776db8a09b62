#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G04: the scope tells the truth.  It is 0 if the answer does
# not depend on the client; else all addresses in it get the same answer, and
# it is as large as that allows.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Socket qw/ AF_INET AF_INET6 inet_ntop inet_pton /;
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(24);

my $d = $t->testdir();

my %country = (
	'81.0.0.0/8' => 'FR',
	'81.2.0.0/16' => 'GB',
	'81.2.69.128/25' => 'DE',
	'81.2.70.0/23' => 'DE',
	'82.0.0.0/7' => 'DE',
	'2001:218::/32' => 'JP',
	'2001:218:0:100::/56' => 'DE',
	'2001:219::/32' => 'DE',
);

my %asn = (
	'81.2.64.0/18' => 64500,
	'81.2.80.0/20' => 64501,
	'82.0.0.0/9' => 64500,
	'2001:218::/31' => 64500,
);

# the control process reads them as the user of the workers

chmod 0755, $d;

geo_country("$d/country.mmdb", \%country);
geo_asn("$d/asn.mmdb", \%asn);

my $pools = <<'EOF';
    dns_pool country {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=GB,JP;
        address 192.0.2.3;
        choose country;
    }

    dns_pool asn {
        address 192.0.2.1 asn=64500;
        address 192.0.2.2 asn=64501;
        address 192.0.2.3;
        choose asn;
    }

    dns_pool both {
        address 192.0.2.1 asn=64500 country=DE;
        address 192.0.2.2 asn=64500 country=GB;
        address 192.0.2.3 country=FR;
        address 192.0.2.4;
        choose asn+country weighted;
    }

    dns_pool none {
        address 192.0.2.1 weight=1 country=DE;
        address 192.0.2.2 weight=2 country=GB;
        choose weighted single;
    }

    dns_pool same {
        address 192.0.2.1;
        address 192.0.2.2;
        choose country;
    }

    dns_pool sticky {
        address 192.0.2.1;
        address 192.0.2.2;
        address 192.0.2.3;
        choose sticky single;
    }
EOF

my @names = qw/ country asn both none same sticky /;

dns_run($t,
	stream => "dns_state_path $d/state;\n"
		. "    dns_geoip $d/country.mmdb $d/asn.mmdb;\n$pools",
	zones => { 'z1.test' => zone_text('z1.test',
		join '', map { "$_ 60 POOL $_\n" } @names) },
	http => '');

# both are there

dns_wait([ "$_.z1.test", 'A', ecs => '82.5.5.0/24' ],
	qr/ 60 IN A 192\.0\.2\.1$/m) for qw/ country asn /;

# independent of the client

for my $subnet ('81.2.69.0/24', '81.2.69.142/32', '2001:218::/56') {
	for my $name (qw/ ns1 none same /) {
		is(scope($name, $subnet), 0, "$name, $subnet");
	}
}

# by country, AS number, both

is(scope('country', '81.2.69.0/24'), 25, 'the half that was asked for');
is(scope('country', '81.2.69.142/32'), 25, 'the other half');
is(scope('country', '81.2.70.0/24'), 23, 'shorter than the source');
is(scope('country', '82.5.5.0/24'), 7, 'much shorter');
is(scope('asn', '81.2.69.0/24'), 20, 'AS number');
is(scope('asn', '82.5.5.0/24'), 9, 'AS number of another network');
is(scope('both', '82.5.5.0/24'), 9, 'both');
is(scope('country', '2001:218::/56'), 56, 'IPv6');
is(scope('asn', '2001:218::/56'), 31, 'IPv6, AS number');
is(scope('country', '::ffff:81.2.70.0/120'), 119, 'IPv4 in IPv6');
is(scope('sticky', '82.5.5.0/26'), 24, 'sticky');
is(scope('sticky', '2001:218::/64'), 56, 'sticky, IPv6');

# who is not known is so in a network

cmp_ok(scope('country', '100.1.1.0/24'), '>', 0, 'unknown');

# addresses in the scope, and all of its neighbours

my ($different, $short, $asked) = (0, 0, 0);

for my $i (1 .. 60) {
	my $name = (qw/ country asn both /)[$i % 3];
	my $addr = pack 'N', (81, 82, 83, 80)[$i % 4] << 24
		| (rand() < .7 ? (2 << 16 | 64 + int rand 32) << 8 : 0)
		| int rand 65536;

	my ($set, $scope) = answer($name, inet_ntop(AF_INET, $addr) . '/32');

	for (1 .. 4) {
		my $other = within($addr, $scope);

		$asked++;
		$different++ if (answer($name, "$other/32"))[0] ne $set || $set eq '';
	}

	# one bit shorter would have been too short

	my $bigger = largest($name, $addr);

	$short++ if $scope > $bigger;
}

is($different, 0, "$asked addresses in the scope have the same answer");
is($short, 0, 'no scope is smaller than the network of the fact');

###############################################################################

sub answer {
	my ($name, $subnet) = @_;

	my $reply = dns_ask("$name.z1.test", 'A', ecs => $subnet);
	my ($scope) = dns_reply_ecs($reply) =~ m!/(\d+)$!;

	my @set = sort { $a cmp $b } dns_text($reply) =~ / IN A (\S+)$/mg;

	return (join(' ', @set), $scope);
}


sub scope {
	return (answer(@_))[1];
}


# a random address with the same first bits

sub within {
	my ($addr, $bits) = @_;

	my $mask = $bits == 0 ? 0 : (0xffffffff << (32 - $bits)) & 0xffffffff;
	my $n = (unpack('N', $addr) & $mask) | (int(rand 2 ** 32) & ~$mask);

	return inet_ntop(AF_INET, pack 'N', $n & 0xffffffff);
}


# the length of the largest network around an address in which nothing that
# the choice looks at differs, by the databases as they were written

sub largest {
	my ($name, $addr) = @_;

	my @bits;

	push @bits, constant(\%country, $addr) if $name ne 'asn';
	push @bits, constant(\%asn, $addr) if $name ne 'country';

	return (sort { $b <=> $a } @bits)[0];
}


sub constant {
	my ($nets, $addr) = @_;

	my $fact = fact($nets, $addr);

	for my $bits (0 .. 32) {
		my $net = unpack('N', $addr) & mask($bits);

		my @inside = grep { !/:/ } keys %$nets;
		my $same = 1;

		# what begins or ends in it, and its first and last address

		for my $point ($net, $net | (~mask($bits) & 0xffffffff),
			map { edges($_) } @inside)
		{
			next if ($point & mask($bits)) != $net;
			$same = 0 if fact($nets, pack 'N', $point) ne $fact;
		}

		return $bits if $same;
	}
}


# the first and last addresses of a network and those beside it

sub edges {
	my ($cidr) = @_;

	my ($addr, $bits) = split m!/!, $cidr;
	my $first = unpack 'N', inet_pton(AF_INET, $addr);
	my $last = $first | (~mask($bits) & 0xffffffff);

	return grep { $_ >= 0 && $_ <= 0xffffffff }
		($first - 1, $first, $last, $last + 1);
}


sub mask {
	my ($bits) = @_;
	return $bits == 0 ? 0 : (0xffffffff << (32 - $bits)) & 0xffffffff;
}


sub fact {
	my ($nets, $addr) = @_;

	my ($best, $fact) = (-1, '');

	for my $cidr (grep { !/:/ } keys %$nets) {
		my ($net, $bits) = split m!/!, $cidr;

		next if $bits <= $best;
		next if (unpack('N', $addr) & mask($bits))
			!= unpack 'N', inet_pton(AF_INET, $net);

		($best, $fact) = ($bits, $nets->{$cidr});
	}

	return $fact;
}

###############################################################################
