package Test::Nginx::DNS::Zone;

# Copyright (C) ngx_dns_module contributors

# What a configuration test says of zone files, in a form that can be compared
# as a whole.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use File::Basename qw/ dirname /;
use File::Path qw/ make_path /;
use File::Spec qw//;
use POSIX qw//;
use Test::More qw//;

use Test::Nginx;

our @EXPORT = qw/ zone_said zone_is zone_quietly /;

###############################################################################

# Writes a zone file and tests a configuration with it.  Options:
#
#   zone    the name of the zone, by default z1.test
#   files   { name => text } of further files, beside the zone file
#   path    the zone file, relative to the folder of the zone; by default
#           NAME.zone, which is written
#   server  directives
#   as      a command in front of nginx
#   meanwhile
#           called with the number of the process, for which it has to wait
#
# The folder is "check" in that of the test.  It gives one line for the exit
# code, "accepted" or "refused", and one for each message:
#
#   level line: text            of the zone file
#   level file:line: text       of another file
#   level: text                 of no file in particular
#   said: text                  what is none of these
#
# The final messages of nginx and of the zone are left out if they are as they
# should be.  If more errors were counted than shown there is a line "errors:
# number".

sub zone_said {
	my ($t, $text, %opts) = @_;

	my $zone = $opts{zone} // 'z1.test';
	my $path = $opts{path} // "$zone.zone";

	my %files = %{ $opts{files} // {} };

	$files{$path} = $text if defined $text;

	for my $name (keys %files) {
		make_path($t->testdir() . '/check/' . dirname($name));
		$t->write_file("check/$name", $files{$name});
	}

	$t->write_file_expand('check.conf', <<EOF);
%%TEST_GLOBALS%%

daemon off;

events { }

stream {
    %%TEST_GLOBALS_STREAM%%

    server {
        listen 127.0.0.1:%%PORT_8980_UDP%% udp;
        dns on;
        dns_zone $zone check/$path;
        @{[ $opts{server} // '' ]}
    }
}
EOF

	my ($status, $out) = _run($t, %opts);

	return _canon($status, $out, $t->testdir(), $zone, $path);
}


# Tests the configuration: status and output.

sub _run {
	my ($t, %opts) = @_;

	my $d = $t->testdir();
	my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

	my @command = (split(' ', $opts{as} // ''), $nginx, '-p', "$d/",
		'-c', 'check.conf', '-e', 'check.log', '-t');

	my $pid = fork() // die "fork() failed: $!\n";

	if ($pid == 0) {
		open STDOUT, '>', "$d/check.out" and open STDERR, '>&', \*STDOUT
			and exec @command;
		POSIX::_exit(127);
	}

	if ($opts{meanwhile}) {
		$opts{meanwhile}->($pid);

	} else {
		waitpid $pid, 0;
	}

	return ($?, $t->read_file('check.out'));
}


sub _canon {
	my ($status, $out, $d, $zone, $path) = @_;

	my $file = "$d/check/$path";
	my $ok = $status == 0;
	my $errors = () = $out =~ /^nginx: \[emerg\] zone .* in /mg;
	my $counted = $out =~ / is refused: (\d+) errors, file/ ? $1 : $errors;

	my %end;

	my $conf = "configuration file $d/check.conf";

	if ($ok) {
		$end{"nginx: the $conf syntax is ok"} = 1;
		$end{"nginx: $conf test is successful"} = 1;

	} else {
		$end{"nginx: $conf test failed"} = 1;
		$end{"nginx: [emerg] zone \"$zone\" is refused: $counted errors"
			. ", file \"$file\""} = 1;
	}

	my @lines = $ok ? 'accepted' : $status == 256 ? 'refused'
		: "status $status";

	for my $line (split /\n/, $out) {

		# each once

		next if delete $end{$line};

		push @lines, _message($line, $d, $zone, $file);
	}

	push @lines, "errors: $counted" if $counted != $errors;
	push @lines, map { "not said: $_" } sort keys %end;

	return join "\n", @lines, '';
}


sub _message {
	my ($line, $d, $zone, $file) = @_;

	my $where = qr/ in (\S+?)(:\d+)?$/;

	return "said: $line" if
		$line !~ /^nginx: \[(\w+)\] zone "\Q$zone\E": (.*)$where/;

	my ($level, $text, $path, $number) = ($1, $2, $3, $4 // '');

	$text =~ s!\Q$d/check/\E!!g;

	return "$level$number: $text" =~ s/^(\w+):(\d+:)/$1 $2/r
		if $path eq $file;

	$path =~ s!^\Q$d/check/\E!!;

	return "$level $path$number: $text";
}


# Compares what is said with lines that may be indented, and go on in the next
# line where they have a blank.

sub zone_is {
	my ($t, $text, $expected, $name, %opts) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	my $first = qr/accepted|refused|status|said|not|errors|emerg|warn/;

	$expected =~ s/^\s+//mg;
	$expected =~ s/\n(?=.)(?!$first\b)/ /g;

	return Test::More::is(zone_said($t, $text, %opts), $expected, $name);
}


# Calls a function, which starts an nginx, and keeps what that says of its
# zones out of the output of the test.

sub zone_quietly {
	my ($call) = @_;

	open my $stderr, '>&', \*STDERR or die "keeping stderr: $!\n";
	open STDERR, '>', File::Spec->devnull() or die "closing stderr: $!\n";

	my $ok = eval { $call->(); 1 };
	my $why = $@;

	open STDERR, '>&', $stderr or die "opening stderr: $!\n";

	die $why unless $ok;
}

###############################################################################

1;

###############################################################################
