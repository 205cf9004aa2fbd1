#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_log_build.sh - sites and records of DT_LOG() as compilers and linkers make them
#
# The programs of log_use print what a reader must print, and their events; log_elf.py finds the
# texts in the files. By gcc and clang, C and C++, the linkers, the ways to link, the machines for
# which there is a compiler, musl, and a library that is linked or loaded by dlopen(3). At last
# 10 000 statements in 300 files: no text in the stripped program, a byte for each site.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
use=$here/log_use
inc="-I$top/include/uapi -I$top/include -I$use"
# shellcheck source=../tap.sh
. "$here/../tap.sh"
why=$tmp/log
# shellcheck source=musl.sh
. "$here/musl.sh"

have()
{
	command -v "$1" >/dev/null 2>&1
}

# build COMPILER FLAGS: the program of two files, with the stub
build()
{
	# shellcheck disable=SC2086 # several words
	set -- $1 $inc -Wall -Wextra -Werror $2
	cc=$1
	shift
	(cd "$tmp" && for f in main other; do
		# shellcheck disable=SC2086 # several words, or none
		"$cc" "$@" $lang -c "$use/$f.c" -o $f.o || exit 1
	done
	"$cc" "$@" -c "$use/stub.c" -o stub.o || exit 1
	# shellcheck disable=SC2086
	"$cc" "$@" -o prog main.o other.o stub.o $libs)
}

# matches NAME WANT [FILE...]: what $run prints, with texts from files
matches()
{
	name=$1 want=$2
	shift 2
	(cd "$tmp" && $run ./prog >out 2>&1 && python3 "$here/log_elf.py" match "$@" <out) >"$tmp/log" 2>&1
	tail -n 1 "$tmp/log" | grep -qx "$want"
	ok $? "$name"
}

one()	# COMPILER FLAGS WANT
{
	if ! build "$1" "$2" >"$tmp/log" 2>&1; then
		ok 1 "$1 $2"
		return
	fi
	matches "$1 $2" "$3"
	# The debug file keeps the texts, the program does not, unless clang loaded them.
	cp "$tmp/prog" "$tmp/whole"
	"${objcopy:-objcopy}" --only-keep-debug "$tmp/prog" "$tmp/prog.debug" &&
		"${objcopy:-objcopy}" --strip-all "$tmp/prog"
	case $1 in
	*clang*) return ;;
	esac
	matches "$1 $2, stripped, and its debug file" "$3" prog.debug
	readelf -SW "$tmp/prog" | grep -c debug_devtrace >"$tmp/log"
	is "$(cat "$tmp/log")" 0 "$1 $2, stripped: no section of records"
}

run=
lang='' libs=''
c_texts='images 1, text 15, as text 0, untold 0'
warn='-Wno-unused-command-line-argument'
for how in -O0 -O2 "-Os -static" "-O2 -flto" "-O2 -fPIE -pie" "-O2 -fno-pie -no-pie" \
	   "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections" \
	   "-g -gz" "-O2 -fuse-ld=gold" "-O2 -fuse-ld=lld"; do
	ld=$(echo "$how" | sed -n 's/.*-fuse-ld=/ld./p')
	if [ "$ld" ] && ! have "$ld"; then
		skip "$how" "there is no $ld"
		continue
	fi
	one "$CC" "$how" "$c_texts"
	# ld of binutils does not compress the loaded section that clang makes.
	if [ "$how" = "-g -gz" ]; then
		:
	elif have clang; then one clang "$how $warn" "$c_texts"; else skip "clang $how" "no clang"; fi
done

# In C++ gcc before 14 has no sites in templates: texts instead, and no wrong one.
cxx_texts='images 1, text 35, as text 0, untold 0'
cxx_gcc=$cxx_texts
[ "$(g++ -dumpversion | cut -d. -f1)" -ge 14 ] ||
	cxx_gcc='images 1, text 27, as text 6, untold 2'
lang='-x c++ -std=c++11' libs=-lstdc++
for how in -O0 -O2 "-Os -static" "-O2 -flto" "-O2 -fPIE -pie" "-O2 -fuse-ld=gold" \
	   "-O2 -ffunction-sections -Wl,--gc-sections"; do
	one gcc "$how" "$cxx_gcc"
	if have clang; then one clang "$how $warn" "$cxx_texts"; else skip "clang $how" "no clang"; fi
done

# A library with the same inline functions: each image has sites of its own.
library()	# COMPILER SUFFIX FLAGS WANT
{
	# shellcheck disable=SC2086
	(cd "$tmp" && rm -f prog libimage.so libstub.so &&
	 gcc -O2 -fPIC -shared $inc -o libstub.so "$use/stub.c" -Wl,-soname,libstub.so &&
	 $1 $2 -fPIC -shared $inc -o libimage.so "$use/image.c" -x none -L. -lstub $libs &&
	 $1 $2 $3 $inc -o prog "$use/main.c" "$use/other.c" -x none -L. -Wl,-rpath,. $5 -lstub $libs) \
		>"$tmp/log" 2>&1 || {
		ok 1 "$1 $2 $3"
		return
	}
	matches "$1 $2 $3" "$4"
}
for cc in gcc clang; do
	have $cc || continue
	lang='' libs=''
	library $cc -O2 -DLIBRARY 'images 2, text 18, as text 0, untold 0' -limage
	library $cc -O0 -DPLUGIN=\"./libimage.so\" 'images 3, text 21, as text 0, untold 0' ''
	libs=-lstdc++
	want='text 48, as text 0, untold 0' more='text 61, as text 0, untold 0'
	if [ $cc = gcc ] && [ "$cxx_gcc" != "$cxx_texts" ]; then
		want='text 36, as text 9, untold 3' more='text 45, as text 12, untold 4'
	fi
	library $cc '-x c++ -O2' -DLIBRARY "images 2, $want" -limage
	library $cc '-x c++ -O0' -DPLUGIN=\"./libimage.so\" "images 3, $more" ''
done

# Other machines. The texts are in the file, whatever runs it.
lang='' libs=''
machine()	# COMPILER EMULATOR
{
	if ! have "$1" || ! have "$2"; then
		skip "$1" "there is no $1 or no $2"
		return
	fi
	run=$2
	objcopy=${1%gcc}objcopy
	have "$objcopy" || objcopy=objcopy
	one "$1" "-O2 -static" "$c_texts"
	one "$1" "-O0 -fPIC -static" "$c_texts"
	run='' objcopy=objcopy
}
machine arm-linux-gnueabihf-gcc qemu-arm
machine aarch64-linux-gnu-gcc qemu-aarch64
machine s390x-linux-gnu-gcc qemu-s390x
machine riscv64-linux-gnu-gcc qemu-riscv64
machine i686-linux-gnu-gcc qemu-i386
musl_cc "$tmp/cc"
machine "$tmp/cc/musl-cc" env

# 10 000 statements in 300 files, or a tenth of that
files=300
[ -z "${QUICK:-}" ] || files=30
mkdir "$tmp/many"
python3 - "$tmp/many" $files <<'END'
import sys
files = int(sys.argv[2])
for i in range(files):
    n = range(i, files * 100 // 3, files)
    with open(f"{sys.argv[1]}/f{i}.c", "w") as f:
        f.write("#include \"many.h\"\n" + f"void f{i}(int a)\n{{\n")
        for k in n:
            f.write(f'\tMANY("Unforgettable text number {k}: %d and %u", a, {k}u);\n')
        f.write("}\n")
with open(f"{sys.argv[1]}/main.c", "w") as f:
    for i in range(files):
        f.write(f"void f{i}(int a);\n")
    f.write("int main(int argc, char **argv)\n{\n\t(void)argv;\n")
    for i in range(files):
        f.write(f"\tf{i}(argc);\n")
    f.write("\treturn 0;\n}\n")
END
printf '#include <devtrace/log.h>\n#define MANY(...) DT_LOG(__VA_ARGS__)\n' >"$tmp/many/many.h"
nr=$((files * 100 / 3))
# shellcheck disable=SC2086
(cd "$tmp/many" && "$CC" -O2 $inc -I. -c "$use/stub.c" f*.c main.c && "$CC" -o prog ./*.o) >"$tmp/log" 2>&1
ok $? "$nr statements are built"
objcopy --strip-all "$tmp/many/prog" "$tmp/many/small"
is "$(grep -c 'Unforgettable' "$tmp/many/small")" 0 "no text is in the stripped program"
readelf -SW "$tmp/many/small" >"$tmp/log"
size=$(sed -n 's/.* devtrace_sites  *PROGBITS  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p' "$tmp/log")
is $((0x$size)) $nr "$nr sites are as many bytes"
is "$(python3 "$here/log_elf.py" list "$tmp/many/prog" | cut -d' ' -f1 | sort -un | wc -l)" $nr \
	"each site has its record"

done_testing
