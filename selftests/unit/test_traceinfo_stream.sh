#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceinfo_stream.sh - traceinfo and its inputs and outputs as streams:
# cut anywhere, endless, hostile, interrupted, closed by the reader; and the
# examples of the manual pages, run as they are written
#
# SEED=n repeats a run.
# shellcheck disable=SC2086,SC2181,SC2317 # words of $ti, $? after two lines, await
# shellcheck disable=SC2094,SC3045 # different files; ulimit -v is tried first

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=$(cd "${O:-$top/build}" && pwd) || exit 1
out=$O/selftests/unit
work=$(mktemp -d) || exit 1
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset NO_COLOR DEVTRACE_FMT_PATH
SEED=${SEED:-$(date +%s)}

show() {
	head -20 "$1" | sed 's/^/# /'
}

# shellcheck source=../tap.sh
. "$here/../tap.sh"
echo "# SEED=$SEED"
cd "$work" || exit 1
cp "$here"/traceinfo/*.fmt .
for gen in "$here"/traceinfo/*.gen; do
	gen_stream < "$gen" > "$(basename "$gen" .gen).trace" || exit 1
done
ti="traceinfo --no-default-fmt -e board.fmt"

# In a file losses never are so many that there is an end of them.
{
	echo info 0 2
	echo lost 0 2 1 5000 6000 | awk '{ for (i = 0; i < 1000; i++) print }'
	echo event 10000 i32:7
} > losses.gen
gen_stream < losses.gen > losses.trace
[ "$(traceinfo --no-default-fmt -J losses.trace | grep -c '"kind":"lost"')" = 1000 ]
ok $? "a file with many losses is printed to its end"

# The same text however the input is cut. A pipe does not tell the date before it comes.
for f in board damage late; do
	# shellcheck disable=SC2002 # a pipe is meant
	cat $f.trace | $ti - > want
	[ $f = late ] || $ti $f.trace | cmp -s want -
	ok $? "$f.trace by its name and from a pipe"
	for bs in 1 7 4096; do
		dd bs=$bs < $f.trace 2>/dev/null | $ti - > got
		cmp -s want got
		ok $? "$f.trace in pieces of $bs"
	done
done

# A file of zstd frames tells it as any file does. Each holds 64 bytes at most, of one block
# that is not compressed.
i=0
: > late.zst
while dd bs=64 skip=$i count=1 if=late.trace of=part 2>/dev/null; [ -s part ]; do
	n=$(wc -c < part)
	b=$((n << 3 | 1))
	# shellcheck disable=SC2059 # bytes
	printf "$(printf '\\%03o' 40 181 47 253 32 "$n" $((b & 255)) $((b >> 8)) 0)" >> late.zst
	cat part >> late.zst
	i=$((i + 1))
done
if $ti late.zst 2>&1 >/dev/null | grep -q 'built without libzstd'; then
	skip "a date behind the first event of a zstd file" "no libzstd"
else
	$ti late.trace > want
	$ti late.zst > got
	cmp -s want got
	ok $? "a date behind the first event of a zstd file"
fi

# Hostile bytes: valid JSON, no control characters in the text, both complete.
n=3000
{ echo info; echo "clock 1 1700000000000000000"; echo "noise $SEED $n"; } > noise.gen
gen_stream < noise.gen > noise.trace
$ti -J -v --statistics noise.trace > noise.json 2> err
status=$?
lines=$(json_check < noise.json)
[ $status = 0 ] && [ ! -s err ] && [ "$lines" -gt $((n / 2)) ] 2>/dev/null
ok $? "random frames are valid JSON: $lines lines"
[ ! -s err ] || show err
$ti -v noise.trace > noise.txt 2> err
status=$?
bad=$(tr -d '\n\t\040-\176\200-\377' < noise.txt | wc -c)
[ $status = 0 ] && [ ! -s err ] && [ "$bad" = 0 ]
ok $? "random frames print no control characters ($bad)"
[ ! -s err ] || show err
# Frames of random bytes carry events; as many lines as the statistics say.
printed=$(sed -n 's/.*"printed":\([0-9]*\).*/\1/p' noise.json)
[ "$(grep -c '^{"kind":"event"' noise.json)" = "$printed" ] && [ "$printed" -gt 100 ]
ok $? "every random event is printed: $printed"
perl -e 'srand(shift); print pack("C*", map { int(rand(256)) } 1 .. 200000)' "$SEED" > random
$ti random > random.txt 2> err
[ $? = 1 ] && [ ! -s random.txt ] && [ "$(wc -l < err)" = 1 ] &&
	grep -q '^traceinfo: random: not a trace stream: no .* in its 200000 bytes$' err
ok $? "random bytes are no stream"
show err
# Where some frames are among them every place is told, in valid JSON: the first are
# held until then, and the last too.
{ cat random board.trace random; } > wrapped
$ti -J --statistics wrapped > wrapped.json 2> err
[ $? = 0 ] && [ ! -s err ] && json_check < wrapped.json > /dev/null
ok $? "random bytes around frames are valid JSON"
[ ! -s err ] || show err
places=$(sed -n 's/.*"damages":\([0-9]*\).*/\1/p' wrapped.json)
[ "$(grep -c '"kind":"damage"' wrapped.json)" = "$places" ] && [ "$places" -gt 1000 ]
ok $? "and each damaged place is told ($places)"
# One name has one spelling, wherever in JSON it stands.
cat > odd.gen <<'END'
info
clock 1000 1700000000000000000
proc 70 70 "a\x22b\x5cc\x09d\x7fe"
dict obj 0 0 0 9 "a\x22b\x5cc\x09d\x7fe"
dict obj 0 0 0 7 "a\x22b\x5cc\x09d\x7fe"
dict fun 0 0 0 9 "a\x22b\x5cc\x09d\x7fe"
dict sig 0 5 0 7 "a\x22b\x5cc\x09d\x7fe"
dict sig 0 5 0 9 "a\x22b\x5cc\x09d\x7fe"
dict enum 0 2 1 0 "a\x22b\x5cc\x09d\x7fe"
dict usr 0 112 0 0 "a\x22b\x5cc\x09d\x7fe"
event 2000 tid=70 type=112 obj=7 sig=5 "str:a\x22b\x5cc\x09d\x7fe" obj:9 fun:9 sig:5@9 enum:1/2
END
gen_stream < odd.gen > odd.trace
s='"a\"b\\c\u0009d\u007fe"'
traceinfo --no-default-fmt -J odd.trace > odd.json
json_check < odd.json > /dev/null
ok $? "odd names are valid JSON"
for key in process name object_name signal_name STR OBJ FUN ENUM; do
	grep -qF "\"$key\":$s" odd.json
	ok $? "an odd name as $key"
done
grep -qF "{\"SIG\":${s%?}@${s#?}}" odd.json
ok $? "an odd name as SIG"
[ "$(traceinfo --no-default-fmt -J -v odd.trace | grep '"kind":"\(name\|thread\)"' | grep -cF "\"name\":$s")" = 8 ]
ok $? "and where it is told"
traceinfo --no-default-fmt odd.trace | grep -qF 'a"b\c\x09d\x7fe'
ok $? "in text it is made safe"

# More than is held, in a pipe; and its memory.
perl -e 'srand(shift); print "\x7e", join("\x7e", map { chr(1 + int(rand(100))) x 3 } 1 .. 100000)' \
	"$SEED" > places
cat places board.trace | $ti - > got 2> err
[ $? = 0 ] && [ ! -s err ] && grep -q 'more lines of this kind' got &&
	[ "$(grep -c SPEED got)" = 2 ] && [ "$(wc -c < got)" -lt 1200000 ]
ok $? "what is held before the first frame is bounded"
[ ! -s err ] || show err
held=$(grep -c 'not a whole frame' got)
[ $((held + $(sed -n 's/^\*\*\* \([0-9]*\) more lines of this kind$/\1/p' got))) = 100000 ]
ok $? "and those that are left out are counted ($held are not)"
$ti - < places > got 2> err
[ $? = 1 ] && [ ! -s got ] && [ "$(wc -l < err)" = 1 ]
ok $? "and none of it is printed if no frame comes"

# A large stream in little memory: the plain build, since a sanitizer needs
# terabytes of address space.
big=2000000
PATH="$O/tools:$PATH"
if (ulimit -v 16384) 2>/dev/null; then
	echo "bench $big" | gen_stream | (ulimit -v 16384; $ti --statistics - 2> err) | tail -8 > got
	grep -q " $big events printed" got && ! grep -q 'board.fmt' err
	ok $? "a stream of $big events in 16 MiB of address space"
	echo "bench $big" | gen_stream | (ulimit -v 16384; $ti -n 1000 -) > got
	[ "$(wc -l < got)" = 1000 ]
	ok $? "its last 1000 events in as much"
	# Damage is reported before an event that never comes: bounded as well.
	{ echo info; yes 'flip
event 1 u8:1' | head -n 400000; } | gen_stream | (ulimit -v 16384; $ti -n 5 -) > got
	grep -q 'more lines of this kind' got
	ok $? "-n and 200000 damaged frames in as much"
else
	skip "memory" "ulimit -v does not work here"
	skip "memory of -n" "ulimit -v does not work here"
	skip "memory of -n with damage" "ulimit -v does not work here"
fi
PATH="$out/san/tools:$PATH"

# The reader goes away.
echo "bench 50000" | gen_stream > bench.trace
{ $ti bench.trace 2> err; echo $? > status; } | head -n 1 > got
[ "$(cat status)" = 0 ] && [ ! -s err ] && [ "$(wc -l < got)" = 1 ]
ok $? "a reader that goes away is no error"

# A pipe that stays open: what came is printed before more comes; an interrupt
# ends it with what there is. $1: how traceinfo is run, on the fifo "pipe", which has
# what is in "before" when it begins.
open_pipe() {
	rm -f pipe
	mkfifo pipe
	exec 8<> pipe
	[ ! -e before ] || cat before >&8
	# A shell without job control starts background jobs with SIGINT ignored;
	# the wrapper sets it back. Descriptor 9 keeps the pipe open.
	( exec 9<> pipe; exec setsid "$@" > got 2> err ) &
	child=$!
}
printed() {
	[ "$(grep -c SPEED got)" = "$1" ]
}
signal_end() {
	kill -"$1" "$child"
	wait "$child"
	status=$?
	exec 8>&-
	child=
}
head -c 400 board.trace > part1
tail -c +401 board.trace > part2
for how in "stdin" "follow"; do
	if [ $how = stdin ]; then
		open_pipe $ti pipe
	else
		open_pipe $ti -f --device pipe
	fi
	cat part1 >&8
	wait_until printed 1
	ok $? "$how: printed as it comes"
	cat part2 >&8
	wait_until printed 2
	ok $? "$how: and what comes later"
	signal_end TERM
	[ $status = 0 ] && [ ! -s err ]
	ok $? "$how: a signal ends it ($status)"
	[ ! -s err ] || show err
	$ti board.trace > want
	cmp -s want got
	ok $? "$how: nothing is missing"
done
# It prints the last two of the events that exist when it starts.
cp board.trace before
open_pipe $ti -f -n 2 --device pipe
rm before
wait_until printed 1
ok $? "-f -n 2: the last two first"
gen_stream <<'GEN' | tail -c 27 >&8
event 9999999999 type=100 u16:7 u16:7
GEN
wait_until printed 2
ok $? "-f -n 2: then all"
signal_end TERM
[ "$(grep -c '^Nov' got)" = 3 ]
ok $? "-f -n 2: two and one are three"
# A name that nobody knows is said when what is there is printed, once: it may come.
open_pipe $ti -f -t SPEDE,SPEED --device pipe
cat part1 >&8
wait_until grep -q 'did you mean SPEED' err
ok $? "follow: a name that is not known is said while it waits"
cat part2 >&8
wait_until printed 2
signal_end TERM
[ $status = 0 ] && [ "$(wc -l < err)" = 1 ]
ok $? "follow: once"
show err
# Without -f it does not wait.
open_pipe $ti --device pipe
cat board.trace >&8
wait "$child"
ok $? "live without -f ends at the end"
exec 8>&-
child=

# A fifo that nobody reads: a signal ends it there too. A reader that goes on gets all
# the rest, in whole lines.
waits() {
	case $(cat "/proc/$child/stat") in
	*"(traceinfo) S "*) ;;
	*) return 1 ;;
	esac
}
rm -f pipe
mkfifo pipe
$ti bench.trace > want
for signal in INT TERM; do
	( exec 9<> pipe; exec setsid $ti bench.trace > pipe 2> err ) &
	child=$!
	wait_until waits
	kill -$signal "$child"
	( sleep 600; exec kill -KILL "$child" ) >/dev/null 2>&1 &
	guard=$!
	wait "$child"
	status=$?
	kill $guard
	child=
	[ $status = 1 ] && [ ! -s err ]
	ok $? "SIG$signal ends it though nobody reads ($status)"
	( exec setsid $ti bench.trace > pipe 2> err ) &
	child=$!
	exec 8< pipe
	wait_until waits
	kill -$signal "$child"
	cat <&8 > got
	wait "$child"
	status=$?
	child=
	exec 8<&-
	head -n "$(wc -l < got)" want | cmp -s - got
	[ $? = 0 ] && [ $status = 0 ] && [ ! -s err ] && [ "$(wc -l < got)" -gt 100 ]
	ok $? "SIG$signal, and who reads on gets what there is ($status, $(wc -l < got) lines)"
done

# The examples of traceinfo(1) that need no device.
mkdir -p bin
cat > bin/traceinfo <<RC
#!/bin/sh
exec "$out/san/tools/traceinfo" --no-default-fmt -e "$work/board.fmt" "\$@"
RC
chmod +x bin/traceinfo
examples=$(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl "\{0,1\}\(.*[^"]\)"\{0,1\}$/\1/p' \
	"$top/Documentation/man/traceinfo.1")
echo "$examples" > examples
while IFS= read -r line; do
	case $line in
	*tcp:*)
		# Its board is not there; the one whose file there is gets printed.
		there=$(echo "$line" | sed 's/[a-z0-9]*\.trace/board.trace/; s/tcp:[^ ]*/tcp:127.0.0.1:1/')
		PATH="$work/bin:$PATH" sh -c "$there" > got 2> err < /dev/null
		[ $? = 1 ] && [ -s got ] && grep -q 'tcp:127.0.0.1:1: .*refused' err
		ok $? "$line" ;;
	*board.trace*)
		case $line in
		*jq*)
			if ! command -v jq > /dev/null; then
				skip "$line" "no jq"
				continue
			fi ;;
		esac
		PATH="$work/bin:$PATH" sh -c "$line" > got 2> err < /dev/null
		[ $? = 0 ] && [ -s got ] && [ ! -s err ]
		ok $? "$line" ;;
	*)
		# A live example: its words must be right, though there is no device.
		PATH="$work/bin:$PATH" sh -c "$line --device nowhere" > got 2> err < /dev/null
		[ $? = 1 ] && grep -q '^traceinfo: [a-z/-]*: No such' err
		ok $? "$line" ;;
	esac
done < examples
[ "$(wc -l < examples)" -ge 5 ]
ok $? "traceinfo(1) has examples"

# The example of fmt(5), and what it says is printed.
awk '/^# acme-uart.fmt/{p=1} /^\.Ed/{p=0} p' "$top/Documentation/man/fmt.5" |
	sed 's/\\&//g; s/\\e/\\/g; s/\\(dq/"/g' > acme-uart.fmt
traceinfo --check-fmt acme-uart.fmt > got
ok $? "the example of fmt(5) is right"
show got
gen_stream > acme.trace <<'GEN'
event 1 code=0xA10:1 u8:2 u32:77 u8:3
event 2 code=0xA10:2 i32:45123
event 3 code=0xA10:1 u8:2 str:lots u8:3
GEN
traceinfo --no-default-fmt -e acme-uart.fmt -H '' acme.trace > got
sed -n 's/^\.Dl \(.*\)/\1/p; /lots/p' "$top/Documentation/man/fmt.5" | sed 's/\\e/\\/g' |
	grep -v 'traceinfo\|^record' > want
cmp -s want got
ok $? "and prints what fmt(5) says"
cmp -s want got || diff want got | sed 's/^/# /'

# The example of fmt(5) for programs and drivers with the same numbers
awk '/^# pumps.fmt/{p=1} /^\.Ed/{p=0} p' "$top/Documentation/man/fmt.5" > pumps.fmt
traceinfo --check-fmt pumps.fmt > got
ok $? "the example of fmt(5) for owners is right"
show got
gen_stream > pumps.trace <<'GEN'
proc 70 70 pumpd
proc 71 71 pump-test
proc 72 72 other
dict obj 0 0 0 7 pump_drv:0
event 1 ctx=user tid=70 type=104 u32:1
event 2 ctx=user tid=71 type=104 u32:2
event 3 ctx=user tid=72 type=104 u32:3
event 4 tid=70 type=104 obj=7 sig=0 u32:4
event 5 tid=70 type=104 u32:5
event 6 tid=72 code=0x50554D:1 sev=hw2 obj:7 u32:6
GEN
traceinfo --no-default-fmt -e pumps.fmt -H '%n ' pumps.trace > got
printf '%s\n' 'STROKE stroke 1' 'STROKE stroke 2' 'USER:104 3' 'PRESSURE pressure 4 Pa' 'USER:104 5' \
	'PUMP.BLOCKED pump_drv:0 is blocked at 6 Pa' > want
cmp -s want got
ok $? "and prints each event with the words of its emitter"
cmp -s want got || diff want got | sed 's/^/# /'

# Bash completes every long option that --help names.
if command -v bash > /dev/null; then
	traceinfo --help | grep -o -- '--[a-z-]*' | sort -u > want
	bash -c ". $top/tools/completion/traceinfo
		COMP_WORDS=(traceinfo --); COMP_CWORD=1; _traceinfo
		printf '%s\n' \"\${COMPREPLY[@]}\"" | sort -u > got
	cmp -s want got
	ok $? "bash completes the options"
	cmp -s want got || diff want got | sed 's/^/# /'
	bash -c ". $top/tools/completion/traceinfo
		COMP_WORDS=(traceinfo --color = al); COMP_CWORD=3; _traceinfo
		printf '%s\n' \"\${COMPREPLY[@]}\"
		COMP_WORDS=(traceinfo --time is); COMP_CWORD=2; _traceinfo
		printf '%s\n' \"\${COMPREPLY[@]}\"" > got
	[ "$(tr '\n' ' ' < got)" = "always iso " ]
	ok $? "bash completes the words of options"
else
	skip "bash completes the words of options" "no bash"
	skip "bash completes the options" "no bash"
fi

for page in traceinfo.1 fmt.5; do
	if command -v mandoc > /dev/null; then
		# Other pages and the system's index are not there yet.
		mandoc -T lint -W warning "$top/Documentation/man/$page" 2> err > got
		cat err >> got
		grep -v -e 'outdated mandoc.db' -e 'referenced manual not found' got > lint
		[ ! -s lint ]
		ok $? "mandoc finds nothing wrong in $page"
		show lint
	else
		skip "mandoc finds nothing wrong in $page" "no mandoc"
	fi
done
done_testing
