#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracelogger.sh - tracelogger without a device: files, limits, disks that fail, signals
#
# A stream that was made up takes the place of the device. Whatever fails, all files
# joined have every event once. tracelogger_shim.c fails each write(2) in turn, and looks
# behind each whether the limit holds.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"

make_stream()	# EVENTS
{
	{
		echo "info 0"
		echo "clock 1000 1700000000000000000"
		echo "bench $1"
	} | gen_stream
}

total()	# WORD FILE
{
	"$tools/traceinfo" --no-default-fmt --json --statistics "$2" 2>/dev/null | tail -n 1 |
		sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

sizes() { find "$1" -type f -exec stat -c %s {} + | awk '{ n += $1 } END { print n + 0 }'; }

# refused OPTION...: status 2 and a message with these words behind --
refused()
{
	words=$1
	shift
	"$tools/tracelogger" "$@" >said 2>&1
	[ $? = 2 ] && grep -q -- "$words" said
	ok $? "refused: $*"
}

log="$tools/tracelogger"
make_stream 5000 >s.trace
make_stream 20000 >long.trace

refused "not a size" -f x -s 10X
refused "at least 64K" -f x -s 1K
refused "at least 64K" -f x -l 100K
refused "not a time" -f x --age 5y
refused "unknown %-sequence" -f x-%Q
refused "in the directory" -f "a-%Y/x"
refused "not a policy" --sync sometimes
refused "not a policy" --sync severity=4
refused "not NAME=VALUE" -A board
refused "tracelogger writes itself" -A file=3
refused "not permissions" -P 0888
refused "not a percentage" -p 101
refused "is unexpected" -f x y
refused "apply to files" -l 1M

# Save the present events in files
mkdir a
$log -q --once --device s.trace -f a/t.trace -s 64K -A board=7 -P 416
ok $? "--once ends with status 0"
is "$(cd a && echo *)" "t.trace t.trace.000002 t.trace.000003 t.trace.000004" "files are named by their numbers"
cat a/* >joined
is "$(total events joined)" 5000 "all events are there"
is "$(total missing joined) $(total damages joined)" "0 0" "joined, they have no gap"
is "$(stat -c %a a/t.trace)" 640 "permissions are as asked for"
is "$("$tools/traceinfo" -v a/t.trace.000003 | sed -n 's/^--- \(file=\|board=\)/\1/p' | xargs)" "file=3 board=7" "each has its number and the attributes"
is "$("$tools/traceinfo" -v a/t.trace.000003 | grep -c '^--- clock=\(exact to [0-9]* us\|not synchronized\)$')" 1 "and says how exact the clock is"
large=0
for f in a/*; do [ "$(stat -c %s "$f")" -le 65536 ] || large=1; done
ok $large "none is larger than 64K"
# A directory that does not let it make files: a disk may have room later, but this does not change
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 711 .
	mkdir closed
	cp "$tools/tracelogger" theirs
	timeout 60 setpriv --reuid 65534 --clear-groups ./theirs --device s.trace -f closed/t.trace 2>said
	is "$? $(grep -c 'closed.*Permission denied' said)" "1 1" "a directory without write permission ends it at once"
else
	skip "a directory without write permission" "not root, or no setpriv"
fi
# By the name that it has in QNX
mkdir q
ln -s "$tools/tracelogger" Trace
./Trace -q --once --device s.trace -l q/t.trace -s 64K && ./Trace -q --once --device s.trace -lq/u.trace --limit 128K
ok $? "Trace -l FILE saves in this file"
cat q/t.trace* >joined
is "$(total events joined)" 5000 "all events"
[ "$(cat q/u.trace* | wc -c)" -le 131072 ]; ok $? "and --limit is the limit"
# None of these is ours
touch a/t.tracer a/t.trace.1x a/xt.trace a/t.trace.
mkdir b
$log -q --once --device s.trace -f b/t-%Y%m%d.trace -M 4096
is "$(cd b && echo *)" "t-$(date +%Y%m%d).trace" "the date is in the name"
$log -q --once --device s.trace -f a/t.trace -l 128K
ok $? "a limit below what is there"
stay=0
for f in a/t.tracer a/t.trace.1x a/xt.trace a/t.trace.; do [ -e $f ] || stay=1; done
ok $stay "files of other names stay"
rm a/t.tracer a/t.trace.1x a/xt.trace a/t.trace.
[ "$(sizes a)" -le 131072 ]; ok $? "the oldest went"
$log --once --device s.trace 2>/dev/null >piped
is "$(total events piped)" 5000 "standard output"
$log --once --device s.trace 2>said | true
ok $? "nobody reads standard output"

# The limit holds behind every write
cc=${CC:-gcc}
if ! $cc -shared -fPIC -O1 -I"$here/../../include/uapi" -o shim.so "$here/tracelogger_shim.c" 2>/dev/null; then
	ok 1 "the shim does not compile"
fi
mkdir c
SHIM_DIR=c SHIM_LIMIT=262144 LD_PRELOAD=$PWD/shim.so $log -q --once --device long.trace -f c/t.trace -l 256K
ok $? "no write goes beyond the limit"
[ "$(sizes c)" -gt 180000 ]; ok $? "which is used"

# Each write fails in turn
writes() { rm -f w; SHIM_LOG=w LD_PRELOAD=$PWD/shim.so $log -q --once --device s.trace -f n/t.trace -s 64K; wc -l <w; }
mkdir n; nr=$(writes)
[ "$nr" -gt 6 ]; ok $? "there are $nr writes"
# A logger waits a second before it tries again: the runs wait together, each in its directory.
fails_at()	# WRITE SHORT ERRNO [OPTION]
{
	dir=fails/$1-$2
	mkdir -p "$dir"
	SHIM_NTH=$1 SHIM_COUNT=$((1 + ${2:-0})) SHIM_ERRNO=$3 SHIM_SHORT=$2 SHIM_DIR=$dir \
		SHIM_LIMIT=1000000 LD_PRELOAD=$PWD/shim.so \
		$log -q --device s.trace -f "$dir/t.trace" -s 64K -l 1M ${4:+"$4"} 2>/dev/null || echo "$1" >>early
	cat "$dir"/* >"$dir.joined"
	[ "$(total events "$dir.joined") $(total missing "$dir.joined")" = "5000 0" ] || echo "$1$2" >>lost
}
fails_at_each()	# WRITES ERRNO [OPTION]: the writes that lost something in lost, those that ended it in early
{
	rm -rf fails lost early
	for i in $(seq "$1"); do
		fails_at "$i" '' "$2" "${3-}" &
		fails_at "$i" 1 "$2" "${3-}" &
	done
	wait
	cat fails/*.joined >joined
	touch lost early
}
for kind in "28 ENOSPC" "5 EIO"; do
	fails_at_each "$nr" "${kind% *}"
	is "$(total events joined)" $((2 * nr * 5000)) "${kind#* } at each write: that many runs"
	is "$(xargs <lost)" "" "${kind#* } at each write: nothing is missing"
	is "$(xargs <early)" "" "${kind#* } at each write: it goes on"
done

# A file is taken away right before each write in turn, while the disk has room and while it has
# none: each event is in a file that is there, or in the copy of one.
away()	# HOW NTH ERRNO [DIRECTORY]: how many different events are in all files
{
	dir=${4:-d}
	rm -rf "$dir"; mkdir -p "$dir"
	SHIM_AWAY=$1 SHIM_AWAY_NTH=$2 SHIM_NTH=${3:+$2} SHIM_COUNT=1 SHIM_ERRNO=${3:-0} \
		LD_PRELOAD=$PWD/shim.so $log --json --device s.trace -f "$dir/t.trace" -s 64K 2>"$dir.said"
	find "$dir" -type p -delete
	cat "$dir"/* | "$tools/traceinfo" --no-default-fmt --json - 2>/dev/null |
		sed -n 's/^{"kind":"event","ts":\([0-9]*\),.*/\1/p' | sort -u | wc -l
}
for how in move fifo copy cut; do
	for errno in "" 28; do
		rm -rf each each.*
		for i in $(seq "$nr"); do
			{ echo "$i: $(away $how "$i" "$errno" "each/$i")" >"each.$i"; } &
		done
		wait
		is "$(cat each.* | grep -c .) $(grep -hv ': 5000$' each.* | xargs)" "$nr " "$how at each write${errno:+, which has no room}: each event is in a file"
	done
done
# The files of a spool are written in the same way.
for how in move copy; do
	rm -rf d; mkdir d
	SHIM_AWAY=$how SHIM_AWAY_NTH=2 SHIM_NTH=2 SHIM_COUNT=1 SHIM_ERRNO=28 LD_PRELOAD=$PWD/shim.so \
		$log -q --once --device s.trace --to unix:"$PWD"/nobody --spool d 2>said
	is "$(cat d/spool.trace* | "$tools/traceinfo" --no-default-fmt --json - 2>/dev/null |
		sed -n 's/^{"kind":"event","ts":\([0-9]*\),.*/\1/p' | sort -u | wc -l)" 5000 "$how in a spool"
done
# A file that is removed, with all that is in it, is told: by us, and by who reads the others.
[ "$(away remove 3)" -lt 5000 ]; ok $? "a file that is removed is not there"
grep -q 'tracelogger: d/t\.trace: a user removed this file while it was written; [0-9]* bytes are lost' d.said
ok $? "it is said"
gone=$(sed -n 's/.*"gone":\([0-9]*\).*/\1/p' d.said | tail -n 1)
[ "${gone:-0}" -gt 30000 ]; ok $? "and counted: $gone bytes"
rm -rf d; mkdir d
SHIM_AWAY=remove SHIM_AWAY_NTH=3 LD_PRELOAD=$PWD/shim.so \
	$log -o --device s.trace -f d/t.trace 2>said
grep -q 'ended: 5000 events.* [0-9]* bytes lost in files that a user removed' said
ok $? "and with --keep-open, too"

# A number that no file of ours can have does not make those that follow the oldest
for number in 18446744073709551615 18446744073709551614 9223372036854775808 -1; do
	rm -rf d; mkdir d
	$log -q --once --device s.trace -f d/t.trace -s 64K
	{ echo "note file $number"; echo "info 0"; } | gen_stream >d/t.trace.900000
	cat s.trace s.trace >twice
	$log -q --once --device twice -f d/t.trace -s 64K -l 512K
	$log -q --once --device twice -f d/t.trace -s 64K -l 512K
	for f in d/*; do
		"$tools/traceinfo" -v "$f" | sed -n 's/^--- file=//p'
	done | sort -n >numbers
	[ ! -e d/t.trace.900000 ] && [ "$(cat numbers)" = "$(seq "$(head -n 1 numbers)" 18)" ]
	ok $? "a file that says it is number $number is the oldest"
done

# Where others may write, a name of ours may be one of any file
rm -rf d; mkdir d; chmod 1777 d
echo precious >precious
ln precious d/.t.trace.lock
$log --once --device s.trace -f d/t.trace 2>said
is "$? $(grep -c 'the file of its lock has another name' said) $(cat precious)" "1 1 precious" "a hard link is not written"

# Where others may write, their files are not ours
if [ "$(id -u)" = 0 ]; then
	rm -rf d; mkdir d; chmod 1777 d
	cp s.trace d/t.trace.000001
	cp s.trace d/t.trace.000002
	chown 65534 d/t.trace.000001
	$log -q --once --device long.trace -f d/t.trace -s 64K -l 128K 2>said
	is "$([ -e d/t.trace.000001 ]; echo $?) $([ -e d/t.trace.000002 ]; echo $?)" "0 1" \
		"another user's file is neither removed nor counted"
	is "$(cat said)" "tracelogger: d/: other users may write there; 1 file with names of this logger belongs to them and will not be touched" \
		"which is said"
	chmod 755 d
	$log -q --once --device long.trace -f d/t.trace -s 64K -l 128K
	[ ! -e d/t.trace.000001 ]; ok $? "where others may not, it is ours"
	rm -rf d; mkdir d; chmod 1777 d
	touch d/.t.trace.lock
	chown 65534 d/.t.trace.lock
	$log --once --device s.trace -f d/t.trace 2>said
	is "$? $(grep -c 'the file of its lock belongs to another user' said)" "1 1" "nor is another user's lock"
else
	ok 0 "files of other users # SKIP not root"
fi

# The limit holds over restarts, whatever the name; and two loggers do not share one
refused "names that are too long" -f "x/$(printf '%%s%.0s' $(seq 13))"
long=$(printf 'n%.0s' $(seq 200))
for name in %s1.trace "%S%s%S" "$long"; do
	rm -rf r
	mkdir r
	for run in 1 2 3; do $log -q --once --device long.trace -f "r/$name" -l 128K || echo "run $run"; done
	[ "$(sizes r)" -le 131072 ]; ok $? "the limit holds over restarts: $(echo "$name" | cut -c 1-9)"
done
mkfifo pipe
mkdir lock
$log -q -p 0 --device pipe -f lock/t.trace &
reader=$!
exec 9>pipe
$log -q --once --device s.trace -f lock/t.trace 2>said
is "$? $(grep -c 'another tracelogger saves files of this name there' said)" "1 1" "a second logger of one name is refused"
$log -q --once --device s.trace -f lock/t%S.trace
ok $? "one of another name is not"
kill -9 $reader
wait $reader 2>/dev/null
reader=''
exec 9>&-
$log -q --once --device s.trace -f lock/t.trace
is "$? $(find lock -name '.*.lock')" "0 " "nor one that comes after a kill; and no lock is left"

# The disk is told to keep it, by a thread; errors of that are counted, and said once
mkdir synced
syncs()	# POLICY: of how many pieces, one after the other
{
	rm -f synced/*
	SHIM_SYNCED=synced/said LD_PRELOAD=$PWD/shim.so $log -q -p 0 --device pipe -f synced/t.trace --sync "$1" &
	reader=$!
	exec 9>pipe
	for n in 1 2 3 4 5; do
		head -c $((n * 4000)) s.trace | tail -c 4000 >&9
		wait_until sh -c "[ \$(cat synced/t.trace 2>/dev/null | wc -c) -gt $((n * 4000 - 200)) ]"
		[ "$1" = none ] || wait_until sh -c "[ \$(cat synced/said 2>/dev/null | wc -l) -ge $n ]"
	done
	exec 9>&-
	wait $reader
	reader=''
}
syncs none
[ ! -e synced/said ]; ok $? "--sync none: never"
syncs always
is "$(sort -u synced/said)" thread "--sync always: behind each write, by a thread"
SHIM_SYNC_ERRNO=5
export SHIM_SYNC_ERRNO
syncs always 2>said
unset SHIM_SYNC_ERRNO
is "$(grep -c 'Input/output error; written events may not be on the disk' said)" 1 "an error of it is said once"
mkdir failed
SHIM_SYNC_ERRNO=5 LD_PRELOAD=$PWD/shim.so $log --json --once --device s.trace -f failed/t.trace 2>said
is "$? $(grep -c 'Input/output error' said)" "1 1" "at the end, too: then the status is 1"
[ "$(sed -n 's/.*"errors":\([0-9]*\),.*/\1/p' said)" -ge 1 ]; ok $? "and counted"

# While the disk is busy with the first, two more are begun: the older of them is synced first
mkdir order
: >order/held
SHIM_ORDER=order/names SHIM_HELD=order/held LD_PRELOAD=$PWD/shim.so $log -q -p 0 --device pipe \
	-f order/t.trace --sync always &
reader=$!
exec 9>pipe
wait_until sh -c 'cat s.trace >&9; test -s order/names'
for n in 000002 000003; do
	kill -HUP $reader
	wait_until sh -c "cat s.trace >&9; test -s order/t.trace.$n"
done
rm order/held
exec 9>&-
wait $reader
reader=''
is "$(uniq order/names | xargs)" "t.trace t.trace.000002 t.trace.000003" "files are synced in their order"

# Signals
mkdir e
$log --json -p 0 --device pipe -f e/t.trace --sync always 2>said &
reader=$!
exec 9>pipe
cat s.trace >&9
wait_until test -s e/t.trace; ok $? "it saves what comes"
kill -HUP $reader
wait_until sh -c 'cat s.trace >&9; test -e e/t.trace.000002'; ok $? "SIGHUP begins another file"
mv e/t.trace.000002 e/moved
cat s.trace >&9
wait_until test -e e/t.trace.000003; ok $? "a file that was moved away is left alone"
kill -USR1 $reader
wait_until grep -q '"why":"asked"' said; ok $? "SIGUSR1 tells the counts"
kill $reader
wait $reader; ok $? "SIGTERM ends it with status 0"
reader=''
exec 9>&-
json_check <said >/dev/null 2>&1; ok $? "what it says is JSON"
cat e/t.trace e/moved e/t.trace.000003 >joined
is "$(total damages joined)" 0 "no frame was cut"

# --keep-open stays with a file that is moved away; --open-mode goes to open(2)
mkdir kept
$log -q -p 0 --device pipe -f kept/t.trace -o -M 4096 &
reader=$!
exec 9>pipe
head -c 20000 s.trace >&9
wait_until test -s kept/t.trace
flags=$(sed -n 's/^flags:\t*0*//p' "/proc/$reader/fdinfo/$(find "/proc/$reader/fd" -lname '*/kept/t.trace' | sed 's|.*/||')")
[ $((0$flags & 010000)) != 0 ]; ok $? "--open-mode 4096 is O_DSYNC"
mv kept/t.trace kept/moved
tail -c +20001 s.trace >&9
exec 9>&-
wait $reader
reader=''
is "$(ls kept) $(total events kept/moved)" "moved 5000" "--keep-open stays with a file that is moved away"

# On a terminal it shows the progress
if command -v script >/dev/null; then
	mkdir shown
	script -qefc "$log -p 0 --device pipe -f shown/t.trace" typescript >/dev/null 2>&1 </dev/null &
	reader=$!
	exec 9>pipe
	cat s.trace >&9
	wait_until sh -c 'head -c 200 s.trace >&9; tr "\r" "\n" <typescript | grep -q "events, 0 lost, .* kB: t.trace"'
	ok $? "on a terminal it shows the progress"
	exec 9>&-
	wait $reader
	reader=''
fi

# The service
if command -v systemd-analyze >/dev/null; then
	sed "s|^ExecStart=@sbindir@/tracelogger|ExecStart=$log|; /^Documentation=/d" \
		"$here/../../tools/tracelogger/tracelogger.service.in" >tracelogger.service
	systemd-analyze verify "$PWD/tracelogger.service" >said 2>&1
	is "$? $(grep -c tracelogger.service said)" "0 0" "systemd finds nothing wrong with the service"
fi

# Commands for events
{
	echo "info 0"
	echo "clock 1000000000 1700000000000000000"
	echo "proc 70 70 motord"
	printf '%s\n' 'event 1000003000 cpu=1 tid=70 ctx=user type=100 sev=hw2 obj=3 sig=4 u8:2 str:"$(touch evil) \x1b" f32:1.5 i32:-7 mem:7e00'
	for i in 1 2 3 4 5 6 7 8 9; do echo "event 100000400$i tid=70 code=0xA10:$i sev=sw1 u8:$i"; done
} | gen_stream >x.trace
mkdir x
refused "needs --match" --once --device x.trace -f x/t --exec true
refused "give a command" --once --device x.trace -f x/t --match severity=1
refused "once per peer" --device x.trace --listen tcp::7070 --exec true --match severity=1
refused "'colour' is an unknown term; write severity" --once --device x.trace -f x/t --exec true --match colour=red
refused "'severity' is not NAME=LIST" --once --device x.trace -f x/t --exec true --match severity
refused "'9' is not a severity" --once --device x.trace -f x/t --exec true --match "type=1 severity=9"
refused "is not a time" --once --device x.trace -f x/t --exec true --match severity=1 --interval soon
# The name is there when all is in it
cat >environment <<-'ENV'
	env | grep '^DEVTRACE_' | sort >said.new
	mv said.new said.env
	: $DEVTRACE_FIELD_1
ENV
DEVTRACE_FIELD_9=old $log -q --once --device x.trace -f x/t --exec "$(cat environment)" --match "severity=hw2 type=100,101"
wait_until test -e said.env; ok $? "a command is run for an event that matches"
cat >want <<-'ENV'
	DEVTRACE_CONTEXT=user
	DEVTRACE_CPU=1
	DEVTRACE_FIELDS=5
	DEVTRACE_FIELD_0=2
	DEVTRACE_FIELD_1=$(touch evil) \x1b
	DEVTRACE_FIELD_2=1.5
	DEVTRACE_FIELD_3=-7
	DEVTRACE_FIELD_4=7e00
	DEVTRACE_NAME=USER:100
	DEVTRACE_OBJECT=3
	DEVTRACE_PID=70
	DEVTRACE_PROCESS=motord
	DEVTRACE_SEVERITY=hw2
	DEVTRACE_SIGNAL=4
	DEVTRACE_SKIPPED=0
	DEVTRACE_TEXT=2 "$(touch evil) \x1b" 1.5 -7 [7e 00]
	DEVTRACE_TID=70
	DEVTRACE_TIME=2023-11-14T22:13:20.000003Z
	DEVTRACE_TS=1000003000
	DEVTRACE_TYPE=100
ENV
cmp -s said.env want; ok $? "with its fields in the environment"
cmp -s said.env want || diff want said.env | sed 's/^/# /'
[ ! -e evil ]; ok $? "which no shell reads"
counts() { sed -n 's/.*"matched":\([0-9]*\),"commands":\([0-9]*\),.*/\1 \2/p' said; }
$log --json --once --device x.trace -f x/t --exec ':' --match 'severity=1 code=0xA10' --interval 1h 2>said
is "$(counts)" "9 1" "at most one in an interval"
mkfifo gate
exec 8<>gate
timeout 600 "$log" --json --once --device x.trace -f x/t --exec 'read -r line <gate; echo "$line" >>through' \
	--match code=0xA10 --interval 0 2>said
is "$(counts)" "9 4" "no more than four run, and nobody waits for them"
[ ! -e through ]; ok $? "they run on when it has ended"
for i in 1 2 3 4; do echo $i >&8; done
wait_until sh -c '[ "$(cat through 2>/dev/null | wc -l)" = 4 ]'; ok $? "until they end themselves"
exec 8>&-
$log --json --once --device x.trace -f x/t --exec ':' --match 'severity=0 type=3' 2>said
is "$(counts)" "0 0" "none for events that do not match"

# The previous boot
mkdir y
$log -q --once --device s.trace --last-boot=x.trace -f y/t
is "$? $(cd y && echo *) $(total events y/t) $(total events y/t.000002)" "0 t t.000002 10 5000" "--last-boot: a file of its own, then the stream"
is "$("$tools/traceinfo" -v y/t | grep -c '^--- last-boot=')$("$tools/traceinfo" -v y/t.000002 | grep -c '^--- last-boot=')" 10 "which says so"
$log -q --once --device s.trace --last-boot=x.trace -f y/t
is "$? $(cd y && echo *)" "0 t t.000002 t.000003" "it is saved once"
$log -q --once --device s.trace --last-boot=nowhere -f y/t
is "$? $(cd y && echo *)" "0 t t.000002 t.000003 t.000004" "without a black box it goes on"

# zstd: each frame by itself, cut and damaged anywhere
refused "applies to files" --once --device s.trace --zstd
refused "not a level from 1 to 19" --once --device s.trace -f z/t --zstd=20
frames() { echo "$(($(total frames "$1") + $(total missing "$1")))"; }
if $log -q --once --device s.trace -f x/z --zstd 2>/dev/null; then
	mkdir z
	$log -q --once --device long.trace -f z/t -s 64K --zstd=5
	ok $? "--zstd"
	is "$(head -c 4 z/t.000003 | od -An -tx1 | xargs)" "28 b5 2f fd" "files are of zstd"
	cat z/* >joined
	all=$(total events long.trace)
	is "$(total events joined) $(total missing joined) $(total damages joined)" "$all 0 0" "all events are there, read from a pipe of them"
	[ "$(wc -c <joined)" -lt $(($(wc -c <long.trace) / 2)) ]; ok $? "in less than half of the bytes"
	sum=0
	for f in z/*; do sum=$((sum + $(total events "$f"))); done
	is "$sum" "$all" "each file prints by itself"
	is "$("$tools/traceinfo" -v z/t.000003 | sed -n 's/^--- file=//p')" 3 "it has its number"
	"$tools/traceinfo" --raw z/t >plain
	is "$(total events plain)" "$(total events z/t)" "traceinfo --raw gives the stream itself"
	next=z/t.00000$(($(find z -type f | wc -l) + 1))
	$log -q --once --device x.trace -f z/t -s 64K --zstd
	[ -e "$next" ]; ok $? "numbers go on"
	rm "$next"
	"$tools/traceinfo" --no-default-fmt -S -1ms z/t | tail -n 1 >tail1
	"$tools/traceinfo" --no-default-fmt z/t | tail -n 1 >tail2
	cmp -s tail1 tail2; ok $? "times are counted from its end"
	# Events received and missing are those sent
	want=$(frames joined)
	wrong='' size=$(wc -c <z/t)
	for at in 1 3 4 7 50 200 1000 4000 12345 25000 $((size - 9000)) $((size - 5)) $((size - 1)); do
		{ head -c "$at" z/t; cat z/t.0*; } >severed
		# Where no numbered frame is before the cut, nothing is known of those missing
		[ "$at" -lt 20000 ] || [ "$(frames severed)" = "$want" ] || wrong="$wrong $at"
		[ "$(total damages severed)" -ge 1 ] || wrong="$wrong $at:silent"
		head -c "$at" z/t >severed
		[ "$at" -lt 200 ] || [ "$(total damages severed)" = 1 ] || wrong="$wrong $at:end"
	done
	is "$wrong" "" "cut anywhere: what is missing is told"
	seed=${SEED:-$(date +%s)}
	echo "# SEED=$seed"
	# Behind the first frames that have numbers, and before the last. Not in what a file begins
	# with, the first 100 bytes: its notes have no numbers, so nobody knows that they are missing
	# shellcheck disable=SC2046 # numbers
	perl -e 'srand(shift); undef $/; my $b = <STDIN>; for my $i (1 .. 40) {
		my $c = $b; my $at = 15000 + int(rand(length($b) - 35000)); my $from = 0;
		for (@ARGV) { $at += 100 if $at >= $from && $at < $from + 100; $from += $_ }
		substr($c, $at, 1) = chr(ord(substr($c, $at, 1)) ^ 1 << int(rand(8)));
		open(my $f, ">", sprintf("flip.%d.%d", $i, $at)); print $f $c }' \
		"$seed" $(stat -c %s z/*) <joined
	wrong=''
	"$tools/traceinfo" --raw joined >plain
	for f in flip.*; do
		[ "$(frames "$f")" = "$want" ] || wrong="$wrong $f"
		# Some bits of a block mean nothing: then there is nothing to tell
		[ "$(total damages "$f")" -ge 1 ] || "$tools/traceinfo" --raw "$f" | cmp -s - plain ||
			wrong="$wrong $f:silent"
	done
	rm flip.*
	is "$wrong" "" "a bit flipped anywhere: what is missing is told"
	# Limits and full disks, as without it
	mkdir l
	SHIM_DIR=l SHIM_LIMIT=131072 LD_PRELOAD=$PWD/shim.so $log -q --once --device long.trace -f l/t -s 64K -l 128K --zstd
	ok $? "--zstd: no write goes beyond the limit"
	for kind in "28 ENOSPC" "5 EIO"; do
		fails_at_each 6 "${kind% *}" --zstd
		is "$(xargs <lost) $(xargs <early)" " " "--zstd: ${kind#* } at each write: nothing is missing"
	done
fi

# Compact frames: the same in fewer bytes; files that are cut need not stand by themselves
text() { "$tools/traceinfo" --no-default-fmt "$1" 2>/dev/null; }
refused "journal and syslog get records" --to syslog:localhost:1 --compact
mkdir thin
$log -q --once --device s.trace --compact >thin/compact
is "$? $(total events thin/compact) $(total missing thin/compact)" "0 5000 0" "--compact"
text s.trace >thin/text
text thin/compact | cmp -s - thin/text; ok $? "says the same"
[ "$(stat -c %s thin/compact)" -lt $(($(stat -c %s s.trace) * 2 / 3)) ]; ok $? "in fewer bytes"
$log -q --once --device s.trace --compact -f thin/t.trace -s 64K
cat thin/t.trace* >joined
is "$(total events joined) $(total missing joined) $(total damages joined)" "5000 0 0" "in files"
"$tools/traceinfo" --raw --type BENCH thin/compact >thin/full 2>/dev/null ||
	"$tools/traceinfo" --raw --type 100-255 thin/compact >thin/full
is "$(total events thin/full) $(total missing thin/full)" "5000 0" "traceinfo --raw with a filter makes them full again"

# Triggers need a kernel; not what is wrong with the command line
refused "give --file" --on-trigger fault
refused "omit --exec" --on-trigger fault -f x/t --exec true --match severity=1
refused "omit --device" --on-trigger fault -f x/t --device x.trace
refused "omit --age" --on-trigger fault -f x/t --age 1h
refused "omit --last-boot" --on-trigger fault -f x/t --last-boot

# Time and room
mkdir f g
$log -q -p 0 --device pipe -f f/t.trace --age 200ms &
reader=$!
exec 9>pipe
cat s.trace >&9
wait_until test -s f/t.trace
wait_until sh -c 'head -c 2000 s.trace >&9; test -e f/t.trace.000003'; ok $? "--age ends files"
kill $reader
wait $reader
reader=''
exec 9>&-
$log -q --once --device s.trace -f g/t.trace -k 100% 2>said
is "$? $(sizes g)" "1 0" "--keep-free of all: not a byte is written"
is "$(grep -c 'No space left on device; if the buffer overwrites events' said)" 1 "-q: which it says"
$log -q --once --device s.trace -f g/t.trace -k 4K
is "$? $(cat g/* >joined; total events joined)" "0 5000" "--keep-free of little: all is"

# systemd
if command -v python3 >/dev/null; then
	# SOCKET PINGS COMMAND...: end it after so many of the watchdog
	cat >notified.py <<-'PY'
		import os, socket, subprocess, sys
		name, pings = sys.argv[1], int(sys.argv[2])
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(name.replace('@', '\0'))
		s.settimeout(600)
		env = dict(os.environ, NOTIFY_SOCKET=name, WATCHDOG_USEC='40000')
		p = subprocess.Popen(sys.argv[3:], env=env)
		words, ended = [], False
		while words[-1:] != ['STOPPING=1']:
		    words.append(s.recv(256).decode())
		    if words.count('WATCHDOG=1') >= pings and not ended:
		        p.terminate()
		        ended = True
		p.wait()
		print(words[0], words.count('WATCHDOG=1') >= pings, words[-1], p.returncode, words.count('WATCHDOG=1'))
	PY
	notified()	# SOCKET PINGS COMMAND...
	{
		timeout 600 python3 notified.py "$@" >told
		sed 's/ [0-9]*$//' told
	}
	exec 9<>pipe
	is "$(notified "$PWD/notify" 3 "$log" -q --device pipe -f g/n.trace)" "READY=1 True STOPPING=1 0" "systemd is told"
	is "$(notified "@devtrace-$$" 3 "$log" -q --device pipe -f g/n.trace)" "READY=1 True STOPPING=1 0" "by a socket without a file, too"
	WATCHDOG_PID=1 notified "$PWD/notify2" 0 "$log" -q --device pipe -f g/n.trace >/dev/null
	is "$(cat told)" "READY=1 True STOPPING=1 0 0" "the watchdog of another process is not"
	head -c 20000 s.trace >&9
	is "$(notified "$PWD/notify3" 20 env SHIM_DEVICE=1 LD_PRELOAD="$PWD/shim.so" "$log" -q -t 1h --device pipe -f g/n.trace)" \
		"READY=1 True STOPPING=1 0" "that it lives, while it waits for more to save"
	exec 9>&-
	python3 "$here/link_peer.py" mute "$PWD/mute" >mute.said &
	reader=$!
	wait_until test -s mute.said
	is "$(notified "$PWD/notify4" 20 "$log" -q --device long.trace --to "unix:$PWD/mute" 2>/dev/null)" \
		"READY=1 True STOPPING=1 1" "and while a peer takes nothing"
	kill $reader
	wait $reader 2>/dev/null
	reader=''
fi

done_testing
