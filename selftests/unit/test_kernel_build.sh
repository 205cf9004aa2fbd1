#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_kernel_build.sh - the module, its samples and the modules of the tests compile for
# the oldest and the newest kernel that is supported, without a warning of W=1, and events go
# through it there
#
# The oldest is Debian 11's 5.10: for this machine's architecture, with PREEMPT_RT too, and for
# 32-bit ARM. The newest is that of the next Debian's backports, built with that Debian's
# compiler. Each is skipped where no archive has its headers. The boards 5.10, armhf:5.10 and
# newest run all tests. 6.12 is compiled for as well; make static compiles for 6.1.
# BUILD_KERNELS is those that are compiled for, words as in BOARDS.
. "$(dirname "$0")/doc.sh"
vm=$top/selftests/vm
NONE=123	# how board ends when no archive has the kernel

# build DIR OPTION...: modules of DIR, and in $dir where they are
build()
{
	src=$1
	shift
	dir=$("$vm/build-kmod" "$tmp/modules" "$src" "$@" -- -s W=1 DT_INCLUDE="$top/include" \
		${symbols:+KBUILD_EXTRA_SYMBOLS="$symbols"} 2>"$tmp/said") || {
		cat "$tmp/said"
		return 1
	}
	! grep -i 'warning:' "$tmp/said"
}

# builds OPTION...: all modules
builds()
{
	symbols=
	build "$top/kmod" "$@" || return
	kmod=$dir symbols=$dir/Module.symvers
	[ -s "$dir/samples/metronome.ko" ] || return
	for kbuild in "$top"/selftests/*/*/Kbuild; do
		build "$(dirname "$kbuild")" "$@" || return
	done
}

# runs OPTION...: from each CPU comes what was emitted there
runs()
{
	"$vm/board" "$@" --timeout 240 --module "$kmod/devtrace.ko" -- '
		set -e
		for cpu in 0 1; do
			taskset -c $cpu sh -c "echo emitted on $cpu >/dev/trace"
			dd if=/dev/trace bs=64K count=1 2>/dev/null | grep -a "emitted on $cpu"
		done'
}

# there WHAT FETCH: does an archive have it? If not, that is said, and counts as skipped
there()
{
	status=0
	"$vm/board" --kernel "$kernel" --arch "$arch" "$2" >"$tmp/fetched" 2>&1 || status=$?
	[ $status -eq $NONE ] || return 0
	skip "$1" "$(tail -n 1 "$tmp/fetched")"
	return 1
}

# The output of board, and its status
fetched() { cat "$tmp/fetched"; return "$status"; }

for which in ${BUILD_KERNELS:-5.10 5.10-rt armhf:5.10 6.12 newest}; do
	kernel=${which#*:} arch=${which%:*}
	[ "$kernel" != "$which" ] || arch=$(dpkg --print-architecture)
	there "$kernel for $arch" --kdir || continue
	check "headers of $kernel for $arch" fetched
	check "$kernel for $arch" builds --kernel "$kernel" --arch "$arch"
	# For some kernels only headers exist
	there "events on $kernel for $arch" --fetch || continue
	check "kernel $kernel for $arch" fetched
	check "events on $kernel for $arch" runs --kernel "$kernel" --arch "$arch"
done
done_testing
