#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_emit.sh - libdevtrace(3): its form, its examples, and that it tells
# all that the headers offer
#
# An example is what stands between `.\" example: NAME` and `.Ed`. It is a whole
# program; here it is compiled as the synopsis says and run where there is no
# device, which must change nothing.
. "$(dirname "$0")/doc.sh"
man=$top/Documentation/man/libdevtrace.3

check_page "$man"
check_install "$top/lib"
export DEVTRACE_DEVICE="$tmp/none"
examples "$man"
for f in "$tmp"/*.c; do
	name=$(basename "$f")
	for how in "" -DDEVTRACE_DISABLE; do
		# shellcheck disable=SC2046,SC2086
		check "$name compiles $how" "$CC" -Wall -Wextra -Werror $how "$f" -o "$tmp/prog" \
			$(pkg-config --cflags --libs libdevtrace)
		check "$name runs $how" "$tmp/prog"
	done
done
check "there are examples" test -f "$tmp/short.c" -a -f "$tmp/record.c" -a -f "$tmp/qnx.c" \
	-a -f "$tmp/qs.c" -a -f "$tmp/open.c" -a -f "$tmp/status.c"

# Functions that the page does not describe.
sed -n 's/.*\(devtrace_[a-z0-9_]*\)(.*/\1/p' "$top/include/devtrace/emit.h" |
	grep -v '_$' | sort -u >"$tmp/names"
grep -o '^#define devtrace_[a-z0-9_]*[a-z0-9](' "$top"/include/devtrace/short.h |
	sed 's/.*#define //; s/($//' | sort -u >>"$tmp/names"
while read -r name; do
	case $name in
	devtrace_dict_add) continue;;	# what the others are made of
	esac
	check "$name is described" grep -qw "$name" "$man"
done <"$tmp/names"

done_testing
