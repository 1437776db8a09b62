#!/usr/bin/perl

# Copyright (C) ngx_dns_module contributors

# The documentation: links lead somewhere, every directive and variable has
# its words, the synopsis of the README is a configuration that works.

###############################################################################

use warnings;
use strict;

use Test::More;

BEGIN { use FindBin; chdir("$FindBin::Bin/../.."); }

use Cwd;
use File::Basename;
use File::Copy;
use File::Path qw/ make_path remove_tree /;

use lib 't/house/lib';
use House qw/ free_port /;

###############################################################################

my $nginx = $ENV{NGINX_BIN} || '/usr/sbin/nginx';
my $modules = $ENV{MODULES_DIR} || '/usr/lib/nginx/modules';
my $root = getcwd();

my @pages = ('README.md', sort glob 'docs/*.md');

plan(tests => 2 * @pages + 4);

# links, to files and to headings

for my $page (@pages) {
	my (@dead, @alien);
	my $text = prose($page);

	while ($text =~ /\]\(([^)\s]+)\)/g) {
		my $link = $1;
		my ($path, $anchor) = split /#/, $link, 2;
		next if $path =~ /^https?:/;

		my $target = $path eq '' ? $page : dirname($page) . "/$path";

		push @dead, $link if !-e $target;
		push @dead, $link if defined $anchor && -e $target
			&& !grep { $_ eq $anchor } anchors($target);
	}

	is("@dead", '', "links of $page");

	push @alien, $1 while $text =~ m{(?<![\w.])(/(?:home|root|tmp)/\S+)}g;

	is("@alien", '', "paths of $page");
}

# directives and variables of the source

my ($directives, $variables) = (slurp('docs/directives.md'),
	join '', map { slurp($_) } glob 'docs/*.md');

my @directives = (names('stream/ngx_stream_dns_module.c'),
	names('control/ngx_stream_dns_control_module.c'));
my @missing = grep {
	$directives !~ /^>?\s*\*\*\Q$_\E\*\*\s+\S+\s+
		\*\*Syntax:\*\*.*?\*\*Default:\*\*.*?\*\*Context:\*\*/msx
} @directives;

cmp_ok(scalar(@directives), '>', 3, 'directives found');
is("@missing", '', 'directives have a syntax, a default and a context');

@missing = grep { $variables !~ /`\$\Q$_\E`/ }
	names('stream/ngx_stream_dns_variables.c'),
	grep { /^dns_(?:aname|health)_/ } map { names($_) }
	map { "control/ngx_stream_dns_${_}_conf.c" } qw/ aname health /;

is("@missing", '', 'variables have a description');

# the synopsis

SKIP: {
	skip 'no stock nginx with a dynamic stream module', 1 if !-x $nginx
		|| !-e "$modules/ngx_stream_module.so";

	my $dir = "$root/build/house/synopsis";
	my $port = free_port();

	remove_tree($dir);
	make_path("$dir/modules", "$dir/zones");
	symlink "$modules/ngx_stream_module.so",
		"$dir/modules/ngx_stream_module.so" or die $!;
	symlink "$root/build/ngx_dns_module.so",
		"$dir/modules/ngx_dns_module.so" or die $!;
	copy('docs/example/zones/example.com.zone', "$dir/zones/") or die $!;

	my ($conf) = slurp('README.md') =~ /^```nginx\n(.*?)^```/ms;
	$conf =~ s/(listen\s+)53\b/${1}127.0.0.1:$port/g;

	open my $f, '>', "$dir/nginx.conf" or die $!;
	print $f "pid nginx.pid;\n$conf";
	close $f;

	my $out = `$nginx -t -p $dir/ -c $dir/nginx.conf -e $dir/error.log 2>&1`;

	is($?, 0, 'synopsis') or diag($out);
}

###############################################################################

sub slurp {
	my ($path) = @_;

	open my $f, '<', $path or die "$path: $!";
	local $/;
	return <$f>;
}

# without blocks of code, in which brackets mean something else

sub prose {
	my ($path) = @_;

	my $text = slurp($path);
	$text =~ s/^```.*?^```$//msg;
	$text =~ s/`[^`\n]*`/x/g;
	return $text;
}

# what a heading is called in a link

sub anchors {
	my ($path) = @_;

	my @anchors;

	for (slurp($path) =~ /^#+\s+(.+?)\s*$/mg) {
		my $anchor = lc;
		$anchor =~ s/[^\w\- ]//g;
		$anchor =~ s/ /-/g;
		push @anchors, $anchor;
	}

	push @anchors, slurp($path) =~ /<a (?:id|name)="([^"]+)"/g;

	return @anchors;
}

sub names {
	my ($file) = @_;

	return slurp("ngx_dns_module/$file")
		=~ /\{\s*ngx_string\("(dns\w*)"\)/g;
}

###############################################################################
