package Test::Nginx::DNS::Message;

# Copyright (C) ngx_dns_module contributors

# Builds DNS queries octet by octet, reads replies strictly, and writes a
# reply as text that can be compared as a whole.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use MIME::Base64 qw/ encode_base64 /;
use Net::DNS qw//;
use Net::DNS::Parameters qw/ :class :type :rcode :opcode :ednsoption /;
use Socket qw/ AF_INET AF_INET6 inet_ntop inet_pton /;

our @EXPORT = qw/
	dns_name dns_name_text dns_type dns_class dns_rr dns_opt dns_ecs
	dns_reply_ecs dns_query
	dns_parse dns_text dns_canon
/;

###############################################################################

# RDATA of the types by field:
#
#   N  name that may be compressed      n  name that may not be
#   b h w  integer of 1, 2, 4 octets    T  type    t  type bitmap to the end
#   4 6    address                      s  string  S  strings to the end
#   x X q  hex, base64, text to the end l  octets with a length, as hex
#   g      string without quotes        p  SvcParams to the end, key=hex
#
# The rest is left to Net::DNS, and what that does not know is printed as
# RFC 3597, section 5 says.

my %fields = (
	A => '4', AAAA => '6',
	NS => 'N', CNAME => 'N', PTR => 'N', MX => 'hN', SOA => 'NNwwwww',
	DNAME => 'n', RP => 'nn', AFSDB => 'hn', KX => 'hn', SRV => 'hhhn',
	NAPTR => 'hhsssn', LP => 'hn',
	HINFO => 'ss', TXT => 'S', SPF => 'S',
	DS => 'hbbx', CDS => 'hbbx', SSHFP => 'bbx', TLSA => 'bbbx',
	DNSKEY => 'hbbX', CDNSKEY => 'hbbX', CERT => 'hbbX',
	RRSIG => 'TbbwwwhnX', NSEC => 'nt', NSEC3PARAM => 'bbhl',
	CAA => 'bgq', URI => 'hhq', SVCB => 'hnp', HTTPS => 'hnp',
);

# Header flags in the order of their bits.

my @flags = (
	[ qr => 0x8000 ], [ aa => 0x0400 ], [ tc => 0x0200 ], [ rd => 0x0100 ],
	[ ra => 0x0080 ], [ z => 0x0040 ], [ ad => 0x0020 ], [ cd => 0x0010 ],
);

my @sections = qw/ answer authority additional /;

###############################################################################

# Numbers and names

sub dns_type {
	my ($type) = @_;
	return $type =~ /^\d+$/ ? $type : typebyname($type);
}


sub dns_class {
	my ($class) = @_;
	return $class =~ /^\d+$/ ? $class : classbyname($class);
}


# Wire format of a name in text.  A relative name is taken as absolute, and
# lengths are not checked: a test may want a label or name that is too long.

sub dns_name {
	my ($text) = @_;

	my $wire = '';
	my $label = '';

	while ($text =~ /\G(?:\\(\d{3})|\\(.)|(\.)|(.))/gcs) {
		if (defined $3) {
			$wire .= chr(length $label) . $label if length $label;
			$label = '';
			next;
		}

		$label .= defined $1 ? chr $1 : $2 // $4;
	}

	$wire .= chr(length $label) . $label if length $label;

	return $wire . "\0";
}


# Text of an uncompressed name.

sub dns_name_text {
	my ($wire) = @_;

	my $text = '';

	while (length $wire) {
		my $label = unpack 'C/a', $wire;

		last unless length $label;

		substr($wire, 0, 1 + length $label, '');

		$label =~ s/([."\\;()\@\$])/\\$1/g;
		$label =~ s/([^!-~])/sprintf '\%03d', ord $1/ge;
		$text .= "$label.";
	}

	return length $text ? $text : '.';
}

###############################################################################

# Building queries

# A resource record in wire format.

sub dns_rr {
	my ($owner, $type, $class, $ttl, $rdata) = @_;

	return dns_name($owner) . pack('n n N n/a*', dns_type($type),
		dns_class($class), $ttl, $rdata);
}


# An OPT record.  Options: edns - the size, version, rcode - the upper octet,
# do, opt_flags - the flags word, nsid, ecs - a client subnet as dns_ecs()
# takes it, options - a list of [ code, octets ].

sub dns_opt {
	my (%opts) = @_;

	my @list = @{ $opts{options} // [] };

	unshift @list, [ 8, dns_ecs($opts{ecs}) ] if defined $opts{ecs};
	unshift @list, [ 'NSID', '' ] if $opts{nsid};

	my $rdata = join '', map { pack 'n n/a*', _option($_->[0]), $_->[1] }
		@list;

	my $flags = ($opts{opt_flags} // 0) | ($opts{do} ? 0x8000 : 0);

	return "\0" . pack 'n n C C n n/a*', 41, $opts{edns} // 1232,
		$opts{rcode} // 0, $opts{version} // 0, $flags, $rdata;
}


sub _option {
	my ($code) = @_;
	return $code =~ /^\d+$/ ? $code : ednsoptionbyname($code);
}


# The data of a client subnet option: of "192.0.2.0/24", "2001:db8::/56", or
# "192.0.2.0/24/20" with a scope.  What is behind the prefix is cut off.

sub dns_ecs {
	my ($subnet) = @_;

	my ($addr, $source, $scope) = split m!/!, $subnet;

	my $family = $addr =~ /:/ ? 2 : 1;
	my $octets = inet_pton($family == 2 ? AF_INET6 : AF_INET, $addr);

	$source //= 8 * length $octets;
	$octets &= pack 'B*', '1' x $source . '0' x 128;

	return pack 'n C C a*', $family, $source, $scope // 0,
		substr $octets, 0, ($source + 7) >> 3;
}


# The client subnet of a reply, in the form that dns_ecs() takes, or undef if
# it has none.

sub dns_reply_ecs {
	my ($reply) = @_;

	my $m = dns_parse($reply);
	my ($ecs) = $m->{opt} ? grep { $_->[0] == 8 } @{ $m->{opt}{options} } : ();

	return undef unless $ecs;

	my ($family, $source, $scope, $octets) = unpack 'n C C a*', $ecs->[1];

	return "?/$source/$scope" unless $family == 1 || $family == 2;

	my $n = $family == 2 ? 16 : 4;

	$octets .= "\0" x ($n - length $octets);

	return inet_ntop($family == 2 ? AF_INET6 : AF_INET, $octets)
		. "/$source/$scope";
}


# A query.  With one of edns, version, do, opt_flags, nsid, ecs, options it has
# an OPT record.  Others:
#
#   id, opcode, class, flags   flags is the word; qr aa tc rd ra z ad cd add
#                              single bits
#   qname                      the name in wire format instead of text
#   authority, additional      lists of records in wire format
#   counts                     four numbers, whatever the message holds
#   trailing                   octets after the end

sub dns_query {
	my ($name, $type, %opts) = @_;

	my @authority = @{ $opts{authority} // [] };
	my @additional = @{ $opts{additional} // [] };

	push @additional, dns_opt(%opts)
		if grep { defined $opts{$_} }
			qw/ edns version do opt_flags nsid ecs options /;

	my $flags = ($opts{flags} // 0) | ($opts{opcode} // 0) << 11;

	for my $flag (@flags) {
		$flags |= $flag->[1] if $opts{$flag->[0]};
	}

	my $question = ($opts{qname} // dns_name($name))
		. pack('n n', dns_type($type), dns_class($opts{class} // 'IN'));

	my @counts = @{ $opts{counts}
		// [ 1, 0, scalar @authority, scalar @additional ] };

	return join '', pack('n n n4', $opts{id} // 0x1234, $flags, @counts),
		$question, @authority, @additional, $opts{trailing} // '';
}

###############################################################################

# Reading replies

# Reads a whole message or dies.  Gives a hash:
#
#   id, flags               header words
#   qr aa tc rd ra z ad cd  bits, 0 or 1
#   opcode, rcode           names; rcode includes the bits of OPT
#   header_rcode            number in the header
#   question                list of { name, type, class, raw }
#   question_raw            octets of the question section
#   answer, authority, additional
#                           lists of { owner, type, class, ttl, rdata, wire }:
#                           rdata is text, wire is without compression; OPT
#                           is not among them
#   opt                     undef or { size, ext_rcode, version, flags, do,
#                           options => list of [ code, octets ] }
#   pointers                offsets that compression pointers refer to
#   length                  octets of the message

sub dns_parse {
	my ($data) = @_;

	die "no message\n" unless defined $data;
	die "a header of " . length($data) . " octets\n" if length $data < 12;

	my ($id, $flags, @counts) = unpack 'n n n4', $data;

	my $m = {
		id => $id, flags => $flags, length => length $data,
		data => $data, pos => 12, pointers => [],
		opcode => opcodebyval($flags >> 11 & 15),
		header_rcode => $flags & 15,
	};

	for my $flag (@flags) {
		$m->{$flag->[0]} = $flags & $flag->[1] ? 1 : 0;
	}

	$m->{question} = [ map { _question($m) } 1 .. shift @counts ];
	$m->{question_raw} = substr $data, 12, $m->{pos} - 12;

	for my $section (@sections) {
		my $count = shift @counts;
		$m->{$section} = [ map { _record($m, $section) } 1 .. $count ];
	}

	die length($data) - $m->{pos} . " octets after the end\n"
		if $m->{pos} != length $data;

	my $upper = $m->{opt} ? $m->{opt}{ext_rcode} : 0;

	$m->{rcode} = rcodebyval($upper << 4 | $m->{header_rcode});

	# the one name Net::DNS has two of: 16 is BADVERS outside TSIG

	$m->{rcode} = 'BADVERS' if $m->{rcode} eq 'BADSIG';

	return $m;
}


sub _take {
	my ($m, $n) = @_;

	die "$n octets wanted at $m->{pos} of $m->{length}\n"
		if $m->{pos} + $n > $m->{length};

	$m->{pos} += $n;
	return substr $m->{data}, $m->{pos} - $n, $n;
}


# A name at the current position, without compression.

sub _name {
	my ($m, $compressed) = @_;

	my $wire = '';
	my $low = $m->{pos};
	my $end;

	for ( ;; ) {
		my $len = ord _take($m, 1);

		if ($len >= 0xc0) {
			die "a pointer at $low where none may be\n"
				unless $compressed;

			my $to = ($len & 0x3f) << 8 | ord _take($m, 1);

			die "a pointer from $low to $to\n"
				if $to >= $low || $to < 12;

			push @{ $m->{pointers} }, $to;

			$end //= $m->{pos};
			$m->{pos} = $low = $to;
			next;
		}

		die "a label of type $len\n" if $len > 63;

		$wire .= chr($len) . _take($m, $len);

		die "a name of more than 255 octets\n" if length $wire > 255;
		last if $len == 0;
	}

	$m->{pos} = $end if defined $end;
	return $wire;
}


sub _question {
	my ($m) = @_;

	my $start = $m->{pos};
	my $name = _name($m, 0);
	my ($type, $class) = unpack 'n n', _take($m, 4);

	return {
		name => dns_name_text($name),
		type => typebyval($type),
		class => classbyval($class),
		raw => substr($m->{data}, $start, $m->{pos} - $start),
	};
}


# A record as a list of one, or none if it is OPT.

sub _record {
	my ($m, $section) = @_;

	my $owner = _name($m, 1);
	my ($type, $class, $ttl, $length) = unpack 'n n N n', _take($m, 10);
	my $end = $m->{pos} + $length;

	die "RDATA of $length octets at $m->{pos} of $m->{length}\n"
		if $end > $m->{length};

	if ($type == 41) {
		_read_opt($m, $section, $owner, $class, $ttl,
			_take($m, $length));
		return;
	}

	my $rr = {
		owner => dns_name_text($owner),
		type => typebyval($type),
		class => classbyval($class),
		ttl => $ttl,
	};

	my $fields = $fields{$rr->{type}};

	if (defined $fields && $length) {
		@$rr{qw/ rdata wire /} = _rdata($m, $fields, $end);

	} else {
		$rr->{wire} = _take($m, $length);
		$rr->{rdata} = _foreign($rr);
	}

	die "RDATA of $rr->{owner} $rr->{type} ends at $m->{pos}, not $end\n"
		if $m->{pos} != $end;

	return $rr;
}


sub _read_opt {
	my ($m, $section, $owner, $size, $ttl, $rdata) = @_;

	die "OPT in section $section\n" if $section ne 'additional';
	die "two OPT records\n" if $m->{opt};
	die "the owner of OPT is not the root\n" if $owner ne "\0";

	my @options;

	while (length $rdata) {
		die "an option is cut short\n" if length $rdata < 4;

		my ($code, $len) = unpack 'n n', substr $rdata, 0, 4, '';

		die "option $code is cut short\n" if length $rdata < $len;
		push @options, [ $code, substr $rdata, 0, $len, '' ];
	}

	$m->{opt} = {
		size => $size,
		ext_rcode => $ttl >> 24,
		version => $ttl >> 16 & 0xff,
		flags => $ttl & 0xffff,
		do => $ttl >> 15 & 1,
		options => \@options,
	};
}


# Fields of RDATA that ends at end: their text and the octets without
# compression.

sub _rdata {
	my ($m, $fields, $end) = @_;

	my @text;
	my $wire = '';

	for my $field (split //, $fields) {

		do {
			my ($text, $octets) = _field($m, $field, $end);

			push @text, $text;
			$wire .= $octets;

		} while ($field eq 'S' && $m->{pos} < $end);
	}

	return (join(' ', grep { length } @text), $wire);
}


sub _field {
	my ($m, $field, $end) = @_;

	if (lc $field eq 'n') {
		my $name = _name($m, $field eq 'N');
		return (lc dns_name_text($name), $name);
	}

	my %size = (b => 1, h => 2, w => 4, T => 2, 4 => 4, 6 => 16);

	my $octets;

	if (defined $size{$field}) {
		$octets = _take($m, $size{$field});

	} elsif ($field =~ /[sSlg]/) {
		my $len = ord _take($m, 1);
		$octets = chr($len) . _take($m, $len);

	} else {
		die "a field passes the end of RDATA\n" if $m->{pos} > $end;
		$octets = _take($m, $end - $m->{pos});
	}

	return (_field_text($field, $octets), $octets);
}


sub _field_text {
	my ($field, $octets) = @_;

	return ord $octets if $field eq 'b';
	return unpack 'n', $octets if $field eq 'h';
	return unpack 'N', $octets if $field eq 'w';
	return typebyval(unpack 'n', $octets) if $field eq 'T';
	return inet_ntop(AF_INET, $octets) if $field eq '4';
	return inet_ntop(AF_INET6, $octets) if $field eq '6';
	return _string(substr $octets, 1) if lc $field eq 's';
	return _string($octets) if $field eq 'q';
	return substr $octets, 1 if $field eq 'g';
	return unpack('H*', $octets) if $field eq 'x';
	return encode_base64($octets, '') if $field eq 'X';
	return _bitmap($octets) if $field eq 't';
	return _params($octets) if $field eq 'p';

	# a salt

	return length $octets > 1 ? unpack('H*', substr $octets, 1) : '-';
}


sub _string {
	my ($octets) = @_;

	$octets =~ s/(["\\])/\\$1/g;
	$octets =~ s/([^ -~])/sprintf '\%03d', ord $1/ge;

	return "\"$octets\"";
}


sub _bitmap {
	my ($octets) = @_;

	my @types;

	while (length $octets) {
		my ($window, $bits) = unpack 'C C/a', $octets;

		die "a type bitmap is wrong\n"
			if !length $bits || length $bits > 32;

		substr($octets, 0, 2 + length $bits, '');

		my @bits = split //, unpack 'B*', $bits;

		push @types, map { typebyval($window * 256 + $_) }
			grep { $bits[$_] } 0 .. $#bits;
	}

	return join ' ', @types;
}


# Service parameters, which must be in order (RFC 9460, 2.2).

sub _params {
	my ($octets) = @_;

	my @params;
	my $last = -1;

	while (length $octets) {
		die "a parameter is cut short\n" if length $octets < 4;

		my ($key, $len) = unpack 'n n', substr $octets, 0, 4, '';

		die "parameter $key is cut short\n" if length $octets < $len;
		die "parameter $key after $last\n" if $key <= $last;

		push @params, "$key="
			. unpack 'H*', substr $octets, 0, $len, '';
		$last = $key;
	}

	return join ' ', @params;
}


# Text of RDATA that is not in our table.

sub _foreign {
	my ($rr) = @_;

	my $wire = $rr->{wire};
	my $generic = join ' ', '\#', length $wire, unpack('H*', $wire) || ();

	return $generic if !length $wire || $rr->{type} =~ /^TYPE/;

	my $text = eval {
		my $record = dns_rr('.', $rr->{type}, $rr->{class}, 0, $wire);

		Net::DNS::RR->decode(\$record)->rdstring();
	};

	return $generic unless defined $text;

	$text =~ s/\s+/ /g;
	return $text;
}

###############################################################################

# Replies as text

# A reply, given as octets or as a result of dns_parse(), in a form that can
# be compared: one line for rcode and flags, one for each question, record,
# OPT and option.  The order is the reply's own for answers, save that the
# records of an rrset are sorted; elsewhere the order means nothing, so all
# is sorted.  Owners are in lower case, questions as they are.

sub dns_text {
	my ($reply) = @_;

	return "no reply\n" unless defined $reply;

	my $m = ref $reply ? $reply : eval { dns_parse($reply) };

	return "broken reply: $@" . unpack('H*', $reply) . "\n"
		unless defined $m;

	my @set = grep { $m->{$_} } map { $_->[0] } @flags;

	unshift @set, $m->{opcode} if $m->{opcode} ne 'QUERY';

	my @lines = join ' ', $m->{rcode}, @set;

	push @lines, map { "question $_->{name} $_->{class} $_->{type}" }
		@{ $m->{question} };

	push @lines, _answer_lines($m->{answer});
	push @lines, sort map { _line('authority', $_) } @{ $m->{authority} };
	push @lines, sort map { _line('additional', $_) }
		@{ $m->{additional} };

	push @lines, _edns_lines($m->{opt}) if $m->{opt};

	return join "\n", @lines, '';
}


sub _line {
	my ($section, $rr) = @_;

	return join ' ', $section, lc $rr->{owner}, @$rr{qw/ ttl class type /},
		length $rr->{rdata} ? $rr->{rdata} : ();
}


sub _answer_lines {
	my ($records) = @_;

	my (@lines, @rrset);
	my $last = '';

	for my $rr (@$records) {
		my $key = lc "$rr->{owner} $rr->{type}";

		push @lines, sort splice @rrset if $key ne $last;
		push @rrset, _line('answer', $rr);
		$last = $key;
	}

	return @lines, sort @rrset;
}


sub _edns_lines {
	my ($opt) = @_;

	my $rest = $opt->{flags} & 0x7fff;

	my @lines = join ' ', 'edns', $opt->{version}, 'size', $opt->{size},
		$opt->{do} ? 'do' : (),
		$rest ? sprintf('flags %04x', $rest) : ();

	for my $option (@{ $opt->{options} }) {
		my ($code, $data) = @$option;

		push @lines, join ' ', 'option', $code,
			length $data ? unpack('H*', $data) : ();
	}

	return @lines;
}


# The text a test expects, in the form of dns_text(): without indentation,
# alignment, comments and empty lines.

sub dns_canon {
	my ($text) = @_;

	my @lines;

	for my $line (split /\n/, $text) {
		$line =~ s/^\s*#.*//;
		$line =~ s/^\s+|\s+$//g;

		next unless length $line;

		# strings keep their blanks

		$line =~ s/("(?:[^"\\]|\\.)*")|\s+/$1 \/\/ ' '/ge;
		push @lines, $line;
	}

	return join "\n", @lines, '';
}

###############################################################################

1;
