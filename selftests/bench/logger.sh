#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# logger.sh - what tracelogger costs, and whether it keeps up
#
#	logger.sh insn		instructions of its process for an event, in thousandths, and
#				those of reading alone
#	logger.sh lost		events lost while one CPU emits as fast as it can
#
# Runs on a board, in /root with insn, and with tracelogger in PATH; for "insn" one of
# --icount, whose clock advances one nanosecond with each instruction. The process time of two
# runs of different length is compared: what it takes to begin is in both. "insn" also
# prints the memory that the process has for itself, and with what it shares, in KiB.
set -e
cd /root
mkdir /tmp/log
# In a tmpfs, whatever /tmp is
mount -t tmpfs none /tmp/log

# start SIZE: of the ring; and a logger in the background, that waits
start()
{
	insmod /modules/devtrace.ko "size=$1"
	tracelogger --json -f /tmp/log/t -k 0 --sync none -s 1G 2>/tmp/said &
	logger=$!
	# It has made its file when it has seen an event.
	echo begin >/dev/trace
	until [ -s /tmp/log/t ]; do sleep 0.1; done
}

status() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" /tmp/said | tail -n 1; }

# saved N: until it says that it has so many
saved()
{
	until [ "$(status events)" -ge "$1" ] 2>/dev/null; do
		kill -USR1 $logger
		sleep 0.1
	done
}

end()
{
	kill $logger
	wait $logger
	rmmod devtrace
	rm /tmp/log/t
}

# cost EVENTS: nanoseconds that the process ran while these came
cost()
{
	start 16M
	read -r before rest </proc/$logger/schedstat
	./insn record "$1" /dev/null 2>/dev/null || :
	# Not by USR1, which takes time as well: the file has all when it grows no more.
	size=0
	until [ "$(stat -c %s /tmp/log/t)" = "$size" ] && [ "$size" -gt $((30 * $1)) ]; do
		size=$(stat -c %s /tmp/log/t)
		sleep 3
	done
	read -r after rest </proc/$logger/schedstat
	anon=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' /proc/$logger/status)
	all=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$logger/status)
	saved "$1"
	end
}

case $1 in
insn)
	cost 20000
	few=$((after - before))
	cost 120000
	echo "insn $(((after - before - few) / 100))"
	insmod /modules/devtrace.ko size=16M
	./insn record 120000 /dev/null
	./insn read 2>/dev/null
	echo "rss $anon"
	echo "rss_all $all"
	;;
lost)
	start 1M
	./insn record 300000 /dev/null 2>/dev/null || :
	saved 100000
	sleep 3
	kill -USR1 $logger
	sleep 1
	echo "lost $(status lost)"
	echo "saved $(status events)"
	end
	;;
esac
