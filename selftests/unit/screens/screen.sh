# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# screen.sh - what a command leaves on a terminal of a certain width, by tmux
#
# The commands of *.expected; each has a tmux server of its own. Nothing waits for a
# time: the screen is looked at until the awaited line stands there, or TRIES are over.

TRIES=600	# of 0.05 s

mux() { tmux -u -S "$dir/socket" -f /dev/null "$@" 2>/dev/null 9>&-; }

# begin WIDTH LOOK SHELL-COMMAND: in a terminal; LOOK is plain or colour
begin()
{
	dir=$(mktemp -d) || exit 1
	trap 'mux kill-server; rm -rf "$dir"' EXIT
	cat > "$dir/run" <<-RUN
	[ "$2" = colour ] || export NO_COLOR=1
	$3
	echo "? \$?"
	exec cat
	RUN
	mux new-session -d -x "$1" -y 50 "exec sh $dir/run"
	captured=
	[ "$2" = plain ] || captured=-e
}

capture()
{
	# shellcheck disable=SC2086 # an option or none
	mux capture-pane -p $captured
}

# until_shown TEXT: false if it never comes
until_shown()
{
	tries=$TRIES
	until mux capture-pane -p | grep -qF -- "$1"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "never came: $1"; capture; return 1; }
		sleep 0.05
	done
}

# end: the screen up to the status of the command
end()
{
	until_shown "? " || return
	capture | sed '/^? /q' | cat -v
	mux kill-server
}

# screen WIDTH LOOK SHELL-COMMAND
screen()
{
	begin "$@" && end
}

# widths WIDTH LOOK WIDER SHELL-COMMAND: of what follows the stream FIFO; it has $cut
# bytes of $stream before the terminal becomes WIDER, and the rest after it
widths()
{
	rm -f FIFO
	mkfifo FIFO && exec 9<>FIFO || return
	# There before somebody looks what is there
	head -c "$cut" "$stream" >&9
	begin "$1" "$2" "$4"
	until_shown "$first" || return
	mux resize-window -x "$3"
	tty=$(mux display-message -p '#{pane_tty}') tries=$TRIES
	# tmux tells it to the terminal when it has the time
	until stty -F "$tty" size | grep -q " $3$" || [ $tries = 0 ]; do
		tries=$((tries - 1))
		sleep 0.05
	done
	tail -c +$((cut + 1)) "$stream" >&9
	until_shown "$last" || return
	# Its end: nobody writes any more.
	exec 9>&-
	end
}
