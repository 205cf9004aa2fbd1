#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_ci_run.sh - which boards, scripts and files .ci/run chooses, by selftests/turn.sh, in a
# small tree of its own
. "$(dirname "$0")/doc.sh"

command -v git >/dev/null || { echo "1..0 # SKIP no git"; exit 0; }

tree=$tmp/tree
mkdir -p "$tree/.ci" "$tree/selftests"
cp "$top/.ci/run" "$tree/.ci/"
printf '#!/bin/sh\n' >"$tree/.ci/deps"
printf 'user:\n' >"$tree/Makefile"
cp "$top/selftests/turn.sh" "$tree/selftests/"
cat >"$tree/selftests/check" <<'END'
#!/bin/bash
BOARDS=6.1 only='' left_out=''
. "${0%/*}/turn.sh"
echo "later $LATER"
echo "style $STYLE_TURN"
echo "small $SMALL_TURN"
echo "foreign $FOREIGN_TURN"
echo "board $BOARD_TURN"
echo "flags $KCFLAGS $CFLAGS $USERCFLAGS"
echo "length $LENGTH"
echo "$BOARDS: $*$left_out"
exit 7
END
chmod +x "$tree/.ci/deps" "$tree/selftests/check"
# No settings and no repository but ours
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES="$tmp"
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
run() { "$1/.ci/run" >"$tmp/out" 2>&1; status=$?; }
boards() { tail -n 1 "$tmp/out"; }
all='6.1 5.10/1: 6.1 6.12-rt: 6.1 6.12: 6.1 arm64: 6.1 armhf: 6.1 newest: 6.1 rt: 6.1: '

run "$tree"
check "without a history it runs" grep -q '^# turn [0-9]*: ' "$tmp/out"
check "and has board 6.1" grep -q '^6\.1' "$tmp/out"
check "it builds without what a debugger needs" grep -qx 'flags -g0 -O2 -g0' "$tmp/out"
check "tests are short" grep -qx 'length short' "$tmp/out"
check "a length that is none is refused" sh -c 'LENGTH=long "$1" 2>&1 | grep -q "must be short"' x \
	"$top/selftests/check"
check "the exit status is that of selftests/check" [ "$status" = 7 ]

git -C "$tree" init -q
git -C "$tree" add .
n=0
while [ $n -lt 32 ]; do
	n=$((n + 1))
	git -C "$tree" commit -q --allow-empty -m $n
	run "$tree"
	boards >>"$tmp/turns"
	sed -n 's/^# turn .*compiled for \(.*\); .*/\1/p' "$tmp/out" >>"$tmp/builds"
	sed -n 's/^later *//p' "$tmp/out" >>"$tmp/later"
	sed -n 's/^style *//p' "$tmp/out" >>"$tmp/style"
	sed -n 's/^small *//p' "$tmp/out" >>"$tmp/small"
	sed -n 's/^foreign *//p' "$tmp/out" >>"$tmp/foreign"
	sed -n 's/^board *//p' "$tmp/out" >>"$tmp/board"
done
check "in eight commits each has its turn" \
	[ "$(head -n 8 "$tmp/turns" | sed 's/:.*/:/' | LC_ALL=C sort | tr '\n' ' ')" = "$all" ]
check "and then the first again" [ "$(sed -n 1p "$tmp/turns")" = "$(sed -n 9p "$tmp/turns")" ]
check "each kernel that test_kernel_build compiles for has its turn, too" \
	[ "$(tr ' ' '\n' <"$tmp/builds" | grep -vx none | LC_ALL=C sort -u | xargs)" = \
		"$(sed -n 's/.*{BUILD_KERNELS:-\(.*\)}.*/\1/p' "$here/test_kernel_build.sh" |
			tr ' ' '\n' | LC_ALL=C sort | xargs)" ]
check "but where none has there is no script for them" \
	[ "$(paste -d' ' "$tmp/builds" "$tmp/later" | grep -c '^none .*test_kernel_build')" = \
	  "$(grep -c test_kernel_build "$tmp/later")" ]
head -n 8 "$tmp/later" | tr ' ' '\n' | sort | uniq -c >"$tmp/named"
# test_kernel_build.sh is left out five times in eight commits, nine others seven times
check "scripts that take minutes have their turn" \
	[ "$(awk '{ print $1 }' "$tmp/named" | sort | uniq -c | xargs)" = "1 5 9 7" ]
check "each of them is there" \
	[ "$(cd "$here" && awk '{ print $2 }' "$tmp/named" | xargs ls | wc -l)" -eq "$(wc -l <"$tmp/named")" ]
check "it says which run in another" grep -q '^# turn .*; of unit without test_.*\.sh' "$tmp/out"
later=$(sed -n 's/^later *//p' "$tmp/out")
make -s -C "$here" check TESTS= PLAIN= HELPERS= lib= SCRIPTS="$later" LATER="$later" O="$tmp/o" >"$tmp/skips"
check "they are skipped, and counted" \
	[ "$(grep -c '^ok 1 test_.*\.sh # SKIP it has its turn in another run$' "$tmp/skips")" -eq "$(echo "$later" | wc -w)" ]
check "in four commits each file has its turn with checkpatch" \
	[ "$(sort -u "$tmp/style" | tr '\n' ' ')" = "0/4 1/4 2/4 3/4 " ]
check "and so has each 32-bit program" \
	[ "$(sort -u "$tmp/small" | tr '\n' ' ')" = "0/4 1/4 2/4 3/4 " ]
# shares FILE BOARD: how often the board had which part
shares() { paste -d: "$tmp/turns" "$tmp/$1" | sed -n "s|^6.1 $2:.*:||p" | sort | uniq -c | xargs; }
for board in armhf arm64; do
	check "$board has another eighth in each turn" \
		[ "$(shares foreign $board)" = "1 0/8 1 1/8 1 2/8 1 3/8" ]
done
for board in 6.12 rt 6.12-rt 5.10/1 newest; do
	check "$board has all fourths in four turns" \
		[ "$(shares board $board)" = "1 0/4 1 1/4 1 2/4 1 3/4" ]
done
check "it says why" grep -q '^# turn 32: beside board 6.1 6.12;' "$tmp/out"
check "what starts boards of its own is left out" [ "$(grep -c -- '--again --static vm  firstweek $' "$tmp/turns")" = 28 ]
check "but when it is its turn" grep -qx '6.1: --again --static' "$tmp/turns"

git clone -q --depth 1 "file://$tree" "$tmp/shallow"
run "$tmp/shallow"
check "a clone without its history has that of the day" grep -q "^# turn $(($(date +%s) / 86400))" "$tmp/out"

# Which files selftests/static gives to a checkpatch that writes down their names
mkdir -p "$tree/selftests/vm" "$tree/scripts" "$tree/lib/x"
cp "$top/selftests/static" "$tree/selftests/"
printf '#!/bin/sh\necho %s\n' "$tree" >"$tree/selftests/vm/board"
chmod +x "$tree/selftests/vm/board"
cat >"$tree/scripts/checkpatch.pl" <<'END'
open(my $read, ">>", "$ENV{tmp}/read");
print $read map { "$_\n" } grep { m,^lib/, } @ARGV;
END
for f in 1 2 3 4 5 6 7 8; do
	: >"$tree/lib/x/f$f.c"
done
# So do these, which are given names or a directory
mkdir -p "$tmp/bin" "$tree/scripts/coccinelle"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" | grep ^lib/ >>"$tmp/read"\n' >"$tmp/bin/cppcheck"
printf '#!/bin/sh\nfor dir; do :; done; find "$dir" -name "*.c" -printf "%%f\\n" >>"$tmp/read"\n' >"$tmp/bin/spatch"
chmod +x "$tmp/bin/cppcheck" "$tmp/bin/spatch"
echo 'virtual report' >"$tree/scripts/coccinelle/x.cocci"
echo 'script:ocaml' >"$tree/scripts/coccinelle/y.cocci"
mkdir -p "$tree/kmod/x"
cp "$tree"/lib/x/* "$tree/kmod/x/"
style() { env tmp="$tmp" STYLE_TURN="$1" O="$tmp/o" "$tree/selftests/static" style >"$tmp/styled"; }
# was_read: how often each file was, in their order
was_read() { sort "$tmp/read" | uniq -c | awk '{ printf "%s ", $1 }'; }
git -C "$tree" add .
git -C "$tree" commit -q -m files
style 1/4
check "without so many commits all files are read" [ "$(was_read)" = "1 1 1 1 1 1 1 1 " ]
n=0
while [ $n -lt 40 ]; do
	n=$((n + 1))
	git -C "$tree" commit -q --allow-empty -m $n
done
echo | tee "$tree/lib/x/f3.c" >"$tree/kmod/x/f3.c"
git -C "$tree" commit -q -a -m changed
echo | tee "$tree/lib/x/f5.c" >"$tree/kmod/x/f5.c"
: >"$tmp/read"
for turn in 0/4 1/4 2/4 3/4; do style $turn; done
check "files that changed are read each time, the others in turn" [ "$(was_read)" = "1 1 4 1 4 1 1 1 " ]
for tool in cppcheck_all coccicheck; do
	: >"$tmp/read"
	for turn in 0/4 1/4 2/4 3/4; do
		env tmp="$tmp" PATH="$tmp/bin:$PATH" STYLE_TURN=$turn O="$tmp/o" "$tree/selftests/static" $tool
	done >"$tmp/tool"
	check "so it is with $tool" [ "$(was_read)" = "1 1 4 1 4 1 1 1 " -a "$(grep -c ^ok "$tmp/tool")" = 8 ]
done
check "what is left out is skipped, and counted" \
	grep -q '^ok 5 11 files more # SKIP they have their turn in another run$' "$tmp/styled"
: >"$tmp/read"
style ''
check "without a turn all are read" [ "$(was_read)" = "1 1 1 1 1 1 1 1 " ]
check "and none is skipped" [ "$(grep -c '^ok' "$tmp/styled")" = 4 ]
echo "always+=,NEW_RULE" >>"$tree/selftests/static"
: >"$tmp/read"
style 1/4
check "all are if the rules changed, too" [ "$(was_read)" = "1 1 1 1 1 1 1 1 " ]
done_testing
