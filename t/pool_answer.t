#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for answers from pools: the words of "choose", names that share a
# pool, types, TTLs.  Places and health have tests of their own.

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

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(36);

# behind the server that uses them

my $pools = <<'EOF';
    dns_pool whole {
        address 192.0.2.3;
        address 192.0.2.1;
        address 2001:db8::1;
    }

    dns_pool v4 { address 192.0.2.4; }

    dns_pool drained {
        address 192.0.2.1 weight=0;
        address 192.0.2.2 weight=7;
        address 192.0.2.3 weight=0;
        choose weighted single;
    }

    dns_pool weighted {
        address 192.0.2.1 weight=10;
        address 192.0.2.2 weight=20;
        address 192.0.2.3 weight=70;
        address 2001:db8::1 weight=1;
        address 2001:db8::2 weight=1;
        choose single weighted;
    }

    dns_pool rotated {
        address 192.0.2.1 weight=1;
        address 192.0.2.2 weight=3;
        choose weighted multi;
    }

    dns_pool rr {
        address 192.0.2.1;
        address 192.0.2.2;
        address 192.0.2.3;
        choose rr single;
    }

    dns_pool first {
        address 192.0.2.9;
        address 192.0.2.1;
        choose single;
    }

    dns_pool sticky {
        address 192.0.2.1;
        address 192.0.2.2;
        address 192.0.2.3;
        address 192.0.2.4;
        choose sticky single;
    }

    dns_pool groups {
        address 192.0.2.1 priority=1;
        address 192.0.2.2;
        address 192.0.2.3;
    }

    dns_pool priority {
        address 192.0.2.1 priority=2;
        address 192.0.2.2 priority=1;
        address 192.0.2.3 priority=1;
        address 192.0.2.4 priority=65535;
        address 2001:db8::1 priority=7;
        choose multi rr;
    }
EOF

my $zone = zone_text('z1.test', <<'EOF');
$TTL 77
@         POOL v4
whole  30 POOL whole
upper  30 IN pool whole
v4        POOL v4
drained   POOL drained
weighted  POOL weighted
rotated   POOL rotated
rr        POOL rr
rr2    9  POOL rr
first     POOL first
sticky    POOL sticky
priority  POOL priority
groups    POOL groups
*.wild    POOL v4
$GENERATE 1-3 host$ POOL v4
cname     CNAME whole
@         MX 10 whole
          SRV 1 1 1 v4
v4        TXT "beside"
sub       NS ns.sub
ns.sub    POOL v4
EOF

# "stream" comes in front of the server, other blocks behind it

my $conf = dns_conf(zones => { 'z1.test' => $zone });
$conf =~ s/^(    server \{.*?^    \})/$1\n\n$pools/ms or die;

dns_run($t, zones => { 'z1.test' => $zone }, conf => $conf);

###############################################################################

# what is sent whole

is(addresses('whole', 'A'), '192.0.2.1 192.0.2.3', 'whole A');
is(addresses('whole', 'AAAA'), '2001:db8::1', 'whole AAAA');
is(addresses('upper', 'A'), '192.0.2.1 192.0.2.3', 'class and case');
like(text('whole', 'A'), qr/ 30 IN A /, 'TTL of the line');
like(text('v4', 'A'), qr/ 77 IN A /, 'TTL of the zone');
is(addresses('v4', 'A'), '192.0.2.4', 'one address');
like(text('v4', 'AAAA'), qr/^NOERROR .*SOA/s, 'no address of the type');
unlike(text('v4', 'AAAA'), qr/ AAAA \S+:/, 'no address of the type, no answer');

# names

is(addresses('x.wild', 'A'), '192.0.2.4', 'wildcard');
is(addresses('', 'A'), '192.0.2.4', 'apex');
is(addresses('host2', 'A'), '192.0.2.4', 'generated');
like(text('host4', 'A'), qr/^NXDOMAIN/, 'not generated');
like(text('v4', 'TXT'), qr/"beside"/, 'beside another type');
is(addresses('cname', 'A'), '192.0.2.1 192.0.2.3', 'through CNAME');
like(text('', 'MX'), qr/ 192\.0\.2\.3/, 'additional');
like(text('x.sub', 'A'), qr/ 192\.0\.2\.4/, 'glue');

# order and count

is(many('drained', 'A', 50), '192.0.2.2', 'weight 0 is never chosen');
is(many('first', 'A', 20), '192.0.2.9', 'order none is that of the lines');

my %n = counts('weighted', 'A', 1000);

is(join(' ', sort keys %n), '192.0.2.1 192.0.2.2 192.0.2.3', 'weighted');
near($n{'192.0.2.1'}, 1000, 0.1, 'weight 10');
near($n{'192.0.2.2'}, 1000, 0.2, 'weight 20');
near($n{'192.0.2.3'}, 1000, 0.7, 'weight 70');

%n = counts('weighted', 'AAAA', 400);

is(join(' ', sort keys %n), '2001:db8::1 2001:db8::2', 'weighted AAAA');
near($n{'2001:db8::1'}, 400, 0.5, 'weight 1 of AAAA');

%n = counts('rotated', 'A', 400);

near($n{'192.0.2.1'}, 400, 0.25, 'first of many');
is(addresses('rotated', 'A'), '192.0.2.1 192.0.2.2', 'all of many');

%n = counts('rr', 'A', 600);

near($n{"192.0.2.$_"}, 600, 1 / 3, "rr $_") for 1 .. 3;

%n = counts('rr2', 'A', 100);

is(scalar keys %n, 3, 'two names of a pool');
like(text('rr2', 'A'), qr/ 9 IN A /, 'two names of a pool, two TTLs');

my $one = many('sticky', 'A', 50);

like($one, qr/^192\.0\.2\.[1-4]$/, 'sticky');

is(addresses('priority', 'A'), '192.0.2.2 192.0.2.3', 'priority');
is(addresses('priority', 'AAAA'), '2001:db8::1', 'priority of AAAA');
is(addresses('groups', 'A'), '192.0.2.2 192.0.2.3', 'priority only');
is(many('priority', 'A', 50), '192.0.2.2 192.0.2.3', 'priority, first');

undef $t;

###############################################################################

my $client;

sub ask {
	my ($name, $type) = @_;

	$client //= dns_client();

	$client->send(dns_query($name eq '' ? 'z1.test' : "$name.z1.test", $type));

	return $client->recv();
}


sub text {
	return dns_text(ask(@_));
}


# what is in the answer, in the order of the answer

sub list {
	my ($name, $type) = @_;

	my $m = dns_parse(ask($name, $type));

	return map { $_->{rdata} } grep { $_->{type} eq $type }
		@{ $m->{answer} };
}


sub addresses {
	return join ' ', sort { $a cmp $b } list(@_);
}


# how often each address is the first

sub counts {
	my ($name, $type, $n) = @_;

	my %n;

	$n{ (list($name, $type))[0] // 'none' }++ for 1 .. $n;

	return %n;
}


sub many {
	my %n = counts(@_);

	return join ' ', sort keys %n;
}


# within four standard deviations

sub near {
	my ($got, $n, $share, $name) = @_;

	cmp_ok(abs(($got // 0) - $n * $share), '<',
		4 * sqrt($n * $share * (1 - $share)) + 1, $name);
}

###############################################################################
