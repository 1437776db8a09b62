package Test::Nginx::Redis;

# Copyright (C) ngx_dns_module contributors

# A private redis-server of a test and the data of zones in it.  Uses the
# documented functions of Test::Nginx only.
#
#	my $r = redis_start($t);
#
#	$r->l1('example.com.', { '@' => { a => ... }, www => '{"a":...}' });
#	$r->command('DEL', $r->key('zones:example.com.:config'));
#
# $r->address() is what "dns_redis" takes.  Each test begins with
# $t->has_daemon('redis-server').

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use IO::Socket::INET qw//;
use IO::Socket::UNIX qw//;
use JSON::PP qw//;
use POSIX qw/ WNOHANG /;
use Time::HiRes qw/ time sleep /;

use Test::Nginx;
use Test::Nginx::Redis::Client;

our @EXPORT = (qw/ redis_start redis_json redis_soa redis_fake /,
	@Test::Nginx::Redis::Client::EXPORT);

my $servers = 0;

###############################################################################

# The server

# Starts a redis-server and waits until it answers.  Options, all optional:
#
#   port      a number in the manner of Test::Nginx: listens on
#             127.0.0.1:port(number); else only on a Unix socket
#   conf      more lines of its configuration
#   password  of the default user
#   prefix, suffix, key
#             of the names of keys, see key()
#   start     0: start() is called later

sub redis_start {
	my ($t, %opts) = @_;

	my $self = bless {
		key => 'redins', prefix => '', suffix => '',
		%opts, owner => $$, dir => $t->testdir() . '/redis' . $servers++,
	}, __PACKAGE__;

	mkdir $self->{dir} or die "mkdir $self->{dir}: $!\n";

	# the way to the socket and to the state directory

	chmod 0755, $t->testdir();

	$self->{real_port} = port($opts{port}) if $opts{port};
	$self->{socket} = "$self->{dir}/socket";

	$self->start() if $opts{start} // 1;

	return $self;
}


sub start {
	my ($self) = @_;

	$self->_write_conf();
	unlink $self->{socket};

	my $pid = fork();

	die "fork: $!\n" unless defined $pid;

	if ($pid == 0) {
		my $log = "$self->{dir}/output";

		open STDOUT, '>>', $log;
		open STDERR, '>&', \*STDOUT;

		{ exec 'redis-server', "$self->{dir}/redis.conf" };
		POSIX::_exit(1);
	}

	$self->{pid} = $pid;
	$self->_wait();

	return $self;
}


sub _write_conf {
	my ($self) = @_;

	my $password = $self->{password};

	open my $fh, '>', "$self->{dir}/redis.conf"
		or die "$self->{dir}/redis.conf: $!\n";

	print $fh join "\n",
		'bind 127.0.0.1',
		'port ' . ($self->{real_port} // 0),
		"unixsocket $self->{socket}", 'unixsocketperm 777',
		"dir $self->{dir}", "logfile $self->{dir}/log",
		'save ""', 'appendonly no', 'daemonize no', 'databases 16',
		defined $password ? "requirepass $password" : (),
		$self->{conf} // (), '';

	close $fh;

	# for processes of another user

	chmod 0755, $self->{dir};
}


sub _wait {
	my ($self) = @_;

	my $until = time() + 10;

	while (time() < $until) {
		my $reply = eval { $self->client(timeout => 5)->try('PING') };

		return if defined $reply && !ref $reply && $reply eq 'PONG';

		if (waitpid($self->{pid}, WNOHANG) == $self->{pid}) {
			delete $self->{pid};
			last;
		}

		sleep(0.01);
	}

	die "redis-server does not answer, see $self->{dir}/log\n";
}


# Ends it, without waiting for what it does; the data is lost.

sub kill {
	my ($self) = @_;
	return $self->_end('KILL');
}


# Ends it in good order.

sub stop {
	my ($self) = @_;
	return $self->_end('TERM');
}


sub _end {
	my ($self, $signal) = @_;

	my $pid = delete $self->{pid};

	return $self unless defined $pid;

	$self->_forget();

	CORE::kill('CONT', $pid) if $signal ne 'KILL';
	CORE::kill($signal, $pid);
	waitpid $pid, 0;

	return $self;
}


# Stops it without ending it: connections stay, nothing is answered.

sub freeze {
	my ($self) = @_;

	CORE::kill('STOP', $self->{pid});
	return $self;
}


sub thaw {
	my ($self) = @_;

	CORE::kill('CONT', $self->{pid});
	return $self;
}


sub pid {
	my ($self) = @_;
	return $self->{pid};
}


sub DESTROY {
	my ($self) = @_;

	return if $self->{owner} != $$;

	local ($?, $@, $!);
	$self->_end('KILL');
}


# The directives of the stream block that name this server, with further
# parameters of dns_redis.  The shared zone is "zone" of 16m unless they say
# otherwise; more than one source needs state => 0 in all but one of them.

sub directives {
	my ($self, $parameters, %opts) = @_;

	$parameters //= '';
	$parameters = "zone=zone:16m $parameters"
		if $parameters !~ /(?:^|\s)zone=/;

	# numbers of ports are given anew when the configuration is written

	my $address = $self->{port} ? "127.0.0.1:%%PORT_$self->{port}%%"
		: $self->address();

	my $state = $opts{state} // 1
		? "dns_state_path %%TESTDIR%%/state;\n    " : '';

	return "${state}dns_redis $address $parameters;";
}


# The place, in the form that dns_redis takes; by TCP if there is a port.

sub address {
	my ($self) = @_;

	return defined $self->{real_port} ? "127.0.0.1:$self->{real_port}"
		: "unix:$self->{socket}";
}


sub port_number {
	my ($self) = @_;
	return $self->{real_port};
}


sub socket_path {
	my ($self) = @_;
	return $self->{socket};
}

###############################################################################

# Clients

# A connection of its own; see Test::Nginx::Redis::Client.

sub client {
	my ($self, %opts) = @_;

	my $client = Test::Nginx::Redis::Client->new(
		addr => "unix:$self->{socket}", %opts);

	$client->command('AUTH', $self->{password})
		if defined $self->{password};

	return $client;
}


# The connection that the methods below share.  A process that was forked has
# another one.

sub _client {
	my ($self) = @_;

	$self->_forget() if ($self->{client_pid} // 0) != $$;

	$self->{client_pid} = $$;

	return $self->{client} //= $self->client();
}


sub _forget {
	my ($self) = @_;
	delete $self->{client};
}


for my $name (qw/ command try pipeline multi /) {
	no strict 'refs';

	*$name = sub {
		my ($self, @args) = @_;

		my $client = $self->_client();
		my @result = eval { $client->$name(@args) };

		if ($@) {
			my $error = $@;

			# an error of Redis leaves the connection as it was

			$self->_forget() if $error !~ /^redis: /;
			die $error;
		}

		return wantarray ? @result : $result[-1];
	};
}


# Numbers of INFO commandstats: { command => calls }.

sub calls {
	my ($self) = @_;

	return { $self->command('INFO', 'commandstats')
		=~ /^cmdstat_([^:]+):calls=(\d+)/mg };
}

###############################################################################

# Data

# The whole name of a key, given without the word in front:
# key('zones:example.com.') is PREFIXredins:zones:example.com.SUFFIX.  Options
# prefix, suffix and key are those of redis_start() by default.

sub key {
	my ($self, $name, %opts) = @_;

	my %o = (%$self, %opts);

	return "$o{prefix}$o{key}:$name$o{suffix}";
}


# JSON of a structure; text is JSON already.

sub redis_json {
	my ($value) = @_;

	return ref $value
		? JSON::PP->new()->canonical()->utf8()->encode($value) : $value;
}


# A config that makes the SOA of zone_soa(); more members may follow.

sub redis_soa {
	my ($origin, %more) = @_;

	return { %more, soa => { ns => "ns1.$origin.", mbox => "host.$origin.",
		serial => 2026010101, refresh => 7200, retry => 3600,
		expire => 1209600, minttl => 60, ttl => 300 } };
}


# A zone in one transaction, in place of what is there.  Options:
#
#   config  of the zone: a structure, or JSON
#   list    0: the zone is not added to the set of zones
#   keep    1: what is there stays, save what is given
#   prefix, suffix, key
#
# In layout L1 (and L2: key => 'z42') data is { label => value }, the value a
# structure or JSON; in L4 { label => { TYPE => value } }.

sub l1 {
	my ($self, $zone, $data, %opts) = @_;

	$self->multi($self->l1_commands($zone, $data, %opts));

	return $self;
}


sub l4 {
	my ($self, $zone, $data, %opts) = @_;

	$self->multi($self->l4_commands($zone, $data, %opts));

	return $self;
}


# The same as a list of commands.

sub l1_commands {
	my ($self, $zone, $data, %opts) = @_;

	my $key = $self->key("zones:$zone", %opts);
	my @fields = map { $_, redis_json($data->{$_}) } sort keys %$data;

	return (
		$opts{keep} ? () : $self->_clear($zone, %opts),
		@fields ? [ 'HSET', $key, @fields ] : (),
		$self->_rest($zone, %opts),
	);
}


sub l4_commands {
	my ($self, $zone, $data, %opts) = @_;

	my @sets;

	for my $label (sort keys %$data) {
		my $types = $data->{$label};

		push @sets, map { [ 'SET',
			$self->key("zones:$zone:labels:$label:$_", %opts),
			redis_json($types->{$_}) ] } sort keys %$types;
	}

	return (
		$opts{keep} ? () : $self->_clear($zone, %opts),
		%$data ? [ 'SADD', $self->key("zones:$zone:labels", %opts),
			sort keys %$data ] : (),
		@sets, $self->_rest($zone, %opts),
	);
}


# A zone of a zone file's text, put in place of what is there by
# tools/zone2redis, with its options.

sub zone_text {
	my ($self, $origin, $text, %opts) = @_;

	my %o = (prefix => $self->{prefix}, suffix => $self->{suffix},
		key => $self->{key}, %opts);

	open my $file, '>', "$self->{dir}/zone" or die "zone: $!\n";
	print $file $text;
	close $file or die "zone: $!\n";

	open my $out, '-|', $^X, '../tools/zone2redis', '--replace',
		'--origin', $origin, map({ ("--$_", $o{$_}) } keys %o),
		"$self->{dir}/zone" or die "zone2redis: $!\n";

	local $/;
	my $octets = <$out>;

	close $out or die "zone2redis fails\n";

	my $client = $self->client();
	my $n = () = $octets =~ /^\*\d+\r$/mg;

	$client->write($octets);

	my @replies = map { $client->read() } 1 .. $n;

	ref $replies[-1] eq 'ARRAY' or die "redis: the zone is not taken\n";

	for my $reply (@{ $replies[-1] }) {
		die "redis: $reply->{message}\n"
			if defined redis_error($reply);
	}

	return $self;
}


sub _clear {
	my ($self, $zone, %opts) = @_;

	my $labels = $self->key("zones:$zone:labels", %opts);
	my @old;

	my $key = $self->key("zones:$zone:labels:\0", %opts);

	$key =~ s/([][*?\\])/\\$1/g;
	$key =~ s/\0/*/;

	my $cursor = 0;

	do {
		my $reply = $self->command('SCAN', $cursor, 'MATCH', $key,
			'COUNT', 1000);

		$cursor = $reply->[0];
		push @old, @{ $reply->[1] };

	} while ($cursor);

	return [ 'DEL', $self->key("zones:$zone", %opts), $labels,
		$self->key("zones:$zone:config", %opts), @old ];
}


sub _rest {
	my ($self, $zone, %opts) = @_;

	my @commands;

	push @commands, [ 'SET', $self->key("zones:$zone:config", %opts),
		redis_json($opts{config}) ] if defined $opts{config};

	push @commands, [ 'SADD', $self->key('zones', %opts), $zone ]
		if $opts{list} // 1;

	return @commands;
}


# Takes a zone out, with its data unless keep is given.

sub remove {
	my ($self, $zone, %opts) = @_;

	$self->multi([ 'SREM', $self->key('zones', %opts), $zone ],
		$opts{keep} ? () : $self->_clear($zone, %opts));

	return $self;
}

###############################################################################

# A server that pretends to be Redis, in a process of its own until
# $t->stop_daemons().
#
#   listen   a number in the manner of Test::Nginx; port(number) is the port
#   answer   called with (connection, words...) for each command, where
#            connection is a hash of the caller's for notes, with "n" the
#            number of the connection and "socket"; gives the octets to be
#            sent; undef: the real server is asked; dies: the connection is
#            closed
#   to       address of the real server (a hash of redis_start(), or text in
#            the form of address()), optional

sub redis_fake {
	my ($t, %opts) = @_;

	my $listen = IO::Socket::INET->new(
		Proto => 'tcp', Listen => 128, ReuseAddr => 1,
		LocalAddr => '127.0.0.1:' . port($opts{listen}),
	)
		or die "listen: $!\n";

	$t->run_daemon(\&_fake_loop, $listen, %opts);

	close $listen;
	return '127.0.0.1:' . port($opts{listen});
}


sub _fake_loop {
	my ($listen, %opts) = @_;

	local $SIG{PIPE} = 'IGNORE';

	my $to = ref $opts{to} ? $opts{to}->address() : $opts{to};
	my $select = IO::Select->new($listen);
	my (%connections, $n);

	while (my @ready = $select->can_read()) {
		for my $s (@ready) {
			if ($s == $listen) {
				my $c = _fake_accept($s, ++$n, $to) or next;

				for my $side (grep { defined }
					@$c{qw/ socket real /})
				{
					$connections{$side} = $c;
					$select->add($side);
				}

				next;
			}

			my $c = $connections{$s} or next;

			next if _fake_read($c, $s, $opts{answer});

			for my $side (grep { defined } @$c{qw/ socket real /}) {
				delete $connections{$side};
				$select->remove($side);
				$side->close();
			}
		}
	}
}


sub _fake_accept {
	my ($listen, $n, $to) = @_;

	my $s = $listen->accept() or return;
	my $real;

	if (defined $to) {
		$real = eval { Test::Nginx::Redis::Client->new(addr => $to)
			->socket() };

		if (!$real) {
			$s->close();
			return;
		}
	}

	return { n => $n, socket => $s, real => $real, buffer => '' };
}


# Octets of one side; 0 if it ends.

sub _fake_read {
	my ($c, $s, $answer) = @_;

	my $n = sysread $s, my $data, 65536;

	return 0 unless $n;

	return _fake_write($c->{socket}, $data) if $c->{real} && $s == $c->{real};

	$c->{buffer} .= $data;

	for ( ;; ) {
		my ($whole, $words) = eval { redis_decode(\$c->{buffer}) };

		return 0 if $@;
		return 1 unless $whole;

		my $reply = eval { $answer->($c, @$words) };

		return 0 if $@;

		if (defined $reply) {
			return 0 unless _fake_write($c->{socket}, $reply);
			next;
		}

		return 0 unless $c->{real}
			&& _fake_write($c->{real}, redis_encode(@$words));
	}
}


sub _fake_write {
	my ($s, $data) = @_;

	while (length $data) {
		my $n = syswrite $s, $data;

		return 0 unless defined $n;
		substr $data, 0, $n, '';
	}

	return 1;
}

###############################################################################

1;
