package RedisZone::Client;

# Copyright (C) ngx_dns_module contributors

# A client of Redis that reads: commands go out in portions, replies are taken
# as they come.

###############################################################################

use warnings;
use strict;

use Errno qw/ EINTR /;
use IO::Select qw//;
use IO::Socket::IP qw//;
use IO::Socket::UNIX qw//;
use Time::HiRes qw/ time /;

my $portion = 500;

###############################################################################

# host, port or socket; user, password, db; timeout - seconds without a reply

sub new {
	my ($class, %o) = @_;

	my $self = bless { timeout => 10, %o, buffer => '', pos => 0 }, $class;

	$self->{socket} = defined $o{socket}
		? IO::Socket::UNIX->new(Peer => $o{socket})
		: IO::Socket::IP->new(PeerHost => $o{host}, PeerPort => $o{port},
			Timeout => $self->{timeout});

	if (!$self->{socket}) {
		my $reason = $@ || $!;
		my $place = $o{socket} // "$o{host} port $o{port}";

		$reason =~ s/^IO::Socket::\S+: (?:connect: )?//;
		die "connecting to $place: $reason\n";
	}

	$self->{select} = IO::Select->new($self->{socket});

	if (defined $o{password}) {
		$self->command('AUTH', $o{user} // (), $o{password});
	}

	$self->command('SELECT', $o{db}) if $o{db};

	return $self;
}


# The replies to commands, each a list of words.  An error is a reference to
# its text.

sub pipeline {
	my ($self, @commands) = @_;

	my @replies;

	while (my @some = splice @commands, 0, $portion) {
		$self->_write(join '', map { _encode(@$_) } @some);
		push @replies, map { $self->_read() } @some;
	}

	return @replies;
}


# One command, whose error ends the program.

sub command {
	my ($self, @words) = @_;

	my ($reply) = $self->pipeline(\@words);

	die "$words[0]: $$reply\n" if ref $reply eq 'SCALAR';

	return $reply;
}


# All elements that SCAN, or SSCAN or HSCAN of a key, gives, each portion to a
# function.  The second argument is the command up to the cursor.

sub scan {
	my ($self, $take, $command, @rest) = @_;

	my $cursor = 0;

	do {
		my $reply = $self->command(@$command, $cursor, @rest,
			'COUNT', 1000);

		$cursor = $reply->[0];
		$take->(@{ $reply->[1] });

	} while ($cursor ne '0');
}

###############################################################################

sub _encode {
	my (@words) = @_;

	return join '', '*' . @words . "\r\n",
		map { '$' . length($_) . "\r\n$_\r\n" } @words;
}


sub _write {
	my ($self, $data) = @_;

	local $SIG{PIPE} = 'IGNORE';

	my $sent = 0;

	while ($sent < length $data) {
		my $n = syswrite $self->{socket}, $data, length($data) - $sent,
			$sent;

		next if !defined $n && $! == EINTR;
		die "writing to Redis: $!\n" if !$n;
		$sent += $n;
	}
}


sub _fill {
	my ($self) = @_;

	substr $self->{buffer}, 0, $self->{pos}, '';
	$self->{pos} = 0;

	my $until = time() + $self->{timeout};

	for ( ;; ) {
		my $left = $until - time();

		die "no reply of Redis in $self->{timeout} seconds\n"
			if $left <= 0 || !$self->{select}->can_read($left);

		my $n = sysread $self->{socket}, $self->{buffer}, 1 << 18,
			length $self->{buffer};

		return if $n;
		next if !defined $n && $! == EINTR;
		die "Redis has closed the connection\n";
	}
}


sub _line {
	my ($self) = @_;

	my $end;

	$self->_fill()
		while ($end = index $self->{buffer}, "\r\n", $self->{pos}) < 0;

	my $line = substr $self->{buffer}, $self->{pos}, $end - $self->{pos};

	$self->{pos} = $end + 2;
	return $line;
}


sub _read {
	my ($self) = @_;

	my $line = $self->_line();
	my $kind = substr $line, 0, 1, '';

	return $line if $kind eq '+' || $kind eq ':';
	return \$line if $kind eq '-';

	if ($kind eq '$') {
		return undef if $line < 0;

		$self->_fill()
			while length($self->{buffer}) < $self->{pos} + $line + 2;

		my $string = substr $self->{buffer}, $self->{pos}, $line;

		$self->{pos} += $line + 2;
		return $string;
	}

	die "this is not Redis: \"$kind$line\"\n" if $kind ne '*';

	return $line < 0 ? undef : [ map { $self->_read() } 1 .. $line ];
}

###############################################################################

1;
