#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_emit.sh - libdevtrace(3): its form, its examples, and that it tells
# all that the headers offer
#
# An example is what stands between `.\" example: NAME` and `.Ed`. It is a whole
# program; here it is compiled as the synopsis says and run where there is no
# device, which must change nothing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
CC=${CC:-gcc}
man=$top/Documentation/man/libdevtrace.3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

count=0
bad=0

check()
{
	count=$((count + 1))
	what=$1
	shift
	if "$@" >"$tmp/log" 2>&1; then
		echo "ok $count $what"
	else
		bad=$((bad + 1))
		echo "not ok $count $what"
		sed 's/^/# /' "$tmp/log"
	fi
}

echo "TAP version 13"
if command -v mandoc >/dev/null; then
	# what other pages are installed here is not this page's business
	mandoc -T lint "$man" 2>/dev/null | grep -v 'referenced manual not found' >"$tmp/lint"
	check "lint" diff /dev/null "$tmp/lint"
else
	count=$((count + 1))
	echo "ok $count # SKIP no mandoc"
fi

check "install" make -s -C "$top/lib" O="$O" DESTDIR="$tmp/stage" prefix=/usr install
export PKG_CONFIG_PATH="$tmp/stage/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/stage"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export LD_LIBRARY_PATH="$tmp/stage/usr/lib" DEVTRACE_DEVICE="$tmp/none"

awk -v dir="$tmp/" '
	/^\.\\" example: / { file = dir $3; next }
	/^\.Ed/ { file = "" }
	file { gsub(/\\e/, "\\"); print > file }
' "$man"
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
	-a -f "$tmp/qs.c" -a -f "$tmp/open.c"

# What programs may call and the page does not tell.
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

echo "1..$count"
[ $bad = 0 ]
