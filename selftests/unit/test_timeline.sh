#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_timeline.sh - compare the figures and marks of traceinfo --timeline with the events
#
# timeline_check.py checks the pictures of a simulated machine (summary_model.py), with and without
# losses. A million events of 70 000 threads, whose distances in time grow by a factor of a million,
# need bounded memory and time: four times the events take at most eight times as long. SEED=n makes
# another machine.
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset DEVTRACE_FMT_PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}

echo "TAP version 13"
if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
echo "# SEED=$SEED"
cd "$work" || exit 1
nr=0
failed=0
result()	# STATUS NAME
{
	nr=$((nr + 1))
	[ "$1" = 0 ] || { failed=1; printf 'not '; }
	echo "ok $nr $2"
	[ "$1" = 0 ] || sed 's/^/# /' log
}

for losses in 0 0 1 3; do
	python3 "$here/summary_model.py" make $((SEED + losses)) $losses 2> truth |
		grep -v -e 'lost lane' | gen_stream > trace
	status=0
	traceinfo --no-default-fmt --json trace > events 2> log &&
		traceinfo --no-default-fmt --summary=threads --json trace > summary 2> log || status=1
	for columns in 80 132 200; do
		COLUMNS=$columns LC_ALL=C.UTF-8 TERM=xterm traceinfo --no-default-fmt --timeline -v \
			trace > unicode 2> log &&
		COLUMNS=$columns traceinfo --no-default-fmt --timeline -v trace > ascii 2> log &&
		python3 "$here/timeline_check.py" $columns events summary ascii unicode >> log 2>&1 ||
			status=1
	done
	result $status "rows and marks of a machine, $losses losses"
done

# Random events cause no message, no control character, and no line that is too long.
{ echo info; echo "clock 1 1700000000000000000"; echo "noise $SEED 5000"; } | gen_stream > noise
for options in --timeline "--timeline -v" --timeline=1000h "--timeline --slice A..B --counter A.b"; do
	# shellcheck disable=SC2086 # several options
	traceinfo --no-default-fmt $options noise > text 2> log && ! grep -v ' no event has the name ' log &&
		! grep -q '[^ -~]' text && awk 'length > 80 { exit 1 }' text
	result $? "random events, $options"
done

# A picture fits any terminal of 20 columns or more, with a name and with thread numbers of slices.
status=0
cp trace a-file-with-a-long-name-that-is-wider-than-the-terminal.trace
for columns in 79 60 40 33 32 31 30 24 20; do
	for stream in noise a-file-with-a-long-name-that-is-wider-than-the-terminal.trace; do
		COLUMNS=$columns LC_ALL=C.UTF-8 TERM=xterm traceinfo --no-default-fmt --timeline \
			--slice SCHED_SWITCH..SCHED_SWITCH $stream 2>log | head -c 1000000 |
			python3 -c 'import sys
for l in sys.stdin.buffer:
    if len(l.decode().rstrip("\n")) > int(sys.argv[1]):
        sys.exit("wider than " + sys.argv[1] + ": " + repr(l))' $columns 2>>log || status=1
	done
	[ $status = 0 ] || break
done
result $status "pictures for narrow terminals"

# 70 000 threads have events in turns, at times whose distances grow.
python3 - > big <<'PY'
print("info")
ts = 0
for i in range(1000000):
    ts += 1 + (1 << i // 50000)
    nxt = 1 + i * 7919 % 70000
    print(f"event {ts} cpu={i % 4} tid={i * 7919 % 70000} type=147 u8:1 i16:120 u32:{nxt} i16:120 str:t")
PY
gen_stream < big > big.trace
head -n 250001 big | gen_stream > quarter.trace
cat > cost.py <<'PY'
import os, resource, subprocess, sys
def run(path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.argv[1], "--no-default-fmt", "--timeline", path], check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_maxrss
quarter = min(run("quarter.trace")[0] for _ in range(3))
whole, memory = run("big.trace")
print(f"{whole:.2f} s for a million events, {quarter:.2f} s for a quarter, {memory} KiB")
sys.exit(memory > 40 * 1024 or whole > 8 * quarter)
PY
python3 cost.py "$out/../../tools/traceinfo" > log 2>&1
status=$?
sed 's/^/# /' log
result $status "cost of a million events"
echo "1..$nr"
exit $failed
