package Test::Nginx::Resolver;

# Copyright (C) ngx_dns_module contributors

# A server that plays the resolver of ANAME targets: it says what a test wants
# it to say, right, wrong, late or never, and writes down what it was asked.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use IO::Select qw//;
use IO::Socket::INET qw//;
use Storable qw//;
use Time::HiRes qw/ time sleep /;

use Test::Nginx;
use Test::Nginx::DNS::Message;

our @EXPORT = qw/ resolver_start /;

###############################################################################

# The test's side

# Starts a resolver on UDP and TCP.  Options:
#
#   port    number of the port as the test library counts them (8970)
#   data    what it says at first, as set() takes it: { "name type" => spec }
#   answer  a function that is given the query, { name, type, id, ecs, proto,
#           port, edns, rd }, and gives a spec, or undef: by the data

sub resolver_start {
	my ($t, %opts) = @_;

	my $n = $opts{port} // 8970;
	my $port = port($n, udp => 1);

	my $self = bless {
		port => $port,
		number => $n,
		path => $t->testdir() . "/resolver.$n",
		data => { %{ $opts{data} // {} } },
	}, __PACKAGE__;

	$self->_save();

	my $udp = IO::Socket::INET->new(Proto => 'udp',
		LocalAddr => "127.0.0.1:$port") or die "udp: $!\n";

	port($n, socket => 1)->close();

	my $tcp = IO::Socket::INET->new(Proto => 'tcp', Listen => 64,
		ReuseAddr => 1, LocalAddr => "127.0.0.1:$port")
		or die "tcp: $!\n";

	my $server = bless { %$self, udp => $udp, tcp => $tcp,
		answer => $opts{answer} }, __PACKAGE__;

	$t->run_daemon(sub { $server->_loop() });

	close $udp;
	close $tcp;

	return $self;
}


sub address {
	my ($self) = @_;
	return "127.0.0.1:%%PORT_$self->{number}_UDP%%";
}


# Says from now on of a name (lower case, "*": any) and a type what spec says:
#
#   rr       list of addresses
#   ttl      of these (60)
#   chain    list of [ target, ttl ]: links of CNAMEs from the name on
#   rcode    as text (NOERROR)
#   soa      [ ttl, minimum ] ([ 300, 60 ]) if there are no addresses; 0: none
#   tc       1: over UDP just the TC bit
#   delay    seconds before the reply
#   silent   1: no reply
#   edns     0: no OPT; "formerr": FORMERR if the query has one
#   scope    of the client subnet in the reply, if there is one in the query
#   subnets  { "192.0.2.0/24" => spec }: instead, for queries with this subnet
#   reverse  1: records in the wrong order
#   before   list of what is sent before the right reply: id, question, type,
#            qr, port, twice, short - each wrong in that way
#   forward  port of a server that is asked instead
#
# Without a spec: NXDOMAIN.  With undef the name is forgotten.

sub set {
	my ($self, $name, $type, $spec) = @_;

	$self->{data}{"$name $type"} = $spec;
	delete $self->{data}{"$name $type"} if !defined $spec;

	$self->_save();
}


# 1: receives and says nothing at all, 0: no more.

sub down {
	my ($self, $down) = @_;

	$self->{data}{down} = $down;
	$self->_save();
}


sub _save {
	my ($self) = @_;

	Storable::nstore($self->{data}, "$self->{path}.new");
	rename "$self->{path}.new", $self->{path} or die "rename: $!\n";
}


# Queries so far, in the order they came: { time, name, type, id, ecs, proto,
# port, edns, rd, down }, all of them or those of a name (and type).

sub queries {
	my ($self, $name, $type) = @_;

	open my $f, '<', "$self->{path}.log" or return;

	my @keys = qw/ time name type id proto port edns rd down ecs /;
	my @list;

	while (my $line = <$f>) {
		last if $line !~ /\n\z/;
		chomp $line;

		my %query;
		@query{@keys} = split / /, $line;
		$query{ecs} = undef if $query{ecs} eq '-';

		push @list, \%query;
	}

	return grep { (!defined $name || $_->{name} eq $name)
		&& (!defined $type || $_->{type} eq $type) } @list;
}


# Waits until there are at least n such queries, at most some seconds (5).
# Gives how many there are.

sub wait_queries {
	my ($self, $n, $name, $type, $seconds) = @_;

	my $until = time() + ($seconds // 5);
	my $count;

	for ( ;; ) {
		$count = () = $self->queries($name, $type);

		return $count if $count >= $n || time() > $until;
		sleep 0.02;
	}
}

###############################################################################

# The server's side

sub _loop {
	my ($self) = @_;

	local $SIG{PIPE} = 'IGNORE';

	open $self->{log}, '>>', "$self->{path}.log" or die "log: $!\n";
	$self->{log}->autoflush(1);

	$self->{other} = IO::Socket::INET->new(Proto => 'udp',
		LocalAddr => '127.0.0.1:0') or die "udp: $!\n";

	my $select = IO::Select->new($self->{udp}, $self->{tcp});
	my @late;

	for ( ;; ) {
		my ($next) = sort { $a <=> $b } map { $_->[0] } @late;
		my $wait = defined $next ? $next - time() : 1;

		for my $s ($select->can_read($wait > 0 ? $wait : 0)) {

			if ($s == $self->{udp}) {
				my $from = $s->recv(my $packet, 65535);

				push @late, $self->_udp($packet, $from)
					if defined $from;

			} elsif ($s == $self->{tcp}) {
				$select->add($s->accept() || ());

			} elsif (!$self->_tcp($s)) {
				$select->remove($s);
				$s->close();
			}
		}

		my $now = time();

		$self->{udp}->send($_->[1], 0, $_->[2])
			for grep { $_->[0] <= $now } @late;

		@late = grep { $_->[0] > $now } @late;
	}
}


# Sends what is to be sent at once; gives what is to be sent later.

sub _udp {
	my ($self, $packet, $from) = @_;

	my ($q, $spec) = $self->_query($packet, 'udp',
		(Socket::sockaddr_in($from))[0]) or return;

	return if !$spec || $spec->{silent};

	if (defined $spec->{forward}) {
		my $reply = _forward($packet, $spec->{forward});

		$self->{udp}->send($reply, 0, $from) if defined $reply;
		return;
	}

	for my $wrong (@{ $spec->{before} // [] }) {
		my $s = $wrong eq 'port' ? $self->{other} : $self->{udp};

		$s->send(_wrong($q, $spec, $wrong), 0, $from);
	}

	my $reply = $spec->{tc} ? _message($q, {}, 0x0200)
		: _message($q, $spec);

	return [ time() + $spec->{delay}, $reply, $from ] if $spec->{delay};

	$self->{udp}->send($reply, 0, $from);

	return;
}


sub _tcp {
	my ($self, $s) = @_;

	my $length = _read($s, 2) // return 0;
	my $packet = _read($s, unpack 'n', $length) // return 0;

	my ($q, $spec) = $self->_query($packet, 'tcp', $s->peerport())
		or return 0;

	return 1 if !$spec || $spec->{silent};

	sleep $spec->{delay} if $spec->{delay};

	return syswrite($s, pack 'n/a*', _message($q, $spec));
}


sub _read {
	my ($s, $n) = @_;

	my $data = '';

	while (length $data < $n) {
		sysread($s, $data, $n - length $data, length $data) or return;
	}

	return $data;
}


sub _forward {
	my ($packet, $port) = @_;

	my $s = IO::Socket::INET->new(Proto => 'udp',
		PeerAddr => "127.0.0.1:$port") or return;

	$s->send($packet);

	return unless IO::Select->new($s)->can_read(1);

	$s->recv(my $reply, 65535);

	return $reply;
}


# The query, written down, and what is to be said to it (undef: nothing).

sub _query {
	my ($self, $packet, $proto, $port) = @_;

	my $m = eval { dns_parse($packet) } or return;
	my $question = $m->{question}[0];
	my ($ecs) = $m->{opt} ? map { $_->[1] }
		grep { $_->[0] == 8 } @{ $m->{opt}{options} } : ();

	my $q = {
		id => $m->{id}, name => lc $question->{name} =~ s/(?<=.)\.$//r,
		type => $question->{type}, raw => $m->{question_raw},
		proto => $proto, port => $port, rd => $m->{rd},
		edns => $m->{opt} ? $m->{opt}{size} : 0, octets => $ecs,
		ecs => defined $ecs ? _subnet($ecs) : undef, opt => $m->{opt},
	};

	my $data = Storable::retrieve($self->{path});

	print { $self->{log} } join(' ', sprintf('%.6f', time()),
		@$q{qw/ name type id proto port edns rd /},
		$data->{down} ? 1 : 0, $q->{ecs} // '-') . "\n";

	return ($q, undef) if $data->{down};

	my $spec = $self->{answer} && $self->{answer}->($q);

	$spec //= $data->{"$q->{name} $q->{type}"} // $data->{"* $q->{type}"}
		// { rcode => 'NXDOMAIN' };

	$spec = { %$spec, %{ $spec->{subnets}{$q->{ecs}} } }
		if defined $q->{ecs} && $spec->{subnets}{$q->{ecs}};

	return ($q, $spec);
}


sub _subnet {
	my ($family, $source, $scope, $octets) = unpack 'n C C a*', $_[0];

	my $n = $family == 2 ? 16 : 4;

	$octets .= "\0" x ($n - length $octets);

	return Socket::inet_ntop($family == 2 ? Socket::AF_INET6()
		: Socket::AF_INET(), $octets) . "/$source";
}


my %rcodes = (NOERROR => 0, FORMERR => 1, SERVFAIL => 2, NXDOMAIN => 3,
	NOTIMP => 4, REFUSED => 5);


sub _message {
	my ($q, $spec, $flags) = @_;

	my ($name, @answer, @authority, @additional) = ($q->{name});

	my $rcode = $spec->{rcode} // 'NOERROR';
	my $edns = $spec->{edns} // 1;

	$rcode = 'FORMERR' if $edns eq 'formerr' && $q->{edns};
	$edns = 0 if $edns eq 'formerr' || !$q->{edns};

	for my $link (@{ $spec->{chain} // [] }) {
		push @answer, dns_rr($name, 'CNAME', 'IN', $link->[1],
			dns_name($link->[0]));
		$name = $link->[0];
	}

	for my $address (@{ $spec->{rr} // [] }) {
		my $family = $address =~ /:/ ? Socket::AF_INET6()
			: Socket::AF_INET();

		push @answer, dns_rr($name, $q->{type}, 'IN', $spec->{ttl} // 60,
			Socket::inet_pton($family, $address));
	}

	@answer = reverse @answer if $spec->{reverse};

	my $soa = $spec->{soa} // [ 300, 60 ];

	push @authority, dns_rr('test', 'SOA', 'IN', $soa->[0],
		dns_name('ns.test') . dns_name('host.test')
		. pack 'N5', 1, 2, 3, 4, $soa->[1])
		if ref $soa && !@{ $spec->{rr} // [] }
			&& $rcode =~ /^(?:NOERROR|NXDOMAIN)$/;

	if ($edns) {
		my $octets = $q->{octets};

		substr $octets, 3, 1, chr($spec->{scope} // 0)
			if defined $octets;

		push @additional, dns_opt(edns => 1232,
			defined $octets && defined $spec->{scope}
				? (options => [ [ 8, $octets ] ]) : ());
	}

	return pack('n6', $q->{id}, 0x8180 | ($flags // 0) | $rcodes{$rcode},
		1, scalar @answer, scalar @authority, scalar @additional)
		. join '', $q->{raw}, @answer, @authority, @additional;
}


# A reply that is wrong in one way, with addresses that tell that it was taken.

sub _wrong {
	my ($q, $spec, $wrong) = @_;

	my $bad = { %$spec, rr => [ $q->{type} eq 'A' ? '192.0.2.66'
		: '2001:db8::66' ], chain => [], ttl => 1000 };

	my %other = %$q;

	$other{id} ^= 1 if $wrong eq 'id';
	$other{raw} = dns_name('other.test') . substr $q->{raw}, -4
		if $wrong eq 'question';
	substr $other{raw}, -4, 2, "\0\x10" if $wrong eq 'type';

	my $reply = _message(\%other, $bad);

	substr $reply, 2, 1, "\1" if $wrong eq 'qr';
	substr $reply, 11, length $reply, '' if $wrong eq 'short';

	return $reply;
}

###############################################################################

1;

###############################################################################
