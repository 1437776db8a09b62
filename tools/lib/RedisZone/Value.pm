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

use RedisZone::Types qw/ type_number type_text is_record_type /;

our @EXPORT_OK = qw/ decode check_config check_label check_field check_rrset
	conflicts wire_name key_type /;

my $json = JSON::PP->new()->utf8()->allow_nonref()->allow_bignum();

my $max_ttl = 0x7fffffff;

# Members of records: a check, and 1 if it has to be there.  "rdata" may take
# the place of all of them.

my %place = (weight => [ \&weight ], priority => [ number(0, 65535) ],
	country => [ \&country ], continent => [ \&continent ],
	asn => [ \&asn ], network => [ \&network ]);

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
		tag => [ \&tag, 1 ], value => [ \&string, 1 ],
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
	order => [ one_of(qw/ none weighted rr sticky /) ],
	geo_filter => [ \&steps ],
	no_match => [ one_of(qw/ all none /) ],
);

# The default takes the place of what is wrong in these.

my %health = (
	enable => [ lenient(\&boolean) ],
	protocol => [ \&protocol ],
	host => [ lenient(visible(254)) ], uri => [ lenient(\&uri) ],
	match => [ lenient(octets(1024)) ], status => [ \&status ],
	verify => [ lenient(\&boolean) ],
	port => [ lenient(number(0, 65535)) ],
	timeout => [ lenient(number(0, 0xffffffff)) ],
	up_count => [ lenient(number(0, 65535)) ],
	down_count => [ lenient(number(-65535, 65535)) ],
	interval => [ lenient(number(0, 4294967)) ],
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
	return number(0, 0xffffffff)->($value);
}


# Seconds; a larger number is cut.

sub ttl {
	my ($value, $found) = @_;

	my $error = number(0, '+inf')->($value);

	$error =~ s/ is not in .*/ is negative/ if defined $error;

	$found->('warning', 'large-ttl', shown($value)
		. " is larger than $max_ttl, which is used")
		if !defined $error && $value > $max_ttl;

	return $error;
}


# A check whose failure leaves nothing out.

sub lenient {
	my ($check) = @_;

	return sub {
		my ($value, $found) = @_;

		my $error = $check->($value, $found);

		$found->('warning', 'bad-setting',
			"$error: the default is used") if defined $error;

		return undef;
	};
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

	return length $octets > 65279 ? 'is too long for a record' : undef;
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

		return undef if is_string($value)
			&& ($value eq '' || grep { $_ eq lc $value } @words);

		$found->('warning', 'unknown-word',
			shown($value) . ' is none of: ' . join ' ', @words);

		return undef;
	};
}


# Words with "+" between them.

sub steps {
	my ($value, $found) = @_;

	my @words = qw/ none network asn country continent location /;
	my $known = join '|', @words;

	$found->('warning', 'unknown-word', shown($value) . ' is not made of: '
		. join ' ', @words) if !is_string($value) || $value ne ''
			&& $value !~ /^(?:$known)(?:\+(?:$known))*\z/i;

	return undef;
}


sub protocol {
	my ($value, $found) = @_;

	$found->('warning', 'unknown-word', shown($value)
		. ' is none of: http https tcp: nothing is checked')
		if !is_string($value) || $value !~ /^(?:https?|tcp)?\z/i;

	return undef;
}


# A string of so many octets at most.

sub octets {
	my ($max) = @_;

	return sub {
		my ($value) = @_;

		my $error = string($value);

		return $error if defined $error;

		utf8::encode(my $octets = $value);

		return length $octets > $max ? "is longer than $max octets"
			: undef;
	};
}


sub visible {
	my ($max) = @_;

	return sub {
		my ($value) = @_;

		return octets($max)->($value) // ($value =~ /[\x00-\x20\x7f]/
			? 'has blanks or control characters' : undef);
	};
}


sub uri {
	my ($value) = @_;

	return visible(2048)->($value) // ($value =~ m!^(?:/|\z)! ? undef
		: 'does not begin with a slash');
}


sub status {
	my ($value, $found) = @_;

	my @codes = ref $value eq 'ARRAY' ? @$value : $value;

	for my $code (@codes) {
		my $error = number(100, 599)->($code);

		$found->('warning', 'bad-setting', "$error: it is left out")
			if defined $error;
	}

	$found->('warning', 'bad-setting', 'has more than 64 codes: the others '
		. 'are left out') if @codes > 64;

	return undef;
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
	my ($value, $found) = @_;

	return each_of($value, sub {
		return undef if !defined $_[0];

		my $error = string($_[0]);

		return $error if defined $error;

		$found->('warning', 'bad-country', shown($_[0])
			. ' is not a code of two letters: it matches nobody')
			if $_[0] !~ /^(?:[A-Za-z]{2})?\z/;

		return undef;
	});
}


sub continent {
	my ($value, $found) = @_;

	return each_of($value, sub {
		return undef if !defined $_[0];

		my $error = string($_[0]);

		return $error if defined $error;

		$found->('warning', 'bad-continent', shown($_[0])
			. ' is no continent: it matches nobody')
			if $_[0] !~ /^(?:AF|AN|AS|EU|NA|OC|SA)?\z/i;

		return undef;
	});
}


sub network {
	my ($value) = @_;
	return each_of($value, sub { defined $_[0] ? string($_[0]) : undef });
}


sub asn {
	my ($value) = @_;

	return each_of($value, sub {
		return undef if !defined $_[0] || is_string($_[0])
			&& $_[0] =~ /^(?:AS(\d{1,10}))?\z/i
			&& ($1 // 0) <= 0xffffffff;
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

	return shown($value) . ' has blanks or control characters'
		if odd($octets);

	my $wire = wire_name($octets);

	return shown($value) . " is not a name: $$wire" if ref $wire;

	$found->('warning', 'no-dot', shown($value)
		. ' has no final dot: it is taken as if it had one')
		if $octets !~ /(?<!\\)(?:\\\\)*\.$/;

	return undef;
}

###############################################################################

# Names

# Blanks around a name, and control characters anywhere.

sub odd {
	my ($text) = @_;
	return $text =~ /^ | \z|[\x00-\x1f\x7f]/;
}


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
	return 'has blanks or control characters' if odd($label);
	return 'ends with a dot' if $label =~ /(?<!\\)(?:\\\\)*\.$/;

	my $wire = wire_name($label);

	return "is not a name: $$wire" if ref $wire;
	return 'is too long below this zone'
		if length($wire) - 1 + length $apex > 255;

	return undef;
}


# The type that a member of L1 means: (type, 1 if there may be records of it),
# or nothing.

sub type_name {
	my ($text) = @_;

	return ('ANAME', 1) if uc $text eq 'ANAME';

	my $type = type_number($text);

	return defined $type ? (type_text($type), is_record_type($type)) : ();
}


# The same for the end of a key, where only one spelling will do.

sub key_type {
	my ($text) = @_;

	my ($type, $good) = type_name($text);

	return defined $type && $type eq $text ? ($type, $good) : ();
}

###############################################################################

# Values

sub check_config {
	my ($octets, $found) = @_;

	return {} if $octets =~ /^(?:\s*null\s*)?\z/;

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

	return {} if $octets =~ /^(?:\s*null\s*)?\z/;

	my $object = decode($octets, $found) or return undef;
	my %types;

	for my $member (sort keys %$object) {
		my ($type, $good) = type_name($member);

		if (!defined $type) {
			$found->('note', 'unknown-member',
				"unknown member \"$member\"");
			next;
		}

		if (!$good) {
			$found_type->($type, 'error', 'bad-type',
				'records of this type cannot be given');
			$types{$type} = 1;
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

	return 0 if $octets =~ /^(?:\s*null\s*)?\z/;

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
	my %table = (ttl => [ \&ttl ]);
	my ($own) = keys %{ $single{$type} // {} };

	if (defined $own && (defined $rest{$own} || !defined $list)) {
		$table{$own} = $single{$type}{$own};

		# nothing in it: no record

		if (!defined $rest{$own}) {
			$table{$own} = [ $table{$own}[0] ];
			return !check_members(\%rest, \%table, '', $found);
		}

		$found->('note', 'unknown-member', 'unknown member "records"')
			if defined $list;

		check_members(\%rest, \%table, '', $found);
		return 1;
	}

	$list = undef if $type eq 'ANAME';

	if ($type eq 'A' || $type eq 'AAAA') {
		check_part(\%rest, 'filter', \%filter, $found);
		check_port(check_part(\%rest, 'health_check', \%health,
			$found), $found);
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

	return {} if !defined $part;

	if (ref $part ne 'HASH') {
		$found->('error', 'bad-value', "\"$name\" is not an object");
		return {};
	}

	$part = members($part, $found, $name);
	check_members($part, $table, $name, $found);

	return $part;
}


sub check_port {
	my ($check, $found) = @_;

	$found->('warning', 'no-port', '"health_check": tcp needs a port: '
		. 'nothing is checked')
		if $check->{enable} && !$check->{port}
			&& lc($check->{protocol} // '') eq 'tcp';
}


sub check_list {
	my ($type, $list, $found) = @_;

	my ($n, $size) = (0, 16);
	my %seen;

	for my $record (@$list) {
		my $of = 'record ' . ++$n;

		if (ref $record ne 'HASH') {
			$found->('error', 'not-object', "$of is not an object");
			next;
		}

		my $members = members($record, $found, $of);
		my $own = $records{$type} // {};

		if (!grep { defined $members->{$_} } keys %$own
			and !%$own || defined $members->{rdata})
		{
			my %place = $own->{ip} ? %place : ();

			check_members($members, { %place, rdata => [
				sub { rdata($type, @_) }, 1 ] }, $of, $found);

		} else {
			check_members($members, $own, $of, $found);
		}

		$found->('note', 'same-twice',
			"$of is the same as one before it")
			if @$list > 1
				&& $seen{$json->canonical()->encode($members)}++;

		$size += record_size($members->{text}) if $type eq 'TXT';
	}

	$found->('error', 'too-large', 'is larger than any message')
		if $size > 65535;
}


# What a TXT record takes in a message.

sub record_size {
	my ($text) = @_;

	return 12 if !is_string($text);

	utf8::encode(my $octets = $text);

	my $length = length $octets;

	return 12 + ($length > 65279 ? 0 : $length + int(($length + 254) / 255));
}


sub rdata {
	my ($type, $value, $found) = @_;

	my $error = string($value);

	return $error if defined $error;
	return 'is empty' if $value eq '';

	utf8::encode(my $octets = $value);

	# what Net::DNS does not know is left to the server

	if (!exists $Net::DNS::Parameters::typebyname{$type}) {
		return undef if $octets !~ /^\s*\\#/;
		$type = 'TYPE' . type_number($type);
	}

	eval {
		local $SIG{__WARN__} = sub { };

		Net::DNS::RR->new(". 0 IN $type $octets")->rdata();
		1;
	}
		or return shown($value) . " is not data of $type";

	return undef;
}


# Types of a name that do not go together, as a list of (code, text).

sub conflicts {
	my ($label, $types, $flattening) = @_;

	my @found;

	push @found, [ 'wildcard', "$_ cannot be at a wildcard: it is left out" ]
		for grep { $label =~ /^\*(?:\.|\z)/ && $types->{$_} } qw/ NS DNAME /;

	push @found, [ 'dname-beside', 'DNAME beside NS: the DNAME is left out' ]
		if $types->{DNAME} && $types->{NS} && $label ne '@' && !@found;

	if ($types->{CNAME}) {
		my @others = grep { !$beside_cname{$_} } sort keys %$types;

		@others = grep { /^A(?:AAA|NAME)?\z/ } @others
			if $label eq '@';

		push @found, $label eq '@' && !$flattening
			? [ 'cname-apex', 'no CNAME can be at the apex: it is'
				. ' left out' ]
			: @others ? [ 'cname-beside', "CNAME beside @others: only"
				. ' the CNAME is used' ] : ();
	}

	return @found;
}

###############################################################################

1;
