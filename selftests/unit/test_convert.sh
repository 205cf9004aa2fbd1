#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_convert.sh - devtrace-convert --to: what viewers get is what traceinfo prints
#
# Streams in words are converted, decoded by programs that are not ours, and compared with traceinfo
# --json, event by event: see perfetto_check.py. SEED=n is another machine and other noise.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}
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
# How exact the clock was: perfetto_check.py compares the tracks with the statements.
for stream in c7 c8 c9; do
	gen_stream <"$here/traceinfo/$stream.gen" >$stream.trace
	equal "$stream, which states the error of its clock" $stream.trace
	head -n 1 said >>stated
done
is "$(xargs <stated)" "1 statements, 3 errors 2 statements, 5 errors 1 statements, 0 errors" "in few samples"
python3 "$here/dates_check.py" make "$SEED" | gen_stream >dates.trace
equal "a clock that drifts and is set" dates.trace
devtrace-convert -q --to perfetto c7.trace c8.trace c9.trace >three.pf
decode three.pf >three.txt
is "$(awk '/^packet/ { m = 0 } /name: "(Clock error|Wall clock)"/ { n = $0; sub(/.*: /, "", n) }
	/machine_id/ { m = $2 } /^}/ { if (n) print m, n; n = "" }' three.txt | xargs)" \
	"0 Wall clock 0 Clock error 1 Wall clock 1 Clock error 2 Wall clock" "each board has its own tracks"
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

# Statements: their places in the source, of some thousand more than are kept at a time
cat >sites.fmt <<'END'
image "00112233" "pumpd" {
	site 0 err "motor.c:120" "motor_run" "pump %d runs dry at %s"
	site 1 log "lib/\xff.c:7" "" "no argument"
}
END
awk 'BEGIN {
	print "image \"44556677\" \"many\" {"
	for (n = 0; n < 6000; n++)
		print "\tsite " n " log \"file" n ".c:" n + 1 "\" \"f" n "\" \"%u\""
	print "}"
}' >>sites.fmt
{
	echo info
	echo 'clock 1 1700000000000000000 1 77000'
	echo 'proc 70 70 pumpd'
	echo 'dict image 70 0 0 0 00112233'
	echo 'dict image 70 1 0 0 44556677'
	echo 'event 2000 tid=70 ctx=user type=127 sev=sw2 u32:0 i32:2 str:cellar'
	echo 'event 2001 tid=70 ctx=user type=127 u32:1'
	echo 'event 2002 tid=70 ctx=user type=127 obj=7 u32:0 i32:3 str:attic'
	awk 'BEGIN { for (n = 0; n < 12000; n++)
		print "event " 3000 + n " tid=70 ctx=user type=127 u32:" 16777216 + n % 6000 " u32:" n }'
} | gen_stream >sites.trace
old=$fmt fmt=sites.fmt
equal "statements have their places in the source" sites.trace 2>&1
fmt=$old
is "$(grep -c 'file_name: "motor.c"' out.txt)" 1 "and a place is written once"

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
cp one.trace again.trace
devtrace-convert -q --to perfetto one.trace two.trace again.trace >both.pf
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

# Hostile names: control characters, marks of the format, no UTF-8
python3 - >hostile.gen <<'END'
names = [b"a\nb", b"\x1b[31mred\x1b[2J", b'q"\\z', b"\xff\xfe\x80bad", "\u00fc\u20ac".encode(), b"a\tb\rc", b"\xc2\x9b31m",
         b"x" * 63, b"</script><script>alert(1)</script>", b'";};', b"$end", b"%s%n", b"-->"]
def quote(b):
    return '"' + "".join("\\x%02x" % c for c in b) + '"'
print("info\nclock 5 1700000000000000000 5")
for i, n in enumerate(names):
    print(f"proc {i + 7} {i + 7} {quote(n[:15])}\ndict usr 0 {100 + i} 0 0 {quote(n)}")
    print(f"dict obj 0 0 0 {16 + i} {quote(n)}\ndict fun 0 0 0 {32 + i} {quote(n)}")
for i, n in enumerate(names):
    print(f"event {10 * i + 10} tid={i + 7} ctx=user type=4 obj:{16 + i} fun:{32 + i}")
    print(f"event {10 * i + 12} tid={i + 7} ctx=user type={100 + i} u8:{i} str:{quote(n)}")
    print(f"event {10 * i + 14} tid={i + 7} ctx=user type=126 str:{quote(n)}")
END
gen_stream <hostile.gen >hostile.trace
devtrace-convert -q --to chrome hostile.trace >hostile.json
python3 -c '
import json, sys
data = open("hostile.json", "rb").read()
n = sum(e["ph"] == "i" for e in json.loads(data.decode())["traceEvents"])
sys.exit(n != 39 or any(b < 32 and b != 10 for b in data))'
ok $? "hostile names for Chrome are JSON in UTF-8"
equal "hostile names in Perfetto" hostile.trace
iconv -f UTF-8 -t UTF-8 <out.txt >/dev/null
ok $? "are UTF-8"
devtrace-convert -q --to html hostile.trace >hostile.html
is "$(grep -c '<script' hostile.html)" 2 "hostile names are no part of the page"
devtrace-convert -q --to vcd hostile.trace >hostile.vcd
is "$(grep -c '^[$]var' hostile.vcd) $(grep -c '[^ -~	]' hostile.vcd)" "13 0" "and no characters of a dump"
printf '\033[2J\377' >name
cp one.trace "$(cat name).trace"
{
	devtrace-convert --to html -o escaped.html "$(cat name).trace"
	devtrace-convert --to "$(cat name)" one.trace
	devtrace-convert -e "$(cat name)" --to html -o escaped.html one.trace
	devtrace-convert --to html -o escaped.html "serial:/$(cat name)"
	traceinfo --time "$(cat name)"
} 2>said
is "$(wc -l <said) $(grep -c '\\x1b\[2J\\xff' said) $(LC_ALL=C grep -c '[^ -~]' said)" "5 5 0" "messages escape what they quote"

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
is "$? $(cat said)" "1 devtrace-convert: nowhere: No such file or directory (name a saved stream, or give no argument to read /dev/trace)" \
	"a file that is not there"
python3 -m json.tool <x >/dev/null
ok $? "and the other one is converted"
# An output of an earlier conversion stays if there is nothing to convert.
printf 'earlier' >earlier
: >empty
devtrace-convert --to html -o earlier nowhere empty . 2>said
is "$? $(cat earlier)" "1 earlier" "without an input that can be read, the output file stays"
cat >expected <<'END'
devtrace-convert: nowhere: No such file or directory (name a saved stream, or give no argument to read /dev/trace)
devtrace-convert: empty: not a trace stream: the file is empty (name a saved stream, or give no argument to read /dev/trace)
devtrace-convert: .: Is a directory (name the files in it)
END
diff said expected >&2
ok $? "and each input has its message"
devtrace-convert --to html -o new nowhere 2>said
[ $? = 1 ] && [ ! -e new ]
ok $? "nor is a file created"
devtrace-convert --to html -o earlier - <"$here/test_convert.sh" 2>said
is "$? $(cat earlier) $(sed 's/its .*/its bytes/' said)" \
	"1 earlier devtrace-convert: standard input: not a trace stream: no whole frame in its bytes" "standard input is checked, too"
devtrace-convert --to html -o earlier /dev/null 2>said
is "$? $(cat earlier)" "1 earlier" "and so is a device that is no trace device"
devtrace-convert --to html -o earlier unix:nowhere nowhere 2>said
is "$? $(cat earlier)" "1 earlier" "and a link that cannot be opened"
cat >expected <<'END'
devtrace-convert: unix:nowhere: No such file or directory
devtrace-convert: nowhere: No such file or directory (name a saved stream, or give no argument to read /dev/trace)
END
diff said expected >&2
ok $? "and both have a message"
# An event or argument that is not in the input, or an option that the format does not draw
devtrace-convert -q -e picks.fmt --to perfetto -o picked.pf --counter BEAT.late --slice BEGIN..END picks.trace 2>said
is "$? $(cat said)" "0 " "known names are not reported"
devtrace-convert -q -e picks.fmt --to perfetto -o picked.pf --counter BEAT.lat --counter BAET.late --slice BEGIN..EN \
	--slice nothing..END picks.trace 2>said
cat >expected <<'END'
devtrace-convert: --slice: no event has the name EN; did you mean END?
devtrace-convert: --slice: no event has the name nothing; traceinfo prints the names of events
devtrace-convert: --counter: the event BEAT has no number with the name lat; did you mean late?
devtrace-convert: --counter: no event has the name BAET; did you mean BEAT?
END
diff said expected >&2
ok $? "a misspelt name is reported"
sed 's/^devtrace-convert/traceinfo/' expected >expected.timeline
traceinfo -e picks.fmt --timeline --counter BEAT.lat --counter BAET.late --slice BEGIN..EN --slice nothing..END \
	picks.trace 2>said >x
diff said expected.timeline >&2
ok $? "by traceinfo, too"
for pair in "vcd --slice BEGIN..END bars; use --to perfetto, chrome or html" \
	"html --counter BEAT.late curves; use --to perfetto, chrome, vcd or parquet" \
	"ctf --slice BEGIN..END bars; use --to perfetto, chrome or html"; do
	# shellcheck disable=SC2086 # words
	set -- $pair
	devtrace-convert --to "$1" -o unwanted "$2" "$3" picks.trace 2>said
	status=$?
	what="$1 $2"
	want="devtrace-convert: $2: '$1' has no"
	shift 3
	is "$status $(cat said)" "2 $want $*" "$what is refused"
done
ln -s one.trace again.name
for twice in one.trace ./one.trace again.name; do
	devtrace-convert --to html -o unwanted one.trace two.trace $twice 2>said
	is "$? $(cat said)" "2 devtrace-convert: input: '$twice' is given twice, so its events would be in the output twice; give it once" \
		"an input that is given twice, as $twice"
done
devtrace-convert --to html -o '' one.trace 2>said
is "$? $(cat said)" "2 devtrace-convert: --output: '' is not the name of a file" "an empty name"
[ ! -e unwanted ]
ok $? "these make no output"
# The former name of --format-file, and a format file with an error
devtrace-convert -q --event picks.fmt --to html -o old.html picks.trace 2>said &&
	devtrace-convert -q --format-file picks.fmt --to html -o new.html picks.trace 2>>said
is "$? $(cat said)" "0 " "--event is --format-file"
echo 'record 107 BEGIN %' >wrong.fmt
devtrace-convert -q -e wrong.fmt --to html -o new.html picks.trace 2>said
is "$? $(cat said)" "0 devtrace-convert: wrong.fmt: 1 error; 'traceinfo --check-fmt wrong.fmt' shows them" \
	"a format file with an error"
# Both programs say the same about a bad input.
for wrong in nowhere empty . "$here/test_convert.sh" /dev/null /dev/trace-nowhere tcp:127.0.0.1:9 tcp: syslog:host ""; do
	traceinfo "$wrong" 2>&1 | sed 's/^traceinfo/devtrace-convert/' >expected
	devtrace-convert --to html -o earlier "$wrong" 2>said
	diff said expected >&2
	ok $? "traceinfo and devtrace-convert say the same about $wrong"
done
# The example of the manual page, with the remote machine's shell
mkdir log
cp one.trace two.trace log
sh -c 'traceinfo --raw --since 2023-11-14 --until 2023-11-15 log/*' | devtrace-convert -q --to perfetto -o day.pf - 2>said
is "$? $(decode day.pf | grep -c TYPE_INSTANT)" "0 2" "a time of the files of another machine"
printf '%s\n' 'info 0' 'clock 4294967296 -9223372036854775808' 'event 4294967297 type=200 u32:1' |
	gen_stream >far.trace
devtrace-convert -q --to vcd far.trace >far.vcd 2>said
is "$? $(cat said)" "0 " "a date beyond 64 bits"
[ "$(readlink "$out/san/tools/traceconv")" = devtrace-convert ]
ok $? "the old name is a link"

done_testing
