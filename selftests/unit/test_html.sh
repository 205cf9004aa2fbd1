#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_html.sh - devtrace-convert --to html in a real browser: what it shows, keys, mouse, no network
#
# See html_drive.py. CHROMIUM names another browser of that family; without one those tests are
# skipped. UPDATE=1 also writes the picture of Documentation/viewers.rst.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
command -v python3 >/dev/null || skip_all "no python3"
for browser in ${CHROMIUM:-} chromium-headless-shell chromium; do
	! command -v "$browser" >/dev/null || break
	browser=''
done

# Names and texts that want to be HTML
cat >hostile.gen <<'END'
info 0 <script>hacked=1</script>
clock 5000 1700000000000000000 5000 1000000
dict obj 0 0 0 7 <img/src=x/onerror=hacked=1>
dict usr 0 110 0 0 </script><script>hacked=1</script>
proc 7 7 "<svg onload=hacked=1>"
proc 8 8 ]]>--><script>
event 10000 tid=7 ctx=user type=110 obj=7 str:"</script><script>globalThis.hacked=1</script>"
event 20000 tid=7 ctx=user type=126 str:"<img src=x onerror='globalThis.hacked=1'>"
event 30000 tid=8 ctx=user type=110 obj=7 u64:18446744073709551615 i64:-9223372036854775808 f64:1.5
event 32000 tid=8 ctx=user type=111 u64:18446744073709551615 i64:9223372036854775807
event 33000 tid=8 ctx=user type=111 u64:0 i64:-9223372036854775808
event 34000 tid=8 ctx=user type=111 u64:9007199254740993 i64:-1
event 35000 tid=8 ctx=user type=111 u64:1 i64:9007199254740993
event 36000 tid=8 ctx=user type=111 u64:9223372036854775808 i64:5
event 40000 tid=8 ctx=user type=126 sev=hw3 str:"\x1b[2J \xff \x00 @DATA@ @NONCE@"
lost 0 0 12 15000 25000
END
gen_stream <hostile.gen >hostile.trace
python3 "$here/summary_model.py" make 5 3 >machine.gen 2>truth
gen_stream <machine.gen >machine.trace
cat >states.gen <<'END'
info
dict obj 0 0 0 16 motor
dict fun 0 0 0 32 standing
dict fun 0 0 0 33 turning
clock 5000 1700000000000000000 5
proc 7 7 worker
event 11000 tid=7 ctx=user type=107 u8:1
event 12000 tid=7 ctx=user type=4 obj:16 fun:32
event 14000 tid=7 ctx=user type=108 u8:1
event 16000 tid=7 ctx=user type=6 sig:4@16 obj:16 fun:32 fun:33
event 20000 tid=7 ctx=user type=108 u8:1
END
gen_stream <states.gen >states.trace
printf '%s\n' 'record 107 BEGIN (u8 n) "%v"' 'record 108 END (u8 n) "%v"' >picks.fmt
cp "$here/traceinfo/board.fmt" . || exit 1
gen_stream <"$here/traceinfo/board.gen" >board.trace

devtrace-convert -q --to html hostile.trace >one.html && devtrace-convert -q --to html -o two.html hostile.trace
ok $? "pages are written"
! grep -q 'hacked\|onerror' one.html
ok $? "no byte of the stream is HTML"
policy() { sed -n 's/.*Content-Security-Policy" content="\([^"]*\)".*/\1/p' "$1"; }
case $(policy one.html) in
"default-src 'none'; script-src 'nonce-"*) true ;;
*) false ;;
esac
ok $? "the page may load nothing"
[ "$(policy one.html)" != "$(policy two.html)" ]
ok $? "the number of its script is another each time"
! grep -i 'https\{0,1\}:\|url(\|import' one.html
ok $? "it names nothing outside"

{ echo info; echo 'bench 200000'; } | gen_stream | "$O/tools/devtrace-convert" -q --to html - >bench.html
[ "$(wc -c <bench.html)" -lt $((200000 * 8388608 / 1000000)) ]
ok $? "a million events would take 8 MiB at most"

for page in hostile machine states board; do
	devtrace-convert -q -e picks.fmt -e board.fmt --slice BEGIN..END --to html -o $page.html $page.trace
	traceinfo -e picks.fmt -e board.fmt --json $page.trace >$page.json
	if [ -z "$browser" ]; then
		skip "$page in a browser" "no chromium-headless-shell or chromium"
		continue
	fi
	timeout 300 python3 "$here/html_drive.py" "$browser" $page.html $page.json >said 2>&1
	ok $? "$page in a browser"
	sed 's/^/# /' said
done
if [ -z "$browser" ]; then
	skip "bars" "no chromium-headless-shell or chromium"
else
	timeout 300 python3 "$here/html_drive.py" "$browser" states.html states.json bars >said 2>&1
	is "$(sed -n 's/^bars: //p' said)" \
		"motor standing 12000-16000, motor turning 16000-20000, BEGIN..END 7 BEGIN 11000-14000" "states and slices are bars"
fi

# The picture of viewers.rst: fonts differ between machines, so only kind and size are compared.
picture=$here/../../Documentation/pictures/html.png
kind() { head -c 24 "$1" | od -An -tx1; }
if [ -z "$browser" ]; then
	skip "the picture in viewers.rst" "no chromium-headless-shell or chromium"
else
	gen_stream <"$here/traceinfo/profile.gen" >profile.trace
	devtrace-convert -q --to html -o profile.html profile.trace
	traceinfo --json profile.trace >profile.json
	timeout 300 python3 "$here/html_drive.py" "$browser" profile.html profile.json new.png >said 2>&1 &&
		[ "$(wc -c <new.png)" -gt 5000 ]
	ok $? "the stream of viewers.rst in a browser"
	[ -z "${UPDATE:-}" ] || cp new.png "$picture"
	is "$(kind "$picture")" "$(kind new.png)" "the picture in viewers.rst is of this size"
fi

done_testing
