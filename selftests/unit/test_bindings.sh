#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_bindings.sh - the examples of Documentation/bindings.rst, taken out of it, emit the bytes
# that the page describes
#
# binding_device.c takes the place of the library's device, and prints what it gets.
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C LD_LIBRARY_PATH="$out/binding"
cd "$work" || exit 1
. "$here/../tap.sh"

# The block of code in this language, without the tab before its lines
block()	# LANGUAGE
{
	awk -v begin=".. code-block:: $1" '
		$0 == begin { inside = 1; next }
		inside && /^[^\t]/ { exit }
		inside { sub(/^\t/, ""); print }' "$here/../../Documentation/bindings.rst"
}

cat >want <<'WANT'
100 00 10 0700000005dc0500000872756e6e696e6700
125 0a 08 01100a000503000000
WANT

if command -v python3 >/dev/null; then
	block python >emit.py
	python3 emit.py >got 2>said
	diff want got >differs
	ok $? "Python emits an event and an exception"
	sed 's/^/# /' differs said
else
	skip "Python emits an event and an exception" "no python3"
fi
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
	block rust >emit.rs
	rustc -D warnings -L "native=$out/binding" emit.rs 2>said
	ok $? "the Rust example compiles without a warning"
	sed 's/^/# /' said
	./emit >got
	diff want got >differs
	ok $? "Rust emits the same"
	sed 's/^/# /' differs
else
	skip "Rust emits the same" "no rustc"
fi
# Without a device both still run, and the calls say why.
unset LD_LIBRARY_PATH
cat >none.py <<'PY'
import ctypes, errno, sys
lib = ctypes.CDLL(sys.argv[1])
event = bytes([100, 0, 0, 0, 5, 1, 0, 0, 0])
lib.devtrace_emit_event.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
print(lib.devtrace_open() == errno.ENOENT, lib.devtrace_emit_event(event, len(event)) == errno.ENODEV)
PY
if command -v python3 >/dev/null; then
	is "$(DEVTRACE_DEVICE=$work/none python3 none.py "$out/../../lib/libdevtrace.so.0")" "True True" \
		"without a device the calls return ENOENT and ENODEV"
fi
done_testing
