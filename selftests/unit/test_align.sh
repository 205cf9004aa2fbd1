#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_align.sh - traceinfo --align, with two boards whose clocks drift and step
#
# SEED=n repeats a run.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
SEED=${SEED:-$(date +%s)}
echo "# SEED=$SEED"
python3 "$here/align_model.py" make "$SEED" 10000 a.gen b.gen truth || exit 1
for b in a b; do
	gen_stream <$b.gen >$b.trace || exit 1
done

traceinfo --no-default-fmt -J --align sent=received a.trace b.trace >events.json
ok $? "10000 messages there and back tie two boards"
python3 "$here/align_model.py" check truth events.json >got 2>&1
ok $? "no event is farther off than stated, and no effect before its cause"
sed 's/^[^#]/# &/' got
traceinfo --no-default-fmt --align sent=received b.trace a.trace | head -n 2 | tail -n 1 >line
grep -q '^--- board a: error unknown, [23]\.[0-9]* s behind b +-[0-9]* us by 20000 pairs, a.trace$' line
ok $? "the other way round, the first board dates the events: $(cat line)"

# A name that a file gives may have control characters.
nr=0
for b in 'b\x1b[31m1' b2; do
	nr=$((nr + 1))
	printf '%s\n' "note board \"$b\"" 'info 0' 'clock 1000 1000' "event 2000 type=200 u32:$nr" |
		gen_stream >name.$nr
done
traceinfo --no-default-fmt --align 200 name.1 name.2 2>said
is "$? $(cat said)" '1 traceinfo: --align 200: board b2 and board b\x1b[31m1 have no such event whose arguments are equal, once on each board' \
	"a name with control characters is escaped"
done_testing
