# SPDX-License-Identifier: GPL-2.0-only
"""Describe a stream with transfers of buses, for gen_stream, and print the bytes that were sent.

    bus_stream.py SEED >stream.gen 2>bytes

The events have the fields of the kernel's include/trace/events/i2c.h, smbus.h, spi.h, gpio.h and mdio.h
in their order. Each line of the bytes has a bus, and its bytes as sigrok's decoders print them.
"""
import random
import sys

NAMES = ["i2c:i2c_write", "i2c:i2c_read", "i2c:i2c_reply", "i2c:i2c_result", "smbus:smbus_write",
         "smbus:smbus_read", "smbus:smbus_reply", "smbus:smbus_result", "spi:spi_message_start",
         "spi:spi_transfer_start", "spi:spi_transfer_stop", "gpio:gpio_value",
         "regmap:regmap_reg_write", "regmap:regmap_reg_read", "mdio:mdio_access"]
TYPES = {name.split(":")[1]: 176 + i for i, name in enumerate(NAMES)}
rng = random.Random(int(sys.argv[1]))
now = 1000


def event(name, elements, after=20000):
    global now
    now += after
    print(f"event {now} tid=9 type={TYPES[name]} {elements}")


def sent(bus, *words):
    print(bus, *words, file=sys.stderr)


def hexes(data):
    return "".join(f"{b:02x}" for b in data)


def some(n):
    return [rng.randrange(256) for _ in range(n)]


def padded(data):
    return hexes((list(data) + [0] * 34)[:34])


def address(addr, read):
    return "Start", f"Address {'read' if read else 'write'}: {addr:02X}"


def data(values, read):
    return [f"Data {'read' if read else 'write'}: {b:02X}" for b in values]


def i2c(adapter, addr, messages):
    """Make a transfer. A message is the bytes to write, or the number of bytes to read."""
    words, replies = [], []
    for nr, m in enumerate(messages):
        head = f"i32:{adapter} u16:{nr} u16:{addr}"
        if isinstance(m, int):
            got = some(m)
            event("i2c_read", f"{head} u16:1 u16:{m}")
            replies.append((nr, got))
            words += [*address(addr, True), *data(got, True)]
        else:
            event("i2c_write", f"{head} u16:0 u16:{len(m)} mem:{hexes(m)}")
            words += [*address(addr, False), *data(m, False)]
    for nr, got in replies:
        event("i2c_reply", f"i32:{adapter} u16:{nr} u16:{addr} u16:1 u16:{len(got)} mem:{hexes(got)}")
    event("i2c_result", f"i32:{adapter} u16:{len(messages)} i16:{len(messages)}")
    sent(f"i2c{adapter}", *words, "Stop")


def nobody(adapter, addr):
    event("i2c_write", f"i32:{adapter} u16:0 u16:{addr} u16:0 u16:2 mem:0102")
    event("i2c_result", f"i32:{adapter} u16:1 i16:-6")
    sent(f"i2c{adapter}", *address(addr, False), "NACK", "Stop")


BYTE, BYTE_DATA, WORD_DATA, BLOCK, I2C_BLOCK = 1, 2, 3, 5, 8


def smbus_write(adapter, addr, protocol, command, values):
    raw = [len(values), *values] if protocol in (BLOCK, I2C_BLOCK) else values
    event("smbus_write", f"i32:{adapter} u16:{addr} u16:0 u8:{command} u8:{len(raw)} u32:{protocol} "
          f"mem:{padded(raw)}")
    event("smbus_result", f"i32:{adapter} u16:{addr} u16:0 u8:0 u8:{command} i16:0 u32:{protocol}")
    on_wire = raw if protocol == BLOCK else values
    sent(f"i2c{adapter}", *address(addr, False), *data([command, *on_wire], False), "Stop")


def smbus_read(adapter, addr, protocol, command, n):
    got = some(n)
    raw = [n, *got] if protocol in (BLOCK, I2C_BLOCK) else got
    event("smbus_read", f"i32:{adapter} u16:0 u16:{addr} u8:{command} u32:{protocol} mem:{padded([])}")
    event("smbus_reply", f"i32:{adapter} u16:{addr} u16:0 u8:{command} u8:{len(raw)} u32:{protocol} "
          f"mem:{padded(raw)}")
    event("smbus_result", f"i32:{adapter} u16:{addr} u16:0 u8:1 u8:{command} i16:0 u32:{protocol}")
    words = [] if protocol == BYTE else [*address(addr, False), *data([command], False)]
    on_wire = raw if protocol == BLOCK else got
    sent(f"i2c{adapter}", *words, *address(addr, True), *data(on_wire, True), "Stop")


def spi(bus, cs, transfers):
    event("spi_message_start", f"i32:{bus} i32:{cs} obj:4096")
    for out, back in transfers:
        n = max(len(out), len(back))
        rest = f"i32:{bus} i32:{cs} obj:8192 i32:{n}"
        event("spi_transfer_start", f"{rest} mem:{'00' * len(back)} mem:{hexes(out)}")
        event("spi_transfer_stop", f"{rest} mem:{hexes(back)} mem:{hexes(out)}")
        sent(f"spi{bus}_{cs}.mosi", *(f"{b:02X}" for b in out or [0] * n))
        sent(f"spi{bus}_{cs}.miso", *(f"{b:02X}" for b in back or [0] * n))


def mdio(phy, reg, read):
    value = rng.randrange(65536)
    event("mdio_access", f"str:stmmac-0 i8:{int(read)} u8:{phy} u16:{value} u32:{reg}", 100000)
    sent("mdio_stmmac_0", f"{'READ' if read else 'WRITE'}: {value:04X}", f"PHYAD {phy:02X}", f"REGAD {reg:02X}")


print("info\nclock 5 1700000000000000000 5")
for name in NAMES:
    print(f"dict usr 0 {TYPES[name.split(':')[1]]} 0 0 {name}")
i2c(1, 0x50, [[0x00, 0x10, *some(4)]])
i2c(1, 0x50, [[0x00, 0x10], 4])
nobody(1, 0x33)
i2c(1, 0x68, [some(1), 1])
# If the kernel emulates SMBus by I2C, it reports the transfer a second time, as messages of I2C.
event("smbus_write", f"i32:1 u16:72 u16:0 u8:1 u8:1 u32:2 mem:{padded([7])}")
i2c(1, 0x48, [[1, 7]])
event("smbus_result", "i32:1 u16:72 u16:0 u8:0 u8:1 i16:0 u32:2")
smbus_write(7, 0x4c, BYTE_DATA, 0x12, some(1))
smbus_read(7, 0x4c, BYTE_DATA, 0x12, 1)
smbus_write(7, 0x4c, WORD_DATA, 0x13, some(2))
smbus_read(7, 0x4c, BYTE, 0, 1)
smbus_write(7, 0x4c, BLOCK, 0x14, some(5))
smbus_read(7, 0x4c, I2C_BLOCK, 0x15, 8)
spi(0, 1, [(some(3), []), ([], some(6))])
spi(0, 1, [(some(2), some(2))])
for level in 1, 0, 1:
    event("gpio_value", f"u32:17 i32:0 i32:{level}")
event("regmap_reg_write", "str:1-0048 u32:3 u32:4660")
mdio(3, 1, True)
mdio(3, 4, False)
# A transfer is not drawn if one of its events was lost.
event("i2c_write", "i32:1 u16:0 u16:80 u16:0 u16:1 mem:00")
print(f"lost 0 1 2 {now} {now + 1}")
event("i2c_result", "i32:1 u16:1 i16:1")
i2c(1, 0x51, [some(2)])
print(f"event {now + 100} tid=9 ctx=user type=109 i32:-5")
