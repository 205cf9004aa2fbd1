#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_rkh_build.sh - RKH's tracing as its users compile and link it
#
# The headers without RKH, configured as RKH can be. The library's symbols, and that it is linked only where it is asked for.
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

# The compiler warns of settings without effect, and of nothing else.
told()	# OPTION TEXT: compiles, and says this; without TEXT nothing
{
	# shellcheck disable=SC2046,SC2086
	LC_ALL=C "$CC" -std=gnu11 "$1" $warn -Wno-unused $(pc --cflags) -I"$here" -fsyntax-only "$use" \
		>"$tmp/said" 2>&1
	if [ -n "${2:-}" ]; then
		check "$1 is told" grep -q "$2" "$tmp/said"
	else
		check "$1 is obeyed" test ! -s "$tmp/said"
	fi
}
told -DRKH_CFG_TRC_SIZEOF_TE_ID=8
told -DRKH_CFG_TRC_SIZEOF_TE_ID=16 "RKH_CFG_TRC_SIZEOF_TE_ID has no effect"
told -DRKH_CFG_TRC_SIZEOF_TSTAMP=16
cat >"$tmp/clock.c" <<'C'
#include "rkhtrc.h"
#ifdef OWN
RKH_TS_T rkh_trc_getts(void) { return 1; }
void rkh_trc_open(void) { }
#endif
int main(void) { RKH_TRC_OPEN(); RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS); return 0; }
C
for own in -DOWN -UOWN; do
	want=1
	[ $own = -UOWN ] || want=0
	# shellcheck disable=SC2046
	check "a port's clock $own" "$CC" $own $(pc --cflags) -o "$tmp/prog" "$tmp/clock.c" $(pc --libs)
	DEVTRACE_DEBUG=1 "$tmp/prog" 2>"$tmp/said"
	grep -q "rkh_trc_getts() is not called" "$tmp/said"
	check "is told of if there is one $own" test $? -eq $want
done

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

# The library exports the symbols of its map, which the headers declare.
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

done_testing
