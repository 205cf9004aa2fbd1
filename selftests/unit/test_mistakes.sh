#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_mistakes.sh - mistakes that users make: command, message, status
#
# Each message tells what is wrong, where, and what to do. The transcripts in
# mistakes/*.expected; those that need a board are in device/tools/test_mistakes.sh.

here=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$here/../.." && pwd)
O=$(cd "${O:-$TOP/build}" && pwd) || exit 1
out=$O/selftests/unit
work=$(mktemp -d) || exit 1
motord=''
trap '[ -z "$motord" ] || kill $motord 2>/dev/null; rm -rf "$work"' EXIT
# shellcheck source=../transcript.sh
. "$here/../transcript.sh"

unset DEVTRACE_DEVICE DEVTRACE_FMT_PATH DEVTRACE_DEBUG MAKEFLAGS MFLAGS MAKELEVEL
KDIR=$("$here/../vm/board" --kernel 6.1 --kdir) || exit 1
EMITTER=$work/emitter
LIBDEVTRACE=$O/lib/libdevtrace.a
export TOP KDIR EMITTER LIBDEVTRACE TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
mkdir "$work/run" && cd "$work/run" || exit 1
cat > emitter.c <<'C'
#include <devtrace.h>

int main(void)
{
	devtrace(100, 1);
	return 0;
}
C
${CC:-gcc} -o "$EMITTER" -I"$TOP/include/uapi" -I"$TOP/include" emitter.c \
	"$O/lib/libdevtrace.a" -lpthread || exit 1
rm emitter.c
cp "$here"/traceinfo/board.fmt . || exit 1
gen_stream < "$here/traceinfo/board.gen" > board.trace || exit 1
echo hello > plain
"$out/rx_program" > log 2>&1 & motord=$!
until grep -q . log; do :; done
export MOTORD=$motord
{ cat "$here/mistakes/mistakes.sh"; echo 'traceinfo() { command traceinfo --no-default-fmt "$@"; }'; } > .shrc

echo "TAP version 13"
# shellcheck disable=SC2086 # a pattern
replay "$work" "$here"/mistakes/${TRANSCRIPTS:-*}.expected
