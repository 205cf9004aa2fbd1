#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_rooms.sh - whether selftests/rooms sees who uses a room above its own
. "$(dirname "$0")/doc.sh"

# A tree of ours, with one wrong include put in.
mkdir "$tmp/tree"
cp -r "$top/kmod" "$top/lib" "$top/tools" "$tmp/tree"
check "no file includes from a room above" "$top/selftests/rooms" includes "$tmp/tree"
echo '#include "profile/profile.h"' >>"$tmp/tree/kmod/ring/ring.c"
check "an include from above is refused" \
	sh -c "! '$top/selftests/rooms' includes '$tmp/tree' >'$tmp/said'"
check "it is named, with its line" grep -qx \
	"kmod/ring/ring.c:[0-9]*: \"profile/profile.h\" is of a room above" "$tmp/said"
check "nothing else is" [ "$(wc -l <"$tmp/said")" = 1 ]

# said ROOM TEXT LINE: a room with one file, with this text: LINE is said
said()
{
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/kmod/$1" "$tmp/tree/lib" "$tmp/tree/tools"
	echo "$2" >"$tmp/tree/kmod/$1/one.c"
	! "$top/selftests/rooms" includes "$tmp/tree" >"$tmp/said" && grep -qx "$3" "$tmp/said"
}
check "the only file of a room is named, too" said ring '#include "lane/lane.h"' \
	'kmod/ring/one.c:1: "lane/lane.h" is of a room above'
check "an include in angle brackets is refused" said ring ' # include <lane/lane.h>' \
	'kmod/ring/one.c:1: "lane/lane.h" is of a room above'
check "a folder without a place is refused" said attic 'int attic;' \
	'kmod/attic: is no room; give it a place in the order'

# Objects of three files: one room uses the one below, which is right, then above.
object()	# PATH.o SOURCE
{
	mkdir -p "$(dirname "$tmp/objs/$1")"
	echo "$2" | $CC -x c -c -o "$tmp/objs/$1" -
}
object wire/low.o 'int low(void); int low(void) { return 1; }'
object decode/high.o 'int low(void), high(void); int high(void) { return low(); }'
check "a room may use one below" "$top/selftests/rooms" symbols lib "$tmp/objs"
object wire/wrong.o 'int high(void), wrong(void); int wrong(void) { return high(); }'
check "a symbol from above is refused" \
	sh -c "! '$top/selftests/rooms' symbols lib '$tmp/objs' >'$tmp/said'"
check "it is named, with its file" \
	grep -qx "lib/wire/wrong.c: high() is of lib/decode/high.c, above" "$tmp/said"
# Two files of one room that use each other
object decode/low.o 'int high(void), low2(void); int low2(void) { return high(); }'
rm "$tmp/objs/wire/wrong.o"
check "a file of a room may use another one" "$top/selftests/rooms" symbols lib "$tmp/objs"
object decode/high.o 'int low(void), low2(void), high(void); int high(void) { return low() + low2(); }'
check "two that use each other are refused" \
	sh -c "! '$top/selftests/rooms' symbols lib '$tmp/objs' >'$tmp/said'"
check "they are named, with what they use" grep -qx \
	"lib/decode/high.c and lib/decode/low.c: use each other: low2(), high()" "$tmp/said"
# A name that tells nothing
check "no function of kmod and lib is one bare word" "$top/selftests/rooms" names
rm -rf "$tmp/tree"
mkdir -p "$tmp/tree/kmod/ring" "$tmp/tree/lib/wire"
printf 'static void nothing(void)\n{\n}\n\nint ring_go(void)\n{\n}\n' >"$tmp/tree/kmod/ring/ring.c"
check "a bare word is refused" sh -c "! '$top/selftests/rooms' names '$tmp/tree' >'$tmp/said'"
check "it alone is named" [ "$(cat "$tmp/said")" = \
	"kmod/ring/ring.c:1: nothing() begins with no name of its file" ]
rm "$tmp/tree/kmod/ring/ring.c"
printf 'static bool put(int n)\n{\n}\n' >"$tmp/tree/lib/wire/frame.c"
check "of the library, too" sh -c "! '$top/selftests/rooms' names '$tmp/tree' >'$tmp/said'"
check "with its file and line" [ "$(cat "$tmp/said")" = \
	"lib/wire/frame.c:1: put() begins with no name of its file" ]
done_testing
