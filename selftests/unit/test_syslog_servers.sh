#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_syslog_servers.sh - tracelogger --to syslog: what rsyslog and syslog-ng understand
#
# Each server has the configuration of Documentation/fleet.rst, but another port and place.
# syslog_check.py compares what it stored with traceinfo --json. Then server and logger are killed 5
# times each, 100 times with LENGTH=full: nothing is missing that was spooled. A server is killed when
# it has stored what it read, because it does not answer, and what it had not stored is lost then.
#
# In Debian rsyslog and syslog-ng-core exclude each other. SYSLOG_NG names a tree into which
# syslog-ng-core and its libraries were unpacked (dpkg -x), for machines that have rsyslog.
# shellcheck disable=SC2028,SC2046,SC2317 # escapes of gen_stream; words of counted; called by name
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3
PATH=$PATH:/usr/sbin
. "$here/receiver.sh"
# shellcheck disable=SC2034 # of tap.sh
why="err problems daemon"

long=$(head -c 40 /dev/zero | tr '\0' n)
cat >prog/share/devtrace/fmt/names.fmt <<FMT
record 210 NAMES (u32 temp, u32 Temp, u32 $long, u32 ${long}2, u32 ts)
	"%u %u %u %u %u"
FMT
to=syslog:127.0.0.1
number=32473

{
	elements
	echo 'event 5001000 cpu=0 tid=7 type=200 sev=hw3 obj=8 sig=9 u32:5'
	echo 'event 5001000 cpu=0 tid=7 type=200 sev=hw3 u32:6'
	echo 'event 5001000 cpu=1 tid=7 type=200 sev=hw3 u32:7'
	echo 'event 6001000 cpu=0 tid=7 ctx=irq type=200 sev=sw2 "str:a \x22quoted\x22] \x5c\x0a[x@1 y=\x22z\x22]\x01 \xc3\xa4 line"'
	echo 'event 6002000 cpu=0 tid=7 type=126 sev=sw3 "str:out of paper\x0a<14>1 - forged"'
	echo 'event 6003000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x424D:6 u8:2 i32:91500'
	echo 'event 6004000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x1234:9 u8:2'
	echo 'event 6005000 cpu=0 tid=7 ctx=user type=201 sev=sw0'
	echo 'event 6006000 cpu=0 tid=7 ctx=user type=113 sev=sw0 u8:1 i32:50000 enum:2/1 str:cpu'
	echo 'event 6007000 cpu=0 tid=7 ctx=user type=210 sev=sw0 u32:1 u32:2 u32:3 u32:4 u32:5 u32:6'
	echo 'lost 0 0 77 6001000 7001000'
	echo 'skip 3'
	echo 'event 8001000 cpu=0 tid=7 type=200 sev=sw2 u32:6'
} | gen_stream >s.trace
"$work/prog/bin/traceinfo" -J s.trace >s.json
statements | gen_stream >clock.trace
"$work/prog/bin/traceinfo" -J -v clock.trace >clock.json
events 1 6000 | gen_stream >many.trace
"$work/prog/bin/traceinfo" -J many.trace >many.json
pieces $rounds

# configure NAME FILE: the recipe of that server, with our port and place
configure()
{
	recipe fleet.rst "$1" |
		sed "s/port=\"514\"/port=\"$at\" address=\"127.0.0.1\"/; s/0\.0\.0\.0/127.0.0.1/
			s/port(514)/port($at)/; s|/var/log/devtrace.json|$work/stored|"
}
begin_rsyslog()
{
	rm -f pid
	rsyslogd -n -f rsyslog.conf -i "$work/pid" 2>>daemon 9>&- &
	server=$!
	wait_until listens "$at"
}
ng=${SYSLOG_NG:-}
begin_syslog_ng()
{
	LD_LIBRARY_PATH=${ng:+$(echo "$ng"/usr/lib/*-linux-gnu):$ng/usr/lib/syslog-ng} \
		"$ng/usr/sbin/syslog-ng" -F -f syslog-ng.conf --no-caps -R "$work/persist" -c "$work/control" -p "$work/ng.pid" \
		${ng:+--module-path "$(echo "$ng"/usr/lib/syslog-ng/[0-9]*)"} 2>>daemon 9>&- &
	server=$!
	wait_until listens "$at"
}
end_server() { kill "-$1" "$server"; wait "$server"; server=''; } 2>/dev/null
counted() { [ -e stored ] || : >stored; python3 "$here/syslog_check.py" stored count $number 2>&1; }
lines() { [ "$(wc -l 2>/dev/null <stored)" -ge "$1" ]; }
have() { set -- "$1" $(counted); [ "$3" -ge "$1" ]; }
# stores FILE.trace MESSAGES OPTION...: the server stores all of the recording
stores()
{
	rm -f stored
	begin
	"$log" --json --once --device "$1" --to "$to:$at" --enterprise $number -A board=b7 2>err ||
		return 1
	wait_until lines "$2"
	end_server TERM
}
same() { python3 "$here/syslog_check.py" stored "$1" $number $boot b7 >problems 2>&1; }

# served NAME BEGIN: all of the above with a server that the function begins
served()
{
	name=$1
	begin=$2
	begin() { $begin; }
	: >daemon
	stores clock.trace 11; ok $? "$name: the times of a clock that states its error"
	same clock.json; ok $? "$name: have a quality, while it is known"
	is "$(cat problems)" "9 events, 2 losses" "$name: each one"
	stores s.trace 16; ok $? "$name: sent"
	same s.json; ok $? "$name: levels, names and fields are those of traceinfo"
	is "$(cat problems)" "14 events, 2 losses" "$name: no more and no less"
	stores many.trace 6000; ok $? "$name: many"
	same many.json; ok $? "$name: 6000 events"

	rm -rf stored spool
	mkdir spool
	begin
	follow --enterprise $number --spool spool
	n=0
	while [ $n -lt $rounds ]; do
		n=$((n + 1))
		end_server KILL
		cat piece.$n >&9
		sleep 0.0$((n * 37 % 100))
		begin
		wait_until have $((n * 300)) || break
	done
	have $((rounds * 300)); ok $? "$name is killed $rounds times: all comes, also what came while it was away"
	wait_until emptied; ok $? "$name: and the spool is empty"
	finish; ok $? "$name: and the logger ends as its input does"
	end_server TERM
	set -- $(counted)
	is "$2 $3 $4" "$((rounds * 300)) 0 0" "$name: each event once, of $1"

	rm -f stored
	n=0 left=''
	while [ $n -lt $rounds ]; do
		n=$((n + 1))
		follow --enterprise $number --spool spool
		before=$(cat spool/spool.trace* 2>/dev/null | wc -c)
		cat piece.$n >&9
		wait_until spooled $((before + $(wc -c <piece.$n))) || left="$left $n"
		begin
		sleep 0.$((n * 37 % 10))
		kill -9 "$reader"
		wait "$reader" 2>/dev/null
		reader=''
		exec 9>&-
		end_server TERM
	done
	is "$left" "" "$name: the logger is killed $rounds times: each time there is a spool"
	begin
	follow --enterprise $number --spool spool
	wait_until have $((rounds * 300)); ok $? "$name: nothing is missing that was in the spool"
	wait_until emptied; ok $? "$name: and the spool is empty"
	finish
	end_server TERM
	set -- $(counted)
	is "$2 $4" "$((rounds * 300)) 0" "$name: each event once, of $1"
}

at=$(free_port)
configure rsyslog.d >rsyslog.recipe
{ echo "global(workDirectory=\"$work\")"; cat rsyslog.recipe; } >rsyslog.conf
configure syslog-ng/conf.d >ng.recipe
is "$(grep -c "port=\"$at\"" rsyslog.recipe) $(grep -c "port($at)" ng.recipe) $(cat rsyslog.recipe ng.recipe | grep -c "$work/stored")" \
	"1 1 2" "the documentation has a file for each server"
if ! command -v rsyslogd >/dev/null; then
	skip "rsyslog" "no rsyslogd on this machine"
else
	served rsyslog begin_rsyslog
fi
if [ ! -x "$ng/usr/sbin/syslog-ng" ]; then
	skip "syslog-ng" "no syslog-ng on this machine, and SYSLOG_NG names no tree that has it"
else
	version=$(LD_LIBRARY_PATH=${ng:+$(echo "$ng"/usr/lib/*-linux-gnu):$ng/usr/lib/syslog-ng} \
		"$ng/usr/sbin/syslog-ng" --version 2>/dev/null | sed -n 's/^Config version: //p')
	{ echo "@version: $version"; cat ng.recipe; } >syslog-ng.conf
	at=$(sed -n 's/.*port(\([0-9]*\)).*/\1/p' ng.recipe)
	served syslog-ng begin_syslog_ng
fi

done_testing
