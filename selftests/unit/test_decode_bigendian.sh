#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_decode_bigendian.sh - the decoder on a machine with the other byte order
#
# The tests of the decoder that are quick, compiled for s390x (big-endian) and
# run by qemu-user; they write and expect their bytes one by one, so the same
# streams have to come out. Also for 32-bit ARM, where size_t is small.
# Needs gcc-s390x-linux-gnu or gcc-arm-linux-gnueabihf, with libc, and qemu-user.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

lib=$top/lib
tests="test_frame test_decode_accuracy test_decode_names test_wire_format test_decode"
count=0
bad=0

result()
{
	count=$((count + 1))
	echo "$1 $count $2"
	[ "$1" = ok ] || bad=$((bad + 1))
}

# arch compiler emulator
machine()
{
	if ! command -v "$2" >/dev/null || ! command -v "$3" >/dev/null; then
		result ok "$1 # SKIP no $2 or no $3"
		return
	fi
	for t in $tests; do
		more=
		case $t in
		test_decode*) more=$here/teststream.c ;;
		esac
		# shellcheck disable=SC2086
		if ! "$2" -static -O1 -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter \
			-Wno-sign-compare -Wno-pointer-to-int-cast -I"$top/include/uapi" -I"$top/include" -I"$lib" \
			-I"$top/selftests" -I"$here" -DTOP_DIR="\"$top\"" \
			-o "$tmp/$t" "$here/$t.c" $more "$lib/decode/decode.c" "$lib/decode/decode_body.c" \
			"$lib/decode/decode_accuracy.c" \
			"$lib/decode/decode_compact.c" "$lib/decode/decode_names.c" "$lib/wire/elem.c" "$lib/wire/frame.c" >"$tmp/log" 2>&1; then
			tail -n 30 "$tmp/log" | sed 's/^/# /'
			result "not ok" "$1 $t compiles"
			continue
		fi
		if QUICK=1 "$3" "$tmp/$t" >"$tmp/log" 2>&1; then
			result ok "$1 $t"
		else
			grep -v '^ok\|RUN\|  OK' "$tmp/log" | sed 's/^/# /'
			result "not ok" "$1 $t"
		fi
	done
}

echo "TAP version 13"
machine s390x s390x-linux-gnu-gcc qemu-s390x
machine arm arm-linux-gnueabihf-gcc qemu-arm
echo "1..$count"
[ $bad = 0 ]
