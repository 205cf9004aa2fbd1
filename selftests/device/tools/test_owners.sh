#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_owners.sh - two programs and two drivers with the same numbers, each printed by its own words
#
# The programs are boardmon and a copy of it under another name; the drivers are metronome.ko and
# dtowner.ko. The formats of the samples are installed as they are. Runs on the board, as root,
# with devtrace.ko inserted, and needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
modules=${DEVTRACE_MODULES:-/modules}
work=$(mktemp -d) || exit 1
trap 'rmmod metronome dtowner 2>/dev/null; rm -rf "$work"' EXIT
# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=$work/out
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v boardmon >/dev/null ||
   [ ! -e "$modules/dtowner.ko" ] || [ ! -e "$modules/metronome.ko" ]; then
	skip_all "no /dev/trace, no boardmon, or no modules"
fi

mkdir "$work/fmt"
cp "$here/fmt/boardmon.fmt" "$here/metronome.fmt" "$work/fmt"
cat >"$work/fmt/valved.fmt" <<'F'
for program valved
record 111 FLOW (u32 in / 100, u32 out / 100, u32 sum / 100, any _n, any _m) "flow %(in).2f of %(sum).2f"
major 0x424D VALVES { minor 2 LEAK (u32 sent, u32 received) "%(received)u of %(sent)u litres" }

for module dtowner
record 100 TURNS (u32 n) "turns %(n)u"
major 0x4D4554 OWNER { minor 1 BORN (obj who, u32 n) "%(who)s born %(n)u" }
F
traceinfo -c >/dev/null 2>&1
cp "$(command -v boardmon)" "$work/valved"
boardmon -n 1 -i 0.05 >"$work/out" 2>&1
ok $? "the first program ran"
"$work/valved" -n 1 -i 0.05 >"$work/out" 2>&1
ok $? "the second program ran"
insmod "$modules/metronome.ko" period_us=10000 2>"$work/out"
ok $? "the first driver is there"
beats() { traceinfo --no-default-fmt -H '%n ' -t 100 | grep -q .; }
wait_until beats
rmmod metronome
insmod "$modules/dtowner.ko" 2>"$work/out"
ok $? "the second driver is there"
rmmod dtowner

same()	# NAME COMMAND...: prints what all four emitted, as they call it
{
	same_name=$1
	shift
	"$@" >"$work/out" 2>&1
	for want in 'boardmon\[[0-9]*\].* LOAD@kernel: load [0-9.]* [0-9.]* ' \
		    'valved\[[0-9]*\].* FLOW@kernel: flow [0-9.]* of [0-9.]*$' \
		    'boardmon\[[0-9]*\].* BOARD.PTY_OVERRUN: a line of 6000 bytes was cut to ' \
		    'valved\[[0-9]*\].* VALVES.LEAK: [0-9]* of 6000 litres$' \
		    ' BEAT@metronome.*: beat [0-9]*, [0-9.]* us late$' \
		    ' TURNS@dtowner:7: turns 71$' \
		    ' OWNER.BORN: dtowner:7 born 72$' \
		    ' USER:100: 73$'; do
		grep -q "$want" "$work/out"
		ok $? "$same_name: $want"
	done
	! grep '{.*fmt:' "$work/out"
	ok $? "$same_name: no event is other than its format says"
}
same "the device" traceinfo --no-default-fmt -I "$work/fmt"
traceinfo --raw >"$work/saved" 2>"$work/err"
same "a saved file" traceinfo --no-default-fmt -I "$work/fmt" "$work/saved"
traceinfo --no-default-fmt -I "$work/fmt" --json "$work/saved" >"$work/out" 2>"$work/err"
for want in '"name":"LOAD",.*"text":"load ' '"name":"FLOW",.*"text":"flow ' \
	    '"name":"BEAT",.*"text":"beat ' '"name":"TURNS",.*"args":{"n":71},"text":"turns 71"'; do
	grep -q "$want" "$work/out"
	ok $? "JSON: $want"
done
devtrace-convert -q --to chrome -e "$work/fmt/boardmon.fmt" -e "$work/fmt/metronome.fmt" \
	-e "$work/fmt/valved.fmt" -o "$work/chrome" "$work/saved" 2>"$work/out"
[ "$(grep -oE '"(LOAD|FLOW|BEAT|TURNS)"' "$work/chrome" | sort -u | tr '\n' ' ')" = \
	'"BEAT" "FLOW" "LOAD" "TURNS" ' ]
ok $? "Chrome: the words of all four"

# The build of a driver goes before its name. The message that its texts are missing tells it.
id=$(traceinfo --no-default-fmt "$work/saved" 2>&1 | sed -n 's/.*build-id \([0-9a-f]*\), dtowner\..*/\1/p')
echo "for build \"$id\" { record 100 BUILD (u32 n) \"build %(n)u\" }" >"$work/fmt/build.fmt"
traceinfo --no-default-fmt -I "$work/fmt" -t 100 "$work/saved" >"$work/out" 2>&1
grep -q ' BUILD@dtowner:7: build 71$' "$work/out" && grep -q ' BEAT@metronome' "$work/out" &&
	! grep -q TURNS "$work/out"
ok $? "a driver's build"

done_testing
