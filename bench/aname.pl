#!/usr/bin/perl

# (C) ngx_dns_module contributors

# What becomes of answers through external ANAME targets while their resolver
# says nothing, and what a worker does for those, for places and for checked
# addresses.
#
# usage: aname.pl blackhole [--seconds=60] [--rate=50000] [--workers=2]
#        aname.pl calls [--queries=1000000]
#
# DNS_MODULE names another module.

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Path qw/ make_path remove_tree /;
use Getopt::Long;
use IO::Select;
use IO::Socket::INET;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
make_path($build);
$build = $ENV{BENCH_BUILD} = abs_path($build);

my %o = (seconds => 60, rate => 50000, workers => 2, queries => 1000000,
	targets => 200);

my $what = shift // '';

GetOptions(\%o, 'seconds=f', 'rate=i', 'workers=i', 'queries=i', 'targets=i')
	or exit 2;

my %what = (blackhole => \&blackhole, calls => \&calls);

my $port = free_port(5780);
my $dir = "$build/servers/aname";
my $questions = "$build/questions.aname";

$| = 1;

($what{$what} || die "usage: see the head of aname.pl\n")->();

###############################################################################

# TTLs of 3 seconds, so that all that is served is old after a moment

sub blackhole {
	my $s = start(3);

	spew($questions, join '', map { "n$_.aname.test A\n" }
		1 .. $o{targets});

	my @load = ("$build/load", '-p', $port, '-q', $questions, '-e', 1232,
		'-r', $o{rate}, '-c', 8, '-t', '2s');

	for my $name (qw/ undisturbed silent /) {

		my $load = load_begin("$build/aname.load", @load,
			'-d', $o{seconds} + 2);

		sleep 1;
		kill 'STOP', $s->{resolver} if $name eq 'silent';
		sleep $o{seconds};
		kill 'CONT', $s->{resolver};

		my $r = load_end($load, 1);

		printf "%s for %d s: %d sent, %d lost, rcodes %s, p50 %.0f "
			. "p99 %.0f p99.9 %.0f max %.0f us\n", $name,
			$o{seconds}, $r->{sent}, $r->{lost},
			join(' ', map { "$_ $r->{rcodes}{$_}" }
				sort keys %{$r->{rcodes}}),
			@{$r->{latency_us}}{qw/ p50 p99 p999 max /};
	}

	stop($s);
}


sub calls {
	my $s = start(60);

	my @names = (
		map({ "n$_.aname.test" } 1 .. $o{targets}),
		map({ ("country$_.aname.test", "checked$_.aname.test",
			"both$_.aname.test") } 1 .. $o{targets}),
	);

	spew($questions, join '', map { "$_ A\n" } @names);

	my $out = "$build/aname.strace";
	my $pid = launch("$build/aname.strace.out", undef, 'strace', '-c', '-o',
		$out, '-p', $s->{workers}[0]);
	sleep 1;

	my $r = run_load(undef, "$build/load", '-p', $port, '-q', $questions,
		'-e', 1232, '-E', 10000000, '-w', 64, '-n', $o{queries});

	kill 'INT', $pid;
	waitpid $pid, 0;

	printf "%d queries, %d lost, rcodes %s\n%s", $r->{sent}, $r->{lost},
		join(' ', map { "$_ $r->{rcodes}{$_}" }
			sort keys %{$r->{rcodes}}), slurp($out);

	stop($s);
}


sub start {
	my ($ttl) = @_;

	remove_tree($dir);
	make_path($dir);
	chmod 0755, $dir;

	my $resolver = free_port($port + 1);
	my $backend = free_port($resolver + 1);

	my $s = { resolver => resolver($resolver, $ttl),
		backend => backend($backend) };

	spew("$dir/aname.test.zone", join '', <<'EOT', map {
@	300	SOA	ns hostmaster 1 7200 3600 1209600 60
@	300	NS	ns
ns	300	A	192.0.2.53
EOT
		("n$_\t300\tANAME\twww.ext$_.test.\n",
		"country$_\t60\tPOOL\tcountry\n",
		"checked$_\t60\tPOOL\tchecked\n",
		"both$_\t60\tANAME\tchecked$_\n")
	} 1 .. $o{targets});

	make_city("$dir/city.mmdb");

	nginx_conf($dir, port => $port, zone => 'aname.test',
		file => "$dir/aname.test.zone", level => 'notice',
		workers => $what eq 'calls' ? 1 : $o{workers});

	my $conf = slurp("$dir/nginx.conf");

	$conf =~ s!^stream \{\n!stream {
    dns_state_path $dir/state;
    dns_geoip $dir/city.mmdb;
    dns_aname_resolver 127.0.0.1:$resolver;
    dns_pool country {
        address 192.0.2.1 country=DE weight=3;
        address 192.0.2.2 country=DE weight=1;
        address 192.0.2.3 country=US;
        address 192.0.2.4;
        choose country weighted single;
    }
    dns_pool checked {
        address 127.0.0.1 weight=3;
        address 127.0.0.2 weight=1;
        choose weighted;
        health_check tcp port=$backend interval=1s;
    }
!m;
	spew("$dir/nginx.conf", $conf);

	$s->{pid} = launch("$dir/output", undef, 'env', '-u', 'NGINX',
		nginx_binary(), '-p', $dir, '-c', "$dir/nginx.conf",
		'-e', "$dir/error.log");

	wait_answer($s->{pid}, $port, 'ns.aname.test', 60);

	my $until = time() + 60;
	my $good = 0;

	while ($good < $o{targets}) {
		die "no addresses\n" . slurp("$dir/error.log")
			if time() > $until;

		my $r = ask($port, 'n' . ($good + 1) . '.aname.test', 'A', 1);

		if ($r && $r->{rcode} == 0 && $r->{answers}) {
			$good++;

		} else {
			sleep 0.05;
		}
	}

	sleep 3;

	$s->{workers} = [ nginx_workers($s->{pid}) ];

	return $s;
}


sub stop {
	my ($s) = @_;

	print map { "$_\n" } grep { /\[(?:alert|emerg|crit)\]/ }
		split /\n/, slurp("$dir/error.log");

	halt($s->{pid});
	kill 'KILL', $s->{resolver}, $s->{backend};
}


# two addresses for whatever is asked

sub resolver {
	my ($at, $ttl) = @_;

	my $socket = IO::Socket::INET->new(Proto => 'udp',
		LocalAddr => "127.0.0.1:$at") or die "udp: $!\n";
	my $pid = fork() // die "fork: $!\n";

	if ($pid) {
		adopt($pid);
		return $pid;
	}

	while (defined $socket->recv(my $query, 4096)) {
		my ($id) = unpack 'n', $query;

		my $end = index($query, "\0", 12) + 5;
		my $type = unpack 'n', substr $query, $end - 4, 2;

		my $rr = $type == 28 ? "\x20\x01\x0d\xb8" . "\0" x 11
			: "\xc0\x00\x02";

		$socket->send(pack('n6', $id, 0x8180, 1, 2, 0, 0)
			. substr($query, 12, $end - 12)
			. join '', map { pack('nnnNn/a', 0xc00c, $type, 1,
				$ttl, $rr . chr $_) } 1, 2);
	}

	exit 0;
}


sub backend {
	my ($at) = @_;

	my $socket = IO::Socket::INET->new(Proto => 'tcp', Listen => 64,
		ReuseAddr => 1, LocalAddr => "0.0.0.0:$at")
		or die "tcp: $!\n";
	my $pid = fork() // die "fork: $!\n";

	if ($pid) {
		adopt($pid);
		return $pid;
	}

	while (1) {
		my $c = $socket->accept();
		close $c if $c;
	}
}


sub make_city {
	my ($path) = @_;
	my @countries = qw/ US DE GB FR /;
	my %nets = map { ("$_.0.0.0/8" => { country => $countries[$_ % 4] }) }
		grep { $_ != 10 && $_ != 127 } 1 .. 223;

	require lib;
	lib->import("$FindBin::Bin/../t/lib");
	$ENV{TEST_NGINX_BINARY} ||= nginx_binary();
	require Test::Nginx::Geo;

	Test::Nginx::Geo->can('geo_city')->($path, \%nets, version => 4);
}

###############################################################################
