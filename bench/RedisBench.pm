package RedisBench;

# (C) ngx_dns_module contributors

# A private redis-server and an nginx that takes its zones from there.

###############################################################################

use warnings;
use strict;

use Exporter qw/ import /;
use File::Path qw/ make_path remove_tree /;
use IO::Socket::INET;
use IO::Socket::UNIX;
use Time::HiRes qw/ sleep time /;

use Bench;
use Servers;

our @EXPORT = qw/ redis_start redis_stop redis_connect redis_command
	redis_pipe resp nginx_redis control_process zones_resp
	zone_files zone_names source_stat /;

my @stats = qw/ ready means zones records used free largest changes bad
	comparisons delay_max pause_max full disbelieved reconnects commands
	snapshots /;

###############################################################################

# o: dir, conf (lines of redis.conf)

sub redis_start {
	my (%o) = @_;

	make_path($o{dir});
	chmod 0755, $o{dir};
	unlink "$o{dir}/redis.sock";

	spew("$o{dir}/redis.conf", <<EOT . ($o{conf} // ''));
port 0
unixsocket $o{dir}/redis.sock
unixsocketperm 777
save ""
appendonly no
dir $o{dir}
EOT

	my $s = {
		socket => "$o{dir}/redis.sock", dir => $o{dir}, o => \%o,
		pid => launch("$o{dir}/redis.out", $o{core}, 'redis-server',
			"$o{dir}/redis.conf"),
	};

	for (1 .. 500) {
		sleep 0.02;
		next unless -S $s->{socket};
		$s->{client} = eval { redis_connect($s) } or next;
		my $pong = eval { redis_command($s->{client}, 'PING') } // '';
		return $s if $pong eq 'PONG';
	}

	die "redis-server does not start\n";
}

sub redis_stop {
	my ($s, $signal) = @_;
	halt($s->{pid}, $signal // 'TERM');
}

sub redis_connect {
	my ($s) = @_;

	return IO::Socket::UNIX->new(Peer => $s->{socket})
		|| die "redis: $!\n";
}

sub resp {
	return '*' . @_ . "\r\n"
		. join '', map { '$' . length($_) . "\r\n$_\r\n" } @_;
}

# sends a command, gives its reply: text, number, array, undef

sub redis_command {
	my ($c, @words) = @_;

	print $c resp(@words);
	$c->flush();

	return reply($c);
}

sub reply {
	my ($c) = @_;
	my $line = <$c> // die "redis closed the connection\n";

	$line =~ s/\r\n$//;

	my ($type, $rest) = (substr($line, 0, 1), substr($line, 1));

	return $rest if $type eq '+' || $type eq ':';
	die "redis: $rest\n" if $type eq '-';
	return undef if $rest == -1;

	if ($type eq '$') {
		read $c, my $data, $rest + 2;
		return substr $data, 0, $rest;
	}

	return [ map { reply($c) } 1 .. $rest ];
}

# sends a file of commands as redis-cli does

sub redis_pipe {
	my ($s, $path) = @_;

	my $out = `redis-cli -s $s->{socket} --pipe < $path 2>&1`;

	die "redis-cli: $out\n" unless $out =~ /errors: 0/;
}

# o: dir, port, workers, redis, args, extra, state, server, rcvbuf

sub nginx_redis {
	my (%o) = @_;
	my $dir = $o{dir};
	my $modules = nginx_modules_text();
	my $state = $o{state} // "$dir/state";
	my $size = $o{size} // '64m';
	my $workers = $o{workers} // 1;
	my $args = $o{args} // '';
	my $sources = $o{sources}
		// "    dns_redis unix:$o{redis}{socket} zone=bench:$size $args;";
	my $rcvbuf = $o{rcvbuf} // '4m';
	my $extra = $o{extra} // '';
	my $server = $o{server} // '';
	my $values = join ' ', map { "$_ \$dns_source_bench_$_" } @stats;

	make_path($dir);
	chmod 0755, $dir;

	spew("$dir/nginx.conf", <<EOT);
$modules
user nobody nogroup;
worker_processes $workers;
pid $dir/nginx.pid;
error_log $dir/error.log notice;
events { worker_connections 512; }
stream {
    dns_state_path $state;
    dns_nsid \$pid;
$extra
$sources
    server {
        listen 127.0.0.1:$o{port} udp reuseport rcvbuf=$rcvbuf;
        listen 127.0.0.1:$o{port} reuseport;
        dns on;
$server
    }
    server {
        listen 127.0.0.1:@{[ $o{port} + 1 ]};
        return "$values";
    }
}
EOT

	my $s = { name => 'nginx', dir => $dir, port => $o{port} };
	my @command = (nginx_binary(), '-p', $dir, '-c', "$dir/nginx.conf", '-g');

	if ($o{daemon}) {
		system(@command, 'daemon on;') == 0 or die "nginx failed\n";
		sleep 0.02 until -s "$dir/nginx.pid";
		$s->{pid} = nginx_master($s);
		adopt($s->{pid});

	} else {
		$s->{pid} = launch("$dir/output", $o{core}, @command,
			'daemon off;');
	}

	return $s;
}

# counters of the source

sub source_stat {
	my ($s) = @_;

	my $c = IO::Socket::INET->new(Proto => 'tcp', PeerAddr => '127.0.0.1',
		PeerPort => $s->{port} + 1) or return {};

	local $/;

	return { split ' ', <$c> // '' };
}

sub nginx_modules_text {
	return Servers::nginx_modules(Servers::dns_module());
}

sub control_process {
	my ($master) = @_;

	return grep {
		(slurp("/proc/$_/cmdline", 1) // '') =~ /^nginx: cache manager/
	} Bench::tree($master);
}

###############################################################################

# n zones, zN.bench.test, of r records each: two NS and r - 2 A

sub zone_names {
	my ($n) = @_;
	return map { "z$_.bench.test" } 0 .. $n - 1;
}

sub address {
	my ($zone, $i) = @_;
	my $v = $zone * 10 + $i;
	return join '.', 10, $v >> 16 & 255, $v >> 8 & 255, $v & 255;
}

sub zones_resp {
	my ($path, $layout, $n, $r) = @_;

	open my $f, '>', $path or die "$path: $!\n";

	for my $z (0 .. $n - 1) {
		my $name = "z$z.bench.test.";
		my $p = $layout eq 'l4' ? 'z42' : 'redins';
		my $ns = '{"ttl":3600,"records":[{"host":"ns1.example.net."},'
			. '{"host":"ns2.example.net."}]}';
		my %a = map { ("w$_" => '{"ttl":300,"records":[{"ip":"'
			. address($z, $_) . '"}]}') } 1 .. $r - 2;

		print $f resp('SADD', "$p:zones", $name);

		if ($layout eq 'l4') {
			print $f resp('SADD', "$p:zones:$name:labels", '@', keys %a);
			print $f resp('SET', "$p:zones:$name:labels:\@:NS", $ns);
			print $f resp('SET', "$p:zones:$name:labels:$_:A", $a{$_})
				for keys %a;

		} else {
			print $f resp('HSET', "$p:zones:$name", '@', "{\"ns\":$ns}",
				map { ($_ => "{\"a\":$a{$_}}") } keys %a);
		}
	}

	close $f or die "$path: $!\n";
}

sub zone_files {
	my ($dir, $n, $r) = @_;

	make_path($dir);

	for my $z (0 .. $n - 1) {
		my $name = "z$z.bench.test";

		spew("$dir/$name.zone", "\$ORIGIN $name.\n\$TTL 300\n"
			. "@ SOA ns1.$name. hostmaster.$name. 1 86400 7200 604800 300\n"
			. "@ 3600 NS ns1.example.net.\n@ 3600 NS ns2.example.net.\n"
			. join '', map { "w$_ A " . address($z, $_) . "\n" }
				1 .. $r - 2);
	}
}

###############################################################################

1;

###############################################################################
