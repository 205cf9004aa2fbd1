#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_python.sh - the Python module devtrace: the values of traceinfo --json, as objects and columns
#
# The module reads streams that gen_stream makes; python_check.py compares each item with traceinfo.
# A module with sanitizers reads streams of any content. The examples of Documentation/python.rst
# run. SEED=n makes other noise.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
export PYTHONDONTWRITEBYTECODE=1
SEED=${SEED:-$(($(date +%s) % 1000000))}
[ -e "$O/tools/python/devtrace/_devtrace.abi3.so" ] ||
	skip_all "no module: Debian's python3-dev has the headers"
echo "# SEED=$SEED"
fmt=$here/traceinfo/board.fmt
python() { PYTHONPATH=$O/tools/python:$here python3 "$@"; }

# equal NAME STREAM
equal()
{
	traceinfo -e "$fmt" --json -v "$2" >out.json &&
		python "$here/python_check.py" equal "$2" out.json "$fmt" >said 2>&1
	ok $? "$1"
	grep -a '^#' said || sed 's/^/# /' said
}
for stream in board profile damage lanes late idle faults clock; do
	gen_stream <"$here/traceinfo/$stream.gen" >$stream.trace
	equal "$stream in Python" $stream.trace
done
python3 "$here/summary_model.py" make "$SEED" 20 >machine.gen 2>truth
gen_stream <machine.gen >machine.trace
equal "a machine with losses" machine.trace
{ echo info; echo 'clock 1 1700000000000000000 1 77000'; echo "noise $SEED 3000"; } | gen_stream >noise.trace
equal "hostile frames" noise.trace
cat >values.gen <<'END'
info
clock 5 1700000000000000000 5
event 10 tid=7 ctx=user type=107 u64:18446744073709551615 i64:-9223372036854775808 u32:123456
event 11 tid=7 ctx=user type=107 u64:5258986265376043509 i64:-7408596316092197599 u32:0
event 12 tid=7 ctx=user type=108 f32:0.1 f64:0.1 f32:nan f64:-inf mem+:0001 mem:02 str:a\xc3\xa4\xff\xe2\x82
END
cat >values.fmt <<'END'
record 107 NUMBERS (u64 u / 1000, i64 i / 10, u32 x / 100000) "%v %v %v"
record 108 OTHERS (f32 f, f64 d, f32 n, f64 i, mem m, str s) "%v %v %v %v %v %v"
END
board=$fmt fmt=values.fmt
gen_stream <values.gen >values.trace
equal "numbers of 64 bits with a point, bytes in pieces, text that is no UTF-8" values.trace
fmt=$board

# Other ways in
cat >ways.py <<'END'
import io, os, pathlib, subprocess, sys, devtrace
want = [repr(e) for e in devtrace.open("machine.trace")]
def got(source): return [repr(e) for e in devtrace.open(source)] == want
data = open("machine.trace", "rb").read()
print(len(want) > 100, got(pathlib.Path("machine.trace")), got(open("machine.trace", "rb")), got(data),
      got(memoryview(bytearray(data))))
p = subprocess.Popen(["dd", "bs=777", "if=machine.trace"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
print(got(p.stdout.fileno()))
END
is "$(python ways.py | xargs)" "True True True True True True" \
	"a path, a file, bytes, a buffer and a pipe give the same"
if command -v zstd >/dev/null && zstd -q machine.trace -o machine.zst &&
   traceinfo machine.zst >/dev/null 2>&1; then
	is "$(python -c 'import devtrace; a, b = ([repr(e) for e in devtrace.open(f"machine.{x}")] for x in ("trace", "zst"))
print(a == b)')" True "and so does a compressed file"
else
	skip "and so does a compressed file" "no zstd"
fi

# The test uses a terminal as a device that has events only now and then.
cat >live.py <<'END'
import os, pty, signal, sys, threading, tty, devtrace
data = open("board.trace", "rb").read()
want = [repr(e) for e in devtrace.open(data)]
master, slave = pty.openpty()
tty.setraw(slave)
reader = devtrace.open(os.ttyname(slave), follow=True)
os.write(master, data[:100])
threading.Thread(target=lambda: [os.write(master, data[i:i + 100]) for i in range(100, len(data), 100)]).start()
print([repr(next(reader)) for _ in want] == want)

def other():
    try:
        reader.close()
    except RuntimeError as e:
        said.append(str(e)[:20])
    os.kill(os.getpid(), signal.SIGALRM)
class Alarm(Exception): pass
def alarm(*_): raise Alarm
signal.signal(signal.SIGALRM, alarm)
said = []
try:
    threading.Timer(0.1, other).start()
    next(reader)
except Alarm:
    print("Alarm", *said)
now = devtrace.open(os.ttyname(slave))
print(list(now))
try:
    reader.columns()
except ValueError as e:
    print(e)
reader.close()
reader.close()
try:
    next(reader)
except ValueError as e:
    print(e, reader.totals["events"] == len(want))
END
is "$(PYTHONPATH=$O/tools/python timeout 60 python3 live.py 2>&1 | xargs)" "True Alarm the reader is in use [] columns() of a reader that follows needs a limit the reader is closed True" \
	"a device is followed, a signal ends the wait, another thread is refused"

# Each mistake has an exception with a message.
cat >wrong.py <<'END'
import sys, warnings, devtrace
warnings.simplefilter("error")
for source in "none.trace", "/", "values.gen", b"", "/dev/null", "tcp:", 12345, None:
    try:
        print(list(devtrace.open(source)))
    except Exception as e:
        print(type(e).__name__, e)
for formats in ["none.fmt"], ["wrong.fmt"], "x.fmt", [7]:
    try:
        print(devtrace.open("board.trace", formats))
    except Exception as e:
        print(type(e).__name__, e)
try:
    print(devtrace.open("board.trace").columns(limit=-1))
except Exception as e:
    print(type(e).__name__, e)
for kind in devtrace.Reader, devtrace.Event, devtrace.Column:
    try:
        kind()
    except TypeError as e:
        print("TypeError")
END
echo 'record 300 X' >wrong.fmt
python wrong.py >said 2>&1
cat >want <<END
FileNotFoundError [Errno 2] No such file or directory: 'none.trace'
IsADirectoryError [Errno 21] Is a directory: '/'
ValueError $(traceinfo values.gen 2>&1 | sed "s/^traceinfo: //")
ValueError bytes: not a trace stream: the input is empty
ValueError /dev/null: not a trace stream: the input is empty
ValueError tcp: $(traceinfo tcp: 2>&1 | sed "s/.*'tcp:' //;s/^traceinfo: tcp: //;q")
OSError [Errno 9] Bad file descriptor: 12345
TypeError expected str, bytes or os.PathLike object, not NoneType
FileNotFoundError [Errno 2] No such file or directory: 'none.fmt'
UserWarning $(traceinfo --check-fmt wrong.fmt 2>&1 | sed 's/^traceinfo: //;s/\(wrong.fmt:1\):[0-9]*/\1/;s/ error://;q')
TypeError formats is a list of paths, such as ["board.fmt"]
TypeError expected str, bytes or os.PathLike object, not int
ValueError limit is a number of events, not -1
TypeError
TypeError
TypeError
END
diff want said >differs
ok $? "each mistake has its exception"
sed 's/^/# /' differs

# The types have the attributes of the stub, and a reader frees its memory.
cat >stub.py <<'END'
import ast, resource, sys, devtrace
tree = ast.parse(open(sys.argv[1]).read())
for c in tree.body:
    if isinstance(c, ast.ClassDef) and not c.name.startswith("_"):
        want = {f.name for f in c.body if isinstance(f, ast.FunctionDef)}
        got = set(vars(getattr(devtrace, c.name)))
        public = {n for n in got if not n.startswith("_")}
        print(c.name, want - got, public - want)
print({c.name for c in tree.body if hasattr(c, "name") and not c.name.startswith("_")} == set(devtrace.__all__))
def use(n):
    for _ in range(n):
        list(devtrace.open("machine.trace").items())
        devtrace.open("machine.trace").columns("SCHED_SWITCH")
        try:
            devtrace.open("none.trace")
        except OSError:
            pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(use(5) + 4096 > use(40))
END
is "$(python stub.py "$top/tools/python/devtrace/__init__.pyi" | xargs)" \
	"Event set() set() Column set() set() Reader set() set() True True" \
	"the stub names each attribute, and a reader gives its memory back"
if command -v mypy >/dev/null; then
	PYTHONPATH=$O/tools/python mypy --strict -c 'import devtrace
for e in devtrace.open("x", ["y"]): print(e.ts + 1, e.text.upper())' >said 2>&1
	ok $? "mypy accepts the stub"
	sed 's/^/# /' said
else
	skip "mypy accepts the stub" "no mypy"
fi

# The examples of the page
examples()	# LANGUAGE
{
	awk -v begin=".. code-block:: $1" '
		$0 == begin { inside = 1; next }
		inside && /^[^\t]/ { inside = 0 }
		inside { sub(/^\t/, ""); print }' "$top/Documentation/python.rst"
}
# How exact the date of an event is
for board in c7 c8 c9; do
	gen_stream <"$here/traceinfo/$board.gen" >$board.trace
done
cat >exact.py <<'END'
import devtrace
for board in "c7", "c8", "c9":
    print(*[f"{e.synchronised},{e.error}" for e in devtrace.open(board + ".trace")])
END
is "$(python exact.py 2>&1 | xargs)" \
	"yes,1254567 yes,1259567 yes,1754567 unknown,None yes,520900 yes,820000 lost,None never,None never,None never,None" \
	"the error of a date, while it is known"

cat >beat.gen <<'END'
info
clock 5 1700000000000000000 5
proc 7 7 worker
event 10 tid=7 ctx=user type=109 i32:5
event 20 tid=7 ctx=user type=108 i32:5
lost 0 1 3 20 30
event 40 tid=7 ctx=user type=109 i32:-3
END
cat >beat.fmt <<'END'
record 109 BEAT (i32 late) "%v late"
END
gen_stream <beat.gen >board.trace
mkdir formats && mv beat.fmt formats/
export DEVTRACE_FMT_PATH="$work/formats"
examples python >examples.py
cat >want <<'END'
2023-11-14T22:13:20.000000005+00:00 worker BEAT 5 late
2023-11-14T22:13:20.000000015+00:00 worker USER:108 5
2023-11-14T22:13:20.000000035+00:00 worker BEAT -3 late
5
3 events lost after 2023-11-14T22:13:20.000000015+00:00
3 lost, 0 frames missing
['ts', 'realtime', 'cpu', 'lane', 'context', 'severity', 'tid', 'pid', 'process', 'type', 'name', 'code', 'object', 'signal', 'args.late']
2 5
END
python examples.py >said 2>&1
diff want said >differs
ok $? "the examples of the page run"
sed 's/^/# /' differs
for p in python3 /usr/bin/python3; do
	! $p -c 'import numpy' 2>/dev/null || numpy=$p
done
if [ -n "${numpy-}" ]; then
	{ echo 'import devtrace'; examples numpy; echo 'print(ts.flags.owndata, late.dtype, ts.dtype)'; } >view.py
	is "$(PYTHONPATH=$O/tools/python $numpy view.py | xargs)" "1.0 30 False int64 uint64" \
		"numpy uses the memory of a column"
else
	skip "numpy uses the memory of a column" "no python3-numpy"
fi
unset DEVTRACE_FMT_PATH

# Streams of any content, read by a module with sanitizers
if [ -e "$out/san/tools/python/devtrace/_devtrace.abi3.so" ]; then
	LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$out/san/tools/python \
		python3 "$here/python_check.py" survive "$here"/../fuzz/corpus-decode/* noise.trace \
		damage.trace values.trace >said 2>&1
	ok $? "no stream crashes the interpreter"
	sed 's/^/# /' said
fi

# The installed files
make -s -C "$top" O="$O" DESTDIR="$work/root" prefix=/opt install-python >said 2>&1
is "$(cd root && find . -type f | sort | xargs)" \
	"./opt/lib/python3/dist-packages/devtrace/__init__.py ./opt/lib/python3/dist-packages/devtrace/__init__.pyi ./opt/lib/python3/dist-packages/devtrace/_devtrace.abi3.so ./opt/lib/python3/dist-packages/devtrace/py.typed" \
	"make install-python puts the module into pydir"
is "$(PYTHONPATH=root/opt/lib/python3/dist-packages python3 -c 'import devtrace; print(len(list(devtrace.open("board.trace"))))')" 3 \
	"where it works"
done_testing
