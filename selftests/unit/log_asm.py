# SPDX-License-Identifier: GPL-2.0-only
"""Print assembler source with sites and records of DT_LOG(), as Documentation/log.rst has them.

    log_asm.py 32|64 [base] [alloc] [zeros] <LINES

Each line is LEVEL, FILE, LINE, FUNCTION and TEXT with tabs between them. "base" adds the symbol of
modules in front of the second site, "alloc" makes the section of the records loaded, and "zeros"
puts bytes between the records. A line that begins
with "same N LEVEL" adds a record for site N.
"""
import sys

word = ".4byte" if sys.argv[1] == "32" else ".8byte"
options = sys.argv[2:]
flags = "aw" if "alloc" in options else ""


def quoted(s):
    return "".join(f"\\{b:03o}" for b in s.encode("utf-8", "surrogateescape").decode("unicode_escape")
                   .encode("latin-1"))


print('.section devtrace_sites,"aw",%progbits')
print(f'.section .debug_devtrace,"{flags}",%progbits')
nr = 0
for record, line in enumerate(sys.stdin):
    level, file, at, function, text = line.rstrip("\n").split("\t")
    site = nr
    if level.startswith("same "):
        _, site, level = level.split()
    else:
        nr += 1
        print('.section devtrace_sites,"aw",%progbits')
        if "base" in options and site == 1:
            print("devtrace_sites_base_:")
        print(f".Lsite{site}: .byte 0")
    print(f'.section .debug_devtrace,"{flags}",%progbits')
    print(f".Lr{record}: .byte 0xd7, {level}")
    print(f".2byte .Le{record} - .Lr{record}\n.4byte {at}\n{word} .Lsite{site}")
    for s in (file, function, text):
        print(f'.asciz "{quoted(s)}"')
    print(f".Le{record}:")
    if "zeros" in options:
        print(".zero 3")
print(".text\n.globl _start\n_start: .byte 0, 0, 0, 0")
