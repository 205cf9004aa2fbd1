#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_qp_build.sh - QP/C's tracing as its users compile and link it
#
# The surfaces that QP/C 8.1 and 7.3 use, in words of our own (emit_use/qp.c).
# The library's symbols, and that it is linked only where it is asked for.
. "$(dirname "$0")/doc.sh"
use=$here/emit_use/qp.c

man=$top/Documentation/man/devtrace-qp.7
check_page "$man"
check_install "$top/lib"
skip()
{
	count=$((count + 1))
	echo "ok $count # SKIP $1"
}

pc()
{
	pkg-config "$@" libdevtrace-qp
}
warn="-Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes"
export DEVTRACE_DEVICE="$tmp/none"

# The sizes and the ages of QP
for std in gnu11 gnu17; do
	for version in 733 804 815; do
		# shellcheck disable=SC2046,SC2086
		check "QP $version, $std" "$CC" -std=$std -O2 $warn -DQP_VERSION=${version}U \
			$(pc --cflags) -o "$tmp/prog" "$use" $(pc --libs)
		check "QP $version, $std, runs without a device" "$tmp/prog"
	done
done
for size in 1U 2U 4U 8U; do
	# shellcheck disable=SC2046,SC2086
	check "QS_TIME_SIZE $size" "$CC" $warn -DQS_TIME_SIZE=$size -DQP_VERSION=733U \
		$(pc --cflags) -fsyntax-only "$use"
done
# A stamp of less than QSPY gets is told, and nothing else is
for size in 1U 2U 4U 8U; do
	# shellcheck disable=SC2046
	LC_ALL=C "$CC" -Werror -DQS_TIME_SIZE=$size -DQP_VERSION=733U $(pc --cflags) -fsyntax-only "$use" \
		>"$tmp/said" 2>&1
	case $size in
	[12]U)	check "QS_TIME_SIZE $size is told" grep -q "QS_TIME_SIZE has no effect" "$tmp/said" ;;
	*)	check "QS_TIME_SIZE $size is as it was" test ! -s "$tmp/said" ;;
	esac
done
cat >"$tmp/clock.c" <<'C'
#include "qs_port.h"
#ifdef OWN
QSTimeCtr QS_onGetTime(void) { return 1; }
#endif
int main(void) { return !QS_INIT(NULL); }
C
for how in "" -static; do
	# shellcheck disable=SC2046,SC2086
	check "a program's clock $how" "$CC" $how -DOWN $(pc --cflags) -o "$tmp/prog" "$tmp/clock.c" $(pc --libs)
	DEVTRACE_DEBUG=1 "$tmp/prog" 2>"$tmp/said"
	check "is not called, which it is told $how" grep -q "QS_onGetTime() is not called" "$tmp/said"
	"$tmp/prog" 2>"$tmp/said"
	check "if it asks $how" test ! -s "$tmp/said"
	# shellcheck disable=SC2046,SC2086
	check "a program without a clock $how" "$CC" $how $(pc --cflags) -o "$tmp/prog" "$tmp/clock.c" $(pc --libs)
	DEVTRACE_DEBUG=1 "$tmp/prog" 2>"$tmp/said"
	check "is told nothing of one $how" sh -c "! grep -q QS_onGetTime '$tmp/said'"
done
for opt in -O0 -Os "-O2 -fno-pie -no-pie" "-O2 -static -DQF_EQUEUE_CTR_SIZE=2U"; do
	# shellcheck disable=SC2046,SC2086
	check "linked $opt" "$CC" $opt $warn -DQP_VERSION=815U $(pc --cflags) \
		-o "$tmp/prog" "$use" $(pc --libs)
	check "runs $opt" "$tmp/prog"
done
# A fixture of QUTest, with and without its own function for a RESET
cat >"$tmp/utest.c" <<'C'
#include "qp_types.h"
#include "qs_port.h"
#include "qs_pkg.h"
#ifdef OTHER
uint32_t sum(uint32_t a);
uint32_t sum(uint32_t a)
{
	QS_TEST_PROBE_DEF(&sum)
	QS_TEST_PROBE(a = qs_tp_;)
	QS_TEST_PROBE_ID(1, a = 2;)
	return a;
}
#else
void QS_onTestSetup(void) { }
void QS_onTestTeardown(void) { }
void QS_onTestEvt(QEvt *e) { (void)e; }
#ifdef RESET
void QS_onReset(void) { }
#endif
int main(int argc, char **argv)
{
	(void)argv;
	QF_init();
	if (argc > 1) {
		QS_TEST_PAUSE();
		QS_onTestLoop();
		QF_stop();
		return QF_run();
	}
	return !QS_INIT(NULL);
}
#endif
C
for version in 733 815; do
	for reset in "" -DRESET; do
		# shellcheck disable=SC2046,SC2086
		check "Q_UTEST, QP $version $reset" eval "$CC $warn -DQ_UTEST -DQP_VERSION=${version}U $reset \
			-I$here/emit_use $(pc --cflags) -DOTHER -c -o $tmp/other.o $tmp/utest.c &&
			$CC $warn -DQ_UTEST -DQP_VERSION=${version}U $reset -I$here/emit_use $(pc --cflags) \
			-o $tmp/prog $tmp/utest.c $tmp/other.o $(pc --libs)"
		check "Q_UTEST, QP $version $reset, runs" "$tmp/prog"
	done
done
for wrong in -DDEVTRACE_DISABLE -DQS_TIME_SIZE=3U; do
	# shellcheck disable=SC2046,SC2086
	"$CC" $wrong -DQP_VERSION=815U $(pc --cflags) -fsyntax-only "$use" >"$tmp/said" 2>&1
	check "$wrong is refused in words" grep '#error "' "$tmp/said"
done

# The example of devtrace-qp(7), and that it has every call
examples "$man"
# shellcheck disable=SC2046
check "the manual's example" "$CC" $(pc --cflags) -o "$tmp/prog" "$tmp/qp.c" $(pc --libs)
check "the manual's example runs" "$tmp/prog"
for call in QS_INIT QS_GLB_FILTER QS_LOC_FILTER QS_BEGIN_ID QS_BEGIN_INCRIT QS_BEGIN_NOCRIT \
	    QS_OBJ_ARR_DICTIONARY QS_ASSERTION QS_FLUSH QS_OUTPUT QS_RX_INPUT QS_TIME_SIZE; do
	check "the manual has $call" grep -qw "$call" "$man"
done
# A host talks to a program by other pages, which this one has to name.
for page in "libdevtrace-rx 3" "qsgate 1" "devtrace-convert 1"; do
	check "the manual names $page" grep -q "^\.Xr $page" "$man"
done

# Each number of QS that is not that of the event, in the document
for record in 58 59 65 66 67 68 69 70; do
	check "frameworks.rst has record $record" grep -q "^$record  *QS_.* $((record + 24))\$" \
		"$top/Documentation/frameworks.rst"
done

# The filters are one and the same, in the program and in the library, however it is linked.
cat >"$tmp/filter.c" <<'C'
#include "qs_port.h"
int main(void)
{
	QS_GLB_FILTER(QS_QEP_TRAN);
	return !(QS_GLB_CHECK_(QS_QEP_TRAN) && !QS_GLB_CHECK_(QS_QEP_DISPATCH));
}
C
for opt in -O0 -O2 "-fno-pie -no-pie" "-fPIC" "-static"; do
	# shellcheck disable=SC2046,SC2086
	check "one filter $opt" "$CC" $opt $(pc --cflags) -o "$tmp/prog" "$tmp/filter.c" $(pc --libs)
	check "one filter $opt, runs" "$tmp/prog"
done

# The library exports the symbols of its map, which the header declares.
so=$tmp/root/usr/lib/libdevtrace-qp.so
nm -D --defined-only "$so" | sed -n 's/^.* [BDTW] \([A-Za-z_]*\)@@.*/\1/p' | sort >"$tmp/symbols"
sed -n '/global:/,/local:/s/^\t\([A-Za-z_]*\);/\1/p' "$top/lib/libdevtrace-qp.map" | sort >"$tmp/map"
check "exported symbols" diff "$tmp/map" "$tmp/symbols"
while read -r s; do
	check "$s is declared" grep -qw "$s" "$top/include/devtrace/qp/qs.h"
done <"$tmp/symbols"
readelf -d "$so" | sed -n 's/.*\(NEEDED\|SONAME\).*\[\(.*\)\]/\2/p' | sort >"$tmp/needed"
printf '%s\n' libc.so.6 libdevtrace-qp.so.0 libdevtrace-rx.so.0 libdevtrace.so.0 >"$tmp/want"
check "soname, and what it needs" diff "$tmp/want" "$tmp/needed"

# A trace point of a record that the device does not want: as everywhere.
cat >"$tmp/code.c" <<'C'
#include "qs_port.h"
#include "qs_pkg.h"
void f(unsigned int id, void *me, void *s)
{
	QS_BEGIN_PRE(QS_QEP_DISPATCH, id)
		QS_SIG_PRE(4); QS_OBJ_PRE(me); QS_FUN_PRE(s);
	QS_END_PRE()
}
C
if [ "$("$CC" -dumpmachine | cut -d- -f1)" = x86_64 ]; then
	# shellcheck disable=SC2046,SC2086
	"$CC" -O2 -fcf-protection=none -fno-stack-protector $(pc --cflags) -c -o "$tmp/code.o" "$tmp/code.c"
	objdump -d --no-show-raw-insn --disassemble=f "$tmp/code.o" |
		sed -n 's/^ *[0-9a-f]*:\t\([a-z]*\).*/\1/p' | head -4 | tr '\n' ' ' >"$tmp/insn"
	check "off: load, test, branch" grep -E '^(mov )?test[bl]? (mov )?jne ' "$tmp/insn"
else
	skip "code of $("$CC" -dumpmachine): not known"
fi

done_testing
