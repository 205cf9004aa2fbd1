#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - what `make demo` shows, run on the virtual board by ./demo
#
# A driver and a program trace what they see. Their makers ship one .fmt file
# each, in /usr/trace; traceinfo prints both together. Then the stream is
# saved, damaged, and printed again.

bold='' plain=''
if [ -n "$DEMO_TERMINAL" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
	alias traceinfo='traceinfo --color=always'
fi
step() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() { printf '%sboard$ %s%s\n' "$bold" "$*" "$plain"; eval "$*"; }

step "The device, the driver metronome.ko, the program boardmon, and their formats"
run "ls -l /dev/trace /usr/trace"
run "insmod /modules/metronome.ko period_us=50000 late_us=500 sum_beats=8"
run "boardmon --count 3 --interval 0.3 &"
run "echo '<3>pump 2 runs dry' >/dev/trace"
wait

step "What happened, newest last"
run "rmmod metronome"
run "traceinfo --time us"

step "The same as a machine reads it: the last two exceptions of the board"
run "traceinfo --json --type EXC --last 2"

step "The stream, saved by cat, then damaged in three places"
# nothing more is coming: what is there is read at once, then cat waits
run "timeout 1 cat /dev/trace >/tmp/saved" 2>/dev/null
size=$(stat -c %s /tmp/saved)
echo "$size bytes"
a=$((size * 5 / 10)) b=$((size * 7 / 10)) c=$((size * 9 / 10))
run "head -c $a /tmp/saved >/tmp/damaged                        # at $a: 60 bytes are missing"
run "tail -c +$((a + 61)) /tmp/saved | head -c $((b - a - 60)) >>/tmp/damaged"
run "printf '\\377\\377\\377' >>/tmp/damaged                       # at $b: three bytes turned to FF"
run "tail -c +$((b + 4)) /tmp/saved | head -c $((c - b - 3)) >>/tmp/damaged"
run "printf 'noise on the line' >>/tmp/damaged                  # at $c: bytes that never were"
run "tail -c +$((c + 1)) /tmp/saved >>/tmp/damaged"
run "traceinfo --statistics /tmp/damaged"
