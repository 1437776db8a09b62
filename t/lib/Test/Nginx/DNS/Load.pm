package Test::Nginx::DNS::Load;

# Copyright (C) ngx_dns_module contributors

# Processes that ask one question after the other while something happens to
# nginx, each time from a new port, and count what they get.
#
#	my $load = dns_load($t, [ 'www.a.test', 'A' ], qr/192\.0\.2\.1$/m);
#	...
#	my ($n, $lost, $wrong) = dns_load_end($load);

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use POSIX qw//;
use Time::HiRes qw/ sleep time /;

use Test::Nginx::DNS;

our @EXPORT = qw/ dns_load dns_load_end /;

my $loads = 0;

###############################################################################

# Begins to ask over UDP and TCP; ask is a list of arguments for dns_ask().
# An answer that does not match the pattern is wrong, none within 3 seconds
# is lost.  A TCP connection on which nothing was asked yet may be closed by a
# worker that ends, just as the question comes: then it is asked again, once,
# as clients do (RFC 7766, 6.2.4).

sub dns_load {
	my ($t, $ask, $re) = @_;

	my $self = { t => $t, name => 'load' . $loads++, pids => [] };

	for my $proto (qw/ udp tcp /) {
		my $pid = fork();

		die "fork: $!\n" unless defined $pid;

		if ($pid == 0) {
			eval { _ask($self, $proto, $ask, $re); 1 } or warn $@;
			POSIX::_exit(0);
		}

		push @{ $self->{pids} }, $pid;
	}

	return $self;
}


sub _ask {
	my ($self, $proto, $ask, $re) = @_;

	my ($n, $lost, %wrong) = (0, 0);
	my $stop = $self->{t}->testdir() . "/$self->{name}.stop";

	while (!-e $stop) {
		my $began = time();
		my $reply = _ask_once($ask, $proto);

		$n++;

		if (!defined $reply && $proto eq 'tcp' && time() - $began < 2) {
			$reply = _ask_once($ask, $proto);
		}

		if (defined $reply) {
			my $text = dns_text($reply);
			$wrong{$text}++ if $text !~ $re;

		} else {
			$lost++;
		}

		sleep 0.005;
	}

	$self->{t}->write_file("$self->{name}.$proto",
		join "\n", $n, $lost, %wrong);
}


sub _ask_once {
	my ($ask, $proto) = @_;
	return eval { dns_ask(@$ask, over => $proto, timeout => 3) };
}


# Ends it.  Gives the number of questions, of those that were lost, and the
# texts of wrong answers with their numbers.

sub dns_load_end {
	my ($self) = @_;

	my ($n, $lost, $wrong) = (0, 0, '');

	$self->{t}->write_file("$self->{name}.stop", '');
	waitpid $_, 0 for @{ $self->{pids} };

	for my $proto (qw/ udp tcp /) {
		my ($asked, $none, @wrong) = split /\n/,
			$self->{t}->read_file("$self->{name}.$proto");

		$n += $asked;
		$lost += $none;
		$wrong .= join ' ', @wrong;
	}

	return ($n, $lost, $wrong);
}

###############################################################################

1;

###############################################################################
