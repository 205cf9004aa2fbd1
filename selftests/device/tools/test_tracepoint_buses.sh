#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracepoint_buses.sh - transfers on I2C, SMBus, SPI and MDIO, a GPIO and registers of regmap,
# recorded by tracectl profile buses and printed with bus.fmt
#
# Runs on the board, as root, with devtrace.ko inserted and the tools in PATH. The kernel's own code
# of each bus makes the transfers: i2c-dev on the adapter of dti2c.ko and on that of the kernel's
# i2c-stub, lm75 with its regmap, and the bus modules dtspi.ko, dtgpio.ko and dtmdio.ko. If the
# kernel lacks a bus, this bus is skipped. SEED=n makes other bytes.
#
# The stream and the words of the transfers go to /out/buses and /out/buses.sent, for
# selftests/vm/buses-host, which has sigrok-cli decode them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
modules=${DEVTRACE_MODULES:-/modules}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../../tap.sh
. "$here/tap.sh"
# shellcheck disable=SC2034 # tap.sh shows this file
why=$work/out
# The test before may have taken the module away, or added tracepoints.
trace_unload
trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v tracectl >/dev/null; then
	skip_all "no /dev/trace, or no tracectl: there is no libmnl for this machine"
fi
SEED=${SEED:-$(date +%s)}
echo "# SEED=$SEED"

# inserted MODULE: is it in the kernel?
inserted() { grep -q "^$(echo "$1" | tr - _) " /proc/modules; }

# carried NAME [PARAMETER]: insert a module of the kernel package and what it needs
carried()
{
	[ -e "$modules/$1.load" ] || return
	while read -r ko; do
		name=${ko##*/}
		name=${name%.ko}
		inserted "$name" && continue
		if [ "$name" = "$1" ]; then
			insmod "$modules/${ko##*/}" ${2+"$2"} || return
		else
			insmod "$modules/${ko##*/}" || return
		fi
	done <"$modules/$1.load"
}

# own NAME: insert a module of dttest/, if this kernel has its bus
own() { [ -e "$modules/$1.ko" ] && { inserted "$1" || insmod "$modules/$1.ko"; }; }

# adapter NAME: print the number of the I2C adapter with this name
adapter()
{
	for dir in /sys/bus/i2c/devices/i2c-*; do
		! grep -q "^$1" "$dir/name" || { echo "${dir##*i2c-}"; return; }
	done
}

# some N: print N bytes as hexadecimal numbers, others after each transfer
some()
{
	awk -v n="$1" -v seed=$((SEED % 1000000 * 100 + $(wc -l <"$work/want"))) 'BEGIN {
		srand(seed)
		while (n--) printf "%s%02x", sep++ ? " " : "", int(rand() * 256)
		print "" }'
}
numbers() { echo "$1" | sed 's/[0-9a-f][0-9a-f]/0x&/g'; }
complement() { for b in $1; do printf '%02x ' $((0x$b ^ 255)); done | sed 's/ $//'; }
# data KIND BYTES: the words of sigrok's decoder for bytes
data() { echo "$2" | tr a-f A-F | sed "s/[0-9A-F][0-9A-F]/Data $1: &/g"; }
sent() { echo "$*" >>"$work/sent"; }
# want TEXT: traceinfo prints this line
want() { echo "$*" >>"$work/want"; }
: >"$work/sent"
: >"$work/want"

# Find the buses before anything is recorded: a driver makes transfers when it begins.
i2c='' stub='' lm75='' spi='' gpio='' mdio=''
own dti2c && carried i2c-dev && i2c=$(adapter dti2c)
if [ -n "$i2c" ] && carried i2c-stub chip_addr=0x48,0x4c; then
	stub=$(adapter SMBus)
	if carried lm75; then
		i2cset -y "$stub" 0x48 0x03 0x0050 w
		echo lm75 0x48 >"/sys/bus/i2c/devices/i2c-$stub/new_device"
		lm75=$(echo "/sys/bus/i2c/devices/$stub-0048/hwmon/"hwmon*)
		[ -e "$lm75/temp1_max" ] || lm75=
	fi
fi
if own dtspi; then
	spi=$(echo /sys/bus/platform/devices/dtspi/spi_master/spi*)
	spi=${spi##*/spi}
fi
own dtgpio && gpio=$(cat /sys/module/dtgpio/parameters/number)
carried libphy && own dtmdio && mdio=dtmdio-0
echo "# I2C adapter ${i2c:-none}, SMBus adapter ${stub:-none}, LM75 ${lm75:-none}," \
	"SPI ${spi:-none}, GPIO ${gpio:-none}, MDIO ${mdio:-none}"
if [ -z "$i2c$stub$spi$gpio$mdio" ]; then
	skip_all "this kernel has no I2C, SPI, GPIO or MDIO"
fi

tracectl filter clear
tracectl clear
check "the tracepoints of buses are added" tracectl profile buses
tracectl profile >"$work/added"
sed 's/^/# /' "$work/added"

if [ -n "$i2c" ]; then
	grep -q ' i2c:i2c_write .*i2c:i2c_result' "$work/added"
	ok $? "those of I2C are among them"
	bytes=$(some 5)
	# shellcheck disable=SC2046 # words
	i2ctransfer -y "$i2c" w6@0x50 0x10 $(numbers "$bytes")
	sent "i2c$i2c Start Address write: 50 Data write: 10 $(data write "$bytes") Stop"
	want "i2c-$i2c message 0 (.*): write 6 bytes to 0x50: \\[10 $bytes\\]"
	want "i2c-$i2c 1 messages: result 1"
	got=$(i2ctransfer -y "$i2c" w1@0x50 0x10 r5@0x50)
	is "$got" "$(numbers "$bytes")" "an EEPROM returns the bytes that were written"
	sent "i2c$i2c Start Address write: 50 Data write: 10" \
		"Start Address read: 50 $(data read "$bytes") Stop"
	want "i2c-$i2c message 0 (.*): write 1 bytes to 0x50: \\[10\\]"
	want "i2c-$i2c message 1 (READ.*): read 5 bytes from 0x50"
	want "i2c-$i2c message 1 (READ.*): 5 bytes from 0x50: \\[$bytes\\]"
	want "i2c-$i2c 2 messages: result 2"
	! i2ctransfer -y "$i2c" w2@0x33 1 2 2>/dev/null
	ok $? "no device answers another address"
	sent "i2c$i2c Start Address write: 33 NACK Stop"
	want "i2c-$i2c message 0 (.*): write 2 bytes to 0x33: \\[01 02\\]"
	want "i2c-$i2c 1 messages: result -6"
else
	skip "transfers on I2C" "the kernel has no I2C, or no i2c-dev"
fi

if [ -n "$stub" ]; then
	byte=$(some 1)
	i2cset -y "$stub" 0x4c 0x12 "0x$byte"
	is "$(i2cget -y "$stub" 0x4c 0x12)" "0x$byte" "a byte on SMBus"
	sent "i2c$stub Start Address write: 4C Data write: 12 $(data write "$byte") Stop"
	sent "i2c$stub Start Address write: 4C Data write: 12" \
		"Start Address read: 4C $(data read "$byte") Stop"
	want "i2c-$stub BYTE_DATA (no flags): write to 0x4c, command 0x12: \\[$byte\\]"
	want "i2c-$stub BYTE_DATA (no flags): write of 0x4c, command 0x12: result 0"
	want "i2c-$stub BYTE_DATA (no flags): read from 0x4c, command 0x12"
	want "i2c-$stub BYTE_DATA (no flags): reply of 0x4c, command 0x12: \\[$byte\\]"
	bytes=$(some 3)
	# shellcheck disable=SC2046 # words
	i2cset -y "$stub" 0x4c 0x20 $(numbers "$bytes") i
	sent "i2c$stub Start Address write: 4C Data write: 20 $(data write "$bytes") Stop"
	want "i2c-$stub I2C_BLOCK_DATA (no flags): write to 0x4c, command 0x20: \\[03 $bytes\\]"
else
	skip "transfers on SMBus" "the kernel has no i2c-stub"
fi

# The sensor has 9 bits for a temperature: 64 degrees are 0x4000
if [ -n "$lm75" ]; then
	echo 64000 >"$lm75/temp1_max"
	is "$(cat "$lm75/temp1_input")" 0 "a driver reads its sensor"
	sent "i2c$stub Start Address write: 48 Data write: 03 Data write: 40 Data write: 00 Stop"
	sent "i2c$stub Start Address write: 48 Data write: 00" \
		"Start Address read: 48 Data read: 00 Data read: 00 Stop"
	want "$stub-0048: write register 0x3: 0x4000"
	want "i2c-$stub WORD_DATA (no flags): write to 0x48, command 0x03: \\[40 00\\]"
	want "$stub-0048: read register 0x0: 0x0"
else
	skip "registers of a driver with regmap" "the kernel has no i2c-stub, or no lm75"
fi

if [ -n "$spi" ]; then
	for n in 3 64; do
		bytes=$(some $n)
		echo "$bytes" | tr -d ' ' >/sys/module/dtspi/parameters/transfer
		is "$(cat /sys/module/dtspi/parameters/transfer)" "$(complement "$bytes" | tr -d ' ')" \
			"$n bytes of SPI come back"
		sent "spi${spi}_0.mosi $(echo "$bytes" | tr a-f A-F)"
		sent "spi${spi}_0.miso $(complement "$bytes" | tr a-f A-F)"
		want "spi$spi.0 start of $n bytes: out \\[$bytes\\]"
		want "spi$spi.0 $n bytes: out \\[$bytes\\] in \\[$(complement "$bytes")\\]"
	done
else
	skip "transfers on SPI" "the kernel has no SPI"
fi

if [ -n "$gpio" ]; then
	for level in 1 0 1; do
		echo $level >/sys/module/dtgpio/parameters/level
		want "gpio $gpio set $level"
	done
	is "$(cat /sys/module/dtgpio/parameters/level)" 1 "a GPIO is set"
	want "gpio $gpio get 1"
else
	skip "levels of a GPIO" "the kernel has no GPIO"
fi

if [ -n "$mdio" ]; then
	value=$(some 2 | tr -d ' ')
	echo "3 4 $value" >/sys/module/dtmdio/parameters/access
	echo 3 4 >/sys/module/dtmdio/parameters/access
	is "$(cat /sys/module/dtmdio/parameters/access)" "$value" "a register of a PHY"
	upper=$(echo "$value" | tr a-f A-F)
	sent "mdio_dtmdio_0 WRITE: $upper PHYAD 03 REGAD 04 READ: $upper PHYAD 03 REGAD 04"
	want "$mdio: write PHY 3 register 0x4: 0x$value"
	want "$mdio: read PHY 3 register 0x4: 0x$value"
else
	skip "accesses of MDIO" "the kernel has no MDIO bus, or no libphy"
fi

tracectl profile none
traceinfo --raw >"$work/stream"
traceinfo --time none "$work/stream" >"$work/out" 2>&1
while read -r line; do
	grep -q -- ": $line\$" "$work/out"
	ok $? "$(echo "$line" | sed 's/\\\([][]\)/\1/g')"
done <"$work/want"
! grep -q 'lost\|{' "$work/out"
ok $? "no event is lost, and all fit their descriptions"
is "$(grep -c 'i2c_\|smbus_\|spi_\|gpio_\|regmap_\|mdio_' "$work/out")" "$(grep -c : "$work/out")" \
	"there are no other events"
if [ -d /out ]; then
	cp "$work/stream" /out/buses
	cp "$work/sent" /out/buses.sent
	cp "$work/out" /out/buses.txt
fi

# Without their tracepoints the modules can go again.
tracectl profile list | awk '$2 ~ /:/ { print $2 }' | xargs -r tracectl profile del
for name in dtmdio dtgpio dtspi lm75 i2c-stub dti2c; do
	! inserted "$name" || rmmod "$name"
	! inserted "$name"
	ok $? "$name is not in use"
done
tracectl filter clear
done_testing
