#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# Differential test: random zones and questions, compared with what Knot, NSD
# and BIND reply, over UDP and TCP, with and without EDNS.  See diff/.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir($FindBin::Bin); }

use lib qw/ lib diff /;
use Test::Nginx;
use Diff::Test;

###############################################################################

select STDERR; $| = 1;
select STDOUT; $| = 1;

my $t = diff_needs(Test::Nginx->new()->has(qw/stream udp/))
	->plan($diff_tests);

# always the same questions: long/differential.t has new ones each time

diff_test($t, 2000, 1);

###############################################################################
