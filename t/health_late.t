#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for checks in a process that is held up: what comes back late is not
# what turns a target down.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use Time::HiRes qw/ sleep /;

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Health;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(9);

my $d = $t->testdir();
chmod 0755, $d;

my @ips = map { "127.0.0.$_" } 101 .. 120;
my $b = health_backend($t, map { "$_:8081" } @ips);
my $port = port(8081);

# some answer at once, some after a while, one never

$b->mode("$ips[$_]:8081", 'slow 100') for 10 .. 18;
$b->mode("$ips[19]:8081", 'hang');

my $addresses = join '', map { "address $_; " } @ips;

dns_run($t, stream => "dns_state_path $d/state;\n" . <<"EOF"
    dns_health_interval 700ms;
    dns_pool all { $addresses health_check http port=$port timeout=600ms
        down=1 up=1; }
    dns_pool tcp { $addresses health_check tcp port=$port timeout=600ms
        down=1 up=1; }
EOF
	. health_server(), zones => { 'z1.test' => zone_text('z1.test',
	"all 60 POOL all\ntcp 60 POOL tcp\n") });

my $c = health_wait(sub { $_[0]{up} == 39 && $_[0]{down} == 1 });
is("$c->{up} $c->{down}", '39 1', 'all but one are up');

my ($pid) = (dns_error_log($t, qr/dns control process/))[-1] =~ /(\d+)#/;
my $turns = $c->{turns};

for my $pause (0.7, 1, 1.5, 0.7) {
	kill 'STOP', $pid;
	sleep $pause;
	kill 'CONT', $pid;
	sleep 0.8;
}

$c = health_counters();

is($c->{turns}, $turns, 'nothing has turned while the process was held up');
cmp_ok($c->{late}, '>', 0, 'timers came late');
cmp_ok($c->{skipped}, '>', 0, 'checks were left out');
is(health_answer(dns_text(dns_ask('all.z1.test', 'A'))), '101 102 103 104 '
	. '105 106 107 108 109 110 111 112 113 114 115 116 117 118 119',
	'all but one are answered');

# a real failure is still seen, at once

$b->mode("$ips[0]:8081", 'hang');
$c = health_wait(sub { $_[0]{down} == 2 });
is($c->{down}, 2, 'who does not answer is down');

# and so is one during a pause, afterwards

$b->mode("$ips[1]:8081", 'status 500');
kill 'STOP', $pid;
sleep 0.5;
kill 'CONT', $pid;
$c = health_wait(sub { $_[0]{down} == 3 });
is($c->{down}, 3, 'who fails meanwhile is down');

$b->mode("$ips[$_]:8081", 'ok') for 0, 1;
$c = health_wait(sub { $_[0]{down} == 1 });
is($c->{down}, 1, 'both are up again');
cmp_ok($c->{flight}, '<=', 40, 'checks under way');

###############################################################################
