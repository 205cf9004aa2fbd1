#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_emit_build.sh - the emitting side as its users compile and link it
#
# Each header by itself; C and C++ of every age, warnings and all; compiled out
# by DEVTRACE_DISABLE; installed, found by pkg-config, linked shared and static;
# the symbols of the library; the code that the compiler makes of an event.
# Compilers that are not installed are skipped, the first of each must be there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
use=$here/emit_use

# same NAME WANT GOT
same()
{
	printf 'want: %s\ngot:  %s\n' "$2" "$3" >"$tmp/log"
	[ "$2" = "$3" ]
	ok $? "$1"
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

makes_32bit()
{
	echo '#include <stdio.h>' | "$1" -m32 -x c -c -o /dev/null - 2>/dev/null
}

# shellcheck source=../tap.sh
. "$here/../tap.sh"
why=$tmp/log

# Installed where the user would find it, so that search paths are the user's.
stage=$tmp/stage
check "make install" make -s -C "$top/lib" O="$O" DESTDIR="$stage" prefix=/usr install
inc=$stage/usr/include
lib=$stage/usr/lib
headers=$(cd "$inc" && find . -name '*.h' | sed 's|^\./||' | sort)
# devtrace-ctl.h only where libmnl is, which libdevtrace-ctl needs
same "headers are all installed" \
	"$(cd "$top/include" && find devtrace devtrace.h devtrace-decode.h devtrace-rx.h -name '*.h' | sort)" \
	"$(echo "$headers" | grep -v -e '^linux/' -e '^devtrace-ctl.h')"

warn="-Wall -Wextra -Werror -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wundef"
cwarn="$warn -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -pedantic"

# Not as system headers, whose warnings compilers leave out: README's -I is that of a user.
inc_cc="-I $inc"

for h in $headers; do
	for std in c11 gnu11 gnu17 gnu2x; do
		# shellcheck disable=SC2086
		check "$h alone, $std" sh -c "echo '#include <$h>' |
			$CC -std=$std $cwarn -x c -fsyntax-only $inc_cc -"
	done
done

# An older language is named, with what it takes
for std in c89 iso9899:199409; do
	# shellcheck disable=SC2086
	echo '#include <devtrace.h>' | $CC -std=$std -x c -fsyntax-only $inc_cc - >"$tmp/said" 2>&1
	check "$std is too old, in one line" sh -c "[ \$(grep -c 'error: #error .* needs C99 or later' '$tmp/said') = 1 ]"
done
for std in c++98 gnu++98; do
	# shellcheck disable=SC2086
	echo '#include <devtrace.h>' | ${CXX:-g++} -std=$std -x c++ -fsyntax-only $inc_cc - >"$tmp/said" 2>&1
	check "$std is too old, in one line" sh -c "[ \$(grep -c 'error: #error .* needs C++11 or later' '$tmp/said') = 1 ]"
done

for cc in "$CC" clang; do
	if ! have "$cc"; then skip "$cc" "it is not installed"; continue; fi
	for opt in -O0 -O1 -O2 -Os "-O2 -DDEVTRACE_DISABLE" "-O0 -DDEVTRACE_DISABLE" \
		   "-O3 -fPIC" "-O2 -m32"; do
		if [ "$opt" = "-O2 -m32" ] && ! makes_32bit "$cc"; then
			skip "$cc -m32" "it makes no 32-bit programs"
			continue
		fi
		# shellcheck disable=SC2086
		check "use.c: $cc $opt" "$cc" -std=c11 $cwarn $opt $inc_cc \
			-c -o "$tmp/use-$(echo "$opt" | tr -d ' ').o" "$use/use.c"
	done
done

for cxx in g++ clang++; do
	if ! have "$cxx"; then
		[ $cxx = g++ ] || { skip "$cxx" "it is not installed"; continue; }
		echo "g++ is not installed" >"$tmp/log"
		ok 1 "C++"
		continue
	fi
	for std in c++11 c++14 c++17 c++20; do
		for h in $headers; do
			# shellcheck disable=SC2086
			check "$h alone: $cxx -std=$std" sh -c "echo '#include <$h>' |
				$cxx -std=$std -Wall -Wextra -Wpedantic -Werror -x c++ -fsyntax-only $inc_cc -"
		done
		for f in use.c use.cc; do
			for opt in -O2 -DDEVTRACE_DISABLE; do
				# shellcheck disable=SC2086
				check "$f: $cxx -std=$std $opt" "$cxx" -std=$std $warn -pedantic $opt \
					$inc_cc -x c++ -c -o "$tmp/usecc.o" "$use/$f"
			done
		done
	done
done

# Compiled out: nothing left to link with, nothing evaluated, no code.
for opt in -O0 -O2; do
	for f in use.c use.cc; do
		cc=$CC
		[ $f = use.c ] || cc=g++
		# shellcheck disable=SC2086
		"$cc" $opt -DDEVTRACE_DISABLE -I "$inc" -c -o "$tmp/off.o" "$use/$f"
		same "$f $opt disabled: no symbol of ours" "" "$(nm "$tmp/off.o" | grep devtrace)"
		check "$f $opt disabled: links without the library" "$cc" -o "$tmp/off" "$tmp/off.o"
	done
done
"$CC" -DDEVTRACE_DISABLE -I "$inc" -o "$tmp/off" "$use/use.c"
same "disabled: nothing evaluated" "0 0 0 0" "$("$tmp/off")"
cat >"$tmp/empty.c" <<'END'
#include <devtrace.h>
#include <devtrace/log.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
int f(int a, const char *b);
int f(int a, const char *b)
{
#ifdef CALLS
	DEVTRACE_RECORD(r, 64);
	if (devtrace_begin(&r, 100, 1, 2)) {
		devtrace_i32(&r, a++);
		devtrace_end(&r);
	}
	devtrace(100, a++, b);
	Trace1(__M(1) + 1, 0, a++);
	QS_BEGIN_ID(100, 0) QS_I32(0, a++); QS_END()
	devtrace_text("%s", b++);
	DT_ERR("%d %s", a++, b);
	DT_LOG_TO(a, "%d", a++);
	(void)devtrace_printf("%d", a++);
#endif
	(void)b;
	return a;
}
END
for opt in -O1 -O2; do
	for calls in "" -DCALLS; do
		# shellcheck disable=SC2086
		"$CC" $opt -DDEVTRACE_DISABLE $calls -I "$inc" -c -o "$tmp/empty$calls.o" "$tmp/empty.c"
		objdump -d "$tmp/empty$calls.o" | tail -n +4 >"$tmp/empty$calls.s"
	done
	check "disabled: no code at $opt" cmp "$tmp/empty.s" "$tmp/empty-DCALLS.s"
done

# Constants out of range do not compile, in C and C++, with a message. Functions
# need an optimizer for that.
cat >"$tmp/refuse.c" <<'END'
#include <devtrace.h>
#include <devtrace/log.h>
#include <devtrace/qnx.h>
void f(int type, int severity);
void f(int type, int severity)
{
	DEVTRACE_RECORD(r, 64);
	devtrace(type, severity);
	uint8_t t = (uint8_t)type;
	uint16_t object = (uint16_t)severity;
	devtrace_for(type, severity, type, 1);
	devtrace_for(t, object, object, 1);
	devtrace_exc(t, 1);
	devtrace_exc(severity, 1, 2);
	if (devtrace_begin_exc(&r, DEVTRACE_SW2, 1))
		devtrace_end(&r);
	DT_LOG("%%n %%* %-8.3f %5d %lx %hhu %c %% %s\n", 1.5, type, 2ul, t, 'c', "*");
	WRONG;
}
END
# refused WORDS CALL OPTION...
refused()
{
	words=$1 call=$2
	shift 2
	for lang in c c++; do
		"$CC" -x $lang "$@" "-DWRONG=$call" -I "$inc" -c -o /dev/null "$tmp/refuse.c" >"$tmp/refused" 2>&1
		check "$call is refused in $lang $*" grep "error: .*$words" "$tmp/refused"
	done
}
check "what is refused compiles without that" "$CC" -Wall -Wextra -Werror -DWRONG= -I "$inc" -c -o /dev/null "$tmp/refuse.c"
for opt in -O0 -O2; do
	refused "no event type" "devtrace(300, 1)" $opt
	refused "no event type" "devtrace(0, 1)" $opt
	refused "no event type" "devtrace(DEVTRACE_T_CLOCK, 1)" $opt
	refused "no event type" "devtrace_for(DEVTRACE_T_KERNEL, 1, 2, 3)" $opt
	refused "16 bits" "devtrace_for(100, 65536, 1, 2)" $opt
	refused "16 bits" "devtrace_for(100, 1, -1, 2)" $opt
	refused "no severity.*DEVTRACE_SW0" "devtrace_exc(2, 1)" $opt
	refused "no severity" "devtrace_exc(0x1a, 1)" $opt
	refused "no severity" 'devtrace_text_sev(2, "x")' $opt
	refused "no severity" 'devtrace_puts_sev(2, "x")' $opt
	refused "no severity" "Trace1(7, 2, 3)" $opt
done
refused "no event type" "devtrace_begin(&r, 60, 1, 2)" -O2
refused "no event type" "devtrace_begin_type(&r, 54)" -O2
refused "no severity" "devtrace_begin_exc(&r, 2, 1)" -O2
for opt in -O1 -O2 -Os; do
	refused "takes no %n" 'DT_LOG("%d %hhn", type, (signed char *)0)' $opt
	refused "takes no %n" 'DT_ERR("%.*s", type, "x")' $opt
	refused "takes no %n" 'DT_LOG_TO(1, "a text that is much longer than the others %-*d", 1, 2)' $opt
	refused "takes no %n" 'DT_LOG("%m")' $opt
	refused "takes no %n" 'DT_LOG("%2\$d %1\$d", 1, 2)' $opt
	refused "takes no %n" 'DT_LOG("%5ls", L"x")' $opt
done
for opt in -O0 -O2; do
	refused "takes_16_arguments_at_most" \
		'DT_LOG("x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)' $opt \
		-Werror=implicit-function-declaration
	refused "16 bits" 'DT_LOG_TO(65536, "x")' $opt
	refused "no severity" 'devtrace_printf_sev(2, "x")' $opt
	refused "expects argument of type" 'DT_LOG("%s", 1)' $opt -Werror=format
done

# The library exports the symbols of its map, and needs only libc and its loader, which knows
# where a thread's CPU is stored.
same "exported symbols" \
	"$(sed -n '/global:/,/local:/s/^\t\(devtrace_[a-z_]*\);/\1/p' "$top/lib/libdevtrace.map" | sort)" \
	"$(nm -D --defined-only "$lib/libdevtrace.so" | sed -n 's/^.* [A-Z] \(devtrace.*\)@@.*/\1/p' | sort)"
for s in $(nm -D --defined-only "$lib/libdevtrace.so" | sed -n 's/^.* [A-Z] \(devtrace.*\)@@.*/\1/p'); do
	grep -qrw "$s" "$inc" || { echo "$s: in no header" >"$tmp/log"; ok 1 "declared: $s"; }
done
same "static library: all symbols are ours" "" \
	"$(nm -g --defined-only "$lib/libdevtrace.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
	   grep -v '^devtrace_\|^dt_\|^conn_ioctl$\|^emit_error$\|^conn_page$\|^page_set$\|^dec_')"
same "needs libc alone" "[libc.so.6]" \
	"$(readelf -d "$lib/libdevtrace.so" | sed -n 's/.*NEEDED.*\(\[.*\]\)/\1/p' | grep -v '^\[ld-linux')"
same "soname" "[libdevtrace.so.0]" \
	"$(readelf -d "$lib/libdevtrace.so" | sed -n 's/.*SONAME.*\(\[.*\]\)/\1/p')"

# As users link it: position dependent or not, static or not. Each has the
# control page somewhere else (copied into the program, or in the library).
pc()
{
	PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" libdevtrace
}

run()
{
	LD_LIBRARY_PATH=$lib "$@"
}

for how in "" "-fPIE -pie" "-fno-pie -no-pie" "-static" "-fPIC" "-O0" "-flto" \
	   "-Wl,-z,nocopyreloc -fPIC"; do
	# shellcheck disable=SC2046,SC2086
	check "link $how" "$CC" -O2 $how $(pc --cflags) -o "$tmp/use" "$use/use.c" $(pc --libs)
	# A device that is missing is found out once; after that nothing is done.
	same "run $how, no device" "1 0 1 2" "$(DEVTRACE_DEVICE=$tmp/none run "$tmp/use")"
	same "run $how, turned off" "1 0 1 19" "$(DEVTRACE_DEVICE='' run "$tmp/use")"
done
same "not a device" "1 0 1 25" "$(DEVTRACE_DEVICE=/dev/null run "$tmp/use")"
same "name too long" "1 0 1 36" "$(DEVTRACE_DEVICE=$(printf '%0300d' 0) run "$tmp/use")"
same "a directory" "1 0 1 21" "$(DEVTRACE_DEVICE=/ run "$tmp/use")"
same "says nothing" "" "$(DEVTRACE_DEVICE=$tmp/none run "$tmp/use" 2>&1 >/dev/null)"
# shellcheck disable=SC2046
check "link C++" g++ -O2 $(pc --cflags) -o "$tmp/usecc" "$use/use.cc" $(pc --libs)
check "run C++" env LD_LIBRARY_PATH="$lib" DEVTRACE_DEVICE="$tmp/none" "$tmp/usecc"

# A source from QNX: <sys/trace.h> is there when asked for.
# shellcheck disable=SC2046
check "QNX source" "$CC" -Wall -Wextra -Werror $(pc --cflags) \
	-I"$stage$(pc --variable=qnxincludedir | sed "s|^$stage||")" \
	-o "$tmp/qnx" "$use/qnx_driver.c" $(pc --libs)
check "QNX program, no device" env LD_LIBRARY_PATH="$lib" DEVTRACE_DEVICE="$tmp/none" "$tmp/qnx"

# The code: one load, one test, one branch, no call when its type is off, as
# many once more for the object or the severity where there is one; and a record
# of fixed layout is stores and one call, however it was said.
cat >"$tmp/code.c" <<'END'
#include <devtrace.h>
#include <devtrace/log.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
void f_short(int a, int b) { devtrace(100, a, b); }
void f_record(int a, int b)
{
	DEVTRACE_RECORD(r, 32);
	if (devtrace_begin(&r, 100, 7, 0)) {
		devtrace_i32(&r, a);
		devtrace_i32(&r, b);
		devtrace_end(&r);
	}
}
void f_qs(int a, int b) { QS_BEGIN_ID(100, 7) QS_I32(0, a); QS_I32(0, b); QS_END() }
void f_qnx(int a, int b) { (void)Trace2(__M(0x41) + 7, _TRACE_HW_SEVERITY2, a, b); }
void f_exc(int a, int b) { devtrace_exc(DEVTRACE_HW2, 0x4107, a, b); }
void f_log(int a, int b) { DT_LOG("%d %d", a, b); }
END
if [ "$("$CC" -dumpmachine | cut -d- -f1)" = x86_64 ]; then
	"$CC" -O2 -fcf-protection=none -fno-stack-protector -I "$inc" -c -o "$tmp/code.o" "$tmp/code.c"
	for f in f_short f_record f_qs f_qnx f_exc f_log; do
		objdump -dr --no-show-raw-insn --disassemble=$f "$tmp/code.o" |
			sed -n 's/^ *[0-9a-f]*:\t\([a-z]*\).*/\1/p' >"$tmp/insn"
		off="mov test jne ret" few=26
		# another load, test and branch if its site is on
		[ $f != f_log ] || off="mov test jne mov" few=32
		same "$f off: load, test, branch" "$off" \
			"$(head -4 "$tmp/insn" | tr '\n' ' ' | sed 's/ $//; s/testb/test/; s/testl/test/; s/^movzbl/mov/')"
		cp "$tmp/insn" "$tmp/log"
		tests=2
		[ $f != f_short ] || tests=1
		same "$f on: tests, stores and one call" "call=1 tests=$tests branches=$tests few=1" \
			"call=$(grep -c call "$tmp/insn") tests=$(grep -c '^test' "$tmp/insn") branches=$(grep -c '^j' "$tmp/insn") few=$(($(wc -l <"$tmp/insn") <= few))"
	done
else
	skip "code of $("$CC" -dumpmachine)" "it is not known"
fi

done_testing
