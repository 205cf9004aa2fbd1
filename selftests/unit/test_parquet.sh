#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_parquet.sh - devtrace-convert --to parquet: readers that are not ours get what traceinfo prints
#
# DuckDB and hyparquet read the files. npm fetches them into the build folder, once; without npm or a
# network the rest of the test is done. parquet_check.py compares each row with traceinfo --json.
# SEED=n is another machine and other noise.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}
# shellcheck disable=SC2034 # of tap.sh
why=said
command -v python3 >/dev/null || skip_all "no python3"
echo "# SEED=$SEED"
fmt=$here/traceinfo/board.fmt

# The readers
modules=$O/selftests/npm lacks=''
fetch()
{
	mkdir -p "$modules" && cd "$modules" && echo '{ "private": true }' >package.json &&
		timeout 300 npm install --no-audit --no-fund --fetch-retries=0 --fetch-timeout=60000 \
			@duckdb/node-api@1.5.6-r.1 hyparquet@1.33.0 hyparquet-compressors@1.1.2
}
if ! command -v node >/dev/null; then
	lacks="no node"
elif [ ! -d "$modules/node_modules/hyparquet-compressors" ]; then
	command -v npm >/dev/null && (fetch) >npm.log 2>&1 || lacks="npm cannot fetch the readers"
fi
[ -z "$lacks" ] || sed 's/^/# /' npm.log 2>/dev/null
rows() { node "$here/parquet_rows.mjs" "$1" "$modules" "$2"; }

# sql STATEMENT WANT NAME
sql()
{
	if [ -n "$lacks" ]; then
		skip "$3" "$lacks"
		return
	fi
	is "$(rows sql "$1" 2>said)" "$2" "$3"
}

# equal NAME STREAM...: read the file by both readers, and compare it with traceinfo
equal()
{
	name=$1
	shift
	devtrace-convert -q -e "$fmt" --to parquet -o out.parquet "$@" >said 2>&1 && [ ! -s said ]
	ok $? "$name becomes a table"
	for stream; do
		traceinfo -e "$fmt" --json -v "$stream"
	done >out.json
	for reader in 'duckdb 1000' 'hyparquet 1'; do
		if [ -n "$lacks" ]; then
			skip "$name by ${reader% *}" "$lacks"
			continue
		fi
		rows "${reader% *}" out.parquet >out.rows 2>said &&
			python3 "$here/parquet_check.py" out.json out.rows "${reader#* }" >said 2>&1
		ok $? "$name by ${reader% *}"
		sed 's/^/# /' said
	done
}

for stream in board profile damage lanes late faults; do
	gen_stream <"$here/traceinfo/$stream.gen" >$stream.trace
	equal $stream $stream.trace
done
python3 "$here/summary_model.py" make "$SEED" 20 >machine.gen 2>truth
gen_stream <machine.gen >machine.trace
equal "a machine with losses" machine.trace
{ echo info; echo 'clock 1 1700000000000000000 1 77000'; echo "noise $SEED 3000"; } | gen_stream >noise.trace
equal "hostile frames" noise.trace

# Names with control characters, marks of SQL and JSON, no UTF-8; texts of several pages and groups
python3 - "$SEED" >hostile.gen <<'END'
import random
import sys
random.seed(int(sys.argv[1]))
names = [b"a\nb", b"\x1b[31mred\x1b[2J", b'q"\\z', b"\xff\xfe\x80bad", "\u00fc\u20ac".encode(), b"a\tb\rc",
         b"\xc2\x9b31m", b"x" * 63, b"'; drop table t; --", b'";};', b"%s%n", b"PAR1", b"{}", b"null", b"\\N"]
def quote(b):
    return '"' + "".join("\\x%02x" % c for c in b) + '"'
print("note board \"b\\x01\\xff'7\"")
print("info\nclock 5 1700000000000000000 5")
for i, n in enumerate(names):
    print(f"proc {i + 7} {i + 7} {quote(n[:15])}\ndict usr 0 {100 + i} 0 0 {quote(n)}")
    print(f"dict obj 0 0 0 {16 + i} {quote(n)}\ndict fun 0 0 0 {32 + i} {quote(n)}")
for i, n in enumerate(names):
    print(f"event {10 * i + 10} tid={i + 7} ctx=user type=4 obj:{16 + i} fun:{32 + i}")
    print(f"event {10 * i + 12} tid={i + 7} ctx=user type={100 + i} u8:{i} str:{quote(n)}")
    print(f"event {10 * i + 14} tid={i + 7} ctx=user type=126 str:{quote(n)}")
print("lost 0 0 18446744073709551615 6 18446744073709551615")
for i in range(6000):
    text = bytes(random.randrange(256) for _ in range(random.choice((0, 7, 1500))))
    print(f"event {1000 + i} tid=4294967295 type=126 str:{quote(text)}")
END
gen_stream <hostile.gen >hostile.trace
traceinfo --json hostile.trace >/dev/null
equal "hostile names and long texts" hostile.trace

# Several inputs: those of another board have its name and boot
printf '%s\n' 'note board b1' 'boot 1' info 'clock 100 1700000000000000000 100' 'event 200 tid=7 type=100 u8:1' |
	gen_stream >one.trace
printf '%s\n' 'boot 2' info 'clock 5000 1700000000000001000 5000' 'event 5500 tid=7 type=100 u8:2' |
	gen_stream >two.trace
devtrace-convert -q --to parquet -o both.parquet one.trace two.trace
sql "select number, board, epoch_us(time) - 1700000000000000, ts from 'both.parquet' where kind = 'event'" \
	"2 b1 0 200
3  1 5500" "another input is of another board"

# Sums
{ echo info; echo 'clock 1 1700000000000000000 1'; echo "bench 150000"; } | gen_stream >bench.trace
devtrace-convert -q --to parquet -o bench.parquet bench.trace
traceinfo --json bench.trace | python3 -c '
import json, sys
n = ts = late = 0
for j in map(json.loads, sys.stdin):
    if j["kind"] == "event":
        n, ts, late = n + 1, ts + j["ts"], late + sum(v for e in j["elements"] for v in e.values())
print(n, ts, late)' >sums
# shellcheck disable=SC2016 # JSON paths
sql "select count(*), sum(ts), sum((args->>'\$.\"1:I32\"')::BIGINT) + sum((args->>'\$.\"2:I32\"')::BIGINT) from 'bench.parquet'" \
	"$(cat sums)" "counts and sums of several row groups"
sql "select count(*) from parquet_metadata('bench.parquet') where path_in_schema = 'name' and
	encodings like '%DICTIONARY%'" 2 "names are in dictionaries"

# Columns of numbers
cat >picks.fmt <<'END'
record 107 BEGIN (u8 n) "%v"
record 109 BEAT (i32 late / 10 "ms") "%v late"
END
printf '%s\n' info 'clock 5 1700000000000000000 5' 'event 10 tid=7 type=109 i32:5' 'event 11 tid=7 type=107 u8:1' \
	'event 12 tid=7 type=109 i32:-30' | gen_stream >picks.trace
devtrace-convert -q -e picks.fmt --to parquet --counter BEAT.late --counter BEGIN.n --counter BEAT.late -o picks.parquet \
	picks.trace 2>said
is "$? $(cat said)" "0 " "--counter"
sql "select sum(BEAT_late), sum(BEAT_late_2), count(BEGIN_n), count(*) from 'picks.parquet'" "-2.5 -2.5 1 3" \
	"makes a column of numbers"
devtrace-convert -q -e picks.fmt --to parquet --counter BEAT.lat -o picks.parquet picks.trace 2>said
is "$(cat said)" "devtrace-convert: --counter: the event BEAT has no number with the name lat; did you mean late?" \
	"a misspelt name is reported"
devtrace-convert -q --to parquet --slice BEGIN..BEAT -o unwanted picks.trace 2>said
is "$? $(cat said)" "2 devtrace-convert: --slice: 'parquet' has no bars; use --to perfetto, chrome or html" "bars are refused"

# Inputs and outputs of all kinds
dd bs=777 <machine.trace 2>/dev/null | devtrace-convert -q --to parquet - | cat >pipe.parquet
devtrace-convert -q --to parquet -o file.parquet machine.trace
cmp pipe.parquet file.parquet
ok $? "a pipe gives the same"
echo info | gen_stream >empty.trace
devtrace-convert -q --to parquet -o empty.parquet empty.trace
sql "select count(*), count(time) from 'empty.parquet'" "0 0" "a table without rows"
printf 'earlier' >earlier
devtrace-convert --to parquet -o earlier nowhere 2>said
is "$? $(cat earlier)" "1 earlier" "without an input that can be read, the output file stays"
devtrace-convert -q --to parquet bench.trace >/dev/full 2>said
is "$? $(cat said)" "1 devtrace-convert: standard output: No space left on device" "a full disk"

# Interrupted: the file has the rows up to there, and its footer.
mkfifo pipe
devtrace-convert -q --to parquet -o cut.parquet - <pipe &
exec 9>pipe
cat bench.trace >&9
kill -TERM $!
exec 9>&-
wait $!
is $? 0 "a signal ends the conversion"
sql "select count(*) > 0 from 'cut.parquet'" true "and the file is whole"

# Size and memory
convert=$O/tools/devtrace-convert
[ -x "$convert" ] || convert=devtrace-convert
{ echo info; echo 'clock 1 1700000000000000000 1'; echo "bench 1000000"; } | gen_stream >million.trace
python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$convert" -q --to parquet -o million.parquet million.trace >rss
[ "$(cat rss)" -le 65536 ]
ok $? "a million rows in $(cat rss) KiB"
set -- "$(wc -c <million.parquet)" "$(wc -c <million.trace)"
[ $((2 * $1)) -le "$2" ]
ok $? "$1 bytes from $2"
sql "select count(*), sum(number) from 'million.parquet'" "1000000 500000500000" "which are read"

# Without libzstd the codec is gzip.
make -s -C "$here/../../tools" O="$work/plain" ZSTD_LIBS= "$work/plain/tools/devtrace-convert" >said 2>&1
ok $? "built without libzstd"
plain/tools/devtrace-convert -q --to parquet -o gzip.parquet bench.trace
sql "select distinct compression from parquet_metadata('gzip.parquet')" GZIP "it writes gzip"
sql "select count(*) from (from 'gzip.parquet' except from 'bench.parquet')" 0 "and the same rows"

done_testing
