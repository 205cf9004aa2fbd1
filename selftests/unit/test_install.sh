#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_install.sh - `make install` puts each file where its variable says, by install.list, each
# part of it brings its own files, and `make uninstall` leaves an empty tree
#
# Programs are built by CMake and Meson from what was installed, where these are. Builds
# in a copy of O: another fmtdir makes other programs.
. "$(dirname "$0")/doc.sh"

mkdir "$tmp/o"
cp -a "$O/lib" "$O/tools" "$tmp/o/" || exit 1
all='[a-z]*'
variables='bindir sbindir libdir includedir datadir mandir docdir fmtdir compdir confdir unitdir'

# The plugin is built where libbabeltrace2 is installed.
left_out=babeltrace-plugin-devtrace
[ ! -d "$O/tools/babeltrace-plugins" ] || left_out='^$'

not() { ! "$@"; }
# here TARGET DIR [VARIABLE=VALUE...]
here()
{
	target=$1
	dir=$2
	shift 2
	make -s -C "$top" O="$tmp/o" DESTDIR="$dir" "$@" "$target"
}
# listed PARTS VALUE-OF...: install.list with the directories of these sed commands, sorted
listed()
{
	parts=$1
	shift
	sed -n "s/^\($parts\) //p" "$here/install.list" | grep -v "$left_out" | sed "$@" | sort
	case $parts in
	doc|"$all") (cd "$top" && echo Documentation/*.rst) | tr ' ' '\n' | sed 's|^|@docdir@/|' | sed "$@" ;;
	esac
}
found() { (cd "$1" && { find . ! -type d; find . -type d -path ./usr/trace | sed 's|$|/|'; }) | sed 's|^\.||' | sort; }
# is_listed NAME DIR PARTS SED...
is_listed()
{
	name=$1
	dir=$2
	shift 2
	listed "$@" | sort >"$tmp/want"
	[ -d "$dir" ] || mkdir "$dir"
	found "$dir" >"$tmp/got"
	check "$name" diff "$tmp/want" "$tmp/got"
}

# below PREFIX: commands of sed for the defaults
below()
{
	printf '%s' "s|^@bindir@|$1/bin|;s|^@sbindir@|$1/sbin|;s|^@libdir@|$1/lib|;"
	printf '%s' "s|^@includedir@|$1/include|;s|^@mandir@|$1/share/man|;"
	printf '%s' "s|^@docdir@|$1/share/doc/devtrace|;s|^@fmtdir@|$1/share/devtrace/fmt|;"
	printf '%s' "s|^@compdir@|$1/share/bash-completion/completions|;"
	printf '%s' "s|^@unitdir@|$1/lib/systemd/system|;s|^@datadir@|$1/share|;s|^@confdir@|$1/lib|"
}

check "make install" here install "$tmp/default"
is_listed "each file is in its place, below /usr/local" "$tmp/default" "$all" "$(below /usr/local)"
check "make uninstall" here uninstall "$tmp/default"
check "leaves an empty tree" sh -c "find '$tmp/default' -mindepth 1 | grep . && exit 1; test -d '$tmp/default'"

check "make install prefix=/usr" here install "$tmp/usr" prefix=/usr
is_listed "each file is in its place, below /usr" "$tmp/usr" "$all" "$(below /usr)"
check "what others put there" sh -c "echo mine >'$tmp/usr/usr/trace/mine.fmt'; echo mine >'$tmp/usr/usr/bin/mine'"
cp -a "$tmp/usr" "$tmp/again"
check "make uninstall prefix=/usr" here uninstall "$tmp/again" prefix=/usr
found "$tmp/again" >"$tmp/got"
check "leaves what others put there" test "$(xargs <"$tmp/got")" = "/usr/bin/mine /usr/trace/ /usr/trace/mine.fmt"

# Each variable has its say, and none another's.
set --
commands=
for v in $variables; do
	set -- "$@" "$v=/of/$v"
	commands="${commands}s|^@$v@|/of/$v|;"
done
check "make install with every variable" here install "$tmp/each" "$@"
is_listed "each file follows its variable" "$tmp/each" "$all" "$commands"
check "pkg-config's file names libdir and includedir" sh -c \
	"grep -qx libdir=/of/libdir '$tmp/each/of/libdir/pkgconfig/libdevtrace.pc' &&
	 grep -qx includedir=/of/includedir '$tmp/each/of/libdir/pkgconfig/libdevtrace.pc'"
check "the service names sbindir" grep -q '^ExecStart=/of/sbindir/tracelogger ' \
	"$tmp/each/of/unitdir/tracelogger.service"
check "make uninstall with every variable" here uninstall "$tmp/each" "$@"
check "leaves nothing" sh -c "find '$tmp/each' -mindepth 1 | grep . && exit 1; :"
for v in $variables; do
	check "make help names $v" sh -c "make -s -C '$top' help | grep -qw $v"
done

mkdir "$tmp/words"
echo nonsense >"$tmp/words/bad.fmt"
check "make install-tools with fmtdir" here install-tools "$tmp/other" fmtdir="$tmp/words"
"$tmp/other/usr/local/bin/traceinfo" --check-fmt >"$tmp/said" 2>&1
check "programs look there" grep -F "$tmp/words/bad.fmt" "$tmp/said"

for part in lib tools dev doc; do
	check "make install-$part" here install-$part "$tmp/$part"
	is_listed "brings its own files" "$tmp/$part" $part "$(below /usr/local)"
done

# One line a file, and V=1 for the rest
say()
{
	rm -f "$tmp/o/lib/wire/frame.o" "$tmp/o/lib/libdevtrace.a"
	make -C "$top/lib" --no-print-directory O="$tmp/o" "$@" static 2>&1
}
say >"$tmp/said"
check "a build prints a line a file" sh -c "test \"\$(wc -l <'$tmp/said')\" -eq 2 &&
	! grep -v '^  [A-Z][A-Z]*  *[^ ]*\$' '$tmp/said'"
say V=1 >"$tmp/said"
check "with V=1 it prints commands" grep -q -- ' -c -o .*frame\.o' "$tmp/said"
say -s >"$tmp/said"
check "with -s it prints nothing" test ! -s "$tmp/said"

# A compiler that warns of more ends no build but ours.
warned()	# NAME=VALUE
{
	rm -f "$tmp/o/lib/wire/frame.o"
	make -s -C "$top/lib" O="$tmp/o" CFLAGS="-O0 -Wconversion" "$1" "$tmp/o/lib/wire/frame.o" >"$tmp/said" 2>&1
}
check "a warning does not end a build" warned WERROR=
check "and there was one" grep "warning: " "$tmp/said"
check "with WERROR=1 it does" not warned WERROR=1

# Build with pkg-config, CMake and Meson. The tree stands elsewhere than it says.
root=$tmp/usr
has_text() { grep -qF 'starts with %d arguments' "$1/app.fmt"; }
runs() { LD_LIBRARY_PATH=$root/usr/lib DEVTRACE_DEVICE=/nowhere "$1"; }
examples=$root/usr/share/doc/devtrace/examples
if command -v cmake >/dev/null; then
	check "CMake" sh -c "cmake -S '$examples' -B '$tmp/cmake' \
		-DCMAKE_PREFIX_PATH='$root/usr' && cmake --build '$tmp/cmake'"
	check "its program runs" runs "$tmp/cmake/app"
	check "its format file has the text" has_text "$tmp/cmake"
	cp -r "$examples" "$tmp/all"
	sed -i 's/find_package(devtrace 0.3 REQUIRED)/find_package(devtrace REQUIRED COMPONENTS ctl qp rkh rx)/
		s/devtrace::devtrace/devtrace::ctl devtrace::rx devtrace::rkh devtrace::qp/' "$tmp/all/CMakeLists.txt"
	check "CMake with each library" sh -c "cmake -S '$tmp/all' -B '$tmp/all/b' \
		-DCMAKE_PREFIX_PATH='$root/usr' && cmake --build '$tmp/all/b'"
	sed -i 's/COMPONENTS ctl/COMPONENTS bogus ctl/' "$tmp/all/CMakeLists.txt"
	check "and without one that there is not" sh -c "cmake -S '$tmp/all' -B '$tmp/all/c' \
		-DCMAKE_PREFIX_PATH='$root/usr' 2>&1 | grep 'has no bogus'"
else
	skip CMake "no cmake"
fi
if command -v meson >/dev/null && command -v ninja >/dev/null; then
	export PKG_CONFIG_PATH="$root/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root" PATH="$root/usr/bin:$PATH"
	check "Meson" sh -c "meson setup '$tmp/meson' '$examples' && ninja -C '$tmp/meson'"
	check "its program runs" runs "$tmp/meson/app"
	check "its format file has the text" has_text "$tmp/meson"
else
	skip Meson "no meson, or no ninja"
fi
done_testing
