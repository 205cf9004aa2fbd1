#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracectl.sh - what tracectl does without a kernel: its words, terms and
# their round trip
#
# Replays the transcripts tracectl/*.expected with a tracectl that was built with
# address and undefined behaviour sanitizers. Then random terms: what `filter
# check` prints, checked again, is the same.
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../transcript.sh
. "$here/../transcript.sh"

export LC_ALL=C PATH="$out/san/tools:$out:$PATH"
mkdir "$work/run" && cd "$work/run" || exit 1
echo "TAP version 13"
# TRANSCRIPTS: one of them, for selftests/mutate
# shellcheck disable=SC2086 # a pattern
replay "$work" "$here"/tracectl/${TRANSCRIPTS:-*}.expected
bad=$?

seed=${SEED:-$(date +%s)}
echo "TAP version 13"
echo "# SEED=$seed"
awk -v seed="$seed" '
	function pick(s, a, n) { n = split(s, a, " "); return a[int(rand() * n) + 1] }
	function number(max) { return int(rand() * (max + 1)) }
	function range(max, a, b) {
		a = number(max); b = number(max)
		return a < b ? a "-" b : b "-" a
	}
	function items(key, n, s) {
		for (n = 1 + int(rand() * 4); n; n--) {
			if (key == "type")
				s = s "," pick("+ - ! + +") (rand() < .5 ? range(255) : \
					pick("sm ao eq mp te qf sc sem mtx user user1 exc text kernel sched irq latency sys_enter timer_init"))
			else if (key == "object")
				s = s "," pick("+ - +") (rand() < .7 ? range(65535) : pick("ao ep eq ap"))
			else if (key == "signal")
				s = s "," pick("+ - +") range(65535)
			else if (key == "cpu")
				s = s "," pick("+ - +") range(65535)
			else if (key == "severity")
				s = s "," pick("hw sw") number(4)
			else if (key == "code" || key == "major")
				s = s "," (rand() < .3 ? "!" : "") number(16777215) \
					(rand() < .5 ? ":" number(255) : "")
			else if (key == "process")
				s = s "," (rand() < .3 ? "!" : "") (rand() < .5 ? number(99999) : \
					pick("motord \"12\" \"a,b\" \"\\x1b[1m\" \"\\\"\\\\\" kworker/0:1"))
			else
				s = s "," pick("kernel user")
		}
		return key "=" substr(s, 2)
	}
	BEGIN {
		srand(seed)
		for (i = 0; i < 60; i++) {
			for (n = 1 + int(rand() * 3); n; n--)
				print items(pick("type object signal severity code major process origin cpu"))
			print ""
		}
	}' > "$work/random"
echo "1..1"
differ=0 nr=0
set --
while IFS= read -r line; do
	if [ -n "$line" ]; then
		set -- "$@" "$line"
		continue
	fi
	nr=$((nr + 1))
	tracectl filter check "$@" > "$work/once" 2> "$work/err"
	case $?$(cat "$work/err") in
	0) ;;
	2*transport*)	set --; continue ;;
	*)	differ=1; echo "# $*: refused"; sed 's/^/# /' "$work/err" ;;
	esac
	json=$(tracectl --json filter check "$@")
	set --
	while IFS= read -r term; do
		set -- "$@" "$term"
	done < "$work/once"
	tracectl filter check "$@" > "$work/twice"
	if ! cmp -s "$work/once" "$work/twice" || [ "$json" != "$(tracectl --json filter check "$@")" ]; then
		differ=1
		echo "# $*"
		diff "$work/once" "$work/twice" | sed 's/^/# /'
	fi
	set --
done < "$work/random"
if [ $nr = 60 ] && [ $differ = 0 ]; then
	echo "ok 1 random filters printed and read again"
else
	echo "not ok 1 random filters printed and read again"
	bad=1
fi
exit $bad
