#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_links.sh - streams over TCP, UDP, sockets of files and serial lines, to traceinfo
#
# All on this machine: sockets of the loopback, and a pty in its default mode for a serial
# line. link_peer.py is the other end. Frames that come and those that are reported missing
# are those that were sent.
# shellcheck disable=SC2086,SC2028 # commands with their options; escapes of gen_stream
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3
info="$tools/traceinfo --no-default-fmt"
. "$here/peer.sh"
SEED=${SEED:-$(date +%s)}
echo "# SEED=$SEED"

# of WORD FILE: a figure of --statistics
of() { sed -n "s/.*\"kind\":\"statistics\".*\"$1\":\([0-9]*\).*/\1/p" "$2" | tail -n 1; }

{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 3000"; } | gen_stream >s.trace
$info s.trace >text
$info -J --statistics s.trace >whole

# refused WORDS LINK: status 2, and a message with these words
refused()
{
	timeout 600 $info "$2" >err 2>&1
	[ $? = 2 ] && grep -q -- "$1" err
	ok $? "refused: $2"
}

refused "no port; write HOST:PORT" tcp:localhost
refused "no port from 1" tcp:localhost:0
refused "no port from 1" tcp:localhost:65536
refused "no port from 1" tcp:localhost:7x
refused "in brackets" tcp:::1:7070
refused "after its IPv6 address" "tcp:[::1]7070"
refused "of 1 to 107 bytes" unix:
refused "names no device" serial:,9600
refused "unknown speed" serial:/dev/ttyS0,9601
refused "unknown speed" serial:/dev/ttyS0,
refused "udp::PORT" udp:localhost:7070
refused "not a link to read from" syslog:localhost:514

timeout 600 $info tcp:127.0.0.1:1 >err 2>&1
is "$? $(grep -c 'Connection refused' err)" "1 1" "nobody listens"
timeout 600 $info serial:/dev/null >err 2>&1
is "$? $(grep -c 'is not a serial line' err)" "1 1" "/dev/null is not a serial line"

for address in 127.0.0.1 ::1 "$work/sock"; do
	peer send "$address" s.trace
	case $address in
	/*)	link=unix:$at ;;
	*:*)	link="tcp:[$address]:$at" ;;
	*)	link=tcp:$address:$at ;;
	esac
	timeout 600 $info "$link" >got
	cmp -s got text
	ok $? "printed as from a file: ${link%"$at"}"
	end_peer
done
cp s.trace tcp:1:1
is "$($info ./tcp:1:1 | wc -l)" "$(wc -l <text)" "a file of such a name is ./tcp:..."

# A file and a link, by wall clock; and a pipe that says nothing holds nobody up
{ echo "info 0"; echo "clock 1000 1700000000000000500"; echo "bench 3000"; } | gen_stream >t.trace
peer send 127.0.0.1 s.trace
timeout 600 $info -J --statistics t.trace "tcp:127.0.0.1:$at" >got 2>err
is "$(grep -c '"kind":"event","board":"t.trace"' got) $(of printed got)" "3000 6000" "a file and a link"
sed -n 's/.*"time":"\([^"]*\)".*/\1/p' got | sort -c
ok $? "by wall clock"
end_peer
mkfifo silent
exec 9<>silent
$info t.trace silent >got &
reader=$!
wait_until sh -c '[ "$(grep -c USER:100 got)" = 3000 ]'; ok $? "a silent pipe holds nobody up"
cat s.trace >&9
wait_until sh -c '[ "$(grep -c USER:100 got)" = 6000 ]'; ok $? "what it says late is printed when it comes"
kill -INT $reader
wait $reader; ok $? "until a signal"
reader=''
is "$(sed -n 's/^\*\*\* board silent: \([0-9]* events\) printed after.*/\1/p' got)" "2999 events" "and counted"
exec 9>&-

# A board that does not answer
peer deaf 127.0.0.1
$info t.trace "tcp:127.0.0.1:$at" >got 2>err &
reader=$!
wait_until sh -c '[ "$(grep -c USER:100 got)" = 3000 ]'; ok $? "a board that does not answer holds nobody up"
[ ! -s err ]; ok $? "and is waited for meanwhile"
wait $reader
is "$? $(grep -c "$at: Connection timed out" err)" "1 1" "up to a time"
reader=''
end_peer

# A line in its default mode, that loses and flips bytes
for seed in '' "$SEED"; do
	rm -f got
	# shellcheck disable=SC2086 # none, or one
	peer pty-send s.trace $seed
	$info -J --statistics "serial:$at,115200" >got &
	reader=$!
	last=$(tail -n 2 whole | head -n 1)
	wait_until grep -qsF "$last" got; ok $? "serial line: all comes, without an end of it"
	kill -INT $reader
	wait $reader; reader=''
	wait "$peer"; peer=''
	is "$(tail -n 1 said)" restored "serial line: its settings are as before"
	if [ -z "$seed" ]; then
		is "$(of events got) $(of missing got)" "3000 0" "serial line in its default mode: nothing is changed"
	else
		[ "$(of damages got)" -gt 20 ]; ok $? "$(of damages got) places were damaged"
		is "$(($(of frames got) + $(of missing got)))" "$(of frames whole)" "what came and what is missing is what was sent"
	fi
done

# Streams that tracelogger sends
log="$tools/tracelogger -q"

# wrong WORDS OPTION...: tracelogger's
wrong()
{
	words=$1
	shift
	timeout 600 $log "$@" >err 2>&1
	[ $? = 2 ] && grep -q -- "$words" err
	ok $? "refused: $*"
}

wrong "not a link; write tcp" --to localhost
wrong "names no host" --to tcp::7070
wrong "link to listen on" --listen serial:/dev/ttyS0
wrong "link to listen on" --listen udp::7070
wrong "give one of them" --to tcp:localhost:7070 -f x
wrong "give one of them" --to tcp:localhost:7070 --listen tcp::7070
wrong "omit --once" --listen tcp::7070 --once
wrong "apply to files" --to tcp:localhost:7070 -l 1M

timeout 600 $log --once --device s.trace --to tcp:127.0.0.1:1 >err 2>&1
is "$? $(grep -c 'not all events were saved' err)" "1 1" "--once, and nobody listens"

for address in 127.0.0.1 ::1 "$work/sock2" udp; do
	rm -f got.1
	peer recv "$address" got
	case $address in
	/*)	link=unix:$at ;;
	udp)	link=udp:127.0.0.1:$at ;;
	*:*)	link="tcp:[$address]:$at" ;;
	*)	link=tcp:$address:$at ;;
	esac
	timeout 600 $log --once --device s.trace --to "$link" -A board=7
	ok $? "${link%"$at"}: sent"
	complete()
	{
		$info -J --statistics got.1 >figures 2>/dev/null
		[ "$(of events figures) $(of missing figures) $(of damages figures)" = "3000 0 0" ]
	}
	wait_until complete; ok $? "${link%"$at"}: all has come"
	is "$($info -v got.1 | grep -c 'board=7')" 1 "${link%"$at"}: with the attributes"
	end_peer
done

peer pty-recv got.1
timeout 600 $log --once --device s.trace --to "serial:$at,115200"
ok $? "serial line: sent"
wait "$peer"; peer=''
is "$(tail -n 1 said)" restored "serial line: tracelogger restores its settings"
$info -J --statistics got.1 >figures
is "$(of events figures) $(of missing figures) $(of damages figures)" "3000 0 0" "serial line: all has come"

# However it ends, the line is as before
mkfifo line
cc=${CC:-gcc}
$cc -shared -fPIC -O1 -I"$here/../../include/uapi" -o shim.so "$here/tracelogger_shim.c" || ok 1 "the shim does not compile"
for end in QUIT USR2 TERM broken; do
	rm -f got.1 broken
	peer pty-recv got.1
	# A shell has what it starts so ignore SIGQUIT.
	SHIM_BROKEN=broken LD_PRELOAD=$PWD/shim.so env --default-signal=QUIT \
		$log -p 0 --device line --to "serial:$at,115200" 2>err &
	reader=$!
	exec 8>line
	cat s.trace >&8
	wait_until test -s got.1
	case $end in
	# In a shell of its own: it may have seen it already, and nobody reads.
	broken)	touch broken; (echo >&8) 2>/dev/null ;;
	*)	kill -$end $reader ;;
	esac
	wait $reader
	status=$?
	reader=''
	exec 8>&-
	wait "$peer"; peer=''
	is "$(tail -n 1 said)" restored "serial line: restored by tracelogger that ends by $end"
	[ $end != broken ] || is "$status $(grep -c 'line: Input/output error' err)" "1 1" "which says that its device cannot be read"
done
# A line that stands still, as by an adapter that was stopped
rm -f got.1
touch still
peer pty-recv got.1
SHIM_STILL=still LD_PRELOAD=$PWD/shim.so timeout -s KILL 120 \
	$log -p 0 --device line --to "serial:$at,115200" 2>err &
reader=$!
exec 8>line
cat s.trace >&8
wait_until test -s got.1
kill $reader
wait $reader
is $? 0 "serial line: one that stands still does not keep tracelogger"
reader=''
exec 8>&-
rm still
wait "$peer"; peer=''
is "$(tail -n 1 said)" restored "serial line: and is restored"
# A line that hangs up, which poll(2) says again and again
rm -f got.1
peer pty-recv got.1
$log -p 0 --device line --to "serial:$at,115200" 2>err &
reader=$!
exec 8<>line
cat s.trace >&8
wait_until test -s got.1
kill -9 $peer
wait $peer 2>/dev/null
peer=''
# A spinning process is never found asleep.
sleeps() { for n in 1 2 3 4 5 6 7 8 9 10; do grep -q '^State:.S' /proc/$reader/status || return 1; done; }
TRIES=300 wait_until sleeps; ok $? "serial line: one that hangs up lets it sleep"
kill $reader
ended() { ! kill -0 $reader 2>/dev/null; }
TRIES=600 wait_until ended; ok $? "serial line: and hear a signal"
kill -9 $reader 2>/dev/null
wait $reader 2>/dev/null
reader=''
exec 8>&-
for end in HUP QUIT "INT INT"; do
	# Not that of the time before: it is there before the program is.
	rm -f got
	peer pty-send s.trace
	env --default-signal=QUIT $info -J "serial:$at,115200" >got &
	reader=$!
	wait_until grep -qsF "$last" got
	for sig in $end; do kill -$sig $reader; done
	wait $reader 2>/dev/null; reader=''
	wait "$peer"; peer=''
	is "$(tail -n 1 said)" restored "serial line: restored by traceinfo that ends by $end"
done

# A peer that goes, again and again
split -n 12 s.trace piece.
rm -f got.*
peer kills 127.0.0.1 got 10
mkfifo pipe
$log -p 0 --device pipe --to "tcp:127.0.0.1:$at" 2>err &
reader=$!
exec 9>pipe
n=0
closed() { [ "$(grep -c closed said)" -ge "$1" ]; }
late=0
for piece in piece.*; do
	n=$((n + 1))
	cat "$piece" >&9
	[ $n -gt 10 ] || wait_until closed $n || late=$n
done
is $late 0 "ten peers went"
exec 9>&-
wait $reader; ok $? "and it ends as the input does"
reader=''
wait_until closed 11
end_peer
for n in 1 2 3 4 5 6 7 8 9 10 11; do cat got.$n; done >got.all
$info -J --statistics got.all >figures
is "$(of events figures) $(of missing figures) $(of damages figures)" "3000 0 0" "nothing is missing and nothing twice"

# A peer that goes while there is much on the way
{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 30000"; } | gen_stream >long.trace
rm -f got.*
peer cuts 127.0.0.1 got
timeout 600 $log --device long.trace --to "tcp:127.0.0.1:$at" 2>err
ok $? "a peer went in the middle"
wait_until closed 2
end_peer
$info -J --statistics got.2 >figures
is "$(of damages figures)" 0 "what the next one gets begins with a whole frame"
$info -J --statistics long.trace >whole2
cat got.1 got.2 >got.all
$info -J --statistics got.all >figures
# The head of each connection are two frames, too.
is "$(($(of frames figures) + $(of missing figures)))" "$(($(of frames whole2) + 4))" "what came to both, and what is missing, is what was sent"
# 8 KB of 31 bytes each
[ "$(of missing figures)" -le 300 ]; ok $? "only what the buffer of the first held is missing"

# A peer that comes late
peer recv 127.0.0.1 late
port=$at
end_peer
rm -f late.*
$tools/tracelogger -p 0 --device pipe --to "tcp:127.0.0.1:$port" 2>err &
reader=$!
exec 9>pipe
cat s.trace >&9
wait_until grep -q "127.0.0.1:$port: Connection refused" err; ok $? "it says that nobody is there"
PORT=$port; export PORT
peer recv 127.0.0.1 late
unset PORT
exec 9>&-
wait $reader; reader=''
wait_until closed 1
$info -J --statistics late.1 >figures
is "$(of events figures) $(of missing figures)" "3000 0" "and sends all once somebody is"
is "$(grep -c 'connected again' err)" 1 "which it says, too"
end_peer

# Files while nobody is there: before the first peer, and after each
wrong "needs a peer" --spool . -f x
wrong "needs a peer" --spool . --to udp:localhost:7070
peer recv 127.0.0.1 spooled
port=$at
end_peer
mkdir spool
$tools/tracelogger -p 0 --device pipe --to "tcp:127.0.0.1:$port" --spool spool 2>err &
reader=$!
exec 9>pipe
n=0 late=''
spooled() { [ "$(cat spool/* 2>/dev/null | wc -c)" -gt "$1" ]; }
emptied() { [ -z "$(ls spool)" ]; }
PORT=$port; export PORT
for piece in piece.*; do
	case $n in
	0 | 3 | 6)
		# No peer is there.
		cat "$piece" >&9
		wait_until spooled 5000 || late="$late spool$n" ;;
	1 | 4 | 7)
		cat "$piece" >&9
		wait_until spooled 13000 || late="$late spool$n"
		peer recv 127.0.0.1 spooled.$n
		wait_until emptied || late="$late send$n" ;;
	2 | 5)
		# Somebody is there, and goes.
		cat "$piece" >&9
		wait_until sh -c "[ \$(wc -c <spooled.$((n - 1)).1) -gt 19000 ]" || late="$late direct$n"
		end_peer ;;
	*)	cat "$piece" >&9 ;;
	esac
	n=$((n + 1))
done
unset PORT
is "$late" "" "the spool fills while nobody is there, and empties"
exec 9>&-
wait $reader; ok $? "it ends as the input does"
reader=''
wait_until closed 1
end_peer
cat spooled.1.1 spooled.4.1 spooled.7.1 >got.all
$info -J --statistics got.all >figures
is "$(of events figures) $(of missing figures) $(of damages figures)" "3000 0 0" "nothing is missing and nothing twice that was spooled"
is "$(grep -c 'events are written to spool' err) $(grep -c 'was sent' err)" "3 3" "it says so"
# The rest of an earlier run is sent first; the limit holds
timeout 600 $log --once --device long.trace --to "tcp:127.0.0.1:$port" --spool spool -l 256K 2>err
size=$(cat spool/* | wc -c)
[ "$size" -gt 150000 ] && [ "$size" -le 262144 ]; ok $? "the limit of the spool holds"
cat spool/* >left
PORT=$port; export PORT
peer recv 127.0.0.1 again
unset PORT
$log -p 0 --device pipe --to "tcp:127.0.0.1:$port" --spool spool &
reader=$!
exec 9>pipe
wait_until emptied; ok $? "what is left of a run before is sent"
exec 9>&-
wait $reader
reader=''
wait_until closed 1
$info -J --statistics again.1 >figures
$info -J --statistics left >figures2
is "$(of events figures) $(of damages figures)" "$(of events figures2) 0" "all of it"
end_peer

# A peer that reads nothing: a signal ends it nevertheless
peer mute "$work/sock3"
timeout -s KILL 40 $tools/tracelogger --device long.trace --to "unix:$at" 2>err &
reader=$!
wait_until sh -c "grep -q State:.S /proc/\$(pgrep -P $reader)/status"
pkill -TERM -P $reader
wait $reader
is "$? $(grep -c 'not all events were saved' err)" "1 1" "a peer that reads nothing does not keep it"
reader=''
end_peer

# A peer that is slow when a signal comes: what was read still goes to it, over this connection,
# and a signal that ends nothing does not cut that, two seconds later. Time stands still else.
# A signal that waits is taken by who runs; who sleeps behind that waits again.
heard_by()
{
	[ ! -e "/proc/$1/status" ] ||
		{ ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$1/status" && grep -q '^State:.[SZ]' "/proc/$1/status"; }
}
truncate -s 1000 clock
peer slow "$work/sock9" got9 go
SHIM_CLOCK=$PWD/clock LD_PRELOAD=$PWD/shim.so \
	$tools/tracelogger --json -p 0 --device pipe --to "unix:$at" 2>err &
reader=$!
exec 9<>pipe
cat long.trace >&9 &
one=$!
wait_until test -s got9.1
kill $reader
wait_until heard_by $reader
truncate -s 1002 clock
kill -USR1 $reader
wait_until heard_by $reader
touch go
wait $reader; ok $? "a peer that is slow when a signal comes gets what was read"
reader=''
kill $one
wait $one
exec 9>&-
wait_until closed 1
end_peer
rm go
is "$(sed -n 's/.*"why":"ended".*"bytes":\([0-9]*\).*"resent":\([0-9]*\).*/\1 \2/p' err)" "$(wc -c <got9.1) 0" "all of it, over this connection"

# An unread standard output does not block the end, and the loss is reported
mkfifo full
exec 8<>full 9<>pipe
# There is more than has room before it begins: or all might be saved when the signal comes.
head -c 40000 long.trace >&8
head -c 60000 long.trace >&9
$log -p 0 --device pipe -f - >full 2>err &
reader=$!
wait_until grep -q '^State:.S' /proc/$reader/status
kill $reader
wait $reader
is "$? $(grep -c 'standard output: .*not all events were saved' err)" "1 1" "standard output is full: a signal ends it, and it fails"
reader=''
exec 8>&- 9>&-

# Input that never ends: a signal is heard nevertheless, and what was written is synced
for to in "--to unix:$work/sock11" "-f $work/endless.trace --zstd=19 --sync interval=100ms -s 1G -l 4G"; do
	peer recv "$work/sock11" endless
	# It has something, which poll(2) sees.
	exec 9<>pipe
	echo >&9
	SHIM_ENDLESS=s.trace SHIM_SYNCED=$PWD/synced LD_PRELOAD=$PWD/shim.so \
		$log -p 0 --device pipe $to 2>err &
	reader=$!
	case $to in
	*sync*)
		# A file that ends is synced, too: this one is not full for an hour.
		grep -q 'built without libzstd' err || TRIES=600 wait_until grep -qs thread synced
		ok $? "what never drains is synced" ;;
	*)	wait_until test -s endless.1 ;;
	esac
	kill $reader
	TRIES=600 wait_until ended; ok $? "and ends at a signal: ${to%% *}"
	kill -9 $reader 2>/dev/null
	wait $reader; ok $? "with status 0"
	reader=''
	exec 9>&-
	end_peer
	rm -f sock11 endless*
done

# No receiver of datagrams, which poll(2) reports again and again
$log -p 0 --device pipe --to udp:127.0.0.1:9 2>err &
reader=$!
exec 9<>pipe
cat piece.aa >&9
wait_until grep -q '^State:.S' /proc/$reader/status
kill $reader
wait $reader; ok $? "nobody takes datagrams: a signal is heard"
reader=''
exec 9>&-

# A peer that goes, whose system still listens: it is not asked again at once
peer slow "$work/sock10" got10 go
touch go.stay
$log -p 0 --device pipe --to "unix:$at" 2>err &
reader=$!
exec 9<>pipe
cat piece.aa >&9
wait_until test -s got10.1
# It finds both at once: the end of its peer, and more to send
kill -STOP $reader
kill $peer
went() { [ "$(find "/proc/$peer/fd" -lname 'socket:*' | wc -l)" -lt 2 ]; }
wait_until went
cat piece.ab >&9
kill -CONT $reader
TRIES=300 wait_until grep -q 'sock10: Connection reset by peer; if the' err
ok $? "a peer that has gone is not asked again at once, though it listens"
rm go.stay
end_peer
exec 9>&-
kill $reader
wait $reader
reader=''

# Each peer that connects gets everything
$log --device s.trace --listen "unix:$work/sock4" &
reader=$!
wait_until test -S sock4
$info "unix:$work/sock4" >got1 &
one=$!
$info "unix:$work/sock4" >got2
wait $one
cmp -s got1 text && cmp -s got2 text
ok $? "--listen: two peers get all"
kill $reader
wait $reader; ok $? "--listen: SIGTERM ends it with status 0"
reader=''
[ ! -e sock4 ]; ok $? "--listen: its socket is removed"

# No descriptor is left for who comes: nobody spins, and once there is one he is served
SHIM_ACCEPT=1 LD_PRELOAD=$PWD/shim.so prlimit --nofile=4:64 \
	$log --device s.trace --listen "unix:$work/sock7" 2>err &
reader=$!
wait_until test -S sock7
$info "unix:$work/sock7" >got1 &
one=$!
rests $reader peers "--listen: without a descriptor it"
wait $one
cmp -s got1 text; ok $? "and serves who has waited"
kill $reader
wait $reader
reader=''
if command -v ss >/dev/null; then
	peer recv 127.0.0.1 none
	port=$at
	end_peer
	$log --device pipe --listen "tcp:127.0.0.1:$port" &
	reader=$!
	exec 9<>pipe
	wait_until sh -c "ss -tlnH 'sport = :$port' | grep -q ."
	$info "tcp:127.0.0.1:$port" >got1 &
	one=$!
	asked() { ss -tnoH state established "sport = :$port" | grep -q 'timer:(keepalive,[0-9.]*sec'; }
	wait_until asked; ok $? "--listen: a peer that is silent is asked whether it lives"
	exec 9>&-
	kill $reader $one
	wait $reader $one
	reader=''
fi

# mute_peer SOCKET: reads nothing, and goes when its standard input ends
mute_peer()
{
	exec python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
sys.stdin.read()' "$1"
}

# A peer that ends in the middle of what it is given is no error, nor is one that had nothing yet
{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 60000"; } | gen_stream >large.trace
peer recv 127.0.0.1 none
port=$at
end_peer
for where in unix "tcp:127.0.0.1:$port"; do
	[ $where != unix ] || where=unix:$work/sock14
	for how in "" --json; do
		"$tools/tracelogger" $how --device large.trace --listen $where 2>err &
		reader=$!
		python3 -c 'import socket, struct, sys, time
where = sys.argv[1].split(":")
unix = where[0] == "unix"
while True:
    s = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
    try:
        s.connect(where[1] if unix else (where[1], int(where[2])))
        break
    except OSError:
        time.sleep(0.1)
s.recv(100)
s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))' $where
		wait_until grep -q ended err
		is "$(wc -l <err) $(grep -c 'lost"*: *0\|0 lost' err) $(grep -v '"errors":0' err | grep -c error)" "1 1 0" \
			"--listen $how: a peer of ${where%%:*} that ends is no error"
		kill $reader
		wait $reader; ok $? "and the status is 0"
		reader=''
	done
done

# A peer that goes while there is nothing to send leaves no process
"$tools/tracelogger" --device pipe --listen "unix:$work/sock8" 2>err &
reader=$!
exec 9<>pipe
wait_until test -S sock8
for n in 1 2; do
	mute_peer sock8 <silent &
	exec 7>silent
	one=$!
	wait_until pgrep -P $reader >served
	ok $? "--listen: peer $n is served"
	exec 7>&-
	wait $one
	unserved() { ! pgrep -P $reader >served; }
	wait_until unserved; ok $? "--listen: a peer that goes before anything comes is noticed: $n"
done
is "$(grep -c 'ended: 0 events' err) $(grep -c 'error\|reset' err)" "2 0" "which is no error"
exec 9>&-
kill $reader
wait $reader
reader=''

# The last boot first, and then what comes, over the same link
{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 10"; } | gen_stream >last.trace
$log -p 0 --device pipe --last-boot=last.trace --listen "unix:$work/sock13" 2>err &
reader=$!
exec 9<>pipe
wait_until test -S sock13
: >got
$info -v "unix:$work/sock13" >got 2>err2 &
one=$!
printed() { [ "$(grep -c USER:100 got)" = "$1" ]; }
wait_until printed 10
cat s.trace >&9 &
writer=$!
TRIES=300 wait_until printed 3010; ok $? "--listen: --last-boot, and then what comes"
is "$(grep -c '^--- last-boot=' got)" 1 "--listen: of which the first says what it is"
exec 9>&-
kill $reader $writer 2>/dev/null
wait $reader $one
reader=''

# A second signal ends what a peer was given at the first; time stands still, and ends nothing
truncate -s 1000 clock
SHIM_CLOCK=$PWD/clock LD_PRELOAD=$PWD/shim.so $log --device long.trace --listen "unix:$work/sock12" 2>err &
reader=$!
wait_until test -S sock12
mute_peer sock12 <silent &
exec 7>silent
one=$!
full() { served=$(pgrep -P $reader) && grep -q '^State:.S' "/proc/$served/status"; }
wait_until full
kill $reader
# It sleeps again when it has told the other one.
wait_until heard_by $reader
wait_until heard_by "$served"
truncate -s 1002 clock
gone() { ! kill $reader 2>/dev/null; }
TRIES=300 wait_until gone; ok $? "--listen: a second signal ends the farewell to its peers"
kill -0 "$served" 2>/dev/null; is $? 1 "--listen: and no process is left"
kill -9 "$served" 2>/dev/null
wait $reader; ok $? "--listen: with status 0"
reader=''
exec 7>&-
wait $one

# Two signals at once go to each peer
$tools/tracelogger --json --device pipe --listen "unix:$work/sock6" 2>err &
reader=$!
exec 9<>pipe
cat piece.aa >&9
wait_until test -S sock6
rm -f got
$info "unix:$work/sock6" >got &
peer=$!
wait_until grep -qs USER:100 got
kill -STOP $reader
kill -HUP $reader
kill -USR1 $reader
kill -CONT $reader
wait_until grep -q '"why":"asked"' err; ok $? "--listen: of two signals that come together none is lost"
exec 9>&-
kill $reader
wait $reader
reader=''
wait $peer
peer=''

# A file that is no socket is somebody's; the socket of one that was killed is not
echo precious >file
ln -s file name
for at in file name; do
	$log --device s.trace --listen "unix:$work/$at" 2>err
	is "$? $(cat file) $(grep -c 'in use' err)" "1 precious 1" "--listen: unix:$at is not taken"
done
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock5")'
$log --device s.trace --listen "unix:$work/sock5" &
reader=$!
wait_until sh -c "$info unix:$work/sock5 >got1 2>/dev/null"
cmp -s got1 text; ok $? "--listen: the socket of one that was killed is"
kill $reader
wait $reader
reader=''

done_testing
