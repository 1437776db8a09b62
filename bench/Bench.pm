package Bench;

# (C) ngx_dns_module contributors

# Starting servers and reading what they cost, for the benchmarks.

###############################################################################

use warnings;
use strict;

use Exporter qw/ import /;
use File::Path qw/ make_path /;
use IO::Socket::INET;
use JSON::PP;
use POSIX qw/ _exit WNOHANG /;
use Time::HiRes qw/ sleep time /;

our @EXPORT = qw/ launch adopt halt alive tree usage spent pss ask wait_answer free_port median
	run_load load_begin load_end spew slurp read_json write_json machine busy /;

use constant SYS_CLOCK_GETTIME => 228;

my (%running, %seen);

###############################################################################

# starts a command with its output in a file; gives the pid

sub launch {
	my ($log, $core, @command) = @_;

	my $pid = fork();
	die "fork: $!\n" unless defined $pid;

	if ($pid == 0) {
		setpgrp(0, 0);
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', $log or _exit(1);
		open STDERR, '>&', \*STDOUT;

		unshift @command, 'taskset', '-c', $core if defined $core;

		exec { $command[0] } @command or _exit(127);
	}

	$running{$pid} = 1;

	return $pid;
}

# remembers a process that is no child of ours, to be ended with the rest

sub adopt {
	my ($pid) = @_;
	$running{$pid} = 1;
}

# ends a server and everything it started

sub halt {
	my ($pid, $signal) = @_;

	return unless delete $running{$pid};

	my @pids = tree($pid);

	kill $signal || 'TERM', $pid;

	for (1 .. 100) {
		return unless grep { alive($_) } @pids;
		sleep 0.05;
	}

	kill 'KILL', grep { alive($_) } @pids;
	waitpid($pid, 0);
}

# false for a zombie too; reaps it if it is a child of ours

sub alive {
	my ($pid) = @_;

	waitpid($pid, WNOHANG);

	return defined readlink "/proc/$pid/exe";
}

END {
	my $status = $?;
	halt($_, 'KILL') for keys %running;
	$? = $status;
}

$SIG{INT} = $SIG{TERM} = $SIG{PIPE} = sub { exit 1 };

# the process and all its descendants

sub tree {
	my ($root) = @_;
	my (%children, @found);

	for my $stat (glob '/proc/[0-9]*/stat') {
		open my $f, '<', $stat or next;
		my $line = <$f> // next;
		my ($pid, $ppid) = $line =~ /^(\d+) \(.*\) \S (\d+)/s or next;
		push @{$children{$ppid}}, $pid;
	}

	@found = ($root);

	for (my $i = 0; $i < @found; $i++) {
		push @found, @{$children{$found[$i]} || []};
	}

	return @found;
}

# CPU of a process with all threads, also ended ones, in nanoseconds

sub process_cpu {
	my ($pid) = @_;
	my $buf = pack 'qq', 0, 0;

	if (syscall(SYS_CLOCK_GETTIME, (~(0 + $pid) << 3) | 2, $buf) != 0) {
		die "clock of $pid: $!\n" if alive($pid);
		return 0;
	}

	my ($seconds, $nanoseconds) = unpack 'qq', $buf;

	return $seconds * 1e9 + $nanoseconds;
}

# the sum over a process tree: nanoseconds in total, ticks in user and system;
# processes that were seen once are looked for again

sub usage {
	my ($root) = @_;
	my %u = (total => 0, user => 0, system => 0, gone => 0);

	$seen{$root}{$_} = 1 for tree($root);

	for my $pid (keys %{$seen{$root}}) {
		open my $f, '<', "/proc/$pid/stat" or next;
		my $line = <$f> // next;
		my @field = split ' ', substr($line, rindex($line, ')') + 2);

		$u{total} += process_cpu($pid);
		$u{user} += $field[11];
		$u{system} += $field[12];
		$u{gone} += $field[13] + $field[14];
	}

	return \%u;
}

# what was spent between two usages: nanoseconds, and the share of user

sub spent {
	my ($from, $to) = @_;

	my $user = $to->{user} - $from->{user};
	my $system = $to->{system} - $from->{system};
	my $gone = ($to->{gone} - $from->{gone}) * 1e7;

	return {
		total => $to->{total} - $from->{total} + $gone,
		user => $user + $system ? $user / ($user + $system) : 0,
	};
}

# octets resident in the process tree, shared ones divided

sub pss {
	my ($root) = @_;
	my $sum = 0;

	for my $pid (tree($root)) {
		my $text = slurp("/proc/$pid/smaps_rollup", 1) // next;
		$sum += 1024 * $1 if $text =~ /^Pss:\s+(\d+) kB/m;
	}

	return $sum;
}

# one query over UDP; gives rcode and answer count, or nothing

sub ask {
	my ($port, $name, $type, $timeout) = @_;

	my $s = IO::Socket::INET->new(Proto => 'udp',
		PeerAddr => '127.0.0.1', PeerPort => $port) or return;

	my $id = int rand 65536;
	my $q = pack('n6', $id, 0, 1, 0, 0, 0)
		. join('', map { pack 'C/a', $_ } split /\./, $name)
		. pack('Cnn', 0, { A => 1, MX => 15, TXT => 16 }->{$type}, 1);

	defined $s->send($q) or return;

	my $bits = '';
	vec($bits, $s->fileno(), 1) = 1;

	select($bits, undef, undef, $timeout // 0.05) > 0 or return;

	my $r;
	defined $s->recv($r, 4096) && length $r >= 12 or return;

	my ($rid, $flags, undef, $answers) = unpack 'n4', $r;

	return unless $rid == $id;
	return { rcode => $flags & 15, answers => $answers };
}

# waits until a name is answered; dies if the server ends before

sub wait_answer {
	my ($pid, $port, $name, $seconds) = @_;
	my $until = time() + ($seconds // 60);

	while (time() < $until) {
		my $r = ask($port, $name, 'A');

		return 1 if $r && $r->{rcode} == 0 && $r->{answers};

		die "the server on port $port ended\n" unless alive($pid);

		sleep 0.002;
	}

	die "no answer on port $port\n";
}

# the first port from n on that neither UDP nor TCP uses

sub free_port {
	my ($n) = @_;

	for my $port ($n .. $n + 100) {
		my @free = grep {
			IO::Socket::INET->new(Proto => $_, LocalPort => $port,
				LocalAddr => '127.0.0.1',
				$_ eq 'tcp' ? (Listen => 1, ReuseAddr => 1) : ())
		} qw/ udp tcp /;

		return $port if @free == 2;
	}

	die "no free port from $n on\n";
}

sub median {
	my @v = sort { $a <=> $b } grep { defined } @_;

	return undef unless @v;
	return @v % 2 ? $v[$#v / 2] : ($v[@v / 2 - 1] + $v[@v / 2]) / 2;
}

# starts the load generator beside what follows; load_end() stops it and
# gives its result

sub load_begin {
	my ($out, @command) = @_;

	unlink $out;

	return { out => $out, pid => launch($out, undef, @command, '-j') };
}

sub load_end {
	my ($load, $wait) = @_;

	kill 'INT', $load->{pid} unless $wait;
	waitpid($load->{pid}, 0);
	delete $running{$load->{pid}};

	return decode_json(slurp($load->{out}));
}

# runs the load generator, gives its result

sub run_load {
	my ($core, @command) = @_;

	unshift @command, 'taskset', '-c', $core if defined $core;

	open my $f, '-|', @command, '-j' or die "load: $!\n";
	my $text = do { local $/; <$f> };
	close $f or die "load failed: @command\n";

	return decode_json($text);
}

sub spew {
	my ($path, $text) = @_;
	open my $f, '>', $path or die "$path: $!\n";
	print $f $text;
	close $f or die "$path: $!\n";
}

sub slurp {
	my ($path, $maybe) = @_;
	my $f;

	unless (open $f, '<', $path) {
		return undef if $maybe;
		die "$path: $!\n";
	}

	local $/;
	return <$f>;
}

sub read_json {
	my ($path) = @_;
	return -e $path ? decode_json(slurp($path)) : undef;
}

sub write_json {
	my ($path, $data) = @_;
	spew($path, JSON::PP->new()->canonical()->pretty()->encode($data));
}

# what the figures were taken on

sub machine {
	my ($cpu) = slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.+)/m;
	my $cores = () = slurp('/proc/cpuinfo') =~ /^processor/mg;
	my ($kb) = slurp('/proc/meminfo') =~ /^MemTotal:\s+(\d+)/m;
	my (undef, undef, $kernel) = POSIX::uname();

	return {
		cpu => $cpu, cores => $cores, kernel => $kernel,
		memory_gib => int($kb / 1048576 + 0.5),
	};
}

# seconds of CPU that all processes of the machine have used

sub busy {
	my @field = split ' ', (split /\n/, slurp('/proc/stat'))[0];
	my $ticks = 0;

	$ticks += $field[$_] for 1, 2, 3, 6, 7, 8;

	return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

###############################################################################

1;

###############################################################################
