#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_decode.sh - libdevtrace-decode(3): its form, its examples, and that
# it tells all that the header offers
#
# An example is what stands between `.\" example: NAME` and `.Ed`. The programs
# are compiled as users do, with pkg-config, and must print what the page says.
. "$(dirname "$0")/doc.sh"
man=$top/Documentation/man/libdevtrace-decode.3

check_page "$man"
check_install "$top/lib"
examples "$man"
for name in print make; do
	# shellcheck disable=SC2046
	check "$name.c compiles" "$CC" -Wall -Wextra -Werror "$tmp/$name.c" -o "$tmp/$name" \
		$(pkg-config --cflags --libs libdevtrace)
done
"$tmp/make" >"$tmp/stream"
"$tmp/print" <"$tmp/stream" >"$tmp/printed"
check "they print what the page says" diff "$tmp/output" "$tmp/printed"

# Functions that the page does not describe; and exported symbols.
sed -n '/^typedef/d; s/^[^#/ ].*[ *]\(devtrace_[a-z_]*\)(.*/\1/p' "$top/include/devtrace-decode.h" |
	sort -u >"$tmp/names"
check "the header has functions" test "$(wc -l <"$tmp/names")" -ge 11
nm -D --defined-only "$tmp/root/usr/lib/libdevtrace.so" | sed 's/.* //; s/@.*//' >"$tmp/exported"
while read -r name; do
	check "$name is described" grep -q "^\.Nm $name\( ,\)\?$" "$man"
	check "$name is exported" grep -qx "$name" "$tmp/exported"
done <"$tmp/names"

done_testing
