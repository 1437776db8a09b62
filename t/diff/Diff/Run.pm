package Diff::Run;

# Copyright (C) ngx_dns_module contributors

# A run of the differential test: zones, servers, questions, comparison,
# reports of what is wrong.

###############################################################################

use warnings;
use strict;

use base qw/ Exporter /;

use File::Path qw/ make_path /;

use Test::Nginx;

use Diff::Client;
use Diff::Compare;
use Diff::Generator;
use Diff::Lookup;
use Diff::Message;
use Diff::Name;
use Diff::Peers;
use Diff::Questions;

our @EXPORT = qw/ diff_family diff_start diff_ask diff_any /;

###############################################################################

my $nginx_port = 8710;

# Questions about each family of zones, and tries to find one.

my $per_family = 25;
my $tries = 100;

###############################################################################

# The family of zones of a number and seed, and questions about it: the same
# whatever else is asked.  Gives { zones, questions, any }.

sub diff_family {
	my ($seed, $number) = @_;

	srand $seed * 100_003 + $number;

	my $zones = [ zone_family($number) ];

	$_->{text} = $_->text() for @$zones;

	my (@questions, @any);

	for (1 .. $tries) {
		my $question = question_make($zones) // next;

		$question->{seed} = $seed;
		$question->{number} = $number;
		$question->{size} = pick(512, 1232, 1232, 4096);

		push @questions, $question;
		last if @questions == $per_family;
	}

	# one in ten again for all types

	for my $n (0 .. $#questions) {
		push @any, { %{ $questions[$n] }, type => 'ANY' } if $n % 10 == 0;
	}

	return { zones => $zones, questions => \@questions, any => \@any };
}

###############################################################################

# Starts nginx and the peers with the zones given; gives { server => port }.

sub diff_start {
	my ($t, @zones) = @_;

	my $folder = $t->testdir();
	my %files;

	make_path("$folder/zones");

	for my $zone (@zones) {
		my $name = name_text($zone->{apex});

		chop $name;
		$t->write_file("zones/$name.zone", $zone->{text});
		$files{$name} = {
			apex => $zone->{apex},
			file => "$folder/zones/$name.zone",
		};
	}

	port($nginx_port, udp => 1);
	$t->write_file_expand('nginx.conf', _conf());

	port($nginx_port, socket => 1)->close();
	_run($t, "$folder/stderr");

	return {
		nginx => port($nginx_port),
		%{ peers_start($t, $folder, \%files) },
	};
}


# The zones are full of what deserves a warning: not on the terminal.

sub _run {
	my ($t, $file) = @_;

	open my $stderr, '>&', \*STDERR or die "dup: $!\n";
	open STDERR, '>', $file or die "$file: $!\n";

	my $running = eval { $t->run() };
	my $error = $@;

	open STDERR, '>&', $stderr or die "dup: $!\n";

	return if $running;

	open my $f, '<', $file;
	die $error, grep { !/\[warn\]/ } <$f>;
}


sub _conf {
	return <<EOF;
%%TEST_GLOBALS%%

daemon off;

events { }

stream {
    %%TEST_GLOBALS_STREAM%%

    error_log %%TESTDIR%%/error.log warn;

    server {
        listen 127.0.0.1:%%PORT_${nginx_port}_UDP%% udp;
        listen 127.0.0.1:%%PORT_${nginx_port}_UDP%%;
        dns on;
        dns_zones %%TESTDIR%%/zones/*.zone;
    }
}
EOF
}

###############################################################################

# Asks each question in four ways and compares the replies.  Gives counts:
#
#   pairs      questions
#   kinds      by what a question is about
#   labels     by the number of labels
#   differing  questions at which the peers differ; differ - by the kind
#   bad        what is wrong, and the replies

sub diff_ask {
	my ($ports, $questions) = @_;

	my %queries = (
		plain => [ map { query_make($_->{asked},
			type_number($_->{type})) } @$questions ],
		edns => [ map { query_make($_->{asked},
			type_number($_->{type}), $_->{size}) } @$questions ],
	);

	my %replies;

	for my $server (sort keys %$ports) {
		for my $proto (qw/ udp tcp /) {
			$replies{$proto}{$server} = client_ask($proto,
				$ports->{$server}, $queries{plain});
			$replies{"$proto edns"}{$server} = client_ask($proto,
				$ports->{$server}, $queries{edns});
		}
	}

	return _compare($questions, \%replies);
}


sub _compare {
	my ($questions, $replies) = @_;

	my $report = { pairs => scalar @$questions, differing => 0, bad => [],
		kinds => {}, labels => {}, differ => {} };

	for my $n (0 .. $#$questions) {
		my $question = $questions->[$n];
		my $size = $question->{size};
		my %asked;

		for my $how (keys %$replies) {
			$asked{$how}{$_} = $replies->{$how}{$_}[$n]
				for keys %{ $replies->{$how} };
		}

		my $result = compare_pair($question, \%asked,
			{ udp => 512, 'udp edns' => $size > 1232 ? 1232 : $size });

		$report->{labels}{ scalar name_labels($question->{name}) }++;
		$report->{kinds}{$_}++ for keys %{ $question->{kinds} };
		$report->{differ}{$_}++ for keys %{ $result->{kinds} };
		$report->{differing}++ if %{ $result->{kinds} };

		push @{ $report->{bad} }, { %$result, question => $question }
			if @{ $result->{problems} };
	}

	return $report;
}


# Questions for all types, of which RFC 8482 lets a server choose: where the
# peers have the same rcode and AA over TCP, ours are those, and there are
# records in the answer if they have some.  Gives those that are wrong.

sub diff_any {
	my ($ports, $questions) = @_;

	my @queries = map { query_make($_->{asked}, 255) } @$questions;
	my %replies = map { $_ => client_ask('tcp', $ports->{$_}, \@queries) }
		keys %$ports;

	my @bad;

	for my $n (0 .. $#$questions) {
		my %flags;

		for my $server (keys %replies) {
			my $reply = eval { reply_parse($replies{$server}[$n] // '') };

			push @{ $flags{$reply ? join ' ', $reply->{rcode},
				$reply->{aa}, @{ $reply->{answer} } ? 1 : 0 : $@} },
				$server;
		}

		push @bad, $questions->[$n]
			if grep { "@$_" eq 'nginx' } values %flags and keys %flags == 2;
	}

	return @bad;
}

###############################################################################

1;
