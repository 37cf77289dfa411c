"""host_debug.py CUBIN LINES INFO OUT: a cubin of one kernel whose code is as long as that of a program of the host, and has its
debugging information: each byte of the program's code is taken for a byte of the kernel's.

LINES is linked at address 0, as line programs of a cubin count; INFO at 2^32, as the loader counts addresses of its first kernel.
So what compilers for the host write in DWARF 4 and 5, which none writes for GPUs, can be read back from a cubin."""

import struct
import sys

NOP, EXIT = 0x000FC000000000000000000000007918, 0x000FEA0003800000000000000000794D
HEADER, SECTION = "<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ"
PROGBITS = 1


class Elf:
    def __init__(self, path):
        self.bytes = bytearray(open(path, "rb").read())
        self.header = list(struct.unpack_from(HEADER, self.bytes))
        at, count, strings = self.header[6], self.header[12], self.header[13]
        self.sections = [list(struct.unpack_from(SECTION, self.bytes, at + 64 * i)) for i in range(count)]
        self.names = self.contents(strings)

    def contents(self, i):
        kind, offset, size = self.sections[i][1], self.sections[i][4], self.sections[i][5]
        return bytes(self.bytes[offset:offset + size])

    def name(self, i):
        at = self.sections[i][0]
        return self.names[at:self.names.index(b"\0", at)].decode()

    def find(self, prefix):
        return [i for i in range(len(self.sections)) if self.name(i).startswith(prefix)]

    def replace(self, i, contents):
        """The section's contents, at the end of the file."""
        self.bytes += b"\0" * (-len(self.bytes) % 128)
        self.sections[i][4:6] = len(self.bytes), len(contents)
        self.bytes += contents

    def add(self, name, contents):
        self.sections.append([len(self.names), PROGBITS, 0, 0, 0, 0, 0, 0, 1, 0])
        self.names += name.encode() + b"\0"
        self.replace(len(self.sections) - 1, contents)

    def write(self, path):
        self.replace(self.header[13], self.names)
        self.header[6], self.header[12] = len(self.bytes), len(self.sections)
        for s in self.sections:
            self.bytes += struct.pack(SECTION, *s)
        struct.pack_into(HEADER, self.bytes, 0, *self.header)
        open(path, "wb").write(self.bytes)


def main(cubin, lines, info, out):
    to, lines, info = Elf(cubin), Elf(lines), Elf(info)
    (text,), (code,) = to.find(".text."), lines.find(".text")
    words = [NOP] * ((len(lines.contents(code)) - 1) // 16) + [EXIT]
    to.replace(text, b"".join(w.to_bytes(16, "little") for w in words))
    for i in lines.find(".debug_line"):
        to.add(lines.name(i), lines.contents(i))
    for name in ".debug_info", ".debug_abbrev", ".debug_addr", ".debug_str":
        for i in info.find(name):
            to.add(info.name(i), info.contents(i))
    to.write(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
