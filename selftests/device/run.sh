#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [TEST...] - run the tests of the device on this machine, print TAP
#
# To be run as root. The modules are those beside this file, or what
# DEVTRACE_KO (the file devtrace.ko) and DTTEST_DIR (the directory with
# dttest.ko) say. devtrace is unloaded, and loaded again by each test as it
# needs it. Exit status 1 if a test failed.
#
# Environment: SEED repeats a run; DEVICE_SECONDS is how long each conservation
# test lasts; EXPECT_NMI=1 makes it an error if no NMI came.
here=$(cd "$(dirname "$0")" && pwd)

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP the device tests need root"
	exit 4
fi
for m in crc-ccitt; do
	modprobe -q "$m" 2>/dev/null
done
if [ -n "$EXPECT_NMI" ] && [ ! -d /sys/module/dtquiet ]; then
	insmod "${DTTEST_DIR:-$here}/dtquiet.ko" || exit 1
fi

if [ $# -eq 0 ]; then
	for t in "$here"/test_*; do
		[ -x "$t" ] && set -- "$@" "${t##*/}"
	done
fi
rc=0
for t; do
	echo "# device: $t"
	"$here/$t" 2>&1 || rc=1
done
for m in dttest metronome devtrace dtquiet; do
	[ ! -d "/sys/module/$m" ] || rmmod "$m"
done
exit $rc
