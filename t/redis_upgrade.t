#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for a binary upgrade with zones from Redis: the new workers, whose
# shared memory is empty, leave the sockets to the old ones until they have
# the zones, and no query is lost or fails.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Load;
use Test::Nginx::Redis;

use POSIX qw//;
use Time::HiRes qw/ sleep time /;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my @modes = (
	[ 'reuseport', 'reuseport', '' ],
	[ 'shared', '', '' ],
	[ 'mutex', '', 'accept_mutex on; accept_mutex_delay 20ms;' ],
);

Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server');

plan(tests => 14 * @modes);

upgrade(@$_) for @modes;

###############################################################################

sub upgrade {
	my ($name, $listen, $events) = @_;

	my $t = Test::Nginx->new();
	my $redis = redis_start($t);
	my $d = $t->testdir();

	$redis->l1('a.test.', {
		'@' => { ns => { records => [ { host => 'ns1.a.test.' } ] } },
		www => { a => { records => [ { ip => '192.0.2.1' } ] } } });

	# without a snapshot the new process has nothing but Redis

	# a new binary has only those variables that are named

	my $conf = dns_conf(main => "worker_processes 2;\n"
			. 'env ASAN_OPTIONS; env UBSAN_OPTIONS;', events => $events,
		stream => "dns_state_path $d/state; dns_redis "
			. $redis->address() . ' zone=edge:4m snapshot=0 timeout=300ms;',
		udp => $listen, tcp => $listen, server => 'dns_nsid $pid;');

	# nginx ignores USR2 unless the process that started it is gone

	$conf =~ s/daemon off;/daemon on;/;

	dns_run(Daemon->new($t), conf => $conf);

	dns_wait([ 'www.a.test', 'A' ], qr/192\.0\.2\.1$/m);

	my $old = int $t->read_file('nginx.pid');
	my @old;

	for (1 .. 100) {
		last if (@old = workers($old)) == 2;
		sleep 0.05;
	}

	is(@old, 2, "$name: old workers");

	my $load = dns_load($t, [ 'www.a.test', 'A' ],
		qr/^NOERROR.* 192\.0\.2\.1$/ms);

	# Redis is silent: the old workers alone answer

	$redis->freeze();

	kill 'USR2', $old;

	my $new = new_master($t, $old);

	ok($new, "$name: new master");

	# new workers hold back for 10 seconds at most

	sleep 0.5;

	my %who = who();

	cmp_ok(keys %who, '>', 0, "$name: old workers answer");
	delete @who{@old};
	is(join(' ', %who), '', "$name: no new worker does");

	my @ready = dns_error_log($t, qr/dns data is/, timeout => 0);

	is(@ready, 0, "$name: not ready");

	# the new ones have what they need

	$redis->thaw();

	@ready = dns_error_log($t, qr/\[notice\].*dns data is ready/);

	cmp_ok(@ready, '>', 0, "$name: ready");

	kill 'QUIT', $old;

	ok(gone($old), "$name: old master gone");

	$redis->l1('a.test.', { '@' => { ns => { records => [
		{ host => 'ns1.a.test.' } ] } }, www => { a => { records => [
		{ ip => '192.0.2.1' } ] } }, new => { a => { records => [
		{ ip => '192.0.2.2' } ] } } });

	my $reply = dns_wait([ 'new.a.test', 'A' ], qr/192\.0\.2\.2$/m);
	like(dns_text($reply), qr/192\.0\.2\.2$/m, "$name: change");

	my ($n, $lost, $wrong) = dns_load_end($load);

	cmp_ok($n, '>', 100, "$name: queries");
	is($lost, 0, "$name: lost");
	is($wrong, '', "$name: wrong");

	my @alerts = dns_error_log($t, qr/\[(?:alert|emerg|crit)\]/, timeout => 0);
	is("@alerts", '', "$name: alerts");

	Daemon::stop($d);
	gone($new);
}


# The workers that answer: { pid => answers }, over UDP.

sub who {
	my %who;

	for (1 .. 40) {
		my $pid = dns_worker(dns_ask('www.a.test', 'A', nsid => 1));
		$who{$pid // 'none'}++;
	}

	return %who;
}


sub workers {
	my ($master) = @_;

	return map { /^\s*(\d+) nginx: worker/ ? $1 : () }
		split /\n/, `ps -o pid,args --ppid $master`;
}


sub new_master {
	my ($t, $old) = @_;

	my $until = time() + 5;

	while (time() < $until) {
		my $pid = eval { int($t->read_file('nginx.pid') || 0) };

		return $pid if $pid && $pid != $old && workers($pid) == 2;
		sleep 0.05;
	}

	return 0;
}


sub gone {
	my ($pid) = @_;

	for (1 .. 200) {
		waitpid $pid, POSIX::WNOHANG();
		return 1 if !kill 0, $pid;
		sleep 0.05;
	}

	return 0;
}

###############################################################################

# Test::Nginx, save for how nginx is started and ended.

package Daemon;

sub new {
	my ($class, $t) = @_;
	return bless { t => $t }, $class;
}


sub write_file {
	my ($self, @args) = @_;
	return $self->{t}->write_file(@args);
}


sub write_file_expand {
	my ($self, @args) = @_;
	return $self->{t}->write_file_expand(@args);
}


sub run {
	my ($self) = @_;

	my $t = $self->{t};
	my $d = $t->testdir();
	my $nginx = $ENV{TEST_NGINX_BINARY} || '../nginx/objs/nginx';

	system($nginx, '-p', "$d/", '-c', 'nginx.conf', '-e', 'error.log') == 0
		or die "nginx did not start\n";

	$t->waitforfile("$d/nginx.pid") or die "no nginx.pid\n";

	push @Daemon::running, [ $$, $d ];
}


sub stop {
	my ($d) = @_;

	for my $path ("$d/nginx.pid", "$d/nginx.pid.oldbin") {
		open my $fh, '<', $path or next;
		my $pid = <$fh>;

		kill 'QUIT', int $pid if $pid;
	}
}


END {
	local $?;
	stop($_->[1]) for grep { $_->[0] == $$ } @Daemon::running;
}

###############################################################################
