#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_emit_machines.sh - the emitting side on machines that are not this one
#
# Its tests compiled for s390x (big-endian, no unaligned habits of x86), 32-bit
# ARM, arm64 and riscv64, and run by qemu-user: the bytes that they expect are the same.
# Needs gcc-s390x-linux-gnu, gcc-arm-linux-gnueabihf, gcc-aarch64-linux-gnu or
# gcc-riscv64-linux-gnu, with libc, and qemu-user; and musl-gcc for this machine with another C library.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$here/musl.sh"

count=0
bad=0

result()
{
	count=$((count + 1))
	echo "$1 $count $2"
	[ "$1" = ok ] || bad=$((bad + 1))
}

# compile COMPILER SOURCE...: as all of these are
compile()
{
	cc=$1
	shift
	"$cc" -O2 -std=gnu11 -DSITES_FILE="\"$tmp/sites\"" -DDEVTRACE_SITES_FILE=SITES_FILE -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare \
		-I"$top/include/uapi" -I"$top/include" -I"$top/lib" -I"$top/selftests" -I"$here" \
		"$@" >"$tmp/log" 2>&1 && return
	tail -n 30 "$tmp/log" | sed 's/^/# /'
	return 1
}

# machine NAME COMPILER EMULATOR
machine()
{
	if ! command -v "$2" >/dev/null || ! command -v "$3" >/dev/null; then
		result ok "$1 # SKIP no $2 or no $3"
		return
	fi
	# Once for all tests
	mkdir "$tmp/$1"
	if ! (cd "$tmp/$1" && compile "$2" -c "$top"/lib/emit/*.c "$top/lib/wire/elem.c" \
		"$here/fakedev.c"); then
		result "not ok" "$1 library compiles"
		return
	fi
	for t in test_record test_emit test_now test_status test_wanted test_log test_lane test_lane_process; do
		more=
		case $t in
		test_lane*) more="$here/lane_parse.c -Wl,--wrap=clock_gettime" ;;
		test_log) more=-Wl,--wrap=fstat ;;
		esac
		# shellcheck disable=SC2086 # several words, or none
		if ! compile "$2" -static -o "$tmp/$t" "$here/$t.c" "$tmp/$1"/*.o \
			-Wl,--wrap=ioctl,--wrap=syscall,--wrap=mmap,--wrap=munmap -lpthread $more; then
			result "not ok" "$1 $t compiles"
			continue
		fi
		: >"$tmp/device"
		if DEVTRACE_DEVICE=$tmp/device "$3" "$tmp/$t" >"$tmp/log" 2>&1; then
			result ok "$1 $t"
		else
			grep -v '^ok\|^#  ' "$tmp/log" | sed 's/^/# /'
			result "not ok" "$1 $t"
		fi
	done
}

echo "TAP version 13"
machine s390x s390x-linux-gnu-gcc qemu-s390x
machine arm arm-linux-gnueabihf-gcc qemu-arm
machine arm64 aarch64-linux-gnu-gcc qemu-aarch64
machine riscv64 riscv64-linux-gnu-gcc qemu-riscv64
musl_cc "$tmp/cc"
machine musl "$tmp/cc/musl-cc" env
echo "1..$count"
[ $bad = 0 ]
