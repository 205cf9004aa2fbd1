#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_progress.sh - vm/progress.sh: what a long step tells of itself, on a terminal, in a pipe,
# and when it fails
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# The step says its last line until the file go is there, which the terminal's reader makes.
cat >steps <<END
. "$here/../vm/progress.sh"
slow() { echo "  CC [M]  /some/where/lane/take.o"; until [ -e go ]; do sleep 0.1; done; }
broken() { echo "no rule to make it"; return 3; }
progress "Building the module" log slow
progress "Building the tools" log broken || echo "status \$?"
END

# shellcheck source=../tap.sh
. "$here/../tap.sh"
why=log

tell_why() { od -c out err 2>/dev/null | sed 's/^/# /' | head -n 40; }

: >go
bash steps >out 2>err
check "in a pipe a step is one line" [ "$(grep -c '^Building the module$' err)" = 1 ]
check "without control characters" [ -z "$(tr -d '[:print:]\n' <err)" ]
check "a step that fails tells what its command said" grep -qx 'no rule to make it' err
check "and fails" [ "$(cat out)" = "status 1" ]

rm go
for columns in 80 40; do
	rm -f go out
	script -qefc "stty cols $columns; bash steps" /dev/null >out 2>err </dev/null &
	tries=0
	until grep -q 'Building the module, 0:0[1-9]' out 2>/dev/null || [ $tries = 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	: >go
	wait $!
	tr '\r' '\n' <out | sed 's/\x1b\[K//' >lines
	check "$columns: on a terminal its time goes on" grep -q '^Building the module, 0:0[1-9]' lines
	check "$columns: no line is longer than the terminal" [ -z "$(grep "$(printf '.%.0s' $(seq $columns))" lines)" ]
	[ $columns = 40 ] ||
		check "$columns: and the last line of its log, without directories" \
			grep -q '^Building the module, 0:0[0-9]: CC \[M\] take.o$' lines
	check "$columns: in the end it tells how long it took" \
		grep -q "Building the module, 0:[0-9][0-9]$(printf '\r')\$" out
	check "$columns: or that it failed, and why" [ "$(grep -c '^Building the tools, 0:0[0-9]: failed$' lines) \
$(grep -c '^no rule to make it$' lines)" = "1 1" ]
done
done_testing
