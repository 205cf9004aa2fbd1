#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_kernel_build.sh - the module, its samples and the modules of the tests compile for
# the oldest kernel that is supported, Debian 11's 5.10, without a warning
#
# For this machine's architecture, with PREEMPT_RT too, and for 32-bit ARM, each skipped
# where no archive has the kernel's headers. The boards 5.10 and armhf:5.10 run the modules.
# OLD_KERNELS is words as in BOARDS, and those of them that are compiled for.
. "$(dirname "$0")/doc.sh"
vm=$top/selftests/vm
NONE=123	# how board ends when no archive has the kernel

# build DIR OPTION...: modules of DIR, and in $dir where they are
build()
{
	src=$1
	shift
	dir=$("$vm/build-kmod" "$tmp/modules" "$src" "$@" -- -s DT_INCLUDE="$top/include" \
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
	symbols=$dir/Module.symvers
	[ -s "$dir/samples/metronome.ko" ] || return
	for kbuild in "$top"/selftests/*/*/Kbuild; do
		build "$(dirname "$kbuild")" "$@" || return
	done
}

# What board said of the headers, and whether they are there
headers() { cat "$tmp/headers"; return "$status"; }

for which in ${OLD_KERNELS:-5.10 5.10-rt armhf:5.10}; do
	kernel=${which#*:} arch=${which%:*}
	[ "$kernel" != "$which" ] || arch=$(dpkg --print-architecture)
	status=0
	"$vm/board" --kernel "$kernel" --arch "$arch" --kdir >"$tmp/headers" 2>&1 || status=$?
	if [ $status -eq $NONE ]; then
		count=$((count + 1))
		echo "ok $count $kernel for $arch # SKIP $(tail -n 1 "$tmp/headers")"
		continue
	fi
	check "headers of $kernel for $arch" headers
	check "$kernel for $arch" builds --kernel "$kernel" --arch "$arch"
done
done_testing
