#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_logger_recipes.sh - the recipes of Documentation/logger.rst, as they stand, and
# whether they do what they promise
#
# Runs on the board, as root, with the tools in PATH and logger.rst beside this file. Each
# recipe is found by a word of it, and none may be left over. Hosts of the recipes are the
# board. Left to other tests, for want of what they need: systemd, a serial line
# (unit/test_links.sh), an ssh server, rsyslogd (unit/test_syslog_servers.sh), a
# receiver of OTLP (unit/test_otlp.sh), systemd-journal-remote (unit/test_journal.sh).
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
# shellcheck source=../../tap.sh
. "$here/tap.sh"
if ! trace_unload 2>/dev/null || ! command -v tracectl >/dev/null; then
	echo "1..0 # SKIP devtrace cannot be unloaded, or no tracectl: there is no libmnl for this machine"
	exit 0
fi
if [ ! -e /proc/net/tcp ]; then
	echo "1..0 # SKIP this kernel has no internet protocol"
	exit 0
fi
work=$(mktemp -d) || exit 1
dirs='/var/log/trace /data /var/spool/trace'
job=''
# shellcheck disable=SC2046,SC2086,SC2317 # several words; the trap calls it
cleanup()
{
	kill $(pidof tracelogger nc traceinfo) 2>/dev/null
	rmmod dtfire
	trace_unload 2>/dev/null
	trace_load
	rm -rf "$work" $dirs
}
trap cleanup EXIT
# shellcheck disable=SC2086 # several words
mkdir -p $dirs
ip link set lo up
echo "127.0.0.1 b9 host board" >>/etc/hosts
fire=/sys/module/dtfire/parameters/emit
trace_load
insmod "${DEVTRACE_MODULES:-/modules}/dtfire.ko"
cd "$work" || exit 1

# Each block of the recipes, one file; and what is run on the host in HOST.N
awk -v dir="$work/" '
	/^Recipes$/	{ recipes = 1 }
	/^Promises$/	{ exit }
	/^\t/ && recipes {
		if (!inside) { n++; inside = 1 }
		host = sub(/[ \t]+# on the host$/, "")
		line = substr($0, 2)
		if (line != "") print line > (dir (host ? "HOST." : "recipe.") n)
		next
	}
	NF		{ inside = 0 }
' "$here/logger.rst"

# find_recipe WORD: sets recipe to the number of the first one with that, and takes it off the list
find_recipe()
{
	recipe=$(grep -lF -- "$1" recipe.* | sort -t . -k 2 -n | head -n 1)
	recipe=${recipe#recipe.}
	if [ -n "$recipe" ]; then
		mv "recipe.$recipe" recipe
		rm -f HOST
		[ ! -e "HOST.$recipe" ] || mv "HOST.$recipe" HOST
	else
		ok 1 "there is a recipe with $1"
		echo false >recipe
	fi
}
# begin WORD: that recipe runs, as it stands
begin()
{
	find_recipe "$1"
	said=$work/said
	sh -e recipe >out 2>"$said" &
	job=$!
}
# finish NAME: it ends at SIGTERM, without an error
finish()
{
	# shellcheck disable=SC2046 # numbers
	kill $(pidof tracelogger) 2>/dev/null
	wait $job; ok $? "$1: ends"
}
has() { traceinfo --no-default-fmt "$@" 2>/dev/null | grep -q "text: $mark\$"; }	# FILE...
n=0
# emit: a line that tells itself from all others
emit() { n=$((n + 1)) mark="mark-$n-"; echo "$mark" >/dev/trace; }
# saves NAME PATTERN: what is emitted now comes to a file of the name
saves()
{
	emit
	# shellcheck disable=SC2086 # a pattern
	in_file() { has $pattern; }
	pattern=$2
	wait_until in_file; ok $? "$1: saves"
}
day='/var/log/trace/20[0-9][0-9][01][0-9][0-3][0-9]'

begin '%H.trace -l 100M'
saves "a file an hour" "$day-[0-2][0-9].trace"
finish "a file an hour"
rm -f /var/log/trace/*

emit
begin '--once -f /tmp/now.trace'
wait $job; ok $? "the buffer as it is now: ends by itself"
has /tmp/now.trace; ok $? "and has it"
rm -f /tmp/now.trace

if tracelogger --once --zstd -f zstd.trace 2>said; then
	begin '--zstd'
	saves "in a third of the room" "$day-[0-2][0-9].trace"
	finish "in a third of the room"
	# shellcheck disable=SC2086 # a pattern
	od -t x1 $day-[0-2][0-9].trace | head -n 1 | grep -q ' 28 b5 2f fd '
	ok $? "in a third of the room: of zstd"
else
	find_recipe '--zstd'
	ok 0 "in a third of the room # SKIP $(cat said)"
fi
rm -f /var/log/trace/*

begin '--last-boot'
saves "kept over a reset" "$day.trace"
finish "kept over a reset"
rm -f /var/log/trace/*

begin '--on-trigger fault'
armed() { tracectl --json trigger | grep -q '"armed":true'; }
wait_until armed
emit
echo "exc 0 15 0 0 42 x" >$fire
in_snap() { has /data/fault-20*-*.trace; }
wait_until in_snap; ok $? "when something goes wrong: a file"
finish "when something goes wrong"
rm -f /data/*
rmmod dtfire
trace_unload
trace_load
insmod "${DEVTRACE_MODULES:-/modules}/dtfire.ko"

# The driver here has the major 0.
sed -i 's/0xA10/0/' recipe.*
syslogd -n -O "$work/logged" &
syslogd=$!
wait_until test -S /dev/log
begin '--exec'
saves "a command" /data/t.trace
echo "exc 0 14 0 0 42 x" >$fire
wait_until grep -qs ': 0x000000:1: 42$' logged; ok $? "a command: runs for a severe event"
finish "a command"
kill $syslogd
wait $syslogd
rm -f /data/*

begin '--sync severity=2,interval=30s'
saves "on the disk" /data/t.trace
finish "on the disk"
rm -f /data/*

# shellcheck disable=SC2016 # it stands so in the recipe
begin 'board="$(hostname)"'
saves "which board" /data/t.trace
finish "which board"
traceinfo --no-default-fmt -v /data/t.trace | grep -q "board=$(hostname)"; ok $? "which board: its name is in the file"

listens() { grep -qi ":$1 0*:0000 0A" /proc/net/tcp /proc/net/tcp6; }	# PORT: in hexadecimal
tracelogger -q --once -f b7.trace -A board=b7
tracelogger -q --once -f b8.trace -A board=b8
tracelogger -q --listen tcp::7070 &
wait_until listens 1B9E
begin 'traceinfo b7.trace b8.trace tcp:b9:7070'
all_three() { [ "$(grep -c "text: $mark\$" out)" = 3 ]; }
wait_until all_three; ok $? "of many boards: one file each, and a link"
# shellcheck disable=SC2046 # numbers
kill $(pidof traceinfo tracelogger)
wait
cp /data/t.trace /data/t.trace.1

find_recipe 'traceinfo -n 20 /data/t.trace'
sh -e recipe >out 2>&1; ok $? "look while it goes on"
[ "$(grep -c "text: $mark\$" out)" -ge 2 ]; ok $? "look while it goes on: what is there"
rm -f /data/*

# HOST of a recipe is the one who listens here.
tcp='--to tcp:host:7070'
sh -e "$(grep -lF 'traceinfo tcp::7070' HOST.*)" >host.out 2>&1 &
wait_until listens 1B9E
begin "$tcp"
emit
at_host() { grep -q "text: $mark\$" host.out; }
wait_until at_host; ok $? "to a host: it prints what comes"
finish "to a host"
wait

begin '--spool /var/spool/trace'
emit
in_spool() { has /var/spool/trace/spool.trace*; }
wait_until in_spool; ok $? "while the host is away: kept"
traceinfo --no-default-fmt tcp::7070 >host.out 2>&1 &
wait_until at_host; ok $? "while the host is away: sent once it is there"
finish "while the host is away"
wait

mkfifo quiet
exec 8<>quiet
nc -l -p 514 <quiet >syslog &
begin '--to syslog:host:514 -A'
echo "exc 0 15 0 0 42 x" >$fire
wait_until grep -q ' b7 .* \(-\|\[timeQuality [^]]*\]\) ' syslog; ok $? "severe events of all boards: messages"
finish "severe events of all boards"
wait
nc -l -p 514 <quiet >syslog &
begin '--to syslog:host:514 --enterprise'
echo "exc 0 15 0 0 42 x" >$fire
wait_until grep -q ' b7 .*\[devtrace@32473 ' syslog; ok $? "severe events, with fields: messages"
finish "severe events, with fields"
wait

begin '--listen tcp::7070'
wait_until listens 1B9E
emit
sed 's/^nc .*/& <quiet/; s/$/ \&/' HOST | sh >host.out 2>&1
wait_until at_host; ok $? "whoever connects: prints it"
got() { has board.trace; }
wait_until got; ok $? "whoever connects: saves it"
finish "whoever connects"

left=$(cat recipe.* 2>/dev/null | grep -cvE '^(systemctl|ssh|tracelogger --to otlp:|tracelogger --to journal:|tracelogger --listen tcp:127.0.0.1|tracelogger -p 0 --compact --to serial:|traceinfo tcp:127.0.0.1)')
[ "$left" = 0 ] || cat recipe.*
is "$left" 0 "every recipe was run, but for those that need what is not here"

# shellcheck disable=SC2154 # of tap.sh
{
	echo "1..$count"
	[ "$bad" = 0 ]
}
