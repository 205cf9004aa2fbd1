#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_cross_build.sh - README's lines for another board, 32-bit ARM, in a tree that is
# built for this machine: nothing that is installed is for this machine
#
# Skipped where there are no headers of an ARM kernel or no compiler. Another compiler
# builds anew.
. "$(dirname "$0")/doc.sh"
unset O CC MNL_LIBS MNL_CFLAGS	# where each build goes by itself, and by which compiler, is what is tested
export CFLAGS=-O0 KCFLAGS=-g0	# quickly: nothing of it runs
vm=$top/selftests/vm
tree=$tmp/tree

mkdir "$tree"
(cd "$top" && tar cf - --exclude='*.o' --exclude='*.ko' --exclude='*.cmd' --exclude='*.mod*' \
	Makefile include kmod lib tools Documentation/man) | tar xf - -C "$tree"
kdir=$("$vm/board" --kernel 6.1 --kdir) || exit 1

# elves DIR: the machines of what is there, each once
elves()
{
	find "$1" -type f -exec readelf -h {} + 2>/dev/null | sed -n 's/^ *Machine: *//p' | sort -u
}

check "build for this machine" make -s -C "$tree" KDIR="$kdir" user

before=$(stat -c %.9Y.%i "$tree/build/lib/emit/emit.o" 2>/dev/null)
check "once more" make -s -C "$tree" KDIR="$kdir" user
check "builds nothing anew" test "$before" = "$(stat -c %.9Y.%i "$tree/build/lib/emit/emit.o")"
echo "another compiler" >"$tree/build/lib/.compiler"
check "by another compiler" make -s -C "$tree/lib" static
check "builds anew" test "$before" != "$(stat -c %.9Y.%i "$tree/build/lib/emit/emit.o")"

# Missing libraries are named last; once they are there, the programs that need them are built.
user()
{
	make -s -C "$tree" KDIR="$kdir" "$@" user 2>&1 | tail -n 1
}
uses() { nm -D "$tree/build/tools/tracelogger" | grep "$1"; }
if ! grep -q . "$tree/build/tools/.left-out"; then
	user MNL_LIBS= ZSTD_LIBS= >"$tmp/last"
	check "the last line says what is left out" grep \
		'^note: without tracectl, .* MNL_LIBS=.*; tracelogger --zstd .* ZSTD_LIBS=' "$tmp/last"
	check "which it is" sh -c "! nm -D '$tree/build/tools/tracelogger' | grep ' U ZSTD_\| U mnl_'"
	check "with the libraries nothing is said" test -z "$(user)"
	check "and tracelogger has --zstd" uses ' U ZSTD_'
	check "and --on-trigger" uses ' U mnl_'
fi
make -s -C "$tree" help >"$tmp/help"
for v in $(section 'Your own board' | grep -o '\<[A-Z_]*=' | sort -u); do
	check "make help has README's $v" grep "^  .*\<${v%=}\>" "$tmp/help"
done

# libmnl of another machine, as its pkg-config says; without one, what the compiler finds.
mkdir "$tmp/bin" "$tmp/mnl"
printf '#!/bin/sh\ncase "$*" in *libmnl*) echo "-I%s -L%s -lmnl" ;; esac\n' "$tmp/mnl" "$tmp/mnl" \
	>"$tmp/bin/other-pkg-config"
chmod +x "$tmp/bin/other-pkg-config"
# shellcheck disable=SC2016 # for make
printf 'include %s/lib/mnl.mk\nall:\n\t@echo "$(strip $(MNL_CFLAGS) $(MNL_LIBS))"\n' "$tree" \
	>"$tmp/mnl.make"
mnl()
{
	PATH=$tmp/bin:$PATH make -s -f "$tmp/mnl.make" CC="${CC:-gcc}" "$@" 2>&1
}
if [ "$(mnl PKG_CONFIG=false)" = -lmnl ]; then
	check "libmnl is where the other machine's pkg-config says" \
		test "$(mnl CROSS_COMPILE=other-)" = "-I$tmp/mnl -L$tmp/mnl -lmnl"
	check "without one, where the compiler finds it" test "$(mnl CROSS_COMPILE=none-)" = -lmnl
	check "or where it is said to be" test "$(mnl CROSS_COMPILE=other- MNL_LIBS=x)" = x
	# The other library is asked for by the same pkg-config.
	sed 's/libmnl/libzstd/; s/mnl$/zstd/' "$tmp/bin/other-pkg-config" >"$tmp/bin/third-pkg-config"
	chmod +x "$tmp/bin/third-pkg-config"
	# shellcheck disable=SC2016 # for make
	printf 'include %s/tools/Makefile\nasked:\n\t@echo "$(ZSTD_CFLAGS)"\n' "$tree" >"$tmp/zstd.make"
	check "which leaves pkg-config to ask for others" test "$(PATH=$tmp/bin:$PATH make -s \
		-f "$tmp/zstd.make" asked CROSS_COMPILE=third- CC=gcc MNL_LIBS=x O="$tmp/zstd" 2>&1)" = "-I$tmp/mnl"
fi

status=0
"$vm/board" --kernel 6.1 --arch armhf --make-vars >"$tmp/vars" 2>"$tmp/headers" || status=$?
if [ $status -ne 0 ] || ! command -v arm-linux-gnueabihf-gcc >/dev/null; then
	skip "README's lines for ARM" "$(tail -n 1 "$tmp/headers")"
	done_testing
	exit
fi
arm_kdir=$(sed 's/^KDIR=//; s/ .*//' "$tmp/vars")
board_lines | sed "s|/path/to/its/kernel|$arm_kdir|; s|/path/to/its/root|$tmp/board|" >"$tmp/lines"
check "there are three lines" test "$(wc -l <"$tmp/lines")" -eq 3
check "README's lines" sh -c "cd '$tree' && sh -e '$tmp/lines'"
tail -n 1 "$tmp/log" >"$tmp/last"
if [ ! -e "$tmp/board/usr/sbin/tracectl" ]; then
	check "what is left out is said last" grep '^note: without tracectl, .* MNL_LIBS=' "$tmp/last"
fi
check "what is installed is for ARM" test "$(elves "$tmp/board")" = ARM
for f in usr/bin/traceinfo usr/lib/libdevtrace.so usr/share/devtrace/devtrace.mk; do
	check "installs $f" test -e "$tmp/board/$f"
done
# The module that was built last is ARM's.
check "install for this machine" make -s -C "$tree" KDIR="$kdir" DESTDIR="$tmp/here" install
check "installs what a driver is built with" test -e "$tmp/here/usr/local/share/devtrace/devtrace.mk"
check "and no symbols of the ARM module" \
	test -z "$(find "$tmp/here" -name Module.symvers)"
check "what was built before is for this machine" test "$(elves "$tree/build/tools")" != ARM

done_testing
