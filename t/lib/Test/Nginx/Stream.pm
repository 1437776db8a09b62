package Test::Nginx::Stream;

# Copyright (C) ngx_dns_module contributors

# A TCP, TLS or UDP client over IPv4, used with Test::Nginx.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Errno qw/ EWOULDBLOCK EINTR /;
use IO::Select qw//;
use IO::Socket qw/ SOCK_DGRAM /;
use IO::Socket::INET qw//;

use Test::Nginx qw/ log_in log_out /;

our @EXPORT_OK = qw/ stream dgram /;

# Seconds for connecting, for one write and for one read; octets of one read.

my $connect_limit = 8;
my $write_limit = 1.5;
my $read_limit = 8;
my $read_size = 1024;

###############################################################################

sub stream {
	return __PACKAGE__->new(@_);
}


sub dgram {
	return __PACKAGE__->new(Proto => 'udp', _options(@_));
}


# A single argument is the address.

sub _options {
	return @_ == 1 ? (PeerAddr => $_[0]) : @_;
}


sub new {
	my $class = shift;
	my %opts = (Proto => 'tcp', PeerAddr => '127.0.0.1', _options(@_));
	my $s;

	eval {
		local $SIG{ALRM} = sub { die "not within ${connect_limit}s\n" };
		local $SIG{PIPE} = sub { die "peer closed the connection\n" };

		alarm($connect_limit);

		$s = IO::Socket::INET->new(%opts) or die "connect: $!\n";
		_start_tls($s, %opts) if $opts{SSL};
	};

	my $error = $@;
	alarm(0);

	log_in("failed: $error") if $error;
	die "no connection to $opts{PeerAddr}: $error" unless defined $s;

	$s->autoflush(1);

	return bless { _socket => $s }, $class;
}


sub _start_tls {
	my ($s, %opts) = @_;

	require IO::Socket::SSL;

	IO::Socket::SSL->start_SSL($s,
		SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_NONE(), %opts)
		or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";

	log_in('cipher ' . $s->get_cipher());
	log_in('issuer ' . $s->peer_certificate('issuer'));
}


# TLS says goodbye here, maybe to nobody.

sub DESTROY {
	my ($self) = @_;

	local $SIG{PIPE} = 'IGNORE';

	$self->{_socket}->close() if $self->{_socket};
}

###############################################################################

sub write {
	my ($self, $data, %opts) = @_;

	my $s = $self->{_socket};
	my $select = IO::Select->new($s);
	my $limit = $opts{write_timeout} || $write_limit;

	local $SIG{PIPE} = 'IGNORE';

	$s->blocking(0);

	# an empty datagram takes one call as well

	do {
		return $self->_unsent($data) unless $select->can_write($limit);

		my $n = $s->syswrite($data);

		return $self->_unsent($data) unless $n;

		log_out(substr($data, 0, $n, ''));

	} while (length $data);
}


sub _unsent {
	my ($self, $rest) = @_;
	$self->{_socket}->close() if length $rest;
}


sub read {
	my ($self, %opts) = @_;

	my $s = $self->{_socket};
	my $select = IO::Select->new($s);
	my $limit = $opts{read_timeout} || $read_limit;

	$s->blocking(0);

	# what TLS has decrypted already does not make the socket readable

	while (_pending($s) || $select->can_read($limit)) {
		my $n = $s->sysread(my $data, $read_size);

		next if !defined $n && ($! == EWOULDBLOCK || $! == EINTR);

		$data = '' unless $n;

		log_in($data);
		return $data;
	}

	return undef;
}


sub _pending {
	my ($s) = @_;
	return $s->can('pending') && $s->pending();
}


sub io {
	my ($self, $data, %opts) = @_;

	my $reads = $opts{read};
	my $reply = '';

	$reads //= 1 if $self->{_socket}->socktype() == SOCK_DGRAM;

	$self->write($data, %opts);

	while (!defined $reads || $reads-- > 0) {
		my $part = $self->read(%opts);

		last unless defined $part && length $part;

		$reply .= $part;
		last if defined $opts{length} && length $reply >= $opts{length};
	}

	return $reply;
}

###############################################################################

sub socket {
	my ($self) = @_;
	return $self->{_socket};
}


sub sockaddr {
	my ($self) = @_;
	return $self->{_socket}->sockaddr();
}


sub sockhost {
	my ($self) = @_;
	return $self->{_socket}->sockhost();
}


sub sockport {
	my ($self) = @_;
	return $self->{_socket}->sockport();
}

###############################################################################

1;
