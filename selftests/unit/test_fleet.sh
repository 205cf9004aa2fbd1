#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_fleet.sh - many boards, one receiver of OTLP: they come back soon, and not all at once
#
# Each board is a tracelogger with a spool, whose device is a pipe (tracelogger_shim.c). All boards
# emit their events at the same moments, which is the worst case. The receiver is killed twice
# (otlp_fleet.py). With LENGTH=full there are 2000 boards and at most 50 requests a second, for fifteen
# minutes; otherwise 50 boards for two minutes.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
# shellcheck disable=SC2034 # of tap.sh
why="figures said"
command -v python3 >/dev/null || skip_all "no python3"
${CC:-gcc} -shared -fPIC -O1 -I"$here/../../include/uapi" -o shim.so "$here/tracelogger_shim.c" 2>said ||
	skip_all "the shim does not compile"

boards=50 every=12 outages='4 16' limit=30
[ "${LENGTH:-}" != full ] || boards=2000 every=110 outages='30 60' limit=50
if [ "$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)" -lt $((boards * 3)) ]; then
	skip_all "no memory for $boards boards"
fi

{
	echo 'info 0'
	echo 'clock 1000 1700000000000000000'
	echo 'proc 7 5 motor'
	awk 'BEGIN { for (n = 1; n <= 3000; n++)
		print "event " n "001000 cpu=" n % 2 " tid=7 ctx=user type=200 sev=sw2 u32:" n }'
} | gen_stream >s.trace
mkdir boards
# shellcheck disable=SC2086 # words
TRACELOGGER=$tools/tracelogger SHIM=$work/shim.so WORK=$work/boards \
	timeout 1800 python3 "$here/otlp_fleet.py" run $boards $every s.trace $outages >figures 2>said
ok $? "$boards boards, --time=${every}s"
sed 's/^/# /' figures
figure() { sed -n "s/^$1 //p" figures; }

is "$(figure first)" 1 "all boards send"
[ "$(figure started | cut -d. -f1)" -lt 1 ]; ok $? "which begin within $(figure started) s"
is "$(figure reconnected | xargs)" "1 1" "they connect again"
[ "$(figure again | cut -d. -f1)" -lt 120 ]; ok $? "within $(figure again) s"
[ "$(figure most)" -le $limit ]; ok $? "at most $(figure most) requests in a second"
[ "$(figure events)" -gt 0 ]; ok $? "$(figure events) events are emitted"
is "$(figure missing) $(figure lost)" "0 0" "nothing is lost"
sed 's/^[^:]*: [^ ]*: //' boards/err.* 2>/dev/null | grep -v 'events are written to\|the whole spool' >strange
is "$(cat strange)" "" "no logger has another problem"

done_testing
