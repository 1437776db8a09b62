package Test::Nginx::Health;

# Copyright (C) ngx_dns_module contributors

# Backends that are checked, and the counters of checks.  Uses the documented
# functions of Test::Nginx only.
#
#	my $b = health_backend($t, '127.0.0.1:8081', '127.0.0.2:8081');
#
#	$b->mode('127.0.0.2:8081', 'status 503');
#	$b->requests('127.0.0.2:8081')
#
# Numbers of ports are in the manner of Test::Nginx.  What a backend does with
# a connection is its mode:
#
#	ok           200, with the body "all is well"
#	status N     another status
#	body TEXT    200 with this body
#	raw TEXT     just that, with \r, \n and \xHH
#	flap         503 each third time that a target is checked, else 200
#	slow N       200 after so many milliseconds
#	hang         accepts, reads, never answers
#	reset        closes at once
#
# or nothing listens: "refuse".  "tls" in front of a mode: the same over TLS,
# with the certificate of "cert", see health_certificate().

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use IO::Select qw//;
use IO::Socket::IP qw//;
use JSON::PP qw//;
use Time::HiRes qw/ time sleep /;

use Test::Nginx;
use Test::Nginx::Stream qw/ stream /;

our @EXPORT = qw/ health_backend health_certificate health_server
	health_counters health_wait health_check health_answer /;

# The number of the port where a server returns the counters, and their names.

my $counters_port = 8982;
my @counters = qw/ probes good bad turns skipped late flight waiting targets
	up down unknown slots full unusable probing /;

###############################################################################

# Counters

# The server of the configuration, to be put into "stream".

sub health_server {
	my $values = join ' ', map { "$_ \$dns_health_$_" } @counters;

	return "\n\n    server {\n        listen 127.0.0.1:$counters_port;\n"
		. "        return \"$values\";\n    }\n";
}


sub health_counters {
	my $text = eval {
		stream('127.0.0.1:' . port($counters_port))->io('');
	};

	return { split / /, $text // '' };
}


# Waits until a function of the counters is true, and gives them.

sub health_wait {
	my ($cond, $seconds) = @_;

	my $until = time() + ($seconds // 10);

	for ( ;; ) {
		my $c = health_counters();

		return $c if (%$c && $cond->($c)) || time() > $until;
		sleep 0.02;
	}
}


# An rrset for Redis: addresses, and how they are checked.

sub health_check {
	my ($check, @ips) = @_;

	return {
		ttl => 5,
		records => [ map { ref $_ ? $_ : { ip => $_ } } @ips ],
		health_check => { enable => JSON::PP::true(),
			protocol => 'http', up_count => 3, down_count => -3,
			timeout => 500, %$check },
	};
}


# The last octets of the IPv4 addresses in a reply, as text, in order.

sub health_answer {
	my ($text) = @_;

	return join ' ', sort { $a <=> $b } $text =~ /\d+\.\d+\.\d+\.(\d+)$/mg;
}

###############################################################################

# Certificates

# A self-signed one for a name; gives the path of certificate (.crt) and key
# (.key) without the suffix.

sub health_certificate {
	my ($t, $file, $name) = @_;

	my $path = $t->testdir() . "/$file";

	open my $f, '>', "$path.cnf" or die "$path.cnf: $!\n";
	print $f "[req]\ndistinguished_name = dn\nprompt = no\n"
		. "x509_extensions = ext\n[dn]\nCN = $name\n"
		. "[ext]\nsubjectAltName = DNS:$name\n"
		. "basicConstraints = critical,CA:true\n";
	close $f or die "$path.cnf: $!\n";

	system("openssl req -x509 -newkey rsa:2048 -nodes -days 2 "
		. "-config '$path.cnf' -keyout '$path.key' -out '$path.crt' "
		. ">'$path.out' 2>&1") == 0 or die "openssl fails\n";

	return $path;
}

###############################################################################

# Backends: one process for all addresses

# Options, in a hash at the end: mode, of all at first; cert; name, if there
# are several.

sub health_backend {
	my ($t, @addresses) = @_;
	my %opts = ref $addresses[-1] ? %{ pop @addresses } : ();

	my $self = bless { %opts }, __PACKAGE__;

	$self->{dir} = $t->testdir() . '/backend' . ($opts{name} // '');
	mkdir $self->{dir} or die "mkdir $self->{dir}: $!\n";

	$self->mode($_, $opts{mode} // 'ok') for @addresses;
	port($_) for map { /:(\d+)$/ } @addresses;

	$t->run_daemon(sub { $self->_loop() });

	for my $try (1 .. 100) {
		last if -e "$self->{dir}/ready";
		sleep 0.05;
	}

	return $self;
}


sub mode {
	my ($self, $address, $mode) = @_;

	my $file = "$self->{dir}/mode-" . $address =~ tr/:[]/-/dr;

	open my $f, '>', "$file.new" or die "$file: $!\n";
	print $f "$address\n$mode\n";
	close $f or die "$file: $!\n";

	rename "$file.new", $file or die "$file: $!\n";
	return $self;
}


# What an address was asked: [ seconds, first line, Host, name of TLS ].

sub requests {
	my ($self, $address) = @_;

	open my $f, '<', "$self->{dir}/log" or return;

	my @requests;

	while (my $line = <$f>) {
		chomp $line;
		my ($time, $at, @what) = split /\t/, $line, -1;
		push @requests, [ $time, @what ]
			if !defined $address || $at eq $address;
	}

	return @requests;
}


# Waits until an address has been asked so many times.

sub wait_requests {
	my ($self, $address, $n, $seconds) = @_;

	my $until = time() + ($seconds // 10);
	my @r;

	while (time() < $until) {
		@r = $self->requests($address);
		last if @r >= $n;
		sleep 0.02;
	}

	return scalar @r;
}


sub _loop {
	my ($self) = @_;

	$SIG{PIPE} = 'IGNORE';
	$SIG{TERM} = sub { exit 0 };

	$self->{sel} = IO::Select->new();
	$self->{server} = {};
	$self->{conn} = {};
	$self->{read} = 0;

	open $self->{log}, '>>', "$self->{dir}/log" or die "log: $!\n";
	$self->{log}->autoflush(1);

	for ( ;; ) {
		$self->_modes();

		if (!$self->{told}) {
			open my $f, '>', "$self->{dir}/ready" or die "ready: $!\n";
			$self->{told} = 1;
		}

		for my $h ($self->{sel}->can_read($self->_pause())) {
			$self->{conn}{$h} ? $self->_read($h) : $self->_accept($h);
		}

		for my $c (values %{ $self->{conn} }) {
			$self->_reply($c) if defined $c->{due}
				&& $c->{due} <= time();
		}
	}
}


sub _pause {
	my ($self) = @_;

	my $pause = 0.02;

	for my $c (values %{ $self->{conn} }) {
		$pause = $c->{due} - time() if defined $c->{due}
			&& $c->{due} - time() < $pause;
	}

	return $pause > 0 ? $pause : 0;
}


sub _modes {
	my ($self) = @_;

	return if time() - $self->{read} < 0.015;
	$self->{read} = time();

	for my $file (glob "$self->{dir}/mode-*") {
		next if $file =~ /\.new$/;

		open my $f, '<', $file or next;
		chomp(my ($address, $mode) = <$f>);
		close $f;

		my $s = $self->{server}{$address} //= { address => $address };

		$s->{mode} = $mode;
		$s->{tls} = $s->{mode} =~ s/^tls // ? 1 : 0;

		if ($mode eq 'refuse') {
			$self->{sel}->remove($s->{socket}) if $s->{socket};
			delete $s->{socket};

		} elsif (!$s->{socket}) {
			$self->_listen($s);
		}
	}
}


sub _listen {
	my ($self, $s) = @_;

	my ($host, $port) = $s->{address} =~ /^\[?(.*?)\]?:(\d+)$/;

	$s->{socket} = IO::Socket::IP->new(LocalHost => $host,
		LocalPort => port($port), Listen => 512, ReuseAddr => 1,
		Proto => 'tcp', $host =~ /:/ ? (V6Only => 1) : ())
		or die "$s->{address}: $!\n";

	$s->{socket}->blocking(0);
	$self->{sel}->add($s->{socket});
	$self->{by}{ $s->{socket} } = $s;
}


sub _accept {
	my ($self, $h) = @_;

	my $s = $self->{by}{$h} or return;

	while (my $client = $s->{socket} && $s->{socket}->accept()) {

		if ($s->{mode} eq 'reset') {
			$self->_log($s, 'connection', '', '');
			close $client;
			next;
		}

		my $c = { server => $s, socket => $client, in => '' };

		if ($s->{tls}) {
			$client = $self->_tls($c) or next;
			$c->{socket} = $client;
		}

		$client->blocking(0);

		$self->{conn}{$client} = $c;
		$self->{sel}->add($client);

		$self->_read($client) if $s->{tls} && $client->pending();
	}
}


# The handshake is waited for: a test has few of them.

sub _tls {
	my ($self, $c) = @_;

	require IO::Socket::SSL;

	$c->{socket}->blocking(1);

	# making one for each connection takes too long

	$self->{ctx} //= IO::Socket::SSL::SSL_Context->new(SSL_server => 1,
		SSL_cert_file => "$self->{cert}.crt",
		SSL_key_file => "$self->{cert}.key", SSL_verify_mode => 0);

	return IO::Socket::SSL->start_SSL($c->{socket}, SSL_server => 1,
		SSL_reuse_ctx => $self->{ctx}, Timeout => 2);
}


sub _read {
	my ($self, $h) = @_;

	my $c = $self->{conn}{$h};
	my $n = sysread $c->{socket}, my $buf, 4096;

	if (!defined $n) {
		return if $!{EAGAIN} || $!{EWOULDBLOCK};
		$n = 0;
	}

	if ($n == 0) {
		$self->_log($c->{server}, 'connection', '', '') if !$c->{asked};
		return $self->_close($c);
	}

	$c->{in} .= $buf;

	return if $c->{asked} || $c->{in} !~ /\r\n\r\n/;

	my ($line) = $c->{in} =~ /^(.*?)\r\n/;
	my ($host) = $c->{in} =~ /^host:\s*(.*?)\r\n/mi;
	my $name = $c->{server}{tls} ? $c->{socket}->get_servername() : '';

	$c->{asked} = 1;
	$c->{what} = $line . ($host // '');
	$self->_log($c->{server}, $line, $host // '', $name // '');

	my $mode = $c->{server}{mode};

	return if $mode eq 'hang';

	if ($mode =~ /^slow (\d+)/) {
		$c->{due} = time() + $1 / 1000;
		return;
	}

	$self->_reply($c);
}


sub _log {
	my ($self, $s, @what) = @_;

	$self->{log}->print(join("\t", sprintf('%.6f', time()), $s->{address},
		@what), "\n");
}


sub _reply {
	my ($self, $c) = @_;

	my $mode = $c->{server}{mode};
	my ($status, $body) = (200, 'all is well');

	$status = $1 if $mode =~ /^status (\d+)/;
	$status = 503 if $mode eq 'flap'
		&& $c->{server}{n}{ $c->{what} }++ % 3 == 2;
	$body = $1 if $mode =~ /^body (.*)/;

	my $reply = "HTTP/1.1 $status X\r\nConnection: close\r\n"
		. 'Content-Length: ' . length($body) . "\r\n\r\n";

	$reply .= $body if $c->{in} !~ /^HEAD /;

	if ($mode =~ /^raw (.*)/) {
		$reply = $1;
		$reply =~ s/\\r/\r/g;
		$reply =~ s/\\n/\n/g;
		$reply =~ s/\\x([0-9a-f]{2})/chr hex $1/ge;
	}

	syswrite $c->{socket}, $reply;
	$self->_close($c);
}


sub _close {
	my ($self, $c) = @_;

	my $h = $c->{socket};

	$self->{sel}->remove($h);
	delete $self->{conn}{$h};
	close $h;
}

###############################################################################

1;

###############################################################################
