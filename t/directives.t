#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for directives that change answers: dns_udp_size, dns_any, dns_chaos,
# dns_explain, dns_min_ttl, dns_max_ttl, dns_default_ttl, and their
# inheritance.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(34)
	->write_file_expand('nginx.conf', <<'EOC');

%%TEST_GLOBALS%%

daemon off;

events {
}

stream {
    %%TEST_GLOBALS_STREAM%%

    dns_zone z1.test z1.test.zone;
    dns_max_ttl 200;
    dns_chaos on version=v1 "hostname=a host";
    dns_nsid main;
    dns_udp_size 1400;
    dns_any refused;
    dns_explain on;

    # all is inherited

    server {
        listen 127.0.0.1:%%PORT_8981_UDP%% udp;
        dns on;
    }

    server {
        listen 127.0.0.1:%%PORT_8982_UDP%% udp;
        dns on;
        dns_max_ttl 1w;
        dns_min_ttl 1h;
        dns_chaos off;
        dns_explain off;
        dns_nsid off;
        dns_udp_size 512;
        dns_any minimal;
    }

    server {
        listen 127.0.0.1:%%PORT_8983_UDP%% udp;
        dns on;
        dns_zone other.test other.zone;
        dns_max_ttl 1d;
        dns_chaos on;
        dns_udp_size 4096;
        dns_default_ttl 77;
    }

    # the same file with another TTL

    server {
        listen 127.0.0.1:%%PORT_8984_UDP%% udp;
        dns on;
        dns_zone other.test other.zone;
        dns_max_ttl 1d;
        dns_default_ttl 88;
    }

    server {
        listen 127.0.0.1:%%PORT_8985_UDP%% udp;
        dns on;
        dns_zone other.test other.zone;
        dns_max_ttl 1d;
    }
}

EOC

$t->write_file('z1.test.zone', zone_z1() . "low 5 A 192.0.2.9\n");
$t->write_file('other.zone', <<'EOF');
ns1 A 192.0.2.53
@ SOA ns1 host 1 7200 3600 1209600 60
@ NS ns1
EOF

$t->run();

###############################################################################

# TTL

is(ttl(8981, 'www.z1.test', 'A'), 200, 'dns_max_ttl');
is(ttl(8981, 'low.z1.test', 'A'), 5, 'below dns_max_ttl');
is(ttl(8982, 'www.z1.test', 'A'), 3600, 'dns_min_ttl');
is(ttl(8982, 'low.z1.test', 'A'), 3600, 'dns_min_ttl low');
is(ttl(8982, 'alias.z1.test', 'A'), '3600 3600', 'dns_min_ttl of a chain');
is(ttl(8982, 'x.sub.z1.test', 'A', 'authority'), 3600,
	'dns_min_ttl of a referral');
is(ttl(8982, 'z1.test', 'SOA'), 300, 'SOA is not touched');
is(ttl(8982, 'nope.z1.test', 'A', 'authority'), 60,
	'negative TTL is not touched');
is(ttl(8981, 'z1.test', 'SOA'), 300, 'SOA is not touched by dns_max_ttl');

is(ttl(8983, 'ns1.other.test', 'A'), 77, 'dns_default_ttl');
is(ttl(8984, 'ns1.other.test', 'A'), 88, 'dns_default_ttl of another server');
is(ttl(8985, 'ns1.other.test', 'A'), 3600, 'dns_default_ttl by default');

# zones are inherited as a whole or not at all

is(rcode(8983, 'www.z1.test', 'A'), 'REFUSED', 'zones replaced');

# sizes

is(size(8981, edns => 4096), 'tc', 'dns_udp_size 1400 large answer');
is(rcode(8982, 'www.z1.test', 'A', edns => 4096), 'NOERROR', 'size 512');

my $reply = ask(8981, 'www.z1.test', 'A', edns => 1232);
is($reply->{opt}{size}, 1400, 'announced size');

$reply = ask(8982, 'www.z1.test', 'A', edns => 1232);
is($reply->{opt}{size}, 512, 'announced size 512');

$reply = ask(8983, 'ns1.other.test', 'A', edns => 1232);
is($reply->{opt}{size}, 4096, 'announced size 4096');

$reply = ask(8985, 'ns1.other.test', 'A', edns => 1232);
is($reply->{opt}{size}, 1400, 'announced size inherited');

# ANY

is(rcode(8981, 'www.z1.test', 'ANY'), 'REFUSED', 'dns_any refused');
is(rcode(8982, 'www.z1.test', 'ANY'), 'NOERROR', 'dns_any minimal');

# class CH

is(text(8981, 'version.bind'), '"v1"', 'version');
is(text(8981, 'version.server'), '"v1"', 'version.server');
is(text(8981, 'hostname.bind'), '"a host"', 'hostname');
is(text(8981, 'id.server'), '"a host"', 'id.server');
is(text(8981, 'authors.bind'), 'REFUSED', 'another name');
is(text(8982, 'version.bind'), 'REFUSED', 'dns_chaos off');
is(text(8983, 'version.bind'), '"nginx"', 'version by default');
like(text(8983, 'hostname.bind'), qr/^"[^"]+"$/, 'hostname by default');

# short enough for a datagram

like(text(8981, 'z1.test.notype.explain'), qr/^"001 error: .* no type"$/,
	'dns_explain');
is(text(8982, 'z1.test.notype.explain'), 'REFUSED', 'dns_explain off');

# NSID

is(nsid(8981), 'main', 'nsid inherited');
is(nsid(8982), undef, 'nsid off');
is(nsid(8983), 'main', 'nsid inherited by another');

###############################################################################

sub ask {
	my ($n, @query) = @_;

	return dns_parse(dns_send(dns_query(@query), port => port($n, udp => 1)));
}


sub ttl {
	my ($n, $name, $type, $section) = @_;

	return join ' ', map { $_->{ttl} }
		@{ ask($n, $name, $type)->{$section // 'answer'} };
}


sub rcode {
	return ask(@_)->{rcode};
}


sub size {
	my ($n, %opts) = @_;

	my $reply = ask($n, 'big.z1.test', 'TXT', %opts);

	return $reply->{tc} ? 'tc' : $reply->{length};
}


sub text {
	my ($n, $name) = @_;

	my $reply = ask($n, $name, 'TXT', class => 'CH');

	return $reply->{rcode} if $reply->{rcode} ne 'NOERROR';
	return join ' ', map { $_->{rdata} } @{ $reply->{answer} };
}


sub nsid {
	my ($n) = @_;

	my $zone = $n == 8983 ? 'other.test' : 'z1.test';
	my $opt = ask($n, "ns1.$zone", 'A', nsid => 1)->{opt};

	for my $option (@{ $opt->{options} }) {
		return $option->[1] if $option->[0] == 3;
	}

	return undef;
}

###############################################################################
