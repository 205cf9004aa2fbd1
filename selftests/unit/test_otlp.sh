#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_otlp.sh - tracelogger --to otlp: what a receiver of OpenTelemetry's logs gets
#
# otlp_peer.py is the receiver; otlp_check.py decodes what it got by protoc, and compares it with
# traceinfo --json. Whatever becomes of the receiver, a request or the logger: each record is there
# once, when those with the same identity are dropped. With LENGTH=full, either side is killed 100
# times; otherwise 5 times.
# shellcheck disable=SC2028,SC2046 # escapes of gen_stream; words of counted
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
needs python3 protoc
. "$here/receiver.sh"
# shellcheck disable=SC2034 # of tap.sh
why="err said problems"

# shellcheck disable=SC2034 # of receiver.sh
to=otlp:http://127.0.0.1

checked() { python3 "$here/otlp_check.py" got "$@" >problems 2>&1; }
counted() { python3 "$here/otlp_check.py" got count 2>&1; }

# All that a record can have
{
	elements
	echo 'event 5001000 cpu=0 tid=9 type=200 sev=hw3 obj=8 sig=9 u32:5'
	echo 'event 5001000 cpu=0 tid=9 type=200 sev=hw3 u32:6'
	echo 'event 5001000 cpu=1 tid=9 type=200 sev=hw3 u32:7'
	echo 'event 6001000 cpu=0 tid=0 ctx=irq type=200 sev=sw2 "str:a \x22quoted\x22]\x0a\x01 \xff\xc3\xa4 line"'
	echo 'event 6002000 cpu=0 tid=7 type=126 sev=sw3 "str:out of paper"'
	echo 'event 6003000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x424D:6 u8:2 i32:91500'
	echo 'event 6003500 cpu=0 tid=9 type=125 sev=hw1 code=0x424D:6 u8:3 i32:91500'
	echo 'event 6004000 cpu=0 tid=7 ctx=user type=125 sev=hw1 code=0x1234:9 u8:2'
	echo 'event 6005000 cpu=0 tid=7 ctx=user type=201 sev=sw0'
	echo 'event 6006000 cpu=0 tid=7 ctx=user type=113 u8:1 i32:50000 enum:2/1 str:cpu'
	echo 'dict image 5 0 0 0 00112233'
	echo 'event 6007000 cpu=0 tid=7 ctx=user type=127 sev=sw3 u32:0 i32:2'
	echo 'event 6008000 cpu=0 tid=7 ctx=user type=127 sev=sw3 u32:1'
	echo 'lost 0 0 77 6001000 7001000'
	echo 'skip 3'
	echo 'event 8001000 cpu=0 tid=9 type=200 sev=sw2 u32:6'
} | gen_stream >s.trace
cat >prog/share/devtrace/fmt/sites.fmt <<'END'
image "00112233" "pumpd" {
	site 0 err "motor.c:120" "motor_run" "pump %d runs dry"
	site 1 err "motor.c:121" "" "no oil"
}
END
info -J s.trace >s.json
afresh
receiver
once --device s.trace --to "otlp:http://127.0.0.1:$at" -A board=b7; ok $? "sent"
checked s.json $boot b7; ok $? "events with a severity have all their fields, and losses are told"
is "$(cat problems)" "15 events, 2 losses" "no more and no less"
is "$(requests '^200 /v1/logs ')" 1 "one request, to the usual path"
is "$(status requests) $(status records) $(status rejected)" "1 17 0" "counted"
python3 "$here/otlp_check.py" got show >shown
is "$(grep -c '"service.name": "devtrace".*"board": "b7"' shown)" 17 "the resource has the service and the attributes"
is "$(grep -c '"body": "zone 2 is too hot: 91.5 C".*"zone": 2, "temp": 91.5' shown)" 1 "a text in words, and values by name"
is "$(grep -c '"code.file.path": "motor.c", "code.line.number": 120, "code.function.name": "motor_run"' shown)" 1 \
	"the place of a statement in the source"
is "$(grep -c '"body": "3 91500"' shown)" 1 "an event of the same code that is not this program's, by its types"
is "$(grep -c '"devtrace.nr": 2' shown)" 1 "events of one CPU with the same time have numbers"
end_peer

afresh
receiver
once --device s.trace --to "otlp:http://127.0.0.1:$at/a/b?c=d" --match 'severity=0,none' \
	-A host.name=h1 -A service.name=pump -A devtrace.stream=x
python3 "$here/otlp_check.py" got show >shown
is "$(requests '^200 /a/b?c=d ')" 1 "a path of its own"
is "$(grep -c '"service.name": "pump", "devtrace.stream": "x"' shown)" 19 "the user's attributes win"
end_peer
afresh
receiver
once --device s.trace --to "otlp:http://localhost:$at" --match 'severity=0,none' -A host.name=h1
checked s.json $boot h1 all; ok $? "--match: also events without a severity"
end_peer
afresh
receiver
once --device s.trace --to "otlp:http://127.0.0.1:$at" --match 'severity=hw2 cpu=0'
is "$(counted)" "2 2 77 3" "--match: only events that match, and losses"
end_peer

# How exact the times are
statements | gen_stream >clock.trace
info -J -v clock.trace >clock.json
afresh
receiver
once --device clock.trace --to "otlp:http://127.0.0.1:$at" -A host.name=h
checked clock.json $boot h; ok $? "the error of a time, while it is known"
is "$(cat problems)" "9 events, 2 losses" "with each event"
is "$(python3 "$here/otlp_check.py" got show | grep -c '"devtrace.lost".*"devtrace.error": ')" 1 "and with a loss"
end_peer

# Many events: several requests, small ones
events 1 6000 | gen_stream >many.trace
info -J many.trace >many.json
afresh
receiver
once --device many.trace --to "otlp:http://127.0.0.1:$at" -A host.name=h
checked many.json $boot h; ok $? "6000 events"
each=$(sed -n 's/^200 [^ ]* \([0-9]*\) .*/\1/p' said | awk '{ n += $1 } END { print int(n / 6000) }')
[ "$each" -le 60 ]; ok $? "$each bytes a record"
plain=$each
[ "$(requests '^200')" -ge 3 ]; ok $? "$(requests '^200') requests on one connection"
end_peer
events 1 6000 | sed '/^clock/a accuracy 1000 1234567 300000 2001 ntp' | gen_stream >stated.trace
info -J -v stated.trace >stated.json
afresh
receiver
once --device stated.trace --to "otlp:http://127.0.0.1:$at" -A host.name=h
checked stated.json $boot h; ok $? "6000 events whose time has an error"
each=$(sed -n 's/^200 [^ ]* \([0-9]*\) .*/\1/p' said | awk '{ n += $1 } END { print int(n / 6000) }')
[ "$each" -le $((plain + 4)) ]; ok $? "$each bytes a record, compared with $plain"
end_peer
events 1 400 "str:$(head -c 1800 /dev/zero | tr '\0' y)" | gen_stream >long.trace
info -J long.trace >long.json
afresh
receiver
once --device long.trace --to "otlp:http://127.0.0.1:$at" -A host.name=h
checked long.json $boot h; ok $? "long events"
[ "$(sed -n 's/^200 [^ ]* [0-9]* \([0-9]*\) .*/\1/p' said | sort -n | tail -n 1)" -le 1048576 ]
ok $? "no request is larger than 1 MiB"
end_peer

# beside NAME TO: a logger, and its receiver that does NAME/do; other tests run meanwhile
beside()
{
	python3 "$here/otlp_peer.py" "$1" >"$1.said" &
	server="$server $!"
	wait_until test -s "$1.said"
	mkfifo "$1.pipe"
	"$log" -q -p 0 --device "$1.pipe" --to "$2:http://127.0.0.1:$(head -n 1 "$1.said")" 2>"$1.err" &
	server="$server $!"
	{ cat many.trace; exec sleep 600; } >"$1.pipe" &
	server="$server $!"
}
# A slow line: a request takes longer than the logger waits for an answer.
mkdir slow zero
printf '%s\n' 'drip 14000' 'drip 14000' >slow/do
export RCVBUF=32768
beside slow journal
unset RCVBUF
# A receiver that always asks to wait 0 s gets fewer requests all the same.
yes '503 0' | head -n 1000 >zero/do
beside zero otlp
begun=$(date +%s)

# A logger that follows: what it does with answers of all kinds
have() { set -- "$1" $(counted); [ "$3" -ge "$1" ]; }

for what in cut lose half close chunked noise endless old 'slow 1' 429 500 502 503 504 403; do
	afresh
	receiver
	todo "$what"
	follow
	cat many.trace >&9
	wait_until have 6000; ok $? "$what: all comes"
	finish; ok $? "$what: the logger ends as its input does"
	set -- $(counted)
	is "$2" 6000 "$what: each record once, of $1"
	end_peer
done
afresh
receiver
todo 413 413
follow
cat many.trace >&9
wait_until have 6000; ok $? "413: smaller requests"
finish
end_peer
set -- $(sed -n 's/^[24][^ ]* [^ ]* [0-9]* \([0-9]*\) .*/\1/p' said | head -n 3)
[ "$3" -lt $(($1 / 2)) ]; ok $? "413: $1, $2, $3 bytes"

afresh
receiver
todo "words 400 bad \"field\""
once --device many.trace --to "otlp:http://127.0.0.1:$at"
is "$(grep -c 'rejected [0-9]* of [0-9]* records: HTTP status 400 Bad Request (bad "field")' err)" 1 "400: said, with the receiver's words"
set -- $(counted)
is "$(($(status rejected) + $2)) $(status records)" "6000 $2" "400: a request that is invalid is dropped and counted"
end_peer
afresh
receiver
todo "words 400 long $(head -c 9000 /dev/zero | tr '\0' x)"
once --device s.trace --to "otlp:http://127.0.0.1:$at"
is "$(grep -c '400 Bad Request (long x*)$' err)" 1 "the beginning of long words"
end_peer
# Requests of a journal are long enough that the receiver can answer before they are sent.
export RCVBUF=4096
afresh
receiver
unset RCVBUF
todo 'early 400'
once --device many.trace --to "journal:http://127.0.0.1:$at"
is "$? $(($(status rejected) + $(status records))) $(requests '^200') $(grep -c wrong said)" "0 6000 $(($(status requests) - 1)) 0" \
	"an answer before the request was read: the rest comes by another connection"
end_peer
afresh
receiver
todo "partial 7 no room for them" 'partial 9 no room for them'
once --device many.trace --to "otlp:http://127.0.0.1:$at"
is "$(grep -c 'the receiver rejected 7 of [0-9]* records: no room for them' err) $(status rejected) $(status records)" "1 16 5984" "partial success: said once, and counted"
end_peer
# A number where bytes should be, up to 2^41; fields that end beyond the message
installed=$log log=$out/san/tools/tracelogger
for hex in 08ffffffffff7f 0a0610ffffffff0f 0a080803 0affffffffffffffffff01 09 0a; do
	afresh
	receiver
	todo "message $hex"
	once --device s.trace --to "otlp:http://127.0.0.1:$at"
	is "$? $(status records) $(grep -c "receiver rejected" err)" "0 17 0" "an answer that is no message: $hex"
	end_peer
done
printf '%s\n' 'note otlp-time "1 9223372036854775807"' 'event 2 type=200 sev=sw2 u32:1' | gen_stream >far.trace
afresh
receiver
once --device far.trace --to "otlp:http://127.0.0.1:$at"
is "$? $(status records)" "0 1" "a date beyond 64 bits"
end_peer
log=$installed

# waited STATUS...: seconds between the first two requests
waited() { awk '$1 ~ /^[0-9]+$/ && NF == 5 { if (n++ == 1) print $5 - t; t = $5 }' said; }
for what in '429 3' '503 3' 'date 4'; do
	afresh
	receiver
	todo "$what"
	follow
	cat s.trace >&9
	wait_until have 12
	finish
	waited | awk '{ exit !($1 >= 2.9 && $1 < 9) }'; ok $? "$what: it waits as the receiver says: $(waited) s"
	is "$(status refused)" 1 "$what: counted"
	end_peer
done

# A fleet that starts at once: the first requests are spread over --time
afresh
receiver
loggers=''
for i in 1 2 3 4 5 6 7 8; do
	mkfifo pipe.$i
	"$log" -q -t 3s --device pipe.$i --to "otlp:http://127.0.0.1:$at" -A host.name=h$i 2>err &
	loggers="$loggers $!"
	# The pipe has no end while the logger waits.
	{ cat s.trace; exec sleep 600; } >pipe.$i &
	loggers="$loggers $!"
done
come() { [ "$(requests '^200')" = 8 ]; }
wait_until come; ok $? "eight boards of one start: all come"
sed -n 's/^200 .* //p' said | sort -n | awk 'NR == 1 { a = $1 } { b = $1 } END { exit !(b - a > 0.3) }'
ok $? "and not at once"
# shellcheck disable=SC2086 # words
kill -9 $loggers
# shellcheck disable=SC2086 # words
wait $loggers 2>/dev/null
end_peer

# Words
afresh
receiver
todo 404
once --device s.trace --to "otlp:http://127.0.0.1:$at/x"; is $? 1 "404: --once fails"
is "$(grep -c 'HTTP status 404 Not Found; the path may be wrong, most receivers have /v1/logs' err)" 1 "404: it says what may be wrong"
todo noise
once --device s.trace --to "otlp:http://127.0.0.1:$at"; is $? 1 "a server of another kind: --once fails"
is "$(grep -c 'the receiver does not answer in HTTP' err)" 1 "a server of another kind: said"
end_peer
once --device s.trace --to "otlp:http://127.0.0.1:$at"
is "$? $(grep -c "otlp:http://127.0.0.1:$at: Connection refused; not all" err)" "1 1" "nobody there: said"
refused 'applies to https' --to otlp:http://h --cacert s.trace
refused 'No such file' --to otlp:https://h --cacert lacking.pem
refused 'is not a URL; write http://HOST:4318' --to otlp:host:4318
refused 'is not a URL; write http://HOST:4318' --to otlp:
refused 'names no host' --to otlp:http://
refused 'names no host' --to otlp:http://:4318/
refused 'no port from 1 to 65535' --to otlp:http://h:0/
refused 'no port from 1 to 65535' --to otlp:http://h:65536
refused 'no port from 1 to 65535' --to otlp:http://h:43x8
refused "no ']' after its IPv6 address" --to 'otlp:http://[::1'
refused 'no port from 1 to 65535' --to 'otlp:http://[::1]4318'
refused 'a user name or password' --to otlp:http://u:p@h:4318
refused 'a character that a URL cannot have' --to 'otlp:http://h:4318/a b'
refused 'otlp, journal and syslog get records' --to otlp:http://h --compact
refused 'selects events for --exec and for --to otlp' --to tcp:h:1 --match severity=2
refused 'is an unknown term' --to otlp:http://h --match colour=2
refused 'is not a link to listen on\|is not a link' --listen otlp:http://h

# Over TLS, which libcurl speaks
echo 'void *dlopen(const char *name, int flags) { return flags ? 0 : (void *)name; }' >none.c
if ${CC:-gcc} -shared -fPIC -o none.so none.c 2>err; then
	LD_PRELOAD=$work/none.so "$log" --to otlp:https://host 2>err
	is "$? $(grep -c 'needs libcurl.*http://localhost:4318, and let it send on by https' err)" "2 1" \
		"https without libcurl: refused, with another way"
else
	skip "https without libcurl" "no compiler"
fi
# certificate FILE NAME
certificate()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$2" \
		-addext "subjectAltName=$2" -keyout "$1" -out "$1.crt" 2>err && cat "$1.crt" >>"$1"
}
if [ "$(timeout 60 "$log" --once --device s.trace --to otlp:https://127.0.0.1:1 2>&1 | grep -c 'needs libcurl')" = 1 ]; then
	skip "https" "no libcurl"
elif ! certificate ours IP:127.0.0.1 || ! certificate other DNS:other; then
	skip "https" "no openssl"
else
	afresh
	TLS=ours receiver
	once --device s.trace --to "otlp:https://127.0.0.1:$at" --cacert ours.crt -A board=b7; ok $? "https: sent"
	checked s.json $boot b7; ok $? "https: what comes is what comes by http"
	once --device s.trace --to "otlp:https://127.0.0.1:$at"; is $? 1 "https: a receiver whom nobody vouches for"
	is "$(grep -ci 'certificate' err)" 1 "https: is not trusted, and said"
	once --device s.trace --to "otlp:https://127.0.0.1:$at" --cacert other.crt; is $? 1 "https: nor one of another authority"
	once --device s.trace --to "otlp:http://127.0.0.1:$at"; is $? 1 "http to a receiver of https fails"
	is "$(requests '^200')" 1 "https: nothing is sent to it"
	end_peer
	TLS=other receiver
	once --device s.trace --to "otlp:https://127.0.0.1:$at" --cacert other.crt; is $? 1 "https: nor one with another name"
	end_peer
	receiver
	once --device s.trace --to "otlp:https://127.0.0.1:$at" --cacert ours.crt; is $? 1 "https to a receiver of http fails"
	end_peer

	pieces 3
	rm -rf spool
	mkdir spool
	afresh
	TLS=ours receiver
	to=otlp:https://127.0.0.1
	port=$at
	todo cut lose half close chunked old 'slow 1' 503 noise
	follow --spool spool --cacert ours.crt
	for n in 1 2 3; do
		cat piece.$n >&9
		wait_until have $((n * 300)) || break
		end_peer
		TLS=ours receiver "$port"
	done
	wait_until emptied; ok $? "https: whatever happens to connections, the spool is empty in the end"
	set -- /proc/"$reader"/task/*
	[ $# -le 2 ]; ok $? "https: and the threads of all but the last have ended"
	finish; ok $? "https: the logger ends as its input does"
	set -- $(counted)
	is "$2 $3 $4" "900 0 0" "https: each record once, of $1"
	end_peer
	to=otlp:http://127.0.0.1
	rm -rf spool
fi

# The receiver is killed, and what comes meanwhile goes to the spool
begun() { [ ! -s got/do ]; }

pieces $rounds
mkdir spool
afresh
receiver
port=$at
follow --spool spool
n=0
while [ $n -lt $rounds ]; do
	n=$((n + 1))
	end_peer
	cat piece.$n >&9
	sleep 0.0$((n * 37 % 100))
	receiver "$port"
done
wait_until have $((rounds * 300)); ok $? "the receiver is killed $rounds times: all comes"
wait_until emptied; ok $? "and the spool is empty"
finish; ok $? "and the logger ends as its input does"
set -- $(counted)
is "$2 $3 $4" "$((rounds * 300)) 0 0" "each record once, of $1"
end_peer

# The logger is killed while it sends the spool
pieces $rounds
afresh
n=0 left=''
while [ $n -lt $rounds ]; do
	n=$((n + 1))
	end_peer
	follow --spool spool
	before=$(cat spool/spool.trace* 2>/dev/null | wc -c)
	cat piece.$n >&9
	wait_until spooled $((before + $(wc -c <piece.$n))) || left="$left $n"
	case $((n % 4)) in
	0)	todo 'slow 0.3' ;;
	1)	todo lose ;;
	2)	todo 'slow 0' 'slow 0.1' ;;
	3)	todo cut 'slow 0.2' ;;
	esac
	receiver "$port"
	# A request is on its way, and is answered or not when the logger dies.
	wait_until begun
	sleep 0.$((n * 37 % 10))
	kill -9 $reader
	wait $reader 2>/dev/null
	reader=''
	exec 9>&-
done
is "$left" "" "the logger is killed $rounds times: each time there is a spool"
follow --spool spool
wait_until have $((rounds * 300)); ok $? "nothing is missing that was in the spool"
wait_until emptied; ok $? "and the spool is empty"
finish
set -- $(counted)
is "$2 $4" "$((rounds * 300)) 0" "each record once, of $1"
[ "$1" -gt "$2" ]; ok $? "some came twice, and were known by their identity"
end_peer

is_late() { [ $(($(date +%s) - begun)) -ge 45 ]; }
wait_until is_late
[ "$(grep -c '^503' zero.said)" -lt 20 ]; ok $? "Retry-After: 0: $(grep -c '^503' zero.said) requests"
has_come() { grep -q '^200' slow.said; }
wait_until has_come
awk '$1 == 200 { exit !($5 < 20) }' slow.said; ok $? "a slow line: the first request comes whole"

done_testing
