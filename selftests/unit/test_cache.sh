#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_cache.sh - on which machines lanes are refused, since their data caches alias:
# kmod/compat/compat_cache.h, with headers in place of the kernel's that say what a CPU has
. "$(dirname "$0")/doc.sh"

inc=$tmp/include
mkdir -p "$inc/linux" "$inc/asm"
cat >"$inc/linux/version.h" <<'END'
#define KERNEL_VERSION(a, b, c)	((a) * 65536 + (b) * 256 + (c))
END
echo '#define cpu_dcache_is_aliasing()	CPU' >"$inc/linux/cacheinfo.h"
cat >"$inc/asm/cachetype.h" <<'END'
#define cache_is_vivt()			(CPU == 1)
#define cache_is_vipt_aliasing()	(CPU == 2)
END
echo '#define cpu_has_dc_aliases	CPU' >"$inc/asm/cpu-features.h"
cat >"$tmp/it.c" <<'END'
#include <stdbool.h>
#include "compat/compat_cache.h"
int main(void) { return compat_dcache_aliases() ? 10 : 20; }
END

# says ANSWER VERSION CPU CONFIG...
says()
{
	want=$1 version=$2 cpu=$3
	shift 3
	defs=
	for c; do defs="$defs -DCONFIG_$c"; done
	# shellcheck disable=SC2086 # words
	"$CC" -Wall -Werror -I"$inc" -I"$top/kmod" -DCPU="$cpu" $defs \
		-DLINUX_VERSION_CODE="KERNEL_VERSION($version)" -o "$tmp/it" "$tmp/it.c" || return
	got=0
	"$tmp/it" || got=$?
	[ "$got" -eq "$want" ] || { echo "$got, not $want: $*, $version, CPU $cpu"; return 1; }
}
yes=10 no=20
before='6,1,0' since='6,9,0'

none() { for m in X86 ARM64 S390 PPC RISCV LOONGARCH; do says $no $before 1 $m || return; done; }
check "x86, ARM64, s390, PowerPC, RISC-V have no such caches" none
check "ARM with a cache by virtual addresses has" says $yes $before 1 ARM
check "and with one whose ways are larger than a page" says $yes $before 2 ARM
check "other ARM has not" says $no $before 0 ARM
check "MIPS says it of the CPU: it has" says $yes $before 1 MIPS
check "and it has not" says $no $before 0 MIPS
other() { for m in PARISC SUPERH SPARC ARC CSKY XTENSA; do says $yes $before 0 $m || return; done; }
check "of other machines nothing is known before 6.9, so they have" other
check "since 6.9 all machines say it: it has" says $yes $since 1 PARISC
check "and it has not" says $no $since 0 PARISC
check "lanes are refused where it is so" sh -c \
	"tr -d '\n' <'$top/kmod/lane/lane.c' | grep -Eq 'if \(compat_dcache_aliases\(\)\)[[:space:]]*return -ENODEV;'"
done_testing
