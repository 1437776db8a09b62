package Test::Nginx::DNS;

# Copyright (C) ngx_dns_module contributors

# What DNS tests need besides Test::Nginx: an nginx that answers for some
# zones, clients, and comparison of whole replies.  Uses the documented
# functions of Test::Nginx only.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Fcntl qw/ LOCK_EX /;
use File::Spec qw//;
use Test::More qw//;
use Time::HiRes qw/ time /;

use Test::Nginx;
use Test::Nginx::DNS::Client;
use Test::Nginx::DNS::Message;
use Test::Nginx::Stream qw/ stream /;

our @EXPORT = (
	qw/
		dns_port dns_conf dns_run dns_client dns_send dns_ask dns_is
		dns_wait dns_wait_workers dns_worker
		dns_frame dns_counters dns_moved dns_log dns_error_log
		zone_text zone_soa zone_z1
	/,
	@Test::Nginx::DNS::Message::EXPORT,
);

# The number that stands for the port of all DNS servers in a test, UDP and
# TCP alike.

my $port = 8980;

# The number of the port where a server returns counters, and their names.

my $counters_port = 8979;

my @counters = qw/
	received_udp received_tcp received_tls
	drop_short drop_response drop_oversize drop_port_zero drop_denied
	drop_failed truncated send_full send_failed
	rcode_noerror rcode_formerr rcode_servfail rcode_nxdomain rcode_notimp
	rcode_refused rcode_yxdomain rcode_badvers rcode_other
	tcp_accepted tcp_active tcp_idle_closed tcp_timeout tcp_error
	ecs choice_health choice_network choice_asn choice_country
	choice_continent choice_location choice_priority choice_order
	choice_nothing
/;

my @source_counters = qw/
	ready connected means contact zones records used free largest changes bad
	comparisons delay_last delay_max pause_max full disbelieved reconnects
	commands snapshots snapshot_time snapshot_size
/;

###############################################################################

# The server

sub dns_port {
	return port($port, udp => 1);
}


# A configuration with one DNS server on UDP and TCP.  Options, all optional:
#
#   zones   { name => text }; the files are NAME.zone
#   server  directives in the server; stream, events, main - at other places
#   http    the content of an http block
#   udp     parameters of the UDP "listen"; tcp - of the other
#   ipv6    listen on [::1] too
#   counters
#           1: make dns_counters() possible
#   sources names of shared zones whose counters dns_counters() has as well,
#           as NAME.COUNTER

sub dns_conf {
	my (%opts) = @_;

	my $n = "%%PORT_${port}_UDP%%";
	my $udp = join ' ', 'udp', $opts{udp} // ();
	my $tcp = join ' ', '', $opts{tcp} // ();

	my @listen;

	for my $addr ('127.0.0.1', $opts{ipv6} ? '[::1]' : ()) {
		push @listen, "listen $addr:$n $udp;", "listen $addr:$n$tcp;";
	}

	my @zones = map { "dns_zone $_ $_.zone;" }
		sort keys %{ $opts{zones} // {} };

	my $server = join "\n        ", @listen, 'dns on;', @zones,
		$opts{server} // ();

	my $counters = $opts{counters} || $opts{sources}
		? _counters_server(@{ $opts{sources} // [] }) : '';

	my $http = defined $opts{http}
		? "http {\n    %%TEST_GLOBALS_HTTP%%\n    $opts{http}\n}\n"
		: '';

	return <<EOF;
%%TEST_GLOBALS%%

daemon off;
@{[ $opts{main} // '' ]}

events { @{[ $opts{events} // '' ]} }

stream {
    %%TEST_GLOBALS_STREAM%%
    @{[ $opts{stream} // '' ]}

    server {
        $server
    }
    $counters
}

$http
EOF
}


sub _counters_server {
	my (@sources) = @_;

	my $values = join ' ', map { "$_ \$dns_counter_$_" } @counters;

	# a parameter has at most 4096 octets

	my $set = '';

	for my $source (@sources) {
		my $name = $source =~ tr/.-/_/r;

		$set .= "        set \$counters_$name \"" . join(' ', map {
			"$source.$_ \$dns_source_${name}_$_" } @source_counters)
			. "\";\n";

		$values .= " \$counters_$name";
	}

	return <<EOF;

    server {
        listen 127.0.0.1:$counters_port;
$set        return "$values";
    }
EOF
}


# Writes zones and configuration and starts nginx.  Options are those of
# dns_conf(), or "conf" is the whole configuration.

sub dns_run {
	my ($t, %opts) = @_;

	my $zones = $opts{zones} // {};

	# between choosing the port and listening on it, UDP and TCP, nothing
	# holds it: other tests have to wait

	my $path = File::Spec->tmpdir() . "/nginx-test-dns-$>.lock";

	open my $lock, '>', $path or die "opening $path: $!\n";
	flock $lock, LOCK_EX or die "locking $path: $!\n";

	$t->write_file("$_.zone", $zones->{$_}) for keys %$zones;
	$t->write_file_expand('nginx.conf', $opts{conf} // dns_conf(%opts));

	dns_port();
	port($port, socket => 1)->close();

	$t->run();

	close $lock;
	return $t;
}

###############################################################################

# Clients

# A client of the server; see Test::Nginx::DNS::Client for methods and
# options.  By default UDP from any address to 127.0.0.1.

sub dns_client {
	my (%opts) = @_;

	return Test::Nginx::DNS::Client->new(
		proto => 'udp',
		addr => '127.0.0.1',
		port => dns_port(),
		%opts
	);
}


# Sends a message and gives the octets of the reply, or undef.

sub dns_send {
	my ($message, %opts) = @_;

	my $client = dns_client(%opts);

	$client->send($message);

	return $client->recv();
}


# Asks a question and gives the octets of the reply, or undef.  Options are
# those of dns_query() and dns_client(), and "over" for the protocol.

sub dns_ask {
	my ($name, $type, %opts) = @_;

	my @client = map { $_ => delete $opts{$_} } grep { exists $opts{$_} }
		qw/ addr port from from_port timeout /;

	my $query = dns_query($name, $type, %opts);
	my $reply = dns_send($query, proto => $opts{over} // 'udp', @client);

	if (defined $reply && substr($reply, 0, 2) ne substr($query, 0, 2)) {
		Test::More::diag('the reply has another ID');
		return undef;
	}

	return $reply;
}


sub dns_frame {
	return Test::Nginx::DNS::Client::frame(@_);
}


# Compares a whole reply with text in the form of dns_text(), which may be
# indented and aligned.

sub dns_is {
	my ($reply, $expected, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	return Test::More::is(dns_text($reply), dns_canon($expected), $name);
}

###############################################################################

# Waiting for an answer

# Asks until the answer is as wanted, at most the seconds given (10), and
# gives the last reply.
#
#   ask   list of arguments for dns_ask(), or a function that gives a reply
#   cond  text in the form of dns_text(), a pattern for such text, or a
#         function that is given the reply and its text

sub dns_wait {
	my ($ask, $cond, $seconds) = @_;

	my $until = time() + ($seconds // 10);

	for ( ;; ) {
		my $reply = _ask($ask);

		return $reply if _wanted($reply, $cond) || time() > $until;
		select undef, undef, undef, 0.005;
	}
}


# Asks, each time from a new port, until as many workers as there are have
# given the wanted answer and none has given another one since.  The server
# has "dns_nsid $pid" and "reuseport"; ask is a list of arguments for
# dns_ask().  Gives the seconds that took, or undef if it took more than the
# seconds given (10).

sub dns_wait_workers {
	my ($ask, $cond, $seconds, $workers) = @_;

	my $start = time();
	my $right = {};

	while (time() - $start <= ($seconds // 10)) {
		my $reply = dns_ask(@$ask, nsid => 1, timeout => 0.5);
		my $pid = dns_worker($reply);

		if (!defined $pid) {
			select undef, undef, undef, 0.005;
			next;
		}

		if (!_wanted($reply, $cond)) {
			$right = {};
			next;
		}

		$right->{$pid} = 1;

		return time() - $start if keys %$right >= $workers;
	}

	return undef;
}


# The process that has sent a reply, of "dns_nsid $pid", or undef.

sub dns_worker {
	my ($reply) = @_;

	my $m = defined $reply ? eval { dns_parse($reply) } : undef;

	return undef unless $m && $m->{opt};

	my ($nsid) = grep { $_->[0] == 3 } @{ $m->{opt}{options} };

	return $nsid ? $nsid->[1] : undef;
}


sub _ask {
	my ($ask) = @_;
	return ref $ask eq 'CODE' ? $ask->() : dns_ask(@$ask);
}


# The text is compared without an OPT record, if there is none in what is
# wanted.

sub _wanted {
	my ($reply, $cond) = @_;

	my $text = dns_text($reply);

	return $cond->($reply, $text) if ref $cond eq 'CODE';
	return $text =~ $cond if ref $cond eq 'Regexp';

	my $wanted = dns_canon($cond);

	$text =~ s/^(?:edns|option) .*\n//mg if $wanted !~ /^edns /m;

	return $text eq $wanted;
}

###############################################################################

# Counters, of a configuration with "counters"

sub dns_counters {
	my $text = stream('127.0.0.1:' . port($counters_port))->io('');

	return { split / /, $text };
}


# What has moved since dns_counters() gave an earlier state: "name=difference",
# in the order of names; sources apart.

sub dns_moved {
	my ($before) = @_;

	my $now = dns_counters();
	my @names = grep { !/\./ && $now->{$_} != $before->{$_} } sort keys %$now;

	return join ' ', map { "$_=" . ($now->{$_} - $before->{$_}) } @names;
}

###############################################################################

# Logs

# Waits until a log has at least count lines, and gives all it has.

sub dns_log {
	my ($t, $file, $count, %opts) = @_;

	return _lines($t, $file, qr/^/, $count, %opts);
}


# Waits until the error log has a line that matches, and gives all such lines.

sub dns_error_log {
	my ($t, $re, %opts) = @_;

	return _lines($t, 'error.log', $re, 1, %opts);
}


sub _lines {
	my ($t, $file, $re, $count, %opts) = @_;

	my $until = time() + ($opts{timeout} // 5);
	my @lines;

	for ( ;; ) {
		if (-e $t->testdir() . "/$file") {
			my $text = $t->read_file($file) // '';

			# the last line may be half written

			@lines = grep { /$re/ } $text =~ /^(.*)\n/gm;
		}

		last if @lines >= $count || time() > $until;
		select undef, undef, undef, 0.05;
	}

	return @lines;
}

###############################################################################

# Zones

# The SOA record of zones made here, as a line of dns_text() with the section
# left out.  Negative answers have a TTL of 60, others of 300.

sub zone_soa {
	my ($origin, $ttl) = @_;

	$ttl //= 60;

	return "$origin. $ttl IN SOA ns1.$origin. host.$origin. "
		. "2026010101 7200 3600 1209600 60";
}


# A zone with SOA, one NS and its address, and the records given.

sub zone_text {
	my ($origin, $records) = @_;

	return <<EOF . $records;
\$ORIGIN $origin.
\$TTL 300
@	SOA	ns1 host 2026010101 7200 3600 1209600 60
@	NS	ns1
ns1	A	192.0.2.53
EOF
}


# The zone z1.test that most tests ask about.  The 20 TXT records of "big" are
# 200 octets each.

sub zone_z1 {
	my ($more) = @_;

	my $big = join '', map {
		sprintf "big\tTXT\t\"%02d%s\"\n", $_, 'x' x 198 } 1 .. 20;

	return zone_text('z1.test', <<EOF . $big . ($more // ''));
www	A	192.0.2.1
www	AAAA	2001:db8::1
a.b.ent	A	192.0.2.2
*.wild	TXT	"w"
host.wild	A	192.0.2.3
sub	NS	ns.sub
ns.sub	A	192.0.2.60
alias	CNAME	www
dangling	CNAME	nope
EOF
}

###############################################################################

1;
