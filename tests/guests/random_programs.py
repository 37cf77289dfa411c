"""What random programs of all instruction sets share (random_rv32.py, random_arm.py, random_ia32.py): ELF files, running, comparing.

Each program fills its registers with numbers that depend on its core, executes some two hundred instructions, branches forward,
and leaves registers and memory in a variable. A file has many of them, one behind the other, as starting a process takes longer than
running one. The program (reprise) runs the file in lock step and core by core; on one core what is left must be what qemu leaves, where
that is given. Programs of a file that differs are run again, each alone, to say which of them do."""
import argparse
import os
import struct
import subprocess
import sys
import tempfile

TEXT, DATA = 0x10000, 0x40000
BUFFER_BYTES, SLOT = 4096, 512  # of a core: what loads and stores access; its results are in front
PROGRAM_BYTES = SLOT + BUFFER_BYTES  # a core has as many as the file has programs


def buffer_of(program):
    """The middle of core 0's buffer, for the program of this number in its file."""
    return DATA + program * PROGRAM_BYTES + SLOT + BUFFER_BYTES // 2


class Code:
    """Instructions as (length, function of the distance to a target -> word, how many ahead that is or None, whether nothing
    may branch here, as it belongs to the instruction before)."""

    def __init__(self):
        self.code = []

    def word(self, w, length=4, inner=False):
        self.code.append((length, lambda d, w=w: w, None, inner))

    def branch(self, make, length, ahead, inner=False):
        self.code.append((length, make, ahead, inner))

    def encode(self, word, length):
        return (word & (1 << 8 * length) - 1).to_bytes(length, "little")

    def bytes(self):
        at = [0]
        for length, *_ in self.code:
            at.append(at[-1] + length)
        out = b""
        for n, (length, make, ahead, _) in enumerate(self.code):
            to = n + (ahead or 0)
            while ahead and self.code[to][3]:
                to += 1
            out += self.encode(make(at[to] - at[n]), length)
        return out


def elf(code, data, machine=243, flags=1, start=0):
    """Two segments, and the symbols _start and out. start: what is added to the address of code."""
    names = b"\0_start\0out\0"
    sections = b"\0.text\0.bss\0.symtab\0.strtab\0.shstrtab\0"
    header, program = 52, 32
    text_at = header + 2 * program
    names_at = text_at + len(code)
    symbols_at = (names_at + len(names) + 3) // 4 * 4
    symbols = struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    symbols += struct.pack("<IIIBBH", 1, TEXT + text_at + start, len(code), 0x12, 0, 1)
    symbols += struct.pack("<IIIBBH", 8, DATA, data, 0x11, 0, 2)
    section_names_at = symbols_at + len(symbols)
    sections_at = (section_names_at + len(sections) + 3) // 4 * 4
    out = b"\x7fELF\x01\x01\x01" + bytes(9)
    out += struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, TEXT + text_at + start, header, sections_at, flags, header, program, 2, 40, 6, 5)
    out += struct.pack("<IIIIIIII", 1, 0, TEXT, TEXT, text_at + len(code), text_at + len(code), 5, 4096)
    out += struct.pack("<IIIIIIII", 1, 0, DATA, DATA, 0, data, 6, 4096)
    out += code + names
    out = out.ljust(symbols_at, b"\0") + symbols + sections
    out = out.ljust(sections_at, b"\0")

    def section(name, kind, flags, address, at, size, link=0, info=0, entry=0):
        return struct.pack("<IIIIIIIIII", sections.index(b"\0" + name) + 1 if name else 0, kind, flags, address, at, size, link, info, 4, entry)

    out += section(b"", 0, 0, 0, 0, 0)
    out += section(b".text", 1, 6, TEXT + text_at, text_at, len(code))
    out += section(b".bss", 8, 3, DATA, 0, data)
    out += section(b".symtab", 2, 0, 0, symbols_at, len(symbols), 4, 1, 16)
    out += section(b".strtab", 3, 0, 0, names_at, len(names))
    out += section(b".shstrtab", 3, 0, 0, section_names_at, len(sections))
    return out


def output(*command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return ran.returncode, ran.stdout, ran.stderr.decode(errors="replace").strip()


def compare(a, path, folder, count):
    """What differs in a file of `count` programs; None: nothing."""
    left = []
    for engine in ("lockstep", "reference"):
        saved = os.path.join(folder, engine)
        status, _, said = output(a.program, "run", "-q", "--guest", path, "--cores", str(a.cores), "--engine", engine, "--save", "out=" + saved)
        if status:
            return "%s: status %d: %s" % (engine, status, said)
        with open(saved, "rb") as f:
            left.append(f.read())
    if left[0] != left[1]:
        at = next(i for i, (x, y) in enumerate(zip(*left)) if x != y)
        return "the engines differ at byte %d of core %d" % (at % PROGRAM_BYTES, at // PROGRAM_BYTES // count)
    if a.qemu:
        ours, theirs = output(a.program, "run", "-q", "--guest", path, "--cores", "1"), output(a.qemu, path)
        if ours[:2] != theirs[:2]:
            at = [i for i, (x, y) in enumerate(zip(ours[1], theirs[1])) if x != y]
            return "qemu differs: status %d and %d, bytes %s" % (ours[0], theirs[0], at[:8])
    return None


def compare_file(a, make, folder, numbers):
    """Writes a file of these programs. Returns what differs."""
    os.makedirs(a.keep or folder, exist_ok=True)
    path = os.path.join(a.keep or folder, "random-%d-%d.elf" % (a.seed, numbers[0]))
    with open(path, "wb") as f:
        f.write(make([a.seed * 1000003 + n for n in numbers], a.cores))
    os.chmod(path, 0o755)
    differs = compare(a, path, folder, len(numbers))
    if not a.keep:
        os.unlink(path)
    return differs


def main(what, make, description):
    """make(seeds, cores): the bytes of a file with a program for each seed"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cores", type=int, default=33)
    parser.add_argument("--together", type=int, default=40, help="programs of a file")
    parser.add_argument("--qemu")
    parser.add_argument("--keep")
    a = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(a.first, a.first + a.count, a.together):
            numbers = range(first, min(first + a.together, a.first + a.count))
            whole = compare_file(a, make, folder, numbers)
            alone = [(n, compare_file(a, make, folder, [n])) for n in numbers] if whole else []
            found = [(n, differs) for n, differs in alone if differs] or ([("from %d on" % first, whole)] if whole else [])
            for n, differs in found:
                print("program %s of seed %d: %s" % (n, a.seed, differs))
            failed += len(found)
    print("%d programs of %s on %d cores%s: %d differ" % (a.count, what, a.cores, ", and under qemu" if a.qemu else "", failed))
    sys.exit(failed > 0)

