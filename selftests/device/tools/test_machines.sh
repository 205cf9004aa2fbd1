#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_machines.sh - a stream means the same on every machine
#
# Runs on the board, as root, with traceinfo in PATH. Beside this file is
# streams/, from another machine: streams, and NAME.txt with what traceinfo
# printed there for each. The recordings of this machine go to /out the same way,
# for the other machine to compare. selftests/vm/device-tests does both.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
export TZ=UTC
modules=${DEVTRACE_MODULES:-/modules}

# shellcheck source=../../tap.sh
. "$here/tap.sh"
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ]; then
	skip_all "no /dev/trace"
fi

if [ -d "$here/streams" ]; then
	for want in "$here"/streams/*.txt; do
		name=${want##*/}
		name=${name%.txt}
		(cd "$here/streams" && traceinfo --no-default-fmt --time=raw "$name" >"$out/text" 2>&1)
		diff "$want" "$out/text" >"$out/diff"
		same=$?
		ok $same "$name, recorded elsewhere, prints the same here"
		[ $same = 0 ] || head -n 6 "$out/diff" | sed 's/^/# /'
	done
fi

# Something of everything: text, names, pointers, interrupts, programs, losses.
rmmod dttest 2>/dev/null
rmmod metronome 2>/dev/null
trace_unload
trace_load_with size=16K
insmod "$modules/dttest.ko"
insmod "$modules/metronome.ko" period_us=10000
echo 1 >/sys/module/dttest/parameters/pointers
echo 1 >/sys/module/dttest/parameters/run
# until the rings have wrapped: a busy machine takes longer
tries=0
while sleep 1; [ $tries -lt 360 ] &&
	[ "$(awk '{ n += $2 + $3 + $4 } END { print n + 0 }' /sys/module/dttest/parameters/counts)" -lt 4000 ]; do
	tries=$((tries + 1))
done
echo 0 >/sys/module/dttest/parameters/run
rmmod metronome
echo '<3>pump 2 runs dry' >/dev/trace
echo '}~}^ the last' >/dev/trace
rmmod dttest
# all that is there, and no end: then nothing more comes. A slow machine takes longer
for seconds in 5 20 60 200; do
	timeout $seconds cat /dev/trace >"$out/stream"
	traceinfo --no-default-fmt --time=raw "$out/stream" >"$out/text" 2>&1
	printed=$?
	! grep -qF 'text: }~}^ the last' "$out/text" || break
done
ok "$printed" "what is recorded here is printed here"
for what in 'text: pump 2 runs dry' 'text: }~}^ the last' 'lost' irq@ ; do
	case $what in
	irq@)	grep -qE ' (irq|soft) ' "$out/text" ;;
	*)	grep -qF "$what" "$out/text" ;;
	esac
	ok $? "it has: $what"
done
if [ -d /out ]; then
	cp "$out/stream" /out/recorded
	(cd /out && traceinfo --no-default-fmt --time=raw recorded >recorded.txt 2>&1)
fi
trace_unload
trace_load

done_testing
