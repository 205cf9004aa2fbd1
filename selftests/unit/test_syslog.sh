#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_syslog.sh - tracelogger --to syslog: what a reader of RFC 5424 gets, and rsyslogd
#
# link_peer.py checks each message by the grammar. Where rsyslogd is installed it receives
# the same, and gives back what it has understood.
# shellcheck disable=SC2086,SC2028 # commands with their options; escapes of gen_stream
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3
. "$here/peer.sh"

closed() { [ "$(grep -c closed said)" -ge "$1" ]; }

# words that need care: a name with a space, quotes, a line end, more than a message takes
long=$(head -c 3000 /dev/zero | tr '\0' x)
{
	echo 'info 0'
	echo 'clock 1000 1700000000000000000'
	echo 'proc 7 5 "motor ctl"'
	echo 'event 1001000 cpu=1 tid=7 ctx=user type=200 u32:1'
	echo 'event 2001000 cpu=1 tid=7 ctx=user type=200 sev=sw0 u32:2'
	echo 'event 3001000 cpu=1 tid=7 ctx=user type=200 sev=sw1 u32:3'
	echo 'event 4001000 cpu=1 tid=7 ctx=user type=200 sev=hw2 obj=3 sig=4 u32:4'
	echo 'event 5001000 cpu=0 tid=9 type=200 sev=hw3 u32:5'
	echo 'event 6001000 cpu=0 tid=9 type=200 sev=sw2 "str:a \x22quoted\x22]\x0a\x01 line"'
	echo 'dict image 5 0 0 0 00112233'
	echo 'event 6002000 cpu=0 tid=7 ctx=user type=127 sev=sw3 u32:0 i32:2'
	echo 'lost 0 0 77 6001000 7001000'
	echo 'skip 3'
	echo 'event 8001000 cpu=0 tid=9 type=200 sev=sw2 u32:6'
} | gen_stream >s.trace
# The program finds the description of events beside it.
mkdir -p prog/bin prog/share/devtrace/fmt
cp "$tools/tracelogger" prog/bin
log="$work/prog/bin/tracelogger -q"
cat >prog/share/devtrace/fmt/sites.fmt <<'END'
image "00112233" "pumpd" {
	site 0 err "lib/\x01]motor.c:120" "motor_run" "pump %d runs dry"
}
END
peer recv 127.0.0.1 got
timeout 600 $log --once --device s.trace --to "syslog:127.0.0.1:$at" --enterprise 32473 -A 'board=unit "7"'
ok $? "sent"
wait_until closed 1
end_peer
python3 "$here/link_peer.py" messages got.1 >words
ok $? "every message is one of RFC 5424"
# which: a line that has all these words
has()
{
	name=$1
	shift
	cp words left
	for word; do grep -F -- "$word" left >left2; mv left2 left; done
	is "$(wc -l <left)" 1 "$name"
	[ "$(wc -l <left)" = 1 ] || sed 's/^/# /' words
}
is "$(wc -l <words)" 9 "events of a severity, and what is missing"
has "sw0 is information" "<14>1 2023-11-14T22:13:20.002000Z unit_\"7\" motor_ctl 5 " 'severity="sw0"' 'tid="7"'
has "sw1 is a warning" "<12>1 " 'severity="sw1"' 'cpu="1"'
has "hw2 is an error" "<11>1 " 'severity="hw2"' 'object="3" signal="4"'
has "hw3 is critical" "<10>1 " 'severity="hw3"' " - 9 "
has "a statement has its place in the source" ' file="lib/\\x01\]motor.c" line="120" function="motor_run" ' '] pump 2 runs dry'
has "a text is one line" '\x0a\x01 line'
has "what is lost" "<12>1 " ' - lost [devtrace@32473 name="devtrace.lost" ' 'cpu="0" count="77" from="6001000" to="7001000" cause="overwritten"] 77 events of CPU 0 lost: overwritten'
has "what is missing" "<12>1 " ' - gap [devtrace@32473 ' 'count="3" from="6002000"] 3 frames missing'
has "a value is escaped" '[devtrace-args@32473 e1_STR="a \"quoted\"\]\\x0a\\x01 line"]'

# Without a number of the user there is no name that is free for all
rm -f got.*
peer recv 127.0.0.1 got
timeout 600 $log --once --device s.trace --to "syslog:127.0.0.1:$at" -A board=b7
wait_until closed 1
end_peer
python3 "$here/link_peer.py" messages got.1 >words
is "$(wc -l <words) $(grep -c '@' words)" "9 0" "without --enterprise: no structured data"
has "and the text" "<10>1 2023-11-14T22:13:20.005000Z b7 - 9 USER:200 - 5"
# How exact a time is: an element that the standard defines, which needs no number
{
	echo 'info 0'
	echo 'clock 1000 1700000000000000000'
	echo 'accuracy 1000 16000000000 16000000000 41 ntp'
	echo 'event 1001 cpu=0 tid=9 type=200 sev=sw2 u32:1'
	echo 'accuracy 1002 1234567 300000 2001 ntp'
	echo 'event 1003 cpu=0 tid=9 type=200 sev=sw2 u32:2'
	echo 'lost 0 0 77 1003 1004'
} | gen_stream >clock.trace
for enterprise in '' '--enterprise 32473'; do
	rm -f got.*
	peer recv 127.0.0.1 got
	timeout 600 $log --once --device clock.trace --to "syslog:127.0.0.1:$at" -A board=b7 $enterprise
	wait_until closed 1
	end_peer
	python3 "$here/link_peer.py" messages got.1 >words
	is "$(sed 's/.*\(\[timeQuality[^]]*\]\).*/\1/' words)" '[timeQuality tzKnown="1" isSynced="0"]
[timeQuality tzKnown="1" isSynced="1" syncAccuracy="1311"]
[timeQuality tzKnown="1" isSynced="1" syncAccuracy="1311"]' "the quality of the time ${enterprise:-without a number}"
done
refused()	# WORDS OPTION...
{
	words=$1
	shift
	timeout 60 $log --device s.trace "$@" 2>err
	is "$? $(grep -c -- "$words" err)" "2 1" "refused: $*"
}
refused 'is not a private enterprise number' --to syslog:h:1 --enterprise 0
refused 'is not a private enterprise number' --to syslog:h:1 --enterprise 4294967296
refused 'is not a private enterprise number' --to syslog:h:1 --enterprise 1.2
refused 'names the data in messages of syslog' --to tcp:h:1 --enterprise 1
refused 'journal and syslog get records' --to syslog:h:1 --compact

# A text of any length; a peer that goes, and messages that are not cut
{
	echo 'info 0'
	echo 'clock 1000 1700000000000000000'
	n=0
	while [ $n -lt 400 ]; do
		n=$((n + 1))
		echo "event ${n}001000 cpu=0 tid=9 type=200 sev=sw2 u32:$n str:$(printf '%.200s' "$long")"
	done
} | gen_stream >many.trace
rm -f got.*
peer cuts 127.0.0.1 got
timeout 600 $tools/tracelogger --json --once --device many.trace --to "syslog:127.0.0.1:$at" --enterprise 32473 2>figures
timeout 600 $log --device many.trace --to "syslog:127.0.0.1:$at" --enterprise 32473 2>err
wait_until closed 2
end_peer
python3 "$here/link_peer.py" messages got.2 >words
ok $? "the next peer gets whole messages"
n=$(sed -n 's/.*"resent":\([0-9]*\),"unacknowledged":[0-9]*,.*/\1/p' figures)
[ "${n:-0}" -gt 0 ] && [ "$n" -le 65536 ]; ok $? "$n bytes were not acknowledged, and are counted"
is "$(tail -n 1 words | grep -c 'ts="400001000"')" 1 "up to the last"

if ! command -v rsyslogd >/dev/null; then
	skip "rsyslogd receives it" "no rsyslogd on this machine"
else
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >rsyslog.conf <<-CONF
		global(workDirectory="$work")
		module(load="imtcp")
		input(type="imtcp" port="$port" address="127.0.0.1")
		template(name="t" type="string" string="%syslogseverity-text%|%syslogfacility-text%|%timereported:::date-rfc3339%|%hostname%|%app-name%|%procid%|%structured-data%|%msg%\n")
		action(type="omfile" file="$work/received" template="t")
	CONF
	rsyslogd -n -f rsyslog.conf -i "$work/pid" 2>daemon &
	server=$!
	sends() { timeout 600 $log --once --device s.trace --to "syslog:127.0.0.1:$port" --enterprise 32473 -A board=b7 2>err; }
	wait_until sends; ok $? "rsyslogd listens"
	wait_until sh -c '[ -e received ] && [ "$(wc -l <received)" = 9 ]'; ok $? "rsyslogd receives all"
	cp received words
	has "rsyslogd: severity, time and names" "info|user|2023-11-14T22:13:20.002000Z|b7|motor_ctl|5|"
	has "rsyslogd: structured data" 'crit|user|' 'stream="trace" cpu="0" type="200" severity="hw3" tid="9" ts="5001000" nr="1"][devtrace-args@32473 e1_U32="5"]'
	kill $server
	wait $server

	# Killed twenty times; each time events come while it is away. Some may come twice.
	starts() { rm -f pid; rsyslogd -n -f rsyslog.conf -i "$work/pid" 2>daemon 9>&- & server=$!; }
	distinct() { [ "$(grep -o 'ts="[0-9]*"' received | sort -u | wc -l)" = "$1" ]; }
	rm -f received
	: >received
	n=0
	{
		echo 'info 0'
		while [ $n -lt 210 ]; do
			n=$((n + 1))
			echo "event ${n}001000 cpu=0 tid=9 type=200 sev=sw2 u32:$n"
		done
	} | gen_stream >kills.trace
	split -n 21 kills.trace kills.
	mkfifo pipe
	$tools/tracelogger -p 0 --device pipe --to "syslog:127.0.0.1:$port" --enterprise 32473 2>err &
	reader=$!
	exec 9>pipe
	: >so_far
	away='' rounds=0
	for piece in kills.a?; do
		cat "$piece" >&9
		starts
		rounds=$((rounds + 1))
		# The rest of a cut event comes with the next piece.
		cat "$piece" >>so_far
		whole=$("$tools/traceinfo" --no-default-fmt -J so_far 2>/dev/null | grep -c '"kind":"event"')
		wait_until distinct "$whole" || away="$away $rounds"
		[ $rounds = 21 ] || { kill -9 $server; wait $server; } 2>/dev/null
	done
	is "$rounds:$away" "21:" "rsyslogd is killed 20 times: all comes, also what came while it was away"
	exec 9>&-
	wait $reader
	reader=''
	kill $server
	wait $server
	server=''
fi

done_testing
