#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# profload.sh - a workload as boards have it, to measure kernel profile events on
#
#	profload.sh prepare [DIR [FILES]]	make an archive of files (80) in DIR
#	profload.sh [run DIR]			unpack it, list, search and compress it
#
# Everything is in memory. Needs busybox only.
set -e
dir=${2:-/tmp/profload}

if [ "${1:-}" = prepare ]; then
	mkdir -p "$dir/src"
	for i in $(seq 1 "${3:-80}"); do
		mkdir -p "$dir/src/d$((i % 12))"
		seq $((i * 7)) $((i * 7 + 400 + i * 3)) >"$dir/src/d$((i % 12))/f$i"
	done
	tar -C "$dir" -cf "$dir/a.tar" src
	rm -rf "$dir/src"
	exit
fi
cd "$dir"
tar xf a.tar
ls -lR src >list
grep -r 500 src >found
gzip -c a.tar >a.tar.gz
rm -rf src list found a.tar.gz
