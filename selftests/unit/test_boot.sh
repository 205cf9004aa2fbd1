#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_boot.sh - what starts devtrace at boot is what the programs that read it accept: units,
# sysusers.d, tmpfiles.d, udev's rules, modprobe.d, and the script for boards without systemd
. "$(dirname "$0")/doc.sh"

stage=$tmp/stage
root=$tmp/root
conf=$stage/usr/lib
not() { ! "$@"; }
skip() { count=$((count + 1)); echo "ok $count $1 # SKIP no $2"; }
has() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null; }
PATH=$PATH:/usr/sbin:/sbin

check "install" make -s -C "$top/tools" O="$O" DESTDIR="$stage" prefix=/usr install

# systemd: units that start what is installed
mkdir "$tmp/units"
for unit in devtrace.service devtrace-filters.service tracelogger.service; do
	sed "s|^ExecStart=/usr/sbin/trace|ExecStart=$stage/usr/sbin/trace|; /^Documentation=/d
		s|^ExecStart=/sbin/modprobe|ExecStart=/bin/true|" \
		"$conf/systemd/system/$unit" >"$tmp/units/$unit"
done
if has systemd-analyze; then
	for unit in devtrace.service devtrace-filters.service tracelogger.service; do
		SYSTEMD_UNIT_PATH=$tmp/units: systemd-analyze verify "$tmp/units/$unit" >"$tmp/said" 2>&1
		grep -e devtrace -e tracelogger "$tmp/said" >"$tmp/ours"
		check "systemd finds nothing wrong with $unit" diff /dev/null "$tmp/ours"
	done
	if systemd-analyze security --help 2>&1 | grep -q -- --offline; then
		check "tracelogger.service is as closed as services are" systemd-analyze security \
			--no-pager --offline=yes --threshold=30 "$tmp/units/tracelogger.service"
	else
		skip "how closed tracelogger.service is" "--offline"
	fi
else
	skip "units" systemd-analyze
fi
check "a board is named by its machine's id" grep -q 'attribute board=%m' \
	"$conf/systemd/system/tracelogger.service"

# Groups, and the directory for formats
mkdir -p "$root/etc" "$root/usr/lib"
mkdir "$root/run"
trap '[ ! -s "$root/run/tracelogger.pid" ] || kill "$(cat "$root/run/tracelogger.pid")" 2>/dev/null; rm -rf "$tmp"' EXIT
cp -r "$conf/sysusers.d" "$conf/tmpfiles.d" "$root/usr/lib"
echo root:x:0: >"$root/etc/group"
echo root:x:0:0::/root:/bin/sh >"$root/etc/passwd"
if has systemd-sysusers; then
	check "systemd-sysusers" systemd-sysusers --root="$root"
	for g in devtrace devtrace-read; do
		check "makes the group $g" grep "^$g:" "$root/etc/group"
	done
else
	skip "groups" systemd-sysusers
fi
if has systemd-tmpfiles; then
	check "systemd-tmpfiles" systemd-tmpfiles --root="$root" --create
	check "makes /usr/trace, where all may read" test "$(stat -c %a "$root/usr/trace")" = 755
else
	skip "directories" systemd-tmpfiles
fi

# udev: no verify before version 254
rules=$conf/udev/rules.d/60-devtrace.rules
if has udevadm && udevadm verify --help >"$tmp/log" 2>&1; then
	check "udevadm finds nothing wrong with the rules" udevadm verify --resolve-names=never "$rules"
else
	skip "rules" "udevadm verify"
fi
check "the rules name the class that the module makes" grep -q \
	"class_create(\"$(sed -n 's/^SUBSYSTEM=="\([^"]*\)".*/\1/p' "$rules" | sort -u)\")" "$top/kmod/read/cdev.c"
grep -o 'GROUP="[^"]*"\|g:[a-z-]*' "$rules" | sed 's/GROUP="//; s/"//; s/^g://' | sort -u >"$tmp/groups"
while read -r g; do
	check "sysusers has the rules' group $g" grep -qx "g $g -" "$conf/sysusers.d/devtrace.conf"
done <"$tmp/groups"

# modprobe.d, as it is and with all that it explains
sed -i.as-is 's/^#options/options/' "$conf/modprobe.d/devtrace.conf"
has modprobe && check "modprobe reads the options" test \
	"$(modprobe -C "$conf/modprobe.d" --showconfig 2>&1 | grep -c '^options devtrace')" -eq 3
sed -n 's/^options [a-z_]* //p' "$conf/modprobe.d/devtrace.conf" | tr ' ' '\n' |
	sed 's/=.*//' >"$tmp/parameters"
check "there are options" test "$(wc -l <"$tmp/parameters")" -ge 9
while read -r p; do
	check "there is a parameter $p" grep -rqE "^module_param[a-z_]*\($p," "$top/kmod" --include='*.c'
done <"$tmp/parameters"
check "modules-load.d names modules" sh -c "sed -n 's/^#*\(devtrace[a-z_]*\)\$/\1/p' '$conf/modules-load.d/devtrace.conf' |
	while read -r m; do grep -q \"\\b\$m-y\\|\\b\$m\\.o\" '$top/kmod/Kbuild' || exit; done"

# The script, with programs that write down what they are asked, in a root of its own
for d in etc/default etc/devtrace run var/log usr bin; do mkdir -p "$root/$d"; done
rmdir "$root/usr/trace" 2>/dev/null
sed "s#\(^\|[ =]\)\(/etc/\|/run/\|/usr/trace\|/var/log/trace\$\)#\1$root\2#g; s#^PATH=#PATH=$root/bin:#" \
	"$stage/usr/share/devtrace/devtrace.init" >"$tmp/init"
for p in modprobe tracectl; do
	printf '#!/bin/sh\necho %s "$@" >>%s/calls\n' $p "$tmp" >"$root/bin/$p"
done
cat >"$root/bin/start-stop-daemon" <<END
#!/bin/sh
echo daemon "\$@" >>$tmp/calls
case \$1 in
-S) sleep 1000 & echo \$! >$root/run/tracelogger.pid ;;
-K) kill "\$(cat $root/run/tracelogger.pid)" ;;
esac
END
chmod +x "$root"/bin/*
echo devtrace:x:777: >"$root/etc/group"
echo 0123456789abcdef >"$root/etc/machine-id"
echo 'MODULES="devtrace devtrace_profile"' >"$root/etc/default/devtrace"
echo 'tracectl filter load /etc/devtrace/filter' >"$root/etc/devtrace/boot"
for shell in sh "busybox sh"; do
	has "${shell% *}" || continue
	: >"$tmp/calls"
	# shellcheck disable=SC2086 # words
	check "$shell: start" $shell "$tmp/init" start
	grep -v ^daemon "$tmp/calls" >"$tmp/got"
	printf '%s\n' 'modprobe devtrace gid=777' 'modprobe devtrace_profile' \
		'tracectl filter load /etc/devtrace/filter' >"$tmp/want"
	check "$shell: it loads the modules for the group, and sets filters" diff "$tmp/want" "$tmp/got"
	check "$shell: it starts the logger, with the board's name" grep -q \
		'^daemon -S .*/usr/sbin/tracelogger -- --attribute board=0123456789abcdef --quiet --file ' "$tmp/calls"
	check "$shell: it makes /usr/trace" test -d "$root/usr/trace"
	: >"$tmp/calls"
	# shellcheck disable=SC2086
	check "$shell: once more" $shell "$tmp/init" start
	check "$shell: it starts no second one" not grep -q ^daemon "$tmp/calls"
	# shellcheck disable=SC2086
	check "$shell: status" $shell "$tmp/init" status
	# shellcheck disable=SC2086
	check "$shell: stop" $shell "$tmp/init" stop
	# shellcheck disable=SC2086
	check "$shell: then it does not run" not $shell "$tmp/init" status
done
done_testing
