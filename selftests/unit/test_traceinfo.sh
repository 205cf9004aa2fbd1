#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceinfo.sh - replay the transcripts in traceinfo/*.expected
#
# A transcript is a sequence of
#
#	$ command
#	what it prints, standard output and standard error together
#	? exit status, if it is not 0
#
# Each command is a test. It runs in a directory of its own with the streams
# made from traceinfo/*.gen as *.trace, the *.fmt files, and a traceinfo that
# was built with address and undefined behaviour sanitizers in front of PATH.
# UPDATE=1 writes what is printed into the transcripts instead: look at the
# difference before you believe it.

here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset NO_COLOR DEVTRACE_FMT_PATH
# What is printed must not depend on what is installed.
mkdir "$work/run" "$work/cases" || exit 1
cp -r "$here"/traceinfo/*.fmt "$here"/traceinfo/fmts "$work/run" || exit 1
for gen in "$here"/traceinfo/*.gen; do
	name=$(basename "$gen" .gen)
	gen_stream < "$gen" > "$work/run/$name.trace" || exit 1
done
cat > "$work/run/.shrc" <<'RC'
traceinfo() { command traceinfo --no-default-fmt "$@"; }
RC

# Split the transcripts: NNN.cmd, NNN.want.
cat "$here"/traceinfo/*.expected | awk -v dir="$work/cases" '
	/^\$ / { n++; f = sprintf("%s/%03d", dir, n); print substr($0, 3) > (f ".cmd")
		 printf "" > (f ".want"); next }
	n { print > (f ".want") }'

nr=$(find "$work/cases" -name '*.cmd' | wc -l)
echo "TAP version 13"
echo "1..$nr"
failed=0
i=0
cd "$work/run" || exit 1
for cmd in "$work"/cases/*.cmd; do
	i=$((i + 1))
	case=${cmd%.cmd}
	{ cat .shrc "$cmd"; } > "$case.sh"
	sh "$case.sh" > "$case.got" 2>&1 < /dev/null
	status=$?
	[ $status = 0 ] || echo "? $status" >> "$case.got"
	name=$(tr '#' '.' < "$cmd")
	if cmp -s "$case.want" "$case.got"; then
		printf 'ok %d %s\n' $i "$name"
	else
		printf 'not ok %d %s\n' $i "$name"
		diff "$case.want" "$case.got" | sed 's/^/# /'
		failed=1
	fi
done

if [ -n "$UPDATE" ]; then
	for t in "$here"/traceinfo/*.expected; do
		awk '/^\$ /' "$t" > "$work/list"
		head=$(awk '/^\$ /{exit} {print}' "$t")
		{
			[ -z "$head" ] || printf '%s\n' "$head"
			while IFS= read -r line; do
				printf '%s\n' "$line"
				for cmd in "$work"/cases/*.cmd; do
					if [ "\$ $(cat "$cmd")" = "$line" ]; then
						cat "${cmd%.cmd}.got"
						break
					fi
				done
			done < "$work/list"
		} > "$work/new"
		cp "$work/new" "$t"
	done
fi
exit $failed
