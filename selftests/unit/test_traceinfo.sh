#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceinfo.sh - replay the transcripts in traceinfo/*.expected
#
# Each command runs in a directory of its own with the streams made from
# traceinfo/*.gen as *.trace, the *.fmt files, and a traceinfo that was built with
# address and undefined behaviour sanitizers in front of PATH.

here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../transcript.sh
. "$here/../transcript.sh"

export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset NO_COLOR DEVTRACE_FMT_PATH
# The output must not depend on installed format files.
mkdir "$work/run" || exit 1
cp -r "$here"/traceinfo/*.fmt "$here"/traceinfo/fmts "$here"/traceinfo/owned "$here"/../../tools/fmt/qp.fmt \
	"$here"/../../tools/fmt/rkh.fmt "$here"/../../tools/fmt/kernel.fmt \
	"$here"/../../tools/fmt/bus.fmt "$work/run" || exit 1
for gen in "$here"/traceinfo/*.gen; do
	name=$(basename "$gen" .gen)
	gen_stream < "$gen" > "$work/run/$name.trace" || exit 1
done
cat > "$work/run/.shrc" <<'RC'
traceinfo() { command traceinfo --no-default-fmt "$@"; }
RC

cd "$work/run" || exit 1
echo "TAP version 13"
# TRANSCRIPTS: one of them, for selftests/mutate
# shellcheck disable=SC2086 # a pattern
replay "$work" "$here"/traceinfo/${TRANSCRIPTS:-*}.expected
