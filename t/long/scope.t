#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for scopes: 100,000 random client networks, against a plain reading of
# the databases.  Every address inside of the scope that is sampled gets the
# same addresses, and the scope is that of the largest network in which what
# the choice looks at is the same.

###############################################################################

use warnings;
use strict;

use Test::More;

use Socket qw/ AF_INET AF_INET6 inet_pton /;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib '../lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $clients = $ENV{TEST_SCOPE_CLIENTS} // 100_000;
my $samples = 2;
my $batch = 50;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(5);

my $d = $t->testdir();

# the control process reads them as the user of the workers

chmod 0755, $d;

srand($ENV{TEST_SCOPE_SEED} // 1);

my %country = networks(2500, qw/ DE AT FR US JP BR /);
my %asn = networks(2500, 64500 .. 64506);

geo_country("$d/country.mmdb", \%country);
geo_asn("$d/asn.mmdb", \%asn);

# for each fact and family: where it changes, and what it is from there on

my %facts = (
	country => [ map { steps(\%country, $_) } 4, 6 ],
	asn => [ map { steps(\%asn, $_) } 4, 6 ],
);

my $pools = <<'EOF';
    dns_pool country {
        address 192.0.2.1 country=DE;
        address 192.0.2.2 country=AT,FR;
        address 192.0.2.3 country=JP;
        address 192.0.2.4;
        choose country weighted;
    }

    dns_pool asn {
        address 192.0.2.1 asn=64500;
        address 192.0.2.2 asn=64501,64502;
        address 192.0.2.3 asn=64503;
        address 192.0.2.4;
        choose asn rr;
    }

    dns_pool both {
        address 192.0.2.1 asn=64500 country=DE;
        address 192.0.2.2 asn=64500;
        address 192.0.2.3 asn=64501 country=FR;
        address 192.0.2.4 asn=64501 country=AT;
        address 192.0.2.5 country=DE,US;
        address 192.0.2.6;
        choose asn+country;
    }
EOF

my @names = qw/ country asn both /;
my %looks = (country => [ 'country' ], asn => [ 'asn' ],
	both => [ 'asn', 'country' ]);

# each answer would be many lines of the debugging log

dns_run($t,
	stream => "error_log error.log info;\n"
		. "    dns_state_path $d/state;\n"
		. "    dns_geoip $d/country.mmdb $d/asn.mmdb;\n$pools",
	zones => { 'z1.test' => zone_text('z1.test',
		join '', map { "$_ 60 POOL $_\n" } @names) });

for my $wait ([ country => \%country ], [ asn => \%asn ]) {
	my ($name, $nets) = @$wait;
	my $known = (grep { /^\d/ } keys %$nets)[0];

	dns_wait(sub { dns_ask("$name.z1.test", 'A', ecs => $known) },
		sub { dns_reply_ecs($_[0]) =~ m!/[1-9]\d*$! });
}

###############################################################################

my $client = dns_client();
my ($asked, $lost, $different, $equal, $longer, $short) = (0) x 6;

while ($asked < $clients) {
	my @queries = map { random_client() } 1 .. $batch;
	my @inside;

	for my $q (ask(@queries)) {
		$asked++;

		if (!defined $q->{scope}) {
			$lost++;
			next;
		}

		my $want = largest($q);

		$equal++ if $q->{scope} == $want;
		$short++ if $q->{scope} > $want;
		$longer++ if $q->{scope} < $want;

		push @inside, map { within($q) } 1 .. $samples;
	}

	while (my @some = splice @inside, 0, $batch) {
		for my $q (ask(@some)) {
			$different++ if ($q->{set} // '') ne $q->{same};
		}
	}
}

is($lost, 0, "$asked asked");
is($different, 0, 'same addresses everywhere in the scope');
cmp_ok($equal, '>=', .99 * $asked, "$equal scopes are those of the databases");
is($short, 0, 'none is smaller');
note("larger, since a step had nothing to choose any more: $longer");

# behind all of it the server is as it was

like(dns_text(dns_ask('ns1.z1.test', 'A', ecs => '81.1.2.0/24')),
	qr/^option 8 0001180051/m, 'scope 0');

###############################################################################

# Addresses are the upper 64 bits of IPv6, and IPv4 in the upper 32 of them.

sub networks {
	my ($n, @values) = @_;

	my %nets;

	for (1 .. $n) {
		my $bits = 9 + int rand 16;
		my $v4 = (81 << 24 | int rand 2 ** 24) & mask4($bits);

		$nets{join('.', unpack 'C4', pack 'N', $v4) . "/$bits"}
			= $values[rand @values];

		$bits = 20 + int rand 29;

		my $v6 = (0x20010000 << 32 | int rand 2 ** 48) & mask($bits);

		$nets{sprintf '%x:%x:%x:%x::/%d', (map { $v6 >> $_ & 0xffff }
			48, 32, 16, 0), $bits} = $values[rand @values];
	}

	return %nets;
}


sub mask {
	my ($bits) = @_;
	return $bits == 0 ? 0 : ~0 << (64 - $bits);
}


sub mask4 {
	return mask($_[0]) >> 32;
}


# where a fact changes: [ first address, fact ], in ascending order

sub steps {
	my ($nets, $version) = @_;

	my @nets;

	for my $net (keys %$nets) {
		my ($addr, $bits) = split m!/!, $net;

		next if ($addr =~ /:/ ? 6 : 4) != $version;

		my $first = $version == 4
			? unpack('N', inet_pton(AF_INET, $addr)) << 32
			: unpack 'Q>', inet_pton(AF_INET6, $addr);

		push @nets, [ $first, $bits, $nets->{$net} ];
	}

	# ends come as what is around begins again

	my (@stack, @steps) = ([ 0, 0, '' ]);

	push @steps, [ 0, '' ];

	for my $net ((sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @nets),
		undef)
	{
		while (@stack > 1) {
			my $last = $stack[-1]->[0] | ~mask($stack[-1]->[1]);

			last if defined $net && $net->[0] <= $last;

			pop @stack;
			push @steps, [ $last + 1, $stack[-1]->[2] ];
		}

		last if !defined $net;

		push @stack, $net;
		push @steps, [ $net->[0], $net->[2] ];
	}

	# of those at one address the last one counts; equal ones are one

	my @clean;

	for my $i (0 .. $#steps) {
		next if $i < $#steps && $steps[$i + 1]->[0] == $steps[$i]->[0];
		next if @clean && $clean[-1]->[1] eq $steps[$i]->[1];

		push @clean, $steps[$i];
	}

	return \@clean;
}


# the bits of the largest network around the address with the same facts

sub largest {
	my ($q) = @_;

	my $bits = 0;

	for my $fact (@{ $looks{$q->{name}} }) {
		my $n = constant($facts{$fact}->[$q->{v6}], $q->{addr});

		$bits = $n if $n > $bits;
	}

	return $bits;
}


sub constant {
	my ($steps, $addr) = @_;

	my ($low, $high) = (0, scalar @$steps);

	while ($high - $low > 1) {
		my $i = ($low + $high) >> 1;

		if ($steps->[$i]->[0] <= $addr) {
			$low = $i;

		} else {
			$high = $i;
		}
	}

	my $first = $steps->[$low]->[0];
	my $last = $high < @$steps ? $steps->[$high]->[0] - 1 : ~0;

	for my $bits (0 .. 64) {
		my $net = $addr & mask($bits);

		return $bits if $net >= $first && ($net | ~mask($bits)) <= $last;
	}
}


sub random_client {
	my $v6 = int rand 2;

	my $addr = $v6 ? 0x20010000 << 32 | int rand 2 ** 48
		: (81 << 24 | int rand 2 ** 24) << 32;

	my $bits = $v6 ? 48 + int rand 17 : 20 + int rand 13;

	return { v6 => $v6, addr => $addr & mask($bits), bits => $bits,
		name => $names[rand @names] };
}


# an address in the scope of an answer, which should have the same

sub within {
	my ($q) = @_;

	my $random = int(rand 2 ** 32) << 32 | int rand 2 ** 32;
	my $addr = ($q->{addr} & mask($q->{scope}))
		| ($random & ~mask($q->{scope}));

	my $bits = $q->{v6} ? 64 : 32;

	return { v6 => $q->{v6}, addr => $addr & mask($bits), bits => $bits,
		name => $q->{name}, same => $q->{set} };
}


# asks all at once; set and scope are those of the replies

sub ask {
	my (@queries) = @_;

	my $i = 0;

	for my $q (@queries) {
		my $octets = substr pack('Q>', $q->{addr}), 0, ($q->{bits} + 7) >> 3;
		my $data = pack('n C C', $q->{v6} ? 2 : 1, $q->{bits}, 0) . $octets;

		$q->{data} = $data;
		$client->send(dns_query("$q->{name}.z1.test", 'A', id => $i++,
			options => [ [ 8, $data ] ]));
	}

	for (1 .. @queries) {
		my $reply = $client->recv() // last;
		my ($id, $count) = unpack 'n x4 n', $reply;
		my $q = $queries[$id];

		# the option is at the end, each address has an owner of 2 octets

		my $option = substr $reply, -length $q->{data};
		my $at = 12 + length(dns_name("$q->{name}.z1.test")) + 4;

		next if substr($option, 0, 3) ne substr($q->{data}, 0, 3)
			|| substr($option, 4) ne substr($q->{data}, 4);

		$q->{scope} = ord substr $option, 3, 1;
		$q->{set} = join ' ', sort { $a <=> $b } map {
			ord substr $reply, $at + 16 * $_ + 15, 1 } 0 .. $count - 1;
	}

	return @queries;
}

###############################################################################
