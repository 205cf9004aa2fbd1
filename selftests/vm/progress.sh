# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# progress.sh - tell the user what a long step does; sourced
#
# On a terminal one line per step, rewritten twice a second: the step, its time, and the last
# line of its log. In a pipe or file a step is one line, printed when the step begins.
# All of it goes to standard error: standard output is the result's.

progress_pid='' progress_fd='' progress_text='' progress_start=0

progress_clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# progress_line LOG: the line on the terminal, cut to its width. Paths lose their directories.
progress_line()
{
	local last='' columns text

	last=$(tail -n 1 "$1" 2>/dev/null | tr -cd '[:print:]') || :
	last=$(sed -E 's|[^ ]*/||g; s/^ +//; s/ +/ /g' <<<"$last")
	columns=$(stty size <&2 2>/dev/null) || :
	columns=${columns#* }
	[ "${columns:-0}" -gt 0 ] || columns=80
	text="$progress_text, $(progress_clock $((SECONDS - progress_start)))${last:+: $last}"
	printf '\r\033[K%s' "${text:0:columns - 1}" >&2
}

# progress_begin TEXT [LOG]: end it with progress_end. Not for a step of no length: what is
# there already is not told.
progress_begin()
{
	progress_text=$1 progress_start=$SECONDS
	if [ ! -t 2 ]; then
		printf '%s\n' "$1" >&2
		return
	fi
	# A line on its input ends the child, and so does the end of the input: the step's, or this
	# shell's, killed by ^C. A signal is no good: bash may lose it while it forks.
	exec {progress_fd}> >(
		while status=0; progress_line "${2:-/dev/null}"; do
			read -r -t 0.5 || status=$?
			[ "$status" -gt 128 ] || break
		done
	)
	progress_pid=$!
}

# progress_end [STATUS]: on a terminal the line says how long the step took
progress_end()
{
	[ -n "$progress_pid" ] || return 0
	(echo >&"$progress_fd") 2>/dev/null || :
	exec {progress_fd}>&-
	# A subshell cannot wait for it
	wait "$progress_pid" 2>/dev/null ||
		while kill -0 "$progress_pid" 2>/dev/null; do sleep 0.05; done
	progress_pid=
	printf '\r\033[K%s, %s%s\n' "$progress_text" \
		"$(progress_clock $((SECONDS - progress_start)))" "${1:+: failed}" >&2
}

# progress_over: the step may have been ended in a subshell; if it was not, it failed
progress_over()
{
	if [ -n "$progress_pid" ] && kill -0 "$progress_pid" 2>/dev/null; then
		progress_end failed
	fi
	[ -z "$progress_pid" ] || exec {progress_fd}>&-
	progress_pid=
}

# progress TEXT LOG COMMAND...: what the command prints goes to LOG; if it fails, to the user
progress()
{
	local log=$2

	progress_begin "$1" "$log"
	shift 2
	if "$@" >"$log" 2>&1 </dev/null; then
		progress_end
	else
		progress_end failed
		cat "$log" >&2
		return 1
	fi
}
