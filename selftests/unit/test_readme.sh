#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# README.md says what is true: its examples compile, run and install as they
# stand. (What `make demo` shows is tested by selftests/vm/test_demo.)
. "$(dirname "$0")/doc.sh"

# The n-th block of C.
block()
{
	awk -v n="$1" '/^```c$/ { in_c = ++i == n; next } /^```$/ { in_c = 0 } in_c' "$top/README.md"
}

check_install "$top"
for f in bin/traceinfo lib/libdevtrace.so include/devtrace.h lib/pkgconfig/libdevtrace.pc \
	 share/man/man4/trace.4; do
	check "installs $f" test -e "$tmp/root/usr/$f"
done

check "creates /usr/trace" test -d "$tmp/root/usr/trace"
# The service starts the tracelogger that is installed with it
for prefix in /usr /usr/local; do
	check "install with prefix $prefix" make -s -C "$top/tools" O="$O" DESTDIR="$tmp/to" \
		prefix=$prefix install
	program=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' \
		"$tmp/to$prefix/lib/systemd/system/tracelogger.service")
	check "its service starts what is there: $program" test -x "$tmp/to$program"
done
# Without DESTDIR ldconfig runs, and whether the library is found is looked at
mkdir "$tmp/bin"
cat >"$tmp/bin/ldconfig" <<END
#!/bin/sh
[ "\$1" = -p ] || echo runs >>$tmp/ldconfig
[ "\$1" != -p ] || cat $tmp/cache
END
chmod +x "$tmp/bin/ldconfig"
install_here() { PATH=$tmp/bin:$PATH make -s -C "$top/lib" O="$O" DESTDIR= prefix="$tmp/here" install; }
printf '\tlibdevtrace.so.0 (libc6,x86-64) => %s/here/lib/libdevtrace.so.0\n' "$tmp" >"$tmp/cache"
install_here >"$tmp/said" 2>&1
check "install runs ldconfig" grep -qx runs "$tmp/ldconfig"
check "and says nothing if it finds the library" test ! -s "$tmp/said"
: >"$tmp/cache"
install_here >"$tmp/said" 2>&1
check "else it says what to do" grep "^note: programs do not find $tmp/here/lib/libdevtrace.so.0 .*ldconfig" \
	"$tmp/said"

{
	block 1 | grep '^#include'
	echo 'int main(void) { int speed = 3, port = 2, lost = 77, pump = 2; const char *name = "left";'
	block 1 | grep -v '^#include'
	echo '(void)speed; (void)name; (void)port; (void)lost; (void)pump; return 0; }'
} >"$tmp/app.c"
# shellcheck disable=SC2046
check "the application compiles" "$CC" -Wall -Wextra -Werror "$tmp/app.c" -o "$tmp/app" \
	$(pkg-config --cflags --libs libdevtrace)
check "the application runs without a device" env DEVTRACE_DEVICE="$tmp/none" "$tmp/app"

# test_recipes.sh runs those of control.rst
unknown=$(sed -n 's/^\ttracectl/tracectl/p' "$top/README.md" |
	while read -r line; do
		grep -qxF "	$line" "$top/Documentation/control.rst" || echo "$line"
	done)
check "what tracectl is shown to do stands in control.rst" test -z "$unknown"

mkdir "$tmp/driver"
{
	echo '#include <linux/module.h>'
	echo '#include <linux/devtrace.h>'
	echo 'static int __init driver_init(void) { u16 object = 1, signal = 2; u32 beats = 3, late = 4;'
	block 2
	echo 'return 0; }'
	echo 'module_init(driver_init); MODULE_LICENSE("GPL"); MODULE_DESCRIPTION("README");'
} >"$tmp/driver/driver.c"
printf 'obj-m := driver.o\nccflags-y := -I%s/include -DCONFIG_DEVTRACE_MODULE=1\n' "$top" \
	>"$tmp/driver/Kbuild"
kdir=$("$top/selftests/vm/board" --kdir)
# Symbols of devtrace.ko are resolved when the driver is loaded.
check "the driver compiles" make -s -C "$kdir" M="$tmp/driver" KBUILD_MODPOST_WARN=1 modules

mkdir "$tmp/fmt"
sed -n 's/^\t\(record .*\)/\1/p' "$top/README.md" >"$tmp/fmt/readme.fmt"
check "the format is one" test -s "$tmp/fmt/readme.fmt"
check "the format has no mistake" "$O/tools/traceinfo" --check-fmt "$tmp/fmt/readme.fmt"

# The messages of our programs in README are those that they print; `...` stands for parts
# that differ. A command without output has a line that says so.
section Troubleshooting | sed -n 's/^- \*\*\(.*\)\*\*$/\1/p' >"$tmp/seen"
cat "$top"/tools/*/*.c | tr -d '\n"' >"$tmp/sources"
sed -n 's/^trace[a-z]*: `\([^`]*\)`$/\1/p' "$tmp/seen" >"$tmp/said"
check "there is a list of what is seen" test "$(wc -l <"$tmp/said")" -ge 3
while IFS= read -r said; do
	check "somebody says: $said" sh -c \
		'for part; do grep -qF -- "$part" "$0" || exit; done' "$tmp/sources" \
		"${said%% ... *}" "${said##* ... }"
done <"$tmp/said"
for seen in 'insmod: `Invalid module format`; dmesg: `version magic' 'insmod: `Unknown symbol in module`' \
	    'insmod of a driver: `Unknown symbol`' 'a driver loads and traces nothing' \
	    'a driver emits and nothing comes' 'a program emits nothing' \
	    'traceinfo: `a regular file' 'traceinfo: `no ... in the format files' 'the oldest events are gone' \
	    'nothing of one type, object or process' 'nothing since some moment' \
	    'there is no tracectl' '`cat /dev/trace` does not end'; do
	check "README says what to do: $seen" grep -qF -- "$seen" "$tmp/seen"
done

wide=$(expand "$top/README.md" | grep '.\{81\}')
check "no line has more than 80 columns" test -z "$wide"

links=$(sed -n 's/.*](\([^)]*\)).*/\1/p' "$top/README.md")
for f in $links; do
	check "$f is there" test -e "$top/$f"
done

done_testing
