#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_rkh_build.sh - RKH's tracing as its users compile and link it
#
#	RKH_DIR=DIR test_rkh_build.sh	RKH 3.4's sources, too
#
# The headers without RKH, configured as RKH can be, always; RKH's own sources and its
# example ahsm where RKH_DIR says where they are: they are not ours to keep here. The
# library's symbols, and that it is linked only where it is asked for.
. "$(dirname "$0")/doc.sh"

man=$top/Documentation/man/devtrace-rkh.7
check_page "$man"
check_install "$top/lib"
skip()
{
	count=$((count + 1))
	echo "ok $count # SKIP $1"
}

pc()
{
	pkg-config "$@" libdevtrace-rkh
}
warn="-Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes"
export DEVTRACE_DEVICE="$tmp/none"

# Every trace point, whatever is configured
awk '/^#define RKH_TR_/ { sub(/^#define /, ""); print }' \
	"$top/include/devtrace/rkh/rkhtrc_record.h" | sed 's/(.*//' | sort -u >"$tmp/points"
check "RKH's trace points are all there" sh -c "[ \$(wc -l <'$tmp/points') -eq 66 ]"
use=$here/rkh_records.c
for flags in -O2 -O0 -DRKH_CFG_TRC_EN=0 -DRKH_CFG_TRC_USER_TRACE_EN=0 -DRKH_CFG_SMA_TRC_SNDR_EN=0 \
	     "-DRKH_CFG_TRC_RTFIL_EN=0 -DRKH_CFG_TRC_RTFIL_SMA_EN=0 -DRKH_CFG_TRC_RTFIL_SIGNAL_EN=0" \
	     "-DRKH_CFG_QUE_GET_LWMARK_EN=0 -DRKH_CFG_MP_GET_LWM_EN=0"; do
	# shellcheck disable=SC2046,SC2086
	check "compiles $flags" "$CC" -std=gnu11 $flags $warn -Wno-unused $(pc --cflags) \
		-I"$here" -fsyntax-only "$use"
done
# shellcheck disable=SC2046
"$CC" -DDEVTRACE_DISABLE $(pc --cflags) -fsyntax-only "$use" -I"$here" >"$tmp/said" 2>&1
check "DEVTRACE_DISABLE is refused in words" grep '#error "' "$tmp/said"

# The example of devtrace-rkh(7), and that it has every call
examples "$man"
for opt in -O0 -O2 "-fno-pie -no-pie" -static; do
	# shellcheck disable=SC2046,SC2086
	check "the manual's example $opt" "$CC" $opt $warn $(pc --cflags) -o "$tmp/prog" \
		"$tmp/rkh.c" $(pc --libs)
	check "the manual's example $opt runs" "$tmp/prog"
done
for call in RKH_FILTER_OFF_EVENT RKH_FILTER_OFF_GROUP RKH_FILTER_OFF_GROUP_ALL_EVENTS \
	    RKH_FILTER_OFF_SMA RKH_FILTER_OFF_SIGNAL RKH_TRC_OPEN RKH_TRC_FLUSH RKH_TRC_SEND_CFG \
	    RKH_TRC_USR_BEGIN RKH_TR_FWK_STATE rkh_trc_get; do
	check "the manual has $call" grep -qw "$call" "$man"
done

# What the library shows is what the map says and the headers declare.
so=$tmp/root/usr/lib/libdevtrace-rkh.so
nm -D --defined-only "$so" | sed -n 's/^.* [BDTW] \([A-Za-z_]*\)@@.*/\1/p' | sort >"$tmp/symbols"
sed -n '/global:/,/local:/s/^\t\([A-Za-z_]*\);/\1/p' "$top/lib/libdevtrace-rkh.map" | sort >"$tmp/map"
check "exported symbols" diff "$tmp/map" "$tmp/symbols"
while read -r s; do
	check "$s is declared" grep -rqw "$s" "$top/include/devtrace/rkh"
done <"$tmp/symbols"
readelf -d "$so" | sed -n 's/.*\(NEEDED\|SONAME\).*\[\(.*\)\]/\2/p' | sort >"$tmp/needed"
printf '%s\n' libc.so.6 libdevtrace-rkh.so.0 libdevtrace.so.0 >"$tmp/want"
check "soname, and what it needs" diff "$tmp/want" "$tmp/needed"

# A trace point of an event that the device does not want: as everywhere.
cat >"$tmp/code.c" <<'C'
#include "rkhtrc.h"
struct ao { unsigned char prio; };
void f(struct ao *me, struct ao *to);
void f(struct ao *me, struct ao *to)
{
	RKH_TR_SM_TRN(me, me, to);
}
C
if [ "$("$CC" -dumpmachine | cut -d- -f1)" = x86_64 ]; then
	# shellcheck disable=SC2046
	"$CC" -O2 -fcf-protection=none -fno-stack-protector $(pc --cflags) -c -o "$tmp/code.o" "$tmp/code.c"
	objdump -d --no-show-raw-insn --disassemble=f "$tmp/code.o" |
		sed -n 's/^ *[0-9a-f]*:\t\([a-z]*\).*/\1/p' | head -4 | tr '\n' ' ' >"$tmp/insn"
	check "off: load, test, branch" grep -E '^(mov )?(test[bl]?|and|bt) (mov )?j[a-z]* ' "$tmp/insn"
else
	skip "code of $("$CC" -dumpmachine): not known"
fi

# The real thing: all of RKH but source/trc, and its example but what sends its stream.
if [ -z "${RKH_DIR:-}" ]; then
	skip "RKH_DIR does not say where RKH 3.4 is"
elif [ ! -e "$RKH_DIR/source/sm/src/rkhsm.c" ]; then
	check "RKH_DIR, $RKH_DIR, has RKH's source/sm/src/rkhsm.c" false
else
	bsp=$RKH_DIR/demo/libbsp/platform/80x86/linux
	port=$RKH_DIR/source/portable/80x86/linux_st/gnu
	inc="-I$RKH_DIR/demo/80x86/ahsm -I$port -I$bsp -I$RKH_DIR/demo/libbsp/common"
	for m in fwk mempool queue sm sma tmr; do
		inc="$inc -I$RKH_DIR/source/$m/inc"
	done
	cat >"$tmp/none.c" <<'C'
void trace_io_setConfig(int argc, char **argv);
void trace_io_setConfig(int argc, char **argv) { (void)argc; (void)argv; }
C
	points=0
	for f in "$RKH_DIR"/source/fwk/src/*.c "$RKH_DIR"/source/mempool/src/*.c \
		 "$RKH_DIR"/source/queue/src/*.c "$RKH_DIR"/source/sm/src/*.c \
		 "$RKH_DIR"/source/sma/src/*.c "$RKH_DIR"/source/tmr/src/*.c "$port"/*.c \
		 "$RKH_DIR"/demo/80x86/ahsm/*.c "$bsp/assert.c" "$bsp/bsp_ahsm.c" "$bsp/getopt.c" \
		 "$bsp/hook.c" "$tmp/none.c"; do
		name=$(basename "$f" .c)
		# RKH's own warnings are not ours.
		# shellcheck disable=SC2046,SC2086
		check "RKH $name" "$CC" -std=gnu11 -O2 -w -Werror=implicit-function-declaration \
			-D__LNXGNU__ $(pc --cflags) $inc -c -o "$tmp/rkh_$name.o" "$f"
		points=$((points + $(grep -c '^ *RKH_TR_[A-Z]*_' "$f")))
	done
	echo "# $points trace points"
	# Nothing ends it, so it is linked and not run: its rkh_fwk_exit() leaves its loop running.
	# shellcheck disable=SC2046
	check "RKH, its example" "$CC" -o "$tmp/ahsm" "$tmp"/rkh_*.o $(pc --libs) -lpthread
fi

done_testing
