#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# receiver.sh - to be sourced behind work.sh: receivers of events, and the logger that sends to them
#
# Receivers are otlp_peer.py, and servers with the configuration that Documentation has. Uses
# $to (the link, without its port) of the test. Tests of them kill each side $rounds times.
# shellcheck disable=SC2154,SC2034,SC2086,SC2317 # of who sources this; wait_until calls

export PYTHONDONTWRITEBYTECODE=1	# received.py is imported from the source tree

# recipe FILE WORD: the literal block of Documentation/FILE whose first line has the word
recipe()
{
	awk -v word="$2" '
		/^\t/	{ if (!inside) { inside = 1; mine = index($0, word) }
			  if (mine) print substr($0, 2)
			  next }
		/^$/	{ if (inside && mine) print; next }
			{ inside = 0 }' "$top/Documentation/$1"
}

rounds=5
[ "${LENGTH:-}" != full ] || rounds=100

# The programs, which find the description of events beside them; and what they say of the boot
mkdir -p prog/bin prog/share/devtrace/fmt
cp "$tools/tracelogger" "$tools/traceinfo" prog/bin
sed 's/^for program boardmon/for program "motor ctl"/' "$top/tools/samples/boardmon.fmt" \
	>prog/share/devtrace/fmt/motor.fmt
log=$work/prog/bin/tracelogger
info() { "$work/prog/bin/traceinfo" "$@"; }
boot=5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a

# A stream with names, and all elements that an event can have
elements()
{
	cat <<-'END'
		info 0
		clock 1000 1700000000000000000
		proc 7 5 "motor ctl"
		dict obj 0 3 0 3 uart0
		dict sig 0 4 0 0 RX
		event 1001000 cpu=1 tid=7 ctx=user type=200 u32:1
		event 2001000 cpu=1 tid=7 ctx=user type=200 sev=sw0 u32:2 i8:-3 u16:65535 i64:-9000000000 u64:18446744073709551615 u64:9223372036854775807
		event 3001000 cpu=1 tid=7 ctx=user type=200 sev=sw1 f32:0.1 f64:-2.5e300 f64:0 x32:255 mem:00ff10 str:
		event 4001000 cpu=1 tid=7 ctx=user type=200 sev=hw2 obj=3 sig=4 u32:4
	END
}

# A stream that states how exact its clock is, in all states of the clock
statements()
{
	cat <<-'END'
		info 0
		clock 1000 1700000000000000000
		event 1001000 cpu=0 tid=9 type=200 sev=hw2 u32:1
		accuracy 2001000 16000000000 16000000000 41 ntp
		event 2001001 cpu=0 tid=9 type=200 sev=hw2 u32:2
		accuracy 3001000 1234567 300000 2001 ntp
		event 3001001 cpu=0 tid=9 type=200 sev=hw2 u32:3
		lost 0 0 77 3001002 3001003
		event 903001000 cpu=1 tid=9 type=200 sev=hw2 u32:4
		event 2903001000 cpu=1 tid=9 type=200 sev=hw2 u32:5
		accuracy 3903001000 16000000000 16000000000 41 ntp
		event 3903001001 cpu=0 tid=9 type=200 sev=hw2 u32:6
		accuracy 4903001000 999999999999 300000 2001 ptp0
		event 4903001001 cpu=0 tid=9 type=200 sev=hw2 u32:7
		clock 5000000000 1700000004999999000
		clock 5000000001 1700000014999999001
		event 5003001001 cpu=0 tid=9 type=200 sev=hw2 u32:8
		skip 3
		event 5003001002 cpu=0 tid=9 type=200 sev=hw2 u32:9
	END
}

free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# listens PORT: a server accepts connections at this port of any address
listens()
{
	grep -qi "^ *[0-9]*: [0-9a-f]*:$(printf %04x "$1") [0-9a-f]*:0000 0a" /proc/net/tcp /proc/net/tcp6
}

# receiver [PORT]: sets peer, and at to its port; what it accepts goes to got/
receiver()
{
	rm -f said
	python3 "$here/otlp_peer.py" got "$@" >said 9>&- &
	peer=$!
	wait_until test -s said
	at=$(head -n 1 said)
}

end_peer() { [ -z "$peer" ] || kill -9 "$peer"; wait "$peer"; peer=''; } 2>/dev/null
afresh() { rm -rf got; mkdir got; }
todo() { printf '%s\n' "$@" >got/do; }
requests() { grep -c "$1" said; }
once() { timeout 600 "$log" --json --once "$@" 2>err; }
status() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" err | tail -n 1; }

# events FROM TO [MORE]: frames of so many events with a severity, each with its own time
events()
{
	echo 'info 0'
	echo 'clock 1000 1700000000000000000'
	echo 'proc 7 5 "motor ctl"'
	awk -v n="$1" -v to="$2" -v more="$3" 'BEGIN {
		for (; n <= to; n++)
			print "event " n "001000 cpu=" n % 2 " tid=7 ctx=user type=200 sev=sw2 u32:" n " " more
	}'
}

pieces()	# N: piece.1 to piece.N, streams of 300 events
{
	rm -f piece.*
	n=0
	while [ $n -lt "$1" ]; do
		events $((n * 300 + 1)) $((n * 300 + 300)) | gen_stream >piece.$((n + 1))
		n=$((n + 1))
	done
}
spooled() { [ "$(cat spool/spool.trace* 2>/dev/null | wc -c)" -ge "$1" ]; }
emptied() { [ -z "$(ls spool)" ]; }

# follow OPTION...: a logger that reads what comes to descriptor 9
follow()
{
	[ -p pipe ] || mkfifo pipe
	"$log" --json -p 0 --device pipe --to "$to:$at" -A board=h "$@" 2>err &
	reader=$!
	exec 9>pipe
}
finish() { exec 9>&-; wait $reader; status=$?; reader=''; return $status; }
refused()	# WORDS OPTION...
{
	words=$1
	shift
	timeout 60 "$log" --device s.trace "$@" 2>err
	is "$? $(grep -c -- "$words" err)" "2 1" "refused: $*"
}
