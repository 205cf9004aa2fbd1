#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_site.sh - tracectl site: statements of programs that run, that start later, and of drivers
#
# The programs are real, and print the bytes of their sites. The directories /run and /sys/module
# are empty ones of a mount namespace, so the machine's own file and drivers are not touched.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=$(cd "${O:-$top/build}" && pwd) || exit 1
out=$O/selftests/unit
CC=${CC:-gcc}
# shellcheck source=../tap.sh
. "$here/../tap.sh"
[ "$(id -u)" = 0 ] || skip_all "needs root"
if [ "${1:-}" != inside ]; then
	unshare -m true 2>/dev/null || skip_all "there is no mount namespace"
	exec unshare -m sh "$0" inside
fi
work=$(mktemp -d) || exit 1
pids=''
cleanup()
{
	exec 3>&- 4>&-
	for p in $pids; do kill "$p" 2>/dev/null; done
	rm -rf "$work"
}
trap cleanup EXIT
mount -t tmpfs none /run && mount -t tmpfs none /sys/module || exit 1
if ! stat -L "/proc/$$/map_files/"* >/dev/null 2>&1; then
	skip_all "no /proc/PID/map_files"
fi
export LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset DEVTRACE_FMT_PATH DEVTRACE_DEBUG_PATH
cd "$work" || exit 1
why="said err"
file=/run/devtrace/sites

# The sites are numbered in the order of the linker, so the program prints them by name.
cat >pump.c <<'END'
#include <stdio.h>
#include <devtrace/log.h>
#line 12 "src/pump.inc"
static void run(int n) { DT_LOG("pump %d runs dry\n", n); }
#line 20 "src/pump.inc"
static void stop(int n) { DT_ERR("pump %d stops", n); }
#line 7 "src/valve.inc"
static void valve(int n) { DT_DEBUG("valve %d", n); }
int main(void)
{
	char line[16];
	int n;

	run(1);
	stop(1);
	valve(1);
	while (fgets(line, sizeof(line), stdin)) {
		for (n = 0; &devtrace_sites_begin_[n] < devtrace_sites_end_; n++)
			putchar(devtrace_sites_begin_[n] ? '1' : '0');
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
END
compile() { "$CC" -O2 -g -I"$top/include/uapi" -I"$top/include" "$@"; }
# The names of processes differ, the file is one.
compile -Wl,--build-id=sha1 -o sitepump pump.c "$O/lib/libdevtrace.a" -lpthread >said 2>&1
ok $? "a program is built"
ln -s sitepump siteother

mkfifo in1 out1 in2 out2
./sitepump <in1 >out1 & pid1=$!
pids="$pids $pid1"
exec 3>in1 5<out1
./siteother <in2 >out2 & pid2=$!
pids="$pids $pid2"
exec 4>in2 6<out2
bytes1() { echo >&3; read -r got <&5; echo "$got"; }
bytes2() { echo >&4; read -r got <&6; echo "$got"; }
# later: the bytes of a program that starts now
# Without the note on processes that even root may not look at, which the machine may have.
messages() { sed '/: note: [0-9]* process/d' "$@"; }
later() { echo | ./sitepump; }
# The JSON of the statements that match, and the number of one.
json() { tracectl --json site list "$@" 2>err; }
number() { json "$1" | sed 's/.*"site":\([0-9]*\).*/\1/'; }
is "$(bytes1)$(bytes2)" 000000 "all statements are on"
run=$(number pump.inc:12) stop=$(number pump.inc:20) valve=$(number valve.inc)
# want RUN STOP VALVE: the bytes in the order of the section
want()
{
	printf '%s %s\n%s %s\n%s %s\n' "$run" "$1" "$stop" "$2" "$valve" "$3" | sort -n |
		awk '{ s = s $2 } END { print s }'
}

tracectl site list pump.inc valve.inc >said 2>err
ok $? "site list"
is "$(awk '{ print $1, $2, $3, $4 }' said | sort | xargs)" \
	"STATE LEVEL PLACE IMAGE on debug src/valve.inc:7 sitepump on err src/pump.inc:20 sitepump on log src/pump.inc:12 sitepump" \
	"each statement has a line"
is "$(sed -n 's/.*sitepump *\(pump 1*.*dry.*\)/\1/p' said)" "pump %d runs dry" "its text"
json valve.inc | json_check >said 2>&1
ok $? "the list is JSON"

check "a place is turned off" tracectl site off pump.inc:12
is "$(messages said)" "off: 1 statements; programs that run: 2, drivers: 0" "and the number is told"
is "$(bytes1) $(bytes2)" "$(want 1 0 0) $(want 1 0 0)" "in both programs"
is "$(later)" "$(want 1 0 0)" "and in one that starts later"
is "$(stat -c '%a %u' /run/devtrace $file | xargs)" "755 0 644 0" "modes of the file"
is "$(json pump.inc | grep -o '"state":"[a-z]*"' | sort | xargs)" "state:off state:on" "the list shows it"
check "a level, in two words" tracectl site off level debug
check "words of a text" tracectl site off 'text stops'
is "$(bytes1) $(later)" "$(want 1 1 1) $(want 1 1 1)" "are off"
check "a pattern of files" tracectl site on 'pu*.inc'
is "$(bytes1) $(later)" "$(want 0 0 1) $(want 0 0 1)" "is on"
is "$(wc -l <$file)" 1 "the file has a line for the one that is off"

check "only one program, by name" tracectl --process=siteother site off pump.inc:20
is "$(bytes1) $(bytes2) $(later)" "$(want 0 0 1) $(want 0 1 1) $(want 0 0 1)" "others keep it"
is "$(json pump.inc:20 | grep -o '"state":"mixed","processes":2,"off":1,"later":"on"')" \
	'"state":"mixed","processes":2,"off":1,"later":"on"' "the list shows both"
check "only one program, by its id" tracectl --process "$pid2" site on all
is "$(bytes1) $(bytes2)" "$(want 0 0 1) 000" "others keep it"

# Lines of other programs stay, and lines that are wrong do not.
printf 'abcdef0123456789 5 off\nabcdef0123456789 x off\nnonsense\n' >>$file
check "a file with lines of others" tracectl site on level debug
is "$(cat $file)" "abcdef0123456789 5 off" "they stay"
is "$(bytes1)" 000 "and the statement is on"
is "$(json all | grep -o '"state":"off"[^}]*')" '"state":"off","processes":0,"off":0,"later":"off","driver":false,"image":"","build_id":"abcdef0123456789","site":5,"level":null,"file":null,"line":null,"function":null,"text":null' \
	"a program that does not run is in the list"
chmod 666 $file
check "a file that others may write to" tracectl site off valve.inc
is "$(wc -l <$file) $(stat -c %a $file)" "1 644" "is replaced"
chmod 777 /run/devtrace
tracectl site on valve.inc >said 2>err
is "$? $(messages err) $(bytes1)" "1 tracectl: site on: /run/devtrace must belong to root, and only root may write to it $(want 0 0 1)" \
	"a directory that others may write to is refused, and nothing is changed"
chmod 755 /run/devtrace

# The removed file of a program that runs.
mv sitepump moved && mv moved sitepump2
check "a program whose file was renamed" tracectl site on all
is "$(bytes1)" 000 "is changed"
mv sitepump2 sitepump

wrong()	# STATUS MESSAGE PATTERN...
{
	status=$1 message=$2
	shift 2
	tracectl site off "$@" >said 2>err
	is "$? $(messages err)" "$status tracectl: site off: $message" "site off $*"
}
wrong 2 "'pumpp.inc': no statement is in a file of this name; did you mean pump.inc?" pumpp.inc
wrong 2 "'pump.inc:13': no statement is in this line; the nearest is in line 12" pump.inc:13
wrong 2 "'loud' is not a level; the levels are: log err warn info debug" 'level loud'
wrong 2 "'level warn': no statement has this level" level warn
wrong 2 "'func run': no statement's function is known: C has no constant with the name; give FILE or FILE:LINE" 'func run'
wrong 2 "'text gear': no statement has these words in its text" text gear
wrong 2 "a pattern is missing"
wrong 2 "the word after 'level', 'func' or 'text' is missing" level
tracectl --process $$ site off 'text gear' >said 2>err
is "$? $(messages err)" "2 tracectl: site off: 'text gear': no program with this id or name has a DT_LOG() statement" \
	"a program without statements"
tracectl site off pump.inc valv.inc >said 2>err
is "$? $(bytes1)" "2 000" "if one pattern is wrong, nothing is changed"
tracectl --process nosuch site off all >said 2>err
is "$? $(messages err)" "1 tracectl: site off: no process has the id or the name 'nosuch'" "no such process"
setpriv --reuid 65534 --clear-groups "$O/tools/tracectl" site off all >said 2>err
status=$?
if command -v setpriv >/dev/null && [ $status != 126 ] && [ $status != 127 ]; then
	is "$status $(messages err)" "1 tracectl: site off: this needs root, because it looks into the memory of other programs" "not root"
else
	skip "not root" "setpriv cannot run the program"
fi

# A program without texts has numbers; its debug file has the texts.
exec 3>&- 4>&-
kill "$pid1" "$pid2"
wait
objcopy --only-keep-debug sitepump sitepump.debug
objcopy --strip-all sitepump stripped
mkfifo in3 out3
./stripped <in3 >out3 & pid3=$!
pids=$pid3
exec 3>in3 5<out3
bytes1 >/dev/null
mkdir away debug
mv sitepump away
is "$(tracectl --process "$pid3" site list 2>err | awk '{ print $1, $2, $3, $4 }' | xargs)" \
	"STATE LEVEL PLACE IMAGE on ? site 0 on ? site 1 on ? site 2" "without texts: numbers"
wrong 2 "'pump.c': no text of a statement is known" pump.c
mv sitepump.debug debug
export DEVTRACE_DEBUG_PATH="$work/debug"
check "with the debug file: a place" tracectl site off pump.inc:12
is "$(bytes1)" "$(want 1 0 0)" "is off"
tracectl site on all >said 2>&1

# A driver: the kernel's files are plain ones here.
mkdir -p /sys/module/devtrace/parameters /sys/module/dt_pump/notes
compile -c -o pump.o pump.c && ld -r --build-id=sha1 -o debug/dt-pump.ko pump.o &&
	objcopy -O binary --only-section=.note.gnu.build-id debug/dt-pump.ko \
		/sys/module/dt_pump/notes/.note.gnu.build-id
ok $? "a driver is built"
sites=/sys/module/devtrace/parameters/sites
echo 'dt_pump 0 1' >$sites
is "$(tracectl site list all 2>err | awk '$4 == "dt_pump" { print $1 }' | sort | xargs)" "off on on" \
	"the sites of a driver"
json level debug | tr '{' '\n' >driver
grep -q '"driver":true,"image":"dt_pump".*"level":"debug","file":"src/valve.inc","line":7,' driver
ok $? "and their texts"
check "a statement of a driver" tracectl site off valve.inc
is "$(sed -n 's/.*drivers: //p' said)" 1 "is turned off"
is "$(head -n 1 $sites)" "dt_pump $(sed -n 's/.*"image":"dt_pump".*"site":\([0-9]*\).*/\1/p' driver) off" "by the parameter"
grep -q "$(readelf -n debug/dt-pump.ko | sed -n 's/.*Build ID: //p')" $file
is $? 1 "the file has no line of a driver"
done_testing
