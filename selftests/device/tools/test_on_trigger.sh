#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_on_trigger.sh - tracelogger --on-trigger: a file each time that a trigger fires
#
# Runs on the board, as root, with tracelogger, traceinfo and tracectl in PATH.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
work=$(mktemp -d) || exit 1

# shellcheck source=../../tap.sh
. "$here/tap.sh"
if ! trace_unload 2>/dev/null; then
	skip_all "devtrace cannot be unloaded"
fi
logger=''
trap 'kill $logger 2>/dev/null; trace_unload 2>/dev/null; trace_load; rm -rf "$work"' EXIT

tell_why()
{
	tail -n 3 "$work/said" | sed 's/^/# /'
	tracectl trigger | sed 's/^/# /'
	tracectl stream | sed 's/^/# /'
}

# field NAME: of the trigger, in JSON
field() { tracectl --json trigger | sed -n "s/.*\"$1\":\([a-z0-9]*\).*/\1/p" | head -n 1; }
state() { tracectl --json stream | sed -n 's/.*"state":"\([a-z]*\)".*/\1/p' | head -n 1; }
armed() { [ "$(field armed)" = true ]; }
runs() { [ "$(state)" = running ]; }
saved() { [ "$(grep -c ': saved in' "$work/said")" = "$1" ]; }
has() { traceinfo --no-default-fmt "$1" | grep -q "text: $2\$"; }

trace_load_with size=64K
: >"$work/said"
tracelogger -f "$work/snap" --on-trigger fault 2>"$work/said"
[ $? = 1 ] && grep -q "no such trigger" "$work/said"; ok $? "a trigger that is not there"

for action in freeze stop; do
	: >"$work/said"
	tracectl trigger add fault when type=text element 0 == fault 'do' $action
	tracelogger -f "$work/$action" --on-trigger fault --interval 10ms 2>"$work/said" &
	logger=$!
	echo "before $action" >/dev/trace
	echo fault >/dev/trace
	wait_until saved 1; ok $? "$action: a file is made when it fires"
	has "$work/$action" "before $action" && has "$work/$action" fault; ok $? "$action: it has what came before, and what fired"
	wait_until runs; ok $? "$action: the stream goes on"
	wait_until armed; ok $? "$action: the trigger is armed again"
	echo "and then" >/dev/trace
	echo fault >/dev/trace
	wait_until saved 2; ok $? "$action: the next time, too"
	has "$work/$action.000002" "and then"; ok $? "$action: with what came between"
	kill $logger && wait $logger; ok $? "$action: SIGTERM ends it with status 0"
	logger=''
	tracectl trigger del fault
	[ "$(state)" = running ] || { tracectl stream thaw trace; tracectl stream start trace; }
done

# Not armed before the interval is over
: >"$work/said"
tracectl trigger add fault when type=text element 0 == fault 'do' freeze
tracelogger -f "$work/rare" --on-trigger fault --interval 1h 2>"$work/said" &
logger=$!
echo fault >/dev/trace
wait_until saved 1
wait_until runs; ok $? "a long interval: the stream goes on at once"
echo fault >/dev/trace
[ "$(field armed) $(field fired)" = "false 1" ]; ok $? "a long interval: the trigger is not armed"
kill $logger && wait $logger; ok $? "a long interval: SIGTERM ends it"
logger=''
tracectl trigger arm fault

# A trigger that fired before tracelogger started
echo early >/dev/trace
echo fault >/dev/trace
: >"$work/said"
timeout 60 tracelogger --once -f "$work/early" --on-trigger fault 2>"$work/said"
ok $? "--once ends after one"
has "$work/early" early; ok $? "what fired before is saved"
runs; ok $? "and the stream goes on"
tracectl trigger del fault

done_testing
