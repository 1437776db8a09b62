package House;

# Copyright (C) ngx_dns_module contributors

# For the scripts in t/house, which run outside of Test::Nginx.

###############################################################################

use warnings;
use strict;

use Exporter qw/ import /;
use IO::Socket::INET;
use Net::DNS;

our @EXPORT_OK = qw/ free_port ask wait_for stop_nginx /;

###############################################################################

# a port that is free for UDP and TCP

sub free_port {
	for (1 .. 100) {
		my $port = 20000 + int(rand(10000));

		my $tcp = IO::Socket::INET->new(Proto => 'tcp', Listen => 1,
			LocalAddr => "127.0.0.1:$port") or next;
		my $udp = IO::Socket::INET->new(Proto => 'udp',
			LocalAddr => "127.0.0.1:$port") or next;

		return $port;
	}

	die "no free port\n";
}

# the rcode and the addresses of an answer

sub ask {
	my ($port, $proto, $name) = @_;

	my $resolver = Net::DNS::Resolver->new(
		nameservers => [ '127.0.0.1' ], port => $port,
		usevc => $proto eq 'tcp' ? 1 : 0, recurse => 0,
		retry => 2, retrans => 2, udp_timeout => 5, tcp_timeout => 5
	);

	my $answer = $resolver->send($name, 'A') or return 'no answer';

	return join ' ', $answer->header->rcode,
		sort map { $_->address } grep { $_->type eq 'A' } $answer->answer;
}

# the contents of a file that is about to be written

sub wait_for {
	my ($path) = @_;

	for (1 .. 50) {
		if (-s $path) {
			open my $f, '<', $path or die "$path: $!";
			my $text = <$f>;
			chomp $text;
			return $text;
		}

		select undef, undef, undef, 0.1;
	}

	return undef;
}

sub stop_nginx {
	my ($pid) = @_;

	return 0 if !$pid;

	kill 'QUIT', $pid;

	for (1 .. 100) {
		return 1 if !kill 0, $pid;
		select undef, undef, undef, 0.1;
	}

	kill 'TERM', $pid;
	return 0;
}

###############################################################################

1;

###############################################################################
