#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_readme.sh - `insmod devtrace.ko` is enough for the commands of README
#
# Commands come from README.md, which is beside this file: those for the board in "Your own board",
# indented or in backquotes, and those of "Control" but for kernel profile events. Runs on the
# board, as root. Needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
work=$(mktemp -d) || exit 1
# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=$work/out
if [ ! -e /modules/devtrace.ko ] || ! command -v tracectl >/dev/null; then
	rm -rf "$work"
	skip_all "no board, or no tracectl: there is no libmnl for this machine"
fi
trap 'trace_unload 2>/dev/null; trace_load; rm -rf "$work"' EXIT
cd "$work" || exit 1

# section NAME: of README
section() { sed -n "/^## $1\$/,/^## /p" "$here/README.md"; }
indented() { sed -n 's/^	//p'; }
# In backquotes, which may be broken by the end of a line
quoted() { tr '\n' ' ' | grep -o '`[^`]*`' | tr -d '`'; }
on_the_board() { section 'Your own board' | sed '1,/^On the board:$/d'; }

trace_unload
on_the_board | indented | grep '^insmod devtrace\.ko' | sed 's,insmod ,&/modules/,' >load
sh -e load >out 2>&1
ok $? "$(cat load)"
is "$(sed -n 's/^\(devtrace[a-z_]*\) .*/\1/p' /proc/modules)" devtrace "no other module of devtrace is loaded"

{
	on_the_board | indented | grep -v ^insmod
	on_the_board | quoted | grep -E '^(traceinfo|tracectl|tracelogger|cat) '
} | sed "s,/var/log/,$work/,; s,FILE,$work/saved,; s/ -l 100M/ -l 1M/" >commands
[ "$(wc -l <commands)" -ge 7 ]
ok $? "README has commands for the board"

# The text of the event is in what a command prints or writes, if it does either. A command that
# follows is ended as by a user; a busy machine may take long until it has begun.
shows_hello()
{
	cat out saved t.trace* 2>/dev/null | grep -qa hello
}
while read -r command; do
	rm -f saved t.trace*
	case $command in
	echo*)
		sh -c "$command" >out 2>&1
		ok $? "$command"
		continue ;;
	'traceinfo -f' | 'cat /dev/trace' | tracelogger*)
		sh -c "exec $command" >out 2>&1 &
		follower=$!
		wait_until shows_hello
		ok $? "$command"
		kill $follower
		wait $follower ;;
	*)
		sh -c "$command" >out 2>&1 && shows_hello
		ok $? "$command" ;;
	esac
done <commands

section Control | indented | grep -v -e ' profile ' -e ' none$' | sed 's/--interval 1 3/--interval 1 1/' >commands
[ "$(wc -l <commands)" -ge 4 ]
ok $? "README has commands for control"
while read -r command; do
	sh -c "$command" >out 2>&1
	ok $? "$command"
done <commands
echo '<1>one that is severe' >/dev/trace
traceinfo --device /dev/trace-severe >out 2>&1 && grep -q 'one that is severe' out
ok $? "the stream has the severe event"
is "$(tracectl --json stream | sed -n 's/.*"stream":"trace"[^}]*"state":"\([a-z]*\)".*/\1/p')" frozen \
	"the trigger froze the first stream"
done_testing
