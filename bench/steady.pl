#!/usr/bin/perl

# (C) ngx_dns_module contributors

# What a worker does besides answering, in the steady state, with a buffered
# access_log: calls of the allocator (LD_PRELOAD) and system calls (strace).
#
# usage: steady.pl [--queries=1000000] [--only=alloc|strace]

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Cwd qw/ abs_path /;
use Getopt::Long;
use Time::HiRes qw/ sleep /;

use Bench;
use Servers;

###############################################################################

my $build = $ENV{BENCH_BUILD} ||= "$FindBin::Bin/../build/bench";
$build = $ENV{BENCH_BUILD} = abs_path($build);

my $port = free_port(5370);
my $dir = "$build/servers/steady";

my @kinds = qw/ malloc calloc realloc memalign mmap brk /;

my %o = (queries => 1_000_000);

GetOptions(\%o, 'queries=i', 'only=s') or exit 2;

my %result;

$result{alloc} = alloc() unless ($o{only} // '') eq 'strace';
$result{strace} = strace() unless ($o{only} // '') eq 'alloc';

write_json("$build/steady.json", {
	options => \%o, machine => machine(), cases => \%result });

###############################################################################

sub start {
	my (%more) = @_;

	my $s = nginx_start($dir, port => $port, zone => 'bench.test',
		file => "$build/zones/bench.test.zone",
		%more);

	wait_answer($s->{pid}, $port, 'ns1.bench.test');

	return $s;
}

sub queries {
	my ($n) = @_;
	return run_load(undef, "$build/load", '-p', $port, '-n', $n,
		'-q', "$build/questions");
}

sub counters {
	my @value = unpack 'Q*', slurp("$build/alloc.counters");
	return map { $kinds[$_] => $value[$_] } 0 .. $#kinds;
}

sub alloc {
	unlink "$build/alloc.counters";

	my $s = start(
		stanza => "        access_log $dir/access.log dns "
			. "buffer=64k flush=1s;\n",
		before => [ 'env', "LD_PRELOAD=$build/alloc.so",
			"BENCH_ALLOC=$build/alloc.counters" ]);

	queries(10_000);
	sleep 2;

	my %before = counters();
	my $r = queries($o{queries});
	my %after = counters();
	my $sum = 0;

	print "allocator, $r->{received} queries after 10000:";

	for my $kind (@kinds) {
		my $n = $after{$kind} - $before{$kind};
		print " $kind $n";
		$sum += $n;
	}

	print "\n(", join(', ', map { "$_ $before{$_}" } @kinds),
		" at start)\n";

	server_stop($s);
	unlink "$dir/access.log";

	return { queries => $r->{received}, calls => $sum };
}

sub strace {
	my $s = start();
	my ($worker) = nginx_workers($s->{pid});
	my $out = "$build/strace.out";

	queries(10_000);

	my $tracer = launch("$build/strace.log", undef, 'strace', '-c', '-f',
		'-o', $out, '-p', $worker);

	sleep 0.5;

	my $r = queries($o{queries});

	kill 'INT', $tracer;
	halt($tracer, 'INT');

	my %calls;

	for my $line (split /\n/, slurp($out)) {
		my @field = split ' ', $line;

		$calls{$field[-1]} = $field[3]
			if @field >= 5 && $field[3] =~ /^\d+$/
			&& $field[-1] ne 'total';
	}

	print "system calls, $r->{received} queries: ",
		join(', ', map { "$_ $calls{$_}" } sort keys %calls), "\n";

	server_stop($s);

	return { queries => $r->{received}, calls => \%calls };
}

###############################################################################
