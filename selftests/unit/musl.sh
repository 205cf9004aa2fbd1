#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# musl.sh - to be sourced: a compiler for musl, the C library of many small boards

# musl_cc DIR [OPTION]: DIR/musl-cc compiles with musl, this option and the kernel's headers of
# this machine, which musl-gcc leaves out; fails if there is no musl-gcc
musl_cc()
{
	command -v musl-gcc >/dev/null || return 1
	mkdir -p "$1/include" &&
		ln -s /usr/include/linux /usr/include/asm-generic \
			"/usr/include/$(gcc -print-multiarch)/asm" "$1/include/" &&
		printf '#!/bin/sh\nexec musl-gcc -isystem %s %s "$@"\n' "$1/include" "${2-}" >"$1/musl-cc" &&
		chmod +x "$1/musl-cc"
}
