#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceinfo_machines.sh - traceinfo and devtrace-convert on machines that are not this one
#
# Compiled for s390x (big-endian) and 32-bit ARM, where size_t and time_t are small,
# and run by qemu-user, they print of the same streams what test_traceinfo.sh expects.
# Needs gcc-s390x-linux-gnu or gcc-arm-linux-gnueabihf, with libc, and qemu-user.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$(cd "${O:-$top/build}/selftests/unit" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# CC is for here.
unset MAKEFLAGS MFLAGS MAKELEVEL CC

count=0
bad=0
result()
{
	count=$((count + 1))
	echo "$1 $count $2"
	[ "$1" = ok ] || bad=$((bad + 1))
}

# machine NAME COMPILER'S-PREFIX EMULATOR
machine()
{
	if ! command -v "$2gcc" >/dev/null || ! command -v "$3" >/dev/null; then
		result ok "$1 # SKIP no $2gcc or no $3"
		return
	fi
	mkdir -p "$tmp/$1/selftests/unit/san/tools"
	if ! make -s -C "$top/tools" O="$tmp/$1" CROSS_COMPILE="$2" LDFLAGS=-static MNL_LIBS= \
		all >"$tmp/log" 2>&1; then
		tail -n 30 "$tmp/log" | sed 's/^/# /'
		result "not ok" "$1 compiles"
		return
	fi
	for tool in traceinfo devtrace-convert; do
		cat >"$tmp/$1/selftests/unit/san/tools/$tool" <<-RUN
		#!/bin/sh
		exec $3 -0 $tool $tmp/$1/tools/$tool "\$@"
		RUN
		chmod +x "$tmp/$1/selftests/unit/san/tools/$tool"
	done
	# qemu-user knows no ioctl of ours: without manners. And traceinfo is a script here, which
	# is at no prefix.
	if TRANSCRIPTS='[!mp]*' PATH="$out:$PATH" O="$tmp/$1" sh "$here/test_traceinfo.sh" >"$tmp/log" 2>&1 &&
	   grep -q '^ok 100 ' "$tmp/log"; then
		result ok "$1"
	else
		grep -v '^ok' "$tmp/log" | sed 's/^/# /'
		result "not ok" "$1"
	fi
}

echo "TAP version 13"
machine s390x s390x-linux-gnu- qemu-s390x
machine arm arm-linux-gnueabihf- qemu-arm
echo "1..$count"
[ $bad = 0 ]
