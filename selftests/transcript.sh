# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# transcript.sh - replay transcripts; tests of tools read it in
#
# A transcript is a sequence of
#
#	$ command
#	what it prints, standard output and standard error together
#	? exit status, if it is not 0
#
# Each command is a test, run by sh in the current directory after .shrc, if
# there is one. With UPDATE=1 what is printed is written into the transcripts
# instead: look at the difference before you believe it. Busybox runs it too.

# replay WORKDIR TRANSCRIPT...: TAP; false if one differs.
replay()
{
	work=$1
	shift
	rm -rf "$work/cases"
	mkdir -p "$work/cases" || return 1
	# Split them: NNN.cmd, NNN.want.
	cat "$@" | awk -v dir="$work/cases" '
		/^\$ / { n++; f = sprintf("%s/%03d", dir, n); print substr($0, 3) > (f ".cmd")
			 printf "" > (f ".want"); next }
		n { print > (f ".want") }'
	nr=$(find "$work/cases" -name '*.cmd' | wc -l)
	echo "1..$nr"
	failed=0
	i=0
	for cmd in "$work"/cases/*.cmd; do
		i=$((i + 1))
		case=${cmd%.cmd}
		{ [ ! -e .shrc ] || cat .shrc; cat "$cmd"; } > "$case.sh"
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
	[ -z "$UPDATE" ] || update "$@"
	return $failed
}

update()
{
	for t; do
		awk '/^\$ /' "$t" > "$work/list"
		head=$(awk '/^\$ /{exit} {print}' "$t")
		{
			[ -z "$head" ] || printf '%s\n' "$head"
			while IFS= read -r line; do
				printf '%s\n' "$line"
				for cmd in "$work"/cases/*.cmd; do
					if [ "\$ $(cat "$cmd")" = "$line" ]; then
						cat "${cmd%.cmd}.got"
						# the next time it is run is another one
						rm "$cmd"
						break
					fi
				done
			done < "$work/list"
		} > "$work/new"
		cp "$work/new" "$t"
	done
}
