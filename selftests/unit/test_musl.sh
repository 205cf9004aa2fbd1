#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_musl.sh - library and tools with musl, the C library of many small boards
#
# They compile without a warning; traceinfo prints what test_traceinfo.sh expects, and
# tracelogger has the memory that it promises there. test_emit_machines.sh has the emitting side.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$(cd "${O:-$top/build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
logger=''
trap '[ -z "$logger" ] || kill $logger; rm -rf "$work"' EXIT
. "$here/musl.sh"
musl_cc "$work" || { echo "1..0 # SKIP no musl-gcc (Debian: musl-tools)"; exit 0; }
# Settings for this machine's compiler are wrong for musl.
unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS LDFLAGS
. "$here/../tap.sh"
cd "$work" || exit 1

make -s -j2 -C "$top" user O="$work" CC="$work/musl-cc" MNL_LIBS= ZSTD_LIBS= >log 2>&1
ok $? "library and tools compile"
is "$(grep -c 'warning:' log)" 0 "without a warning"
[ $bad = 0 ] || sed 's/^/# /' log | tail -n 30
mkdir -p selftests/unit/san/tools
ln -s "$work/tools/traceinfo" selftests/unit/san/tools/
PATH="$out:$PATH" O="$work" sh "$here/test_traceinfo.sh" >log 2>&1
# musl has other words for errors of the system and of options, and that is all.
words='File name too long|Filename too long|Inappropriate ioctl for device|Not a tty|option|^# ([0-9,]*c[0-9,]*|---)$'
grep -v '^ok' log | grep '^#' | grep -Ev "$words" >other
grep -q '^ok 300 ' log && [ ! -s other ]; ok $? "traceinfo prints what it prints with glibc"
sed 's/^/# /' other | head -n 40

{ echo "info 0"; echo "bench 3000"; } | "$out/gen_stream" >s.trace
mkfifo pipe
exec 9<>pipe
tools/tracelogger -q -p 0 --device pipe -f saved.trace &
logger=$!
cat s.trace >&9
saved() { [ "$(tools/traceinfo --no-default-fmt saved.trace 2>/dev/null | grep -c USER:100)" = 3000 ]; }
wait_until saved; ok $? "tracelogger saves"
rss=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/$logger/status)
[ "$rss" -le 1024 ]; ok $? "and takes at most 1 MiB of memory, shared pages with it"
echo "# $rss kB"
kill $logger
wait $logger
logger=''

done_testing
