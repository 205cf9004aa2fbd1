#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_boardmon.sh - the sample application on a machine without the device:
# its manners, what it finds on this board, and its format file
#
# It is built with sanitizers: any report is a failure.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=../tap.sh
. "$here/../tap.sh"
why="$tmp/out $tmp/err"

# run WANTED-STATUS NAME ARGS...
run()
{
	want=$1
	name=$2
	shift 2
	DEVTRACE_DEVICE=$tmp/none "$tmp/boardmon" "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$want" ] || echo "exit status $got, not $want" >>"$tmp/err"
	[ $got = "$want" ] && ! grep -q 'Sanitizer\|runtime error' "$tmp/err"
	ok $? "$name"
}

# says NAME REGEX FILE: the last run said so
says()
{
	grep -Eqe "$2" "$tmp/$3"
	ok $? "$1"
}

san="-fsanitize=address,undefined -fno-sanitize-recover=all"
make -s -C "$top/tools/samples" O="$tmp/build" CFLAGS="-O1 -g $san" >"$tmp/out" 2>"$tmp/err" &&
	mv "$tmp/build/tools/samples/boardmon" "$tmp/boardmon"
ok $? "builds with sanitizers"

run 0 "--help" --help
says "help is on standard output" '^Usage: boardmon' out
run 0 "--version" --version
says "version" '^boardmon [0-9]+\.[0-9]+\.[0-9]+$' out
run 2 "unknown option" --nonsense
says "usage is on standard error" '^Usage: boardmon' err
run 2 "too many arguments" extra
says "names the argument" "'extra'" err
for v in x -1 1.5 '' 99999999999; do
	run 2 "count '$v'" -n "$v"
	says "names the value" "--count: '$v'" err
done
run 2 "busiest 'x'" -b x
says "names the value" "--busiest: 'x'" err
for v in x -1 nan inf 1s; do
	run 2 "interval '$v'" -i "$v"
	says "names the value" "--interval: '$v'" err
done
run 1 "no device" -n 1
says "says so" 'no trace device: No such file' err

run 0 "two looks, printing" -v -n 2 -i 0.01
says "interrupts" '^irq [^ ]+: [1-9][0-9]* more' out
says "load" '^load [0-9]+\.[0-9][0-9] ' out
says "memory" '^memory [1-9][0-9]* of [1-9][0-9]* kB' out
# This machine has more than one interrupt
run 0 "one look at the busiest interrupt" -v -n 1 -b 1
[ "$(grep -c '^irq' "$tmp/out")" = 1 ]
ok $? "it is one"
most=$(sed -n 's/^irq [^ ]*: \([0-9]*\) more.*/\1/p' "$tmp/out")
run 0 "one look at all" -v -n 1
sed -n 's/^irq [^ ]*: \([0-9]*\) more.*/\1/p' "$tmp/out" | sort -n >"$tmp/all"
[ "$(wc -l <"$tmp/all")" -gt 1 ] && [ "$(tail -n 2 "$tmp/all" | head -n 1)" -le "$most" ]
ok $? "and the busiest"
if [ -e /dev/ptmx ] && [ -d /dev/pts ]; then
	says "a line too long is cut" '^pty: 6000 bytes sent, [1-5][0-9]{3} received$' out
	says "flow control" '^pty: status 0x04$' out
	says "hang-up" '^pty: Input/output error after 10 bytes$' out
else
	skip "a pseudo-terminal" "this machine has none"
fi
run 0 "no errors provoked" -v -P -n 1
grep -q '^pty' "$tmp/out"
ok $((1 - $?)) "none is"

# Told to stop, it does, at once and cleanly.
# (A file of its own: what an earlier run printed says nothing about this one.)
: >"$tmp/term"
DEVTRACE_DEVICE=$tmp/none "$tmp/boardmon" -v -i 1000 >"$tmp/term" 2>"$tmp/err" &
pid=$!
tries=0
until grep -q '^load' "$tmp/term" || [ $tries = 6000 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill "$pid"
wait "$pid"
ok $? "ends on SIGTERM"

# The words fit the numbers: same types, same codes.
make -s -C "$top/tools" O="$O" all >"$tmp/out" 2>"$tmp/err" &&
	"$O/tools/traceinfo" --check-fmt "$top/tools/samples/boardmon.fmt" \
		"$top"/kmod/samples/*.fmt >"$tmp/out" 2>"$tmp/err"
ok $? "format file is right, and clashes with no other"
awk '/^#define BOARD_/ && $3 ~ /^[0-9]+$/ { print $3 }' "$top/tools/samples/boardmon.h" |
	sort -n >"$tmp/numbers"
sed -n 's/^record \([0-9]*\) .*/\1/p; s/^\tminor \([0-9]*\) .*/\1/p' \
	"$top/tools/samples/boardmon.fmt" | sort -n >"$tmp/words"
echo 200 >>"$tmp/words"		# BOARD_UPTIME
diff "$tmp/numbers" "$tmp/words" >"$tmp/out" 2>"$tmp/err"
ok $? "every event but one has words"

done_testing
