#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracelogger.sh - tracelogger saves what is emitted, and what it misses is counted
#
# Each time: what stands in all files, with what LOST says in them, is what was emitted,
# exactly; and each file prints by itself, without damage and with the names of threads.
# Runs on the board, as root, with tracelogger, traceinfo and tracectl in PATH.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
work=$(mktemp -d) || exit 1

# shellcheck source=../../tap.sh
. "$here/tap.sh"
if ! trace_unload 2>/dev/null; then
	skip_all "devtrace cannot be unloaded"
fi
trap 'kill $logger $writers 2>/dev/null; umount "$work/small" 2>/dev/null; trace_unload 2>/dev/null; trace_load; rm -rf "$work"' EXIT
logger='' writers=''
mkdir "$work/small"

# total WORD FILE...: of the statistics of all files
total()
{
	word=$1
	shift
	traceinfo --no-default-fmt --json --statistics "$@" 2>/dev/null | tail -n 1 |
		sed "s/.*\"$word\":\([0-9]*\).*/\1/"
}

# sizes DIR: bytes of all files, before and after which none may change
sizes()
{
	find "$1" -type f -exec stat -c %s {} + 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

emit()	# LINES
{
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "line " i " of those that are to be saved, every one of them" }' \
		>/dev/trace
}

# by_itself FILE...: no damage, no gap, and each thread has its name
by_itself()
{
	for f; do
		if [ "$(total damages "$f") $(total missing "$f")" != "0 0" ]; then
			echo "# $f is damaged"
			return 1
		fi
		! traceinfo --no-default-fmt --time raw "$f" | grep -q '?\[' || {
			echo "# $f: a thread has no name"
			return 1
		}
	done
}

exact()	# EMITTED FILE...: events and losses add up, of each file and of all joined
{
	emitted=$1 got=0
	shift
	for f; do
		got=$((got + $(total events "$f") + $(total lost "$f")))
	done
	[ "$got" = "$emitted" ] || { echo "# $got of $emitted"; return 1; }
	# In the order of their numbers
	# shellcheck disable=SC2046 # names without blanks
	cat $(for f; do
		echo "$(traceinfo -v --no-default-fmt "$f" | sed -n 's/^--- file=//p' | head -n 1) $f"
	done | sort -n | cut -d ' ' -f 2) >"$work/joined"
	[ "$(total missing "$work/joined")" = 0 ] || { echo "# joined they have gaps"; return 1; }
}

# It hears signals: one that comes before would end it unasked.
# SIGALRM is: a shell that is about to become the logger may catch others.
caught() { grep -q '^SigCgt:.*[2367abef][0-9a-f]\{3\}$' "/proc/$logger/status"; }

started() { traceinfo --no-default-fmt "$@" >/dev/null 2>&1; }

# Several files while others write
trace_load_with size=1M
mkdir "$work/a"
tracelogger --json -f "$work/a/t.trace" -s 64K --sync interval=100ms -A board=7 2>"$work/said" &
logger=$!
emit 1
wait_until started "$work/a/t.trace"
for _ in 1 2 3; do
	emit 1500 &
	writers="$writers $!"
done
# shellcheck disable=SC2086 # numbers
wait $writers
writers=''
kill $logger && wait $logger
ok $? "ends at SIGTERM with status 0"
set -- "$work"/a/*
[ $# -ge 5 ]; ok $? "begins other files at 64K"
exact 4501 "$@"; ok $? "files and LOST are what was emitted"
[ "$(sed -n 's/.*"why":"ended","events":\([0-9]*\),"lost":\([0-9]*\),"missing":0,"damages":0,.*/\1 \2/p' "$work/said")" = "4501 0" ]
ok $? "which is what it says itself"
by_itself "$@"; ok $? "each file prints by itself"
fits=0
for f; do [ "$(stat -c %s "$f")" -le 65536 ] || fits=1; done
ok $fits "no file is larger than 64K"
traceinfo --no-default-fmt "$work/a/t.trace" | grep -q '^--- board=7$'; ok $? "attributes are in the file"

# Stopped, it loses events, and says how many; emitters did not wait for it
trace_unload
trace_load_with size=16K
mkdir "$work/b"
tracelogger -q -f "$work/b/t.trace" &
logger=$!
emit 10
wait_until started "$work/b/t.trace"
kill -STOP $logger
emit 5000
kill -CONT $logger
kill $logger && wait $logger
exact 5010 "$work"/b/*; ok $? "what it missed stands in the file as LOST"
[ "$(total lost "$work"/b/*)" -gt 1000 ]; ok $? "and it missed much"

# A limit: the oldest go, and no byte above it ever
trace_unload
trace_load_with size=1M
mkdir "$work/c"
: >"$work/c/t.trace.keep"
tracelogger -q -f "$work/c/t.trace" -l 256K &
logger=$!
wait_until caught
emit 5000 &
writers=$!
over=0
while kill -0 $writers 2>/dev/null; do
	[ "$(sizes "$work/c")" -le 262144 ] || over=1
done
wait $writers
writers=''
kill $logger && wait $logger
ok $over "never more than the limit"
[ "$(sizes "$work/c")" -le 262144 ] && [ "$(sizes "$work/c")" -gt 170000 ]; ok $? "and not much less"
[ -e "$work/c/t.trace.keep" ]; ok $? "a file of another name stays"
by_itself "$work"/c/t.trace*[0-9]; ok $? "files that stayed print by themselves"

# A file system that is full, and not any more
mount -t tmpfs -o size=1M none "$work/small"
dd if=/dev/zero of="$work/small/other" bs=1024 count=900 2>/dev/null
trace_unload
trace_load_with size=64K
tracelogger --json -f "$work/small/t.trace" -k 0 2>"$work/said" &
logger=$!
emit 10
wait_until started "$work/small/t.trace"
# Missed events need no room: fill the disk completely
emitted=10
until grep -q 'counted as lost' "$work/said" || [ $emitted -gt 100000 ]; do
	emit 1000
	emitted=$((emitted + 1000))
done
wait_until grep -q 'counted as lost' "$work/said"; ok $? "says that there is no room"
kill -0 $logger; ok $? "does not end"
rm "$work/small/other"
wait_until grep -q 'room again' "$work/said"; ok $? "goes on when there is room"
kill $logger && wait $logger
exact $emitted "$work"/small/t.trace*; ok $? "nothing is missing that is not counted"
umount "$work/small"

# Killed: the file is good up to there
mkdir "$work/k"
broken=0 begun=0
grew() { [ "$(sizes "$work/k")" -gt $((before + 5000)) ]; }
for _ in 1 2 3 4 5; do
	before=$(sizes "$work/k")
	tracelogger -q -p 0 -f "$work/k/t.trace" -s 64K &
	logger=$!
	emit 1000 &
	writers=$!
	wait_until grew
	kill -9 $logger
	wait $writers $logger
	writers=''
done 2>/dev/null
for f in "$work"/k/*; do
	# The last frame may be cut, and nothing else. A file may just have been begun.
	figures="$(total damages "$f") $(total missing "$f") $(total events "$f")"
	case $figures in
	"0 0 "[1-9]* | "1 0 "[1-9]*) ;;
	"0 0 0" | "1 0 0" | "  ")
		begun=$((begun + 1))
		echo "# $f of $(wc -c <"$f") bytes: $figures" ;;
	*)	echo "# $f of $(wc -c <"$f") bytes: $figures"; broken=1 ;;
	esac
done
[ $begun -le 5 ] || broken=1
ok $broken "killed five times: every file prints"
logger=''

# SIGALRM, where nothing else would save for an hour
mkdir "$work/w"
tracelogger -q -p 100 -t 1h -f "$work/w/t.trace" &
logger=$!
wait_until caught
emit 1
[ ! -e "$work/w/t.trace" ]; ok $? "it waits for the buffer to fill"
wait_until sh -c "kill -ALRM $logger; test -s '$work/w/t.trace'"; ok $? "SIGALRM saves now"
kill $logger && wait $logger
logger=''

if [ ! -e /proc/net/tcp ]; then
	skip "over a link" "this kernel has no internet protocol"
	done_testing
	exit
fi

# Over a link. An end of what nc sends would be the end of the peer.
ip link set lo up
mkfifo "$work/quiet"
exec 8<>"$work/quiet"
host() { nc -l -p 7000 <"$work/quiet"; }
came() { [ "$(total events "$1")" -ge "$2" ]; }	# FILE EVENTS
trace_unload
trace_load_with size=1M
host >"$work/first" &
peer=$!
tracelogger -q -p 0 --to tcp:127.0.0.1:7000 &
logger=$!
emit 10
wait_until came "$work/first" 10
# shellcheck disable=SC2046 # a number
kill $(pidof nc)
wait $peer 2>/dev/null
host >"$work/second" &
peer=$!
emit 20
wait_until came "$work/second" 20
kill $logger && wait $logger
ok $? "another peer comes when one has gone"
wait $peer
by_itself "$work/second"; ok $? "what it gets prints by itself"
[ "$(traceinfo --no-default-fmt --json "$work/second" | grep -c '"kind":"event".*"time":"')" = 20 ]; ok $? "with dates"
cat "$work/first" "$work/second" >"$work/joined"
[ "$(total events "$work/joined") $(total missing "$work/joined")" = "30 0" ]; ok $? "and nothing is missing"

# A peer that takes less than comes, and would for minutes: files keep the rest
mkdir "$work/spool"
echo 4096 4096 4096 >/proc/sys/net/ipv4/tcp_rmem
slowly()
{
	until [ -e "$work/go" ]; do
		dd bs=500 count=1 2>/dev/null
		sleep 0.1
	done
	cat
}
host | slowly >"$work/first" &
peer=$!
tracelogger -p 0 --to tcp:127.0.0.1:7000 --spool "$work/spool" 2>"$work/said" &
logger=$!
n=0
more()	# 200 lines, each with a number of its own
{
	awk -v n=$n 'BEGIN { for (i = 0; i < 200; i++) print "number " n + i " of those that are to be saved, every one of them" }' \
		>/dev/trace
	n=$((n + 200))
}
# On a slow machine it may be that the peer took nothing for five seconds
given_up() { grep -q '; events are written to' "$work/said"; }
until given_up || [ $n -ge 100000 ]; do
	more
	# It looks ten times a second
	[ $n -lt 10000 ] || sleep 0.1
done
given_up; ok $? "a peer takes less than comes: events go to files"
sed 's/^/# /' "$work/said"
kept=$(sizes "$work/spool")
kept_more() { [ "$(sizes "$work/spool")" -gt $((kept + 10000)) ]; }
more
wait_until kept_more; ok $? "so do those that come then"
: >"$work/go"
wait $peer
host >"$work/second" &
peer=$!
emptied() { [ -z "$(ls "$work/spool")" ]; }
wait_until emptied; ok $? "and who comes next gets them"
kill $logger && wait $logger
logger=''
wait $peer
for f in "$work/first" "$work/second"; do
	traceinfo --no-default-fmt --time raw "$f" | sed -n 's/.*text: number \([0-9]*\) .*/\1/p'
done >"$work/numbers"
[ "$(sort -un "$work/numbers" | wc -l)" = $n ]; ok $? "of $n events none is missing"
[ "$(total lost "$work/first") $(total lost "$work/second")" = "0 0" ]; ok $? "nor lost"
[ "$(wc -l <"$work/numbers")" -lt $((n + 4000)) ]; ok $? "and those that come twice are what was on the way"

done_testing
