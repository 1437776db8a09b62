package Servers;

# (C) ngx_dns_module contributors

# The servers of the benchmarks: for each a private configuration with one
# thread, no query log, no rate limit, on a port of 127.0.0.1.

###############################################################################

use warnings;
use strict;

use Exporter qw/ import /;
use FindBin;
use File::Path qw/ make_path remove_tree /;

use Bench;

our @EXPORT = qw/ servers_available server_start server_stop server_version
	nginx_binary nginx_conf nginx_start nginx_master nginx_workers /;

my %make = (
	echo => \&make_echo,
	'nginx-echo' => \&make_nginx_echo,
	nginx => \&make_nginx,
	'nginx-access' => \&make_nginx,
	'nginx-log' => \&make_nginx,
	gdnsd => \&make_gdnsd,
	knot => \&make_knot,
	nsd => \&make_nsd,
	bind => \&make_bind,
	pdns => \&make_pdns,
);

my %binary = (
	gdnsd => 'gdnsd', knot => 'knotd', nsd => 'nsd', bind => 'named',
	pdns => 'pdns_server',
);

my %stanza = (
	nginx => '',
	'nginx-access' => "        allow 127.0.0.0/8;\n        deny all;\n",
	'nginx-log' => "        access_log %DIR%/access.log dns "
		. "buffer=64k flush=1s;\n",
);

###############################################################################

sub nginx_binary {
	return $ENV{NGINX} || '/usr/sbin/nginx';
}

sub dns_module {
	return $ENV{DNS_MODULE} || "$FindBin::Bin/../build/ngx_dns_module.so";
}

sub echo_module {
	return "$ENV{BENCH_BUILD}/ngx_stream_udp_echo_module.so";
}

# load_module lines: stream only if the binary does not have it built in

sub nginx_modules {
	my (@more) = @_;
	my $binary = nginx_binary();
	my $text = `$binary -V 2>&1`;
	my $lines = '';

	if ($text =~ /--with-stream=dynamic/) {
		my $path = $text =~ /--modules-path=(\S+)/
			? $1 : '/usr/lib/nginx/modules';
		$path = $ENV{NGINX_MODULES} || $path;
		$lines .= "load_module $path/ngx_stream_module.so;\n";
	}

	return $lines . join '', map { "load_module $_;\n" } @more;
}

sub path_of {
	my ($program) = @_;

	for my $dir (split(/:/, $ENV{PATH}), '/usr/sbin', '/sbin') {
		return "$dir/$program" if -x "$dir/$program";
	}

	return undef;
}

sub servers_available {
	my (@names) = @_;

	return grep {
		/^nginx-echo/ ? -e echo_module() && -x nginx_binary()
			: /^nginx/ ? -e dns_module() && -x nginx_binary()
			: /^echo$/ ? 1 : defined path_of($binary{$_})
	} @names;
}

sub server_version {
	my ($name) = @_;

	return 'this tree' if $name eq 'echo';

	if ($name =~ /^nginx/) {
		my $binary = nginx_binary();
		return `$binary -v 2>&1` =~ m{nginx/(\S+)} ? $1 : '?';
	}

	my $path = path_of($binary{$name});
	my %how = (gdnsd => '-V', knot => '-V', nsd => '-v', bind => '-v',
		pdns => '--version');

	return `$path $how{$name} 2>&1` =~ /(\d+\.\d+\.\d+)/ ? $1 : '?';
}

# starts a server for one zone; o: dir, port, zone, file, core

sub server_start {
	my ($name, %o) = @_;
	my $dir = "$o{dir}/$name";

	remove_tree($dir);
	make_path($dir);
	chmod 0755, $dir;

	my @command = $make{$name}->($name, $dir, \%o);

	return {
		name => $name, dir => $dir, port => $o{port},
		pid => launch("$dir/output", $o{core}, @command),
	};
}

sub server_stop {
	my ($s) = @_;
	halt($s->{pid}, $s->{name} =~ /^nginx/ ? 'QUIT' : 'TERM');
}

###############################################################################

sub make_echo {
	my ($name, $dir, $o) = @_;
	return ("$ENV{BENCH_BUILD}/echo", '-p', $o->{port});
}

# nginx's own UDP path: a connection, a pool and a session per datagram

sub make_nginx_echo {
	my ($name, $dir, $o) = @_;

	nginx_conf($dir, %$o, what => 'echo');

	return nginx_command($dir);
}

sub make_nginx {
	my ($name, $dir, $o) = @_;
	my $stanza = $stanza{$name} =~ s/%DIR%/$dir/r;

	nginx_conf($dir, %$o, stanza => $stanza);

	return nginx_command($dir);
}

# Writes DIR/nginx.conf.  o: port, zone, file; optional: what (dns, echo),
# workers, rcvbuf, nofile, connections, stanza (inside the server), http
# (a block), daemon, level

sub nginx_conf {
	my ($dir, %o) = @_;
	my $what = $o{what} || 'dns';
	my $modules = nginx_modules($what eq 'dns' ? dns_module() : echo_module());
	my $workers = $o{workers} || 1;
	my $daemon = $o{daemon} ? 'on' : 'off';
	my $level = $o{level} || 'warn';
	my $nofile = $o{nofile} || 4096;
	my $connections = $o{connections} || 1024;
	my $rcvbuf = $o{rcvbuf} ? " rcvbuf=$o{rcvbuf}" : '';
	my $stanza = $o{stanza} // '';
	my $http = $o{http} // '';

	my $format = $what eq 'dns' ? <<'EOT' : '';
    log_format dns '$remote_addr $dns_qname $dns_qtype $dns_rcode '
                   '$bytes_sent';
EOT
	my $content = $what eq 'dns' ? <<EOT : "        udp_echo;\n";
        dns on;
        dns_zone $o{zone} $o{file};
EOT

	spew("$dir/nginx.conf", <<EOT);
$modules
daemon $daemon;
pid $dir/nginx.pid;
error_log $dir/error.log $level;
worker_processes $workers;
worker_rlimit_nofile $nofile;
worker_shutdown_timeout 10s;
events {
    worker_connections $connections;
}
stream {
$format    server {
        listen 127.0.0.1:$o{port} udp reuseport$rcvbuf;
        listen 127.0.0.1:$o{port} reuseport;
$content$stanza    }
}
$http
EOT
}

sub nginx_command {
	my ($dir) = @_;
	return (nginx_binary(), '-p', $dir, '-c', "$dir/nginx.conf",
		'-e', "$dir/error.log");
}

# starts nginx in DIR, options as for nginx_conf; waits for the pid file

sub nginx_start {
	my ($dir, %o) = @_;

	remove_tree($dir);
	make_path($dir);
	nginx_conf($dir, %o);

	my $s = {
		name => 'nginx', dir => $dir, port => $o{port},
		pid => launch("$dir/output", $o{core}, @{$o{before} || []},
			nginx_command($dir)),
	};

	for (1 .. 1200) {
		if (-s "$dir/nginx.pid") {
			$s->{pid} = nginx_master($s);
			adopt($s->{pid});
			return $s;
		}

		last unless $o{daemon} || alive($s->{pid});
		select undef, undef, undef, 0.05;
	}

	die "nginx does not start: "
		. (slurp("$dir/error.log", 1) || slurp("$dir/output", 1)) . "\n";
}

# pid of the newest master

sub nginx_master {
	my ($s) = @_;
	my ($pid) = slurp("$s->{dir}/nginx.pid") =~ /(\d+)/;
	return $pid;
}

# pids of the workers below a master, new ones only

sub nginx_workers {
	my ($master) = @_;

	return grep {
		(slurp("/proc/$_/cmdline", 1) // '') =~ /^nginx: worker process\0*$/
	} tree($master);
}

sub make_gdnsd {
	my ($name, $dir, $o) = @_;

	make_path("$dir/zones", "$dir/run", "$dir/state");
	symlink $o->{file}, "$dir/zones/$o->{zone}" or die "symlink: $!\n";

	spew("$dir/config", <<EOT);
options => {
    listen => 127.0.0.1:$o->{port}
    udp_threads => 1
    tcp_threads => 1
    run_dir => $dir/run
    state_dir => $dir/state
}
EOT

	return (path_of('gdnsd'), '-c', $dir, 'start');
}

sub make_knot {
	my ($name, $dir, $o) = @_;

	spew("$dir/knot.conf", <<EOT);
server:
    rundir: "$dir"
    listen: 127.0.0.1\@$o->{port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "$dir"
log:
  - target: stderr
    any: error
zone:
  - domain: $o->{zone}
    file: "$o->{file}"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
EOT

	return (path_of('knotd'), '-c', "$dir/knot.conf");
}

sub make_nsd {
	my ($name, $dir, $o) = @_;

	spew("$dir/nsd.conf", <<EOT);
server:
    server-count: 1
    ip-address: 127.0.0.1\@$o->{port}
    username: ""
    chroot: ""
    zonesdir: "$dir"
    database: ""
    logfile: "$dir/log"
    pidfile: "$dir/nsd.pid"
    xfrdfile: "$dir/xfrd.state"
    zonelistfile: "$dir/zone.list"
    xfrdir: "$dir"
    rrl-ratelimit: 0
    rrl-whitelist-ratelimit: 0
    minimal-responses: yes
    verbosity: 0
remote-control:
    control-enable: no
zone:
    name: $o->{zone}
    zonefile: $o->{file}
EOT

	return (path_of('nsd'), '-d', '-c', "$dir/nsd.conf");
}

sub make_bind {
	my ($name, $dir, $o) = @_;

	spew("$dir/named.conf", <<EOT);
options {
    directory "$dir";
    pid-file "$dir/named.pid";
    session-keyfile "$dir/session.key";
    listen-on port $o->{port} { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    minimal-responses yes;
    notify no;
    querylog no;
    max-cache-size 1m;
};
controls { };
zone "$o->{zone}" {
    type primary;
    file "$o->{file}";
    check-integrity no;
};
EOT

	return (path_of('named'), '-n', 1, '-f', '-c', "$dir/named.conf");
}

sub make_pdns {
	my ($name, $dir, $o) = @_;

	spew("$dir/bind.conf", <<EOT);
zone "$o->{zone}" { type master; file "$o->{file}"; };
EOT

	spew("$dir/pdns.conf", <<EOT);
launch=bind
bind-config=$dir/bind.conf
local-address=127.0.0.1
local-port=$o->{port}
socket-dir=$dir
receiver-threads=1
distributor-threads=1
signing-threads=1
daemon=no
guardian=no
webserver=no
loglevel=3
log-dns-queries=no
disable-syslog=yes
security-poll-suffix=
EOT

	return (path_of('pdns_server'), "--config-dir=$dir");
}

###############################################################################

1;

###############################################################################
