#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_pieces.sh - files of one stream, by name: traceinfo's order, the frames missing between
# two of them, and where the machine booted again
#
# Each file is a stream from gen_stream; `skip` moves the numbers of its frames on, so that
# files that are joined are one stream, as those of a logger are.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH

# piece FILE BOOT START REASON TS [NOTE [STREAM]]: 20 frames, from START on: INFO, CLOCK, 18 events
piece()
{
	{
		[ -z "$6" ] || echo "note file $6"
		echo "boot $2"
		[ "$3" = 0 ] || echo "skip $3"
		echo "info $4 ${7:-trace}"
		echo "clock $5 1700000000$5"
		i=1
		while [ $i -le 18 ]; do
			echo "event $(($5 + i)) cpu=0 tid=7 type=100 u32:$5"
			i=$((i + 1))
		done
	} | gen_stream >"$1" || exit 1
}

# The lines that tell of missing frames and reboots
told()
{
	traceinfo --no-default-fmt "$@" 2>&1 | grep '^\*\*\*\|^---'
}

missing()	# ARGS: what --statistics counts
{
	traceinfo --no-default-fmt --statistics "$@" 2>&1 |
		sed -n 's/^ *\([0-9]*\) frames missing$/\1/p'
}

# The numbers of the files, in the order in which their events are printed
order()
{
	traceinfo --no-default-fmt -J "$@" 2>&1 |
		sed -n 's/^{"kind":"event".*\[{"U32":\([0-9]*\)}\].*/\1/p' | uniq | tr '\n' ' '
}

# A logger's files: 20 frames each, the third has 532 more.
piece t.trace 1 0 0 100000000 1
piece t.trace.000001 1 20 4 200000000 2
piece t.trace.000002 1 40 4 300000000 3
piece t.trace.000003 1 572 4 400000000 4
piece t.trace.000004 1 592 4 500000000 5
is "$(missing t.trace t.trace.000001 t.trace.000002)" 0 "no frame is missing between all pieces"
is "$(told t.trace t.trace.000001 t.trace.000002)" "" "and none is told"
is "$(missing t.trace t.trace.000002)" 20 "the frames of a file that is not there are missing"
is "$(cat t.trace t.trace.000002 | missing -)" 20 "as many as in a pipe"
is "$(told t.trace t.trace.000002)" \
	"*** 20 frames missing between t.trace and t.trace.000002, after Nov 14 22:13:20.100000" \
	"the files and the last event are named"
is "$(missing t.trace*)" 512 "512 frames, of which the numbers of frames alone tell none"
is "$(cat t.trace* | missing -)" 512 "as many as in a pipe"
traceinfo --no-default-fmt -J t.trace* >json
json_check <json >/dev/null
ok $? "JSON of a gap between files is valid"
is "$(grep '"kind":"gap"' json)" '{"kind":"gap","count":512,"exact":true,"before":60,"after":61,"offset":0,"from":300000018,"between":["t.trace.000002","t.trace.000003"]}' \
	"JSON names the files"
is "$(traceinfo --no-default-fmt -J --summary t.trace* |
	sed 's/.*"input":"\([^"]*\)".*"lost":\([0-9]*\),"lost_before".*/\1 \2/')" "t.trace 0
t.trace.000001 0
t.trace.000002 0
t.trace.000003 512
t.trace.000004 0" "a summary counts them in the file behind"
is "$(traceinfo --no-default-fmt --raw -t 100 t.trace* | missing -)" 512 \
	"a stream filtered out of all files has them"
is "$(told -n 40 t.trace* | grep -c missing)" 1 "the last events are printed behind them"
is "$(told --sequence trace t.trace* | grep -c missing)" 1 "and a diagram has them"

# The order is that of the content, however the files are given.
is "$(order t.trace.000004 t.trace.000003 t.trace t.trace.000002 t.trace.000001)" \
	"100000000 200000000 300000000 400000000 500000000 " "files in another order are sorted"
is "$(missing t.trace.000004 t.trace.000003 t.trace t.trace.000002 t.trace.000001)" 512 \
	"and frames are missing once"
for i in 8 9 10 11; do
	piece s.trace.$i 1 $((20 * (i - 8) + 1000)) 4 ${i}00000000
done
is "$(order s.trace.10 s.trace.11 s.trace.8 s.trace.9)" \
	"800000000 900000000 1000000000 1100000000 " "files without numbers are sorted by their frames"
is "$(missing s.trace.10 s.trace.8)" 20 "and accounted"
echo junk >junk
traceinfo t.trace.000001 junk t.trace >text 2>err
is "$? $(grep -c missing text) $(grep -c 'junk: not a trace stream' err)" "1 0 1" \
	"what is no stream is between none"

# A frame that is cut at the end of one file and goes on in the next is in neither. The boot is
# known from the next INFO frame on.
cat t.trace t.trace.000001 >whole
head -c 560 whole >x.aa
tail -c +561 whole >x.ab
is "$(missing x.aa x.ab)" 1 "a frame cut in two is missing"
is "$(missing x.ab x.aa)" 1 "in any order"

# Two streams, and two loggers of one of them, one of which was started again.
piece u.trace 1 0 0 150000000 1 severe
piece u.trace.000001 1 60 4 450000000 3 severe
is "$(told t.trace* u.trace* | sed '/^---/d; s/, after.*//')" \
	"*** 512 frames missing between t.trace.000002 and t.trace.000003
*** 40 frames missing between u.trace and u.trace.000001" "each stream has its accounts"
piece v.trace 1 0 0 110000000 1
piece v.trace.000001 1 20 4 210000000 2
piece v.trace.000002 1 0 0 310000000 3
piece v.trace.000003 1 27 4 410000000 4
is "$(told t.trace* v.trace* | sed 's/, after.*//')" \
	"*** 512 frames missing between t.trace.000002 and t.trace.000003
*** 7 frames missing between v.trace.000002 and v.trace.000003" "and so has each recording"
is "$(order v.trace* t.trace*)" "100000000 200000000 300000000 400000000 500000000 110000000 210000000 310000000 410000000 " \
	"recordings are printed one after the other"
mkdir d
piece d/20231114-22.trace 1 0 0 100000000 1
piece d/20231114-23.trace 1 20 4 200000000 2
piece d/20231115-00.trace 1 0 0 300000000 3
piece d/20231115-01.trace 1 26 4 400000000 4
is "$(order d/20231115-01.trace d/20231115-00.trace d/20231114-22.trace d/20231114-23.trace)" \
	"100000000 200000000 300000000 400000000 " "names that are dates are of one logger"
is "$(missing d/*)" 6 "and accounted"
is "$(missing t.trace t.trace)" 0 "a file that is given twice has nothing missing"

# A zstd file is a piece as any other: of one block that is not compressed.
n=$(wc -c <t.trace.000002)
b=$((n << 3 | 1))
# shellcheck disable=SC2059 # bytes
{
	printf "$(printf '\\%03o' 40 181 47 253 160 $((n & 255)) $((n >> 8)) 0 0 \
		$((b & 255)) $((b >> 8 & 255)) $((b >> 16)))"
	cat t.trace.000002
} >t.zst
if traceinfo t.zst 2>&1 | grep -q 'built without libzstd'; then
	skip "a compressed piece" "no libzstd"
else
	is "$(missing t.trace t.zst t.trace.000003)" 532 "a compressed piece"
fi

# Reboots: one logger that goes on, whose clock begins in 1970 each time; one board by its name.
is "$(told t.trace t.trace.000001)" "" "no reboot within a boot"
piece r.trace 1 0 0 300000000 1
piece r.trace.000001 2 0 0 100000000 2
piece r.trace.000002 2 20 4 200000000 3
mark="--- the machine booted again: boot 02020202-0202-0202-0202-020202020202 follows boot 01010101-0101-0101-0101-010101010101"
is "$(told r.trace.000002 r.trace.000001 r.trace)" "$mark" "a reboot lies between two files"
is "$(order r.trace.000002 r.trace.000001 r.trace)" "300000000 100000000 200000000 " \
	"boots are in the order of their files"
is "$(cat r.trace r.trace.000001 r.trace.000002 | told -)" "$mark" "and between two parts of a pipe"
is "$(told --summary r.trace*)" "$mark" "and between two summaries"
is "$(traceinfo -J r.trace* | grep -c '^{"kind":"reboot","boot":"02020202-.*","before":"01010101-.*"}$')" \
	1 "and in JSON"
is "$(traceinfo --no-default-fmt -J r.trace* | json_check)" 55 "which is valid"
for b in 7 8; do
	for i in 1 2; do
		{
			gen_stream <<-END
			note board b$b
			note file 1
			boot $((10 * i + b))
			info
			clock 1000 17000000${i}0000000000
			event $((1000 + b)) i32:$i
			END
		} >b$b.$i.trace
	done
done
is "$(told b?.?.trace | sed -n 's/^--- \(b[78]\): the machine booted again: boot \(..\).*/\1 \2/p')" \
	"b7 1b
b8 1c" "of each of many boards"

# Random cuts of a stream into files, of which some are gone, in any order: what a pipe counts of
# whole frames, names count too.
SEED=${SEED:-$(date +%s)}
echo "# SEED=$SEED"
{
	echo boot 9
	echo info
	i=0
	while [ $i -lt 60 ]; do
		echo "info 1"
		echo "clock $((i * 1000)) 1700000000000000000"
		for k in 1 2 3 4 5; do
			echo "event $((i * 1000 + k)) u32:$i"
		done
		i=$((i + 1))
	done
} | gen_stream >long.trace
# Behind flags: no frame is cut.
perl -e '
	srand(shift);
	local $/;
	open(my $f, "<:raw", "long.trace") or die; my @f = <$f> =~ /([^\x7e]*\x7e)/gs;
	my $n = 0;
	while (@f) {
		my $bytes = join("", splice(@f, 0, 8 + int(rand(30))));
		my $gone = $n && @f > 40 && rand() < 0.3;
		open(my $o, ">:raw", sprintf("%s.%02d", $gone ? "gone" : "cut", $n++)) or die;
		print $o $bytes;
	}' "$SEED"
# shellcheck disable=SC2046 # words are files
is "$(missing $(printf '%s\n' cut.* | sort -r))" "$(cat cut.* | missing -)" \
	"any pieces of a stream, backwards: $(cat cut.* | missing -) frames missing"

echo "1..$count"
exit $((bad != 0))
