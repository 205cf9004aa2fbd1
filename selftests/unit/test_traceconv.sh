#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceconv.sh - devtrace-convert --from as a program: where the bytes come from, and what it says
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
tools="$out/san/tools"
work=$(mktemp -d) || exit 1
server=''
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
. "$here/../tap.sh"

refused()	# WORDS OPTION...
{
	words=$1
	shift
	"$tools/devtrace-convert" "$@" >said 2>&1
	[ $? = 2 ] && grep -q -- "$words" said
	ok $? "refused: $*"
}

text() { "$tools/traceinfo" --no-default-fmt -e "$here/../../tools/fmt/qp.fmt" --time none "$@" | sed 's/.*QS\[1\] *//'; }

# Two frames of a target: QF_GC_ATTEMPT, number 31, and QF_RUN, number 32
printf '\037\035\206\340ui\004\000\001\004v~ F\231~' >two.qs
"$tools/devtrace-convert" --from qs two.qs >two.trace 2>said
is $? 0 "a file is converted"
is "$(cat said)" "devtrace-convert: two.qs: 2 frames" "the count is told"
is "$(text two.trace)" "--- stream \"QS\" of mcu, Linux QS begins after 0 frames, of 1 CPU
QF_GC_ATTEMPT: Evt<Sig=4,Pool=1,Ref=4>
QF_RUN: the event loop runs" "the events are those of devtrace/qp"
"$tools/devtrace-convert" --from qs -q --rate 1000000 - <two.qs >two2.trace 2>said
[ ! -s said ] && cmp -s two.trace two2.trace
[ "$(text two2.trace)" = "$(text two.trace)" ]
ok $? "from standard input the same, and quiet"
"$tools/devtrace-convert" --from qs -q --name motor -o named.trace two.qs
text -v named.trace | grep -q 'stream "motor"'
ok $? "the stream has the name that was given, and the file"
# The replies of a program and of a target, as text
printf '%s\n' info 'proc 1 1 motor' 'event 1 tid=1 type=91 u8:1 u8:5 u16:1' 'event 1 tid=1 type=91 u8:0 obj:16 fun:32' \
	'event 1 tid=1 type=92 u16:3 u8:2 u8:2 mem:aabbccdd' 'event 1 tid=1 type=92 u16:3 u8:1 u8:3 mem+:aabb mem:cc' |
	"$out/gen_stream" >answers.trace
is "$("$tools/traceinfo" --no-default-fmt -e "$here/../../tools/fmt/qp.fmt" --time none answers.trace | sed 's/.*motor\[1\] *//')" \
	"QUERY_DATA: Kind=AO [+ 5 1]
QUERY_DATA: Kind=SM [+ 0x10 0x20]
PEEK_DATA: Offs=3,Size=2,Num=2,Data=<aa bb cc dd>
PEEK_DATA: Offs=3,Size=1,Num=3,Data=<aa bb cc>" "answers are told in words"
# Its own input, by another name
cp two.qs own.qs
ln -s own.qs other.name
"$tools/devtrace-convert" --from qs -q -o other.name own.qs 2>said
is "$? $(cat said)" "1 devtrace-convert: other.name: the output file is also the input; name another file" \
	"the input is no output"
# shellcheck disable=SC2094 # that is what is tested
"$tools/devtrace-convert" --from qs -q own.qs 2>said >>own.qs
is $? 1 "nor is it standard output"
cmp two.qs own.qs
ok $? "and it is as it was"
{ cat two.qs; printf '\046\001\002~'; printf '\043F\226~'; } >bad.qs
"$tools/devtrace-convert" --from qs bad.qs >bad.trace 2>said
is "$(cat said)" "devtrace-convert: bad.qs: 3 frames, 2 missing, 1 damaged (4 bytes)" "damage is counted"
text bad.trace | grep -q '^\*\*\* 4 bytes .*too short'
ok $? "traceinfo tells the damage"
text bad.trace | grep -q 'at least 2 frames missing'
ok $? "traceinfo tells the gap"
printf '\001\001\001\002\003\004\005\006\007\010\011~' >sizes.qs
"$tools/devtrace-convert" --from qs sizes.qs >s.trace 2>said
grep -q 'damaged' said
ok $? "what is no frame is no record"
# QEP_STATE_ENTRY, number 1, with an object of 2 bytes and a function of 4
printf '\001\001\001\002\003\004\005\006\350~' >sizes.qs
"$tools/devtrace-convert" --from qs sizes.qs >s.trace 2>said
grep -q 'sizes of fields, give them with --size' said
ok $? "another layout is told, with what to do"
grep -q '^devtrace-convert: try --size \(obj\|fun\)=2, which fits 1 of 1 predefined records$' said
ok $? "and sizes that fit"
"$tools/devtrace-convert" --from qs --size obj=2,fun=4 sizes.qs >s.trace 2>said
is "$(text s.trace | tail -n 1)" "QEP_STATE_ENTRY: Obj=0x201,State=0x6050403" "--size"

# An information of 5 bytes, as no QP has it
printf '\001\100\377\000\000\000\000\277~' >odd.qs
"$tools/devtrace-convert" --from qs odd.qs >odd.trace 2>said
grep -q '^devtrace-convert: the target: its information has an unknown layout' said &&
	text odd.trace | grep -q 'target=its information has an unknown layout'
ok $? "an unknown target is named, in the stream, too"

raw_clock() { python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))'; }

stamps()	# KIND: times of the items of this kind in later.trace
{
	"$tools/traceinfo" --no-default-fmt -J -v later.trace 2>/dev/null |
		sed -n 's/.*"kind":"'"$1"'",.*"ts":\([0-9]*\),.*/\1/p'
}

# shellcheck disable=SC2317 # called by wait_until
came() { [ "$(stamps event | wc -l)" -ge "$1" ]; }

ordered()	# NUMBER...: each less than the next one
{
	while [ $# -gt 1 ]; do
		[ "$1" -lt "$2" ] || { echo "# $1 is not less than $2"; return 1; }
		shift
	done
}

if command -v python3 >/dev/null; then
	cat >serve.py <<'EOF'
import os, pty, socket, sys, tty
data = open("two.qs", "rb").read()
if sys.argv[1] == "tcp":
    s = socket.create_server(("127.0.0.1", 0))
    print(s.getsockname()[1], flush=True)
    c, _ = s.accept()
    c.sendall(data)
    if len(sys.argv) > 2:
        sys.stdin.readline()
        c.sendall(open(sys.argv[2], "rb").read())
    c.close()
else:
    m, s = pty.openpty()
    print(os.ttyname(s), flush=True)
    os.close(s)
    # The line is raw once devtrace-convert has it: then a byte is not echoed.
    while tty.tcgetattr(m)[3] & tty.ECHO:
        os.sched_yield()
    os.write(m, data)
    sys.stdin.readline()
EOF
	mkfifo port go
	python3 serve.py tcp >port & server=$!
	read -r where <port
	"$tools/devtrace-convert" --from qs "tcp:127.0.0.1:$where" >tcp.trace 2>said
	is "$(text tcp.trace | tail -n 2)" "$(text two.trace | tail -n 2)" "by TCP"
	"$tools/traceinfo" --no-default-fmt --time raw -v tcp.trace | grep -q 'clock'
	ok $? "what is live has clocks of the board"
	wait $server
	# Number 33 is number 31 again, a tick later
	printf '\041\035\207\340ui\004\000\001\004s~' >later.qs
	began=$(raw_clock)
	python3 serve.py tcp later.qs <go >port & server=$!
	exec 3>go
	read -r where <port
	DEVTRACE_DEVICE=/nonexistent "$tools/devtrace-convert" --from qs "tcp:127.0.0.1:$where" >later.trace 2>said 3>&- & conv=$!
	wait_until came 2
	between=$(raw_clock)
	echo >&3
	exec 3>&-
	wait $conv
	ordered "$began" "$(stamps event | head -n 1)" "$between" "$(stamps event | tail -n 1)" "$(raw_clock)"
	ok $? "without a device an event has the time of its arrival, by CLOCK_MONOTONIC_RAW"
	ordered "$began" "$(stamps clock | head -n 1)" "$between"
	ok $? "and that is the clock of the stream"
	wait $server
	python3 serve.py pty <go >port & server=$!
	exec 3>go
	read -r where <port
	"$tools/devtrace-convert" --from qs "serial:$where,115200" >tty.trace 2>said 3>&- & conv=$!
	tries=6000
	until [ "$(text tty.trace 2>/dev/null | wc -l)" = 3 ] || [ $tries = 0 ]; do
		sleep 0.1
		tries=$((tries - 1))
	done
	exec 3>&-
	wait $conv
	is "$(text tty.trace | tail -n 2)" "$(text two.trace | tail -n 2)" "by a serial line, while it is open"
	wait $server
	server=''
	"$tools/devtrace-convert" --from qs "tcp:127.0.0.1:1" >x 2>said
	is $? 1 "a connection that is refused"
else
	for i in "by TCP" "clocks" "arrival" "clock without a device" "by a serial line" "refused"; do
		skip "$i" "no python3"
	done
fi

refused "name a format" two.qs
refused "is not a format" --from elf two.qs
refused "is not a size" --from qs --size obj=3 two.qs
refused "is not a size" --from qs --size sig=8 two.qs
refused "is not a size" --from qs --size word=2 two.qs
refused "is not a rate" --from qs --rate fast two.qs
refused "is not a name" --from qs --name "" two.qs
refused "name one FILE" --from qs
refused "unknown speed" --from qs serial:/dev/null,7
refused "has no port" --from qs tcp:nowhere
"$tools/devtrace-convert" --from qs nothing >x 2>said
is "$? $(cat said)" "1 devtrace-convert: nothing: No such file or directory" "a file that is not there"
"$tools/devtrace-convert" --from qs two.qs >/dev/full 2>said
is $? 1 "a full disk"
"$tools/devtrace-convert" --version | grep -q '^devtrace-convert [0-9]'
ok $? "--version"

done_testing
