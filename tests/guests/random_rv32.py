"""Random programs of RV32IMAC, from the rows of frontend/isa/rv32/rows.def: each row with random registers and immediates.

    random_rv32.py PROGRAM [--seed N] [--count N] [--together N] [--cores N] [--qemu QEMU] [--keep FOLDER]

Each program fills its registers with numbers that depend on its core, executes some two hundred instructions, branches forward and
in small loops, and leaves registers and memory in a variable. PROGRAM (reprise) runs it in lock step and core by core; on one core
what is left must be what qemu-riscv32 leaves, where that is given. Prints what differs; the exit status is 1 then."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_programs import BUFFER_BYTES, DATA, PROGRAM_BYTES, SLOT, Code, buffer_of, elf, main  # pylint: disable=wrong-import-position

ROWS = os.path.join(os.path.dirname(__file__), "../../frontend/isa/rv32/rows.def")
CORE, BASE, WORD = 8, 9, 18  # s0, s1, s2: the core, its buffer, a word of that for atomics
FIXED = {0, 2, CORE, BASE, WORD}  # registers that random instructions leave alone


def rows():
    with open(ROWS, encoding="ascii") as f:
        for m in re.finditer(r'^ROW\("([^"]+)", (0x\w+), (0x\w+), (\w+),', f.read(), re.M):
            yield m[1], int(m[2], 16), int(m[3], 16), m[4]


class Program(Code):
    def __init__(self, seed):
        super().__init__()
        self.random = random.Random(seed)

    # what the frame of a program needs
    def i(self, funct3, opcode, rd, rs1, imm):
        self.word((imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode)

    def s(self, rs2, imm, rs1):
        imm &= 0xFFF
        self.word(imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (imm & 31) << 7 | 0x23)

    def li(self, rd, value):
        low = (value & 0xFFF) - (value & 0x800) * 2
        self.word((value - low & 0xFFFFF000) | rd << 7 | 0x37)
        self.i(0, 0x13, rd, rd, low)

    def r(self, funct7, rs2, rs1, funct3, rd):
        self.word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33)

    def call(self, number):
        self.li(17, number)
        self.word(0x73)


def target(p):
    return p.random.choice([x for x in range(32) if x not in FIXED] + [0])


def short_target(p):
    return p.random.choice([x for x in range(8, 16) if x not in FIXED])


def b_offset(d):
    return (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 | (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7


def j_offset(d):
    return (d >> 20 & 1) << 31 | (d >> 1 & 1023) << 21 | (d >> 11 & 1) << 20 | (d >> 12 & 255) << 12


def cj_offset(d):
    bits = ((11, 12), (4, 11), (9, 10), (8, 9), (10, 8), (6, 7), (7, 6), (3, 5), (2, 4), (1, 3), (5, 2))
    return sum((d >> a & 1) << b for a, b in bits)


def cb_offset(d):
    return sum((d >> a & 1) << b for a, b in ((8, 12), (4, 11), (3, 10), (7, 6), (6, 5), (2, 4), (1, 3), (5, 2)))


def add_random(p, name, value, form):
    """Adds an instruction of a row, with what it needs around it. False: not one for such programs."""
    r = p.random
    rd, rs1, rs2, any12 = target(p), r.randrange(32), r.randrange(32), r.getrandbits(12)
    ahead = r.randrange(1, 6)
    near = r.randrange(-1024, 1000)
    if name in ("ecall", "ebreak", "c.ebreak"):
        return False
    if form in ("NONE", "FENCE"):
        p.word(value | (r.getrandbits(8) << 20 if form == "FENCE" else 0))
    elif form == "R":
        p.word(value | rs2 << 20 | rs1 << 15 | rd << 7)
    elif form == "I":
        p.word(value | any12 << 20 | rs1 << 15 | rd << 7)
    elif form == "SHIFT":
        p.word(value | rs2 << 20 | rs1 << 15 | rd << 7)
    elif form == "LOAD":
        p.word(value | (near & 0xFFF) << 20 | BASE << 15 | rd << 7)
    elif form == "STORE":
        p.word(value | (near >> 5 & 127) << 25 | rs2 << 20 | BASE << 15 | (near & 31) << 7)
    elif form == "B":
        p.branch(lambda d: value | b_offset(d) | rs2 << 20 | rs1 << 15, 4, ahead)
    elif form == "U":
        p.word(value & 0x7F | r.getrandbits(20) << 12 | rd << 7)
    elif form == "J":
        p.branch(lambda d: value | j_offset(d) | rd << 7, 4, ahead)
    elif form == "JALR":  # auipc t6; jalr rd, distance(t6)
        p.word(0x17 | 31 << 7)
        p.branch(lambda d: value | (d + 4 & 0xFFF) << 20 | 31 << 15 | rd << 7, 4, ahead, True)
    elif form == "LR":  # and what may come between it and its SC
        p.word(value | WORD << 15 | rd << 7 | r.getrandbits(2) << 25)
        p.word(0x33 | rs2 << 20 | rs1 << 15 | target(p) << 7, inner=True)
        p.word(0x1800202F | r.randrange(32) << 20 | WORD << 15 | target(p) << 7, inner=True)
    elif form == "AMO":
        p.word(value | r.getrandbits(2) << 25 | rs2 << 20 | WORD << 15 | rd << 7)
    elif not add_short(p, name, value, form, ahead):
        return False
    return True


def add_short(p, name, value, form, ahead):
    r = p.random
    d3, s3 = short_target(p) - 8, r.randrange(8)
    rd, rs2, six = target(p), r.randrange(1, 32), r.getrandbits(6)
    immediate = (six & 31) << 2 | six >> 5 << 12
    word6 = r.getrandbits(5)  # of a word access: bits 5:3, 2, 6
    access = (word6 & 7) << 10 | (word6 >> 3 & 1) << 6 | (word6 >> 4) << 5
    if form == "CIW":
        p.word(value | max(1, r.getrandbits(8)) << 5 | d3 << 2, 2)
    elif form == "CL":
        p.word(value | access | (BASE - 8) << 7 | d3 << 2, 2)
    elif form == "CS":
        p.word(value | access | (BASE - 8) << 7 | s3 << 2, 2)
    elif form in ("CI", "CLI"):
        p.word(value | immediate | rd << 7, 2)
    elif form == "CI16SP":  # and back
        p.word(value | 1 << 5, 2)
        p.word(value | 1 << 12 | 1 << 5 | 3 << 3, 2, True)
    elif form == "CLUI":
        if rd in (0, 2) or not six:
            return False
        p.word(value | immediate | rd << 7, 2)
    elif form == "CSHIFT":
        p.word(value | (six & 31) << 2 | d3 << 7, 2)
    elif form == "CSLLI":
        p.word(value | (six & 31) << 2 | rd << 7, 2)
    elif form == "CANDI":
        p.word(value | immediate | d3 << 7, 2)
    elif form == "CA":
        p.word(value | d3 << 7 | s3 << 2, 2)
    elif form == "CJ":
        p.branch(lambda d: value | cj_offset(d), 2, ahead)
    elif form == "CJAL":
        p.branch(lambda d: value | cj_offset(d), 2, ahead)
    elif form == "CB":
        p.branch(lambda d: value | cb_offset(d) | s3 << 7, 2, ahead)
    elif form == "CLWSP":
        if rd == 0:
            return False
        p.word(value | (six & 7) << 4 | (six >> 3 & 1) << 12 | (six >> 4) << 2 | rd << 7, 2)
    elif form == "CSWSP":
        p.word(value | (six & 15) << 9 | (six >> 4) << 7 | r.randrange(32) << 2, 2)
    elif form in ("CJR", "CJALR"):  # auipc t6; addi t6, distance; c.jr t6
        p.word(0x17 | 31 << 7)
        p.branch(lambda d: (d + 4 & 0xFFF) << 20 | 31 << 15 | 31 << 7 | 0x13, 4, ahead + 1, True)
        p.word(value | 31 << 7, 2, True)
    elif form in ("CMV", "CADD"):
        p.word(value | rd << 7 | rs2 << 2, 2)
    else:
        raise SystemExit("random_rv32.py: no format " + form)
    return True


def add_program(p, number, core_bytes):
    """The program of this number in its file."""
    r = p.random
    p.call(0x5250)
    p.branch(lambda d: 0x5063 | b_offset(d) | 10 << 15, 4, 2)  # bge a0, zero: on Linux the core is 0
    p.i(0, 0x13, 10, 0, 0)
    p.i(0, 0x13, CORE, 10, 0)
    p.li(BASE, buffer_of(number))
    p.li(5, core_bytes)
    p.r(1, CORE, 5, 0, 5)
    p.r(0, 5, BASE, 0, BASE)
    p.i(0, 0x13, WORD, BASE, 64)
    p.i(0, 0x13, 2, BASE, -1024)  # stacks lie elsewhere under qemu
    for x in range(32):
        if x not in FIXED:
            p.li(x, r.choice([0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF] + [r.getrandbits(32)] * 9))
            if r.random() < 0.5:
                p.r(0, CORE, x, 0, x)
    for _ in range(200):
        name, _, value, form = r.choice(TABLE)
        add_random(p, name, value, form)
    for _ in range(8):  # where branches of the last ones may come to
        p.word(0x13)
    p.li(17, -(BUFFER_BYTES // 2 + SLOT) & 0xFFFFFFFF)  # results: in front of the buffer
    p.r(0, BASE, 17, 0, 17)
    for x in range(32):
        if x not in (2, 17):
            p.s(x, 4 * x, 17)


def make(seeds, cores):
    """The bytes of an ELF file."""
    p, core_bytes = Program(0), len(seeds) * PROGRAM_BYTES
    for number, seed in enumerate(seeds):
        p.random = random.Random(seed)
        add_program(p, number, core_bytes)
    p.call(0x5252)
    p.branch(lambda d: 0x1063 | b_offset(d) | CORE << 15, 4, 11)  # core 0 writes all
    p.i(0, 0x13, 10, 0, 1)
    p.li(11, DATA)
    p.li(12, core_bytes)
    p.call(64)
    p.word(0x13)
    p.i(0, 0x13, 10, 0, 0)
    p.call(93)
    return elf(p.bytes(), core_bytes * cores)


TABLE = [row for row in rows() if not row[0].startswith(("ecall", "ebreak"))]

if __name__ == "__main__":
    main("RV32IMAC", make, __doc__)
