#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_version.sh - one version: include/version.mk has it, changes.rst describes it, and
# every module, library and program tells it
. "$(dirname "$0")/doc.sh"
version=$(sed -n 's/^DEVTRACE_VERSION := //p' "$top/include/version.mk")
check "include/version.mk has a version: $version" \
	sh -c "echo '$version' | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$'"

newest=$(grep -m 1 -E '^[0-9]+\.[0-9]+\.[0-9]+$' "$top/Documentation/changes.rst")
check "the newest entry of changes.rst is $newest" [ "$newest" = "$version" ]

check "so does the newest entry of Debian's changelog" grep -q "^devtrace ($version) " \
	"$top/tools/packaging/debian/changelog"

other=$(cd "$top" && grep -nE '^[A-Z_]*VERSION[[:space:]]*:?=[[:space:]]*[0-9]' \
	Makefile kmod/Makefile kmod/Kbuild lib/Makefile tools/Makefile tools/samples/Makefile)
check "no makefile has a version of its own${other:+, but $other}" [ -z "$other" ]

for f in $(cd "$top" && grep -l '^MODULE_LICENSE' kmod/*.c kmod/*/*.c | grep -v '^kmod/samples/'); do
	check "$f: MODULE_VERSION(DEVTRACE_VERSION)" \
		grep -qx 'MODULE_VERSION(DEVTRACE_VERSION);' "$top/$f"
done

check "the samples build" make -s -C "$top/tools/samples" O="$O"
programs=$(sed -n 's/^all: .*/&/p' "$top/tools/Makefile" | grep -o '/[a-z]*\>' | tr -d /)
check "tools/Makefile names the programs" [ "$(echo "$programs" | wc -w)" -ge 5 ]
for p in $programs samples/boardmon; do
	[ -x "$O/tools/$p" ] || continue	# tracectl, where there is no libmnl
	check "$p --version" sh -c "'$O/tools/$p' --version | grep -q ' $version\$'"
done

check_install "$top/lib"
for pc in "$tmp"/root/usr/lib/pkgconfig/*.pc; do
	check "$(basename "$pc")" grep -qx "Version: $version" "$pc"
done
done_testing
