package RedisZone::Value;

# Copyright (C) ngx_dns_module contributors

# What the values of a zone in Redis have to look like (docs/redis.md).  Each
# function is given a function that takes findings: (level, code, text).
#
#	error    the server leaves something out because of it
#	warning  it is served, maybe not as it was meant
#	note     it has no effect

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use B qw//;
use JSON::PP qw//;
use Net::DNS qw//;
use Socket qw//;

our @EXPORT_OK = qw/ decode check_config check_label check_field check_rrset
	check_name wire_name type_name /;

my $json = JSON::PP->new()->utf8()->allow_nonref()->allow_bignum();

my $max_ttl = 0x7fffffff;

# Members of records: a check, and 1 if it has to be there.  "rdata" may take
# the place of all of them.

my %place = (weight => [ \&weight ], country => [ \&country ],
	asn => [ \&asn ]);

my %records = (
	A => { ip => [ \&ipv4, 1 ], %place },
	AAAA => { ip => [ \&ipv6, 1 ], %place },
	NS => { host => [ \&target, 1 ] },
	TXT => { text => [ \&text, 1 ] },
	MX => { host => [ \&target, 1 ], preference => [ number(0, 65535) ] },
	SRV => {
		target => [ \&target, 1 ],
		map { $_ => [ number(0, 65535) ] } qw/ priority weight port /
	},
	CAA => {
		tag => [ \&tag, 1 ], value => [ \&string ],
		flag => [ number(0, 255) ]
	},
	TLSA => {
		certificate => [ \&hex_digits, 1 ],
		map { $_ => [ number(0, 255) ] }
			qw/ usage selector matching_type /
	},
	DS => {
		digest => [ \&hex_digits, 1 ], key_tag => [ number(0, 65535) ],
		map { $_ => [ number(0, 255) ] } qw/ algorithm digest_type /
	},
);

# Types with one record and no list.

my %single = (
	CNAME => { host => [ \&target, 1 ] },
	PTR => { domain => [ \&target, 1 ] },
	ANAME => { location => [ \&target, 1 ] },
);

my %filter = (
	count => [ one_of(qw/ multi single /) ],
	order => [ one_of(qw/ none weighted rr /) ],
	geo_filter => [ one_of(qw/ none country asn asn+country location /) ],
	no_match => [ one_of(qw/ all none /) ],
);

my %health = (
	enable => [ \&boolean ],
	protocol => [ \&string ], uri => [ \&string ],
	port => [ number(0, 65535) ], timeout => [ number(0, 1e9) ],
	up_count => [ number(-1e6, 1e6) ], down_count => [ number(-1e6, 1e6) ],
	interval => [ number(0, 1e9) ],
	all_down => [ one_of(qw/ all none /) ],
);

my %soa = (
	ns => [ \&target ], mbox => [ \&target ],
	map { $_ => [ number(0, 0xffffffff) ] }
		qw/ ttl refresh retry expire minttl serial /
);

my %config = (
	domain_id => [ \&string ],
	dnssec => [ \&boolean ], cname_flattening => [ \&boolean ],
);

# What may stand beside a CNAME.

my %beside_cname = map { $_ => 1 } qw/ CNAME RRSIG NSEC KEY SIG /;

###############################################################################

# JSON as an object with members in lower case.  False, and a finding, if it
# is none.

sub decode {
	my ($octets, $found) = @_;

	my $value = eval { $json->decode($octets) };

	if ($@) {
		my $reason = $@;

		$reason =~ s/,? at (?:character|\S+ line) .*//s;
		$found->('error', 'not-json', "is not JSON: $reason");
		return undef;
	}

	if (ref $value ne 'HASH') {
		$found->('error', 'not-object', 'is not an object');
		return undef;
	}

	return members($value, $found);
}


sub members {
	my ($object, $found, $of) = @_;

	my %members;

	for my $name (sort keys %$object) {
		my $lower = lc $name;

		$found->('warning', 'twice', within($of) . "\"$lower\" is there"
			. ' twice, in different case: one of them is used')
			if exists $members{$lower};

		$members{$lower} = $object->{$name};
	}

	return \%members;
}


sub within {
	my ($of) = @_;
	return defined $of && $of ne '' ? "$of: " : '';
}


# Checks members by a table.  1 if all are right.

sub check_members {
	my ($object, $table, $of, $found) = @_;

	my $right = 1;

	for my $name (sort keys %$object) {
		my $rule = $table->{$name};

		if (!$rule) {
			$found->('note', 'unknown-member',
				within($of) . "unknown member \"$name\"");
			next;
		}

		# what has to be there is reported when it is missing

		next if !defined $object->{$name};

		my $error = $rule->[0]->($object->{$name}, sub {
			$found->($_[0], $_[1], within($of) . "\"$name\" $_[2]");
		});

		next if !defined $error;

		$found->('error', 'bad-value',
			within($of) . "\"$name\" $error");
		$right = 0;
	}

	for my $name (sort grep { $table->{$_}[1] } keys %$table) {
		next if defined $object->{$name};

		$found->('error', 'missing', within($of)
			. "\"$name\" is missing");
		$right = 0;
	}

	return $right;
}

###############################################################################

# Checks of one value: undef, or what is wrong with it.

sub is_string {
	my ($value) = @_;

	return 0 if !defined $value || ref $value;
	return B::svref_2object(\$value)->FLAGS & (B::SVf_IOK | B::SVf_NOK)
		? 0 : 1;
}


sub is_number {
	my ($value) = @_;

	return ref $value =~ /^Math::Big/ ? 1 : 0 if ref $value;
	return defined $value && !is_string($value);
}


sub shown {
	my ($value) = @_;

	return 'null' if !defined $value;

	my $text = $json->encode($value);

	return length $text > 60 ? substr($text, 0, 57) . '...' : $text;
}


sub number {
	my ($min, $max) = @_;

	return sub {
		my ($value) = @_;

		return shown($value) . ' is not a number' if !is_number($value);
		return shown($value) . ' is not a whole number'
			if $value != int $value;
		return shown($value) . " is not in $min to $max"
			if $value < $min || $value > $max;
		return undef;
	};
}


sub weight {
	my ($value) = @_;

	return shown($value) . ' is not a number' if !is_number($value);
	return shown($value) . ' is negative' if $value < 0;
	return number(0, 0x7fffffff)->($value);
}


sub string {
	my ($value) = @_;
	return is_string($value) ? undef : shown($value) . ' is not a string';
}


sub text {
	my ($value) = @_;

	my $error = string($value);

	return $error if defined $error;

	utf8::encode(my $octets = $value);

	my $length = length($octets) + int((length($octets) + 254) / 255);

	return $length > 65535 ? 'is too long for a record' : undef;
}


sub boolean {
	my ($value) = @_;

	return JSON::PP::is_bool($value) ? undef
		: shown($value) . ' is not true or false';
}


sub one_of {
	my (@words) = @_;

	return sub {
		my ($value, $found) = @_;

		my $error = string($value);

		return $error if defined $error;

		$found->('warning', 'unknown-word',
			shown($value) . ' is none of: ' . join ' ', @words)
			if $value ne '' && !grep { $_ eq $value } @words;

		return undef;
	};
}


sub ipv4 {
	my ($value) = @_;

	return undef if is_string($value)
		&& defined Socket::inet_pton(Socket::AF_INET(), $value);

	return shown($value) . ' is an IPv6 address' if is_string($value)
		&& defined Socket::inet_pton(Socket::AF_INET6(), $value);

	return shown($value) . ' is not an IPv4 address';
}


sub ipv6 {
	my ($value) = @_;

	return undef if is_string($value)
		&& defined Socket::inet_pton(Socket::AF_INET6(), $value);

	return shown($value) . ' is an IPv4 address' if is_string($value)
		&& defined Socket::inet_pton(Socket::AF_INET(), $value);

	return shown($value) . ' is not an IPv6 address';
}


sub each_of {
	my ($value, $check) = @_;

	for my $one (ref $value eq 'ARRAY' ? @$value : $value) {
		my $error = $check->($one);

		return $error if defined $error;
	}

	return undef;
}


sub country {
	my ($value) = @_;

	return each_of($value, sub {
		my $error = string($_[0]);

		return $error if defined $error;
		return $_[0] =~ /^(?:[A-Za-z]{2})?$/ ? undef
			: shown($_[0]) . ' is not a country code';
	});
}


sub asn {
	my ($value) = @_;

	return each_of($value, sub {
		return undef if is_string($_[0]) && $_[0] =~ /^AS\d{1,10}$/i;
		return number(0, 0xffffffff)->($_[0]);
	});
}


sub hex_digits {
	my ($value) = @_;

	my $error = string($value);

	return $error if defined $error;
	return $value =~ /^(?:[0-9a-f]{2})+$/i ? undef
		: shown($value) . ' is not hexadecimal';
}


sub tag {
	my ($value) = @_;

	my $error = string($value);

	return $error if defined $error;
	return $value =~ /^[A-Za-z0-9]{1,255}$/ ? undef
		: shown($value) . ' is not letters and digits';
}


sub target {
	my ($value, $found) = @_;

	my $error = string($value);

	return $error if defined $error;
	return 'is empty' if $value eq '';

	utf8::encode(my $octets = $value);

	my $wire = wire_name($octets);

	return shown($value) . " is not a name: $$wire" if ref $wire;

	$found->('warning', 'no-dot', shown($value)
		. ' has no final dot: it is taken as if it had one')
		if $octets !~ /(?<!\\)(?:\\\\)*\.$/;

	return undef;
}

###############################################################################

# Names

# Wire format in lower case of a name in octets of text; a reference to the
# reason if it is none.

sub wire_name {
	my ($text) = @_;

	return "\0" if $text eq '.';

	# what names usually are

	if ($text =~ /^(?:[a-z0-9_*-]{1,63}\.)*[a-z0-9_*-]{1,63}\.?\z/
		&& length $text < 254)
	{
		return join '', map({ chr(length) . $_ } split /\./, $text),
			"\0";
	}

	my ($wire, $label) = ('', '');

	while ($text =~ /\G(?:\\([0-9]{3})|\\([^0-9])|(\.)|([^\\]))/gcs) {
		if (defined $3) {
			return \'an empty label' if $label eq '';
			return \'a label of more than 63 octets'
				if length $label > 63;

			$wire .= chr(length $label) . $label;
			$label = '';
			next;
		}

		return \'a bad escape' if defined $1 && $1 > 255;

		$label .= defined $1 ? chr $1 : $2 // $4;
	}

	return \'a bad escape' if (pos($text) // 0) != length $text;
	return \'a label of more than 63 octets' if length $label > 63;

	$wire .= chr(length $label) . $label if $label ne '';
	$wire .= "\0";

	return \'more than 255 octets' if length $wire > 255;

	return $wire =~ tr/A-Z/a-z/r;
}


# A label path: undef if it is right, else what is wrong with it.  apex: wire
# format.

sub check_label {
	my ($label, $apex) = @_;

	return undef if $label eq '@';
	return 'is empty' if $label eq '';
	return 'ends with a dot' if $label =~ /(?<!\\)(?:\\\\)*\.$/;

	my $wire = wire_name($label);

	return "is not a name: $$wire" if ref $wire;
	return 'is too long below this zone'
		if length($wire) - 1 + length $apex > 255;

	return undef;
}


# The type that a member of L1, or the end of a key of L4, means, or undef.

sub type_name {
	my ($text) = @_;

	my $type = uc $text;

	return $type if $records{$type} || $single{$type};
	return undef if $type =~ /^(?:OPT|ANY|[AI]XFR|MAIL[AB]|T(?:SIG|KEY))$/;
	return $type if exists $Net::DNS::Parameters::typebyname{$type};
	return $type if $type =~ /^TYPE\d{1,5}$/;
	return undef;
}

###############################################################################

# Values

sub check_config {
	my ($octets, $found) = @_;

	my $config = decode($octets, $found) or return undef;
	my $soa = delete $config->{soa};

	check_members($config, \%config, '', $found);

	if (ref $soa eq 'HASH') {
		check_members(members($soa, $found, 'soa'), \%soa, 'soa', $found);

	} elsif (defined $soa) {
		$found->('error', 'bad-value', '"soa" is not an object');
	}

	return $config;
}


# A field of the hash: all types of a label.  The second function takes the
# findings of a type: (type, level, code, text).  Gives the types that have
# records, or undef if it cannot be read.

sub check_field {
	my ($octets, $found, $found_type) = @_;

	return {} if $octets eq '';

	my $object = decode($octets, $found) or return undef;
	my %types;

	for my $member (sort keys %$object) {
		my $type = type_name($member);

		if (!defined $type || $type eq 'SOA') {
			$found->('note', 'unknown-member',
				"unknown member \"$member\"");
			next;
		}

		$types{$type} = 1 if check_value($type, $object->{$member},
			sub { $found_type->($type, @_) });
	}

	return \%types;
}


# A key of L4: one type.  1 if it has records.

sub check_rrset {
	my ($type, $octets, $found) = @_;

	return 0 if $octets eq '';

	my $value = decode($octets, $found);

	return 1 if !$value;
	return check_value($type, $value, $found);
}


# A value that is decoded already.  1 if it has records, good or bad.

sub check_value {
	my ($type, $value, $found) = @_;

	return 0 if !defined $value;

	if (ref $value ne 'HASH') {
		$found->('error', 'not-object', 'is not an object');
		return 1;
	}

	$value = members($value, $found);

	my %rest = %$value;
	my $list = delete $rest{records};
	my %table = (ttl => [ number(0, $max_ttl) ]);

	if ($single{$type} && !defined $list) {
		%table = (%table, %{ $single{$type} });

		# nothing in it: no record

		return 0 if !grep { defined $rest{$_} } keys %{ $single{$type} };

		check_members(\%rest, \%table, '', $found);
		return 1;
	}

	if ($type eq 'A' || $type eq 'AAAA') {
		check_part(\%rest, 'filter', \%filter, $found);
		check_part(\%rest, 'health_check', \%health, $found);
	}

	my $right = check_members(\%rest, \%table, '', $found);

	return !$right if !defined $list;

	if (ref $list ne 'ARRAY') {
		$found->('error', 'not-list', '"records" is not a list');
		return 1;
	}

	check_list($type, $list, $found);

	return @$list || !$right;
}


sub check_part {
	my ($value, $name, $table, $found) = @_;

	my $part = delete $value->{$name};

	return if !defined $part;

	if (ref $part ne 'HASH') {
		$found->('error', 'bad-value', "\"$name\" is not an object");
		return;
	}

	check_members(members($part, $found, $name), $table, $name, $found);
}


sub check_list {
	my ($type, $list, $found) = @_;

	my $n = 0;
	my %seen;

	for my $record (@$list) {
		my $of = 'record ' . ++$n;

		if (ref $record ne 'HASH') {
			$found->('error', 'not-object', "$of is not an object");
			next;
		}

		my $members = members($record, $found, $of);

		if (exists $members->{rdata} || !$records{$type}) {
			check_members($members, { rdata => [
				sub { rdata($type, @_) }, 1 ] }, $of, $found);

		} else {
			check_members($members, $records{$type}, $of, $found);
		}

		$found->('warning', 'same-twice',
			"$of is the same as one before it")
			if @$list > 1
				&& $seen{$json->canonical()->encode($members)}++;
	}
}


sub rdata {
	my ($type, $value, $found) = @_;

	my $error = string($value);

	return $error if defined $error;
	return 'is empty' if $value eq '';

	utf8::encode(my $octets = $value);

	eval {
		local $SIG{__WARN__} = sub { };

		Net::DNS::RR->new(". 0 IN $type $octets")->rdata();
		1;
	}
		or return shown($value) . " is not data of $type";

	return undef;
}


# Types of a name that do not go together: (code, text) of what is ignored.

sub conflicts {
	my ($types, $apex, $flattening) = @_;

	return () if !$types->{CNAME};

	my @others = grep { !$beside_cname{$_} } sort keys %$types;

	if ($apex) {
		return ('cname-apex', 'CNAME at the apex: it is used for addresses'
			. ' only') if $flattening;
		return ('cname-apex', 'CNAME at the apex: it is ignored');
	}

	return () if !@others;
	return ('cname-beside', "CNAME beside @others: only the CNAME is used");
}

###############################################################################

1;
