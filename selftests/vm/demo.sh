#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - what `make demo` shows, run on the virtual board by ./demo
#
# A session as a user would type it: each line behind "board#" is a command as it is run, and
# what is below it is all that the command printed. In between, unseen, patiently() waits until
# what the next command shows has happened.
#
# A driver and a program trace what they see. Their makers ship one .fmt file
# each, in /usr/trace; traceinfo prints both together. Then the stream is
# saved, damaged, and printed again. tracectl keeps noise and faults apart. Then the
# kernel's own events show who kept a program from its CPU, and how another one died. Then the
# board panics, boots again, and this runs again: then it shows what was before the fall.

bold='' plain=''
[ -n "$NO_COLOR" ] || { bold=$(printf '\033[1m') plain=$(printf '\033[0m'); }
chapter() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() { printf '%sboard# %s%s\n' "$bold" "$*" "$plain"; eval "$*"; }

# patiently COMMAND: until it succeeds, at most 20 s. A busy machine takes its time.
patiently()
{
	tries=0
	until eval "$1" >/dev/null 2>&1 || [ $tries -ge 40 ]; do
		tries=$((tries + 1))
		sleep 0.5
	done
}

# finish PID: end it. A shell that is told of an end while it writes to a terminal loses the line.
finish()
{
	kill "$1"
	wait "$1"
}

cd /tmp || exit

# Has it fallen before? Then memory has what it left.
persist="insmod /modules/devtrace_persist.ko region=$REGION"
$persist
if [ -e /dev/trace-last ]; then
	chapter "The board is up again by itself: its last 12 events, the cause at the end"
	run "traceinfo --last-boot --last 12"
	exit
fi
rmmod devtrace_persist

chapter "A driver, metronome.ko, and a program, boardmon, trace on one time line"
run "insmod /modules/metronome.ko period_us=200000 late_us=5000 sum_beats=2"
run "boardmon --count 1 --busiest 2 &"
run "echo '<3>pump 2 runs dry' >/dev/trace"
wait
# The driver's first summary is due after 2 beats, by a thread that may have its turn later
patiently "traceinfo --type SUM | grep TOCK"
run "rmmod metronome"
run "traceinfo"
run "traceinfo --severity sw2    # only what is severe"
run "traceinfo --json --type EXC --last 1"

chapter "The stream is saved, damaged in two places, and read again"
run "traceinfo --raw >saved"
run "(head -c 1000 saved; tail -c +1061 saved) >damaged    # 60 bytes are missing"
run "echo 'noise on the line' | dd of=damaged bs=1 seek=1500 conv=notrunc status=none"
run "traceinfo --severity sw3 damaged    # no filter hides a loss"

chapter "State machines: dining philosophers that trace as QP does, then as RKH does"
run "philo-qp 6"
run "traceinfo --sequence table,philo0 --last 4"
run "tracectl clear; philo-rkh"
run "traceinfo --summary=machines"

chapter "A stream of its own for what is severe: a fault, then noise at full speed"
run "tracectl stream add severe 64K type=exc,text severity=2; tracectl stream resize trace 64K"
run "insmod /modules/metronome.ko period_us=1000 late_us=1000000 sum_beats=50"
# Each CPU has a ring of its own: noise and fault are to meet in one
taskset -p 1 $$ >/dev/null
run "echo '<2>pump 1 does not start' >/dev/trace"
run "while :; do echo '<6>a line that nobody will miss'; done >/dev/trace &"
noise=$!
taskset -p 3 $$ >/dev/null
# Its ring holds some two thousand events; column 5 is OVERWRITTEN
patiently "[ \$(tracectl stat | awk '\$1 == \"trace\" { print \$5 }') -ge 8000 ]"
run "tracectl stat"
run "traceinfo | grep -c 'pump 1'    # stream trace has lost it"
run "traceinfo --device /dev/trace-severe --last 1"

chapter "A filter by group and by object: no lines of text, no beats of the metronome"
run "tracectl filter remove type=text object=257; tracectl filter; tracectl clear"
run "sleep 0.5; traceinfo | grep -c 'nobody\|TICK'    # neither is there since"

chapter "A trigger: 5 events after the next fault the trace stops by itself"
run "tracectl filter clear; tracectl trigger add fault when severity=sw3 do stop after 5 events"
run "echo '<0>motor 3 is blocked' >/dev/trace"
patiently "tracectl stream | grep '^trace .*stopped'"
finish $noise
run "traceinfo --last 6"

chapter "A latency spike: a program looks every 50 ms, but now and then it comes far too late"
run "rmmod metronome; tracectl trigger del fault; tracectl stream start trace"
# Interrupts, timers and the scheduler; and the work that drivers put off
run "tracectl stream resize trace 2M; tracectl clear; tracectl profile faults latency work"
taskset -p 1 $$ >/dev/null
# By system calls: events of a lane do not tell their CPU
run "DEVTRACE_LANE=0 taskset 2 boardmon --no-pty --interval 0.05 &"
program=$!
run "taskset 2 insmod /modules/metronome.ko period_us=100000 late_us=1000000 sum_beats=12 sum_us=400000"
patiently "[ \$(traceinfo --type SUM | grep -c SUM@) -ge 2 ]"
# and what the program did after the last one
sleep 0.5
run "tracectl profile faults; rmmod metronome"
finish $program
run "traceinfo --summary=waits | grep -m 1 -A 2 boardmon"
# For viewers on the machine outside: a panic is to come, so by a disk
traceinfo --raw >latency.trace
tar -cf /dev/vda latency.trace

chapter "A program dies. It traces nothing; the kernel tells how it ended"
run "tracectl clear; sh -c 'kill -SEGV \$\$'"
run "echo '<2>the pump was restarted' >/dev/kmsg"
run "traceinfo --type 'SIGNAL.*,CONSOLE.*'"

chapter "The kernel panics while driver and program run, and the memory outlives the reset"
run "$persist"
run "insmod /modules/metronome.ko period_us=50000 late_us=1000000"
# By system calls: lanes are not kept
run "DEVTRACE_LANE=0 boardmon --no-pty --interval 0.2 &"
patiently "[ \$(traceinfo --last 20 | grep -o 'BEAT@\|boardmon' | sort -u | wc -l) -eq 2 ]"
printf '%sboard# %s%s\n' "$bold" "echo c >/proc/sysrq-trigger" "$plain"
# Nothing tells when the machine outside has these lines
sleep 2
echo c >/proc/sysrq-trigger
