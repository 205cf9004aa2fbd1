#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_driver_build.sh - a driver of one's own, outside of the tree, against what
# `make modules_install` installed below a DESTDIR, for the kernel of the board
#
# By the lines that README prints and no others. Installed are modules, no samples, no
# word of OpenSSL. A driver that would trace nothing is told so by the compiler, and so is
# one with the wrong search path; constants out of range are errors.
. "$(dirname "$0")/doc.sh"
vm=$top/selftests/vm
root=$tmp/root
share=$root/usr/local/share/devtrace

kdir=$("$vm/board" --kernel 6.1 --kdir) || exit 1
release=$("$vm/board" --kernel 6.1 --release)

# In a copy: make modules_install builds beside the sources.
mkdir "$tmp/src"
(cd "$top" && tar cf - --exclude=.git --exclude=./build --exclude='*.o' --exclude='*.ko' \
	--exclude='*.cmd' --exclude='*.mod*' Makefile include kmod Documentation/man) |
	tar xf - -C "$tmp/src"

modules_install()
{
	make -s -j2 -C "$tmp/src" KDIR="$kdir" DESTDIR="$root" modules_install >"$tmp/installed" 2>&1 || {
		cat "$tmp/installed"
		return 1
	}
}

# says FILE PATTERN: what stands in a file; says_not FILE GREP-OPTION...
says() { grep "$2" "$1" || { cat "$1"; return 1; }; }
says_not()
{
	file=$1
	shift
	! grep "$@" "$file"
}

check "make modules_install" modules_install
check "the kernel's make has as many jobs as were asked for" says_not "$tmp/installed" jobserver
check "modules_install does not mention OpenSSL" says_not "$tmp/installed" -i -e ssl -e sign
for f in devtrace.mk include/linux/devtrace.h include/linux/devtrace_link.h include/linux/devtrace_log.h include/linux/devtrace_named.h include/linux/devtrace_watch.h include/uapi/linux/devtrace.h "$release/Module.symvers"; do
	check "modules_install brings $f" test -s "$share/$f"
done
find "$root/lib/modules" -name '*.ko*' | sed 's|.*/||; s/\.ko.*//' | sort >"$tmp/names"
printf 'devtrace\ndevtrace_persist\ndevtrace_profile\ndevtrace_watch\n' >"$tmp/want"
check "modules_install installs the modules and no samples" diff "$tmp/want" "$tmp/names"

# Their parameters are those of trace(4), and counts that are read in sysfs. The module of the
# tests has start, too.
parameters()
{
	while read -r name; do
		module=$(find "$root/lib/modules" -name "$name.ko*")
		PATH=$PATH:/usr/sbin:/sbin modinfo -F parm "$module" | sed "s/^\([^:]*\):.*/$name \1/"
	done
}
described()
{
	awk '/^\.Nm insmod / { sub(/\.ko$/, "", $3); module = $3 }
	     /^\.Op Cm / { print module, $3 }
	     /^\.Sh DESCRIPTION/ { exit }' "$tmp/src/Documentation/man/trace.4"
	# insmod does not need it, because its lines name drivers that are loaded.
	sed -n 's/^\.It Cm \(sites\)$/devtrace \1/p' "$tmp/src/Documentation/man/trace.4"
	for count in persist.severe profile.faults_limited watch.attached watch.nested watch.unseen; do
		echo "devtrace_${count%.*} ${count#*.}"
	done
}
parameters <"$tmp/names" | sort >"$tmp/parameters"
described | sort >"$tmp/described"
check "modules have the parameters of trace(4) and no others" diff "$tmp/described" "$tmp/parameters"

# modprobe goes by modules.dep
check "modules_install names depmod for the board" grep -qx \
	"note: modprobe finds these modules once 'depmod $release' has run on the board" "$tmp/installed"
check "and leaves no modules.dep without the kernel's modules" \
	test ! -e "$root/lib/modules/$release/modules.dep"
mkdir "$root/lib/modules/$release/kernel"
check "make modules_install where the kernel's modules are" modules_install
PATH=$PATH:/usr/sbin:/sbin
check "modprobe finds a module and what it needs" sh -c "modprobe -d '$root' -S '$release' \
	--show-depends devtrace_watch | grep -c '^insmod .*devtrace' | grep -v '^[01]$'"
check "which is not named then" says_not "$tmp/installed" depmod.*has.run

# `make install` also installs a module's symbols, for the same machine only.
driver_install()
{
	make -s -C "$tmp/src/kmod" DESTDIR="$tmp/$1" LIKE="$2" driver_install
}
printf '\177ELF%36s' '' >"$tmp/elf"
check "make install brings the symbols of the last build" driver_install same "$tmp/src/kmod/devtrace.ko"
for f in devtrace.mk include/linux/devtrace.h include/uapi/linux/devtrace.h "$release/Module.symvers"; do
	check "make install brings $f" test -s "$tmp/same/usr/local/share/devtrace/$f"
done
check "make install for another machine" driver_install other "$tmp/elf"
check "brings the header" test -s "$tmp/other/usr/local/share/devtrace/include/linux/devtrace.h"
check "and no symbols of that build" test ! -e "$tmp/other/usr/local/share/devtrace/$release"

# README's section: text, blocks of C and of make, and commands.
driver() { section 'Your own driver'; }
# block LANGUAGE
block()
{
	driver | awk -v mark="\`\`\`$1" '$0 == mark { on = 1; next } /^```$/ { on = 0 } on'
}

# A driver made by README's lines, with the installed directory in place of /usr/local.
drv=$tmp/away/drv
mkdir -p "$drv"
block c >"$drv/drv.c"
block make | sed "s|/usr/local/|$root/usr/local/|" >"$drv/Kbuild"
driver | commands | grep '^make -C' | sed "s|/path/to/its/kernel|$kdir|" >"$tmp/command"

by_readme()
{
	(cd "$drv" && sh -e "$tmp/command") >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
}

check "there is a driver in README" test -s "$drv/drv.c" -a -s "$drv/Kbuild" -a -s "$tmp/command"
check "README's driver builds by README's lines" by_readme
check "without a warning" says_not "$tmp/said" -i -e warning: -e undefined
check "modprobe loads devtrace.ko before the driver, if it is there" \
	sh -c "modinfo -F softdep '$drv/drv.ko' | grep -x 'pre: devtrace'"
check "the driver can be loaded without devtrace.ko" \
	sh -c "! modinfo -F depends '$drv/drv.ko' | grep devtrace && ! nm '$drv/drv.ko' | grep 'U .*devtrace'"
check "the driver emits" sh -c "nm '$drv/drv.ko' | grep __devtrace_link"

# driver_of BODY: a driver with that in a function, and with $header
header=devtrace
driver_of()
{
	echo '#include <linux/module.h>'
	echo "#include <linux/$header.h>"
	echo 'void try(u32 n); void try(u32 n) {'
	echo "$1"
	echo '}'
	echo 'MODULE_LICENSE("GPL"); MODULE_DESCRIPTION("try");'
}

# try FLAGS BODY: compile that; what is said into $tmp/said
try()
{
	rm -rf "$tmp/away/try"
	mkdir "$tmp/away/try"
	driver_of "$2" >"$tmp/away/try/try.c"
	printf '%s\nobj-m += try.o\n' "$1" >"$tmp/away/try/Kbuild"
	make -s -C "$kdir" M="$tmp/away/try" try.o >"$tmp/said" 2>&1
}

# The compiler's line of the try before is in $tmp/line. try_again BODY: the same by that line
# alone. It takes a third of the time.
keep_line()
{
	sed -n 's/ ; .*//; s/^\(saved\)*cmd_[^ ]* := //p' "$tmp/away/try/.try.o.cmd" >"$tmp/line" &&
		[ -s "$tmp/line" ]
}
try_again()
{
	driver_of "$1" >"$tmp/away/try/try.c"
	(cd "$kdir" && sh "$tmp/line") >"$tmp/said" 2>&1
}

ours="include $share/devtrace.mk"
path="ccflags-y += -I$share/include"

# good NAME FLAGS BODY: compiles without a word
good()
{
	try "$2" "$3"
	check "$1" test $? = 0 -a ! -s "$tmp/said"
}

# refused NAME BODY PATTERN: does not compile, and says why
refused()
{
	if try_again "$2"; then echo "compiles" >>"$tmp/said"; fi
	check "$1" says "$tmp/said" "error.*$3"
}

try "$path" 'devtrace_rec(DEVTRACE_T_USER, dt_u32(n));'
check "a driver that traces nothing is warned" says "$tmp/said" 'warning: #warning.*will trace nothing.*devtrace.mk'
good "DEVTRACE_DISABLE says that it is meant" "$path -DDEVTRACE_DISABLE" 'devtrace_rec(DEVTRACE_T_USER, dt_u32(n));'
good "DEVTRACE_DISABLE beside devtrace.mk" "$ours
ccflags-y += -DDEVTRACE_DISABLE" 'devtrace_rec(DEVTRACE_T_USER, dt_u32(n));'
check "DEVTRACE_DISABLE leaves nothing" sh -c "! nm '$tmp/away/try/try.o' | grep devtrace"
good "the define is enough" "$path -DCONFIG_DEVTRACE_MODULE=1" 'devtrace_rec(DEVTRACE_T_USER, dt_u32(n));'
if try "ccflags-y += -I$share/include/uapi -DCONFIG_DEVTRACE_MODULE=1" ''; then echo "compiles" >>"$tmp/said"; fi
check "the programs' header in a driver is refused" says "$tmp/said" 'error: #error.*for programs.*devtrace.mk'

# Constants
good "a driver with devtrace.mk" "$ours" 'devtrace_rec(DEVTRACE_T_USER, dt_u32(n));'
check "the line that compiled it is there" keep_line
refused "type 300" 'devtrace_rec(300, dt_u32(n));' 'no event type'
refused "type of a profile event" 'devtrace_rec(130, dt_u32(n));' 'no event type'
refused "type 0" 'devtrace_rec_for(0, 1, 2);' 'no event type'
refused "object of 17 bits" 'devtrace_rec_for(DEVTRACE_T_USER, 0x10000, 2);' '16 bits'
refused "severity 2" 'devtrace_exc(2, 1);' 'no severity.*DEVTRACE_SW0'
refused "severity 2 of a text" 'devtrace_text(2, "x");' 'no severity'
refused "devtrace_enabled(300)" 'if (devtrace_enabled(300)) devtrace_text(0, "x");' 'below 256'
refused "enumeration 8" 'devtrace_rec(DEVTRACE_T_USER, dt_enum(8, n));' '0 to 7'
refused "devtrace_begin() of type 60" 'struct devtrace_record r; if (devtrace_begin(&r, 60, 1, 2)) devtrace_end(&r);' 'no event type'
refused "devtrace_begin_exc() of severity 2" 'struct devtrace_record r; if (devtrace_begin_exc(&r, 2, 1)) devtrace_end(&r);' 'no severity'
refused "major of 25 bits" 'devtrace_exc(DEVTRACE_SW2, DEVTRACE_CODE(0x1000000, 1));' 'code_is_out_of_range'
refused "minor 256" 'devtrace_exc(DEVTRACE_SW2, DEVTRACE_CODE(1, 256));' 'code_is_out_of_range'
refused "a number for an element" 'devtrace_rec(DEVTRACE_T_USER, 42);' 'made by dt_u32'
refused "devtrace_put() of a number" 'struct devtrace_record r; if (devtrace_begin(&r, 100, 1, 2)) { devtrace_put(&r, n); devtrace_end(&r); }' 'made by dt_u32'
ten='dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n), dt_u8(n)'
refused "thirteen elements" "devtrace_rec(100, $ten, dt_u8(n), dt_u8(n), dt_u8(n));" 'up to ten elements'
named='static struct devtrace_named t = DEVTRACE_NAMED_INIT("t");'
refused "thirteen elements of a named type" "$named devtrace_rec_named(&t, $ten, dt_u8(n), dt_u8(n), dt_u8(n));" 'up to ten elements'
refused "thirteen elements of a named type about an object" "$named devtrace_rec_named_for(&t, 1, 2, $ten, dt_u8(n), dt_u8(n), dt_u8(n));" 'up to ten elements'
refused "a number for an element of a named type" "$named devtrace_rec_named_for(&t, 1, 2, 42);" 'made by dt_u32'
refused "object of 17 bits of a named type" "$named devtrace_rec_named_for(&t, 0x10000, 2);" '16 bits'
for off in "" -DDEVTRACE_DISABLE; do
	good "ten elements $off" "$ours
ccflags-y += $off" "$named devtrace_rec(100, $ten); devtrace_rec_for(100, 1, 2, $ten); devtrace_exc(0, 1, $ten); devtrace_exc(0, 1); devtrace_rec_named(&t, $ten); devtrace_rec_named_for(&t, 1, 2, $ten); devtrace_rec_named_for(&t, 1, 2);"
done
good "the names of severities are those of programs, and QNX's" "$ours" \
	'BUILD_BUG_ON(DEVTRACE_SW2 != DEVTRACE_SW_SEVERITY2); BUILD_BUG_ON(DEVTRACE_HW3 != DEVTRACE_HW_SEVERITY3); devtrace_exc(n, 1);'

# Lines whose text stays in the file
header=devtrace_log
good "DT_LOG() with DEVTRACE_DISABLE" "$ours
ccflags-y += -DDEVTRACE_DISABLE" 'DT_LOG("%u", n); DT_LOG_TO(1, "%s 100%%n", "x");'
check "leaves nothing" sh -c "! nm '$tmp/away/try/try.o' | grep devtrace"
good "DT_LOG()" "$ours" 'DT_LOG("%u", n); DT_LOG_TO(1, "%s %p 100%%n", "x", &n); DT_ERR("x");'
check "the line that compiled it is there, too" keep_line
check "the texts are in a section that is not loaded" sh -c "readelf -SW '$tmp/away/try/try.o' |
	grep -E ' \.debug_devtrace +PROGBITS +0+ [0-9a-f]+ [0-9a-f]+ 00 +0 +0 +1$'"
refused "a DT_LOG() with %n" 'DT_LOG("%n", &n);' 'cannot have %n'
refused "a width of *" 'DT_LOG("%*u", 3, n);' 'width or precision'
refused "a precision of *" 'DT_LOG("%.*s", 3, "x");' 'width or precision'
refused "printk()'s letters behind %p" 'DT_LOG("%pS", &n);' 'without printk'
refused "a text that is a variable" 'const char *s = "x"; DT_LOG(s);' 'before .s.'
refused "thirteen arguments" 'DT_LOG("%u", n, n, n, n, n, n, n, n, n, n, n, n, n);' 'up to twelve arguments'
try_again 'DT_LOG("%s", n);'
check "a number for %s" says "$tmp/said" 'warning: format .%s. expects'

mkdir "$tmp/away/no"
printf 'include %s\nobj-m += no.o\n' "$tmp/moved/devtrace.mk" >"$tmp/away/no/Kbuild"
cp -r "$share" "$tmp/moved" && rm -r "$tmp/moved/$release"
cp "$drv/drv.c" "$tmp/away/no/no.c"
check "README's driver builds without symbols for this kernel" \
	make -s -C "$kdir" M="$tmp/away/no" modules
check "and without a warning" says_not "$tmp/log" -i -e warning: -e undefined

check "make modules_uninstall" make -s -C "$tmp/src" KDIR="$kdir" DESTDIR="$root" modules_uninstall
check "leaves no module and no symbols" sh -c \
	"find '$root' -name 'devtrace*.ko*' -o -name Module.symvers | grep . && exit 1; :"
done_testing
