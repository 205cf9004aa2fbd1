#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_babeltrace.sh - by our plugin, babeltrace2 finds streams, and reads the events that traceinfo
# prints
#
# babeltrace_check.py compares each event, first of the stream, then of a CTF trace that babeltrace2
# wrote from the stream. The test uses the plugin with sanitizers. SEED=n makes another machine and
# other noise.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out:$out/san/tools:$PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}
command -v babeltrace2 >/dev/null || skip_all "no babeltrace2"
/usr/bin/python3 -c 'import bt2' 2>/dev/null || skip_all "no python3-bt2"
plugins=$out/san/tools/babeltrace-plugins
[ -e "$plugins/babeltrace-plugin-devtrace.so" ] ||
	skip_all "the plugin was not built: no libbabeltrace2-dev"
echo "# SEED=$SEED"
fmt=$here/traceinfo/board.fmt
why=said

# The leaks of babeltrace2 and Python are not ours; valgrind below looks for ours.
asan() { ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(gcc -print-file-name=libasan.so)" "$@"; }
babeltrace() { asan babeltrace2 --plugin-path "$plugins" "$@"; }
compare() { BABELTRACE_PLUGIN_PATH=$plugins asan /usr/bin/python3 "$here/babeltrace_check.py" "$@" >said 2>&1; }

# equal NAME STREAM: from the stream, and from CTF
equal()
{
	traceinfo --json -v "$2" >out.json
	compare out.json "$2"
	ok $? "$1: events, values and losses"
	sed 's/^/# /' said
	rm -rf ctf
	babeltrace "$2" -o ctf -w ctf >said 2>&1 && compare out.json ctf ctf
	ok $? "$1: CTF says the same"
}

for stream in board profile damage lanes late idle faults clock; do
	gen_stream <"$here/traceinfo/$stream.gen" >$stream.trace
	equal "$stream" $stream.trace
done
python3 "$here/summary_model.py" make "$SEED" 20 >machine.gen 2>truth
gen_stream <machine.gen >machine.trace
equal "a machine with losses" machine.trace
{ echo info; echo 'clock 1 1700000000000000000 1 77000'; echo "noise $SEED 3000"; } | gen_stream >noise.trace
traceinfo --json noise.trace | grep -c '"kind":"event"' >want
babeltrace noise.trace 2>said | grep -c '' >have
is "$(cat have)" "$(cat want)" "hostile frames"

# babeltrace2 reads one file, a file with a format file, and several files.
is "$(babeltrace board.trace 2>said | grep -c '')" 16 "babeltrace2 FILE finds the plugin"
mkdir fmt
cp "$fmt" fmt
DEVTRACE_FMT_PATH=$work/fmt babeltrace board.trace 2>said | grep -q 'SPEED: .*{ left = 120, right = 118 }'
ok $? "a format file names events and fields"
is "$(babeltrace board.trace profile.trace 2>said | grep -c '')" 48 "two files are two traces"
babeltrace profile.trace 2>said >/dev/null
is "$(sed -n 's/.*discarded \([0-9]*\) events.*\(cpu [0-9]\).*/\1 \2/p' said | xargs)" "500 cpu 0 3 cpu 1" \
	"discarded events are of a CPU"
# The wall clock aligns the times after a reboot.
printf '%s\n' 'boot 1' info 'clock 100 1700000000000000000 100' 'proc 7 7 one' 'event 200 tid=7 type=100 u8:1' \
	'boot 2' info 'clock 50 1700000000000001000 50' 'proc 7 7 two' 'event 90 tid=7 type=100 u8:2' |
	gen_stream >boots.trace
is "$(babeltrace --clock-seconds --no-delta boots.trace 2>said | cut -d' ' -f1 | xargs)" \
	"[1700000000.000000100] [1700000000.000001040]" "a later boot is aligned by the wall clock"

# The error of the dates: the worst of all events. A trace says it in the format's own terms.
dates() { BABELTRACE_PLUGIN_PATH=$plugins asan /usr/bin/python3 "$here/dates_check.py" "$@" 2>&1; }
said_of()	# STREAM: what the stream says, and what CTF says
{
	rm -rf ctf
	babeltrace "$1" -o ctf -w ctf >said 2>&1
	dates show "$1"
	dates show ctf
}
gen_stream <"$here/traceinfo/c7.gen" >c7.trace
is "$(said_of c7.trace | xargs)" "yes ntp 1854567 1854567 yes ntp 1854567 1854567" \
	"the precision of the clock holds where the wall clock was set"
gen_stream <"$here/traceinfo/c8.gen" >c8.trace
is "$(said_of c8.trace | xargs)" "yes ptp0 870000 870000 yes ptp0 870000 870000" \
	"and after the end of the synchronization"
gen_stream <"$here/traceinfo/c9.gen" >c9.trace
is "$(said_of c9.trace | xargs)" "never 0 never 0" "a clock that never was synchronized"
is "$(said_of board.trace | xargs)" "unknown 0 unknown 0" "a stream without statements"
printf '%s\n' info 'clock 1000000000 1700000000000000000' 'event 1000000000 u32:1' \
	'clock 11000000000 1700000010000000000' 'accuracy 11000000000 1000000 1 1 ntp' 'event 11000000000 u32:2' |
	gen_stream >early.trace
is "$(said_of early.trace | xargs)" "yes ntp 6020000 6020000 yes ntp 6020000 6020000" \
	"an event before the first statement"
printf '%s\n' info 'clock 1000000000 1700000000000000000' 'event 1000000000 u32:1' \
	'clock 2000000000 1700000001000000000' 'clock 2000000001 1700000011000000001' \
	'accuracy 2000000001 1000000 1 1 ntp' 'event 2000000001 u32:2' | gen_stream >wrong.trace
is "$(said_of wrong.trace | xargs)" "yes ntp 10001520000 10001520000 yes ntp 10001520000 10001520000" \
	"a wall clock that was wrong by 10 s at first"
make_dates() { python3 "$here/dates_check.py" make "$@"; }
make_dates "$SEED" | gen_stream >dates.trace
rm -rf ctf
babeltrace dates.trace -o ctf -w ctf >said 2>&1
for from in dates.trace ctf; do
	dates check $from >said
	ok $? "no date of $from is farther from the true time than the precision"
	sed 's/^/# /' said
done
{ make_dates "$SEED"; make_dates "$SEED" 1; } | gen_stream >dates.trace
dates check dates.trace >said
ok $? "nor of two boots"
{ make_dates "$SEED"; make_dates "$SEED" 1 | grep -v accuracy; } | gen_stream >dates.trace
is "$(dates show dates.trace)" "unknown 0" "one boot without a statement: the error of some dates is unknown"
# Version 1 of babeltrace's protocol, of which a library from 2.1 on lets the graph choose
cat >mip.c <<'END'
#include <stdint.h>
#include <stdio.h>
uint64_t bt_self_component_get_graph_mip_version(void *self) { return 1; }
void bt_clock_class_set_accuracy(void *clock, uint64_t cycles) { fprintf(stderr, "accuracy %d\n", (int)cycles); }
END
gcc -w -shared -fPIC -o mip.so mip.c
LD_PRELOAD=$PWD/mip.so babeltrace2 --plugin-path "$O/tools/babeltrace-plugins" c8.trace 2>&1 >/dev/null |
	grep accuracy | sort | uniq -c | xargs >said
is "$(cat said)" "3 accuracy 870000" "in CTF 2 it is the accuracy"

# LTTng's names
babeltrace --component source.devtrace.file --params 'inputs=["profile.trace"],lttng-names=yes' >names 2>said
grep -q ' sched_switch: .*prev_comm = "sh", prev_tid = 100, prev_prio = 120, prev_state = 1, next_comm = "swapper/0", next_tid = 0' names
ok $? "sched_switch has LTTng's fields"
grep -q ' irq_handler_entry: .*irq = 5, name = "uart0"' names && grep -q ' syscall_entry_read: ' names &&
	grep -q ' irq_softirq_entry: .*vec = 1 ' names && grep -q ' sched_waking: .*comm = "worker", tid = 200' names
ok $? "and so have interrupts, system calls and wake-ups"

# Names must not control the terminal, and must be the same in CTF.
printf '%s\n' info 'clock 5 1700000000000000000 5' 'proc 7 7 one' 'dict usr 0 100 0 0 "\x1b[2Ja\x0ab"' \
	'dict usr 0 101 0 0 "\xff\x80bad"' 'dict usr 0 102 0 0 "\xc2\x9b31m\x22"' \
	'event 10 tid=7 ctx=user type=100 u8:1' 'event 20 tid=7 ctx=user type=101 u8:1' \
	'event 30 tid=7 ctx=user type=102 u8:1' | gen_stream >hostile.trace
asan devtrace-convert --to ctf -o hostile hostile.trace >said 2>&1
for from in hostile.trace hostile; do
	is "$(babeltrace $from 2>said | sed 's/^[^)]*) //; s/: { cpu_id.*//' | xargs -d '\n')" \
		'\x1b[2Ja\x0ab \xff\x80bad \xc2\x9b31m"' "hostile names are escaped in $from"
done

# devtrace-convert --to ctf
asan devtrace-convert -e "$fmt" --to ctf -o made board.trace >said 2>&1
ok $? "devtrace-convert --to ctf"
traceinfo -e "$fmt" --json board.trace >out.json
compare out.json made ctf
ok $? "writes what traceinfo prints"
grep -aq 'CTF 1.8' made/trace/metadata
ok $? "in version 1.8"
devtrace-convert --to ctf board.trace 2>said
is "$? $(cat said)" "2 devtrace-convert: --to ctf makes a directory; name one with --output" "it wants a directory"
devtrace-convert --to ctf -o made2 - <board.trace 2>said
is "$? $(cat said)" "2 devtrace-convert: --to ctf: '-' is not a file; save the stream first, for example with traceinfo --raw" \
	"it reads files"
devtrace-convert --to ctf -o made board.trace 2>said
is "$? $(cat said)" "1 devtrace-convert: made: exists; name a directory that does not exist yet" \
	"it does not write into a directory that exists"
devtrace-convert --to ctf -o none/made board.trace 2>said
is "$? $(cat said)" "1 devtrace-convert: none/made: No such file or directory" \
	"and it says itself that a directory cannot be made"
: >none
devtrace-convert --to ctf -o made2 board.trace none nowhere 2>said
is "$? $(sed 's/ (.*//' said | xargs)" "1 devtrace-convert: none: not a trace stream: the file is empty devtrace-convert: nowhere: No such file or directory" \
	"it checks the inputs itself"
devtrace-convert --to ctf -e nowhere -o made2 board.trace 2>said
is "$? $(cat said)" "1 devtrace-convert: nowhere: No such file or directory; -e takes a format file or a program" "and the format files"
[ ! -e made2 ]
ok $? "and makes no directory then"
PATH="$out/san/tools" devtrace-convert --to ctf -o made2 board.trace 2>said
is "$? $(cat said)" "1 devtrace-convert: --to ctf: babeltrace2 is not installed (Debian: babeltrace2)" \
	"without babeltrace2 it says so"

# Files that are no streams
head -c 20000 "$(command -v babeltrace2)" >program
babeltrace program >/dev/null 2>said
is "$? $(grep -c 'No trace was found' said)" "1 1" "a program is no stream"
: >empty
babeltrace empty >/dev/null 2>said
is "$?" 1 "nor is an empty file"
for params in 'inputs=["program"]' 'inputs=["/nowhere"]' 'inputs="board.trace"' 'inputs=["board.trace"],lttng-names=1' \
	'inputs=["board.trace"],formats=["/nowhere"]'; do
	babeltrace --component source.devtrace.file --params "$params" >/dev/null 2>said
	echo "$? $(tr '\n' ' ' <said | grep -oE 'program: not a trace stream|/nowhere: No such file or *directory|must be [a-z ]*|cannot be read' | head -n 1 | xargs)" >>problems
done
cat >expected <<'END'
1 program: not a trace stream
1 /nowhere: No such file or directory
1 must be an array with the path of one file
1 must be yes or no
1 cannot be read
END
# shellcheck disable=SC2034 # tap.sh uses it
why='problems said'
diff problems expected >/dev/null
ok $? "mistakes in parameters are named"

if command -v valgrind >/dev/null; then
	valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite babeltrace2 \
		--plugin-path "$O/tools/babeltrace-plugins" lanes.trace >/dev/null 2>said
	ok $? "valgrind finds nothing"
else
	skip "valgrind finds nothing" "no valgrind"
fi
done_testing
