#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_firmware.sh - firmware of other machines, without a C library and a loader, and its texts
#
# The firmware of firmware/ runs in qemu-user, and as a Cortex-M3 in QEMU. It makes records with
# <devtrace/firmware.h>; firmware_forward emits them on this machine, and traceinfo prints the lines
# of firmware/want: by the ELF file, by its debug file, and by fmtextract's file.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${O:-$top/build}" && pwd) || exit 1
out=$build/selftests/unit
fw=$here/firmware
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEVTRACE_FMT_PATH=/nonexistent
unset DEVTRACE_DEBUG_PATH
. "$here/../tap.sh"
why=$tmp/log

have()
{
	command -v "$1" >/dev/null 2>&1
}

# print [OPTION...]: the texts of the stream
print()
{
	"$out/san/tools/traceinfo" -H '' "$@" "$tmp/stream" 2>"$tmp/said"
}

# prints NAME [OPTION...]
prints()
{
	name=$1
	shift
	print "$@" >"$tmp/got"
	diff "$fw/want" "$tmp/got" >"$tmp/log"
	ok $? "$name"
}

# firmware NAME COMPILER SCRIPT "FLAGS" COMMAND...: compile it, run it, forward its records
firmware()
{
	what=$1 cc=$2 script=$3 flags=$4
	shift 4
	for tool in "$cc" "$1"; do
		have "$tool" && continue
		skip "$what" "there is no $tool"
		return
	done
	rm -f "$tmp/fw"
	# shellcheck disable=SC2086 # several flags
	if ! "$cc" -std=gnu11 -Wall -Wextra -Werror -Wmissing-prototypes -Wshadow -O2 -ffreestanding -nostdlib \
		-static -fno-pie -no-pie -fno-stack-protector -fno-asynchronous-unwind-tables \
		-Wl,--build-id -T "$fw/$script" -I"$top/include" $flags \
		-o "$tmp/fw" "$fw/fw.c" "$fw/other.c" "$fw/start.c" -lgcc >"$tmp/log" 2>&1; then
		ok 1 "$what: compiles without a warning"
		return
	fi
	timeout 60 "$@" "$tmp/fw" >"$tmp/records" 2>"$tmp/log"
	if ! "$out/firmware_forward" <"$tmp/records" >"$tmp/stream" 2>>"$tmp/log"; then
		ok 1 "$what: its records are emitted"
		return
	fi
	prints "$what: the texts of the ELF file" -e "$tmp/fw"
	objcopy=${cc%gcc}objcopy
	have "$objcopy" || objcopy=objcopy
	mkdir -p "$tmp/debug"
	"$objcopy" --only-keep-debug "$tmp/fw" "$tmp/debug/fw.debug"
	DEVTRACE_DEBUG_PATH="$tmp/debug" prints "$what: the texts of its debug file"
	"$build/tools/fmtextract" -o "$tmp/fw.fmt" "$tmp/fw" 2>"$tmp/log" &&
		prints "$what: the texts of fmtextract's file" -e "$tmp/fw.fmt"
	# Linux knows the file: the firmware need not tell its build-id, and readers find the file.
	# The first record, of the firmware's own build-id, is left out: 2 + 26 bytes.
	tail -c +29 "$tmp/records" >"$tmp/rest"
	"$out/firmware_forward" "$tmp/fw" <"$tmp/rest" >"$tmp/stream" 2>"$tmp/log"
	prints "$what: an image by the path of the file"
}

user=user.ld
firmware 'arm' arm-linux-gnueabihf-gcc $user -g qemu-arm
# The bytes that firmware flashes have none of the texts, and no name of a source file
if [ -e "$tmp/fw" ]; then
	arm-linux-gnueabihf-objcopy -O binary "$tmp/fw" "$tmp/bin" 2>"$tmp/log" ||
		objcopy -O binary "$tmp/fw" "$tmp/bin"
	grep -c -a -e 'pump %d' -e 'fw\.c' "$tmp/bin" >"$tmp/log"
	is "$(cat "$tmp/log")" 0 "arm: the memory of the firmware has no text"
fi
firmware 'arm, sites in memory' arm-linux-gnueabihf-gcc $user -DDEVTRACE_FIRMWARE_LOADED qemu-arm
firmware 'arm, -O0' arm-linux-gnueabihf-gcc $user '-O0 -marm' qemu-arm
firmware 'arm, lto, gc-sections' arm-linux-gnueabihf-gcc $user \
	'-flto -ffunction-sections -fdata-sections -Wl,--gc-sections' qemu-arm
firmware 'Cortex-M3' arm-linux-gnueabihf-gcc m3.ld '-mcpu=cortex-m3 -mthumb -mfloat-abi=soft' \
	qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \
	-semihosting-config enable=on,target=native -kernel
firmware 's390x, big-endian' s390x-linux-gnu-gcc $user '' qemu-s390x
firmware 'powerpc, big-endian, 32 bits' powerpc-linux-gnu-gcc $user '' qemu-ppc
firmware 'arm64' aarch64-linux-gnu-gcc $user '' qemu-aarch64
firmware 'riscv64' riscv64-linux-gnu-gcc $user '' qemu-riscv64
firmware 'x86, 32 bits' i686-linux-gnu-gcc $user '' qemu-i386

done_testing
