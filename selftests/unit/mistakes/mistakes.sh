# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mistakes.sh - what the transcripts *.expected here call: mistakes of a language, as
# short as a command
#
# TOP is the source tree, KDIR the kernel to build drivers for, EMITTER a program,
# LIBDEVTRACE the library, MOTORD a process that has a receive channel.

# fmt TEXT: checks it as the file wrong.fmt
fmt()
{
	printf '%s\n' "$1" > wrong.fmt
	traceinfo --check-fmt wrong.fmt > said
	status=$?
	sed '/^1 file/d' said
	return $status
}

# program STATEMENT: compiles it. The compiler's further output differs between versions.
program()
{
	printf '#include <devtrace.h>\nvoid f(void);\nvoid f(void)\n{\n\t%s;\n}\n' "$1" > prog.c
	gcc -O2 -c -o prog.o -I"$TOP/include/uapi" -I"$TOP/include" prog.c > said 2>&1
	status=$?
	errors
}

# runs STATEMENT: in a program, which is asked why its events do not arrive
runs()
{
	printf '#include <devtrace.h>\nint main(void)\n{\n\t%s;\n\treturn 0;\n}\n' "$1" > prog.c
	gcc -O2 -o prog -I"$TOP/include/uapi" -I"$TOP/include" prog.c "$LIBDEVTRACE" -lpthread || return
	DEVTRACE_DEBUG=1 ./prog
}

# driver FLAGS STATEMENT: compiles it for the kernel of the board
driver()
{
	mkdir -p drv
	printf '#include <linux/devtrace.h>\nvoid f(void);\nvoid f(void)\n{\n\t%s;\n}\n' "$2" > drv/drv.c
	printf 'ccflags-y += %s\nobj-m += drv.o\n' "$1" > drv/Kbuild
	make -s -C "$KDIR" M="$PWD/drv" drv.o > said 2>&1
	status=$?
	errors
}

# motord REQUEST...: asks the program MOTORD, which has a receive channel
motord()
{
	tracectl rx "$MOTORD" "$@" > said 2>&1
	status=$?
	sed "s/\<$MOTORD\>/motord/g" said
	return $status
}

errors()
{
	sed -n 's/.*attribute error: //p; t; s/.*#warning //p; s/.*#error //p; t; s/.*error: //p' said |
		sed 's/ \[-W.*//' | sort -u
	[ $status = 0 ] || status=1
	return $status
}

# emit [VARIABLE=VALUE...]: runs a program that emits, and asks it why it does not
emit() { env DEVTRACE_DEBUG=1 "$@" "$EMITTER"; }
