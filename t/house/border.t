#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# The border of the core: of nginx its objects may need pools, arrays, queues,
# trees and string functions, of the C library nothing that waits or talks to
# the system.  Includes too: nothing but value types and the core itself.  The
# pure files of control/ are held to the same, but may use the libraries that
# parse replies of Redis and databases of places.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/../.."); }

###############################################################################

my $nginx = qr/^ngx_(?:
	palloc | pnalloc | pcalloc | pmemalign | pfree
	| create_pool | destroy_pool | reset_pool | pool_cleanup_add
	| array_\w+ | list_\w+ | queue_\w+ | rbtree_\w+
	| (?:v?s|v?sn|v?sl)printf | cpystrn | pstrdup
	| str(?:n?casecmp|nstr|str|casestrn|low|lcasestrn|rchr)\w*
	| r?stre?n?cmp | rstrncasecmp | memn2cmp | dns_strcmp
	| ato(?:i|fp|sz|of|tm) | hex_dump | hextoi
	| (?:en|de)code_base64(?:url)? | utf8_\w+ | sort
)$/x;

my $libc = qr/^(?:
	mem(?:cpy|move|set|cmp|chr|rchr|mem) | str(?:n?cmp|n?casecmp|len|chr)
	| __(?:mem|str)\w+_chk | __stack_chk_fail | _GLOBAL_OFFSET_TABLE_
	| __popcountdi2 | __udivti3 | __umodti3
	| mmap | munmap | mremap | madvise | malloc | calloc | realloc | free
	| qsort | bsearch | sincos | sin | cos | strtod
)$/x;

# hashes of OpenSSL are functions of their arguments

my $hash = qr/^SHA\d+_(?:Init|Update|Final)$/;

# parsers of control/: octets in, values out

my $parser = qr/^(?:redisReader\w+|MMDB_\w+)$/;

my @objects = (glob('build/core/plain/{dns,zone,answer}/*.o'),
	glob('build/core/plain/control/ngx_dns_*.o'));

plan(skip_all => 'the core is not built') if !@objects;

my %own;

for (split /\n/, `nm --defined-only -g @objects`) {
	$own{$1} = 1 if /^\S+ \S (\S+)$/;
}

my @sources = sort(glob('ngx_dns_module/{dns,zone,answer}/*.[ch]'),
	glob('ngx_dns_module/control/ngx_dns_*.[ch]'));

plan(tests => @objects + @sources + 1);

for my $object (@objects) {
	my @alien = grep { !$own{$_} && !/$nginx/ && !/$libc/ && !/$hash/
			&& !($object =~ m!/control/! && /$parser/) }
		map { /^\s+U (\S+)$/ ? $1 : () } split /\n/, `nm -u $object`;

	is("@alien", '', "symbols of $object");
}

# variables that change would make runs depend on what went before

my @data;

for (split /\n/, `nm -o --defined-only @objects`) {
	push @data, "$1 $2" if /^(\S+?):\S+ [bBC] (\S+)$/;
}

is(join(', ', @data), '', 'no variables in the core');

my %below = (
	dns => qr/dns/, zone => qr/dns|zone/, answer => qr/dns|zone|answer/,
	control => qr/dns|zone|answer|control/
);

my %floor = map { m!/(\w+)/([^/]+)$!; $2 => $1 } @sources;

for my $source (@sources) {
	my ($floor) = $source =~ m!/(\w+)/[^/]+$!;
	my @alien;

	open my $f, '<', $source or die "$source: $!";

	while (<$f>) {
		next if !/^\s*#\s*include\s+[<"]([^>"]+)[>"]/;

		push @alien, $1 if defined $floor{$1}
			? $floor{$1} !~ /^(?:$below{$floor})$/
			: $1 !~ /^(?:ngx_config\.h|ngx_core\.h|sys\/mman\.h
				|openssl\/\w+\.h|immintrin\.h|x86intrin\.h)$/x
				&& !($floor eq 'control' && $1
				=~ /^(?:hiredis\/hiredis\.h|maxminddb\.h|math\.h)$/);
	}

	close $f;

	is("@alien", '', "includes of $source");
}

###############################################################################
