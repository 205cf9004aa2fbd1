#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_decode.sh - libdevtrace-decode(3): its form, its examples, and that
# it tells all that the header offers
#
# An example is what stands between `.\" example: NAME` and `.Ed`. The programs
# are compiled as users do, with pkg-config, and must print what the page says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
CC=${CC:-gcc}
man=$top/Documentation/man/libdevtrace-decode.3
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
	# What other pages are installed here is not this page's business.
	mandoc -T lint "$man" 2>/dev/null | grep -v 'referenced manual not found' >"$tmp/lint"
	check "lint" diff /dev/null "$tmp/lint"
else
	count=$((count + 1))
	echo "ok $count lint # SKIP no mandoc"
fi

check "install" make -s -C "$top/lib" O="$O" DESTDIR="$tmp/stage" prefix=/usr install
export PKG_CONFIG_PATH="$tmp/stage/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/stage"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export LD_LIBRARY_PATH="$tmp/stage/usr/lib"

awk -v dir="$tmp/" '
	/^\.\\" example: / { file = dir $3; next }
	/^\.Ed/ { file = "" }
	/^\.Bd/ { next }
	file { gsub(/\\e/, "\\"); print > file }
' "$man"
for name in print make; do
	# shellcheck disable=SC2046
	check "$name.c compiles" "$CC" -Wall -Wextra -Werror "$tmp/$name.c" -o "$tmp/$name" \
		$(pkg-config --cflags --libs libdevtrace)
done
"$tmp/make" >"$tmp/stream"
"$tmp/print" <"$tmp/stream" >"$tmp/printed"
check "they print what the page says" diff "$tmp/output" "$tmp/printed"

# What programs may call and the page does not tell; and what is exported.
sed -n '/^typedef/d; s/^[^#/ ].*[ *]\(devtrace_[a-z_]*\)(.*/\1/p' "$top/include/devtrace-decode.h" |
	sort -u >"$tmp/names"
check "the header has functions" test "$(wc -l <"$tmp/names")" -ge 11
nm -D --defined-only "$tmp/stage/usr/lib/libdevtrace.so" | sed 's/.* //; s/@.*//' >"$tmp/exported"
while read -r name; do
	check "$name is described" grep -q "^\.Nm $name\( ,\)\?$" "$man"
	check "$name is exported" grep -qx "$name" "$tmp/exported"
done <"$tmp/names"

echo "1..$count"
[ $bad = 0 ]
