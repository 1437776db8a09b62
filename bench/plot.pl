#!/usr/bin/perl

# (C) ngx_dns_module contributors

# Draws the results of run.pl: BENCH_BUILD/query.svg and load.svg (and PNG).

###############################################################################

use warnings;
use strict;

BEGIN { use FindBin; }

use lib $FindBin::Bin;

use Bench;

###############################################################################

my $build = $ENV{BENCH_BUILD} || "$FindBin::Bin/../build/bench";

my %label = (
	echo => 'echo (floor)', nginx => 'this module',
	'nginx-access' => '+ allow/deny', 'nginx-log' => '+ access_log',
	'nginx-echo' => 'nginx echo', gdnsd => 'gdnsd', knot => 'Knot', nsd => 'NSD', bind => 'BIND',
	pdns => 'PowerDNS',
);

my $drawn = 0;

query(read_json("$build/query.json"));
loading(read_json("$build/load.json"));

print "nothing to draw: run \"make bench\" first\n" unless $drawn;

###############################################################################

sub query {
	my ($data) = @_;

	return unless $data;

	my $lines = '';

	for my $name (@{$data->{order}}) {
		my $r = $data->{servers}{$name};

		$lines .= sprintf "\"%s\" %.3f %.3f %.3f\n",
			"$label{$name}\\n" . version($name, $r->{version}),
			$r->{cpu_us} - $r->{user_us}, $r->{user_us},
			$r->{cpu_us};
	}

	spew("$build/query.dat", $lines);

	draw('query', 1000, 380, <<EOT);
set title "CPU per UDP query, one worker, 100,000 names (microseconds)"
set style histogram rowstacked
set key top left
plot '$build/query.dat' using 2:xtic(1) title 'system' lc rgb '#8fa8c8', \\
     '' using 3 title 'user' lc rgb '#d9822b', \\
     '' using 0:4:4 with labels offset 0,0.7 notitle
EOT
}

sub loading {
	my ($data) = @_;

	return unless $data;

	my $lines = '';

	for my $name (@{$data->{order}}) {
		my ($a, $mix) = map { $data->{zones}{$_}{$name} } qw/ a mix /;

		$lines .= sprintf "\"%s\" %.3f %.3f %.1f %.1f\n",
			"$label{$name}\\n" . version($name, $a->{version}),
			$a->{cpu}, $mix->{cpu},
			$a->{per_record}, $mix->{per_record};
	}

	spew("$build/load.dat", $lines);

	draw('load', 1000, 380, <<EOT);
set multiplot layout 1,2
set style histogram clustered gap 1
set key top left
set title "Zone of 1,000,000 records: CPU seconds to the first answer"
plot '$build/load.dat' using 2:xtic(1) title 'A only' lc rgb '#8fa8c8', \\
     '' using 3 title 'A, AAAA, MX, TXT' lc rgb '#d9822b'
set title "Resident octets per record, all processes"
plot '$build/load.dat' using 4:xtic(1) title 'A only' lc rgb '#8fa8c8', \\
     '' using 5 title 'A, AAAA, MX, TXT' lc rgb '#d9822b'
unset multiplot
EOT
}

sub version {
	my ($name, $version) = @_;
	return $name =~ /^nginx-(access|log)/ ? ''
		: $name =~ /^nginx/ ? "nginx $version"
		: $name eq 'echo' ? 'no DNS' : $version;
}

sub draw {
	my ($name, $width, $height, $plot) = @_;

	for my $type (qw/ svg png /) {
		my $font = $type eq 'svg' ? 'Helvetica,11' : 'Sans,9';
		my $terminal = $type eq 'svg' ? 'svg' : 'pngcairo';

		open my $f, '|-', 'gnuplot' or die "gnuplot: $!\n";
		print $f <<EOT;
set terminal $terminal noenhanced size $width,$height font '$font' background 'white'
set output '$build/$name.$type'
set style data histograms
set style fill solid 0.9 noborder
set boxwidth 0.9 relative
set grid ytics lc rgb '#dddddd'
set border 3
set bmargin 4
set tics nomirror
set yrange [0:*]
set offsets 0,0,graph 0.12,0
$plot
EOT
		close $f or die "gnuplot failed\n";
		print "drawn: $build/$name.$type\n";
	}

	$drawn++;
}

###############################################################################
