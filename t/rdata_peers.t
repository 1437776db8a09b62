#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Compares the rows of t/unit/rdata with other servers: the octets that
# named-compilezone makes of a text, and whether it and kzonecheck accept it.
# Where a row says in its last column that a server differs, it may; where
# it does not, a difference is a failure.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use File::Temp qw/ tempdir /;

###############################################################################

plan(skip_all => 'once is enough') if $ENV{TEST_DNS_SANITIZED};

my %tool = map { $_ => find($_) } qw/ named-compilezone kzonecheck /;

plan(skip_all => 'no named-compilezone and no kzonecheck')
	if !grep { defined } values %tool;

# types that Knot 3.2 knows by their numbers only

my %unknown = map { $_ => 1 } qw/ WKS NSAP NSAP-PTR ATMA AMTRELAY MB MD MF MG
	MR TALINK PX HIP ISDN X25 GPOS NINFO AVC RESINFO WALLET DOA DLV TA RKEY
	SIG NXT DSYNC SINK EID NIMLOC NULL A6 /;

# what a zone check would say of rows that are no good zone

my @quiet = qw/ -q -k ignore -n ignore -i none -m ignore -M ignore -S ignore
	-r ignore -T ignore -W ignore /;

my $dir = tempdir(CLEANUP => 1);
my @files = glob 'unit/rdata/*.txt';

plan(tests => 2 * @files);

for my $file (@files) {
	my @rows = rows($file);

	SKIP: {
		skip 'no named-compilezone', 1 if !$tool{'named-compilezone'};
		is(join("\n", compare('named', \&named, @rows)), '',
			"$file, named-compilezone");
	}

	SKIP: {
		skip 'no kzonecheck', 1 if !$tool{kzonecheck};
		is(join("\n", compare('knot', \&knot,
			grep { !$unknown{$_->{type}} } @rows)), '',
			"$file, kzonecheck");
	}
}

###############################################################################

# All rows that should be accepted go into one zone.  If it is refused, and
# for rows that should be refused, each row has a zone of its own.

sub compare {
	my ($peer, $ask, @rows) = @_;
	my (@good, @other, @wrong);

	for my $row (@rows) {
		if ($row->{want} eq 'error' || $row->{type} eq 'SOA'
			|| $row->{note} =~ /\b$peer /)
		{
			push @other, $row;

		} else {
			push @good, $row;
		}
	}

	my @got = $ask->(@good);

	if (grep { $_ eq 'error' } @got) {
		push @other, @good;
		@good = ();
	}

	for my $row (@good) {
		push @wrong, verdict($row, $peer, shift @got);
	}

	for my $row (@other) {
		push @wrong, verdict($row, $peer, $ask->($row));
	}

	return @wrong;
}

sub verdict {
	my ($row, $peer, $got) = @_;

	my $noted = $row->{note} =~ /\b$peer (?:accepts|refuses|differs):/;
	my $same = $got eq $row->{want}
		|| $got eq 'accepted' && $row->{want} ne 'error';

	diag("$row->{where}: $peer agrees now") if $same && $noted;

	return $same || $noted ? () : "$row->{where}: $peer has $got";
}

sub named {
	my (@rows) = @_;

	my $zone = write_zone(@rows);
	unlink "$dir/raw";

	my $rc = system("$tool{'named-compilezone'} @quiet -F raw -o $dir/raw "
		. "example.test $zone > /dev/null 2>&1");

	return map { 'error' } @rows if $rc != 0;

	my %got = raw_rdata();

	return map {
		my $owner = $rows[$_]{type} eq 'SOA' ? '@' : "r$_";
		defined $got{$owner} ? $got{$owner} : 'nothing'
	} 0 .. $#rows;
}

sub knot {
	my (@rows) = @_;

	my $zone = write_zone(@rows);
	my $log = `$tool{kzonecheck} -o example.test $zone 2>&1`;

	return map { $log =~ /failed|parse/ ? 'error' : 'accepted' } @rows;
}

sub write_zone {
	my (@rows) = @_;

	my $soa = $rows[0]{type} eq 'SOA' ? $rows[0]{text}
		: 'ns host 1 2 3 4 5';
	my $zone = "\$ORIGIN example.test.\n\$TTL 300\n\@ SOA $soa\n\@ NS ns\n"
		. "ns A 192.0.2.53\n";

	for my $i (0 .. $#rows) {
		next if $rows[$i]{type} eq 'SOA';
		$zone .= "r$i $rows[$i]{type} $rows[$i]{text}\n";
	}

	open my $fh, '>', "$dir/zone" or die "$dir/zone: $!\n";
	print $fh $zone;
	close $fh;

	return "$dir/zone";
}

# The raw format of named: a head of 24 octets, then rrsets.  Gives the first
# RDATA of each owner, at the apex that of the SOA.

sub raw_rdata {
	my %got;

	open my $fh, '<:raw', "$dir/raw" or return ();
	my $raw = do { local $/; <$fh> };
	close $fh;

	my $at = 24;

	while ($at < length $raw) {
		my ($size, undef, $type, undef, undef, undef, $len)
			= unpack "x$at N n3 N2 n", $raw;
		my $rdata = unpack "x$at x20 x$len n/a", $raw;
		my $name = substr $raw, $at + 20, $len;
		my $owner = $name eq "\x07example\x04test\0" ? '@'
			: unpack 'C/a', $name;

		$got{$owner} = unpack 'H*', $rdata
			if $owner ne '@' || $type == 6;

		$at += $size;
	}

	return %got;
}

sub rows {
	my ($file) = @_;
	my @rows;

	open my $fh, '<', $file or die "$file: $!\n";

	while (my $line = <$fh>) {
		next if $line =~ /^(?:#|$)/;
		chomp $line;

		my ($type, $text, $want, $note) = split / \| /, $line, 4;
		$text =~ s/<LF>/\n/g;
		$note = '' if !defined $note;

		push @rows, {
			where => "$file:$.", type => $type, text => $text,
			want => $want, note => $note
		};
	}

	close $fh;

	return @rows;
}

sub find {
	my ($name) = @_;

	return (grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH}),
		qw! /usr/bin /usr/sbin !)[0];
}

###############################################################################
