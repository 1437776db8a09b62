#!/usr/bin/perl

# (C) ngx_dns_module contributors

# A server with a zone of 1,000,000 records: reloads with the zone unchanged
# (time until a new worker answers, files opened by the master), and how long
# "nginx -s" takes while the zone file on disk is broken.
#
# usage: large.pl [--reloads=10]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use File::Copy qw/ copy /;
use Getopt::Long;
use IO::Socket::INET;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5380);
my $dir = "$build/servers/large";
my $zone = "$build/large.copy.zone";

my %o = (reloads => 10);

GetOptions(\%o, 'reloads=i') or exit 2;

my %result;

$| = 1;

copy("$build/large/a.test.zone", $zone) or die "copy: $!\n";

# a file modified shortly before it is read counts as changed

sleep 4;

my $s = start();

$result{reload_ms} = reloads();
$result{files} = files_opened();
$result{signals} = signals();

unlink $zone;

write_json("$build/large.json", {
	options => \%o, machine => machine(), %result });

###############################################################################

sub start {
	my $s = nginx_start($dir, port => $port, zone => 'a.test',
		file => $zone, daemon => 1,
		stanza => "        dns_nsid \$pid;\n");

	wait_answer($s->{pid}, $port, 'ns1.a.test');

	return $s;
}

# which worker answers, by NSID

sub answering {
	my $c = IO::Socket::INET->new(Proto => 'udp',
		PeerAddr => '127.0.0.1', PeerPort => $port) or return 0;

	$c->send(pack('n6', 7, 0, 1, 0, 0, 1) . "\3ns1\1a\4test\0"
		. pack('nn', 1, 1) . pack('CnnNn', 0, 41, 1232, 0, 4)
		. pack('nn', 3, 0));

	my $bits = '';
	vec($bits, $c->fileno(), 1) = 1;

	select($bits, undef, undef, 1) > 0 or return 0;

	$c->recv(my $r, 4096);

	my $at = rindex $r, pack('n', 3);
	my $length = unpack 'n', substr($r, $at + 2, 2);

	return substr $r, $at + 4, $length;
}

sub reloads {
	my @took;

	for (1 .. $o{reloads}) {
		my %old = map { $_ => 1 } nginx_workers($s->{pid});

		die "no worker in the NSID of the answers\n"
			unless $old{answering()};

		my $start = time();
		kill 'HUP', $s->{pid};

		while (time() - $start < 30) {
			my $pid = answering();
			last if $pid && !$old{$pid};
			sleep 0.001;
		}

		push @took, (time() - $start) * 1000;
		sleep 0.5;
	}

	printf "reload, zone unchanged: a new worker answers after "
		. "%.0f ms (median of %d), worst %.0f ms\n", median(@took),
		scalar @took, (sort { $b <=> $a } @took)[0];

	return \@took;
}

sub files_opened {
	my $out = "$build/large.strace";
	my $tracer = launch("$build/strace.log", undef, 'strace', '-e',
		'trace=open,openat,read,mmap', '-o', $out, '-p', $s->{pid});

	sleep 0.5;
	kill 'HUP', $s->{pid};
	sleep 1.5;
	halt($tracer, 'INT');

	my @lines = grep { /\Q$zone\E/ } split /\n/, slurp($out);

	printf "reload, zone unchanged: the master opens the zone file "
		. "%d times\n", scalar @lines;

	return scalar @lines;
}

# signals through the binary with a zone file that cannot be parsed

sub signals {
	my %took;

	open my $f, '>>', $zone or die "$zone: $!\n";
	print $f "broken (((\n";
	close $f or die "$zone: $!\n";

	for my $signal (qw/ reopen quit stop /) {
		my $start = time();
		my $status = system(nginx_binary(), '-p', $dir, '-c',
			"$dir/nginx.conf", '-e', "$dir/error.log",
			'-s', $signal);

		$took{$signal} = (time() - $start) * 1000;

		printf "nginx -s %s with a broken zone file: %.0f ms, %s\n",
			$signal, $took{$signal},
			$status == 0 ? 'done' : "failed: $status";

		next if $signal eq 'reopen';

		for (1 .. 200) {
			last unless alive($s->{pid});
			sleep 0.05;
		}

		print "still running after $signal\n" if alive($s->{pid});

		halt($s->{pid});

		next if $signal eq 'stop';

		copy("$build/large/a.test.zone", $zone) or die "copy: $!\n";
		$s = start();
		open $f, '>>', $zone or die "$zone: $!\n";
		print $f "broken (((\n";
		close $f or die "$zone: $!\n";
	}

	return \%took;
}

###############################################################################
