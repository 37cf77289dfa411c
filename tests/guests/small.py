"""Small guests: small.py FILE ISA WORD... writes one of these halves, words or bytes in base 16 (4, 8 or 2 digits), "DATA" for the
address of its variable and "+N" for that of code N bytes behind the beginning; ISA is rv32, arm, thumb or ia32.
small.py FILE bytes N: the variable has so many bytes. small.py FILE strip ELF: a copy without symbols."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_programs import DATA, TEXT, elf  # pylint: disable=wrong-import-position

ISAS = {"rv32": (243, 1, 0), "arm": (40, 0x05000000, 0), "thumb": (40, 0x05000000, 1), "ia32": (3, 0, 0)}
CODE = TEXT + 52 + 2 * 32


def strip(path):
    with open(path, "rb") as f:
        out = bytearray(f.read())
    sections, size, count = struct.unpack_from("<I", out, 32)[0], *struct.unpack_from("<HH", out, 46)
    for n in range(count):
        if struct.unpack_from("<I", out, sections + n * size + 4)[0] == 2:  # SHT_SYMTAB
            struct.pack_into("<I", out, sections + n * size + 4, 0)
    return bytes(out)


def part(word):
    if word == "DATA" or word[0] == "+":
        return struct.pack("<I", DATA if word == "DATA" else CODE + int(word[1:]))
    return int(word, 16).to_bytes(len(word) // 2, "little")


def main(path, what, *words):
    if what == "strip":
        out = strip(words[0])
    elif what == "bytes":
        out = elf(b"\x73\0\0\0", int(words[0]))
    else:
        machine, flags, start = ISAS[what]
        out = elf(b"".join(part(w) for w in words), 64, machine, flags, start)
    with open(path, "wb") as f:
        f.write(out)


main(*sys.argv[1:])
