#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_spool.sh - tracelogger --spool: files for the time in which a peer is away
#
# Whatever the peer does, and whatever becomes of a file of the spool: the device is read
# meanwhile, and what has come in the end is what was written. link_peer.py is the peer.
# shellcheck disable=SC2028 # escapes of gen_stream
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3
info() { "$tools/traceinfo" --no-default-fmt "$@"; }
. "$here/peer.sh"

# figures FILE: events, missing frames and damaged places
figures()
{
	info -J --statistics "$1" 2>/dev/null | tail -n 1 |
		sed 's/.*"events":\([0-9]*\).*"missing":\([0-9]*\),"damages":\([0-9]*\).*/\1 \2 \3/'
}

# stamps_of FILE...: the times of their events
stamps_of()
{
	for f; do info -J "$f" | sed -n 's/.*"kind":"event".*"ts":\([0-9]*\).*/\1/p'; done
}

spooled() { [ "$(cat spool/spool.trace* 2>/dev/null | wc -c)" -gt "$1" ]; }
emptied() { [ -z "$(ls spool)" ]; }
closed() { [ "$(grep -c closed said)" -ge "$1" ]; }

# free_port: sets at to one where nobody listens
free_port()
{
	peer recv 127.0.0.1 none
	end_peer
}

# at_port COMMAND ADDRESS...: the peer is there, at the port of before
at_port()
{
	PORT=$at
	export PORT
	peer "$@"
	unset PORT
}

come() { at_port recv 127.0.0.1 "$1"; }	# OUT

# begin OPTION...: sets reader, which reads what comes at 9, for $to or the port of before
begin()
{
	"$tools/tracelogger" -p 0 --device pipe --to "${to:-tcp:127.0.0.1:$at}" --spool spool "$@" 2>err &
	reader=$!
	exec 9>pipe
}

# spool_all PIECE...: what the device has goes to the spool; sets all, their bytes
spool_all()
{
	all=0
	for piece; do
		cat "$piece" >&9
		all=$((all + $(wc -c <"$piece")))
		wait_until spooled $((all - 200))
	done
}

finish()	# its status
{
	exec 9>&-
	wait $reader
	status=$?
	reader=''
	return $status
}

{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 1500"; } | gen_stream >s.trace
split -n 12 s.trace piece.
mkfifo pipe
mkdir spool
cc=${CC:-gcc}
$cc -shared -fPIC -O1 -I"$here/../../include/uapi" -o shim.so "$here/tracelogger_shim.c" || exit 1

# A peer, or a name server, that does not answer: connect(2) does not return for a while
free_port
touch deaf
SHIM_DEAF=deaf LD_PRELOAD=$PWD/shim.so
export SHIM_DEAF LD_PRELOAD
begin -t 1s
unset SHIM_DEAF LD_PRELOAD
late='' size=0
for piece in piece.*; do
	cat "$piece" >&9
	size=$((size + $(wc -c <"$piece")))
	wait_until spooled $((size - 200)) || late="$late $piece"
done
is "$late" "" "nobody answers: the device is read meanwhile"
is "$(grep -c 'the peer does not answer yet; events are written to spool' err)" 1 "which it says"
come deaf.out
rm deaf
wait_until emptied; ok $? "then somebody does, and gets what was kept"
finish; ok $? "and it ends as the input does"
wait_until closed 1
end_peer
is "$(figures deaf.out.1)" "1500 0 0" "all of it"

# Files that cannot be opened, or are none: the others are sent; these are named, and stay. A FIFO
# is where the place is kept, too: nobody waits for its other end.
for kind in "ln -s ../second" mkfifo; do
all=0
begin -s 64K
for piece in 1 2 3 4 5 6; do
	cat s.trace >&9
	all=$((all + $(wc -c <s.trace)))
	wait_until spooled $((all - 200))
done
finish
[ "$(find spool -type f | wc -l)" -ge 5 ]; ok $? "files are left of a run before"
begin -s 64K
mv spool/spool.trace.000002 second
$kind spool/spool.trace.000002
[ "$kind" != mkfifo ] || mkfifo spool/.spool.trace.sent
come some.out
left() { [ "$(ls spool)" = spool.trace.000002 ]; }
wait_until left; ok $? "a file that cannot be opened holds up none, and stays: ${kind%% *}"
wait_until grep -q 'the spool spool was sent, but 1 files cannot be read' err; ok $? "it is not said that all is sent"
is "$(grep -c 'spool/spool.trace.000002: is not a regular file; the file is not sent and not removed' err) $(grep -c 'the whole spool spool was sent' err)" "1 0" "but which is not, and why"
finish
wait_until closed 1
end_peer
{ cat some.out.1; cat second; } >joined
is "$(figures some.out.1 | cut -d ' ' -f 3) $(($(info -J --statistics some.out.1 | grep -c '"kind":"event"') + $(info -J --statistics second | grep -c '"kind":"event"')))" "0 9000" "all others are sent"
rm spool/*
done
mkfifo spool/.spool.trace.lock
timeout -s KILL 600 "$tools/tracelogger" --once --device s.trace --to unix:"$work"/nobody --spool spool 2>err
is "$? $(grep -c 'the file of its lock is not a regular file' err)" "1 1" "nor does anybody wait for a lock that is a FIFO"
rm spool/.spool.trace.lock

# A peer that goes in the middle of a file, and then a kill: the next run goes on from there
{ echo "info 0"; echo "dict obj 5 5 0 42 a_name"; echo "clock 1000 1700000000000000000"; echo "bench 6000"; } | gen_stream >long.trace
split -n 6 long.trace long.
begin -s 64K
spool_all long.a*
finish
begin -s 64K
at_port takes 127.0.0.1 part.out 30000
wait "$peer"
peer=''
wait_until test -s spool/.spool.trace.sent; ok $? "the place is kept when a peer goes"
kill -9 $reader
wait $reader 2>/dev/null
exec 9>&-
begin -s 64K
come rest.out
wait_until emptied
finish; ok $? "the next run sends the rest"
wait_until closed 1
end_peer
[ ! -e spool/.spool.trace.sent ]; ok $? "and the place is forgotten"
stamps_of part.out rest.out.1 >stamps
is "$(sort stamps | uniq -d | wc -l) $(sort -n stamps | tail -n 1)" "0 $(stamps_of long.trace | tail -n 1)" "of which nothing comes twice"
is "$(info -J rest.out.1 | grep -m 1 '"kind":"event"' | grep -c '"time":"2023-') $(grep -c a_name rest.out.1)" "1 1" "the rest has the announcement, a date and names"
[ "$(wc -l <stamps)" -gt 5000 ]; ok $? "and only what the peer had not read is missing"

# A peer that reads slowly what is left of the spool, while events go on
# It is never given up: its link is a socket with a name.
port=$at to=unix:$work/sock
begin
spool_all long.a* long.a* long.a* long.a*
peer slow "$work/sock" slow.out go
wait_until test -s slow.out.1
late=''
for piece in long.ac long.ad; do
	cat "$piece" >&9
	all=$((all + $(wc -c <"$piece")))
	# The peer would take more than ten minutes for the rest.
	[ -n "$late" ] || TRIES=1000 wait_until spooled $((all - 200)) || late=$piece
done
is "$late" "" "a peer takes the last of it slowly: the device is read meanwhile"
touch go
wait_until emptied; ok $? "once it goes on it gets all of the spool"
finish; ok $? "and it ends as the input does"
wait_until closed 1
end_peer
cat long.a* long.a* long.a* long.a* long.ac long.ad >want.trace
stamps_of want.trace >want
stamps_of slow.out.1 | cmp -s - want; ok $? "all of it, in order and once"

# A peer that goes when all of the spool is sent, and not all of it has arrived
rm go
at=$port to=''
SHIM_SENT=$PWD/sent SHIM_ACKED=$PWD/acked LD_PRELOAD=$PWD/shim.so
export SHIM_SENT SHIM_ACKED LD_PRELOAD
begin
unset SHIM_SENT SHIM_ACKED LD_PRELOAD
head -c 20000 long.trace >&9
wait_until spooled 19000
at_port slow 127.0.0.1 unread.out go
wait_until emptied; ok $? "all of a short spool is on its way to a peer that reads slowly"
tail -c +20001 long.trace | head -c 2000 >&9
# As a process that ends: its system closes one socket after the other.
touch go.stay
kill "$peer"
away() { [ "$(grep -c 'events are written to spool' err)" = 2 ]; }
TRIES=600 wait_until away; ok $? "it goes then, and is not asked again at once, though it listens"
rm go.stay
end_peer
wait_until spooled 1000; ok $? "what it had not taken is kept"
come next.out
wait_until emptied
tail -c +22001 long.trace >&9
finish
wait_until closed 1
end_peer
stamps_of unread.out.1 next.out.1 >stamps
stamps_of long.trace >want
is "$(sort stamps | uniq -d | wc -l) $(tail -n 1 stamps)" "0 $(tail -n 1 want)" "the next one gets the rest, and nothing comes twice"
# Bytes acknowledged but not read, in all connections but the last, which is read to its end.
missing=-$(stamps_of unread.out.1 | wc -l) from=1
while read -r size acked; do
	tail -c +$from sent | head -c "$acked" >known
	missing=$((missing + $(stamps_of known | wc -l)))
	from=$((size + 1))
done <<-END
	$(sed '$d' acked)
END
is "$(($(wc -l <want) - $(wc -l <stamps)))" "$missing" "and no more is missing than its system acknowledged and it did not read"

# A peer that goes on taking, but less than comes: files, before the buffer overwrites anything
: >stored
SHIM_DEVICE=1 SHIM_STORED=$PWD/stored LD_PRELOAD=$PWD/shim.so
export SHIM_DEVICE SHIM_STORED LD_PRELOAD
at_port slow 127.0.0.1 less.out go
begin
unset SHIM_DEVICE SHIM_STORED LD_PRELOAD
{ cat long.trace; : >written; } >&9 &
writer=$!
wait_until test -s less.out.1
truncate -s 30000 stored
TRIES=1000 wait_until grep -q 'the peer is slower than events are emitted; events are written to spool' err
ok $? "a peer takes less than comes: events go to files"
# It would take minutes for the rest.
TRIES=200 wait_until test -e written; ok $? "and the device is read meanwhile"
[ "$(wc -c <less.out.1)" -lt 100000 ]; ok $? "which the peer did not do"
touch go
wait_until closed 1
end_peer
: >stored
come more.out
wait_until emptied; ok $? "when it has time it gets them"
finish; ok $? "and it ends as the input does"
wait $writer
wait_until closed 1
end_peer
stamps_of less.out.1 more.out.1 | sort -nu | cmp -s - want; ok $? "all of it"

# A burst fills more than half of the buffer: the peer is not too slow, and takes all of it
rm go
truncate -s 1000 clock
: >stored
SHIM_CLOCK=$PWD/clock SHIM_DEVICE=1 SHIM_STORED=$PWD/stored LD_PRELOAD=$PWD/shim.so
export SHIM_CLOCK SHIM_DEVICE SHIM_STORED LD_PRELOAD
come full.out
begin -p 60 -t 1h
unset SHIM_CLOCK SHIM_DEVICE SHIM_STORED LD_PRELOAD
cat s.trace >&9
# 31 bytes each, of 1 MiB; perhaps before it looks how many there are at first
more() { truncate -s +22000 stored; [ "$(cat full.out.* 2>/dev/null | wc -c)" -ge "$(wc -c <s.trace)" ]; }
wait_until more; ok $? "-p 60: what is saved together goes to the peer"
is "$(cat err)" "" "and the peer is not given up for that"
kill $reader
finish; ok $? "-p 60: a signal ends it"
wait_until closed 1
end_peer

# A spool that is full, beside a peer that takes nothing
to=unix:$work/sock3
SHIM_FULL=$PWD/no_room LD_PRELOAD=$PWD/shim.so
export SHIM_FULL LD_PRELOAD
begin
unset SHIM_FULL LD_PRELOAD
exec 8<>pipe
spool_all long.a* long.a*
peer mute "$work/sock3"
connected() { find "/proc/$reader/fd" -lname 'socket:*' | grep -q .; }
wait_until connected
touch no_room
cat long.aa >&9
wait_until grep -q 'spool.*: No space left' err; ok $? "the disk of a spool is full, and its peer takes nothing"
# This is not read then, and poll(2) says so.
cat long.ab >&9
kill $reader
ended() { ! kill -0 "$reader" 2>/dev/null; }
TRIES=600 wait_until ended; ok $? "a signal is heard then"
kill -9 $reader 2>/dev/null
finish
is $? 1 "and it says that not all is saved"
exec 8>&-
end_peer
to=''
free_port
rm -f no_room spool/spool.trace* spool/.spool.trace.sent

# Two peers, one after the other, in one run, share a file
begin -s 64K
spool_all long.a*
at_port takes 127.0.0.1 half.out 30000
wait "$peer"
peer=''
come other.out
wait_until emptied
finish; ok $? "a peer goes in the middle of a file, and another comes"
wait_until closed 1
end_peer
stamps_of half.out other.out.1 >stamps
is "$(sort stamps | uniq -d | wc -l) $(sort -n stamps | tail -n 1)" "0 $(tail -n 1 want)" "nothing comes twice"
is "$(info -J other.out.1 | grep -m 1 '"kind":"event"' | grep -c '"time":"2023-') $(grep -c a_name other.out.1)" "1 1" "the other one has the announcement, a date and names"
[ "$(wc -l <stamps)" -gt 5000 ]; ok $? "and only what the first had not read is missing"

# The last boot, while nobody is there, is a file that says what it is; so does what comes of it
free_port
{ echo "info 0"; echo "clock 1000 1700000000000000000"; echo "bench 10"; } | gen_stream >last.trace
begin --last-boot=last.trace
wait_until test -s spool/spool.trace
cat s.trace >&9
two() { [ -e spool/spool.trace.000002 ] && [ "$(wc -c <spool/spool.trace.000002)" -gt 40000 ]; }
wait_until two
notes() { for f; do info -v "$f" | grep -c '^--- last-boot='; done | paste -sd ' '; }
is "$(notes spool/spool.trace spool/spool.trace.000002)" "1 0" "--last-boot: a file of the spool says that it is that"
come boot.out
wait_until emptied
finish
wait_until closed 1
end_peer
is "$(notes boot.out.1) $(stamps_of boot.out.1 | wc -l)" "1 1510" "--last-boot: who gets it is told once"

# --once: what is in files is sent to a peer that is there, takes it and says so
once() { timeout 600 "$tools/tracelogger" --once --device s.trace --to "$1" --spool spool 2>err; }
says() { sed -n "s/.*: not everything was sent; \([0-9]*\) bytes remain in files in spool$/\1/p" err; }
free_port
once "tcp:127.0.0.1:$at"
is "$? $(says)" "1 $(wc -c <spool/spool.trace)" "--once, and nobody comes: it says how much stays where, and fails"
stamps_of spool/spool.trace >kept
stamps_of s.trace | cmp -s - kept; ok $? "--once: which is all"
come at_last.out
once "tcp:127.0.0.1:$at"
is "$? $(says)" "0 " "--once, and somebody is there: all is sent"
emptied; ok $? "--once: nothing stays"
wait_until closed 1
end_peer
stamps_of s.trace s.trace >want_twice
stamps_of at_last.out.1 | cmp -s - want_twice; ok $? "--once: of that run, and of the one before"
peer mute "$work/sock2"
mv s.trace short.trace
cat long.trace long.trace >s.trace
once "unix:$at"
is "$? $(says)" "1 $(cat spool/spool.trace* | wc -c)" "--once, and a peer that takes nothing: it says what stays, and fails"
end_peer
mv short.trace s.trace
rm spool/spool.trace*

done_testing
