#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_journal.sh - tracelogger --to journal: what systemd-journal-remote stores
#
# The server is the one that Documentation/fleet.rst configures; journalctl reads what it stored, and
# journal_check.py compares this with traceinfo --json. Whatever is killed, each event is there once,
# when those with the same identity are dropped. With LENGTH=full, either side is killed 100 times;
# otherwise 5 times. otlp_peer.py gives the answers that a server gives seldom.
# shellcheck disable=SC2028,SC2046,SC2086,SC2119 # escapes of gen_stream; words of counted
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
remote=/lib/systemd/systemd-journal-remote
needs python3 journalctl $remote
. "$here/receiver.sh"
# shellcheck disable=SC2034 # of tap.sh
why="err problems daemon"

mkdir remote
long=$(head -c 60 /dev/zero | tr '\0' n)
cat >prog/share/devtrace/fmt/names.fmt <<FMT
record 210 NAMES (u32 temp, u32 Temp, u32 $long, u32 ${long}2)
	"%u %u %u %u"
FMT
to=journal:http://127.0.0.1

# The server, as the documentation starts it, but at a port and in a directory of its own
at=$(free_port)
recipe fleet.rst systemd-journal-remote.service.d >conf
start=$(sed -n 's/^ExecStart=\(..*\)/\1/p' conf |
	sed "s|--listen-http=-3|--listen-http=127.0.0.1:$at|; s|--output=[^ ]*|--output=$work/remote|")
is "$(echo "$start" | grep -c -- "^$remote --listen-http=127.0.0.1:$at --output=$work/remote")" 1 "the recipe starts a server"
begin_server()
{
	# shellcheck disable=SC2086 # words
	$start >>daemon 2>&1 9>&- &
	server=$!
	wait_until listens "$at"
}
end_server() { kill -9 "$server"; wait "$server"; server=''; } 2>/dev/null
# take_out: what the server has stored so far goes to the file "entries"
take_out() { journalctl -D remote -a -o json >entries 2>>daemon; }
checked() { take_out; python3 "$here/journal_check.py" entries "$@" >problems 2>&1; }
counted() { take_out; python3 "$here/journal_check.py" entries count 2>&1; }
have() { set -- "$1" $(counted); [ "$3" -ge "$1" ]; }
# anew: the server begins with an empty journal
anew() { end_server; rm -rf remote/*; begin_server; }

# All that an entry can have
{
	elements
	echo 'event 5001000 cpu=0 tid=9 type=200 sev=hw3 obj=8 sig=9 u32:5'
	echo 'event 5001000 cpu=0 tid=9 type=200 sev=hw3 u32:6'
	echo 'event 5001000 cpu=1 tid=9 type=200 sev=hw3 u32:7'
	echo 'event 6001000 cpu=0 tid=0 ctx=irq type=200 sev=sw2 "str:a \x22quoted\x22]\x0aPRIORITY=0\x0a\x0a\x01 \xff\xc3\xa4 line"'
	echo 'event 6002000 cpu=0 tid=7 type=126 sev=sw3 "str:out of paper\x0aPRIORITY=0\x0a\x0aMESSAGE=forged"'
	echo 'event 6003000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x424D:6 u8:2 i32:91500'
	echo 'event 6004000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x1234:9 u8:2'
	echo 'event 6005000 cpu=0 tid=7 ctx=user type=201 sev=sw0'
	echo 'event 6006000 cpu=0 tid=7 ctx=user type=113 sev=sw0 u8:1 i32:50000 enum:2/1 str:cpu'
	echo 'event 6007000 cpu=0 tid=7 ctx=user type=210 sev=sw0 u32:1 u32:2 u32:3 u32:4 u32:5'
	echo 'lost 0 0 77 6001000 7001000'
	echo 'skip 3'
	echo 'event 8001000 cpu=0 tid=9 type=200 sev=sw2 u32:6'
} | gen_stream >s.trace
info -J s.trace >s.json
begin_server
once --device s.trace --to "$to:$at" -A board=b7; ok $? "sent"
checked s.json $boot b7; ok $? "events with a severity have all their fields, and losses are told"
is "$(cat problems)" "14 events, 2 losses" "no more and no less"
is "$(status requests) $(status records) $(status rejected)" "1 16 0" "one request, and counted"
is "$(journalctl -D remote -o json -p 3 _HOSTNAME=b7 2>/dev/null | wc -l)" 7 "journalctl selects by priority and host"
is "$(journalctl -D remote -o cat DEVTRACE_ARG_ZONE=2 2>&1)" "zone 2 is too hot: 91.5 C" "and by an element"
is "$(journalctl -D remote -o cat DEVTRACE_NAME=devtrace.lost 2>&1)" "77 events of CPU 0 lost: overwritten" "and the losses"
anew
statements | gen_stream >clock.trace
info -J -v clock.trace >clock.json
once --device clock.trace --to "$to:$at" -A board=b7
checked clock.json $boot b7; ok $? "the error of a time, while it is known"
is "$(cat problems)" "9 events, 2 losses" "with each event"
anew
once --device s.trace --to "$to:$at/upload" --match 'severity=0,none' -A board=b7
checked s.json $boot b7 all; ok $? "--match: also events without a severity"
anew
{ echo 'proc 7 5 motor'; echo 'event 1001000 cpu=1 tid=7 ctx=user type=200 sev=sw0 u32:1'; } | gen_stream >early.trace
once --device early.trace --to "$to:$at" -A board=b7
take_out
here_id=$(tr -d '-' </proc/sys/kernel/random/boot_id)
is "$(grep -c "\"_BOOT_ID\":\"$here_id\"" entries) $(grep -c '"DEVTRACE_TIME":"sent"' entries) $(grep -c DEVTRACE_BOOT_ID entries)" \
	"1 1 0" "without a clock and an announcement: the time of sending, and this boot"

anew
events 1 6000 | gen_stream >many.trace
info -J many.trace >many.json
once --device many.trace --to "$to:$at" -A board=h
checked many.json $boot h; ok $? "6000 events"
anew
events 1 400 "str:$(head -c 1800 /dev/zero | tr '\0' y)" | gen_stream >long.trace
info -J long.trace >long.json
once --device long.trace --to "$to:$at" -A board=h
checked long.json $boot h; ok $? "long events"

# The server is killed, and what comes meanwhile goes to the spool
pieces $rounds
mkdir spool
anew
follow --spool spool
n=0
while [ $n -lt $rounds ]; do
	n=$((n + 1))
	end_server
	cat piece.$n >&9
	sleep 0.0$((n * 37 % 100))
	begin_server
	# Kill it after some requests, and sometimes within one.
	[ $((n % 2)) = 0 ] || wait_until have $((n * 300))
done
wait_until have $((rounds * 300)); ok $? "the server is killed $rounds times: all comes"
wait_until emptied; ok $? "and the spool is empty"
finish; ok $? "and the logger ends as its input does"
set -- $(counted)
is "$2 $3 $4" "$((rounds * 300)) 0 0" "each event once, of $1"
end_server

# The logger is killed while a request is on its way, and after it
pieces $rounds
rm -rf remote/*
begin_server
n=0 left=''
while [ $n -lt $rounds ]; do
	n=$((n + 1))
	kill -STOP $server
	follow --spool spool
	before=$(cat spool/spool.trace* 2>/dev/null | wc -c)
	cat piece.$n >&9
	# A server that does not answer: the logger gives up soon, and spools.
	wait_until spooled $((before + $(wc -c <piece.$n))) || left="$left $n"
	kill -CONT $server
	sleep 0.$((n * 37 % 10))
	[ $((n % 3)) = 0 ] || kill -STOP $server
	sleep 0.0$((n * 53 % 10))
	kill -9 $reader
	wait $reader 2>/dev/null
	reader=''
	exec 9>&-
done
kill -CONT $server
is "$left" "" "the logger is killed $rounds times: each time there is a spool"
follow --spool spool
wait_until have $((rounds * 300)); ok $? "nothing is missing that was in the spool"
wait_until emptied; ok $? "and the spool is empty"
finish
set -- $(counted)
is "$2 $4" "$((rounds * 300)) 0" "each event once, of $1"
end_server

# Answers that the server gives seldom
mine() { cat got/*.bin 2>/dev/null | grep -ac '^DEVTRACE_NAME='; }
come() { [ "$(mine)" -ge "$1" ]; }
waited() { awk '$1 ~ /^[0-9]+$/ && NF == 5 { if (n++ == 1) print $5 - t; t = $5 }' said; }
for what in '429 3' '503 3'; do
	afresh
	receiver
	todo "$what"
	follow
	cat s.trace >&9
	wait_until come 16; ok $? "$what: all comes"
	finish
	waited | awk '{ exit !($1 >= 2.9 && $1 < 9) }'; ok $? "$what: it waits as the server says: $(waited) s"
	end_peer
done
is "$(requests '^200 /upload ')" 1 "the usual path"
afresh
receiver
todo "words 400 Failed to parse"
once --device s.trace --to "$to:$at"
is "$(grep -c 'rejected 16 of 16 records: HTTP status 400 Bad Request (Failed to parse)' err) $(status rejected)" "1 16" "400: said and counted"
todo 404
once --device s.trace --to "$to:$at/x"; is $? 1 "404: --once fails"
is "$(grep -c 'systemd-journal-remote has /upload' err)" 1 "404: it says what may be wrong"
end_peer
refused 'is not a URL; write http://HOST:19532' --to journal:host:19532
refused 'names no host; write http://HOST:19532' --to journal:http://
refused 'otlp, journal and syslog get records' --to journal:http://h --compact

done_testing
