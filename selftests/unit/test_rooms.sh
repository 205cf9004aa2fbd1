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
check "each function of kmod and lib has a name of its file or room" "$top/selftests/rooms" names
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
rm "$tmp/tree/lib/wire/frame.c"

# named TEXT LINE: the ring of a tree has this function: LINE alone is said, or nothing
named()
{
	printf '%s\n{\n}\n' "$1" >"$tmp/tree/kmod/ring/ring_read.c"
	"$top/selftests/rooms" names "$tmp/tree" >"$tmp/said"
	[ "$(cat "$tmp/said")" = "$2" ]
}
check "a name of another room is refused" named 'int lane_go(void)' \
	"kmod/ring/ring_read.c:1: lane_go() begins with no name of its file or room"
check "behind devtrace_, too" named 'int devtrace_lane_go(struct ring *r,' \
	"kmod/ring/ring_read.c:1: devtrace_lane_go() begins with no name of its file or room"
check "a name of the file is right" named 'int read_go(void)' ""
check "a name of the room is right" named 'struct ring *__devtrace_ring_go(void)' ""
check "a static function is called as its file likes" named 'static int lane_go(void)' ""
mkdir -p "$tmp/tree/kmod/lane"
printf 'void slots_go(void)\n{\n}\n' >"$tmp/tree/kmod/lane/take.c"
check "a word that the room has is right" named 'int ring_go(void)' ""
mv "$tmp/tree/kmod/lane" "$tmp/tree/kmod/emit"
check "but not in another room" named 'int ring_go(void)' \
	"kmod/emit/take.c:1: slots_go() begins with no name of its file or room"

# A rule that is written a second time
check "rules that are to be written once are" "$top/selftests/rooms" rules
rm -rf "$tmp/tree"
mkdir -p "$tmp/tree/kmod/lane" "$tmp/tree/kmod/read" "$tmp/tree/lib" "$tmp/tree/tools" "$tmp/tree/include/uapi/linux"
again()	# FILE TEXT PLACE
{
	printf '\n%s\n' "$2" >"$tmp/tree/$1"
	! "$top/selftests/rooms" rules "$tmp/tree" >"$tmp/said" || return
	rm "$tmp/tree/$1"
	[ "$(cat "$tmp/said")" = "$1:2: this rule is in $3" ]
}
uapi=include/uapi/linux/devtrace.h
check "types of programs: a second rule is named" again lib/one.c \
	'	return type < DEVTRACE_T_KERNEL || type >= DEVTRACE_T_USER2;' $uapi
check "types of the transport" again tools/one.c \
	'	return type == DEVTRACE_T_ENUM || type - DEVTRACE_T_CLOCK < 13;' $uapi
check "flags of an event" again kmod/read/one.h '	bad = flags & ~DEVTRACE_F_MASK_EMIT;' $uapi
check "severities" again include/one.h '	return !e->severity || e->severity >> 3 == 1;' $uapi
check "kinds of a source" again kmod/read/one.c \
	'	if (unlikely(src->kind != SOURCE_LANE))' kmod/read/source.h
check "names of severities" again tools/one.c '	return "sw0";' $uapi
check "hashes without a key" again kmod/lane/one.c \
	'	return &table[hash_32(tid, TID_HASH_BITS)];' kmod/emit/proc.c
echo '	case SOURCE_RING:' >"$tmp/tree/kmod/read/source.h"
check "the place itself may have it" "$top/selftests/rooms" rules "$tmp/tree"
done_testing
