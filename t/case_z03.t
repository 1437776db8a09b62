#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Tests for semicolons in strings, with quotes and with a backslash, which
# begin no comment, case Z03.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib 'lib';
use Test::Nginx;
use Test::Nginx::DNS;
use Test::Nginx::DNS::Zone;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = Test::Nginx->new()->has(qw/stream udp/)->plan(17);

my $zone = zone_text('z1.test', <<'EOZ');
_dmarc	TXT "v=DMARC1; p=none" ; real comment
x	TXT v=DMARC1\; p=none
y	TXT "a\"b;c" "d"
dkim	TXT "v=DKIM1; k=rsa; " ; first ; part
	TXT ("p=MIGf" ; comment "with quotes"
	"MA0G;" ) ; end
bare	TXT a;b
only	TXT ";"
pair	TXT ";;" ; ";;"
number	TXT a\059b
slash	TXT "a\\" ;"
slashes	TXT a\\;b
sem\;i	TXT "owner"
caa	CAA 0 issue "ca.test; policy=ev" ; comment
caa2	CAA 0 issue ca.test\;\ policy=ev
na	NAPTR 1 2 "u" "E2U+sip" "!.*!sip:x;y!" . ;
@	300;comment
	IN;comment
	TXT;comment
EOZ

# the last three lines are no records

my $bad = $zone;

$zone =~ s/^\@\t300;.*//ms;

dns_run($t, zones => { 'z1.test' => $zone });

###############################################################################

txt('_dmarc', '"v=DMARC1; p=none"', 'Z03 quotes');
txt('x', '"v=DMARC1;" "p=none"', 'Z03 backslash');
txt('y', '"a\"b;c" "d"', 'Z03 quote with a backslash');
txt('dkim', '"p=MIGf" "MA0G;"', '"v=DKIM1; k=rsa; "', 'Z03 parentheses');
txt('bare', '"a"', 'Z03 comment without a blank');
txt('only', '";"', 'Z03 nothing else');
txt('pair', '";;"', 'Z03 two');
txt('number', '"a;b"', 'Z03 by number');
txt('slash', '"a\\\\"', 'Z03 backslash before the quote');
txt('slashes', '"a\\\\"', 'Z03 two backslashes');
txt('sem\;i', '"owner"', 'Z03 owner');

for my $name (qw/ caa caa2 /) {
	dns_is(dns_ask("$name.z1.test", 'CAA'), <<EOF, "Z03 $name");
		NOERROR qr aa
		question $name.z1.test. IN CAA
		answer $name.z1.test. 300 IN CAA 0 issue "ca.test; policy=ev"
EOF
}

dns_is(dns_ask('na.z1.test', 'NAPTR'), <<'EOF', 'Z03 NAPTR');
	NOERROR qr aa
	question	na.z1.test. IN NAPTR
	answer  na.z1.test. 300 IN NAPTR 1 2 "u" "E2U+sip" "!.*!sip:x;y!" .
EOF

# what is missing is missing where the comment begins

zone_is($t, $bad, <<'EOF', 'Z03 comments in place of words');
	refused
	emerg 22: no RR type
	emerg 23: no RR type
	emerg 24: no string
EOF

# the octets themselves

like(dns_ask('_dmarc.z1.test', 'TXT'), qr/\x00\x11\x10v=DMARC1; p=none\z/,
	'Z03 octets');
like(dns_ask('x.z1.test', 'TXT'), qr/\x00\x11\x09v=DMARC1;\x06p=none\z/,
	'Z03 octets with a backslash');

###############################################################################

sub txt {
	my ($owner, @rest) = @_;

	my $name = pop @rest;
	my $answer = join '',
		map { "answer $owner.z1.test. 300 IN TXT $_\n" } @rest;

	local $Test::Builder::Level = $Test::Builder::Level + 1;

	dns_is(dns_ask("$owner.z1.test", 'TXT'), <<EOF . $answer, $name);
		NOERROR qr aa
		question	$owner.z1.test. IN TXT
EOF
}

###############################################################################
