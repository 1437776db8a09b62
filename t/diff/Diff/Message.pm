package Diff::Message;

# Copyright (C) ngx_dns_module contributors

# Queries, and a strict reader of replies that turns records into strings
# which are equal when the records are: names in lower case and uncompressed.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use Diff::Name;

our @EXPORT = qw/
	query_make reply_parse type_text type_number rcode_text record_text
/;

###############################################################################

my %number = (
	A => 1, NS => 2, CNAME => 5, SOA => 6, PTR => 12, HINFO => 13, MX => 15,
	TXT => 16, RP => 17, AFSDB => 18, AAAA => 28, SRV => 33, NAPTR => 35,
	KX => 36, DNAME => 39, DS => 43, SSHFP => 44, RRSIG => 46, NSEC => 47,
	DNSKEY => 48, TLSA => 52, SVCB => 64, HTTPS => 65, ANY => 255,
	CAA => 257,
);

my %text = reverse %number;

my @rcodes = qw/
	NOERROR FORMERR SERVFAIL NXDOMAIN NOTIMP REFUSED YXDOMAIN YXRRSET
	NXRRSET NOTAUTH NOTZONE
/;

# Names in RDATA whose case does not matter (RFC 4034, 6.2): octets before the
# first one, and how many follow each other.  The rest stays as it is.

my %names = (
	2 => [ 0, 1 ], 5 => [ 0, 1 ], 6 => [ 0, 2 ], 12 => [ 0, 1 ],
	15 => [ 2, 1 ], 17 => [ 0, 2 ], 18 => [ 2, 1 ], 33 => [ 6, 1 ],
	36 => [ 2, 1 ], 39 => [ 0, 1 ],
);

###############################################################################

sub type_number {
	my ($type) = @_;

	return $number{$type} // ($type =~ /^TYPE(\d+)$/ ? $1 : die $type);
}


sub type_text {
	my ($type) = @_;

	return $text{$type} // "TYPE$type";
}


sub rcode_text {
	my ($rcode) = @_;

	return $rcodes[$rcode] // "RCODE$rcode";
}


# A query without ID.  The size of an OPT record may be undef: no EDNS.

sub query_make {
	my ($name, $type, $size) = @_;

	my $query = pack 'n5 a* n2', 0, 1, 0, 0, defined $size ? 1 : 0,
		$name, $type, 1;

	$query .= pack 'C n2 N n', 0, 41, $size, 0, 0 if defined $size;

	return $query;
}

###############################################################################

# Reads a reply.  Records are [ owner, type, ttl, rdata ]; "opt" counts OPT
# records.  Dies with the reason if anything is not as it has to be.

sub reply_parse {
	my ($octets) = @_;

	die "short reply\n" if length $octets < 12;

	my ($id, $flags, @counts) = unpack 'n6', $octets;

	die "$counts[0] questions\n" if $counts[0] != 1;
	die "not a reply\n" if !($flags & 0x8000);
	die "other flags than QR, AA, TC\n" if $flags & 0x79f0;

	my $names = {};
	my $at = 12;

	_name(\$octets, \$at, $names);

	my $reply = {
		rcode => $flags & 15,
		aa => $flags >> 10 & 1,
		tc => $flags >> 9 & 1,
		question => substr($octets, 12, $at + 4 - 12),
		size => length $octets,
		opt => 0,
	};

	$at += 4;

	for my $section (1 .. 3) {
		my @records;

		for (1 .. $counts[$section]) {
			my $record = _record(\$octets, \$at, $names);

			if ($record->[1] != 41) {
				push @records, $record;
				next;
			}

			die "OPT at a wrong place\n"
				if $section != 3 || $record->[0] ne "\0";

			$reply->{opt}++;
			$reply->{rcode} |= $record->[2] >> 24 << 4;
		}

		$reply->{ qw/ - answer authority additional /[$section] }
			= \@records;
	}

	die "octets behind the last record\n" if $at != length $octets;

	return $reply;
}


sub _record {
	my ($octets, $at, $names) = @_;

	my $owner = _name($octets, $at, $names);

	die "record beyond the end\n" if $$at + 10 > length $$octets;

	my ($type, $class, $ttl, $length) = unpack 'n2 N n',
		substr $$octets, $$at, 10;

	$$at += 10;

	my $end = $$at + $length;

	die "RDATA beyond the end\n" if $end > length $$octets;
	die "class $class\n" if $class != 1 && $type != 41;

	my $rdata;

	if (my $names_of = $names{$type}) {
		$rdata = substr $$octets, $$at, $names_of->[0];
		$$at += $names_of->[0];
		$rdata .= _name($octets, $at, $names) for 1 .. $names_of->[1];

		die "names beyond RDATA\n" if $$at > $end;

		$rdata .= substr $$octets, $$at, $end - $$at;

	} else {
		$rdata = substr $$octets, $$at, $length;
	}

	$$at = $end;

	return [ $owner, $type, $ttl, $rdata ];
}


# A name in lower case; pointers lead backwards to names that were seen.

sub _name {
	my ($octets, $at, $names) = @_;

	my $first = $$at;
	my ($name, @starts) = '';

	for ( ;; ) {
		my $here = $$at;

		die "name beyond the end\n" if $here >= length $$octets;

		my $length = ord substr $$octets, $here, 1;

		if ($length >= 0xc0) {
			my $to = unpack('n', substr $$octets, $here, 2) & 0x3fff;

			die "pointer to $to at $here\n" if !defined $names->{$to};

			$name .= $names->{$to};
			$$at += 2;
			last;
		}

		die "label type at $here\n" if $length > 63;

		push @starts, [ $here, length $name ];
		$$at += 1 + $length;
		$name .= substr $$octets, $here, 1 + $length;

		last if $length == 0;
	}

	die "name at $first is too long\n" if length $name > 255;

	$name =~ tr/A-Z/a-z/;
	$names->{$_->[0]} = substr $name, $_->[1] for @starts;

	return $name;
}

###############################################################################

sub record_text {
	my ($record) = @_;

	my ($owner, $type, $ttl, $rdata) = @$record;

	return join ' ', name_text($owner), $ttl, type_text($type),
		_rdata_text($type, $rdata);
}


sub _rdata_text {
	my ($type, $rdata) = @_;

	return join '.', unpack 'C4', $rdata if $type == 1;

	my $names = $names{$type} or return '\\# ' . unpack 'H*', $rdata;
	my @words = unpack 'n*', substr $rdata, 0, $names->[0], '';

	for (1 .. $names->[1]) {
		my $end = 0;

		$end += 1 + ord substr $rdata, $end, 1
			while ord substr $rdata, $end, 1;

		push @words, name_text(substr $rdata, 0, $end + 1, '');
	}

	push @words, $type == 6 ? unpack 'N5', $rdata
		: length $rdata ? unpack 'H*', $rdata : ();

	return join ' ', @words;
}

###############################################################################

1;
