#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_ctl.sh - libdevtrace-ctl(3) and tracectl(8): their form, examples, and
# that they tell all that there is; and that libdevtrace needs no libmnl
#
# The examples are whole programs; here they are compiled as the synopsis says and
# run where there is no devtrace, which they must say. On a machine that has it
# they are not run.
. "$(dirname "$0")/doc.sh"
man=$top/Documentation/man/libdevtrace-ctl.3

check_page "$man"
check_page "$top/Documentation/man/tracectl.8"
check_install "$top/lib"
examples "$man"
for f in "$tmp"/*.c; do
	name=$(basename "$f")
	# shellcheck disable=SC2046
	check "$name compiles" "$CC" -Wall -Wextra -Werror "$f" -o "$tmp/prog" \
		$(pkg-config --cflags --libs libdevtrace-ctl)
	if [ ! -e /dev/trace ]; then
		"$tmp/prog" >"$tmp/out" 2>&1
		check "$name fails where there is no devtrace" test $? = 1
	fi
done
check "there are examples" test -f "$tmp/quiet.c" -a -f "$tmp/lost.c"
printf '#include <devtrace-ctl.h>\nint main() { return !devtrace_ctl_open; }\n' >"$tmp/plus.cc"
# shellcheck disable=SC2046
check "the header is C++ too" "${CXX:-g++}" -Wall -Wextra "$tmp/plus.cc" -fsyntax-only \
	$(pkg-config --cflags libdevtrace-ctl)

grep -o 'devtrace_\(ctl\|filter\)_[a-z_]*(' "$top/include/devtrace-ctl.h" | tr -d '(' |
	grep -v '_fn$' | sort -u >"$tmp/names"
nm -D --defined-only "$tmp/root/usr/lib/libdevtrace-ctl.so" |
	sed -n 's/.* T \(.*\)/\1/p; s/@.*//' | sed 's/@.*//' | sort -u >"$tmp/symbols"
check "the library has what the header offers, and no more" diff "$tmp/names" "$tmp/symbols"
while read -r name; do
	check "$name is described" grep -qw "$name" "$man"
done <"$tmp/names"
for lib in libdevtrace libdevtrace-ctl; do
	readelf -d "$tmp/root/usr/lib/$lib.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$tmp/$lib"
done
# The loader is a part of it.
check "libdevtrace needs libc alone" test "$(grep -v '^ld-linux' "$tmp/libdevtrace")" = libc.so.6
check "libdevtrace-ctl needs libmnl" grep -q '^libmnl' "$tmp/libdevtrace-ctl"

# All words of the usage are in the page.
PATH="$O/tools:$PATH" tracectl --help | grep -o -- '--[a-z]*\|^  [a-z]* ' | tr -d ' -' |
	sort -u >"$tmp/words"
while read -r word; do
	check "tracectl(8) tells of $word" grep -qw -- "$word" "$top/Documentation/man/tracectl.8"
done <"$tmp/words"

done_testing
