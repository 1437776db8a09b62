package Test::Nginx::DNS::Client;

# Copyright (C) ngx_dns_module contributors

# A client that sends octets over UDP, TCP or TLS, IPv4 or IPv6, and waits for
# messages with a time limit.

###############################################################################

use warnings;
use strict;

use Errno qw/ EAGAIN EINTR /;
use IO::Select qw//;
use IO::Socket::IP qw//;
use Socket qw/ SOCK_DGRAM SOCK_STREAM SHUT_WR MSG_NOSIGNAL /;
use Time::HiRes qw/ time /;

use Test::Nginx qw/ log_in log_out /;

my $connect_limit = 5;

###############################################################################

# proto - udp, tcp or tls; addr and port - of the server; from and from_port -
# our own; timeout - seconds a call waits for a reply; rcvbuf - octets; other
# options, named SSL_..., go to IO::Socket::SSL.

sub new {
	my ($class, %opts) = @_;

	my $self = bless { timeout => 5, buffer => '', %opts }, $class;

	$self->{udp} = $self->{proto} eq 'udp';

	my $s = IO::Socket::IP->new(
		PeerHost => $opts{addr},
		PeerPort => $opts{port},
		Type => $self->{udp} ? SOCK_DGRAM : SOCK_STREAM,
		Proto => $self->{udp} ? 'udp' : 'tcp',
		Timeout => $self->{udp} ? undef : $connect_limit,
		_local(%opts),
	)
		or die "connect to $opts{addr} port $opts{port}: $@\n";

	$self->{socket} = $s;

	setsockopt $s, Socket::SOL_SOCKET(), Socket::SO_RCVBUF(),
		pack 'i', $opts{rcvbuf} if $opts{rcvbuf};

	$self->_start_tls(%opts) if $opts{proto} eq 'tls';

	$s->blocking(0);

	return $self;
}


sub _local {
	my (%opts) = @_;

	my @list;

	push @list, LocalHost => $opts{from} if defined $opts{from};

	if (defined $opts{from_port}) {
		push @list, LocalPort => $opts{from_port}, ReuseAddr => 1;
	}

	return @list;
}


sub _start_tls {
	my ($self, %opts) = @_;

	require IO::Socket::SSL;

	local $SIG{PIPE} = 'IGNORE';

	IO::Socket::SSL->start_SSL($self->{socket},
		SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_NONE(),
		map { $_ => $opts{$_} } grep { /^SSL_/ } keys %opts)
		or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";
}


sub socket {
	my ($self) = @_;
	return $self->{socket};
}


# TLS says goodbye here, maybe to nobody.

sub close {
	my ($self) = @_;

	local $SIG{PIPE} = 'IGNORE';

	$self->{socket}->close() if $self->{socket};
}


sub DESTROY {
	my ($self) = @_;
	$self->close();
}

###############################################################################

# Sends octets as they are; over UDP one datagram.  Gives the number sent, less
# than the whole if the other side does not take them in time.

sub write {
	my ($self, $data, %opts) = @_;

	my $until = time() + ($opts{timeout} // $self->{timeout});
	my $sent = 0;

	local $SIG{PIPE} = 'IGNORE';

	log_out($data);

	do {
		my $n = $self->{socket}->syswrite($data, length $data, $sent);

		if (defined $n) {
			$sent += $n;

		} elsif ($! == EAGAIN || $! == EINTR) {
			return $sent unless $self->_wait($until, 'can_write');

		} else {
			return $sent;
		}

	} while ($sent < length $data);

	return $sent;
}


sub _wait {
	my ($self, $until, $what) = @_;

	my $s = $self->{socket};

	return 1 if $what eq 'can_read' && $s->can('pending') && $s->pending();

	# with no time left, what is there already still counts

	my $left = $until - time();

	return scalar IO::Select->new($s)->$what($left > 0 ? $left : 0);
}


# Sends messages: over UDP each as a datagram, else framed and all at once.

sub send {
	my ($self, @messages) = @_;

	return $self->write(frame(@messages)) unless $self->{udp};

	$self->write($_) for @messages;
}


# Messages with their two length octets.

sub frame {
	return join '', map { pack 'n/a*', $_ } @_;
}


# Ends our direction; the other stays open.

sub half_close {
	my ($self) = @_;
	$self->{socket}->shutdown(SHUT_WR);
}

###############################################################################

# The next message, or undef if none comes in time or the connection ends.

sub recv {
	my ($self, %opts) = @_;

	my $until = time() + ($opts{timeout} // $self->{timeout});

	return $self->_recv_datagram($until) if $self->{udp};

	for ( ;; ) {
		my $message = $self->_unframe();

		return $message if defined $message;
		return undef unless $self->_fill($until);
	}
}


sub _recv_datagram {
	my ($self, $until) = @_;

	while ($self->_wait($until, 'can_read')) {

		# a refused port is an error of the socket: no reply either

		my $from = $self->{socket}->recv(my $data, 65535);

		next if !defined $from && ($! == EAGAIN || $! == EINTR);
		return undef unless defined $from;

		log_in($data);
		return $data;
	}

	return undef;
}


sub _unframe {
	my ($self) = @_;

	return undef if length $self->{buffer} < 2;

	my $len = unpack 'n', $self->{buffer};

	return undef if length $self->{buffer} < 2 + $len;

	my $message = substr $self->{buffer}, 0, 2 + $len, '';

	return substr $message, 2;
}


# Reads once into the buffer; 0 at the end of the stream or of time.

sub _fill {
	my ($self, $until) = @_;

	return 0 if $self->{eof};

	while ($self->_wait($until, 'can_read')) {
		my $n = $self->{socket}->sysread(my $data, 65536);

		next if !defined $n && ($! == EAGAIN || $! == EINTR);

		if (!$n) {
			$self->{reset} = !defined $n;
			$self->{eof} = 1;
			return 0;
		}

		log_in($data);
		$self->{buffer} .= $data;
		return 1;
	}

	return 0;
}


# Up to n messages; fewer if they do not come.

sub recv_n {
	my ($self, $n, %opts) = @_;

	my @messages;

	while (@messages < $n) {
		my $message = $self->recv(%opts);

		last unless defined $message;
		push @messages, $message;
	}

	return @messages;
}


# Waits for the other side to end the connection.  True if it does, and
# nothing else has come before.

sub closed {
	my ($self, %opts) = @_;

	my $until = time() + ($opts{timeout} // $self->{timeout});

	while ($self->_fill($until)) { }

	return $self->{eof} && $self->{buffer} eq '' ? 1 : 0;
}


# Octets that have come but are not a whole message yet.

sub rest {
	my ($self) = @_;
	return $self->{buffer};
}

###############################################################################

1;
