#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_philo.sh - the dining philosophers of tools/samples: built, and run without a device
#
# traceinfo/sequence.expected and machines.expected show the output for such events.
. "$(dirname "$0")/doc.sh"

check "philo-qp and philo-rkh are built" make -s -C "$top/tools/samples" O="$O" CC="$CC" all
export DEVTRACE_DEVICE="$tmp/none"
for prog in philo-qp philo-rkh; do
	check "$prog dines without a device" "$O/tools/samples/$prog" 50
	for wrong in 0 x "1 2"; do
		# shellcheck disable=SC2086 # two words
		"$O/tools/samples/$prog" $wrong >"$tmp/said" 2>&1
		check "$prog $wrong: status 2" [ $? -eq 2 ]
		check "$prog $wrong: says how" grep -q '^usage: ' "$tmp/said"
	done
done
done_testing
