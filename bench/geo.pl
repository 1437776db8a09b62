#!/usr/bin/perl

# (C) ngx_dns_module contributors

# What answers by place cost, beside those of a plain record set; all queries
# have a client subnet, the kinds are measured in turns.
#
# usage: geo.pl cpu [--city=FILE,...] [--asn=FILE,...] [--rounds=5]
#               [--seconds=3] [--networks=4000,10000000]
#        geo.pl replace --city=FILE,... [--rate=50000] [--seconds=20]
#        geo.pl calls [--city=FILE,...] [--queries=1000000]
#
# Without files databases of random networks are made.  NGINX and DNS_MODULE
# name another nginx and its module.

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Copy qw/ copy /;
use File::Path qw/ make_path remove_tree /;
use Getopt::Long;
use Socket qw/ inet_ntoa /;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
make_path($build);
$build = $ENV{BENCH_BUILD} = abs_path($build);

my %o = (rounds => 5, seconds => 0, rate => 50000, queries => 1000000,
	networks => '4000,10000000', window => 128, 'load-core' => 1,
	'server-core' => 0, made => 200000);

my $what = shift // '';

GetOptions(\%o, 'rounds=i', 'seconds=f', 'rate=i', 'queries=i', 'networks=s',
	'city=s', 'asn=s', 'window=i', 'load-core=i', 'server-core=i', 'made=i',
	'only=s') or exit 2;

my %what = (cpu => \&cpu, replace => \&replace, calls => \&calls);

# name => the block of its pool; "static" is a plain set of one address

my %pools = (
	weighted => 'address 192.0.2.1 weight=3; address 192.0.2.2 weight=1; '
		. 'choose weighted single;',
	country => countries('country weighted single'),
	'asn-country' => countries('asn+country weighted single',
		map { 'asn=' . (64500 + $_) } 1 .. 4),
	location => join(' ', map { "address $_;" }
		qw/ 8.8.8.8 77.88.8.8 200.160.2.3 103.2.57.5 /)
		. ' choose location single;',
);

my @kinds = ('static', sort keys %pools);

@kinds = split /,/, $o{only} if defined $o{only};

my $port = free_port(5750);
my $dir = "$build/servers/geo";

$| = 1;

($what{$what} || die "usage: see the head of geo.pl\n")->();

###############################################################################

sub countries {
	my ($choose, @asns) = @_;

	my @addresses = map { "192.0.2.$_ weight=$_" } 1 .. 9;

	$addresses[$_] .= ' country=' . (qw/ US DE BR JP /)[$_ % 4]
		for 0 .. 7;
	$addresses[$_] .= " $asns[$_]" for 0 .. $#asns;

	return join(' ', map { "address $_;" } @addresses) . " choose $choose;";
}


sub cpu {
	my $s = start();
	my %cpu;

	for my $round (0 .. $o{rounds}) {

		# the first one warms up

		print $round ? "round $round:" : 'warm-up:';

		for my $networks (split /,/, $o{networks}) {
			for my $kind (@kinds) {
				my $r = measure($s, $kind, $networks,
					$round ? $o{seconds} || 3 : 0.5);

				printf ' %.2f', $r->{cpu_us};
				push @{$cpu{$networks}{$kind}}, $r if $round;
			}

			print ' |';
		}

		print "\n";
	}

	printf "\n%-12s%12s%10s%10s%12s\n", 'kind', 'networks', 'us', 'user us',
		'+ static us';

	for my $networks (split /,/, $o{networks}) {
		for my $kind (@kinds) {
			my $rounds = $cpu{$networks}{$kind};
			my $base = $cpu{$networks}{static};

			my @more = $base ? map {
				$rounds->[$_]{cpu_us} - $base->[$_]{cpu_us}
			} 0 .. $#$rounds : ();

			printf "%-12s%12d%10.3f%10.3f%12.3f\n", $kind, $networks,
				median(map { $_->{cpu_us} } @$rounds),
				median(map { $_->{user_us} } @$rounds),
				median(@more) // 0;
		}
	}

	write_json("$build/geo.json", { options => \%o, machine => machine(),
		cpu => \%cpu });
	print "written: $build/geo.json\n";
}


sub measure {
	my ($s, $kind, $networks, $seconds) = @_;

	spew("$build/questions.geo", "$kind.geo.test A\n");

	my $before = usage($s->{worker});
	my $r = run_load($o{'load-core'}, load($networks), '-w', $o{window},
		'-d', $seconds);
	my $spent = spent($before, usage($s->{worker}));

	die "no answers for $kind\n" unless $r->{answered};

	return {
		cpu_us => $spent->{total} / 1e3 / $r->{received},
		user_us => $spent->{total} * $spent->{user} / 1e3 / $r->{received},
		qps => $r->{qps},
	};
}


sub load {
	my ($networks) = @_;

	return ("$build/load", '-p', $port, '-q', "$build/questions.geo",
		'-e', 1232, '-E', $networks);
}


# a new database every second, whole or not, by rename or in place

sub replace {
	die "replace needs --city\n" unless defined $o{city};

	my $s = start();
	my ($city) = @{$s->{files}};
	my @whole = (slurp($city)) x 2;
	my $seconds = $o{seconds} || 20;
	my $n = 0;

	# two of them, which differ in the time when they were built

	my $at = rindex($whole[1], 'build_epoch');

	substr($whole[1], $at + 11 + 5, 1) ^= "\1";

	my %ways = (
		rename => sub {
			spew("$city.new", $whole[$n & 1]);
			rename "$city.new", $city or die "rename: $!\n";
		},
		overwrite => sub { spew($city, $whole[$n & 1]) },
		truncate => sub { truncate $city, length($whole[0]) / 2 },
		garbage => sub { spew($city, substr($whole[0], 0, 1e6) x 3) },
		delete => sub { unlink $city },
	);

	my @ways = qw/ rename truncate overwrite delete rename garbage overwrite /;

	spew("$build/questions.geo", join '', map { "$_.geo.test A\n" } @kinds);

	my @load = (load(10000000), '-r', $o{rate}, '-c', 8);

	my @waited = waited($s->{worker});

	told('undisturbed', run_load(undef, @load, '-d', $seconds));
	push @waited, waited($s->{worker});

	my $l = load_begin("$build/geo.replace", @load, '-d', $seconds + 1);
	my $until = time() + $seconds;

	while (time() < $until) {
		$ways{$ways[$n++ % @ways]}->();
		sleep 2.5;
	}

	told("$n replacements", load_end($l, 1));
	push @waited, waited($s->{worker});

	printf "the worker waited for a processor %.0f and %.0f ms\n",
		map { ($waited[$_ + 1] - $waited[$_]) / 1e6 } 0, 1;

	my $used = () = slurp("$dir/error.log") =~ / is used, /g;

	printf "%d databases were taken up, the worker %s\n",
		$used - @{$s->{files}}, alive($s->{worker}) ? 'lives' : 'died';

	print map { "$_\n" } grep { /\[(?:alert|emerg)\]/ }
		split /\n/, slurp("$dir/error.log");
}


sub told {
	my ($what, $r) = @_;

	printf "%s: %d sent, %d lost, rcodes %s, p50 %.0f p99 %.0f p99.9 %.0f "
		. "max %.0f us\n", $what, $r->{sent}, $r->{lost},
		join(' ', map { "$_ $r->{rcodes}{$_}" } sort keys %{$r->{rcodes}}),
		@{$r->{latency_us}}{qw/ p50 p99 p999 max /};
}


# nanoseconds that a process could have run and did not

sub waited {
	my ($pid) = @_;
	return (split ' ', slurp("/proc/$pid/schedstat"))[1];
}


# the system calls of a worker

sub calls {
	my $s = start();

	spew("$build/questions.geo", join '', map { "$_.geo.test A\n" } @kinds);

	my $out = "$build/geo.strace";
	my $pid = launch("$build/geo.strace.out", undef, 'strace', '-c', '-o',
		$out, '-p', $s->{worker});
	sleep 1;

	my $r = run_load(undef, load(10000000), '-w', $o{window}, '-n',
		$o{queries});

	kill 'INT', $pid;
	waitpid $pid, 0;

	printf "%d queries, %d lost\n%s", $r->{sent}, $r->{lost}, slurp($out);
}


sub start {
	remove_tree($dir);
	make_path($dir);
	chmod 0755, $dir;

	my @city = files('city', \&make_city);
	my @asn = files('asn', \&make_asn);

	my $server = join ' ', map { "dns_pool $_ { $pools{$_} }" } keys %pools;
	my $zone = join '', map { "$_\t60\tPOOL\t$_\n" } keys %pools;

	spew("$dir/geo.test.zone", <<EOT . $zone);
\@	300	SOA	ns hostmaster 1 7200 3600 1209600 60
\@	300	NS	ns
ns	300	A	192.0.2.53
static	60	A	192.0.2.1
EOT

	nginx_conf($dir, port => $port, zone => 'geo.test',
		file => "$dir/geo.test.zone", level => 'notice');

	my $conf = slurp("$dir/nginx.conf");

	$conf =~ s!^stream \{\n!stream {\ndns_state_path $dir/state;
dns_geoip @{[ join ' ', @city, @asn ]};\n$server\n!m;
	spew("$dir/nginx.conf", $conf);

	# to nginx itself NGINX means something else

	my $s = {
		dir => $dir, port => $port, files => [ @city, @asn ],
		pid => launch("$dir/output", undef, 'env', '-u', 'NGINX',
			nginx_binary(), '-p', $dir, '-c', "$dir/nginx.conf",
			'-e', "$dir/error.log"),
	};

	wait_answer($s->{pid}, $port, 'static.geo.test', 60);

	my $until = time() + 120;
	my @used;

	do {
		sleep 0.1;
		@used = (slurp("$dir/error.log", 1) // '') =~ /^.*( database .* in .*)$/mg;
	} while (@used < @{$s->{files}} && time() < $until);

	print map { "$_\n" } @used;
	die slurp("$dir/error.log") if @used < @{$s->{files}};

	# workers take them up

	sleep 2;

	($s->{worker}) = nginx_workers($s->{pid});

	system("taskset -cp $o{'server-core'} $s->{worker} > /dev/null")
		if $what eq 'cpu';

	return $s;
}


# copies, which may be written to

sub files {
	my ($name, $make) = @_;
	my $i = 0;

	if (!defined $o{$name}) {
		$make->("$dir/$name.mmdb");
		return "$dir/$name.mmdb";
	}

	return map {
		my $to = "$dir/$name" . $i++ . '.mmdb';
		copy($_, $to) or die "$_: $!\n";
		$to;
	} split /,/, $o{$name};
}


# random networks of 12 to 24 bits

sub networks {
	my ($record) = @_;
	my %nets;

	srand 1;

	while (keys %nets < $o{made}) {
		my $bits = 12 + int 12.99 * sqrt rand;
		my $address = int(rand 224 << 24) & -(1 << 32 - $bits);

		$nets{inet_ntoa(pack 'N', $address) . "/$bits"} = $record->();
	}

	return \%nets;
}


sub make_city {
	my ($path) = @_;
	my @countries = qw/ US US US DE GB FR BR JP CN IN AU CA /;

	geo()->can('geo_city')->($path, networks(sub { {
		country => $countries[rand @countries],
		at => [ int(rand 1200) / 10 - 60, int(rand 3600) / 10 - 180 ],
	} }), version => 4);
}


sub make_asn {
	my ($path) = @_;

	geo()->can('geo_asn')->($path, networks(sub { 64496 + int rand 60000 }),
		version => 4);
}


sub geo {
	require lib;
	lib->import("$FindBin::Bin/../t/lib");
	$ENV{TEST_NGINX_BINARY} ||= nginx_binary();
	require Test::Nginx::Geo;

	return 'Test::Nginx::Geo';
}

###############################################################################
