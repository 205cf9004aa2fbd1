#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# doc.sh - what the tests of documents have in common; they read it in
#
# A directory $tmp that goes away, check() that counts, the library installed
# below $tmp/root where pkg-config finds it, the examples of a manual page. The
# reader calls done_testing last.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

# shellcheck source=../tap.sh
. "$here/../tap.sh"
why=$tmp/log

# section HEAD: of README
section() { sed -n "/^## $1\$/,/^## /p" "$top/README.md"; }
# commands: of a text the lines with a tab before them
commands() { sed -n 's/^	//p'; }
# README's commands to build and install for a board; those on the board follow.
board_lines() { section 'Your own board' | sed '/On the board:/,$d' | commands; }

# check_page PAGE: what other pages are installed here is not its business.
check_page()
{
	if command -v mandoc >/dev/null; then
		mandoc -T lint "$1" 2>/dev/null |
			grep -v 'referenced manual not found' >"$tmp/lint"
		check "lint" diff /dev/null "$tmp/lint"
	else
		skip lint "no mandoc"
	fi
}

# check_install DIR: of the library alone, or of all, as a user would.
check_install()
{
	check "install" make -s -C "$1" O="$O" DESTDIR="$tmp/root" prefix=/usr install
	export PKG_CONFIG_PATH="$tmp/root/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/root"
	export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	export LD_LIBRARY_PATH="$tmp/root/usr/lib"
}

# examples PAGE: what stands between `.\" example: NAME` and `.Ed` into $tmp/NAME.
examples()
{
	awk -v dir="$tmp/" '
		/^\.\\" example: / { file = dir $3; next }
		/^\.Ed/ { file = "" }
		/^\.Bd/ { next }
		file { gsub(/\\e/, "\\"); print > file }
	' "$1"
}
