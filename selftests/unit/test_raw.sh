#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_raw.sh - traceinfo --raw: what it writes prints as what it was made of
#
# shellcheck disable=SC2094,SC2181 # different files; $? after two lines

here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
for gen in "$here"/traceinfo/*.gen; do
	gen_stream < "$gen" > "$(basename "$gen" .gen).trace" || exit 1
done
ti() {
	traceinfo --no-default-fmt "$@"
}

# Without a filter: the same bytes, whatever they are, in pieces of any size.
for f in *.trace; do
	ti --raw "$f" > raw
	cmp -s "$f" raw
	ok $? "$f as it is"
done
dd bs=7 < damage.trace 2>/dev/null | ti --raw - | cmp -s damage.trace -
ok $? "a damaged stream that comes in pieces"
cat board.trace late.trace > joined
ti --raw joined | cmp -s joined -
ok $? "two streams that are joined"

# With one: what remains prints as with the filter, and nothing is missing.
same() {
	stream=$1
	shift
	ti -J "$@" "$stream" | grep -v '"kind":"\(gap\|damage\)"' > want
	for bs in 1 4096; do
		dd bs=$bs < "$stream" 2>/dev/null | ti --raw "$@" - > raw
		ti -J raw | grep -v '"kind":"\(gap\|damage\)"' > got
		cmp -s want got || return 1
	done
	# Twice changes nothing.
	ti --raw "$@" raw | cmp -s raw -
}
for f in board damage lanes late control boot; do
	same $f.trace -t 0-255
	ok $? "$f.trace, by a filter that all pass"
	same $f.trace -s 1
	ok $? "$f.trace, severity 1 and above"
	same $f.trace -C 0
	ok $? "$f.trace, CPU 0"
done
ti --raw -s 1 board.trace > raw
[ "$(ti -J raw | grep -c '"kind":"gap"')" = "$(ti -J board.trace | grep -c '"kind":"gap"')" ]
ok $? "what a filter leaves out is not missing"
[ "$(wc -c < raw)" -lt "$(wc -c < board.trace)" ]
ok $? "and it is shorter"
# Frames missing in the input are missing in the output.
missing() {
	ti --statistics "$1" | awk '/frames missing/ { print $1 }'
}
ti --raw -t 0-255 damage.trace > raw
[ "$(missing raw)" = "$(missing damage.trace)" ] && [ "$(missing raw)" != 0 ]
ok $? "$(missing raw) frames missing as before"
# The load comes behind INFO, in no item: -v tells it.
ti -v boot.trace | grep ' of the module' > want
ti --raw -t 0-255 boot.trace | ti -v - | grep ' of the module' > got
cmp -s want got
ok $? "the load of the module"

# Mistakes.
head -c 100000 /dev/zero | tr '\0' 'x' > nothing
ti --raw nothing > raw 2> err
[ $? = 1 ] && [ ! -s raw ] && grep -q 'not a trace stream' err
ok $? "a file that is no stream gives nothing"
for o in -J -f --summary --statistics '-n 3'; do
	# shellcheck disable=SC2086 # words
	ti --raw $o > raw 2> err
	[ $? = 2 ] && [ ! -s raw ] && grep -q -- '--raw' err
	ok $? "not with $o"
done
ti --raw board.trace > /dev/full 2> err
[ $? = 1 ] && grep -q 'standard output' err
ok $? "a disk that is full"
if script -qec true /dev/null > /dev/null 2>&1; then
	script -qec 'traceinfo --raw board.trace; echo status $?' /dev/null > screen < /dev/null
	grep -q 'status 2' screen && grep -q terminal screen
	ok $? "not on a terminal"
fi
done_testing
