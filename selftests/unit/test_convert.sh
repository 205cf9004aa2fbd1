#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_convert.sh - devtrace-convert --to: what viewers get is what traceinfo prints
#
# Streams in words are converted, decoded by programs that are not ours, and compared with traceinfo
# --json, event by event: see perfetto_check.py. SEED=n is another machine and other noise.
here=$(cd "$(dirname "$0")" && pwd)
O=$(cd "${O:-$here/../../build}" && pwd) || exit 1
out=$O/selftests/unit
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset DEVTRACE_FMT_PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}
cd "$work" || exit 1
. "$here/../tap.sh"
for need in python3 protoc; do
	command -v $need >/dev/null || skip_all "no $need"
done
echo "# SEED=$SEED"
fmt=$here/traceinfo/board.fmt

decode() { protoc --decode=perfetto.protos.Trace -I "$here" "$here/perfetto.proto" <"$1"; }

# equal NAME STREAM [OPTIONS of the converter --] [CHECKS]: --to perfetto against traceinfo
equal()
{
	name=$1 stream=$2
	shift 2
	options=''
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	[ $# = 0 ] || shift
	# shellcheck disable=SC2086 # words
	devtrace-convert -q -e "$fmt" --to perfetto $options -o out.pf "$stream" >said 2>&1 &&
		[ ! -s said ] && decode out.pf >out.txt &&
		traceinfo -e "$fmt" --json -v "$stream" >out.json &&
		python3 "$here/perfetto_check.py" out.json out.txt "$@" >>said
	ok $? "$name"
	sed 's/^/# /' said
}

for stream in board profile damage lanes late idle faults clock; do
	gen_stream <"$here/traceinfo/$stream.gen" >$stream.trace
	equal "$stream in Perfetto" $stream.trace
done
for losses in 0 20; do
	python3 "$here/summary_model.py" make "$SEED" $losses >machine.gen 2>truth
	gen_stream <machine.gen >machine.trace
	equal "a machine with $losses losses" machine.trace
	grep -q ' [1-9][0-9]* of ftrace, .* losses' said
	ok $? "and its scheduling is of ftrace"
done
grep -q ' [1-9][0-9]* bundles after a loss' said
ok $? "which is told of losses on its CPU"
{ echo info; echo 'clock 1 1700000000000000000 1 77000'; echo "noise $SEED 3000"; } | gen_stream >noise.trace
equal "hostile frames" noise.trace

# Only in a long stream: names that begin anew, a log that grows
python3 - >long.gen <<'END'
print("info\nclock 5 1700000000000000000 5 123456789\nproc 7 7 worker")
for i in range(1500):
    print(f"dict fun 0 0 0 {i + 1} state_{i}")
    print(f"event {i * 1000 + 10} tid=7 ctx=user type=126 str:{'x' * 900}{i}")
    print(f"event {i * 1000 + 20} tid=7 ctx=user type=4 obj:16 fun:{i + 1}")
END
gen_stream <long.gen >long.trace
equal "a long stream" long.trace
[ "$(grep -c 'sequence_flags: [13]' out.txt)" -gt 1 ]
ok $? "in which names begin anew"

# Curves, bars and states
cat >picks.gen <<'END'
info
dict obj 0 0 0 16 motor
dict fun 0 0 0 32 standing
dict fun 0 0 0 33 turning
clock 5 1700000000000000000 5
proc 7 7 worker
event 10 tid=7 ctx=user type=109 i32:5
event 11 tid=7 ctx=user type=107 u8:1
event 12 tid=7 ctx=user type=4 obj:16 fun:32
event 13 cpu=1 tid=7 ctx=irq type=107 u8:2
event 14 tid=7 ctx=user type=108 u8:1
event 15 tid=7 ctx=user type=108 u8:1
event 16 tid=7 ctx=user type=6 sig:4@16 obj:16 fun:32 fun:33
event 17 tid=7 ctx=user type=109 i32:-3
event 18 cpu=1 tid=7 ctx=irq type=108 u8:2
END
cat >picks.fmt <<'END'
record 107 BEGIN (u8 n) "%v"
record 108 END (u8 n) "%v"
record 109 BEAT (i32 late / 10 "ms") "%v late"
END
fmt=picks.fmt
gen_stream <picks.gen >picks.trace
equal "curves, bars and states" picks.trace --counter BEAT.late --slice BEGIN..END -- \
	COUNTER=BEAT.late SLICE=BEGIN..END STATE=standing STATE=turning
is "$(grep -c 'TYPE_SLICE_END' out.txt)" 2 "a bar ends once, on its own track"
is "$(grep -c 'unit_name: "ms"' out.txt)" 1 "a curve has its unit"
fmt=$here/traceinfo/board.fmt

# Protobuf in its shortest form: as long as the library makes it
protoc --encode=perfetto.protos.Trace -I "$here" "$here/perfetto.proto" <out.txt >again.pf
is "$(wc -c <again.pf)" "$(wc -c <out.pf)" "the file is as long as protoc makes it"
{ echo info; echo 'bench 50000'; } | gen_stream >bench.trace
devtrace-convert -q --to perfetto bench.trace >bench.pf
[ "$(wc -c <bench.pf)" -le $((2 * $(wc -c <bench.trace))) ]
ok $? "at most twice as long as the stream"

# By a pipe, in pieces, compressed, and several at once
dd bs=777 <machine.trace 2>/dev/null | devtrace-convert -q --to perfetto - >pipe.pf
devtrace-convert -q --to perfetto machine.trace >file.pf
cmp pipe.pf file.pf
ok $? "a pipe gives the same"
if command -v zstd >/dev/null && zstd -q machine.trace -o machine.zst &&
   traceinfo machine.zst >/dev/null 2>&1; then
	devtrace-convert -q --to perfetto machine.zst >zstd.pf
	cmp zstd.pf file.pf
	ok $? "a compressed file, too"
else
	skip "a compressed file, too" "no zstd"
fi
printf '%s\n' 'boot 1' info 'clock 100 1700000000000000000 100' 'proc 7 7 one' 'event 200 tid=7 type=100 u8:1' |
	gen_stream >one.trace
printf '%s\n' 'boot 2' info 'clock 5000 1700000000000001000 5000' 'proc 7 7 two' 'event 5500 tid=7 type=100 u8:2' |
	gen_stream >two.trace
devtrace-convert -q --to perfetto one.trace two.trace one.trace >both.pf
decode both.pf >both.txt
is "$(grep -c 'machine_id: 1' both.txt) $(grep -c 'machine_id: [^1]' both.txt) $(grep -c remote_clock_sync both.txt)" \
	"$(awk '/^packet/ { m = 0 } /machine_id/ { n++ } END { print n }' both.txt) 0 1" "another boot is another machine"
# The second event is 1400 ns later by the wall clock.
is "$(awk '/timestamp:/ { t = $2 } /TYPE_INSTANT/ { print t }' both.txt | xargs)" "200 1600 200" \
	"which has its time by the wall clock"
# The first CLOCK frame stands behind events
printf '%s\n' info 'event 200 tid=7 type=100 u8:1' 'clock 300 1700000000000000000 300 1300' \
	'event 400 tid=7 type=100 u8:1' 'clock 500 1700000000000000300 500 1450' \
	'event 510 tid=7 type=100 u8:1' | gen_stream >behind.trace
devtrace-convert -q --to perfetto behind.trace >behind.pf
decode behind.pf >behind.txt
times=$(awk '/^packet/ { t = 0 } /^  timestamp:/ { t = $2 } /TYPE_INSTANT/ { print t }' behind.txt | xargs)
is "${times%% *}" 1200 "the clock of a file is found before its first event"
is "$times" "1200 1400 1510" "and a clock that was slewed does not change distances"

# Memory that does not grow
for n in 100000 1000000; do
	{ echo info; echo "bench $n"; } | gen_stream |
		python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$O/tools/devtrace-convert" -q --to perfetto - >rss.$n
done
[ "$(cat rss.1000000)" -lt $(($(cat rss.100000) + 1024)) ]
ok $? "ten times the stream in the same memory: $(cat rss.100000) and $(cat rss.1000000) KiB"

# Chrome: JSON that others read, with each event once
for stream in board machine noise picks; do
	devtrace-convert -q -e picks.fmt --to chrome --counter BEAT.late $stream.trace >chrome.json &&
		traceinfo -e picks.fmt --json $stream.trace | python3 -c '
import json, sys
from decimal import Decimal
got = json.load(open("chrome.json"), parse_float=Decimal)["traceEvents"]
want = [j for j in map(json.loads, sys.stdin) if j["kind"] == "event"]
mine = [e for e in got if e["ph"] == "i" and e.get("cat") != "lost"]
same = len(want) == len(mine) and all(
    w["name"] == m["name"] and w["text"] == m["args"]["text"] and
    all(m["args"][n] == v or float(m["args"][n]) == v for n, v in w.get("args", {}).items() if n != "text")
    for w, m in zip(want, mine))
# Random frames have machines of their own, which have other times.
both = [(w["ts"], m["ts"] * 1000) for w, m in zip(want, mine) if m["pid"] < 2**32]
first = both[0][0] - both[0][1]
same &= all((w - first) % 2**64 == m for w, m in both)
if sys.argv[1] == "picks":
    same &= [float(e["args"]["late"]) for e in got if e["ph"] == "C"] == [0.5, -0.3]
print(len(want), "events")
sys.exit(not same)' $stream >said 2>&1
	ok $? "$stream for Chrome"
	sed 's/^/# /' said
done
devtrace-convert -q --to chrome machine.trace | python3 -c '
import json, sys
runs = [e for e in json.load(sys.stdin)["traceEvents"] if e["ph"] == "X"]
cpus = {}
for e in runs:
    cpus.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
sys.exit(not runs or any(a[1] > b[0] + 1e-6 for c in cpus.values() for a, b in zip(c, c[1:])))'
ok $? "and on each CPU one thread at a time"

# Errors
cp one.trace own.trace
ln -s own.trace other.name
devtrace-convert --to perfetto -o other.name own.trace 2>said
is "$? $(cat said)" "1 devtrace-convert: other.name: the output file is also an input; name another file" \
	"an input is no output"
cmp -s own.trace one.trace
ok $? "and is as it was"
devtrace-convert -q --to chrome one.trace >/dev/full 2>said
is "$? $(cat said)" "1 devtrace-convert: standard output: No space left on device" "a full disk"
devtrace-convert --to perfetto "$here/test_convert.sh" 2>said >x
is $? 1 "a file that is no stream"
grep -q 'not a trace stream' said
ok $? "which is said"
devtrace-convert --to perfetto one.trace 2>said >x
is "$(cat said)" "devtrace-convert: one.trace: 1 events" "the count is told"
yes '' | head -c 100 | devtrace-convert -q --to chrome nowhere one.trace 2>said >x
is "$? $(cat said)" "1 devtrace-convert: nowhere: No such file or directory" "a file that is not there"
python3 -m json.tool <x >/dev/null
ok $? "and the other one is converted"
[ "$(readlink "$out/san/tools/traceconv")" = devtrace-convert ]
ok $? "the old name is a link"

done_testing
