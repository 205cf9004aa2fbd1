#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_rx.sh - tracectl rx and a program that has a receive channel
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
tc="$out/san/tools/tracectl"
work=$(mktemp -d) || exit 1
program=''
trap '[ -z "$program" ] || kill $program 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
. "$here/../tap.sh"

# answers STATUS WORDS REQUEST...: what tracectl prints has these words
answers()
{
	status=$1 words=$2
	shift 2
	"$tc" rx "$who" "$@" >said 2>&1
	got=$?
	[ $got = "$status" ] && { [ -z "$words" ] || grep -qF -- "$words" said; }
	ok $? "rx $*: $words"
	[ $got = "$status" ] || sed "s/^/# $got: /" said
}

# did LINE REQUEST...: the program says that it did this
did()
{
	line=$1
	shift
	"$tc" rx "$who" "$@" >said 2>&1 && [ "$(tail -n 1 log)" = "$line" ]
	ok $? "rx $*: $line"
}

if [ ! -x "$tc" ]; then
	echo "1..0 # SKIP no libmnl: no tracectl"
	exit 0
fi
# By a name that no other run has
named=rx$$
ln -s "$out/rx_program" $named
./$named >log 2>&1 & program=$!
until grep -qs . log; do :; done
who=$program
"$tc" rx | grep -q "^ *$program *$named *$(id -un)\$"
ok $? "the program is listed"
"$tc" rx --json | grep -q "{\"pid\":$program,\"program\":\"$named\",\"uid\":$(id -u)}"
ok $? "and in JSON"
answers 0 "$named, version 815"
did "command 3 1 2 3" command 3 1 2 3
did "command 4 0 0 0" command 4
did "reset" reset
did "tick 1" tick 1
did "setup" setup
did "teardown" teardown
did "filter 10 ff ff" filter all
did "filter 11 06 80" local 1-2 127
answers 1 "no such object is current" peek 0 4
answers 0 "0x000005dc" ap=motor peek 0 4
answers 0 "0x0001 0x0002 0x0003 0x0004" peek 4 2 4
answers 1 "beyond the end" ap=motor peek 4 2 7
answers 1 "beyond the end" poke 15 2 1
answers 0 "" poke 4 2 7 8
answers 0 "" fill 8 2 2 0xffff
answers 0 "0x0007 0x0008 0xffff 0xffff" peek 4 2 4
answers 1 "no such object" ap=philo peek 0 1
answers 1 "no such object" current ao motor
answers 0 "" current ao philo
answers 0 "0x01 0x01 0x0b" query ao
did "event to 253 sig 7 philo 2 bytes" event sig=7 1 2
did "event to 253 sig 8 philo 1 bytes" event ao=philo sig=8 1
answers 0 "0x000005dc" peek ap=motor 0 4
answers 1 "no such object" event ao=motor sig=8
did "event to 0 sig 9 0 bytes" event publish sig=9
did "event to 5 sig 9 0 bytes" event to=5 sig=9
answers 1 "no such object" event dispatch sig=7
answers 1 "no function" object 4096
answers 0 "" probe 0x1000 5
answers 0 "" continue
for words in "leap" "peek" "peek 0" "peek 0 3" "peek x 1" "poke 0 1" "poke 0 1 256" "command 256" \
	     "command 1 2 3 4 5" "filter" "filter 128" "event" "event sig=NOWHERE" "event left sig=1" \
	     "query dog" "current dog x" "ap= peek 0 1" "tick 256"; do
	# shellcheck disable=SC2086 # words
	answers 2 "tracectl: rx:" $words
done
who=$named
answers 0 "$named, version"
who=nobody_at_all
answers 1 "no program of this name"
who=1
"$tc" rx 1 >said 2>&1
[ $? = 1 ] && grep -q "no receive channel" said
ok $? "a program without a channel"
who=$program
"$tc" rx "$program" command 99 >said 2>&1
wait "$program"
ok $? "the program ends as it is told"
answers 1 "no such process"
program=''

# what listens need not be the library
if command -v python3 >/dev/null; then
	# The shell below may look before the one that writes it begins it anew
	rm -f log
	python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind("devtrace-rx-mine")
file = os.open("devtrace-rx-mine", os.O_PATH)
s.listen()
print("there", flush=True)
for said in b"", b"\7", b"\7\1", b"\7\1me\0":
    c = s.accept()[0]
    c.send(c.recv(2000)[:4] + b"\0" + said)' >log & program=$!
	until grep -qs . log; do :; done
	who=$program
	answers 1 "it does not report its version"
	answers 1 "it does not report its version"
	answers 0 ", version 263"
	answers 0 "me, version 263"
	wait "$program"
	program=''
fi

done_testing
