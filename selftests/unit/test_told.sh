#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_told.sh - a restarted logger tells a loss once, in each form of records
#
# A reader that opens the device is told all losses since the buffer was cleared. The logger is
# killed, and the next one gets what such a reader gets: the losses told before, events that were
# sent and then overwritten, and in the last run events that were overwritten while no logger ran.
# shellcheck disable=SC2046,SC2086,SC2119 # words of counted, options
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3 protoc
. "$here/peer.sh"
. "$here/receiver.sh"
# shellcheck disable=SC2034 # of tap.sh
why="err said"

# buffer FROM TO OVERWRITTEN0 OVERWRITTEN1 BUSY: what a reader gets that opens the device
buffer()
{
	{
		echo 'info 0'
		echo "clock 1000 1700000000000000000"
		[ "$3" = 0 ] || echo "lost 0 0 $3 0 $(($1 + $1 % 2))001000"
		[ "$4" = 0 ] || echo "lost 1 0 $4 0 $(($1 + 1 - $1 % 2))001000"
		echo "lost 1 2 $5 0 $(($1 + 1 - $1 % 2))001000"
		events "$1" "$2" | grep '^event'
	} | gen_stream
}

counted()
{
	case $form in
	otlp)	python3 "$here/otlp_check.py" got count ;;
	*)	python3 "$here/told_check.py" $form $(ls got/*.bin got.* 2>/dev/null) ;;
	esac 2>&1
}
# told NR: the logger knows that the receiver has all up to event NR
told() { grep -q "^[0-9]* ${1}001000 " spool/.spool.trace.told 2>/dev/null; }

# run NR FROM OVERWRITTEN0 OVERWRITTEN1 BUSY: a logger sends such a buffer, and is killed
run()
{
	buffer "$2" "$1" "$3" "$4" "$5" >stream
	follow --spool spool $options
	cat stream >&9
	wait_until told "$1"; ok $? "$form: the receiver has all up to event $1"
	kill -9 $reader
	wait $reader 2>/dev/null
	reader=''
	exec 9>&-
}

for form in otlp journal syslog; do
	rm -rf got got.* spool pipe
	mkdir got spool
	to=$form:http://127.0.0.1 options=''
	case $form in
	syslog)	to=syslog:127.0.0.1 options='--enterprise 32473'
		peer recv 127.0.0.1 got ;;
	*)	receiver ;;
	esac
	run 50 1 1000 0 5
	is "$(counted)" "50 50 1005 0" "$form: what was lost before the first logger began"
	run 60 31 1015 15 5
	set -- $(counted)
	is "$2 $3 $4" "60 1005 0" "$form: events that the receiver has are not lost when they are overwritten"
	run 80 71 1035 35 8
	set -- $(counted)
	is "$2 $3 $4" "70 1018 0" "$form: events that were overwritten while no logger ran are lost"
	run 80 71 1035 35 8
	set -- $(counted)
	is "$2 $3 $4" "70 1018 0" "$form: once"
	end_peer
done

done_testing
