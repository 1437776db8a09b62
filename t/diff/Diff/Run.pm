package Diff::Run;

# Copyright (C) ngx_dns_module contributors

# A run of the differential test: zones, servers, questions, comparison,
# report.

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

our @EXPORT = qw/ diff_families diff_questions diff_start diff_ask diff_run /;

###############################################################################

my $nginx_port = 8710;

my $per_zone = 25;

###############################################################################

# Asks as many questions as wanted, of random zones.  Gives { pairs, aims,
# kinds, differ, unknown, problems, report }.

sub diff_run {
	my ($t, $seed, $pairs) = @_;

	srand $seed;

	my $families = [ map { [ zone_family($_) ] }
		1 .. 4 + int $pairs / $per_zone ];

	my $questions = diff_questions($families, $pairs);

	my $ports = diff_start($t, map { @$_ } @$families);

	return diff_ask($ports, $questions);
}


sub diff_questions {
	my ($families, $count) = @_;

	my @questions;

	while (@questions < $count) {
		my $question = question_make(pick(@$families)) // next;

		$question->{size} = pick(512, 1232, 1232, 4096);
		push @questions, $question;
	}

	return \@questions;
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
		$t->write_file("zones/$name.zone", $zone->text());
		$files{$name} = {
			apex => $zone->{apex},
			file => "$folder/zones/$name.zone",
		};
	}

	port($nginx_port, udp => 1);
	$t->write_file_expand('nginx.conf', _conf());

	port($nginx_port, socket => 1)->close();
	$t->run();

	return {
		nginx => port($nginx_port),
		%{ peers_start($t, $folder, \%files) },
	};
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

# Asks questions in four ways and compares the replies.

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

	my $report = { pairs => scalar @$questions, aims => {}, kinds => {},
		differ => {}, differing => 0, bad => [] };

	for my $n (0 .. $#$questions) {
		my $question = $questions->[$n];
		my %asked;

		for my $how (keys %$replies) {
			$asked{$how}{$_} = $replies->{$how}{$_}[$n]
				for keys %{ $replies->{$how} };
		}

		my $size = $question->{size};
		my $result = compare_pair($question, \%asked,
			{ udp => 512, 'udp edns' => $size > 1232 ? 1232 : $size });

		$report->{aims}{$question->{aim}}++;
		$report->{kinds}{$_}++ for keys %{ $question->{kinds} };
		$report->{differ}{$_}++ for keys %{ $result->{kinds} };
		$report->{differing}++ if %{ $result->{kinds} };

		push @{ $report->{bad} }, { question => $question, %$result }
			if @{ $result->{problems} };
		$report->{each}->($question, $result) if $report->{each};
	}

	return $report;
}

###############################################################################

1;
