#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_screens.sh - what traceinfo looks like on terminals of 80, 100 and 160 columns
#
# The transcripts in screens/*.expected, with the streams and formats of traceinfo/. In
# colour, ESC is printed as ^[.

here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../transcript.sh
. "$here/../transcript.sh"

unset TMUX NO_COLOR COLUMNS DEVTRACE_FMT_PATH
export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
mkdir "$work/run" && cd "$work/run" || exit 1
# shellcheck source=screens/screen.sh
. "$here/screens/screen.sh"
why=$(screen 80 plain true)
if ! command -v tmux >/dev/null; then
	echo "1..0 # SKIP no tmux"
	exit 4
elif [ "$why" != "? 0" ]; then
	echo "1..0 # SKIP tmux does not run here: $(echo "$why" | head -n 1)"
	exit 4
fi
trap 'rm -rf "$work"' EXIT
cp "$here"/traceinfo/*.fmt . || exit 1
for gen in "$here"/traceinfo/*.gen; do
	name=$(basename "$gen" .gen)
	gen_stream < "$gen" > "$name.trace" || exit 1
done
cp "$here/screens/screen.sh" .shrc || exit 1

echo "TAP version 13"
# shellcheck disable=SC2086 # a pattern
replay "$work" "$here"/screens/${TRANSCRIPTS:-*}.expected
