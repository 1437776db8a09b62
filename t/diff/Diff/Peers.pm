package Diff::Peers;

# Copyright (C) ngx_dns_module contributors

# Knot, NSD and BIND with private configurations in a folder of the test, all
# with minimal responses and the same zones.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use File::Path qw/ make_path /;
use Time::HiRes qw/ time sleep /;

use Test::Nginx;

use Diff::Client;
use Diff::Message;
use Diff::Name;

our @EXPORT = qw/ peers_start @peer_names /;

###############################################################################

our @peer_names = qw/ knot nsd bind /;

# Numbers that stand for the ports, the first of several to try.

my %first_port = (knot => 8720, nsd => 8730, bind => 8740);

my %write = (knot => \&_knot, nsd => \&_nsd, bind => \&_bind);

###############################################################################

# Starts the peers.  Zones are { name => { apex, file } }.  Waits until each
# peer answers for each zone.  Gives { peer => port }.

sub peers_start {
	my ($t, $folder, $zones) = @_;

	my (%ports, %tries);
	my @left = @peer_names;

	while (@left) {
		for my $peer (@left) {
			my $number = $first_port{$peer} + $tries{$peer}++;

			$ports{$peer} = port($number, udp => 1);
			port($number, socket => 1)->close();

			_start($t, $peer, "$folder/$peer", $zones, $ports{$peer});
		}

		# another program may have been faster to take the port

		@left = grep { !_wait($_, "$folder/$_", $zones, $ports{$_}) } @left;

		die "no free ports for @left\n" if grep { $tries{$_} > 5 } @left;
	}

	return \%ports;
}


sub _start {
	my ($t, $peer, $dir, $zones, $port) = @_;

	my ($conf, @command) = $write{$peer}->($dir, $zones, $port);

	make_path($dir);

	open my $f, '>', "$dir/$peer.conf" or die "$dir/$peer.conf: $!\n";
	print $f $conf;
	close $f;

	unlink "$dir/log", "$dir/nsd.log";

	$t->run_daemon(sub {
		open STDOUT, '>', "$dir/log";
		open STDERR, '>&', \*STDOUT;
		exec { $command[0] } @command;
		die "$command[0]: $!\n";
	});
}


# Until all zones have a SOA record, or 30 s have passed.  Gives 0 if the port
# is not free.

sub _wait {
	my ($peer, $dir, $zones, $port) = @_;

	my @wanted = sort keys %$zones;
	my $until = time() + 30;

	while (@wanted && time() < $until) {
		my $replies = client_ask('udp', $port,
			[ map { query_make($zones->{$_}{apex}, 6) } @wanted ], 0.3);

		@wanted = map { $wanted[$_] }
			grep { !defined $replies->[$_]
				|| substr($replies->[$_], 6, 2) eq "\0\0" }
			0 .. $#wanted;

		return 1 if !@wanted;
		return 0 if _log($dir, qr/address (?:already )?in use/i);

		sleep 0.1;
	}

	die "$peer does not answer for $wanted[0]:\n",
		_log($dir, qr/error|warn|refus|fail|\Q$wanted[0]\E/i);
}


sub _log {
	my ($dir, $wanted) = @_;

	my @lines;

	for my $log (grep { -f } "$dir/log", "$dir/nsd.log") {
		open my $f, '<', $log or next;
		push @lines, grep { /$wanted/ } <$f>;
	}

	return @lines;
}

###############################################################################

sub _knot {
	my ($dir, $zones, $port) = @_;

	my $list = join '', map {
		"  - domain: \"$_.\"\n    file: \"$zones->{$_}{file}\"\n"
	} sort keys %$zones;

	return (<<EOF, 'knotd', '-c', "$dir/knot.conf");
server:
    rundir: "$dir"
    listen: 127.0.0.1\@$port
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    udp-max-payload: 1232
    identity: ""
    version: ""
log:
  - target: stdout
    any: notice
database:
    storage: "$dir"
template:
  - id: default
    storage: "$dir"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
zone:
$list
EOF
}


sub _nsd {
	my ($dir, $zones, $port) = @_;

	my $list = join '', map {
		"zone:\n    name: \"$_.\"\n    zonefile: \"$zones->{$_}{file}\"\n"
	} sort keys %$zones;

	return (<<EOF, 'nsd', '-d', '-c', "$dir/nsd.conf");
server:
    ip-address: 127.0.0.1\@$port
    server-count: 1
    username: ""
    chroot: ""
    zonesdir: "$dir"
    database: ""
    pidfile: "$dir/nsd.pid"
    xfrdfile: "$dir/xfrd.state"
    xfrdir: "$dir"
    zonelistfile: "$dir/zone.list"
    logfile: "$dir/nsd.log"
    hide-version: yes
    minimal-responses: yes
    round-robin: no
    refuse-any: no
    ipv4-edns-size: 1232
    tcp-count: 20
    rrl-ratelimit: 0
    rrl-whitelist-ratelimit: 0
remote-control:
    control-enable: no
$list
EOF
}


sub _bind {
	my ($dir, $zones, $port) = @_;

	my $list = join '', map {
		"zone \"$_.\" { type primary; file \"$zones->{$_}{file}\"; };\n"
	} sort keys %$zones;

	return (<<EOF, 'named', '-g', '-n', '1', '-c', "$dir/bind.conf");
options {
    directory "$dir";
    pid-file "$dir/named.pid";
    session-keyfile "$dir/session.key";
    lock-file none;
    listen-on port $port { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    minimal-responses yes;
    minimal-any no;
    empty-zones-enable no;
    max-udp-size 1232;
    edns-udp-size 1232;
    notify no;
    zero-no-soa-ttl no;
    allow-query { any; };
    allow-transfer { none; };
    check-names primary ignore;
    check-integrity no;
    check-mx ignore;
    check-mx-cname ignore;
    check-srv-cname ignore;
    check-sibling no;
    check-spf ignore;
    check-wildcard no;
    dnssec-validation no;
    version none;
    hostname none;
    server-id none;
    tcp-clients 20;
};
controls { };
$list
EOF
}

###############################################################################

1;
