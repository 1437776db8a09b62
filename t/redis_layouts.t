#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for the data of zones in Redis: every key and JSON form, in a hash under
# both words for it (L1, L2) and as a key for each record set (L4).

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::Redis;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

# Types and their JSON: name, type, JSON, expected records.  A name of its own
# for each; TTLs are 300 unless something else is written.

my @forms = (
	[ a => A => '{"ttl":300,"records":[{"ip":"192.0.2.1"}]}',
		'A 192.0.2.1' ],
	[ 'a-more' => A => '{"ttl":300,"records":[{"ip":"192.0.2.3"},'
		. '{"ip":"192.0.2.2"},{"ip":"192.0.2.3"}]}',
		'A 192.0.2.2', 'A 192.0.2.3' ],

	# the forms of a record with place and network (E3)

	[ e31 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10",'
		. '"country":"DE","asn":64500}]}', 'A 192.0.2.10' ],
	[ e32 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10",'
		. '"country":["DE"],"asn":[64500]}]}', 'A 192.0.2.10' ],
	[ e33 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10",'
		. '"Country":["DE"],"ASN":64500}]}', 'A 192.0.2.10' ],
	[ e34 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10",'
		. '"country":"","asn":0}]}', 'A 192.0.2.10' ],
	[ e35 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10"}]}',
		'A 192.0.2.10' ],
	[ e36 => A => '{"ttl":300,"records":[{"ip":"192.0.2.10",'
		. '"country":["","us"],"asn":["AS64500",0]},'
		. '{"ip":"192.0.2.11","country":[],"asn":[]}]}',
		'A 192.0.2.10', 'A 192.0.2.11' ],
	[ full => A => '{"ttl":300,"filter":{"count":"multi","order":"none",'
		. '"geo_filter":"none"},"health_check":{"enable":false,'
		. '"protocol":"https","uri":"/up","port":443,"timeout":800,'
		. '"up_count":3,"down_count":-3},'
		. '"records":[{"ip":"192.0.2.1","weight":3}]}',
		'A 192.0.2.1' ],

	[ aaaa => AAAA => '{"ttl":300,"records":[{"ip":"2001:DB8:0::1"},'
		. '{"ip":"::ffff:192.0.2.1"}]}',
		'AAAA 2001:db8::1', 'AAAA ::ffff:192.0.2.1' ],
	[ cname => CNAME => '{"host":"x.example.net.","ttl":300}',
		'CNAME x.example.net.' ],
	[ txt => TXT => '{"ttl":300,"records":[{"text":"b"},{"text":"a c"}]}',
		'TXT "a c"', 'TXT "b"' ],
	[ mx => MX => '{"ttl":300,"records":[{"host":"b.test.",'
		. '"preference":20},{"host":"a.test.","preference":10}]}',
		'MX 10 a.test.', 'MX 20 b.test.' ],
	[ 'mx-null' => MX => '{"ttl":300,"records":[{"host":".",'
		. '"preference":0}]}', 'MX 0 .' ],
	[ 'mx-none' => MX => '{"ttl":300,"records":[{"host":"b.test."}]}',
		'MX 0 b.test.' ],
	[ srv => SRV => '{"ttl":300,"records":[{"target":"s.test.",'
		. '"priority":1,"weight":2,"port":65535}]}',
		'SRV 1 2 65535 s.test.' ],
	[ caa => CAA => '{"ttl":300,"records":[{"tag":"issue",'
		. '"value":"ca.test; a=b","flag":128}]}',
		'CAA 128 issue "ca.test; a=b"' ],
	[ 'caa-none' => CAA => '{"ttl":300,"records":[{"tag":"issuewild",'
		. '"value":";"}]}', 'CAA 0 issuewild ";"' ],
	[ ptr => PTR => '{"domain":"p.test.","ttl":300}', 'PTR p.test.' ],
	[ tlsa => TLSA => '{"ttl":300,"records":[{"usage":3,"selector":1,'
		. '"matching_type":1,"certificate":"' . 'aB' x 32 . '"}]}',
		'TLSA 3 1 1 ' . 'ab' x 32 ],

	# types that the layouts lack

	[ https => HTTPS => '{"ttl":300,"records":[{"rdata":"1 . alpn=h2"}]}',
		'HTTPS 1 . 1=026832' ],
	[ svcb => SVCB => '{"ttl":300,"records":[{"rdata":'
		. '"1 s.test. port=53"}]}', 'SVCB 1 s.test. 3=0035' ],
	[ sshfp => SSHFP => '{"ttl":300,"records":[{"rdata":"4 2 '
		. '01' x 32 . '"}]}', 'SSHFP 4 2 ' . '01' x 32 ],
	[ naptr => NAPTR => '{"ttl":300,"records":[{"rdata":'
		. '"100 10 \"U\" \"E2U+sip\" \"!^.*$!sip:a@b!\" ."}]}',
		'NAPTR 100 10 "U" "E2U+sip" "!^.*$!sip:a@b!" .' ],
	[ dname => DNAME => '{"ttl":300,"records":[{"rdata":"d.test."}]}',
		'DNAME d.test.' ],
	[ uri => URI => '{"ttl":300,"records":[{"rdata":'
		. '"1 2 \"http://a.test/\""}]}', 'URI 1 2 "http://a.test/"' ],
	[ hinfo => HINFO => '{"ttl":300,"records":[{"rdata":"\"a\" \"b\""}]}',
		'HINFO "a" "b"' ],
	[ unknown => TYPE65280 => '{"ttl":300,"records":[{"rdata":'
		. '"\\\\# 3 aabbcc"}]}', 'TYPE65280 \# 3 aabbcc' ],

	# any record as it would be in a file

	[ 'a-rdata' => A => '{"ttl":300,"records":[{"rdata":"192.0.2.7"},'
		. '{"ip":"192.0.2.8"}]}', 'A 192.0.2.7', 'A 192.0.2.8' ],
	[ 'txt-rdata' => TXT => '{"ttl":300,"records":[{"rdata":'
		. '"\"a\" \"b\\\\255\""}]}', 'TXT "a" "b\255"' ],
	[ 'ptr-rdata' => PTR => '{"ttl":300,"records":[{"rdata":"a.test."},'
		. '{"rdata":"b.test."}]}', 'PTR a.test.', 'PTR b.test.' ],
	[ 'mx-rdata' => MX => '{"ttl":300,"records":[{"rdata":'
		. '"\\\\# 6 000a 0161 00 00"}]}', undef ],

	# no records

	[ 'none-a' => A => '{"ttl":300,"records":[]}' ],
	[ 'none-b' => A => '{}' ],
	[ 'none-c' => TXT => '{"ttl":300,"records":null}' ],
	[ 'none-d' => CNAME => '{}' ],
	[ 'none-e' => CNAME => '{"ttl":300,"host":""}', undef ],

	# members that nobody knows

	[ more => A => '{"ttl":300,"note":{"a":[1,null]},"records":['
		. '{"ip":"192.0.2.1","name":"x","up":true}]}', 'A 192.0.2.1' ],
	[ case => A => '{"TTL":300,"RECORDS":[{"Ip":"192.0.2.1"}]}',
		'A 192.0.2.1' ],
	[ last => A => '{"ttl":1,"records":[{"ip":"192.0.2.1"}],"ttl":300,'
		. '"records":[{"ip":"192.0.2.2"}]}', 'A 192.0.2.2' ],
	[ escapes => TXT => '{"ttl":300,"records":[{"text":'
		. '"\u00e4\ud83d\ude00\t"}]}',
		'TXT "\195\164\240\159\152\128\009"' ],
	[ blanks => A => " {\n \"ttl\" : 300 ,\t\"records\" : [ { \"ip\" : "
		. "\"192.0.2.1\" } ] } \n", 'A 192.0.2.1' ],
);

# Names of labels in Redis, and as they are asked for.

my @labels = (
	[ '*.w' => 'x.y.w' ], [ 'a.b.c' => 'a.b.c' ], [ '_s._tcp' => '_s._tcp' ],
	[ 'x\.y' => 'x\.y' ], [ 'n\032o' => 'n\032o' ],
	[ "\xc3\xa4" => '\195\164' ], [ 'sub.*.v' => 'sub.*.v' ],
	[ 'q:r' => 'q:r' ], [ 'UPPER' => 'upper' ],
);

# Layouts: zone, how it is written, options.

my @layouts = (
	[ 'l1.test', 'l1', prefix => '', suffix => '', key => 'redins' ],
	[ 'l2.test', 'l1', prefix => '', suffix => '_dns2', key => 'z42' ],
	[ 'l4.test', 'l4', prefix => '', suffix => '_dns2', key => 'z42' ],
	[ 'p1.test', 'l1', prefix => 'a*[b]?\\', suffix => '_{x}',
		key => 'redins' ],
	[ 'p4.test', 'l4', prefix => 'a*[b]?\\', suffix => '_{x}',
		key => 'redins' ],
);

my @sources = (
	[ one => '' ], [ two => 'key=z42 suffix=_dns2' ],
	[ three => q{"prefix=a*[b]?\\\\" "suffix=_{x}"} ],
	[ e1 => 'prefix=redins_ suffix=_redins' ],
);

my $t = Test::Nginx->new()->has(qw/stream udp/)->has_daemon('redis-server')
	->plan(@layouts * (@forms + @labels + 10) + 26);

my $r = redis_start($t);

for my $layout (@layouts) {
	my ($zone, $method, %o) = @$layout;

	my %data = map { $_->[0] => { $_->[1] => $_->[2] } } @forms;

	$data{$_->[0]} = { A => '{"ttl":300,"records":[{"ip":"192.0.2.1"}]}' }
		for @labels;

	$data{'@'} = {
		NS => '{"ttl":300,"records":[{"host":"ns1.x.test."},'
			. "{\"host\":\"ns2.$zone.\"}]}",
		A => '{"ttl":300,"records":[{"ip":"192.0.2.1"}]}',
	};
	$data{ns2} = { A => '{"ttl":300,"records":[{"ip":"192.0.2.2"}]}' };
	$data{sub} = {
		NS => "{\"ttl\":300,\"records\":[{\"host\":\"ns.sub.$zone.\"}]}",
		DS => '{"ttl":300,"records":[{"key_tag":4711,"algorithm":13,'
			. '"digest_type":2,"digest":"' . '0A' x 32 . '"}]}',
	};
	$data{'ns.sub'} = { A => '{"ttl":300,"records":[{"ip":"192.0.2.6"}]}' };
	$data{both} = {
		A => '{"ttl":300,"records":[{"ip":"192.0.2.1"}]}',
		AAAA => '{"ttl":60,"records":[{"ip":"2001:db8::1"}]}',
	};

	if ($method eq 'l1') {
		for my $label (keys %data) {
			my $types = $data{$label};

			$data{$label} = '{' . join(',', map {
				"\"\L$_\E\":$types->{$_}" } sort keys %$types) . '}';
		}
	}

	$r->$method("$zone.", \%data, config => redis_soa($zone), %o);
}

examples($r);

# targets of the examples are nobody's business

dns_run($t, stream => join("\n    ", 'dns_health off;', map {
	$r->directives("zone=$_->[0]:4m $_->[1]", state => $_->[0] eq 'one')
	} @sources));

###############################################################################

for my $layout (@layouts) {
	my ($zone) = @$layout;

	dns_wait([ $zone, 'SOA' ], qr/^NOERROR/);

	for my $form (@forms) {
		my ($label, $type, $json, @records) = @$form;
		my $name = "$label.$zone";

		# an empty host is no record, and no other is left

		if (@records && !defined $records[0]) {
			like(dns_text(dns_ask($name, $type)), qr/^SERVFAIL/,
				"$name $type");
			next;
		}

		my $rest = @records
			? join "\n", map { "answer $name. 300 IN $_" } @records
			: 'authority ' . zone_soa($zone);

		dns_is(dns_ask($name, $type), <<EOF, "$name $type");
			NOERROR qr aa
			question	$name. IN $type
			$rest
EOF
	}

	for my $label (@labels) {
		my ($stored, $asked) = @$label;

		dns_is(dns_ask("$asked.$zone", 'A'), <<EOF, "$zone $stored");
			NOERROR qr aa
			question	$asked.$zone. IN A
			answer		$asked.$zone. 300 IN A 192.0.2.1
EOF
	}

	dns_is(dns_ask($zone, 'NS'), <<EOF, "$zone NS");
		NOERROR qr aa
		question	$zone. IN NS
		answer		$zone. 300 IN NS ns1.x.test.
		answer		$zone. 300 IN NS ns2.$zone.
		additional	ns2.$zone. 300 IN A 192.0.2.2
EOF

	dns_is(dns_ask($zone, 'A'), <<EOF, "$zone A");
		NOERROR qr aa
		question	$zone. IN A
		answer		$zone. 300 IN A 192.0.2.1
EOF

	dns_is(dns_ask($zone, 'SOA'), <<EOF, "$zone SOA");
		NOERROR qr aa
		question	$zone. IN SOA
		answer		${\ zone_soa($zone, 300) }
EOF

	dns_is(dns_ask("x.sub.$zone", 'A'), <<EOF, "$zone referral");
		NOERROR qr
		question	x.sub.$zone. IN A
		authority	sub.$zone. 300 IN NS ns.sub.$zone.
		additional	ns.sub.$zone. 300 IN A 192.0.2.6
EOF

	dns_is(dns_ask("x.sub.$zone", 'A', do => 1), <<EOF, "$zone referral, DO");
		NOERROR qr
		question	x.sub.$zone. IN A
		authority	sub.$zone. 300 IN DS 4711 13 2 ${\ ('0a' x 32) }
		authority	sub.$zone. 300 IN NS ns.sub.$zone.
		additional	ns.sub.$zone. 300 IN A 192.0.2.6
		edns		0 size 1232 do
EOF

	dns_is(dns_ask("sub.$zone", 'DS'), <<EOF, "$zone DS");
		NOERROR qr aa
		question	sub.$zone. IN DS
		answer		sub.$zone. 300 IN DS 4711 13 2 ${\ ('0a' x 32) }
EOF

	dns_is(dns_ask("both.$zone", 'AAAA'), <<EOF, "$zone TTLs by type");
		NOERROR qr aa
		question	both.$zone. IN AAAA
		answer		both.$zone. 60 IN AAAA 2001:db8::1
EOF

	dns_is(dns_ask("both.$zone", 'TYPE65281'), <<EOF, "$zone no such type");
		NOERROR qr aa
		question	both.$zone. IN TYPE65281
		authority	${\ zone_soa($zone) }
EOF

	dns_is(dns_ask("nope.$zone", 'A'), <<EOF, "$zone no such name");
		NXDOMAIN qr aa
		question	nope.$zone. IN A
		authority	${\ zone_soa($zone) }
EOF

	dns_is(dns_ask("x.dname.$zone", 'A'), <<EOF, "$zone below a DNAME");
		NOERROR qr aa
		question	x.dname.$zone. IN A
		answer		dname.$zone. 300 IN DNAME d.test.
		answer		x.dname.$zone. 300 IN CNAME x.d.test.
EOF
}

# the examples (E1, E2)

dns_wait([ 'shop.test', 'SOA' ], qr/^NOERROR/);
dns_wait([ 'shop2.test', 'SOA' ], qr/^NOERROR/);

my $soa = 'ns1.shop.test. dns.shop.test. 2026113001 3600 600 864000 60';

is_answer('shop.test', 'SOA', "shop.test. 600 IN SOA $soa");
is_answer('shop.test', 'NS', 'shop.test. 3600 IN NS ns1.shop.test.',
	'shop.test. 3600 IN NS ns2.shop.test.',
	'+ns1.shop.test. 3600 IN A 192.0.2.1');
is_answer('shop.test', 'CAA', 'shop.test. 3600 IN CAA 0 issue "ca.test"');

# nobody knows where clients are: they get what is for everybody else

is_answer('edge.shop.test', 'A', 'edge.shop.test. 30 IN A 198.51.100.9');

# the ANAME of the apex

is_answer('shop.test', 'A', 'shop.test. 30 IN A 198.51.100.9');
is_negative('shop.test', 'AAAA', 'NOERROR', "shop.test. 60 IN SOA $soa");

is_answer('ns1.shop.test', 'A', 'ns1.shop.test. 3600 IN A 192.0.2.1');
is_answer('x.dyn.shop.test', 'TXT', 'x.dyn.shop.test. 60 IN TXT "wild"');
is_negative('dyn.shop.test', 'A', 'NOERROR', "shop.test. 60 IN SOA $soa");
is_negative('www.shop.test', 'A', 'NXDOMAIN', "shop.test. 60 IN SOA $soa");

my ($serial) = dns_text(dns_ask('shop2.test', 'SOA'))
	=~ /dns\.shop2\.test\. (\d+) 86400/;

$soa = "ns1.shop2.test. dns.shop2.test. $serial 86400 7200 604800 300";

is_answer('shop2.test', 'SOA', "shop2.test. 300 IN SOA $soa");
is_answer('shop2.test', 'NS', 'shop2.test. 3600 IN NS ns1.other.test.');
is_answer('edge.shop2.test', 'A', 'edge.shop2.test. 30 IN A 198.51.100.9');
is_answer('edge.shop2.test', 'AAAA',
	'edge.shop2.test. 30 IN AAAA 2001:db8::10');
is_answer('shop2.test', 'A', 'shop2.test. 30 IN A 198.51.100.9');
is_answer('shop2.test', 'AAAA', 'shop2.test. 30 IN AAAA 2001:db8::10');

# flattened

is_answer('www.shop2.test', 'A', 'www.shop2.test. 30 IN A 198.51.100.9');
is_answer('www.shop2.test', 'AAAA', 'www.shop2.test. 30 IN AAAA 2001:db8::10');
is_answer('www.shop2.test', 'CNAME',
	'www.shop2.test. 300 IN CNAME edge.shop2.test.');
is_negative('www.shop2.test', 'TXT', 'NOERROR', "shop2.test. 300 IN SOA $soa");
is_negative('gone.shop2.test', 'A', 'NOERROR', "shop2.test. 300 IN SOA $soa");
is_answer('away.shop2.test', 'A',
	'away.shop2.test. 300 IN CNAME www.elsewhere.test.');

# a label without keys, and a key without its label

is_negative('bare.shop2.test', 'A', 'NOERROR', "shop2.test. 300 IN SOA $soa");
is_negative('hidden.shop2.test', 'A', 'NXDOMAIN',
	"shop2.test. 300 IN SOA $soa");

dns_is(dns_ask('sub.shop2.test', 'A'), <<EOF, 'shop2.test referral');
	NOERROR qr
	question	sub.shop2.test. IN A
	authority	sub.shop2.test. 300 IN NS ns.sub.shop2.test.
EOF

dns_is(dns_ask('sub.shop2.test', 'A', do => 1), <<EOF, 'shop2.test DS, DO');
	NOERROR qr
	question	sub.shop2.test. IN A
	authority	sub.shop2.test. 300 IN DS 4711 13 2 ${\ ('00' x 32) }
	authority	sub.shop2.test. 300 IN NS ns.sub.shop2.test.
	edns		0 size 1232 do
EOF

###############################################################################

sub is_answer {
	my ($name, $type, @records) = @_;

	my $rest = join "\n", map { s/^\+// ? "additional $_" : "answer $_" }
		@records;

	dns_is(dns_ask($name, $type), <<EOF, "$name $type");
		NOERROR qr aa
		question	$name. IN $type
		$rest
EOF
}


sub is_negative {
	my ($name, $type, $rcode, $soa) = @_;

	dns_is(dns_ask($name, $type), <<EOF, "$name $type");
		$rcode qr aa
		question	$name. IN $type
		authority	$soa
EOF
}


# The examples of the data model.

sub examples {
	my ($r) = @_;

	my $zone = 'redins_redins:zones:shop.test.';

	$r->multi(
		[ qw/ SADD redins_redins:zones_redins shop.test. / ],
		[ 'SET', "$zone:config_redins", '{"soa":{"ttl":600,"minttl":60,'
			. '"mbox":"dns.shop.test.","ns":"ns1.shop.test.",'
			. '"refresh":3600,"retry":600,"expire":864000,'
			. '"serial":2026113001},"domain_id":"d-17"}' ],
		[ 'HSET', "${zone}_redins",
			'@' => '{"ns":{"ttl":3600,"records":['
				. '{"host":"ns1.shop.test."},'
				. '{"host":"ns2.shop.test."}]},'
				. '"aname":{"location":"edge.shop.test."},'
				. '"caa":{"ttl":3600,"records":[{"tag":"issue",'
				. '"value":"ca.test","flag":0}]}}',
			edge => '{"a":{"ttl":30,"filter":{"count":"single",'
				. '"order":"weighted","geo_filter":"country"},'
				. '"health_check":{"enable":true,'
				. '"protocol":"https","uri":"/up","port":443,'
				. '"timeout":800,"up_count":3,"down_count":-3},'
				. '"records":[{"ip":"192.0.2.10","country":"DE",'
				. '"weight":3},{"ip":"192.0.2.11",'
				. '"country":["DE","AT"],"weight":1},'
				. '{"ip":"198.51.100.9","country":""}]}}',
			ns1 => '{"a":{"ttl":3600,"records":'
				. '[{"ip":"192.0.2.1"}]}}',
			'*.dyn' => '{"txt":{"ttl":60,"records":'
				. '[{"text":"wild"}]}}' ],
		[ 'SET', 'redins_redins:healthcheck:edge.shop.test.:192.0.2.10'
			. '_redins', '{"protocol":"https","uri":"/up",'
			. '"port":443,"status":3,"lastcheck":'
			. '"2026-11-30T14:00:00Z","timeout":800,"up_count":3,'
			. '"down_count":-3,"enable":true,"domain_uuid":"d-17"}' ],
	);

	$zone = 'z42:zones:shop2.test.';

	my %keys = (
		'@:NS' => '{"ttl":3600,"records":[{"host":"ns1.other.test."}]}',
		'@:ANAME' => '{"location":"edge.shop2.test."}',
		'edge:A' => '{"ttl":30,"filter":{"count":"multi","order":"rr",'
			. '"geo_filter":"asn"},"records":[{"ip":"192.0.2.10",'
			. '"asn":[64500,64501]},{"ip":"198.51.100.9",'
			. '"asn":[0]}]}',
		'edge:AAAA' => '{"ttl":30,"records":[{"ip":"2001:db8::10"}]}',
		'www:CNAME' => '{"ttl":300,"host":"edge.shop2.test."}',
		'gone:CNAME' => '{"ttl":300,"host":"nope.shop2.test."}',
		'away:CNAME' => '{"ttl":300,"host":"www.elsewhere.test."}',
		'sub:NS' => '{"ttl":300,"records":[{"host":'
			. '"ns.sub.shop2.test."}]}',
		'sub:DS' => '{"ttl":300,"records":[{"key_tag":4711,'
			. '"algorithm":13,"digest_type":2,"digest":"'
			. '00' x 32 . '"}]}',
		'hidden:A' => '{"ttl":300,"records":[{"ip":"192.0.2.1"}]}',
	);

	$r->multi(
		[ qw/ SADD z42:zones_dns2 shop2.test. / ],
		[ 'SADD', "$zone:labels_dns2",
			qw/ @ edge www sub gone away bare / ],
		[ 'SET', "$zone:config_dns2", '{"cname_flattening":true,'
			. '"soa":{"mbox":"dns.shop2.test."}}' ],
		map { [ 'SET', "$zone:labels:${_}_dns2", $keys{$_} ] }
			sort keys %keys,
	);
}

###############################################################################
