#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Records of DT_LOG() in ELF files, as Documentation/log.rst describes them.

    log_elf.py list FILE            one line for each record: index level file:line text
    log_elf.py match [FILE...]      what a program of log_use printed, from standard input

match compares each event with the "want" line before it. A FILE stands for the image of the same
name, without ".debug": so texts are found in debug files. It prints what is wrong, and at the end
how many events had a text, were text, and were untold.
"""
import os
import re
import struct
import sys
import zlib

RELATIVE = {3: 8, 22: 12, 40: 23, 62: 8, 183: 1027, 243: 3}
SHF_COMPRESSED = 0x800
SHT_NOBITS = 8


class Elf:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        d = self.data
        self.wide = d[4] == 2
        self.end = "<" if d[5] == 1 else ">"
        head = self.end + ("HHIQQQIHHHHHH" if self.wide else "HHIIIIIHHHHHH")
        h = struct.unpack_from(head, d, 16)
        self.machine = h[1]
        form = self.end + ("IIQQQQIIQQ" if self.wide else "IIIIIIIIII")
        raw = [struct.unpack_from(form, d, h[5] + i * h[10]) for i in range(h[11])]
        names = raw[h[12]]
        self.sections = {}
        for s in raw:
            at = names[4] + s[0]
            self.sections[d[at:d.index(b"\0", at)].decode()] = s

    def content(self, name):
        s = self.sections[name]
        data = self.data[s[4]:s[4] + s[5]]
        if s[2] & SHF_COMPRESSED:
            data = zlib.decompress(data[24 if self.wide else 12:])
        return bytearray(data)

    def records(self):
        """(index, level, line, file, function, text) of each record with a site."""
        if ".debug_devtrace" not in self.sections:
            return
        sites = self.sections["devtrace_sites"]
        data = self.content(".debug_devtrace")
        self.relocate(data)
        word = "Q" if self.wide else "I"
        head = struct.Struct(self.end + "BBHI" + word)
        pos = 0
        while pos < len(data):
            if data[pos] == 0:
                pos += 1
                continue
            magic, level, size, line, site = head.unpack_from(data, pos)
            assert magic == 0xd7 and size > head.size and pos + size <= len(data), pos
            strings = bytes(data[pos + head.size:pos + size]).split(b"\0")
            assert len(strings) == 4 and not strings[3], strings
            pos += size
            if sites[3] <= site < sites[3] + sites[5]:
                yield (site - sites[3], level, line, *(s.decode() for s in strings[:3]))

    def relocate(self, data):
        """clang's section is a loaded one, which a position-independent file relocates."""
        base, size = (self.sections[".debug_devtrace"][i] for i in (3, 5))
        word = "Q" if self.wide else "I"
        for name, n in ((".rela.dyn", 3), (".rel.dyn", 2)):
            if not base or name not in self.sections or \
               self.sections[name][1] == SHT_NOBITS:
                continue
            for r in struct.iter_unpack(self.end + n * word, self.content(name)):
                kind = r[1] & (0xffffffff if self.wide else 0xff)
                if kind == RELATIVE[self.machine] and base <= r[0] < base + size and n == 3:
                    struct.pack_into(self.end + word, data, r[0] - base, r[2])


def elements(b):
    """The values of the elements in these bytes."""
    fixed = {0: "b", 1: "B", 2: "h", 3: "H", 4: "i", 5: "I", 6: "f", 7: "d", 13: "q", 14: "Q",
             15: "I"}
    pos, out = 0, []
    while pos < len(b):
        kind = b[pos] & 15
        pos += 1
        if kind == 8:
            end = b.index(0, pos)
            out.append(b[pos:end].decode())
            pos = end + 1
        else:
            out.append(struct.unpack_from("<" + fixed[kind], b, pos)[0])
            pos += struct.calcsize(fixed[kind])
    return out


def printed(text, args):
    """The text as printf() prints it; Python's % takes no lengths of C."""
    text = re.sub(r"%([-+ #0]*[0-9]*(?:\.[0-9]+)?)(?:hh|h|ll|l)?([a-zA-Z%])", r"%\1\2", text)
    return text % tuple(args)


class Match:
    def __init__(self, files):
        self.files = {os.path.basename(f).replace(".debug", ""): f for f in files}
        self.images, self.texts = {}, {}
        self.want = None
        self.bad = 0
        self.count = {"text": 0, "as text": 0, "untold": 0}

    def wrong(self, *words):
        self.bad += 1
        print("wrong:", *words)

    def image(self, number, path):
        texts = {}
        for index, level, line, name, function, text in \
                Elf(self.files.get(os.path.basename(path), path)).records():
            if texts.setdefault(index, (level, name, line, text)) != (level, name, line, text):
                self.wrong("two records of site", index, "of", path)
        if number in self.images:
            self.wrong("number", number, "is given twice")
        self.images[number] = path
        self.texts[number] = texts

    def event(self, b):
        want = self.want
        if b[0] == 126:
            self.count["as text"] += 1
            got = elements(b[4:])[0]
            if got != want.split(" ", 1)[1]:
                self.wrong(got, "instead of", want)
            return
        values = elements(b[4:])
        image, index = values[0] >> 24, values[0] & 0xffffff
        if index not in self.texts[image]:
            self.count["untold"] += 1
            if index != 0xffffff or "lambda in a template" not in want:
                self.wrong("no text for site", index, "of", self.images[image], "for", want)
            return
        level, name, line, text = self.texts[image][index]
        got = f"{name}:{line} {printed(text, values[1:])}"
        self.count["text"] += 1
        if got != want or level:
            self.wrong(got, "instead of", want)

    def run(self, lines):
        for line in lines:
            what, _, rest = line.rstrip("\n").partition(" ")
            if what == "image":
                number, path = rest.split(" ", 1)
                self.image(int(number), path)
            elif what == "want":
                self.want = rest
            elif what == "event":
                self.event(bytes.fromhex(rest))
                self.want = None
            elif what != "end":
                self.wrong(line.rstrip())
        print(f"images {len(self.images)},", ", ".join(f"{k} {v}" for k, v in self.count.items()))
        return self.bad


def main():
    if sys.argv[1] == "list":
        for index, level, line, name, function, text in Elf(sys.argv[2]).records():
            print(index, level, f"{name}:{line}", repr(text))
        return 0
    return Match(sys.argv[2:]).run(sys.stdin) > 0


sys.exit(main())
