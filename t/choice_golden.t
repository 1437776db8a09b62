#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# A table of choices: sets of addresses, clients and states of health, and what
# each client may be given.  The same from a hash in Redis, from keys in Redis
# and from pools, by every worker.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Geo;
use Test::Nginx::Redis;

use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

geo_need();

# where clients and addresses are; 127.0.0.6 is nowhere

my @de = (country => 'DE', at => [ 52.5, 13.4 ]);
my @us = (country => 'US', at => [ 37.8, -122.4 ]);

my %places = (
	'198.51.100.0/27' => { @de },
	'198.51.100.32/27' => { @de },
	'198.51.100.64/26' => { country => 'AT', at => [ 48.2, 16.4 ] },
	'198.51.100.128/26' => { country => 'US', at => [ 40.7, -74.0 ] },
	'198.51.100.192/26' => { country => 'JP', at => [ 35.7, 139.7 ] },
	'127.0.0.1/32' => { country => 'DE', at => [ 50.1, 8.7 ] },
	'127.0.0.2/32' => { country => 'DE', at => [ 48.1, 11.6 ] },
	'127.0.0.3/32' => { @us },
	'127.0.0.4/32' => { country => 'JP', at => [ 34.7, 135.5 ] },
	'127.0.0.5/32' => { @us },
);

my %systems = (
	'198.51.100.0/26' => 64500,
	'198.51.100.64/26' => 64501,
	'198.51.100.128/26' => 64502,
);

# in the order of the columns of the table

my @clients = (
	[ de => '198.51.100.0/27' ], [ at => '198.51.100.64/26' ],
	[ us => '198.51.100.128/26' ], [ jp => '198.51.100.192/26' ],
	[ office => '198.51.100.32/27' ], [ nowhere => '203.0.113.0/24' ],
);

# which addresses have somebody listening on the port that is checked

my %listen = (up => [ 1 .. 6 ], some => [ 2, 4, 5 ], dead => []);
my %ports = (up => 8985, some => 8986, dead => 8987);

# how to choose, and the last octets of addresses with what belongs to them

my @sets = (
	[ whole => {}, [ [ 1 ], [ 2 ], [ 3 ] ] ],
	[ first => { count => 'single' }, [ [ 3 ], [ 1 ], [ 2 ] ] ],
	[ any => { count => 'single', order => 'rr' },
		[ [ 1 ], [ 2 ], [ 5 ] ] ],
	[ weights => { count => 'single', order => 'weighted' },
		[ [ 1, weight => 3 ], [ 2, weight => 0 ], [ 3, weight => 1 ],
			[ 4, weight => 0 ], [ 5, weight => 2 ] ] ],
	[ sticky => { count => 'single', order => 'sticky' },
		[ [ 1 ], [ 2 ], [ 3 ], [ 4 ] ] ],
	[ country => { geo_filter => 'country' },
		[ [ 1, country => 'DE' ], [ 2, country => [ 'de', 'AT' ] ],
			[ 3, country => 'US' ], [ 4 ] ] ],
	[ drawn => { geo_filter => 'country', count => 'single',
			order => 'weighted' },
		[ [ 1, country => 'DE', weight => 1 ],
			[ 2, country => 'DE', weight => 0 ],
			[ 3, country => 'DE', weight => 3 ],
			[ 4, weight => 1 ], [ 5, weight => 1 ] ] ],
	[ strict => { geo_filter => 'country', no_match => 'none' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ],
			[ 3, country => 'US' ] ] ],
	[ lax => { geo_filter => 'country', no_match => 'all' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ],
			[ 3, country => 'US' ] ] ],
	[ asn => { geo_filter => 'asn' },
		[ [ 1, asn => 64500 ], [ 2, asn => [ 64500, 'AS64501' ] ],
			[ 3 ], [ 4, asn => 64502 ] ] ],
	[ both => { geo_filter => 'asn+country' },
		[ [ 1, asn => 64500, country => 'DE' ],
			[ 2, asn => 64500, country => 'AT' ],
			[ 3, country => 'AT' ], [ 4, country => 'US' ], [ 5 ] ] ],
	[ continent => { geo_filter => 'continent' },
		[ [ 1, continent => 'EU' ], [ 2, continent => [ 'NA', 'AS' ] ],
			[ 3, continent => 'EU' ], [ 5, continent => 'AF' ],
			[ 6, continent => '' ] ] ],
	[ network => { geo_filter => 'network' },
		[ [ 1, network => 'office' ], [ 2 ], [ 3 ] ] ],
	[ near => { geo_filter => 'location' },
		[ [ 1 ], [ 2 ], [ 3 ], [ 4 ], [ 5 ], [ 6 ] ] ],
	[ steps => { geo_filter => 'network+country+continent+location' },
		[ [ 1, network => 'office' ], [ 2, country => 'DE' ],
			[ 3, continent => 'NA' ], [ 4, continent => 'EU' ],
			[ 5, continent => 'NA' ], [ 6 ] ] ],
	[ groups => { order => 'rr' },
		[ [ 1 ], [ 3, priority => 0 ], [ 2, priority => 1 ],
			[ 5, priority => 1 ], [ 4, priority => 65535 ] ] ],
	[ spare => { geo_filter => 'country', count => 'single',
			order => 'rr' },
		[ [ 1, country => 'DE' ], [ 2, country => 'DE', priority => 1 ],
			[ 3 ], [ 5, priority => 3 ], [ 4, priority => 2 ] ] ],
	[ silent => { geo_filter => 'country', all_down => 'none' },
		[ [ 1, country => 'DE' ], [ 2, country => 'AT' ], [ 3 ] ] ],
);

###############################################################################

my @rows = map { [ split ] } grep { /\S/ } <DATA>;

my $t = Test::Nginx->new()->has(qw/stream stream_return udp unix/)
	->has_daemon('redis-server')->plan(3 + @rows * @clients);

my $d = $t->testdir();

# the way of worker processes to databases and to the state directory

chmod 0755, $d;

geo_city("$d/city.mmdb", \%places);
geo_asn("$d/asn.mmdb", \%systems);

my $redis = redis_start($t);
my (%data, $pools, $names);
my ($up, $down) = (0, 0);

for my $set (@sets) {
	my ($name, $filter, $records) = @$set;

	for my $health (keys %ports) {
		my $port = port($ports{$health});

		$data{"$name-$health"} = { a => json($filter, $records, $port) };
		$pools .= pool("$name-$health", $filter, $records, $port);
		$names .= "$name-$health 60 POOL $name-$health\n";

		for my $n (map { $_->[0] } @$records) {
			(grep { $_ == $n } @{ $listen{$health} }) ? ($up += 3)
				: ($down += 3);
		}
	}
}

$redis->l1('l1.test.', \%data, config => redis_soa('l1.test'));
$redis->l4('l4.test.', { map { $_ => { A => $data{$_}->{a} } } keys %data },
	config => redis_soa('l4.test'));

my $backends = join "\n", map {
	my $health = $_;

	map { "server { listen 127.0.0.$_:%%PORT_$ports{$health}%%; "
		. "return ''; }" } @{ $listen{$health} };
} keys %listen;

# each answer would be many lines of the debugging log

dns_run($t,
	main => 'worker_processes 2;',
	udp => 'reuseport',
	stream => "error_log $d/error.log info;\n" . $redis->directives() . "\n"
		. "dns_geoip city.mmdb asn.mmdb;\n"
		. "dns_network office { 198.51.100.32/27; }\n$pools\n$backends\n"
		. "server { listen 127.0.0.1:8978; return "
		. '"$dns_health_up $dns_health_down $dns_health_unknown"; }',
	server => 'dns_nsid $pid;',
	zones => { 'pool.test' => zone_text('pool.test', $names) },
);

my @zones = qw/ l1.test l4.test pool.test /;

# databases are there, all addresses have been checked

ok(defined dns_wait([ 'country-up.l1.test', 'A', ecs => '198.51.100.64/26' ],
	qr/ IN A 127\.0\.0\.2$/m), 'start');

my $until = time() + 20;
my $state;

while (($state = state()) ne "$up $down 0" && time() < $until) {
	sleep 0.05;
}

is($state, "$up $down 0", 'all addresses were checked');

# sockets of each worker

my %workers;

for (1 .. 200) {
	my $client = dns_client();

	$client->send(dns_query('pool.test', 'SOA', nsid => 1));

	my $worker = dns_worker($client->recv()) // next;

	push @{ $workers{$worker} }, $client
		if @{ $workers{$worker} // [] } < 12;

	last if keys %workers == 2 && 24 == map { @$_ } values %workers;
}

is(scalar(map { @$_ } values %workers), 24, 'sockets of both workers');

###############################################################################

my %filters = map { $_->[0] => $_->[1] } @sets;

for my $row (@rows) {
	my ($name, $health, @want) = @$row;
	my $filter = $filters{$name};

	for my $i (0 .. $#clients) {
		my ($client, $subnet) = @{ $clients[$i] };

		is(given("$name-$health", $subnet, $filter, $want[$i]), $want[$i],
			"$name, $health, $client");
	}
}

undef $t;

###############################################################################

sub json {
	my ($filter, $records, $port) = @_;

	my %filter = %$filter;
	my $all_down = delete $filter{all_down};

	return {
		ttl => 60,
		filter => \%filter,
		health_check => { enable => \1, protocol => 'tcp', port => $port + 0,
			up_count => 1, down_count => -1, timeout => 5000,
			defined $all_down ? (all_down => $all_down) : () },
		records => [ map {
			my ($n, %members) = @$_;
			{ ip => "127.0.0.$n", %members }
		} @$records ],
	};
}


sub pool {
	my ($name, $filter, $records, $port) = @_;

	my @words = map { $filter->{$_} // () } qw/ geo_filter order count /;

	push @words, "no_match=$filter->{no_match}" if $filter->{no_match};

	my $text = "dns_pool $name {\n";

	for my $record (@$records) {
		my ($n, %members) = @$record;

		$text .= "address 127.0.0.$n" . join('', map {
			my $values = $members{$_};

			" $_=" . join ',', map { $_ eq '' ? '*' : $_ }
				ref $values ? @$values : $values;
		} sort keys %members) . ";\n";
	}

	$text .= "choose @words;\n" if @words;
	$text .= "health_check tcp port=$port up=1 down=1 timeout=5s"
		. ($filter->{all_down} ? " all_down=$filter->{all_down}" : '')
		. ";\n}\n";

	return $text;
}


# How many addresses are up, are down, and are not known yet.

sub state {
	return stream_read(8978);
}


sub stream_read {
	my $s = Test::Nginx::Stream::stream('127.0.0.1:' . port(shift));

	return $s->read() // '';
}


# What a client is given by all zones and workers: last octets of addresses,
# in one text if all are at one, "." for none.

sub given {
	my ($name, $subnet, $filter, $want) = @_;

	my $single = ($filter->{count} // '') eq 'single';
	my (%all, %odd);

	for my $zone (@zones) {
		my $query = dns_query("$name.$zone", 'A', ecs => $subnet);
		my $at = 12 + length("$name.$zone") + 2 + 4;

		for my $worker (keys %workers) {
			$_->send($query) for @{ $workers{$worker} };

			for my $client (@{ $workers{$worker} }) {
				my $reply = $client->recv();

				if (!defined $reply) {
					$odd{"$zone: no reply"}++;
					next;
				}

				# owners are compressed: 16 octets for each record

				my ($flags, $n) = unpack 'x2 n x2 n', $reply;
				my $is = join '', sort map {
					ord substr $reply, $at + 16 * $_ + 15, 1
				} 0 .. $n - 1;

				$odd{"$zone: rcode " . ($flags & 15)}++ if $flags & 15;
				$odd{"$zone: $is"}++
					if $single ? $n && index($want, $is) < 0 : $n
					&& $is ne $want;

				$all{$n ? $is : '.'} = 1;
			}
		}
	}

	return join ', ', sort keys %odd if %odd;

	# one network, one address, wherever it comes from

	return scalar(keys %all) == 1 ? $want : join ' ', sort keys %all
		if ($filter->{order} // '') eq 'sticky';

	return join '', sort keys %all;
}

###############################################################################

# A set, what is up, and the last octets of what each client may be given (a
# set with "count" "single" gives one of them); columns as the clients above.

__DATA__

whole     up    123     123     123     123     123     123
whole     some  2       2       2       2       2       2
whole     dead  123     123     123     123     123     123
first     up    3       3       3       3       3       3
first     some  2       2       2       2       2       2
first     dead  3       3       3       3       3       3
any       up    125     125     125     125     125     125
any       some  25      25      25      25      25      25
any       dead  125     125     125     125     125     125
weights   up    135     135     135     135     135     135
weights   some  5       5       5       5       5       5
weights   dead  135     135     135     135     135     135
sticky    up    1234    1234    1234    1234    1234    1234
sticky    some  24      24      24      24      24      24
sticky    dead  1234    1234    1234    1234    1234    1234
country   up    12      2       3       4       12      4
country   some  2       2       4       4       2       4
country   dead  12      2       3       4       12      4
drawn     up    13      45      45      45      13      45
drawn     some  2       45      45      45      2       45
drawn     dead  13      45      45      45      13      45
strict    up    1       2       3       .       1       .
strict    some  .       2       .       .       .       .
strict    dead  1       2       3       .       1       .
lax       up    1       2       3       123     1       123
lax       some  2       2       2       2       2       2
lax       dead  1       2       3       123     1       123
asn       up    12      2       4       3       12      3
asn       some  2       2       4       24      2       24
asn       dead  12      2       4       3       12      3
both      up    1       3       4       5       1       5
both      some  2       5       4       5       2       5
both      dead  1       3       4       5       1       5
continent up    13      13      2       2       13      6
continent some  25      25      2       2       25      25
continent dead  13      13      2       2       13      6
network   up    23      23      23      23      1       23
network   some  2       2       2       2       2       2
network   dead  23      23      23      23      1       23
near      up    1       2       35      4       1       123456
near      some  2       2       5       4       2       245
near      dead  1       2       35      4       1       123456
steps     up    2       4       35      6       1       6
steps     some  2       4       5       4       2       45
steps     dead  2       4       35      6       1       6
groups    up    13      13      13      13      13      13
groups    some  25      25      25      25      25      25
groups    dead  13      13      13      13      13      13
spare     up    1       3       3       3       1       3
spare     some  2       4       4       4       2       4
spare     dead  1       3       3       3       1       3
silent    up    1       2       3       3       1       3
silent    some  2       2       2       2       2       2
silent    dead  .       .       .       .       .       .
