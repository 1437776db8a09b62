#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for checks over TLS, verified or not, and of IPv6 addresses.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Health;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

plan(skip_all => 'no IO::Socket::SSL') if !eval { require IO::Socket::SSL };

my $t = Test::Nginx->new()->has(qw/stream udp stream_ssl/)
	->has_daemon('openssl')->plan(21);

my $d = $t->testdir();
chmod 0755, $d;

my $right = health_certificate($t, 'right', 'www.example.com');
my $wrong = health_certificate($t, 'wrong', 'www.example.net');
my $unknown = health_certificate($t, 'unknown', 'www.example.com');

# what is trusted: two of the three

$t->write_file('trusted.pem', $t->read_file('right.crt')
	. $t->read_file('wrong.crt'));

my $ipv6 = ipv6();

my %b = (
	right => health_backend($t, '127.0.0.91:8081',
		$ipv6 ? '[::1]:8081' : (),
		{ name => 'right', cert => $right, mode => 'tls ok' }),
	wrong => health_backend($t, '127.0.0.92:8081',
		{ name => 'wrong', cert => $wrong, mode => 'tls ok' }),
	unknown => health_backend($t, '127.0.0.93:8081',
		{ name => 'unknown', cert => $unknown, mode => 'tls ok' }),
	plain => health_backend($t, map({ "127.0.0.$_:8081" } 94 .. 96),
		$ipv6 ? '[::1]:8082' : (), { name => 'plain' }),
);

$b{plain}->mode('127.0.0.95:8081', 'hang');
$b{plain}->mode('127.0.0.96:8081', 'reset');

my ($port, $port6) = (port(8081), port(8082));

my $all = join '', map { "address 127.0.0.$_; " } 91 .. 96;
my $check = 'up=2 down=2 timeout=500ms';

dns_run($t, stream => "dns_state_path $d/state;\n" . <<"EOF"
    dns_health_interval 200ms;
    dns_health_trusted_certificate $d/trusted.pem;
    dns_pool any { $all health_check https port=$port $check
        host=www.example.com; }
    dns_pool verify { $all health_check https port=$port $check
        host=www.example.com verify=on match=well; }
    dns_pool status { address 127.0.0.91; address 127.0.0.94;
        health_check https port=$port $check host=www.example.com
        status=204; }
    dns_pool six { address ::1; address ::2;
        health_check https port=$port $check host=www.example.com
        verify=on; }
    dns_pool six_http { address ::1; address ::2;
        health_check http port=$port6 $check host=www.example.com; }
    dns_pool six_tcp { address ::1; address ::2;
        health_check tcp port=$port6 $check; }
EOF
	. health_server(), zones => { 'z1.test' => zone_text('z1.test',
	join '', map { "$_ 60 POOL $_\n" }
	qw/ any verify status six six_http six_tcp /) });

my $c = health_wait(sub { $_[0]{unknown} == 0 && answer('any') eq '91 92 93'
	&& answer('verify') eq '91' });

is($c->{unknown}, 0, 'none is unknown');
is($c->{unusable}, 0, 'TLS is there');

is(answer('any'), '91 92 93', 'any certificate');
is(answer('verify'), '91', 'verified');
is(answer('status'), '91 94', 'both are down');

# the request, with the name in it

my ($request) = grep { $_->[1] =~ /^HEAD/ }
	$b{right}->requests('127.0.0.91:8081');

is("@$request[1 .. 3]", 'HEAD / HTTP/1.1 www.example.com www.example.com',
	'request, Host and SNI');

ok((grep { $_->[1] =~ /^GET/ } $b{right}->requests('127.0.0.91:8081')),
	'GET for a text');

is(scalar(grep { $_->[1] =~ /^GET/ } $b{wrong}->requests()), 0,
	'who is not who it should be is asked nothing');

# why

my $log = join "\n", dns_error_log($t, qr/target .* is down/);

for my $line (
	[ '127.0.0.92', 'verify', 'certificate of another name' ],
	[ '127.0.0.93', 'verify', 'self[- ]signed certificate' ],
	[ '127.0.0.94', 'verify', 'TLS handshake failed|timed out' ],
	[ '127.0.0.95', 'verify', 'timed out' ],
	[ '127.0.0.96', 'any', 'TLS handshake failed' ],
	[ '127.0.0.91', 'status', 'status 200' ])
{
	my ($ip, $pool, $why) = @$line;

	like($log, qr/target \Q$ip\E:\d+ of "pool\.\Q$pool\E\." is down: (?:$why)/,
		"why: $pool, $ip");
}

SKIP: {
	skip 'no IPv6', 5 if !$ipv6;

	for my $name (qw/ six six_http six_tcp /) {
		is(answer6($name), '::1', "IPv6: $name");
	}

	like($log, qr/target \[::2\]:\d+ of "pool\.six\." is down: (?:connect|timed)/,
		'IPv6: why');
	ok(scalar(grep { $_->[1] =~ /^HEAD/ }
		$b{plain}->requests('[::1]:8082')), 'IPv6: request');
}

# the certificate changes

$b{right}->mode('127.0.0.91:8081', 'ok');
health_wait(sub { answer('verify') eq '91 92 93 94 95 96' });
is(answer('verify'), '91 92 93 94 95 96', 'no TLS any more');

$b{right}->mode('127.0.0.91:8081', 'tls ok');
health_wait(sub { answer('verify') eq '91' });
is(answer('verify'), '91', 'and there again');

###############################################################################

sub answer {
	my ($name) = @_;

	return health_answer(dns_text(dns_ask("$name.z1.test", 'A')));
}


sub answer6 {
	my ($name) = @_;

	my $text = dns_text(dns_ask("$name.z1.test", 'AAAA'));

	return join ' ', sort $text =~ /AAAA (\S+)$/mg;
}


sub ipv6 {
	return IO::Socket::IP->new(LocalHost => '::1', Listen => 1) ? 1 : 0;
}

###############################################################################
