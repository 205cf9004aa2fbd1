#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_vcd.sh - devtrace-convert --to vcd: sigrok-cli decodes the transfers of buses to the bytes sent
#
# bus_stream.py describes the events of the kernel's tracepoints, and vcd_check.py runs sigrok-cli.
# SEED=n makes other bytes.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}
command -v python3 >/dev/null || skip_all "no python3"
echo "# SEED=$SEED"

python3 "$here/bus_stream.py" "$SEED" >bus.gen 2>bytes && gen_stream <bus.gen >bus.trace &&
	devtrace-convert -q --to vcd -o bus.vcd bus.trace >said 2>&1 && [ ! -s said ]
ok $? "buses to VCD"
cat said
if command -v sigrok-cli >/dev/null; then
	python3 "$here/vcd_check.py" bus.vcd bytes >got 2>&1
	grep '^#\|Error' got
	for bus in i2c1 i2c7 spi0_1.mosi spi0_1.miso mdio_stmmac_0; do
		grep -q "^$bus [0-9]* True" got
		ok $? "sigrok-cli decodes $bus to the bytes that were sent"
	done
else
	skip "sigrok-cli decodes the bytes that were sent" "no sigrok-cli"
fi

# value NAME FILE: print the values of a variable in their order
value()	# NAME FILE
{
	id=$(sed -n "s/^.var [a-z]* [0-9]* \\([^ ]*\\) $1 .end/\\1/p" "$2")
	awk -v id="$id" '$2 == id { print substr($1, 2) } substr($0, 2) == id { print substr($0, 1, 1) }' "$2" | xargs
}
is "$(value gpio17 bus.vcd)" "0 1 0 1" "the levels of a GPIO"
is "$(value 1_0048_0x3 bus.vcd)" "0 4660" "a register of regmap"
is "$(value USER_109.1_I32 bus.vcd)" "0 -5" \
	"a number of an event"
is "$(value lost bus.vcd)" "0 2" "the events lost"
sed -n 's/^#//p' bus.vcd | sort -nuc
ok $? "times ascend"

# A transfer whose time is shorter than its bits does not overlap the next one.
sed 's/^event \([0-9]*\)/event 1000/' bus.gen | gen_stream >fast.trace
devtrace-convert -q --to vcd -o fast.vcd fast.trace
if command -v sigrok-cli >/dev/null; then
	is "$(python3 "$here/vcd_check.py" fast.vcd bytes | grep -c True)" 5 "transfers without time are whole, too"
fi

cat >picks.gen <<'END'
info
event 10 tid=7 ctx=user type=109 i32:5 u64:18446744073709551615
event 20 tid=7 ctx=user type=108 f32:0.1
event 30 tid=7 ctx=user type=109 i32:-3 u64:1
event 40 tid=7 type=147 u8:1
END
echo 'record 109 BEAT (i32 late / 10 "ms", u64 n) "%v %v"' >picks.fmt
gen_stream <picks.gen >picks.trace
devtrace-convert -q -e picks.fmt --to vcd picks.trace >all.vcd
is "$(value BEAT.late all.vcd), $(value BEAT.n all.vcd), $(value USER_108.1_F32 all.vcd), $(grep -c '^.var' all.vcd)" \
	"0 0.5 -0.3, 0 1.8446744073709552e+19 1, 0 0.1, 3" "numbers of events, but not of the kernel's"
devtrace-convert -q -e picks.fmt --to vcd --counter BEAT.late picks.trace >one.vcd
is "$(value BEAT.late one.vcd), $(grep -c '^.var' one.vcd)" "0 0.5 -0.3, 1" "only the arguments of --counter"

# Hostile streams
{ echo info; for type in $(seq 176 190); do
	echo "dict usr 0 $type 0 0 $(grep "^dict usr 0 $type " bus.gen | cut -d ' ' -f 7)"
done; echo "noise $SEED 3000"; } | gen_stream >noise.trace
devtrace-convert -q --to vcd -o noise.vcd noise.trace >said 2>&1 && [ ! -s said ]
ok $? "hostile frames"
# Events with elements of the right kinds and other numbers
sed -E "s/ (i32|u16|u8):[0-9]+/ \\1:$((SEED % 200))/g" bus.gen | gen_stream >odd.trace
devtrace-convert -q --to vcd -o odd.vcd odd.trace >said 2>&1 && [ ! -s said ]
ok $? "transfers that contradict themselves"
sed 's/^/# /' said
: >empty
devtrace-convert -q --to vcd empty >said 2>&1
is "$?" 1 "an empty file is refused"
done_testing
