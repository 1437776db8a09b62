package RedisZone::Types;

# Copyright (C) ngx_dns_module contributors

# Names of types as the server knows them, which decides what keys and members
# are called.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

our @EXPORT_OK = qw/ type_number type_text is_record_type type_names /;

my %number = (
	A => 1, NS => 2, MD => 3, MF => 4, CNAME => 5, SOA => 6, MB => 7,
	MG => 8, MR => 9, NULL => 10, WKS => 11, PTR => 12, HINFO => 13,
	MINFO => 14, MX => 15, TXT => 16, RP => 17, AFSDB => 18, X25 => 19,
	ISDN => 20, RT => 21, NSAP => 22, 'NSAP-PTR' => 23, SIG => 24,
	KEY => 25, PX => 26, GPOS => 27, AAAA => 28, LOC => 29, NXT => 30,
	EID => 31, NIMLOC => 32, SRV => 33, ATMA => 34, NAPTR => 35, KX => 36,
	CERT => 37, A6 => 38, DNAME => 39, SINK => 40, OPT => 41, APL => 42,
	DS => 43, SSHFP => 44, IPSECKEY => 45, RRSIG => 46, NSEC => 47,
	DNSKEY => 48, DHCID => 49, NSEC3 => 50, NSEC3PARAM => 51, TLSA => 52,
	SMIMEA => 53, HIP => 55, NINFO => 56, RKEY => 57, TALINK => 58,
	CDS => 59, CDNSKEY => 60, OPENPGPKEY => 61, CSYNC => 62, ZONEMD => 63,
	SVCB => 64, HTTPS => 65, DSYNC => 66, SPF => 99, NID => 104,
	L32 => 105, L64 => 106, LP => 107, EUI48 => 108, EUI64 => 109,
	TKEY => 249, TSIG => 250, IXFR => 251, AXFR => 252, MAILB => 253,
	MAILA => 254, ANY => 255, URI => 256, CAA => 257, AVC => 258,
	DOA => 259, AMTRELAY => 260, RESINFO => 261, WALLET => 262,
	TA => 32768, DLV => 32769,
);

my %text = reverse %number;

###############################################################################

# The number of a type given by name, in any case, or undef.

sub type_number {
	my ($name) = @_;

	my $type = uc $name;

	return $number{$type} if exists $number{$type};
	return $1 if $type =~ /^TYPE(\d{1,5})$/ && $1 < 65536;
	return undef;
}


sub type_text {
	my ($type) = @_;
	return $text{$type} // "TYPE$type";
}


# A type of which zones may have records, the SOA apart.

sub is_record_type {
	my ($type) = @_;

	return $type != 0 && $type != 6 && $type != 41 && $type != 65535
		&& ($type < 128 || $type > 255);
}


# All types with a name that zones may have records of.

sub type_names {
	return sort grep { is_record_type($number{$_}) } keys %number;
}

###############################################################################

1;
