#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - what `make demo` shows, run on the virtual board by ./demo
#
# A driver and a program trace what they see. Their makers ship one .fmt file
# each, in /usr/trace; traceinfo prints both together. Then the stream is
# saved, damaged, and printed again. tracectl keeps noise and faults apart. Then the
# kernel's own events show who kept a program from its CPU, and how another one died. Then the
# board panics, boots again, and this runs again: then it shows what was before the fall.

bold='' plain=''
if [ -n "$DEMO_TERMINAL" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
	alias traceinfo='traceinfo --color=always'
fi
step() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() { printf '%sboard$ %s%s\n' "$bold" "$*" "$plain"; eval "$*"; }

# Has it fallen before? Then memory has what it left.
persist="insmod /modules/devtrace_persist.ko region=$REGION"
$persist
if [ -e /dev/trace-last ]; then
	step "The board is up again by itself: its last 20 events, the cause at the end"
	run "traceinfo --last-boot --time us --last 20 | grep -v '^[-*]'"
	exit
fi
rmmod devtrace_persist

step "The device, the driver metronome.ko, the program boardmon, and their formats"
run "ls -l /dev/trace; echo /usr/trace/*"
run "insmod /modules/metronome.ko period_us=100000 late_us=5000 sum_beats=4"
run "boardmon --count 2 --interval 0.3 &"
run "echo '<3>pump 2 runs dry' >/dev/trace"
wait
# its first summary is due after 4 beats, by a thread that may have its turn later
tries=0
until traceinfo --type SUM | grep -q TOCK || [ $tries -ge 40 ]; do
	tries=$((tries + 1))
	sleep 0.5
done

step "What happened, newest last"
run "rmmod metronome"
# of the interrupts those of the timer, of the beats the first; the heads it prints on a terminal itself
run "traceinfo --time us | grep -v ': irq [^L]\|FLUSH\|beat [5-9] \|beat [1-9][0-9]' | head -n 30    # (in parentheses: who was interrupted)" | sed "1a\\
TIME                  CPU CTX  SEV THREAD (IN IRQ)       EVENT@OBJECT: TEXT"
run "traceinfo --json --type EXC --last 1              # the last exception, as a machine reads it"

step "State machines: dining philosophers that trace as QP does, then as RKH does"
run "philo-qp 6; traceinfo --time us --sequence table,philo0,philo1 | head -n 11 | tail -n 4"
run "philo-rkh; traceinfo -e /usr/share/devtrace/rkh.fmt --summary | grep -A 2 '^State mach'"

step "The stream, saved by cat, then damaged in three places"
# nothing more is coming: what is there is read at once, then cat waits
run "timeout 2 cat /dev/trace >/tmp/saved" 2>/dev/null
# a busy machine may not have read it all in that time
if [ "$(traceinfo /tmp/saved 2>/dev/null | wc -l)" -ne "$(traceinfo | wc -l)" ]; then
	timeout 20 cat /dev/trace >/tmp/saved 2>/dev/null
fi
size=$(stat -c %s /tmp/saved)
echo "$size bytes, $(traceinfo /tmp/saved | grep -vc '^[-*]') events"
a=$((size * 5 / 10)) b=$((size * 7 / 10)) c=$((size * 9 / 10))
cd /tmp || exit
run "head -c $a saved >damaged; tail -c +$((a + 61)) saved | head -c $((b - a - 60)) >>damaged   # at $a: 60 bytes are missing"
run "printf '\\377\\377\\377' >>damaged; tail -c +$((b + 4)) saved | head -c $((c - b - 3)) >>damaged   # at $b: three bytes turned to FF"
run "printf 'noise on the line' >>damaged; tail -c +$((c + 1)) saved >>damaged   # at $c: bytes that never were"
run "traceinfo --statistics damaged | grep '^\*\*\*\|printed$'     # what is missing, and how much is left"

step "Control: a stream of its own for severe events; a fault, then noise at full speed"
run "tracectl stream add severe 64K type=exc,text severity=2; tracectl stream resize trace 64K"
run "insmod /modules/metronome.ko period_us=1000 late_us=1000000 sum_beats=50"
# on one CPU, whose ring wraps
run "taskset 1 sh -c \"echo '<2>pump 1 does not start'; while :; do echo '<6>a line that nobody will miss'; done\" >/dev/trace &"
noise=$!
run "tracectl stat --interval 0.5 2 | tail -n 3"
tries=0
while { ! traceinfo --device /dev/trace-severe | grep -q 'pump 1' ||
	traceinfo | grep -q 'pump 1'; } && [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
run "traceinfo | grep -c 'pump 1'                     # stream 0 has lost the fault"
run "traceinfo --device /dev/trace-severe | tail -n 1 # the other stream has not"

step "A filter by group and by object: no lines of text, no beats of the metronome"
run "tracectl filter remove type=text object=257; tracectl clear; tracectl filter"
run "sleep 0.5; traceinfo | grep -c 'nobody\|TICK'     # neither is there since"

step "A trigger: 5 events after the next fault the trace stops by itself"
run "tracectl filter clear; tracectl trigger add fault when severity=sw3 do stop after 5 events"
run "sleep 0.3; echo '<0>motor 3 is blocked' >/dev/trace; sleep 0.3"
# until those 5 have come
tries=0
until tracectl stream | grep -q '^trace .*stopped' || [ $tries -ge 20 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
kill $noise
run "traceinfo | sed -n '/motor 3/,/by trigger/p'"

step "A latency spike: a program looks every 50 ms, but now and then it comes far too late"
# Interrupts, timers and the scheduler; and the work that drivers put off
run "rmmod metronome; tracectl trigger del fault; tracectl stream start trace; tracectl stream resize trace 2M; tracectl profile faults latency work"
# what comes of turning them on is not of interest, nor what comes of turning off
on=$(traceinfo --time iso --last 1 | tail -n 1 | cut -d' ' -f1)
# CPU 1 is for the program and the driver
taskset -p 1 $$ >/dev/null
# By system calls: events of a lane do not tell their CPU
run "DEVTRACE_LANE=0 taskset 2 boardmon --no-pty --interval 0.05 &"
program=$!
run "taskset 2 insmod /modules/metronome.ko period_us=100000 late_us=1000000 sum_beats=12 sum_us=400000"
tries=0
until [ "$(traceinfo --since "$on" --type SUM | grep -c SUM@)" -ge 2 ] || [ $tries -ge 40 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
# and what the program did after the last one
sleep 0.5
run "tracectl stream stop trace; tracectl profile faults; rmmod metronome"
kill $program
# The longest wait of the program for its CPU, in us, and who held the CPU meanwhile
run "traceinfo --summary --since $on | sed -n '/^Longest/,\$p' | grep -m 1 -A 1 boardmon"

step "A program dies. It traces nothing; the kernel tells how it ended"
run "tracectl stream start trace; sh -c 'kill -SEGV \$\$'" 2>/dev/null    # its shell says so too
echo "<2>the pump was restarted" >/dev/kmsg
run "traceinfo --type 191 | grep -v '^[*]'"

step "The kernel panics while driver and program run, and the memory outlives the reset"
run "$persist"
run "insmod /modules/metronome.ko period_us=50000 late_us=1000000"
# By system calls: lanes are not kept
run "DEVTRACE_LANE=0 boardmon --no-pty --interval 0.2 &"
tries=0
until [ "$(traceinfo --last 20 | grep -o 'BEAT@\|boardmon' | sort -u | wc -l)" -eq 2 ] ||
	[ $tries -ge 40 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
printf '%sboard$ %s%s\n' "$bold" "echo c >/proc/sysrq-trigger" "$plain"
# Nothing tells when the machine outside has these lines
sleep 2
echo c >/proc/sysrq-trigger
