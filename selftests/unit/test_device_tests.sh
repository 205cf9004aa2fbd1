#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_device_tests.sh - which programs selftests/vm/device-tests runs on a board, in a small
# tree with a board that prints their names
. "$(dirname "$0")/doc.sh"

if [ "$(uname -m)" != x86_64 ] || ! command -v flock >/dev/null; then
	echo "1..0 # SKIP no 32-bit programs on $(uname -m), or no flock"
	exit
fi
# The gate has its own.
unset BOARD_TURN FOREIGN_TURN SMALL_TURN
tree=$tmp/tree
vm=$tree/selftests/vm
mkdir -p "$vm" "$tree/lib" "$tree/tools/samples" "$tree/selftests/device/mods" \
	"$tree/selftests/fuzz/corpus-decode" "$tmp/kmod/samples" "$tmp/bin"
cp "$top/selftests/vm/device-tests" "$vm/"
mkdir "$tree/include"
cp "$top/include/version.mk" "$tree/include/"
: >"$tree/selftests/device/mods/Kbuild"
: >"$tree/selftests/fuzz/corpus-decode/x"
for mod in devtrace samples/metronome; do
	: >"$tmp/kmod/$mod.ko"
done
printf 'all install:\n' | tee "$tree/lib/Makefile" "$tree/tools/Makefile" >"$tree/tools/samples/Makefile"
cat >"$tree/selftests/device/Makefile" <<'END'
install:
emit_tests:
	@echo "t:test_lib"; echo "t:test_names"
$(OUTPUT)/%:
	@mkdir -p $(@D) && touch $@
END
printf '#!/bin/sh\necho %s\n' "$tmp/kmod" >"$vm/build-kmod"
cat >"$vm/board" <<'END'
#!/bin/sh
for word; do
	case $word in
	armhf)			cross=CROSS_COMPILE=arm-linux-gnueabihf- ;;
	--make-vars)		echo "$cross"; exit ;;
	--fetch|--sysroot)	exit ;;
	/selftests/test_*)	echo "ran ${word##*/}" ;;
	esac
done
END
printf '#!/bin/sh\n' >"$tmp/bin/i686-linux-gnu-gcc"
chmod +x "$vm/build-kmod" "$vm/board" "$tmp/bin/i686-linux-gnu-gcc"

# ran BOARD TURN: the programs, in their order; what device-tests prints is in $tmp/out
ran()
{
	PATH=$tmp/bin:$PATH SMALL_TURN=$2 O=$tmp/o "$vm/device-tests" "$1" >"$tmp/out" 2>"$tmp/err" ||
		{ cat "$tmp/err"; return; }
	sed -n 's/^ran //p' "$tmp/out" | sort | tr '\n' ' '
}
small='test_access.32 test_lane_life.32 test_lib test_lib.32 test_names test_now.32 test_profile_calls.32 '
small="${small}test_seek.32 test_write.32 "
check "board 6.1 has seven programs as 32-bit ones too" [ "$(ran 6.1 '')" = "$small" ]
check "and none is skipped" sh -c "! grep SKIP '$tmp/out'"
check "another has not" [ "$(ran 6.12 '')" = "test_lib test_names " ]
check "in two turns each of them runs once" \
	[ "$( (ran 6.1 0/2; ran 6.1 1/2) | tr ' ' '\n' | grep '\.32$' | sort | tr '\n' ' ')" = \
	  "$(echo "$small" | tr ' ' '\n' | grep '\.32$' | sort | tr '\n' ' ')" ]
ran 6.1 1/2 >"$tmp/ran"
check "and the others each time" grep -q 'test_lib test_lib.32 test_names' "$tmp/ran"
"$top/selftests/tap" "$tmp/results" x <"$tmp/out" >/dev/null
check "what does not is skipped, and counted" \
	[ "$(grep -c '^S	x: test_[a-z_]*\.32: .*SKIP it has its turn in another run' "$tmp/results")" = 3 ]
halves=$(FOREIGN_TURN=0/2; export FOREIGN_TURN; ran armhf ''; FOREIGN_TURN=1/2; ran armhf '')
check "on another machine each program has one of two turns" [ "$halves" = "test_names test_lib " ]
check "the others are one skip, and counted" grep -q '^ok 1 # SKIP 1 programs have' "$tmp/out"
check "without turns all run there" [ "$(ran armhf '')" = "test_lib test_names " ]
check "on this machine none is left out" \
	[ "$(FOREIGN_TURN=0/2; export FOREIGN_TURN; ran 6.12 '')" = "test_lib test_names " ]
for board in 6.12 rt 6.1/1 6.12/1of2; do
	halves=$(BOARD_TURN=0/2; export BOARD_TURN; ran $board ''; BOARD_TURN=1/2; ran $board '')
	halves=$(echo "$halves" | tr ' ' '\n' | grep -v '\.32$' | xargs)
	check "on $board each program has one of two turns" [ "$halves" = "test_names test_lib" ]
	check "and the other one of $board is a skip" grep -q '^ok 1 # SKIP 1 programs have' "$tmp/out"
done
check "these turns are not those of another machine" \
	[ "$(BOARD_TURN=0/2; export BOARD_TURN; ran armhf '')" = "test_lib test_names " ]
check "and board 6.1 has all of them" \
	[ "$(BOARD_TURN=0/2 FOREIGN_TURN=0/2; export BOARD_TURN FOREIGN_TURN; ran 6.1 '')" = "$small" ]
done_testing
