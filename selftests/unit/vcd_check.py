# SPDX-License-Identifier: GPL-2.0-only
"""Compare what sigrok-cli decodes in a VCD file with the bytes that were sent.

    vcd_check.py FILE.vcd BYTES	BYTES is what bus_stream.py prints
"""
import collections
import re
import subprocess
import sys

FILE = sys.argv[1]
I2C = "i2c=start:repeat-start:stop:nack:address-read:address-write:data-read:data-write"


MDIO = r"(\w+): +(\w+) PHYAD: (\d+) REGAD: (\d+)"


def decode(decoder, annotations):
    out = subprocess.run(["sigrok-cli", "-i", FILE, "-I", "vcd:compress=100000", "-P", decoder, "-A", annotations],
                         check=True, capture_output=True, text=True).stdout
    return [line.split(": ", 1)[1] for line in out.splitlines()]


def i2c(bus):
    """The words of all transfers; a NACK ends each message that is read."""
    words = []
    for word in decode(f"i2c:scl={bus}_scl:sda={bus}_sda", I2C):
        if word in ("Read", "Write") or word == "NACK" and words[-1].startswith("Data read"):
            continue
        words.append("Start" if word == "Start repeat" else word)
    return words


def spi(bus):
    name, line = bus.split(".")
    return decode(f"spi:clk={name}_sck:{line}={name}_{line}:cs={name}_cs", f"spi={line}-data")


def mdio(bus):
    words = []
    for line in decode(f"mdio:mdc={bus}_mdc:mdio={bus}_mdio", "mdio=decode"):
        kind, value, phy, reg = re.search(MDIO, line).groups()
        words += [f"{kind}: {value}", f"PHYAD {int(phy):02X}", f"REGAD {int(reg):02X}"]
    return words


WORD = re.compile(r"Start|Stop|NACK|(?:Address|Data) \w+: \w\w|READ: \w+|WRITE: \w+|"
                  r"PHYAD \w+|REGAD \w+|\b\w\w\b")
sent = collections.defaultdict(list)
with open(sys.argv[2], encoding="ascii") as f:
    for one in f:
        where, rest = one.split(" ", 1)
        sent[where] += WORD.findall(rest)
for where, want in sent.items():
    got = {"i2c": i2c, "spi": spi, "mdi": mdio}[where[:3]](where)
    print(where, len(want), got == want)
    if got != want:
        print("# got ", *got)
        print("# want", *want)
