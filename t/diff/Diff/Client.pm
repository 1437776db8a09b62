package Diff::Client;

# Copyright (C) ngx_dns_module contributors

# Asks one server many questions at a time, over UDP or TCP.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use IO::Select;
use IO::Socket::INET;

our @EXPORT = qw/ client_ask /;

# Questions that are open at a time, and tries for each.

my $window = 24;
my $tries = 5;

###############################################################################

# Gives the replies to queries without ID, in their order; undef for those
# without a reply.  Seconds is how long to wait for one.

sub client_ask {
	my ($proto, $port, $queries, $seconds) = @_;

	my $replies = [];
	my @open = 0 .. $#$queries;

	for (1 .. $tries) {
		$proto eq 'udp'
			? _udp($port, $queries, \@open, $replies, $seconds // 1)
			: _tcp($port, $queries, \@open, $replies, $seconds // 3);

		@open = grep { !defined $replies->[$_] } @open;
		last if !@open;
	}

	return $replies;
}


sub _udp {
	my ($port, $queries, $open, $replies, $seconds) = @_;

	my $socket = IO::Socket::INET->new(
		Proto => 'udp',
		PeerAddr => "127.0.0.1:$port",
	) or die "socket: $!\n";

	my $select = IO::Select->new($socket);
	my @next = @$open;
	my %sent;

	while (@next || %sent) {
		while (@next && keys %sent < $window) {
			my $n = shift @next;
			my $id = $n & 0xffff;

			$sent{$id} = $n;
			send $socket, pack('n', $id) . $queries->[$n], 0;
		}

		# those that are lost are asked in the next try

		%sent = (), next if !$select->can_read($seconds);

		# no server on the port yet

		if (!defined recv $socket, my $reply, 65535, 0) {
			select undef, undef, undef, $seconds;
			return;

		} elsif (defined(my $n = delete $sent{unpack 'n', $reply})) {
			$replies->[$n] = $reply;
		}
	}
}


sub _tcp {
	my ($port, $queries, $open, $replies, $seconds) = @_;

	local $SIG{PIPE} = 'IGNORE';

	my $socket = IO::Socket::INET->new(
		Proto => 'tcp',
		PeerAddr => "127.0.0.1:$port",
		Timeout => $seconds,
	) or return select undef, undef, undef, 0.1;

	my $select = IO::Select->new($socket);
	my @next = @$open;
	my $input = '';
	my %sent;

	while (@next || %sent) {
		my $output = '';

		while (@next && keys %sent < $window) {
			my $n = shift @next;
			my $id = $n & 0xffff;

			$sent{$id} = $n;
			$output .= pack 'n/a*', pack('n', $id) . $queries->[$n];
		}

		return if length $output && !defined syswrite $socket, $output;
		return if !$select->can_read($seconds);
		return if !sysread $socket, $input, 65536, length $input;

		while (length $input >= 2) {
			my $length = unpack 'n', $input;

			last if length $input < 2 + $length;

			my $reply = substr $input, 2, $length;
			my $n = delete $sent{unpack 'n', $reply};

			substr $input, 0, 2 + $length, '';
			$replies->[$n] = $reply if defined $n;
		}
	}
}

###############################################################################

1;
