#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_driver.sh - devtrace(9): its form, its example, and that it tells all that
# <linux/devtrace.h>, which includes devtrace_link.h and devtrace_named.h, <linux/devtrace_log.h> and <linux/devtrace_watch.h>
# offer to a driver and that our modules export to it
. "$(dirname "$0")/doc.sh"
man=$top/Documentation/man/devtrace.9
headers=
for h in devtrace devtrace_named devtrace_watch devtrace_log; do
	headers="$headers $top/include/linux/$h.h"
done

check_page "$man"

# Calls and macros; what begins with __ is not for drivers.
# shellcheck disable=SC2086 # several files
{
	grep -ohE '\b(devtrace|dt)_[a-z0-9_]+\(' $headers | tr -d '('
	grep -ohE '^#define (DEVTRACE|DT)_[A-Z0-9_]+' $headers | sed 's/^#define //'
	sed -n 's/^__DT_ELEM(\([a-z0-9_]*\),.*/\1/p' $headers
	cat "$top"/kmod/*/*.c | sed -n 's/^EXPORT_SYMBOL_GPL(\([a-z][a-z0-9_]*\));/\1/p'
	sed -n 's/^#define \(DEVTRACE_[SH]W[A-Z]*[0-9]\)\t.*/\1/p' "$top/include/uapi/linux/devtrace.h"
} | sort -u >"$tmp/names"
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$man" >"$tmp/synopsis"
check "names were found" test "$(wc -l <"$tmp/names")" -gt 40
while read -r name; do
	case $name in
	devtrace_wanted|devtrace_objects|devtrace_severities|devtrace_filtered)
		continue ;;	# read by the inline functions
	DEVTRACE_[SH]W_SEVERITY[0-3])
		continue ;;	# told as a range
	DEVTRACE_SITES_*)
		continue ;;	# between drivers and devtrace.ko
	devtrace_type_is_*|devtrace_severity_is_valid)
		continue ;;	# rules of the UAPI, whose header describes them
	esac
	check "$name is described" grep -qw "$name" "$man"
	case $name in
	devtrace_*)
		check "$name is in NAME" grep -qE "^\.Nm $name( |$)" "$man"
		check "$name is in SYNOPSIS" grep -qw "^\.Fn $name" "$tmp/synopsis" ;;
	esac
done <"$tmp/names"

# The names in the page exist.
grep -oE '\b(devtrace|dt)_[a-z0-9_]+' "$man" | grep -vx devtrace_log | sort -u >"$tmp/told"
while read -r name; do
	# shellcheck disable=SC2086 # several files
	check "$name is there" grep -qw "$name" $headers
done <"$tmp/told"

mkdir "$tmp/driver"
examples "$man"
check "there is an example" test -s "$tmp/drv.c" -a -s "$tmp/stop.c"
cp "$tmp/drv.c" "$tmp/stop.c" "$tmp/driver/"
printf 'obj-m := drv.o stop.o\nccflags-y := -I%s/include -DCONFIG_DEVTRACE_MODULE=1 -Werror\n' "$top" \
	>"$tmp/driver/Kbuild"
kdir=$("$top/selftests/vm/board" --kernel 6.1 --kdir)
check "the examples compile" make -s -C "$kdir" M="$tmp/driver" drv.o stop.o

done_testing
