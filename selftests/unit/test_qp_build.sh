#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_qp_build.sh - QP/C's tracing as its users compile and link it
#
#	QPC_DIR=DIR test_qp_build.sh	QP/C's sources, 7.3 or 8.1, too
#
# The surfaces that QP/C 8.1 and 7.3 use, in words of our own (emit_use/qp.c), always;
# QP/C's own sources where QPC_DIR says where they are: they are not ours to keep here.
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
for opt in -O0 -Os "-O2 -fno-pie -no-pie" "-O2 -static -DQF_EQUEUE_CTR_SIZE=2U"; do
	# shellcheck disable=SC2046,SC2086
	check "linked $opt" "$CC" $opt $warn -DQP_VERSION=815U $(pc --cflags) \
		-o "$tmp/prog" "$use" $(pc --libs)
	check "runs $opt" "$tmp/prog"
done
for wrong in -DQ_UTEST -DDEVTRACE_DISABLE -DQS_TIME_SIZE=3U; do
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

# What the library shows is what the map says and the header declares.
so=$tmp/root/usr/lib/libdevtrace-qp.so
nm -D --defined-only "$so" | sed -n 's/^.* [BDT] \([a-z_]*\)@@.*/\1/p' | sort >"$tmp/symbols"
sed -n '/global:/,/local:/s/^\t\([a-z_]*\);/\1/p' "$top/lib/libdevtrace-qp.map" | sort >"$tmp/map"
check "exported symbols" diff "$tmp/map" "$tmp/symbols"
while read -r s; do
	check "$s is declared" grep -qw "$s" "$top/include/devtrace/qp/qs.h"
done <"$tmp/symbols"
readelf -d "$so" | sed -n 's/.*\(NEEDED\|SONAME\).*\[\(.*\)\]/\2/p' | sort >"$tmp/needed"
printf '%s\n' libc.so.6 libdevtrace-qp.so.0 libdevtrace.so.0 >"$tmp/want"
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

# ends_at_escape PROGRAM REGEX KEYS: it says this, is given the keys and an ESC, and ends with 0
ends_at_escape()
{
	mkfifo "$tmp/keys"
	timeout 600 stdbuf -oL "$1" <"$tmp/keys" >"$tmp/said" 2>&1 &
	exec 3>"$tmp/keys"
	until grep -q "$2" "$tmp/said"; do
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	printf '%s\033' "$3" >&3
	wait $! && grep -q "$2" "$tmp/said"
	set -- $?
	exec 3>&-
	return "$1"
}

# The real thing. Its port has a qs_port.h of its own beside it, so that is copied without.
if [ -z "${QPC_DIR:-}" ]; then
	skip "QPC_DIR does not say where QP/C 8.1 or 7.3 is"
elif [ ! -e "$QPC_DIR/src/qf/qep_hsm.c" ]; then
	check "QPC_DIR, $QPC_DIR, has QP/C's src/qf/qep_hsm.c" false
else
	mkdir "$tmp/port"
	cp "$QPC_DIR"/ports/posix/q[fp]_port.[ch] "$QPC_DIR/ports/posix/safe_std.h" "$tmp/port"
	[ -e "$tmp/port/qp_config.h" ] || : >"$tmp/port/qp_config.h"
	points=0
	for f in "$QPC_DIR"/src/qf/*.c "$tmp/port/qf_port.c"; do
		name=$(basename "$f" .c)
		# shellcheck disable=SC2046,SC2086
		check "QP/C $name" "$CC" -O2 -Wall -Wextra -Werror -DQF_CONSOLE $(pc --cflags) -I"$tmp/port" \
			-I"$QPC_DIR/include" -I"$QPC_DIR/src" -c -o "$tmp/$name.o" "$f"
		points=$((points + $(grep -c 'QS_BEGIN_PRE' "$f")))
	done
	# The trace points of kernels that Linux has no port for, and of the port with one thread:
	# compiled, by a port of our own; QP/C's own warnings are not ours.
	for kernel in qk qv qxk posix-qv; do
		case $kernel in
		posix-qv)	files=$QPC_DIR/ports/posix-qv/qf_port.c ;;
		*)		files=$(echo "$QPC_DIR/src/$kernel"/*.c) ;;
		esac
		[ -e "${files%% *}" ] || continue
		mkdir "$tmp/$kernel"
		: >"$tmp/$kernel/qp_config.h"
		cat >"$tmp/$kernel/qp_port.h" <<-C
			#ifndef QP_PORT_H_
			#define QP_PORT_H_
			#include <stdbool.h>
			#include <stddef.h>
			#include <stdint.h>
			#include "qp_config.h"
			#define Q_NORETURN		_Noreturn void
			#define QACTIVE_EQUEUE_TYPE	QEQueue
			#define QACTIVE_THREAD_TYPE	void const *
			#define QACTIVE_OS_OBJ_TYPE	void const *
			#define QF_CRIT_STAT
			#define QF_CRIT_ENTRY()		((void)0)
			#define QF_CRIT_EXIT()		((void)0)
			#define QF_CRIT_EST()		((void)0)
			#define QF_INT_DISABLE()	((void)0)
			#define QF_INT_ENABLE()		((void)0)
			#define QK_ISR_CONTEXT_()	false
			#define QXK_ISR_CONTEXT_()	false
			#define QXK_CONTEXT_SWITCH_()	((void)0)
			#include "qequeue.h"
			#include "qmpool.h"
			#include "qp.h"
			#include "$kernel.h"
			#endif
		C
		[ $kernel != posix-qv ] || cp "$QPC_DIR"/ports/posix-qv/q[fp]_port.[ch] \
			"$QPC_DIR"/ports/posix-qv/safe_std.h "$tmp/$kernel"
		for f in $files; do
			[ $kernel != posix-qv ] || f=$tmp/$kernel/qf_port.c
			# shellcheck disable=SC2046,SC2086
			check "QP/C $kernel, $(basename "$f" .c)" "$CC" -O2 -w \
				-Werror=implicit-function-declaration $(pc --cflags) -I"$tmp/$kernel" \
				-I"$QPC_DIR/include" -I"$QPC_DIR/src" -c -o "$tmp/$kernel/kernel.o" "$f"
			points=$((points + $(grep -c 'QS_BEGIN_PRE' "$f")))
		done
	done
	echo "# $points trace points"
	# shellcheck disable=SC2046,SC2086
	check "QP/C, a program" "$CC" -O2 -Wall -Wextra -Werror $(pc --cflags) -I"$tmp/port" -I"$QPC_DIR/include" \
		-o "$tmp/blinky" "$here/emit_use/qp_blinky.c" "$tmp"/q*.o $(pc --libs) -lpthread
	check "QP/C, a program, runs" timeout 600 "$tmp/blinky"

	# Its own dining philosophers, until one of them eats; they end at an ESC.
	dpp=$QPC_DIR/examples/posix-win32/dpp
	if [ ! -e "$dpp/philo.c" ]; then
		skip "QPC_DIR has no examples/posix-win32/dpp: in git it is a submodule"
	else
		# shellcheck disable=SC2046,SC2086
		check "QP/C's example dpp" "$CC" -O2 -w -Werror=implicit-function-declaration \
			$(pc --cflags) -I"$tmp/port" -I"$QPC_DIR/include" -I"$dpp" -o "$tmp/dpp" \
			"$dpp/main.c" "$dpp/bsp.c" "$dpp/philo.c" "$dpp/table.c" "$tmp"/q*.o $(pc --libs) -lpthread
		ends_at_escape "$tmp/dpp" 'Philosopher .* is eating' ps
		check "QP/C's example dpp dines, and ends" [ $? -eq 0 ]
	fi
fi

done_testing
