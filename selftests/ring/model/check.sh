#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh - go through all interleavings of ring.pml with spin
#
#	make -C selftests/ring model
#
# First as it is, in pieces that fit into memory: no piece may fail. Then with
# something taken out: each must. Needs spin and 2 GiB; prints TAP.

here=$(cd "$(dirname "$0")" && pwd)
out=${O:?}
count=0
failed=0

if ! command -v spin > /dev/null; then
	echo "TAP version 13"
	echo "1..1"
	echo "ok 1 model # SKIP spin is not installed"
	exit 0
fi
mkdir -p "$out" && cd "$out" || exit 1

# check NAME right|wrong WRITER IRQ NMI READER [more]
check()
{
	name=$1 want=$2
	count=$((count + 1))
	rm -f pan pan.* ./*.trail
	spin -DWRITER="$3" -DIRQ="$4" -DNMI="$5" -DREADER="$6" ${7:+"$7"} -a "$here/ring.pml" > log &&
		${CC:-gcc} -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c || exit 1
	./pan -m1000000 > log 2>&1
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
	why=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' log)
	got=wrong
	if grep -q 'errors: 0' log && ! grep -q 'Search not completed' log; then
		got=right
	elif [ -z "$why" ]; then
		got="neither: the search did not end"
	fi
	if [ "$got" = "$want" ]; then
		echo "ok $count - $name # $states states${why:+, $why}"
	else
		echo "not ok $count - $name # $got, $states states${why:+, $why}"
		failed=1
	fi
}

echo "TAP version 13"
check writer,interrupt,nmi right 1 1 1 0
check writer,interrupt,reader right 1 1 0 1 -DLEAST=2
check writer,reader right 2 0 0 1
check evict-past-commit wrong 1 1 1 0 -DBREAK=1
check evict-plain-store wrong 1 1 1 0 -DBREAK=2
check reserve-plain-store wrong 1 1 1 0 -DBREAK=3
check leave-inner-publishes wrong 1 1 1 0 -DBREAK=4
check leave-no-second-look wrong 1 1 1 0 -DBREAK=5
check fetch-no-second-look wrong 2 0 0 1 -DBREAK=6
check easy-past-the-tail wrong 2 1 0 0 -DBREAK=7
echo "1..$count"
exit $failed
