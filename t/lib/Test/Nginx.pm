package Test::Nginx;

# Copyright (C) ngx_dns_module contributors

# Starts nginx in a temporary folder with a configuration of the test, and
# checks at the end that nothing alarming was logged.  Test files written for
# this module also run with the library of the same name from nginx-tests.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use File::Basename qw/ dirname /;
use File::Path qw/ rmtree /;
use File::Spec qw//;
use File::Temp qw//;
use IO::Socket qw//;
use IO::Socket::INET qw//;
use POSIX qw/ WNOHANG /;
use Test::More qw//;

our @EXPORT = qw/ http http_get http_head log_in log_out port /;
our @EXPORT_OK = qw/
	http_start http_end http_content http_gzip_request http_gzip_like
/;
our %EXPORT_TAGS = ( gzip => [ qw/ http_gzip_request http_gzip_like / ] );

our $NGINX = $ENV{TEST_NGINX_BINARY} // '../nginx/objs/nginx';
our $TODO;

# Ports in use by number: { port => real number, socket => lock socket }.

our %ports;

# Seconds that a single HTTP exchange may take.

my $http_limit = 8;

###############################################################################

# Features by what "nginx -V" shows.  "on" ones are built when the argument is
# there, "off" ones unless it is there; the third group lists those whose
# argument is --without-<kind>_<name>_module.

my %on = (
	sni => 'TLS SNI support enabled',
	mail => '--with-mail(?:=dynamic|(?!\S))',
	stream => '--with-stream(?:=dynamic|(?!\S))',
	perl => '--with-http_perl_module',
	flv => '--with-http_flv_module',
	sub => '--with-http_sub_module',
	realip => '--with-http_realip_module',
	auth_request => '--with-http_auth_request_module',
	stream_ssl => '--with-stream_ssl_module',
);

my %off = (
	http => '--without-http(?!\S)',
	cache => '--without-http-cache',
	pcre => '--without-pcre',
	imap => '--without-mail_imap_module',
	pop3 => '--without-mail_pop3_module',
	smtp => '--without-mail_smtp_module',
	upstream_sticky => '--without-http_upstream_sticky',
);

my @off_http = qw/
	access auth_basic autoindex browser charset empty_gif fastcgi geo grpc
	gzip limit_conn limit_req map memcached mirror proxy referer rewrite
	scgi split_clients ssi tunnel upstream_hash upstream_ip_hash
	upstream_keepalive upstream_least_conn upstream_least_time
	upstream_random upstream_zone userid uwsgi
/;

my @off_stream = qw/
	access geo limit_conn map pass return set split_clients upstream_hash
	upstream_least_conn upstream_least_time upstream_random upstream_zone
/;

$off{$_} = "--without-http_${_}_module" for @off_http;
$off{"stream_$_"} = "--without-stream_${_}_module" for @off_stream;

# Dynamic modules: feature, file, and what "nginx -V" says if built so.

my @dynamic = (
	[ 'http_geoip', 'ngx_http_geoip_module', 'http_geoip\S+=dynamic' ],
	[ 'image_filter', 'ngx_http_image_filter_module',
		'image_filter\S+=dynamic' ],
	[ 'perl', 'ngx_http_perl_module', 'perl\S+=dynamic' ],
	[ 'xslt', 'ngx_http_xslt_filter_module', 'xslt\S+=dynamic' ],
	[ 'mail', 'ngx_mail_module', 'mail=dynamic' ],
	[ 'stream', 'ngx_stream_module', 'stream=dynamic' ],
	[ 'stream_geoip', 'ngx_stream_geoip_module',
		'stream_geoip\S+=dynamic' ],
);

###############################################################################

sub new {
	my ($class) = @_;

	Test::More::BAIL_OUT("no nginx to test: $NGINX") unless -x $NGINX;

	return bless {
		_pid => $$,
		_alerts => 1,
		_daemons => [],
		_testdir => File::Temp::tempdir('nginx-test-XXXXXXXXXX',
			TMPDIR => 1),
	}, $class;
}


sub DESTROY {
	my ($self) = @_;

	return if $self->{_pid} != $$;

	local ($?, $@);

	$self->stop();
	$self->stop_daemons();

	$self->_check_log() if Test::More->builder->expected_tests;

	if ($ENV{TEST_NGINX_CATLOG} && -e $self->_path('error.log')) {
		print $self->read_file('error.log');
	}

	eval { rmtree($self->{_testdir}) } unless $ENV{TEST_NGINX_LEAVE};
}


sub _check_log {
	my ($self) = @_;

	my @lines = split /\n/, $self->read_file('error.log');

	{
		local $TODO = 'alerts' unless $self->{_alerts};
		Test::More::is(join("\n", grep { /.\[alert\]./ } @lines), '',
			'no alerts');
	}

	Test::More::is(join("\n", grep { /.Sanitizer./ } @lines), '',
		'no sanitizer errors');
}


sub testdir {
	my ($self) = @_;
	return $self->{_testdir};
}


sub _path {
	my ($self, $name) = @_;
	return "$self->{_testdir}/$name";
}

###############################################################################

# What the binary can do

sub _build {
	my ($self) = @_;
	return $self->{_build} //= `$NGINX -V 2>&1`;
}


sub has_module {
	my ($self, $feature) = @_;

	my $build = $self->_build();

	if (defined $off{$feature}) {
		return 1 if $build !~ /$off{$feature}/;

	} else {
		my $re = $on{$feature} // $feature;
		return 1 if $build =~ /$re/;
	}

	my $globals = $ENV{TEST_NGINX_GLOBALS} // '';

	for my $module (@dynamic) {
		my ($name, $file) = @$module;

		next if $name ne $feature;
		return 1 if $globals =~ /load_module\s[^;]*$file[-\w]*\.so\s*;/;
	}

	return 0;
}


sub has_feature {
	my ($self, $feature) = @_;

	return 1 if $feature =~ /^(?:udp|unix|symlink)$/;
	return _has_socket_ssl($1) if $feature =~ /^socket_ssl(?:_(\w+))?$/;

	if ($feature =~ /^(openssl|libressl):([\d.]+)([a-z]*)/i) {
		my ($lib, $need) = ($1, _version($2, $3));

		return 0 if $self->_build() !~ /with $lib ([\d.]+)([a-z]*)/i;
		return _at_least(_version($1, $2), $need);
	}

	if ($feature eq 'cryptx') {
		return 0 unless eval { require Crypt::Misc };
		return eval { Crypt::Misc->VERSION(0.067); 1 } ? 1 : 0;
	}

	return 0;
}


sub _has_socket_ssl {
	my ($part) = @_;

	my %can = (
		sni => sub { IO::Socket::SSL->can_client_sni() },
		alpn => sub { IO::Socket::SSL->can_alpn() },
		sslversion => sub { IO::Socket::SSL->can('get_sslversion') },
		reused => sub { IO::Socket::SSL->can('get_session_reused') },
	);

	return 0 unless eval {
		require IO::Socket::SSL;
		IO::Socket::SSL::SSL_VERIFY_NONE();
		1;
	};

	return 1 unless defined $part;
	return 0 unless $can{$part};
	return eval { $can{$part}->() } ? 1 : 0;
}


sub has_version {
	my ($self, $need) = @_;

	return 0 if $self->_build() !~ m{nginx version: nginx/([\d.]+)};
	return _at_least(_version($1), _version($need));
}


# A version as a list of numbers; a trailing letter counts as one more.

sub _version {
	my ($numbers, $letters) = @_;
	return [ split(/\./, $numbers), map { ord } split //, $letters // '' ];
}


sub _at_least {
	my ($have, $need) = @_;

	for my $i (0 .. $#$need) {
		my $order = ($have->[$i] // 0) <=> $need->[$i];

		return $order > 0 ? 1 : 0 if $order;
	}

	return 1;
}


sub has {
	my ($self, @features) = @_;

	for my $feature (@features) {
		next if $self->has_module($feature);
		next if $self->has_feature($feature);
		Test::More::plan(skip_all => "$feature is not available");
	}

	return $self;
}


sub has_daemon {
	my ($self, $program) = @_;

	return $self if $program =~ m{/} && -x $program;
	return $self if grep { -f "$_/$program" && -x _ } File::Spec->path();

	Test::More::plan(skip_all => "$program is not installed");
}


sub plan {
	my ($self, $tests) = @_;

	# the two checks of the error log at the end count as well

	Test::More::plan(tests => $tests + 2);
	return $self;
}


sub todo_alerts {
	my ($self) = @_;

	$self->{_alerts} = 0;
	return $self;
}

###############################################################################

# Files

sub read_file {
	my ($self, $name) = @_;
	return _slurp($self->_path($name));
}


sub _slurp {
	my ($path) = @_;

	open my $fh, '<', $path or die "reading $path: $!\n";
	local $/;
	return scalar <$fh>;
}


sub write_file {
	my ($self, $name, $content) = @_;
	my $path = $self->_path($name);

	open my $fh, '>:raw', $path or die "writing $path: $!\n";
	print $fh $content or die "writing $path: $!\n";
	close $fh or die "writing $path: $!\n";

	return $self;
}


sub write_file_expand {
	my ($self, $name, $text) = @_;

	my @steps = (
		[ qr/%%TEST_GLOBALS%%/, sub { $self->test_globals() } ],
		[ qr/%%TEST_GLOBALS_HTTP%%/,
			sub { $self->test_globals_http() } ],
		[ qr/%%TEST_GLOBALS_STREAM%%/,
			sub { $self->test_globals_stream() } ],
		[ qr/%%TESTDIR%%/, sub { $self->{_testdir} } ],
		[ qr/127\.0\.0\.1:(8\d{3})/, sub { "127.0.0.1:" . port($1) } ],
		[ qr/%%PORT_(\d+)%%/, sub { port($1) } ],
		[ qr/%%PORT_(\d+)_UDP%%/, sub { port($1, udp => 1) } ],
	);

	for my $step (@steps) {
		my ($re, $value) = @$step;
		$text =~ s/$re/$value->()/ge;
	}

	return $self->write_file($name, $text);
}

###############################################################################

# Starting and stopping

# The -g arguments that stand in for %%TEST_GLOBALS%% if a configuration
# lacks it.

sub _main_globals {
	my ($self) = @_;

	return () if defined $self->{_globals};

	return ('-g', sprintf('pid %s; error_log %s debug;',
		$self->_path('nginx.pid'), $self->_path('error.log')));
}


sub run {
	my ($self, $conf) = @_;

	$self->write_file_expand('nginx.conf', _slurp($conf)) if defined $conf;

	my @args = ('-p', $self->_path(''), '-c', 'nginx.conf',
		'-e', 'error.log', $self->_main_globals());

	my $pid = _fork();

	if ($pid == 0) {
		{ exec { $NGINX } $NGINX, @args };
		print STDERR "exec $NGINX: $!\n";
		POSIX::_exit(1);
	}

	my $found = $self->waitforfile($self->_path('nginx.pid'), $pid);

	if (!$found) {
		kill 'TERM', $pid unless defined $found;
		die "nginx did not start\n";
	}

	$self->{_started} = 1;
	$self->{_child} = $pid;
	return $self;
}


sub try_run {
	my ($self, $why) = @_;

	open my $saved, '>&', \*STDERR or die "saving stderr: $!\n";
	close STDERR;

	my $done = eval { $self->run(); 1 };

	open STDERR, '>&', $saved or die "restoring stderr: $!\n";

	return $self if $done;

	if (-e $self->_path('error.log')) {
		log_core('||', $self->read_file('error.log'));
	}

	Test::More::plan(skip_all => $why);
}


sub reload {
	my ($self) = @_;

	kill 'HUP', $self->_master() if $self->{_started};
	return $self;
}


sub stop {
	my ($self) = @_;

	return $self unless $self->{_started};

	my $pid = $self->_master();

	kill 'QUIT', $pid;

	if (!_reap($pid, 90)) {
		kill 'TERM', $pid;
		waitpid($pid, 0);
	}

	$self->{_started} = 0;
	return $self;
}


# Without its file we know the process that we started, which is the master
# with "daemon off"; nobody would end it, and prove waits for all who have its
# output open.

sub _master {
	my ($self) = @_;

	my $pid = eval { int($self->read_file('nginx.pid') || 0) };

	return $pid || $self->{_child};
}


sub run_daemon {
	my ($self, $code, @args) = @_;

	my $pid = _fork();

	if ($pid == 0) {
		if (ref $code eq 'CODE') {
			$code->(@args);
			exit 0;
		}

		{ exec { $code } $code, @args };
		print STDERR "exec $code: $!\n";
		POSIX::_exit(1);
	}

	push @{ $self->{_daemons} }, $pid;
	return $self;
}


sub stop_daemons {
	my ($self) = @_;

	while (defined(my $pid = shift @{ $self->{_daemons} })) {
		kill 'TERM', $pid;
		next if _reap($pid, 5);

		kill 'TERM', $pid;
		waitpid($pid, 0);
	}

	return $self;
}


sub _fork {
	my $pid = fork();

	die "fork: $!\n" unless defined $pid;
	return $pid;
}


# Waits until a child has ended, or some seconds have passed.

sub _reap {
	my ($pid, $seconds) = @_;

	for (1 .. 10 * $seconds) {
		return 1 if waitpid($pid, WNOHANG) != 0;
		_pause();
	}

	return 0;
}


sub _pause {
	select undef, undef, undef, 0.1;
}


sub waitforfile {
	my ($self, $path, $pid) = @_;
	my $ended = 0;

	for (1 .. 50) {
		return 1 if -e $path;
		return 0 if $ended;

		# one more look at the file after the process has gone

		$ended = 1 if $pid && waitpid($pid, WNOHANG) != 0;
		_pause() unless $ended;
	}

	return undef;
}


sub waitforsocket {
	my ($self, $addr) = @_;

	for (1 .. 50) {
		return 1 if IO::Socket::INET->new(
			Proto => 'tcp', PeerAddr => $addr);
		_pause();
	}

	return undef;
}


sub dump_config {
	my ($self) = @_;

	my @globals = $self->_main_globals();
	$globals[1] = "'$globals[1]'" if @globals;

	return scalar `@{[ join(' ', $NGINX, '-T', '-p', $self->_path(''),
		'-c', 'nginx.conf', '-e', 'error.log', @globals) ]} 2>&1`;
}

###############################################################################

# Configuration that depends on how the tests are run

sub test_globals {
	my ($self) = @_;

	return $self->{_globals} if defined $self->{_globals};

	my $text = sprintf("pid %s;\nerror_log %s debug;\n",
		$self->_path('nginx.pid'), $self->_path('error.log'));

	$text .= $ENV{TEST_NGINX_GLOBALS} // '';
	$text .= $self->test_globals_modules();
	$text .= $self->test_globals_perl5lib()
		if index($text, 'env PERL5LIB') < 0;

	return $self->{_globals} = $text;
}


sub test_globals_modules {
	my ($self) = @_;

	my $dir = File::Spec->rel2abs($ENV{TEST_NGINX_MODULES}
		// dirname($NGINX));

	return join '', map { "load_module $dir/$_->[1].so;\n" }
		grep { $self->has_module($_->[2]) } @dynamic;
}


sub test_globals_perl5lib {
	my ($self) = @_;

	return '' unless $self->has_module('perl');

	my $dir = File::Spec->rel2abs(dirname($NGINX))
		. '/src/http/modules/perl';

	return "env PERL5LIB=$dir:$dir/blib/arch;\n";
}


sub test_globals_http {
	my ($self) = @_;

	my @temp = ('client_body', grep { $self->has_module($_) }
		qw/ fastcgi proxy uwsgi scgi /);

	return $self->{_globals_http} //= join '',
		"root $self->{_testdir};\n",
		"access_log $self->{_testdir}/access.log;\n",
		(map { "${_}_temp_path $self->{_testdir}/${_}_temp;\n" } @temp),
		$ENV{TEST_NGINX_GLOBALS_HTTP} // '';
}


sub test_globals_stream {
	return $ENV{TEST_NGINX_GLOBALS_STREAM} // '';
}

###############################################################################

# Ports

sub port {
	my ($num, %opts) = @_;

	my $entry = $ports{$num} //= _take_port($num, $opts{udp});
	return $opts{socket} ? $entry->{socket} : $entry->{port};
}


sub _take_port {
	my ($num, $udp) = @_;

	my $base = $num - $num % 500;
	my @names = $udp ? qw/ tcp udp / : qw/ udp tcp /;

	for my $try ($num, map { $base + int rand 500 } 1 .. 9) {
		my $lock = _bind($names[0], $try) or next;

		# the port itself must be free too, but nginx will need it

		_bind($names[1], $try) or next;

		return { port => $try, socket => $lock };
	}

	die "no free port found for $num\n";
}


sub _bind {
	my ($proto, $port) = @_;

	return IO::Socket::INET->new(
		LocalAddr => "127.0.0.1:$port",
		Proto => $proto,
		$proto eq 'tcp' ? (Listen => 1, Reuse => 1) : (),
	);
}

###############################################################################

# Logging of what a test sends and receives

sub log_out {
	log_core('>>', @_);
}


sub log_in {
	log_core('<<', @_);
}


sub log_core {
	my ($prefix, $text) = @_ > 1 ? @_ : ('', @_);
	my $max = 2048;

	return unless $ENV{TEST_NGINX_VERBOSE} && defined $text;

	my $size = length $text;

	if ($size > $max) {
		$text = substr($text, 0, $max)
			. " [$max octets of $size shown]";
	}

	$prefix .= ' ' if length $prefix;

	for my $line (split /(?<=\n)/, $text) {
		$line =~ s/([^ -~])/sprintf '\x%02x', ord $1/ge;
		print "# $prefix$line\n";
	}
}

###############################################################################

# HTTP client

sub http_get {
	my ($uri, %opts) = @_;
	return http("GET $uri HTTP/1.0\nHost: localhost\n\n", %opts);
}


sub http_head {
	my ($uri, %opts) = @_;
	return http("HEAD $uri HTTP/1.0\nHost: localhost\n\n", %opts);
}


sub http {
	my ($request, %opts) = @_;

	my $s = http_start($request, %opts);

	return $s if !defined $s || $opts{start} || $opts{aborted};
	return http_end($s, %opts);
}


# Runs code with a time limit; undef if it dies or takes too long.

sub _limited {
	my ($code) = @_;

	my $result = eval {
		local $SIG{ALRM} = sub { die "no end within ${http_limit}s\n" };
		local $SIG{PIPE} = sub { die "peer closed the connection\n" };

		alarm($http_limit);
		$code->();
	};

	my $error = $@;
	alarm(0);

	log_in("failed: $error") if $error;
	return $result;
}


sub http_start {
	my ($request, %opts) = @_;

	return _limited(sub {
		my $s = $opts{socket} || _http_connect(%opts);

		log_out($request);
		$s->print($request);

		select undef, undef, undef, $opts{sleep} if $opts{sleep};
		return '' if $opts{aborted};

		if ($opts{body}) {
			log_out($opts{body});
			$s->print($opts{body});
		}

		return $s;
	});
}


sub _http_connect {
	my (%opts) = @_;

	my $s = IO::Socket::INET->new(
		Proto => 'tcp',
		PeerAddr => '127.0.0.1:' . port($opts{SSL} ? 8443 : 8080),
		%opts
	)
		or die "connect: $!\n";

	return $s unless $opts{SSL};

	require IO::Socket::SSL;

	IO::Socket::SSL->start_SSL($s,
		SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_NONE(), %opts)
		or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";

	if (!defined $opts{SSL_startHandshake}) {
		log_in('cipher ' . $s->get_cipher());
		log_in('issuer ' . $s->peer_certificate('issuer'));
	}

	return $s;
}


sub http_end {
	my ($s) = @_;

	my $reply = _limited(sub {
		local $/;
		my $text = $s->getline();
		$s->close();
		return $text;
	});

	log_in($reply);
	return $reply;
}


# The body of a reply, with chunks joined.

sub http_content {
	my ($reply) = @_;

	return undef unless defined $reply;

	my ($head, $body) = split /\r\n?\r\n?/, $reply, 2;

	return undef unless defined $body;
	return $body unless $head =~ /^Transfer-Encoding: chunked/mi;

	my $content = '';
	my $length;

	while ($body =~ /\G(?:\r?\n)?([0-9a-f]+)\r\n/gci) {
		$length = hex $1;
		$content .= substr($body, pos $body, $length);
		pos($body) = pos($body) + $length;
		last if pos($body) >= length $body;
	}

	# a truncated reply must not look complete

	$content .= '[no-last-chunk]' if $length // 1;
	return $content;
}


sub http_gzip_request {
	my ($uri) = @_;

	return http("GET $uri HTTP/1.1\n" . "Host: localhost\n"
		. "Connection: close\n" . "Accept-Encoding: gzip\n\n");
}


sub http_gzip_like {
	my ($reply, $re, $name) = @_;

	SKIP: {
		Test::More::skip('no IO::Uncompress::Gunzip', 1)
			unless eval { require IO::Uncompress::Gunzip; 1 };

		my $packed = http_content($reply);
		my $plain;

		IO::Uncompress::Gunzip::gunzip(\$packed => \$plain);
		Test::More->builder->like($plain, $re, $name);
	}
}

###############################################################################

1;
