#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_check.sh - selftests/check on a small tree of its own: what it counts, that
# jobs run side by side and their output stays in one piece, and that nothing is
# left running when it is ended
. "$(dirname "$0")/doc.sh"

command -v setsid >/dev/null || { echo "1..0 # SKIP no setsid"; exit 0; }

tree=$tmp/tree
mkdir -p "$tree/selftests"
cp "$top/selftests/check" "$top/selftests/turn.sh" "$top/selftests/tap" "$tree/selftests/"
printf 'user:\n\t@echo built >>%s\n' "$tmp/built" >"$tree/Makefile"

# job NAME: a directory whose tests are the shell script on standard input
job()
{
	mkdir "$tree/selftests/$1"
	cat >"$tree/selftests/$1/tests"
	printf 'check:\n\t@sh tests\n' >"$tree/selftests/$1/Makefile"
}
run()
{
	status=0
	O=$tmp/o BOARDS="${boards-}" timeout 600 "$tree/selftests/check" "$@" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
}
last() { tail -n 1 "$tmp/out"; }
pieces() { grep -E '^(ok|not ok|# =====)' "$tmp/out" | tr '\n' ';'; }
# gone FILE: the process whose number is in it has ended
gone()
{
	tries=0
	while [ -d "/proc/$(cat "$1")" ] && ! grep -q '^State:.*Z' "/proc/$(cat "$1")/status"; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || return 1
		sleep 0.1
	done
}

# Each waits for the other: they end only if both run
meet='>$tmp/$me.here
	n=0
	while [ ! -e $tmp/$other.here ] && [ $n -lt 6000 ]; do n=$((n + 1)); sleep 0.1; done
	[ -e $tmp/$other.here ]'
job a <<END
echo 1..2
tmp=$tmp me=a other=b
$meet && echo "ok 1 a meets b" || echo "not ok 1 a meets b"
echo "ok 2 a # SKIP no reason"
END
job b <<END
echo 1..1
tmp=$tmp me=b other=a
$meet && echo "ok 1 b meets a" || echo "not ok 1 b meets a"
END
JOBS=2 run
check "two jobs run at the same time" [ "$(last) $status" = "2 passed, 0 failed, 1 skipped 0" ]
check "what all share is built first, once" [ "$(cat "$tmp/built")" = built ]
pieces >"$tmp/pieces"
check "the output of each is in one piece" grep -qE \
	'# ===== a =====;ok 1 a meets b;ok 2 a # SKIP no reason;' "$tmp/pieces"
check "and so is that of the other" grep -qE '# ===== b =====;ok 1 b meets a;' "$tmp/pieces"
check "what was skipped is named" grep -q '^skipped: a: a' "$tmp/out"

JOBS=1 run --only b
check "of one job alone, only that one runs" [ "$(last)" = "1 passed, 0 failed, 0 skipped" ]
JOBS=none run
check "a number of jobs that is none is refused" [ $status = 2 ]

echo 'echo 1..2; echo ok 1 x; exit 0' | job short
JOBS=1 run --only short
check "a test that is missing fails" [ "$(last) $status" = "1 passed, 1 failed, 0 skipped 1" ]
printf '%s\n' 'echo "# begin x.sh"; echo ok 1 x' 'echo "# begin y"; echo 1..1; echo ok 1 y; echo "# end y 0"' |
	job cut
JOBS=1 run --only cut
check "and a program that was cut off before its plan is named" \
	[ "$(grep -c '^failed: cut: x.sh: did not come to its end$' "$tmp/out") $(last)" = "1 2 passed, 1 failed, 0 skipped" ]
echo 'exit 3' | job dies
JOBS=1 run --only dies
check "so does a job that ends with an error" [ "$(last) $status" = "0 passed, 1 failed, 0 skipped 1" ]
echo true | job empty
JOBS=1 run --only empty
check "and one without tests" [ "$(last) $status" = "0 passed, 1 failed, 0 skipped 1" ]
job tells <<'END'
echo 1..5
echo '# of the first'
echo ok 1 first
for n in $(seq 20); do echo "# line $n"; done
echo not ok 2 second
echo ok 3 '# SKIP why'
echo ok 4 '# SKIP why'
echo not ok 5 last
END
JOBS=1 run --only tells
tail -n 16 "$tmp/out" >"$tmp/told"
{
	echo 'skipped: tells: # SKIP why (2 times)'
	echo 'failed: tells: second'
	seq 9 20 | sed 's/^/	# line /'
	echo 'failed: tells: last'
	echo '1 passed, 2 failed, 2 skipped'
} >"$tmp/wanted"
check "at the end stands what a failed test said, the same skips once" \
	cmp -s "$tmp/told" "$tmp/wanted"

# Boards, and two jobs that start none: c and d. Each leaves its priority in here/NAME.
# Boards wait until MEET are there, and then look whether AWAY is not; they end when
# TOGETHER of them have looked. c and d end when ALL have, and come after the job BEGUN.
mkdir "$tree/selftests/device" "$tree/selftests/vm"
: >"$tree/selftests/device/Makefile"
cat >"$tmp/wait" <<'END'
# DIR NUMBER: until there are that many in it
n=0
while [ "$(ls "$1" | wc -l)" -lt "$2" ]; do n=$((n + 1)); [ $n -lt 6000 ] || exit 1; sleep 0.1; done
END
cat >"$tree/selftests/vm/device-tests" <<END
#!/bin/sh
echo 1..1
nice >$tmp/here/\${1#*/}
sh $tmp/wait $tmp/here \$MEET && sleep 1 && [ ! -e $tmp/here/\$AWAY ] &&
	echo "ok 1 \${1#*/}" || echo "not ok 1 \${1#*/} alone, or with \$AWAY"
touch $tmp/looked/\${1#*/}
sh $tmp/wait $tmp/looked \$TOGETHER
END
chmod +x "$tree/selftests/vm/device-tests"
cp "$tree/selftests/vm/device-tests" "$tmp/device-tests"
cat >"$tree/selftests/vm/device-tests" <<'END'
#!/bin/sh
printf '1..1\nok 1 fine\nboard: the kernel of the board reports a fault:\nrun-tests: x\r\nWARNING: y\n'
[ "$LONG" ] && seq -f '# said after that %.0f' 20000
exit 120
END
LONG='' boards=z run --only z
tail -n 6 "$tmp/out" >"$tmp/told"
{
	printf '\nfailed: board z: the kernel reported a fault\n'
	printf '\tboard: the kernel of the board reports a fault:\n\trun-tests: x\n\tWARNING: y\n'
	echo '1 passed, 1 failed, 0 skipped'
} >"$tmp/wanted"
check "and what the kernel of a board reported" cmp -s "$tmp/told" "$tmp/wanted"
LONG=y boards=z run --only z
check "also if programs ran after that" [ "$(last) $status" = "1 passed, 1 failed, 0 skipped 1" ]
cp "$tmp/device-tests" "$tree/selftests/vm/device-tests"
for name in c d; do
	job $name <<END
echo 1..1
nice >$tmp/here/$name
[ -e $tmp/o/check/\$BEGUN.results ] && echo "ok 1 $name" || echo "not ok 1 $name before \$BEGUN"
sh $tmp/wait $tmp/looked \$ALL
END
done
# boards JOBS MEET AWAY BEGUN BOARD...: c is job 0, d is 1, the boards come behind
boards()
{
	rm -rf "$tmp/here" "$tmp/looked"
	mkdir "$tmp/here" "$tmp/looked"
	export JOBS="$1" MEET="$2" AWAY="$3" BEGUN="$4"
	shift 4
	boards=$* ALL=$# TOGETHER=${together:-$((JOBS < $# ? JOBS : $#))}
	export ALL TOGETHER
	set --
	[ -n "${only_boards-}" ] || set -- --only c --only d
	for board in $boards; do
		set -- "$@" --only "$board"
	done
	run "$@"
}
boards 2 3 d 3 x y
check "beside two boards there is one that starts none" \
	[ "$(last)" = "4 passed, 0 failed, 0 skipped" ]
check "at a lower priority" [ "$(cat "$tmp/here/c")" -gt "$(nice)" ]
check "which boards do not have" [ "$(cat "$tmp/here/x" "$tmp/here/y")" = "$(nice; nice)" ]
boards 2 2 d 2 x
check "but not beside a board and another of its kind" \
	[ "$(last)" = "3 passed, 0 failed, 0 skipped" ]
boards 2 2 none 4 armhf arm64 s390x
check "not as long as a slow board is still to come" \
	[ "$(last)" = "5 passed, 0 failed, 0 skipped" ]
boards 1 1 c 2 x
check "and not where there is one job at a time" \
	[ "$(last)" = "3 passed, 0 failed, 0 skipped" ]

# A board with one CPU is here as 1; those that look for what is their own fail
looked_well() { [ "$(grep -c "^ok 1 [$1]\$" "$tmp/out")" -eq ${#1} ]; }
boards 2 3 1 3 x y x/1
check "a board with one CPU is not there beside that one as well" looked_well xy
only_boards=1
boards 2 3 none - x y x/1
check "but where there are only boards" [ "$(last)" = "3 passed, 0 failed, 0 skipped" ]
check "at a lower priority too" [ "$(cat "$tmp/here/1")" -gt "$(nice)" ]
boards 2 2 z - x y z
check "one with more CPUs is not" looked_well xy
together=3
boards 2 3 2 - x y x/1 x/1of2
check "nor are two of them" looked_well xy1
unset JOBS boards only_boards together
echo 'echo 1..1; echo ok 1 here' | job e
boards='x y' BEGIN_WITHIN=0 run --only e --only x --only y
check "boards that come too late are skipped, and counted" \
	[ "$(last) $status" = "1 passed, 0 failed, 2 skipped 0" ]
check "with the reason" grep -q 'skipped: board x.* not begun within 0 minutes' "$tmp/out"
boards='x' MEET=1 AWAY=none TOGETHER=1 BEGIN_WITHIN=08 run --only x
check "and others run" [ "$(last)" = "1 passed, 0 failed, 0 skipped" ]
BEGIN_WITHIN=soon run --only e
check "minutes that are none are refused" [ $status = 2 ]
unset boards BEGIN_WITHIN MEET AWAY TOGETHER
for name in unit firstweek; do
	echo "echo 1..1; echo ok 1 $name" | job $name
done
JOBS=1 run --only unit --only firstweek
check "what starts boards comes before what starts none" \
	[ "$(sed -n 's/^ok 1 //p' "$tmp/out" | tr '\n' ' ')" = "firstweek unit " ]
cat >"$tree/selftests/static" <<'END'
#!/bin/sh
echo 1..1
: >"$tmp/static/$1"
sh "$tmp/wait" "$tmp/static" 2 && echo "ok 1 $1" || echo "not ok 1 $1 alone"
END
chmod +x "$tree/selftests/static"
mkdir "$tmp/static"
tmp=$tmp JOBS=2 run --static --only none
check "static checks are two jobs" [ "$(last) $status" = "2 passed, 0 failed, 0 skipped 0" ]
run --only e --only a --not a
check "a directory that is left out is skipped, and counted" \
	[ "$(last) $status" = "1 passed, 0 failed, 1 skipped 0" ]

# --again. A board runs each program that has a file in $how, or the one it is told to. The
# file says what is wrong with the program: always, in the first run, or in the last.
how=$tmp/how
cat >"$tree/selftests/vm/device-tests" <<END
#!/bin/sh
how=$how
END
cat >>"$tree/selftests/vm/device-tests" <<'END'
echo "SEED=$SEED $*" >>"$how.runs"
turn=first rc=0
[ $# -eq 1 ] || turn=last
for prog in ${3:-$(ls "$how")}; do
	echo "# begin $prog"
	echo 1..2
	echo ok 1 one
	status=0
	case $turn,$(cat "$how/$prog") in
	first,flaky|*,broken|first,skips)
		echo "# said by $prog"
		echo not ok 2 two
		status=1 ;;
	first,hangs)
		status=137 ;;
	last,skips)
		echo ok 2 two '# SKIP no time' ;;
	*)	echo ok 2 two ;;
	esac
	echo "# end $prog $status"
	[ $status = 0 ] || rc=1
done
! grep -qx "report-$turn" "$how"/* || rc=120
! grep -qx "stuck-$turn" "$how"/* || rc=124
exit $rc
END
# again FILE=WRONG...: a run of board z with --again, and how often the board started
again()
{
	rm -rf "$how" "$how.runs"
	mkdir "$how"
	for file; do
		echo "${file#*=}" >"$how/${file%%=*}"
	done
	# shellcheck disable=SC2086 # words
	boards=z run --again --only z ${more-}
	runs=$(wc -l <"$how.runs")
}
again test_a=flaky test_b=fine
check "what fails and passes on a fresh board is skipped" \
	[ "$(last) $status $runs" = "3 passed, 0 failed, 1 skipped 0 2" ]
check "it is named" grep -q "^skipped: flaky board z: test_a: two # passed on a fresh board" "$tmp/out"
kept=$(sed -n 's/^skipped: flaky .*; see //p' "$tmp/out")
check "what it said is kept" grep -q 'said by test_a' "$kept"
check "and is not among what failed" [ "$(grep -c '^	' "$tmp/out")" = 0 ]
check "it runs alone there" [ "$(sed -n '2s/.* -- //p' "$how.runs")" = test_a ]
check "with the same seed" [ "$(sed 's/ .*//' "$how.runs" | sort -u | grep -c 'SEED=[0-9]')" = 1 ]
SEED=17
export SEED
again test_a=flaky
unset SEED
check "which can be given" [ "$(grep -c '^SEED=17 ' "$how.runs")" = 2 ]
again test_a=broken test_b=fine
check "what fails again has failed" \
	[ "$(last) $status $runs" = "3 passed, 2 failed, 0 skipped 1 2" ]
check "and both times are named" \
	[ "$(grep -c '^failed: \(again \)\?board z: test_a: two' "$tmp/out")" = 2 ]
again test_a=hangs test_b=fine
check "a program that came to no end has a second try" \
	[ "$(last) $status $runs" = "3 passed, 0 failed, 1 skipped 0 2" ]
again test_a=skips
check "a test that is skipped on the fresh board has not passed there" \
	[ "$(last) $status $runs" = "1 passed, 1 failed, 0 skipped 1 2" ]
again test_a=flaky test_b=fine test_c=broken
check "one that is flaky does not hide one that is broken" \
	[ "$(last) $status $runs" = "4 passed, 2 failed, 1 skipped 1 3" ]
again test_a=flaky test_b=flaky test_c=flaky
check "three may be flaky" [ "$(last) $status $runs" = "3 passed, 0 failed, 3 skipped 0 4" ]
again test_a=flaky test_b=flaky test_c=flaky test_d=flaky
check "four have failed, and none runs again" \
	[ "$(last) $status $runs" = "4 passed, 4 failed, 0 skipped 1 1" ]
check "and that is said" grep -q '^# 4 programs failed on boards, more than 3' "$tmp/out"
again test_a=flaky test_b=report-first
check "a report of the kernel is not forgiven" \
	[ "$(last) $status $runs" = "3 passed, 2 failed, 0 skipped 1 1" ]
again test_a=flaky report-last=report-last
check "nor is one on the fresh board" \
	[ "$(last) $status $runs" = "3 passed, 2 failed, 0 skipped 1 2" ]
check "and it is named" grep -q '^failed: again board z: the kernel reported a fault' "$tmp/out"
again test_a=flaky test_b=stuck-first
check "nor is a board that came to no end" \
	[ "$(last) $status $runs" = "3 passed, 2 failed, 0 skipped 1 1" ]
more='--only tells'
again test_a=fine
check "what failed on no board does not run again" \
	[ "$(last) $status $runs" = "3 passed, 2 failed, 2 skipped 1 1" ]
again test_a=flaky
boards=z run --only z
check "nor does anything without --again" [ "$(last) $status" = "1 passed, 1 failed, 0 skipped 1" ]
unset more

# One that nothing but KILL ends, one whose parent has gone, one with a process group
job stays <<END
sh -c 'trap "" TERM; echo \$\$ >$tmp/deaf; while :; do sleep 1; done' &
(sleep 1000 & echo \$! >$tmp/orphan)
timeout 1000 sh -c 'echo \$\$ >$tmp/group; sleep 1000 & wait'
END
for how in TERM/143 HUP/129; do
	signal=${how%/*}
	rm -f "$tmp/deaf" "$tmp/orphan" "$tmp/group"
	O=$tmp/o BOARDS='' JOBS=1 "$tree/selftests/check" --only stays >"$tmp/out" 2>&1 &
	pid=$!
	tries=0
	until [ -s "$tmp/deaf" ] && [ -s "$tmp/orphan" ] && [ -s "$tmp/group" ] || [ $tries = 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	kill -"$signal" $pid
	status=0
	wait $pid || status=$?
	check "$signal ends it" [ $status = ${how#*/} ]
	for p in deaf orphan group; do
		check "$signal ends what it started: $p" gone "$tmp/$p"
	done
done

done_testing
