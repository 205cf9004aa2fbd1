#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test_completion.sh - what bash offers behind traceinfo and tracectl
#
# As readline does it: the words of the line, cut at = as well, and the last of them is
# completed. Every option that a tool knows must be offered. The help of each tool fits a terminal
# of 80 columns.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$(cd "${O:-$top/build}/selftests/unit" && pwd) || exit 1
# Run as sh by the others' rule.
[ -n "$BASH_VERSION" ] && shopt -q progcomp 2>/dev/null ||
	exec bash "$0" || { echo "1..0 # SKIP no bash"; exit 4; }
set +o posix
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/dir" && cd "$work/dir" || exit 1
export LC_ALL=C PATH="$work/bin:$out/san/tools:$PATH"
touch a.fmt b.txt
mkdir c

# There is no kernel to ask for the names of streams and triggers.
cat >"$work/bin/tracectl" <<'TOOL'
#!/bin/sh
case "$*" in
"stream --json")	echo '[{"stream":"trace","id":0},{"stream":"side","id":1}]' ;;
"trigger --json")	echo '[{"trigger":"overrun","stream":"side"}]' ;;
"site list --json")	echo '{"sites":[{"file":"src/pump.c","line":12,"text":"x"}]}' ;;
"rx")			printf 'PID PROGRAM USER\n17 motord root\n' ;;
"profile list --json")	echo '[{"name":"sched_switch","group":"sched"},{"name":"irq_entry","group":"irq"}]' ;;
*)			exit 1 ;;
esac
TOOL
printf '#!/bin/sh\nprintf "bash\\nkworker/0:1\\nmotord\\n"\n' >"$work/bin/ps"
chmod +x "$work"/bin/*
# Only a shell that completes has it.
compopt() { :; }
# shellcheck source=../../tools/completion/traceinfo
. "$top/tools/completion/traceinfo"
# shellcheck source=../../tools/completion/tracelogger
. "$top/tools/completion/tracelogger"
# shellcheck source=../../tools/completion/devtrace-convert
. "$top/tools/completion/devtrace-convert"
# shellcheck source=../../tools/completion/qsgate
. "$top/tools/completion/qsgate"
# shellcheck source=../../tools/completion/fmtextract
. "$top/tools/completion/fmtextract"
# shellcheck source=../../tools/completion/fmtimport
. "$top/tools/completion/fmtimport"
# shellcheck source=../../tools/completion/tracectl
. "$top/tools/completion/tracectl"

# shellcheck source=../tap.sh
. "$here/../tap.sh"

sorted() { printf '%s\n' "$@" | sort | xargs; }

# offered WORD...: what stands behind the last word, in one line
offered()
{
	local COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()

	"_$1"
	sorted "${COMPREPLY[@]}"
}

result()	# STATUS NAME WANT GOT
{
	ok "$1" "$2"
	[ "$1" = 0 ] || printf '# wanted: %s\n# offered: %s\n' "$3" "$4"
}

# gives WANT WORD...: exactly this
gives()
{
	local want=$1 got status=0

	shift
	# shellcheck disable=SC2086 # words
	want=$(sorted $want)
	got=$(offered "$@")
	[ "$got" = "$want" ] || status=1
	result $status "$*" "$want" "$got"
}

# has WANT WORD...: these among others
has()
{
	local want=$1 w got status=0

	shift
	got=$(offered "$@")
	for w in $want; do
		[[ " $got " == *" $w "* ]] || status=1
	done
	result $status "$*: $want" "$want" "$got"
}

gives "--summary" traceinfo --su
gives "auto always" traceinfo --color = a
gives "a.fmt b.txt c" traceinfo --color ""
gives "a.fmt b.txt c" traceinfo -J ""
gives "iso" traceinfo --time = i
gives "date ms us iso rel delta raw mono none" traceinfo --time =
gives "hw0 hw1 hw2 hw3" traceinfo -s hw
gives "SM SC SEM" traceinfo --type S
gives "now" traceinfo -S n
gives "motord" traceinfo -p m
gives "a.fmt c" traceinfo -e ""
gives "c" traceinfo -I ""
gives "" traceinfo -n ""
gives "b.txt" traceinfo b
# Each long option in the help of the tool
options=$("$out/san/tools/traceinfo" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" traceinfo -

gives "--size --spool --sync" tracelogger --s
gives "none" tracelogger --sync = n
gives "unix: udp:" tracelogger --to u
gives "c" tracelogger --spool ""
gives "a.fmt b.txt c" tracelogger -f ""
gives "" tracelogger -l ""
options=$("$out/san/tools/tracelogger" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" tracelogger -

gives "qs" devtrace-convert --from = q
gives "qs rkh" devtrace-convert --from ""
gives "time= tick=" devtrace-convert --size t
gives "chrome ctf html parquet perfetto vcd" devtrace-convert --to ""
gives "a.fmt c" devtrace-convert -e ""
gives "a.fmt b.txt c" devtrace-convert ""
gives "" devtrace-convert --rate ""
options=$("$out/san/tools/devtrace-convert" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" devtrace-convert -
gives "motord" qsgate --program m
gives "7701" qsgate --udp ""
gives "a.fmt b.txt c" qsgate ""
gives "a.fmt b.txt c" fmtextract -o ""
options=$("$out/san/tools/fmtextract" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" fmtextract -
gives "a.fmt b.txt c" fmtimport -o ""
options=$("$out/san/tools/fmtimport" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" fmtimport -
options=$("$out/san/tools/qsgate" --help | grep -oE -- '--[a-z-]+' | sort -u)
has "$(echo "$options" | tr '\n' ' ')" qsgate -

gives "filter stream trigger profile stat monitor dict clear save rx site clock" tracectl ""
gives "list off on" tracectl site ""
gives "pump.c:12" tracectl site off p
gives "debug" tracectl site off level d
gives "motord" tracectl --process m
gives "peek poke probe" tracectl rx motord p
gives "motord" tracectl rx m
gives "filter" tracectl f
gives "show set add remove clear save load check" tracectl filter ""
gives "type=" tracectl filter set t
gives "user user0 user1 user2 user3 user4" tracectl filter set type = user
gives "sm,ao sm,all" tracectl filter set type = sm,a
gives "kernel" tracectl filter set origin = k
gives "sc sched sched_switch sem sm" tracectl filter set type = s
gives "list latency" tracectl profile l
gives "+irq +irq_entry" tracectl profile +i
gives "-sched -sched_switch" tracectl profile irq -s
gives "irq irq_entry" tracectl profile all i
gives "ao ep eq ap all none" tracectl filter check object =
gives "a.fmt b.txt c" tracectl filter load ""
gives "" tracectl filter set major = 1
gives "motord" tracectl filter set process = m
gives "side trace" tracectl --stream ""
gives "side" tracectl --stream = s
gives "side trace" tracectl stream del ""
gives "" tracectl stream resize side ""
gives "" tracectl stream add new ""
gives "severity= signal=" tracectl stream add new 64K s
gives "overrun" tracectl trigger arm ""
gives "when" tracectl trigger add t ""
has "type= all" tracectl trigger add t when ""
has "element nth rate do" tracectl trigger add t when all ""
gives "start stop" tracectl trigger add t when all 'do' st
gives "side trace" tracectl trigger add t when all 'do' stop stream ""
gives "after again" tracectl trigger add t when all 'do' stop a
gives "" tracectl trigger add t when all nth ""
gives "hw1 hw2 hw3" tracectl -s hw
gives "" tracectl -p ""
gives "" tracectl stat --interval ""
has "--cpu --types --processes --readers --interval --json" tracectl stat -
has "--stream --help -i -s -p" tracectl -
gives "show" tracectl --stream side filter sh
# Each long option in the help of the tool, where it can stand
options=$("$out/san/tools/tracectl" --help | grep -oE -- '--[a-z-]+' | grep -v 'process$' | sort -u)
has "--process --json" tracectl site -
has "$(echo "$options" | tr '\n' ' ')" tracectl stat -

for tool in "$top"/tools/completion/*; do
	tool=${tool##*/}
	wide=$("$out/san/tools/$tool" --help | awk 'length > 80')
	ok $((${#wide} > 0)) "the help of $tool has at most 80 columns"
	printf '%s\n' "$wide" | sed '/./!d; s/^/# /'
done
done_testing
