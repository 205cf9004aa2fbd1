#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_fmtextract.sh - texts of DT_LOG(): from ELF files of several machines to printed events
#
# The files are assembled from Documentation/log.rst by log_asm.py, so neither the headers nor the
# library take part.
# shellcheck disable=SC2181,SC2094,SC2119,SC2120 # $? after two lines; different files; stream has an argument, or none

here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
why="said got want"

cat >texts <<'END'
0	motor.c	12	motor_run	pump %d runs dry at %s
1	motor.c	120		%#x: 100%% \xff\xc3\xa4\t"quoted" \\
4	lib/a b.c	7	f	no argument\n
END
cat >want.fmt <<'END'
	site 0 log "motor.c:12" "motor_run" "pump %d runs dry at %s"
	site 1 err "motor.c:120" "" "%#x: 100%% \xffä\t\"quoted\" \\"
	site 2 debug "lib/a b.c:7" "f" "no argument\n"
END
asm() { python3 "$here/log_asm.py" "$@"; }
sites() { grep '^	site' "$1"; }
id_of() { sed -n 's/^image "\([0-9a-f]*\)".*/\1/p' "$1"; }

# Each machine: classes, byte orders, and both kinds of relocations; linked, and relocatable.
machine()	# CC BITS NAME
{
	if ! command -v "$1" >/dev/null; then
		skip "$3" "no $1"
		return
	fi
	asm "$2" zeros <texts >a.s
	"$1" -c a.s -o "$3.o" && "$1" -nostdlib -static -Wl,--build-id "$3.o" -o "$3" &&
		fmtextract "$3" >got 2>said && sites got >sites && cmp -s sites want.fmt
	ok $? "$3: a linked file"
	"$1" -nostdlib -shared -Wl,--build-id "$3.o" -o "$3.so" &&
		fmtextract "$3.so" >got 2>said && sites got >sites && cmp -s sites want.fmt
	ok $? "$3: a shared library"
	# As the kernel's build does with a module: one more object, and no build-id otherwise.
	asm "$2" base <texts >b.s
	"$1" -c b.s -o b.o && "$1" -nostdlib -r -Wl,--build-id b.o -o "$3.ko" &&
		fmtextract "$3.ko" >got 2>said
	ok $? "$3: a module"
	is "$(sites got | awk '{ print $2, $3 }' | sort | tr '\n' ,)" \
		"0 err,1 debug,16777215 log," "and its base"
	asm "$2" alloc <texts >a.s
	"$1" -c a.s -o c.o && "$1" -nostdlib -pie -Wl,--build-id c.o -o "$3.pie" &&
		fmtextract "$3.pie" >got 2>said && sites got >sites && cmp -s sites want.fmt
	ok $? "$3: a file that loads its records at any address"
}
machine gcc 64 x86-64
machine i686-linux-gnu-gcc 32 i386
machine arm-linux-gnueabihf-gcc 32 arm
machine aarch64-linux-gnu-gcc 64 arm64
machine s390x-linux-gnu-gcc 64 s390x
machine riscv64-linux-gnu-gcc 64 riscv64

# As distributions install it: a stripped program, and a debug file that is compressed.
asm 64 <texts >a.s
gcc -nostdlib -static -Wl,--build-id a.s -o full
id=$(fmtextract full | id_of /dev/stdin)
for how in zlib zlib-gnu zstd none; do
	objcopy --only-keep-debug --compress-debug-sections=$how full full.$how 2>said || {
		skip "debug sections: $how" "objcopy cannot"
		continue
	}
	fmtextract full.$how >got 2>said && sites got >sites && cmp -s sites want.fmt
	ok $? "debug sections: $how"
done
strip -o stripped full
is "$(fmtextract -o none.fmt stripped 2>&1)" \
	"fmtextract: stripped: the texts were stripped; give the file before strip(1), or its debug file" \
	"a stripped file is named"
[ ! -e none.fmt ]
ok $? "and nothing is written"
gcc -nostdlib -static -Wl,--build-id=none a.s -o noid
is "$(fmtextract noid 2>&1)" "fmtextract: noid: the file has no build-id: link it with -Wl,--build-id" \
	"no build-id"
is "$(fmtextract a.s missing 2>&1)" "fmtextract: a.s: not an ELF file
fmtextract: missing: No such file or directory" "no ELF file"
fmtextract 2>/dev/null
is $? 2 "no argument"
fmtextract -o app.fmt full full.none stripped /bin/true 2>said
is $? 1 "one wrong file"
fmtextract -o app.fmt full full.none /bin/true 2>said && [ "$(grep -c ^image app.fmt)" = 1 ] &&
	[ "$(sites app.fmt | wc -l)" = 3 ]
ok $? "a file and its debug file are one image, and one without texts is none"
is "$(cat said)" "" "and nothing is noted"
fmtextract /bin/true 2>said >got
is "$? $(cat said)" "0 fmtextract: note: the files have no DT_LOG() statements, so the output has no texts" \
	"no file has texts"
traceinfo --check-fmt app.fmt >got
is "$(cat got)" "1 file, 0 errors, 0 warnings" "--check-fmt accepts it"

# Mistakes, by their place in the source.
{
	cat texts
	printf 'same 1 1\tcopy.c\t3\t\tother\n'
	printf '0\tbad.c\t4\t\twrites %%n\n0\tbad.c\t5\t\t%%d %%*d\n0\tbad.c\t6\t\t%%y\n0\tbad.c\t7\t\t%%ls\n'
} | asm 64 >bad.s
gcc -nostdlib -static -Wl,--build-id bad.s -o bad
fmtextract -o bad.fmt bad 2>got
is $? 1 "mistakes"
cat >want <<'END'
bad.c:4: error: '%n': %n writes to memory, which printing an event later cannot do
bad.c:5: error: '%*': a width or precision * is not supported: write the number
bad.c:6: error: '%y': unknown; the conversions are: d i u o x X c s p a A e E f F g G %
bad.c:7: error: '%ls': wide characters are not supported
END
grep '^bad' got | cmp -s - want
ok $? "each with its line"
grep -q '^copy.c:3: error: site 1 has the text "other", but at motor.c:120 the text ' got
ok $? "two texts for one site"
[ ! -e bad.fmt ]
ok $? "nothing is written"
printf 'same 0 0\tmotor.c\t12\tmotor_run\tpump %%d runs dry at %%s\n' | cat texts - | asm 64 >same.s
gcc -nostdlib -static -Wl,--build-id same.s -o same
fmtextract same >got 2>said && sites got >sites && cmp -s sites want.fmt
ok $? "a statement that the compiler copied"

# Events, printed by texts from each place. Site 0 of image 0 is 0, of image 1 is 16777216.
stream()
{
	cat <<END
info 0
clock 1000 1700000000000000000
proc 70 70 pumpd
proc 71 71 other
dict image 70 0 0 0 $id
dict image 70 0 1 0 ${1:-$work/nowhere}
dict image 70 1 0 0 77aa77aa
dict image 0 0 0 0 0123456789abcdef
event 2000 tid=70 ctx=user type=127 sev=sw2 u32:0 i32:2 str:cellar
event 3000 tid=70 ctx=user type=127 obj=7 u32:1 u8:255
event 4000 tid=70 ctx=user type=127 u32:16777233 i32:3 str:x
event 5000 tid=71 ctx=user type=127 u32:0 i32:3 str:x
event 6000 tid=70 type=127 u32:0 i32:3 str:x
event 7000 tid=70 ctx=user type=127 u32:9 i32:3
event 8000 tid=70 ctx=user type=127 u32:4278190080 i32:3
event 9000 tid=70 ctx=user type=127 u32:0 str:x i32:3
event 9500 tid=70 ctx=user type=127 u32:2
event 9600 tid=99 ctx=user type=127 u32:2
event 9700 tid=70 ctx=user type=127 i32:2
END
}
stream | gen_stream >log.trace
ti() { traceinfo --no-default-fmt --time=none -H %n "$@"; }
cut4() { printf %.4s "$1"; }
cat >want <<END
LOG: pump 2 runs dry at cellar
LOG: 0xff: 100% \\xffä	"quoted" \\
LOG: LOG 77aa…:17: 3 "x"
LOG: LOG image 0:0: 3 "x"
LOG: LOG 0123…:0: 3 "x"
LOG: LOG $(cut4 "$id")…:9: 3
LOG: LOG image 255:0: 3
LOG: LOG $(cut4 "$id")…:0: "x" 3
LOG: no argument
LOG: LOG image 0:2
LOG: 2
END
printed()	# NAME [OPTIONS]
{
	name=$1
	shift
	ti -H '%n: ' "$@" log.trace >lines 2>said
	grep ^LOG: lines >got
	cmp -s got want
	ok $? "$name"
}
printed "texts of an ELF file" -e full
is "$(grep -c "$id have none, or two different ones, for site 9$" said)" 1 "a site without a text is told once"
printed "texts of a format file" -e app.fmt
mkdir fmts && cp app.fmt fmts
printed "texts of a directory of format files" -I fmts
export DEVTRACE_FMT_PATH="$work/fmts"
printed "texts of DEVTRACE_FMT_PATH"
unset DEVTRACE_FMT_PATH
export DEVTRACE_DEBUG_PATH="$work/empty:$work/full.none"
printed "a file of DEVTRACE_DEBUG_PATH"
mkdir debug && cp full.zlib debug/some.debug
export DEVTRACE_DEBUG_PATH="$work/debug"
printed "any file in a directory of it"
mkdir -p "tree/.build-id/$(printf %.2s "$id")"
cp full.zlib "tree/.build-id/$(printf %.2s "$id")/${id#??}.debug"
export DEVTRACE_DEBUG_PATH="$work/tree"
printed "the tree of build-ids in it"
unset DEVTRACE_DEBUG_PATH
cp log.trace keep.trace
stream "$work/full" | gen_stream >log.trace
printed "the path of the image"
stream "$work/same" | gen_stream >log.trace

# No text: the raw form, and once what was looked for.
raw()	# NAME [OPTIONS]
{
	name=$1
	shift
	ti -H '%n: ' "$@" log.trace 2>said | grep ^LOG: >got
	grep -q "^LOG: LOG $(cut4 "$id")…:0: 2 \"cellar\"$" got && ! grep -q 'runs dry' got
	ok $? "$name"
}
raw "another build of the same source"
grep -q "^  $work/same: has another build-id" said
ok $? "which is told"
is "$(grep -c "no texts .* $id" said)" 1 "once"
is "$(grep -c "^traceinfo: no texts" said)" 3 "and each image"
for option in --summary --timeline --raw; do
	traceinfo --no-default-fmt $option log.trace 2>said >got
	is "$? $(cat said)" "0 " "$option prints no text, so none is missed"
done
cp stripped gone
stream "$work/gone" | gen_stream >log.trace
raw "a stripped file"
grep -q "^  $work/gone: has no texts" said
ok $? "which is told, too"
cp keep.trace log.trace
raw "a file that is missing"
for n in 0 3 16 63 64 100 500 1000; do
	head -c $n full >part
	DEVTRACE_DEBUG_PATH="$work/part" raw "the first $n bytes of a file"
done
{ cat app.fmt; sed 's/runs dry/is full/' app.fmt; } >two.fmt
traceinfo --check-fmt two.fmt >said
grep -q "^two.fmt:11:2: error: site 0 was described otherwise before, in two.fmt:4:2$" said
ok $? "--check-fmt finds two texts for one site"
raw "two texts for one site" -e two.fmt
mkfifo fifo
stream "$work/fifo" | gen_stream >log.trace
timeout 60 traceinfo --no-default-fmt log.trace >got 2>&1
ok $? "the path is a FIFO"
cp keep.trace log.trace

# The forms.
ti -e full --json log.trace 2>/dev/null >json
json_check <json
ok $? "--json"
grep -q "\"type\":127,\"name\":\"LOG\",\"image\":\"$id\",\"site\":0,\"level\":\"log\",\"file\":\"motor.c\",\"line\":12,\"function\":\"motor_run\",\"elements\":\[{\"I32\":2},{\"STR\":\"cellar\"}\],\"text\":\"pump 2 runs dry at cellar\"" json
ok $? "with the statement"
grep -q '"image":"77aa77aa","site":17,"elements":\[{"I32":3},{"STR":"x"}\],"text":"LOG 77aa…:17: 3 \\"x\\""' json
ok $? "and without a text"
traceinfo --no-default-fmt -e full --time=none --format short log.trace 2>/dev/null >got
grep -q '^ *sw2 pumpd\[70\] *pump 2 runs dry at cellar$' got && grep -q 'LOG@7: 0xff: 100%' got
ok $? "the short layout has no name, unless there is an object"
traceinfo --no-default-fmt -v --time=none log.trace 2>/dev/null >got
grep -q "^--- build-id of image 0 is \"$id\" in process 70" got &&
	grep -q "^--- file of image 0 is \"$work/nowhere\" in process 70" got
ok $? "-v prints the images"
traceinfo --no-default-fmt --summary -e full log.trace >got 2>&1
ok $? "--summary"
ti -e full - <log.trace >got 2>/dev/null
grep -q 'pump 2 runs dry at cellar' got
ok $? "a pipe"
for to in perfetto chrome html vcd; do
	devtrace-convert -q -e full --to $to -o out.$to log.trace 2>said
	ok $? "--to $to"
done
grep -q 'motor_run' out.perfetto && grep -q 'pump 2 runs dry at cellar' out.perfetto
ok $? "perfetto has the statement and the text"
grep -q '"file":"motor.c","line":12,"function":"motor_run"' out.chrome &&
	grep -q '"text":"pump 2 runs dry at cellar"' out.chrome
ok $? "chrome, too"

# fmt(5): mistakes in the language.
diag()	# TEXT WANT
{
	printf '%b' "$1" >x.fmt
	traceinfo --check-fmt x.fmt >got
	is "$(head -n 1 got)" "$2" "$2"
}
diag 'image "1F3A" "p" {}\n' "x.fmt:1:7: error: a build-id has 4 to 63 hexadecimal digits, in lower case"
diag 'image "1f3a" "p" \n' "x.fmt:2:1: error: '{' after the build-id and the path of the image expected"
diag 'image "1f3a" "p" {\nsite 1 loud "a:1" "" ""\n}\n' \
	"x.fmt:2:8: error: a level (log, err, warn, info or debug) expected"
diag 'image "1f3a" "p" {\nsite 1 err "a" "" ""\n}\n' \
	"x.fmt:2:12: error: \"file:line\" expected, such as \"motor.c:120\""
diag 'image "1f3a" "p" {\nsite 1 err "a:1" "" "x %n"\n}\n' \
	"x.fmt:2:24: error: '%n': %n writes to memory, which printing an event later cannot do"
diag 'image "1f3a" "p" {\nsite 99999999 err "a:1" "" ""\n}\n' \
	"x.fmt:2:6: error: the number of a site is at most 16777215"
diag 'image "1f3a" "p" {\nsite 1 err "a:1" "" "x\\x00"\n}\n' \
	"x.fmt:2:23: error: a string of an image cannot contain the byte 0"
diag 'image "1f3a" "p" {\nsite 1 err "a:1" "" ""\n' "x.fmt:3:1: error: '}' at the end of the image expected"
diag 'enum image { site, image }\nrecord 100 image(enum image image)\n' "1 file, 0 errors, 0 warnings"

done_testing
