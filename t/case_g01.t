#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for case G01: a client that does not want to be located gets the answer
# of the address that the query came from, with scope 0.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(19);

my $d = $t->testdir();

# the control process reads it as the user of the workers

chmod 0755, $d;

geo_country("$d/country.mmdb", {
	'127.0.0.1/32' => 'FR',
	'127.0.0.2/32' => 'DE',
	'81.0.0.0/8' => 'GB',
	'::1/128' => 'FR',
});

dns_run($t,
	stream => "dns_state_path $d/state;\n"
		. "    dns_geoip $d/country.mmdb;\n" . <<'EOF',
    dns_pool geo {
        address 192.0.2.1 country=FR;
        address 192.0.2.2 country=DE;
        address 192.0.2.3 country=GB;
        address 192.0.2.4;
        choose country;
    }
EOF
	zones => { 'z1.test' => zone_text('z1.test', "geo 60 POOL geo\n") },
	counters => 1);

dns_wait([ 'geo.z1.test', 'A', from => '127.0.0.1' ],
	qr/ 60 IN A 192\.0\.2\.1$/m);

# octets of the case, and families 0 and 2

my %octets = (
	'family 1' => '00010000', 'family 0' => '00000000',
	'family 2' => '00020000',
);

for my $family (sort keys %octets) {
	my $query = pack 'H*', '1234000000010000000000010367656f027a310474657374'
		. '000001000100002904d0000000000008' . '00080004' . $octets{$family};

	for my $from ('127.0.0.1', '127.0.0.2') {
		my $plain = addresses(dns_ask('geo.z1.test', 'A', from => $from));
		my $reply = dns_send($query, from => $from);

		is(addresses($reply), $plain, "$family, the answer for $from");
		is(option($reply), $octets{$family}, "$family, option");
	}
}

is(addresses(dns_ask('geo.z1.test', 'A', from => '127.0.0.1')), '192.0.2.1',
	'one address');
is(addresses(dns_ask('geo.z1.test', 'A', from => '127.0.0.2')), '192.0.2.2',
	'the other address');

# the subnet is taken if there is one, the address if there is no place for it

is(addresses(dns_ask('geo.z1.test', 'A', ecs => '81.2.69.0/24')),
	'192.0.2.3', 'subnet');
is(addresses(dns_ask('geo.z1.test', 'A', ecs => '10.1.1.0/24')),
	'192.0.2.4', 'a subnet nobody knows: what is for everybody else');
is(addresses(dns_ask('geo.z1.test', 'A', ecs => '81.2.69.0/24',
	over => 'tcp')), '192.0.2.3', 'subnet, TCP');
is(addresses(dns_ask('geo.z1.test', 'A', from => '127.0.0.2',
	over => 'tcp')), '192.0.2.2', 'address, TCP');

my $before = dns_counters();

dns_ask('geo.z1.test', 'A', ecs => '81.2.69.0/24');

is(dns_moved($before), 'choice_country=1 ecs=1 rcode_noerror=1 received_udp=1',
	'counters');

###############################################################################

sub addresses {
	return join ' ', sort { $a cmp $b } dns_text($_[0]) =~ / IN A (\S+)$/mg;
}


sub option {
	my $m = dns_parse($_[0]);
	my ($ecs) = grep { $_->[0] == 8 } @{ $m->{opt}{options} };

	return $ecs ? unpack 'H*', $ecs->[1] : undef;
}

###############################################################################
