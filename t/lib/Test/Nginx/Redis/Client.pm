package Test::Nginx::Redis::Client;

# Copyright (C) ngx_dns_module contributors

# A client of Redis's protocol, RESP2, and both of its directions as functions
# for servers that only pretend to be Redis.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Errno qw/ EINTR /;
use IO::Select qw//;
use IO::Socket::INET qw//;
use IO::Socket::UNIX qw//;
use Time::HiRes qw/ time /;

our @EXPORT = qw/ redis_encode redis_decode redis_error /;

###############################################################################

# The protocol

# A command, or a reply that is a list of strings, as octets.

sub redis_encode {
	my (@words) = @_;

	return join '', '*' . @words . "\r\n", map {
		my $word = $_;

		utf8::encode($word) if utf8::is_utf8($word);
		'$' . length($word) . "\r\n$word\r\n";
	} @words;
}


# Takes the first value off a buffer: (1, value), or (0) if it is not there
# yet.  A string or number is itself, nil is undef, a list is a reference, and
# an error is what redis_error() knows.

sub redis_decode {
	my ($buffer) = @_;

	my $pos = 0;
	my ($whole, $value) = _value($buffer, \$pos);

	substr($$buffer, 0, $pos, '') if $whole;

	return ($whole, $value);
}


sub _value {
	my ($buffer, $pos) = @_;

	my $end = index $$buffer, "\r\n", $$pos;

	return 0 if $end < 0;

	my $kind = substr $$buffer, $$pos, 1;
	my $text = substr $$buffer, $$pos + 1, $end - $$pos - 1;

	$$pos = $end + 2;

	return (1, $text) if $kind eq '+' || $kind eq ':';
	return (1, bless { message => $text }, 'Test::Nginx::Redis::Error')
		if $kind eq '-';

	if ($kind eq '$') {
		return (1, undef) if $text < 0;
		return 0 if length $$buffer < $$pos + $text + 2;

		my $string = substr $$buffer, $$pos, $text;

		$$pos += $text + 2;
		return (1, $string);
	}

	die "RESP: \"$kind$text\"\n" if $kind ne '*';
	return (1, undef) if $text < 0;

	my @list;

	while (@list < $text) {
		my ($whole, $value) = _value($buffer, $pos);

		return 0 unless $whole;
		push @list, $value;
	}

	return (1, \@list);
}


# The text of an error, or undef if a reply is none.

sub redis_error {
	my ($reply) = @_;

	return ref $reply eq 'Test::Nginx::Redis::Error'
		? $reply->{message} : undef;
}

###############################################################################

# The client

# addr - 127.0.0.1:port, or unix:path; timeout - seconds a call waits.

sub new {
	my ($class, %opts) = @_;

	my $self = bless { timeout => 10, buffer => '', %opts }, $class;

	$self->{socket} = $opts{addr} =~ /^unix:(.*)/
		? IO::Socket::UNIX->new(Peer => $1)
		: IO::Socket::INET->new(PeerAddr => $opts{addr},
			Timeout => $self->{timeout});

	die "connect to redis at $opts{addr}: $!\n" unless $self->{socket};

	$self->{socket}->blocking(1);

	return $self;
}


sub socket {
	my ($self) = @_;
	return $self->{socket};
}


sub close {
	my ($self) = @_;
	$self->{socket}->close() if $self->{socket};
}


# Octets as they are.

sub write {
	my ($self, $data) = @_;

	local $SIG{PIPE} = 'IGNORE';

	my $sent = 0;

	while ($sent < length $data) {
		my $n = $self->{socket}->syswrite($data, length($data) - $sent,
			$sent);

		next if !defined $n && $! == EINTR;
		die "write to redis: $!\n" unless $n;
		$sent += $n;
	}
}


# The next value: a reply, or a message of a subscription.  Dies if none comes
# in time.

sub read {
	my ($self, %opts) = @_;

	my $until = time() + ($opts{timeout} // $self->{timeout});

	for ( ;; ) {
		my ($whole, $value) = redis_decode(\$self->{buffer});

		return $value if $whole;

		my $left = $until - time();

		die "no reply of redis\n" unless $left > 0
			&& IO::Select->new($self->{socket})->can_read($left);

		my $n = $self->{socket}->sysread($self->{buffer}, 1 << 18,
			length $self->{buffer});

		next if !defined $n && $! == EINTR;
		die "redis has closed the connection\n" unless $n;
	}
}


# A command and its reply, which may be an error.

sub try {
	my ($self, @words) = @_;

	$self->write(redis_encode(@words));

	return $self->read();
}


# A command and its reply.  Dies at an error.

sub command {
	my ($self, @words) = @_;

	my $reply = $self->try(@words);

	die "redis: $words[0]: $reply->{message}\n"
		if defined redis_error($reply);

	return $reply;
}


# Commands, each a list, sent together in portions; the list of replies, errors
# among them.

sub pipeline {
	my ($self, @commands) = @_;

	my @replies;

	while (my @some = splice @commands, 0, 500) {
		$self->write(join '', map { redis_encode(@$_) } @some);
		push @replies, map { $self->read() } @some;
	}

	return @replies;
}


# Commands as one transaction.  Dies at an error of any.

sub multi {
	my ($self, @commands) = @_;

	my @replies = $self->pipeline([ 'MULTI' ], @commands, [ 'EXEC' ]);

	for my $reply (@replies, @{ ref $replies[-1] eq 'ARRAY'
		? $replies[-1] : [] })
	{
		die "redis: $reply->{message}\n" if defined redis_error($reply);
	}

	return @{ $replies[-1] };
}

###############################################################################

1;
