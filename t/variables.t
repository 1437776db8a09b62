#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for variables and logs of UDP queries: those of nginx change from
# datagram to datagram, those of the question and the reply say what was
# asked and sent; in log_format, map, if=, split_clients and dns_nsid.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream stream_map udp/)
	->has(qw/stream_split_clients stream_geo stream_realip/)->plan(56)
	->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;
worker_processes 1;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    log_format  nginx  "$remote_addr|$remote_port|$server_addr|$server_port|"
                       "$connection|$session_time|$bytes_sent|"
                       "$bytes_received|$status|$protocol|$msec|"
                       "$binary_remote_addr|$time_iso8601|"
                       "$realip_remote_addr|$realip_remote_port";

    log_format  dns    "$dns_qname|$dns_qtype|$dns_qclass|$dns_id|"
                       "$dns_opcode|$dns_query_flags|$dns_edns_size|$dns_do|"
                       "$dns_ecs|$dns_rcode|$dns_flags|$dns_zone|"
                       "$dns_answer_size|$dns_ede|$dns_transport|$status";

    log_format  json   escape=json
                       '{"qname":"$dns_qname","size":$dns_answer_size}';

    log_format  map    "$dns_qname $kind $place $sample $first";

    map $dns_rcode $kind {
        default    other;
        NOERROR    good;
        NXDOMAIN   none;
    }

    map $dns_qname $first {
        ~^(?<label>[^.]+)\.  $label;
        default              "";
    }

    map $dns_rcode $refused {
        REFUSED    1;
        default    0;
    }

    geo $place {
        default      there;
        127.0.0.2    here;
    }

    split_clients $dns_qname $sample {
        50%  a;
        *    b;
    }

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        listen 127.0.0.1:%%PORT_8983_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        dns_nsid "$hostname/$remote_addr:$remote_port/$dns_qname";

        # a datagram has no PROXY protocol header

        set_real_ip_from 127.0.0.0/8;

        access_log %%TESTDIR%%/nginx.log nginx;
        access_log %%TESTDIR%%/dns.log dns;
        access_log %%TESTDIR%%/json.log json;
        access_log %%TESTDIR%%/map.log map;
        access_log %%TESTDIR%%/if.log dns if=$refused;
    }

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_udp_path session;
        dns_zone z1.test z1.test.zone;
        dns_nsid "$hostname/$remote_addr:$remote_port/$dns_qname";
        access_log %%TESTDIR%%/session.log dns;
    }

    # no log, nothing but the NSID needs a session

    server {
        listen 127.0.0.1:%%PORT_8984_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        dns_nsid "$remote_port $connection";
    }

    server {
        listen 127.0.0.1:%%PORT_8985_UDP%% udp;
        dns on;
        dns_zone z1.test z1.test.zone;
        dns_nsid constant;
    }
}

EOC

$t->write_file('z1.test.zone', zone_z1());
$t->run();

###############################################################################

# variables of nginx

my $one = client(8981);
my $two = client(8983, from => '127.0.0.2');

$one->send(dns_query('www.z1.test', 'A'));
$one->recv();

# the time that a session takes starts anew

select undef, undef, undef, 1.1;

$two->send(dns_query('ns1.z1.test', 'A', edns => 1232));
$two->recv();

my @log = map { [ split /\|/ ] } dns_log($t, 'nginx.log', 2);
my @ports = map { $_->socket()->sockport() } $one, $two;
my @names = qw/ remote_addr remote_port server_addr server_port connection
	session_time bytes_sent bytes_received status protocol msec /;

for my $i (0 .. 1) {
	my %v;
	@v{@names} = @{ $log[$i] };

	is($v{remote_addr}, $i ? '127.0.0.2' : '127.0.0.1', "remote_addr $i");
	is($v{remote_port}, $ports[$i], "remote_port $i");
	is($v{server_addr}, '127.0.0.1', "server_addr $i");
	is($v{server_port}, port($i ? 8983 : 8981, udp => 1), "server_port $i");
	cmp_ok($v{session_time}, '<', 1, "session_time $i");
	is($v{bytes_sent}, $i ? 56 : 45, "bytes_sent $i");
	is($v{bytes_received}, $i ? 40 : 29, "bytes_received $i");
	is($v{status}, 200, "status $i");
	is($v{protocol}, 'UDP', "protocol $i");
	is("@{ $log[$i] }[13, 14]", "$v{remote_addr} $v{remote_port}",
		"realip $i");
}

cmp_ok($log[1][4], '!=', $log[0][4], 'connection changes');
cmp_ok($log[1][10] - $log[0][10], '>', 1, 'msec changes');
isnt($log[1][12], $log[0][12], 'time changes');

# many datagrams of one batch

$one->send(map { dns_query('www.z1.test', 'A', id => $_) } 1 .. 40);
is(scalar $one->recv_n(40), 40, 'batch');

@log = map { [ split /\|/ ] } dns_log($t, 'nginx.log', 42);

my %seen = map { $_->[4] => 1 } @log;

is(scalar @log, 42, 'a line for each datagram');
is(scalar keys %seen, 42, 'connection of each datagram');

# variables of the query and the reply

logged([ 'www.z1.test', 'A', id => 7, rd => 1 ],
	'www.z1.test.|A|IN|7|QUERY|rd|-|-|-|NOERROR|qr aa rd|z1.test.|45|-|'
	. 'udp|200', 'answer');

logged([ 'No.Z1.Test', 'MX', id => 8, edns => 4096, do => 1, cd => 1 ],
	'no.z1.test.|MX|IN|8|QUERY|cd|4096|1|-|NXDOMAIN|qr aa cd|z1.test.|'
	. '*|-|udp|200', 'nxdomain');

logged([ 'other.test', 'TYPE4711', id => 9, edns => 512 ],
	'other.test.|TYPE4711|IN|9|QUERY|-|512|0|-|REFUSED|qr|-|*|20|udp|200',
	'refused');

logged([ 'www.z1.test', 'A', id => 10, class => 'CH' ],
	'www.z1.test.|A|CH|10|QUERY|-|-|-|-|REFUSED|qr|-|*|-|udp|200', 'class');

logged([ 'www.z1.test', 'A', id => 11, opcode => 4 ],
	'*|11|NOTIFY|-|-|-|-|NOTIMP|qr|-|*|-|udp|200', 'opcode');

logged([ 'www.z1.test', 'A', id => 12, edns => 1232,
	options => [ [ 8, "\0\1\x18\0\xc0\0\2" ] ] ],
	'www.z1.test.|A|IN|12|QUERY|-|1232|0|192.0.2.0/24|NOERROR|qr aa|'
	. 'z1.test.|*|-|udp|200', 'client subnet');

logged([ 'www.z1.test', 'A', id => 13, edns => 1232,
	options => [ [ 8, "\0\2\x30\0\x20\1\x0d\xb8\0\1" ] ] ],
	'www.z1.test.|A|IN|13|QUERY|-|1232|0|2001:db8:1::/48|NOERROR|qr aa|'
	. 'z1.test.|*|-|udp|200', 'client subnet IPv6');

logged([ 'big.z1.test', 'TXT', id => 14 ],
	'big.z1.test.|TXT|IN|14|QUERY|-|-|-|-|NOERROR|qr aa tc|z1.test.|29|-|'
	. 'udp|200', 'truncated');

logged([ 'www.z1.test', 'A', id => 15, version => 7 ],
	'www.z1.test.|A|IN|15|QUERY|-|1232|0|-|BADVERS|qr|-|*|-|udp|200',
	'version');

# what gets no answer is logged too

logged(dns_query('www.z1.test', 'A', id => 16, qr => 1),
	'*|16|QUERY|qr|-|-|-|-|-|-|-|-|udp|400', 'response');

logged("\0\x11\0\0", '-|-|-|-|-|-|-|-|-|-|-|-|-|-|udp|400', 'short');

# names cannot break a log

my $evil = "\x08a\"b\\c\n\x00\xff\x03x.y\x02z1\x04test\x00";

logged([ 'x', 'A', id => 17, qname => $evil ],
	'*|A|IN|17|QUERY|-|-|-|-|NXDOMAIN|qr aa|z1.test.|*|-|udp|200',
	'evil name');

my ($line) = grep { /\|17\|QUERY/ } dns_log($t, 'dns.log', 1);

like($line, qr/^[\x20-\x7e]+$/, 'evil name printable');

my @json = dns_log($t, 'json.log', 1);

($line) = grep { /255/ } @json;

is($line, '{"qname":"a\\\\\"b\\\\\\\\c\\\\010\\\\000\\\\255.x\\\\.y.z1.test.",'
	. '"size":83}', 'evil name in JSON');

is(scalar(grep { !/^\{"qname":"(?:[^"\\]|\\.)*","size":-?\d*\}$/ } @json), 0,
	'JSON lines');

my $long = join '.', 'a' x 63, 'b' x 63, 'c' x 63,
	'd' x 53;

logged([ "$long.z1.test", 'A', id => 18 ],
	"$long.z1.test.|A|IN|18|QUERY|-|-|-|-|NXDOMAIN|qr aa|z1.test.|*|-|"
	. 'udp|200', 'long name');

# map, geo, split_clients

my $map = ask_line('map.log', $two, 'www.z1.test', 'A');
like($map, qr/^www\.z1\.test\. good here [ab] www$/, 'map, geo');

$map = ask_line('map.log', $one, 'nope.z1.test', 'A');
like($map, qr/^nope\.z1\.test\. none there [ab] nope$/, 'map changes');

my %sample;

for my $i (1 .. 20) {
	$map = ask_line('map.log', $one, "s$i.z1.test", 'A');
	$sample{$1}++ if $map =~ / ([ab]) s$i$/;
}

is(($sample{a} || 0) + ($sample{b} || 0), 20, 'split_clients');
ok($sample{a} && $sample{b}, 'split_clients changes');

my @if = dns_log($t, 'if.log', 2);

is(scalar(grep { /\|REFUSED\|/ } @if), 2, 'if');
is(scalar @if, 2, 'if lines');

# the same through sessions of nginx

my $s = client(8982);

$s->send(dns_query('www.z1.test', 'A', id => 21));
$s->recv();
$s->send(dns_query('www.z1.test', 'A', id => 22, qr => 1));

my @session = dns_log($t, 'session.log', 2);

is($session[0], 'www.z1.test.|A|IN|21|QUERY|-|-|-|-|NOERROR|qr aa|z1.test.|'
	. '45|-|udp|200', 'session answer');
like($session[1], qr/\|22\|QUERY\|qr\|(-\|){8}udp\|400$/, 'session response');

# the identifier of the server

for my $n (8981, 8982) {
	my $c = client($n);
	my $port = $c->socket()->sockport();

	$c->send(dns_query('www.z1.test', 'A', nsid => 1));
	like(nsid($c->recv()), qr!^[\w.-]+/127\.0\.0\.1:$port/www\.z1\.test\.$!,
		"nsid $n");

	$c->send(dns_query('www.z1.test', 'A', edns => 1232));
	is(nsid($c->recv()), undef, "nsid not asked for $n");
}

my %number;

for (1 .. 3) {
	my $c = client(8984);
	my $port = $c->socket()->sockport();

	$c->send(dns_query('www.z1.test', 'A', nsid => 1));

	my $nsid = nsid($c->recv());

	$number{$1} = 1 if $nsid =~ /^$port (\d+)$/;
}

is(scalar keys %number, 3, 'nsid without log');

$s = client(8985);
$s->send(dns_query('www.z1.test', 'A', nsid => 1));
is(nsid($s->recv()), 'constant', 'nsid constant');

undef $t;

###############################################################################

sub client {
	my ($n, %opts) = @_;

	return dns_client(port => port($n, udp => 1), %opts);
}


# Sends a query, and compares the next line of the log; "*" at the start
# stands for anything, elsewhere for a number.

sub logged {
	my ($query, $expected, $name) = @_;

	$query = dns_query(@$query) if ref $query;

	my $before = () = dns_log($t, 'dns.log', 1);

	$one->send($query);

	my @lines = dns_log($t, 'dns.log', $before + 1);
	my $re = join '.*', map { quotemeta } split /\*/, $expected, -1;

	like($lines[$before], qr/^$re$/, $name);

	$one->recv(timeout => 0.2) unless $expected =~ /400$/;
}


sub ask_line {
	my ($file, $c, @query) = @_;

	my $before = () = dns_log($t, $file, 1);

	$c->send(dns_query(@query));
	$c->recv();

	my @lines = dns_log($t, $file, $before + 1);

	return $lines[$before];
}


sub nsid {
	my ($reply) = @_;

	my $opt = dns_parse($reply)->{opt} or return undef;

	for my $option (@{ $opt->{options} }) {
		return $option->[1] if $option->[0] == 3;
	}

	return undef;
}

###############################################################################
