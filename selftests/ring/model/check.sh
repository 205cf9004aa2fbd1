#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - go through all orders of ring.pml with spin
#
#	make -C selftests/ring model | model-all
#
# First as it is, in pieces that fit into memory: no piece may fail; with ALL set
# there are larger ones. Then with one barrier or check taken out, each that the model
# has: every one must fail. JOBS (default: one for each CPU) run side by side. Needs
# spin, and half a GiB for each job, with ALL more; prints TAP and the states that were
# looked at.
#
# It says the same each time, as long as the model and its pieces are the same: so with QUICK
# set it is skipped if the last SINCE commits changed neither.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${O:?}
JOBS=${JOBS:-$(nproc)}
[ -z "${ALL:-}" ] || JOBS=1
count=0
failed=0

if ! command -v spin > /dev/null; then
	echo "TAP version 13"
	echo "1..1"
	echo "ok 1 model # SKIP spin is not installed"
	exit 0
fi
SINCE=40
# same: whether they did not; without so long a history nobody knows
same()
{
	git -C "$here" diff --quiet "HEAD~$SINCE" -- ring.pml 2> /dev/null &&
		! git -C "$here" diff "HEAD~$SINCE" -- check.sh |
			grep -E '^[-+](large|as_it_is|without|try|look|\t(spin|try|look|"?\$|\./pan))' \
				>/dev/null
}
if [ -n "${QUICK:-}" ] && same; then
	echo "TAP version 13"
	echo "1..1"
	echo "ok 1 model # SKIP it did not change in the last $SINCE commits"
	exit 0
fi
rm -rf "$out"
mkdir -p "$out" && cd "$out" || exit 1

# look NAME right|wrong OPTIMISE DEFINE...: leaves a line in NAME/result
look()
{
	local name=$1 want=$2 optimise=$3 states why got=wrong

	shift 3
	mkdir "$name" && cd "$name" || return
	spin "$@" -a "$here/ring.pml" > log 2>&1 &&
		"${CC:-gcc}" "$optimise" -w -DSAFETY -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c >> log 2>&1 &&
		./pan -m1000000 > log 2>&1
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
	why=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' log)
	# "wrong" is a claim that was violated, not a search that could not be made
	if grep -q 'errors: 0' log && ! grep -q 'Search not completed' log; then
		got=right
	elif [ -z "$why" ]; then
		got="neither: $(tail -n 1 log)"
	fi
	rm -f pan pan.?
	echo "$got" "${got/$want/ok} # ${states:-no} states${why:+, ${why:0:70}}" > result
	cd ..
}

names=()
# try NAME right|wrong OPTIMISE DEFINE...
try()
{
	names+=("$1")
	while [ "$(jobs -pr | wc -l)" -ge "$JOBS" ]; do
		wait -n
	done
	look "$@" &
}

# as_it_is NAME DEFINE..., and large, of millions of states: only there the optimizer, which
# takes five times as long as the compiler without it, makes up for that
as_it_is() { local n=$1; shift; try "$n" right -O0 "$@"; }
large() { local n=$1; shift; try "$n" right -O2 "$@"; }
# without DEFINE WRITER IRQ NMI READS [DEFINE...]: as little as it takes to see it
without()
{
	local what=$1 events=(-DWRITER="$2" -DIRQ="$3" -DNMI="$4" -DREADS="$5")

	shift 5
	try "$what" wrong -O0 -DNO_"$what" "${events[@]}" "$@"
}

echo "TAP version 13"
large writer,interrupt,nmi -DWRITER=1 -DIRQ=1 -DNMI=1
as_it_is writer,interrupt,reader -DWRITER=1 -DIRQ=1 -DNMI=0 -DREADS=2
as_it_is clears,voids -DWRITER=1 -DIRQ=1 -DNMI=0 -DREADS=1 -DCLEARS=1 -DVOIDS=1
as_it_is small-blocks -DWRITER=1 -DIRQ=1 -DNMI=0 -DREADS=1 -DBLOCK=2 -DIDX0=12
as_it_is four-events -DWRITER=4 -DIRQ=0 -DNMI=0 -DREADS=1
as_it_is evicts-two-more -DWRITER=3 -DIRQ=0 -DNMI=0 -DREADS=2 -DAHEAD=2
as_it_is two-events,interrupt,reader -DWRITER=2 -DIRQ=1 -DNMI=0 -DREADS=1
if [ -n "${ALL:-}" ]; then
	large writer,interrupt,nmi,reader -DWRITER=1 -DIRQ=1 -DNMI=1 -DREADS=1
	large two-events,interrupt,nmi -DWRITER=2 -DIRQ=1 -DNMI=1
	large two-events,interrupt,clears,voids -DWRITER=2 -DIRQ=1 -DNMI=0 -DREADS=2 \
		-DCLEARS=1 -DVOIDS=1 -DLEAST=2
fi
without CLOCK_BEHIND_HEAD	1 1 0 0
without ENTER_NEST		1 1 0 0
without RESERVE_EXCHANGE	2 1 0 0
without EASY_TAIL		1 1 0 1
without EASY_BLOCK		4 0 0 1
without SLOW_PAD		1 0 0 0
without SLOW_ROOM		1 0 0 0
without SLOW_BUSY		1 1 1 0
without SLOW_EXCHANGE		1 1 0 0
without RESERVE_A		2 0 0 1
without EVICT_MIN		1 1 1 0
without EVICT_DOUBT		1 1 0 1
without EVICT_EXCHANGE		1 1 0 1
without CROSS_COMPARE		1 1 0 1 -DBLOCK=2 -DIDX0=12
without CROSS_A_POSITION	1 1 0 1
without CROSS_A_INDEX		1 1 0 1
without LEAVE_NEST		1 1 0 0
without LEAVE_ORDER		1 1 0 0
without LEAVE_SECOND_LOOK	1 1 0 0
without LEAVE_A			1 1 0 1
without VOID_BEFORE_LEAVE	1 0 0 1 -DVOIDS=1
without VIEW_A			1 1 0 1
without VIEW_B			1 0 0 1
without VIEW_SECOND_LOOK	4 0 0 1
without FETCH_FIRST_LOOK	2 0 0 1
without FETCH_COMMIT		1 1 0 1
without FETCH_B			1 1 0 1
without FETCH_SECOND_LOOK	1 1 0 1
wait
for name in "${names[@]}"; do
	count=$((count + 1))
	read -r got line 2> /dev/null < "$name/result" || { got=none line="- # no result"; }
	case $line in
	ok\ *)	echo "ok $count - $name ${line#ok }" ;;
	*)	echo "not ok $count - $name # $got, ${line#* # }"; failed=1 ;;
	esac
done
echo "1..$count"
exit $failed
