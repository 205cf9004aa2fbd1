#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_qsgate.sh - qsgate between a program and the hosts of QS and RKH
#
# The hosts are qsgate_peer.py; with QUTEST= (a qutest.py), QVIEW= (a qview.py) and QSPY= (a qspy)
# the real ones are asked, too, and QSPY of recordings of real targets, QSPY_FILES=. SEED is what a flood printed. All is ended by timeout after what only a hang takes.
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
tools="$out/san/tools"
work=$(mktemp -d) || exit 1
program='' gate=''
trap '[ -z "$program" ] || kill $program 2>/dev/null; [ -z "$gate" ] || kill $gate 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
. "$here/../tap.sh"
. "$here/peer.sh"
seed=${SEED:-$(date +%s)}
hang=300

refused()	# WORDS OPTION...
{
	words=$1
	shift
	timeout $hang "$tools/qsgate" "$@" >said 2>&1 </dev/null
	[ $? = 2 ] && grep -q -- "$words" said
	ok $? "refused: $*"
}

# until_there FILE: what is to be in it is there; a hang ends it
until_there()
{
	tries=$((hang * 20))
	until [ -s "$1" ] || [ $tries = 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
	done
	[ -s "$1" ]
}

port() { sed -n 's/.*UDP port //p' err; }

# peer WORD...: its lines are counted with those of this script
peer()
{
	timeout $hang python3 "$here/qsgate_peer.py" "$@" >peer.out 2>peer.err
	status=$?
	while read -r line; do
		case $line in
		"ok "* | "not ok "*)
			rest=${line#*ok }
			case $line in ok*) ok 0 "${rest#* }" ;; *) ok 1 "${rest#* }" ;; esac ;;
		*)
			echo "$line" ;;
		esac
	done <peer.out
	sed 's/^/# /' peer.err
	[ $status -lt 2 ] && grep -q '^ok' peer.out && ! grep -q Traceback peer.err
	whole=$?
	ok $whole "$1 came to its end"
	# A host that broke off has not told the program to end.
	[ $whole = 0 ] || kill $gate $program 2>/dev/null
}

# end WORDS: gate and program end, without a fault of memory
end()
{
	wait $gate
	is $? 0 "the gate ends with the program"
	gate=''
	wait $program
	is $? 0 "and so does the program"
	program=''
	! grep -E 'Sanitizer|runtime error' err pid
	ok $? "without a fault"
	grep -q "$1" err
	ok $? "counts: $1"
	! grep -q . lines || tail -n 1 lines >last
}

if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

# As QSPY, for qutest.py. The tests may run as root.
allow=--allow-requests
begin_front()
{
	rm -f pipe pid err
	mkfifo pipe
	timeout $hang "$out/${of:-qsgate_program}" >pipe 2>pid & program=$!
	# The pipe waits for the gate; the program tells its number once both are there. It is
	# held for reading, or a program that writes before the gate has opened it would end.
	# shellcheck disable=SC2094 # it is a FIFO
	(exec 3<>pipe 5<pipe; until_there pid; exec timeout $hang "$tools/qsgate" --udp 0 $allow "$@" \
		--program "$(cat pid)" pipe >lines 2>err 3>&-) & gate=$!
	until_there err
}
begin_front
peer qutest "$(port)"
end "requests, .* refused"
grep -q 'TstPause' lines
ok $? "lines are printed, too"
[ "$(grep -c 'a note' lines)" = 1 ]
is $? 0 "what a front end notes, too"
grep -q 'a note with \\x1b\[1m$' lines && ! grep -q 'a note$' lines
ok $? "but not while a front end turned that off"

# As a target, for QSPY
begin_target()
{
	rm -f pipe pid err where
	mkfifo pipe
	timeout $hang "$out/qsgate_program" >pipe 2>pid & program=$!
	# shellcheck disable=SC2094 # it is a FIFO
	(exec 3<>pipe 5<pipe; until_there pid; until_there where; exec timeout $hang "$tools/qsgate" \
		--to "tcp:127.0.0.1:$(cat where)" --program "$(cat pid)" pipe >lines 2>err 3>&-) & gate=$!
}
begin_target
peer qspy where
end "records"

# A program that does not answer
begin_front -q
# Or the gate ends with the program's stream before it looks at its channel.
exec 4<>pipe
peer stuck "$(port)" "$(cat pid)"
exec 4>&-
wait $gate
is $? 0 "the gate ends with it"
wait $program 2>/dev/null
gate='' program=''

# As root it is asked by anybody. Root's own programs are no other than those of others.
if [ "$(id -u)" = 0 ]; then
	allow=
	begin_front
	allow=--allow-requests
	peer anybody "$(port)"
	kill "$(cat pid)"
	wait $gate $program 2>/dev/null
	gate='' program=''
	is "$(grep -c 'runs as root and refuses a request that any user may have sent' err)" 1 \
		"as root, no datagram reaches the program"
	grep -q '11 requests, 9 refused' err
	ok $? "and that is counted"
	export ANYBODY=1
	allow=
	begin_front
	unset ANYBODY
	allow=--allow-requests
	peer end "$(port)"
	end "1 requests"
	! grep -q 'refuses a request' err
	ok $? "unless the program lets anybody in"
else
	skip "as root, no datagram reaches the program" "not root"
fi

# As QUTest's targets count
begin_front --test
peer counts "$(port)"
end "requests"

# A machine of 32 bits
export NARROW=1
of=qsgate_program_low
begin_front
peer narrow "$(port)"
end "requests"
unset NARROW of

# A RESET may execute the program anew, as a fixture of QUTest does.
begin_front
peer restart "$(port)"
end "requests"

# A program that is named, and is started anew. It has a name that no other test's has.
as=
named=qg$$
ln -s "$out/qsgate_program" $named
anew()	# COMMAND...
{
	rm -f pid
	: >device
	chmod 666 device
	# shellcheck disable=SC2086 # words
	DEVTRACE_DEVICE=device $as timeout $hang ./$named "$@" >pipe 2>pid & program=$!
	until_there pid
}
until_said()	# WORDS FILE
{
	tries=$((hang * 20))
	until grep -q "$1" "$2" || [ $tries = 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
	done
	grep -q "$1" "$2"
}
rm -f pipe err lines
mkfifo pipe
exec 4<>pipe
anew 1
first=$(cat pid)
timeout $hang "$tools/qsgate" --udp 0 $allow --program $named pipe >lines 2>err 4>&- & gate=$!
until_said PHILO_STAT lines
ok $? "what a program of this name emits"
kill "$first"
wait $program 2>/dev/null
: >lines
anew 1
until_said 'PHILO_STAT   7 eating Philo_eating philo' lines
ok $? "and what it emits when it was started anew, unasked"
grep -q "$named was restarted, as process $(cat pid)\$" err
ok $? "which is told"
# Others may give a process this name. Where they can run it at all.
as="setpriv --reuid 12345 --regid 12345 --clear-groups"
chmod 711 "$work"
if [ "$(id -u)" = 0 ] && $as test -x "./$named" 2>/dev/null; then
	first=$(cat pid)
	kill "$first"
	wait $program 2>/dev/null
	anew 1
	other=$(cat pid)
	as=
	: >lines
	# It lives on: the gate may ask what its name is.
	anew 1
	grep -q '12345' "/proc/$other/status" &&
		until_said 'PHILO_STAT   7 eating Philo_eating philo' lines &&
		! grep -q "process $other\$" err &&
		[ "$(grep -c 'PHILO_STAT   7 eating Philo_eating philo' lines)" = 1 ]
	ok $? "but no program of another user"
	kill "$other"
fi
as=
exec 4>&-
peer end "$(port)"
end "1 requests"

# Invalid requests
echo "# seed $seed"
begin_front -q
peer flood "$(sed -n 's/.*UDP port //p' err)" "$seed"
end "port"
begin_target
peer flood-qspy where "$seed"
end "refused"

# A saved stream: both ways, without a program
"$out/qp_records" | "$out/gen_stream" >qp.trace
timeout $hang "$tools/qsgate" --to qp.qs qp.trace 2>said
is $? 0 "a saved stream becomes frames"
timeout $hang "$tools/devtrace-convert" --from qs -q qp.qs >back.trace
is $? 0 "which come back"
# The text behind the thread, without the event's object and signal, which no frame has.
words()	# FMT STREAM
{
	"$tools/traceinfo" --no-default-fmt -e "$here/../../tools/fmt/$1" --time none "$2" |
		sed 's/^ *[0-9]* user [-a-z0-9]* *[^[]*\[[0-9]*\] *//
		     s/^\([A-Z_0-9]*\)@[0-9][^: ]*/\1/' | grep -v '^---\|TARGET_INFO\|TCFG'
}
words qp.fmt qp.trace >before
words qp.fmt back.trace >after
[ "$(wc -l <before)" -gt 60 ] && diff before after >differs
ok $? "each record comes back as it was"
sed "s/^/# /" differs
timeout $hang "$tools/qsgate" --udp 0 qp.trace >lines 2>said
is $? 0 "and is printed"
diff "$here/qsgate.expected" lines >differs
ok $? "to the character as QSPY does"
sed 's/^/# /' differs
qspy_format()	# FILE...: what traceinfo prints as QSPY, without its own reports
{
	"$tools/traceinfo" --format=qspy "$@" 2>said | grep -v '^---'
}
qspy_format qp.trace | diff "$here/qsgate.expected" - >differs
ok $? "so does traceinfo --format=qspy"
sed 's/^/# /' differs
# Two programs that were linked alike, and one that gave no names: those of all hold for it.
for who in 1 2 3; do
	[ $who = 3 ] || for what in "obj $who 0 0 16 obj$who" "sig $who 4 0 0 SIG$who" \
			"fun $who 0 0 32 fun$who" "usr $who 100 0 0 USR$who" "enum $who 1 2 0 ENUM$who"; do
		echo "dict $what"
	done
	echo "proc $who $who one"
done >two.gen
{
	echo info
	echo 'dict obj 0 0 0 16 all'
	cat two.gen
	for who in 1 2 3; do
		echo "event 5000 tid=$who type=2 obj:16 fun:32"
		echo "event 5000 tid=$who type=100 sig:4@0 enum:2/1"
	done
} | "$out/gen_stream" >two.trace
timeout $hang "$tools/qsgate" --udp 0 two.trace >lines 2>said
cat >want <<'WANT'
===RTC===> St-Exit  Obj=obj1,State=fun1
0000000005 USR1 SIG1 ENUM1
===RTC===> St-Exit  Obj=obj2,State=fun2
0000000005 USR2 SIG2 ENUM2
===RTC===> St-Exit  Obj=all,State=0x0000000000000020
0000000005 USER+000 00000004,Obj=0x0000000000000000 001
WANT
diff want lines >differs
ok $? "each program has names of its own"
sed 's/^/# /' differs
grep -q 'processes 1 and 2 both emit records' said
ok $? "and that there are several is told"
{ echo info; echo 'event 5000 tid=1 type=2 obj:16 fun:32'; } | "$out/gen_stream" >bare.trace
is "$(qspy_format two.trace bare.trace | tail -n 1)" \
	"===RTC===> St-Exit  Obj=0x0000000000000010,State=0x0000000000000020" "names of one file are not those of the next"
qspy_format two.trace | diff want - >differs
ok $? "traceinfo has names for each, too"
# One of them by its name, which the stream says: no program of it need live. Names before it, too.
{
	echo info
	sed '/^proc 1/!d; s/one$/uno/' two.gen
	sed '/^proc 2/!d; s/one$/dos/' two.gen
	grep -v '^proc 1\|^proc 2' two.gen
	echo "proc 2 2 dos"
	for who in 1 2 3 2; do
		echo "event 5000 tid=$who type=2 obj:16 fun:32"
		echo 'event 5000 tid='$who' type=100 str:"" sig:4@16'
	done
} | "$out/gen_stream" >three.trace
timeout $hang "$tools/qsgate" --udp 0 --program dos three.trace >lines 2>said
cat >want <<'WANT'
===RTC===> St-Exit  Obj=obj2,State=fun2
0000000005 USR2 '' SIG2,Obj=obj2
===RTC===> St-Exit  Obj=obj2,State=fun2
0000000005 USR2 '' SIG2,Obj=obj2
WANT
diff want lines >differs
ok $? "a program of a saved stream is found by its name"
sed 's/^/# /' differs
! grep -q 'both emit' said
ok $? "and is one alone"
timeout $hang "$tools/qsgate" --udp 0 --program 2 three.trace >lines 2>said
diff want lines >differs
ok $? "or by its number"
timeout $hang "$tools/qsgate" --udp 0 --program cuatro three.trace >lines 2>said
is "$? $(wc -l <lines)" "0 0" "another name is nobody's"
# A machine of 32 bits, and then one of 64. A pointer that the first cannot have is no record of it.
{
	printf '%s\n' 'machine 32' info 'dict obj 1 0 0 16 four' 'dict obj 1 0 0 0x100000010 wide' \
		'event 5000 tid=1 type=2 obj:16 fun:32' 'event 5000 tid=1 type=100 sig:4@18 fun:32 obj:16' \
		'event 5000 tid=1 type=2 obj:0x100000010 fun:32' 'event 5000 tid=1 type=100 sig:4@0x100000010' \
		'event 5000 tid=1 type=100 obj:0x100000010' 'event 5000 tid=1 type=12 sig:4@0x100000010 obj:16'
} >narrow.gen
{
	cat narrow.gen
	printf '%s\n' 'machine 64' info 'event 6000 tid=1 type=2 obj:16 fun:32' \
		'event 6000 tid=1 type=2 obj:0x100000010 fun:32'
} | "$out/gen_stream" >both.trace
"$out/gen_stream" <narrow.gen >narrow.trace
timeout $hang "$tools/qsgate" --udp 0 both.trace >lines 2>said
cat >want <<'WANT'
===RTC===> St-Exit  Obj=four,State=0x00000020
0000000005 USER+000 00000004,Obj=0x00000012,Obj=0x00000012 0x00000020 four
===RTC===> St-Exit  Obj=four,State=0x0000000000000020
===RTC===> St-Exit  Obj=wide,State=0x0000000000000020
WANT
diff want lines >differs
ok $? "pointers are as wide as those of the machine"
sed 's/^/# /' differs
grep -q '^qsgate: 4 records, 4 events that are not records' said
ok $? "and those that are wider are counted"
qspy_format both.trace >lines
diff want lines >differs
ok $? "traceinfo prints pointers alike"
timeout $hang "$tools/qsgate" -q --to narrow.qs narrow.trace
xxd -p narrow.qs | tr -d '\n' | sed 's/7e/7e\n/g' >frames
{
	sed -n '1s/^\(......\).*4444\(44\)\(..\)04.*/\1 \2 \3/p' frames
	sed -n '2,$p' frames | cut -c 3- | sed 's/..7e$//'
} >got
printf '%s\n' '014046 44 44' 3d10000000666f757200 021000000020000000 \
	64050000000a04000000120000000c200000000b10000000 >want
diff want got >differs
ok $? "frames, too, whose description is the first one"
sed 's/^/# /' differs
{
	cat narrow.gen
	printf '%s\n' 'machine 64' info 'event 6000 tid=1 type=2 obj:16 fun:32'
} | "$out/gen_stream" >both.trace
timeout $hang "$tools/qsgate" -q --to both.qs both.trace
is "$(xxd -p both.qs | tr -d '\n' | sed 's/7e/7e\n/g' | grep -c '^..4046')" 2 "another machine is described anew"
# Between two machines, a microcontroller is announced anew as soon as it tells its size.
{
	cat narrow.qs
	printf '%s\n' info 'event 6000 tid=1 type=2 obj:16 fun:32' | "$out/gen_stream" >wide.trace
	timeout $hang "$tools/qsgate" -q --to wide.qs wide.trace
	cat wide.qs
} >both.qs
timeout $hang "$tools/devtrace-convert" --from qs -q both.qs | timeout $hang "$tools/qsgate" --udp 0 - 2>said |
	grep -o 'Obj=.*,State=.*' >lines
is "$(tail -n 2 lines | tr '\n' ' ')" "Obj=four,State=0x00000020 Obj=four,State=0x0000000000000020 " \
	"a target tells how wide its pointers are"
# RKH has the default sizes before its configuration comes.
printf '%s\n' 'machine 32' info 'event 1000 tid=1 type=212 obj:16 obj:32' 'event 1000 tid=2 type=212 obj:16 obj:32' |
	"$out/gen_stream" >narrow.trace
timeout $hang "$tools/qsgate" --rkh --to narrow.rkh narrow.trace 2>said
timeout $hang python3 "$here/qsgate_peer.py" rkh narrow.rkh >frames
sed 's/^/# /' frames
grep -q 'processes 1 and 2 both emit records' said
ok $? "of RKH's programs, too, several are told"
# Terminal controls in strings
printf '%s\n' info 'dict obj 0 0 0 16 "o\x1b[2J"' 'dict usr 0 100 0 0 "U\x0d\x7f"' 'event 5000 type=2 obj:16 fun:0' \
	'event 5000 type=100 str:"\x9b1m\xc2\x9b1m\xe2\x80\xae\xc3\xa4\x07"' \
	'event 5000 type=93 u16:7 str:"m\x1b]0;t\x07"' | "$out/gen_stream" >shout.trace
timeout $hang "$tools/qsgate" --udp 0 shout.trace >lines 2>said
cat >want <<'WANT'
===RTC===> St-Exit  Obj=o\x1b[2J,State=NULL
0000000005 U\x0d\x7f \x9b1m\xc2\x9b1m\xe2\x80\xaeä\x07
0000000005 =ASSERT= Mod=m\x1b]0;t\x07,Loc=7
WANT
diff want lines >differs
ok $? "no string reaches the terminal with its control characters"
sed 's/^/# /' differs
# Its own input, by another name
cp qp.trace own.trace
ln own.trace other.name
timeout $hang "$tools/qsgate" -q --to other.name own.trace 2>said
is "$? $(cat said)" "1 qsgate: other.name: the output file is also the input; name another file" \
	"the input is no output"
# shellcheck disable=SC2094 # that is what is tested
timeout $hang "$tools/qsgate" -q --to own.trace - <own.trace 2>said
is $? 1 "nor is standard input"
cmp qp.trace own.trace
ok $? "and it is as it was"
"$out/rkh_records" | "$out/gen_stream" >rkh.trace
timeout $hang "$tools/qsgate" --rkh --to out.rkh rkh.trace 2>said
is $? 0 "a stream of RKH becomes frames of RKH"
timeout $hang python3 "$here/qsgate_peer.py" rkh out.rkh >frames
is "$(sed 1q frames)" "ac 00340d980300448444044f50c3" "its configuration comes first"
! grep -q 'bad\|number\|flag' frames
ok $? "checks and numbers are right"
timeout $hang "$tools/devtrace-convert" --from rkh -q out.rkh >back.trace
words rkh.fmt rkh.trace >before
words rkh.fmt back.trace >after
[ "$(wc -l <before)" -gt 50 ] && diff before after >differs
ok $? "each event comes back as it was"
# The stream of RKH's own source, and all records made from the facts: see rkh_wire.c. A name
# has no time in a stream, and no &.
"$out/rkh_wire" known >known.rkh
"$tools/devtrace-convert" --from rkh known.rkh 2>said >known.trace
is "$(cat said)" "devtrace-convert: known.rkh: 12 frames" "RKH's own stream is read, and nothing is missing"
words rkh.fmt known.trace >got
diff "$here/rkh_known.expected" got >differs
ok $? "and says what was emitted"
timeout $hang "$tools/qsgate" -q --rkh --to back.rkh known.trace
bare()	# FILE: its frames, without the names
{
	xxd -p "$1" | tr -d '\n' | sed 's/7e/7e\n/g' | grep -v '^a[678]\|^ab\|^ae\|^af\|^b[0-4]'
}
bare known.rkh >want
bare back.rkh >got
[ "$(wc -l <want)" = 10 ] && diff want got >differs
ok $? "the gate sends the same bytes"
"$out/rkh_wire" known names | xxd -p >want
xxd -p back.rkh | diff - want >differs
ok $? "and names, with the numbers of events of the application"
sizes=0
for sig in 1 2 4; do
	for ptr in 2 4 8; do
		for with in "" "sender lwm" nonumber "nostamp nocheck"; do
			# shellcheck disable=SC2086 # words
			"$out/rkh_wire" $sig $ptr $with >sent.rkh
			"$tools/devtrace-convert" --from rkh sent.rkh 2>said >sent.trace
			grep -q ' 68 frames$' said || { echo "# $sig $ptr $with: $(cat said)"; continue; }
			timeout $hang "$tools/qsgate" -q --rkh --to back.rkh sent.trace
			timeout $hang python3 "$here/qsgate_peer.py" rkh-records sent.rkh >want
			timeout $hang python3 "$here/qsgate_peer.py" rkh-records back.rkh >got
			[ "$(wc -l <want)" = 55 ] && diff want got >differs && sizes=$((sizes + 1))
		done
	done
done
is $sizes 36 "every record, in all sizes, with and without options, goes there and back"
# The body of RKH_TR_SMA_FIFO() as RKH's manual has it: the pool is a U8
printf '%s\n' info 'event 1000 type=205 obj:0x10 sig:3 obj:0x20 u8:3 u8:1 u16:2 u16:1' | "$out/gen_stream" >body.trace
is "$(words rkh.fmt body.trace | grep -o "RKH_SMA.*")" "RKH_SMA_FIFO: snd=0x20,ao=0x10,sig=3,pool=3,refs=1,nelem=2,nmin=1" \
	"a pool may be a number"
timeout $hang "$tools/qsgate" --rkh --to body.rkh body.trace 2>said
is "$(cat said)" "qsgate: 1 records" "to the gate, too"
printf 'nonsense' >bad.trace
timeout $hang "$tools/qsgate" --to bad.qs bad.trace 2>said
is $? 0 "a stream that is none has no records"
timeout $hang "$tools/qsgate" --to x.qs nothing 2>said
is "$? $(cat said)" "1 qsgate: nothing: No such file or directory" "a stream that is not there"
# At the end of a stream, a host that is slow, and one that reads nothing of what just fits
long()	# EVENTS
{
	echo info
	seq "$1" | sed 's/.*/event & tid=1 type=100 u32:& str:abcdefghijklmnopqrstuvwxyzabcdefghijklm/'
}
from_long()	# EVENTS
{
	rm -f where
	long "$1" | "$out/gen_stream" >long.trace
	(until_there where; exec timeout $hang "$tools/qsgate" --to "tcp:127.0.0.1:$(cat where)" \
		long.trace >lines 2>err) & gate=$!
}
from_long 8000
peer slow where 8000
wait $gate
is $? 0 "a slow host is waited for"
from_long 2500
timeout $hang python3 "$here/qsgate_peer.py" deaf where over >heard & program=$!
wait $gate
is $? 1 "one that takes nothing is not, for ever"
echo >over
wait $program
left=$(sed -n 's/.*did not read the last \([0-9]*\) frames/\1/p' err)
is "$((left + $(cat heard)))" 2501 "and the frames that are left are counted"
grep -q ", $left dropped" err
ok $? "with those that are dropped"
gate='' program=''

# More names than the buffer of a host has room for, to hosts that come again
many()	# WHOSE
{
	"$out/${1}_records"
	seq 20000 | sed 's/.*/dict obj 0 0 0 9&0000 a_name_that_is_rather_long_for_a_name_many&/'
}
for whose in qp rkh; do
	how=
	[ $whose = qp ] || how=--rkh
	rm -f pipe where
	mkfifo pipe
	exec 4<>pipe
	# Else timeout sends SIGCONT behind the signal: LeakSanitizer, at its end, waits for a stop.
	(until_there where; exec timeout --foreground $hang "$tools/qsgate" $how \
		--to "tcp:127.0.0.1:$(cat where)" pipe 2>err 4>&-) & gate=$!
	(many $whose | "$out/gen_stream" >pipe) & program=$!
	peer again where $whose
	kill $gate
	wait $gate
	is $? 0 "the gate ends with a signal"
	exec 4>&-
	wait $program
	dropped=$(sed -n 's/.*, \([0-9]*\) dropped.*/\1/p' err)
	[ "${dropped:-0}" -gt 0 ] && [ "$dropped" -lt 10000 ]
	ok $? "no more than a buffer waited for the host that read nothing: $dropped frames"
done
gate='' program=''

# A host that came, and whose machine has gone since
if command -v ss >/dev/null; then
	at=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
	rm -f pipe
	mkfifo pipe
	exec 4<>pipe
	timeout --foreground $hang "$tools/qsgate" -q --to "tcp::$at" pipe 2>err 4>&- & gate=$!
	wait_until sh -c "ss -tlnH 'sport = :$at' | grep -q ."
	python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", sys.argv[1]))
while s.recv(4096): pass' "$at" 4>&- & program=$!
	# shellcheck disable=SC2317 # wait_until calls it
	asked() { ss -tnoH state established "sport = :$at" | grep -q 'timer:(keepalive,[0-9.]*sec'; }
	wait_until asked; ok $? "a host that is silent is asked whether it lives"
	exec 4>&-
	wait $gate
	wait $program
	gate='' program=''
fi

# No descriptor is left for a host: the gate does not spin, and serves the host once there is one
at=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
${CC:-gcc} -shared -fPIC -O1 -I"$here/../../include/uapi" -o shim.so "$here/tracelogger_shim.c" || exit 1
rm -f pipe
mkfifo pipe
exec 4<>pipe
# The limit counts the three standard ones, the listening socket and the pipe.
SHIM_ACCEPT=1 LD_PRELOAD=$PWD/shim.so prlimit --nofile=5:64 \
	"$out/../../tools/qsgate" -q --to "tcp::$at" pipe 2>err 4>&- & gate=$!
timeout $hang python3 -c 'import socket, sys, time
while True:
    try:
        s = socket.create_connection(("127.0.0.1", sys.argv[1]))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
sys.exit(len(s.recv(1)) != 1)' "$at" 4>&- & program=$!
rests $gate hosts "without a descriptor the gate"
wait $program; ok $? "and serves the host that has waited"
kill $gate
wait $gate
exec 4>&-
gate='' program=''

# A disk that is full, at once and at the end
full="qsgate: /dev/full: No space left on device"
mkfifo held
(
	exec 3<>held
	echo info | "$out/gen_stream" >held
	exec timeout $hang "$tools/qsgate" -q --to /dev/full held 2>said
)
is "$? $(cat said)" "1 $full" "a file that cannot be written ends the gate"
(ulimit -f 1; trap '' XFSZ; exec timeout $hang "$tools/qsgate" -q --to cut.qs qp.trace 2>said)
is "$? $(cat said)" "1 qsgate: cut.qs: File too large" "so does one that cannot be written whole"
begin_front --test --to /dev/full
peer counts "$(port)"
wait $gate
is "$? $(grep -c "$full" err)" "1 1" "front ends are served on all the same"
wait $program
gate='' program=''

printf '%s\n' info 'event 5000 type=14 str:"not QS"' 'event 5000 type=200 u8:1' | "$out/gen_stream" >none.trace
qspy_format none.trace
is "$(cat said)" "traceinfo: of 2 events read, none is a record of QS, which --format=qspy prints" "what is no record is not printed"
for with in -J --summary --raw --sequence=x -Hx --time=us; do
	"$tools/traceinfo" --format=qspy $with none.trace >said 2>&1
	is "$? $(grep -c "^traceinfo: --format: 'qspy' " said)" "2 1" "--format=qspy with $with is refused"
done
refused "no port" --to tcp:nowhere
refused "cannot carry frames" --to udp:localhost:1
refused "is not \[HOST:\]PORT" --udp x
refused "is not \[HOST:\]PORT" --udp 65536
refused "makes frames for Trazer" --rkh
refused "makes frames for Trazer" --rkh --to x --udp 0
refused "name a QSPY with --to" --old
refused "name a QSPY with --to" --old --to x --udp 0
refused "one too many" a b
refused "Try 'qsgate --help'" --leap
timeout $hang "$tools/qsgate" --program nobody_at_all --to x - </dev/null >said 2>&1
is "$? $(grep -c 'no program of this name' said)" "1 1" "a program that is not there"
"$tools/qsgate" --version | grep -q '^qsgate [0-9]'
ok $? "--version"

# The real ones. No line of theirs is in this tree.
if [ -n "${QUTEST-}" ]; then
	cat >test_gate.py <<'SCRIPT'
def on_reset():
    expect_run()

test("a command")
command(5, 1, 2, 3)
expect("@timestamp USER+001 5 1 2 3")
expect("@timestamp Trg-Done QS_RX_COMMAND")

test("peek and poke", NORESET)
current_obj(OBJ_AP, "motor")
peek(0, 4, 1)
expect("@timestamp Trg-Peek Offs=0,Size=4,Num=1,Data=<000005DC>")
poke(4, 2, pack("<HH", 7, 8))
SCRIPT
	begin_front --test
	timeout $hang python3 "$QUTEST" -q"localhost:$(port)" test_gate.py >said 2>&1
	grep -q 'Tests  *: 2' said && grep -q '\[  *OK' said && ! grep -q FAIL said
	ok $? "qutest.py passes"
	sed 's/^/# /' said
	kill $program $gate
else
	skip "qutest.py passes" "no QUTEST="
fi
# The real QSPY's output for a file of frames, without its own messages
qspy_prints()	# FILE
{
	timeout $hang "$QSPY" -k -r c0 -u 0 -f "$1" 2>&1 </dev/null |
		grep '^[0-9]\{10\} \|^===RTC\|^           [TQU].*[<_=]' | grep -v 'QP-Ver\|-Dict'
}
if [ -n "${QSPY-}" ]; then
	# QSPY 7.4 does not know record 81, and takes the last two bytes of TIMEEVT_REARM, a rate
	# and a flag, the other way round than QP 7.3 and 8.1 send them.
	timeout $hang "$tools/qsgate" -q --old --to real.qs qp.trace
	qspy_prints real.qs >got
	sed 's/TE\(.\)-Rarm\(.*\)Was=\(.\)/TE\3-Rarm\2Was=\1/
	     s/.* AO-DefrA .*/           Unknown Rec=81,Len=26/' "$here/qsgate.expected" >want
	diff want got >differs
	ok $? "QSPY reads the frames"
	sed 's/^/# /' differs
	# Recordings of real targets
	for f in ${QSPY_FILES-}; do
		qspy_prints "$f" >want
		timeout $hang "$tools/devtrace-convert" --from qs -q "$f" | timeout $hang "$tools/qsgate" --udp 0 - 2>said >got
		[ "$(wc -l <want)" -gt 100 ] && diff want got >differs
		ok $? "a recording prints as by QSPY: $f"
		head -n 5 differs | sed 's/^/# /'
	done
else
	skip "QSPY reads the frames" "no QSPY="
fi
if [ -n "${QVIEW-}" ] && command -v xvfb-run >/dev/null; then
	cat >view.py <<'SCRIPT'
import os
import sys
sys.path.insert(0, os.path.dirname(os.environ['QVIEW']))
from qview import *


class View(QView):
    def on_reset(self):
        QView.glb_filter(QView.GRP_ALL)
        QView.current_obj(QView.OBJ_AP, 'motor')
        QView.peek(0, 4, 1)
        QView.command('SIX', 7, 8, 9)
        QView.tick(2)
        QView.command(99)

    def QS_PEEK_DATA(self, packet):
        print('peek', packet[10:].hex(), flush=True)

    def QS_USER_01(self, packet):
        print('user', *QView.qunpack('xxTxBxIxIxI', packet)[1:], flush=True)

    def QS_QF_TICK(self, packet):
        print('tick', *QView.qunpack('xxIB', packet), flush=True)


QView.main(View())
SCRIPT
	begin_front
	(QVIEW=$QVIEW timeout $hang xvfb-run -a python3 view.py "localhost:$(port)" >said 2>&1) & view=$!
	wait $gate
	wait $program
	gate='' program=''
	# At the end of QSPY it shows a message, and waits for somebody who reads it.
	until_there said
	kill $view 2>/dev/null
	is "$(tr '\n' ' ' <said)" "peek dc050000 user 6 7 8 9 tick 1 2 " "QView asks, and reads what comes"
else
	skip "QView asks, and reads what comes" "no QVIEW=, or no xvfb-run"
fi

done_testing
