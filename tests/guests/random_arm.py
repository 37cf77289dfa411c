"""Random programs of ARMv7-A, from the rows of frontend/isa/arm/a32.def and t32.def: each row with random registers, immediates and
conditions, in IT blocks where the code is T32.

    random_arm.py PROGRAM [--isa a32|t32] [--seed N] [--count N] [--together N] [--cores N] [--qemu QEMU] [--keep FOLDER]

random_programs.py says what such a program does. Its results are registers, flags and memory."""
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_programs import DATA, PROGRAM_BYTES, Code, buffer_of, elf, main  # pylint: disable=wrong-import-position

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SAVED, CORE, BASE, SCRATCH, SP, LR, PC = 9, 10, 11, 12, 13, 14, 15  # r9: what sp was
FREE = [0, 1, 2, 3, 4, 5, 6, 7, 8, SCRATCH, LR]
ALWAYS = 14


def rows(isa):
    """Name, mask, value, fields, operation and class of each row that such programs may have."""
    text = '#define ROW(n, m, v, f, s, o, c) @@ n @ m @ v @ f @ o @ c @!\n#include "frontend/isa/arm/%s.def"\n' % isa
    compiler = os.environ.get("CC", "cc").split()
    ran = subprocess.run(compiler + ["-E", "-P", "-I" + ROOT, "-x", "c", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True)

    def number(t):
        return eval(re.sub(r"(\d)u\b", r"\1", re.sub(r"0x[0-9a-f]+u?\b", lambda m: str(int(m[0].rstrip("u"), 16)), t)))  # pylint: disable=eval-used

    for m in re.finditer(r"@@ (.*?) @ (.*?) @ (.*?) @ (.*?) @ (\w+) @ (\w+) @!", ran.stdout.decode(), re.S):
        name, fields = ("".join(re.findall(r'"([^"]*)"', t)) for t in (m[1], m[4]))
        if m[6] != "REFUSED" and m[5] not in ("SVC", "BKPT", "UDF", "TBB", "TBH", "BLX", "IT", "ADR"):
            yield name, number(m[2].replace("\n", " ")), number(m[3].replace("\n", " ")), fields, m[5], m[6]


class Program(Code):
    """t32: short code. Words of T32 have their first half above the second."""

    def __init__(self, seed, t32):
        super().__init__()
        self.random = random.Random(seed)
        self.t32 = t32

    def encode(self, word, length):
        if self.t32 and length == 4:
            return (word >> 16 & 0xFFFF).to_bytes(2, "little") + (word & 0xFFFF).to_bytes(2, "little")
        return super().encode(word, length)

    # what the frame of a program needs
    def wide(self, a32, t32, rd, imm):
        if self.t32:
            self.word(t32 | (imm >> 12) << 16 | (imm >> 11 & 1) << 26 | (imm >> 8 & 7) << 12 | rd << 8 | imm & 255, inner=True)
        else:
            self.word(a32 | (imm >> 12) << 16 | rd << 12 | imm & 0xFFF, inner=True)

    def li(self, rd, value):
        self.wide(0xE3000000, 0xF2400000, rd, value & 0xFFFF)
        self.wide(0xE3400000, 0xF2C00000, rd, value >> 16)

    def add(self, rd, rn, imm, subtract=False):
        """imm: at most 12 bits, without a rotation in A32 at most 255, or a multiple of 16 up to 4,080"""
        if self.t32:
            self.word((0xF2A00000 if subtract else 0xF2000000) | rn << 16 | rd << 8 | (imm >> 11) << 26 | (imm >> 8 & 7) << 12 | imm & 255, inner=True)
        else:
            imm = imm if imm < 256 else 0xE00 | imm >> 4
            self.word((0xE2400000 if subtract else 0xE2800000) | rn << 16 | rd << 12 | imm, inner=True)

    def move(self, rd, rm):
        if self.t32:
            self.word(0xEA4F0000 | rd << 8 | rm, inner=True)
        else:
            self.word(0xE1A00000 | rd << 12 | rm, inner=True)

    def add_register(self, rd, rn, rm):
        self.word(0xEB000000 | rn << 16 | rd << 8 | rm if self.t32 else 0xE0800000 | rn << 16 | rd << 12 | rm, inner=True)

    def store(self, rd, rn, imm):
        self.word((0xF8C00000 if self.t32 else 0xE5800000) | rn << 16 | rd << 12 | imm, inner=True)

    def call(self, number):
        self.li(7, number)
        self.word(0xDF00 if self.t32 else 0xEF000000, 2 if self.t32 else 4, True)


def put(word, at, width, value):
    mask = (1 << width) - 1
    return word & ~(mask << at) | (value & mask) << at


# ---- A32 ---------------------------------------------------------------------------------------------------------------


def a32_registers(p, w, fields, kind):
    """Random registers that the instruction may have; scratch as the base of those that write back."""
    r = p.random
    for letter, at in (("n", 16), ("m", 0), ("N", 0), ("M", 8), ("A", 12), ("E", 0)):
        if letter in fields:
            w = put(w, at, 4, r.randrange(15))
    if "r" in fields:
        w = put(w, 8, 4, r.randrange(15))
    if "d" in fields:
        w = put(w, 12, 4, r.choice([0, 2, 4, 6] if "p" in fields else FREE))
    if "D" in fields:
        w = put(w, 16, 4, r.choice(FREE))
    if kind == "LONG":
        low, high = r.sample(FREE, 2)
        w = put(put(w, 12, 4, low), 16, 4, high)
    return w


def a32_word(p, w, fields, operation, kind):
    w = a32_registers(p, w, fields, kind)
    if "B" in fields or "f" in fields:
        first = p.random.randrange(32)
        width = p.random.randrange(1, 33 - first)
        w = put(put(w, 7, 5, first), 16, 5, first + width - 1 if "B" in fields else width - 1)
    if operation == "MSR":
        w = put(w, 16, 4, p.random.choice([4, 8, 12]))
    return w


def a32_access(p, w, fields, kind):
    """Base r11, or where it is written back r12 with the same value; offsets stay in the buffer."""
    r = p.random
    writes = kind != "NOTHING" and (not w >> 24 & 1 or w >> 21 & 1)
    base = SCRATCH if writes else BASE
    w = put(w, 16, 4, base)
    if "I" in fields:
        w = put(w, 0, 12, r.randrange(1000))
    if "o" in fields:
        w = put(put(put(w, 0, 4, CORE), 5, 2, r.choice([0, 1, 2])), 7, 5, r.randrange(4))
    if "R" in fields:
        w = put(w, 0, 4, CORE)
    if "p" in fields and "H" in fields:
        w &= ~3
    if "p" in fields and "R" in fields:
        w = put(w, 0, 4, 8)  # a multiple of 4: set to one
        p.add(8, CORE, 0)
        p.add_register(8, 8, 8)
        p.add_register(8, 8, 8)
    if "d" in fields and writes and w >> 12 & 15 == SCRATCH:
        w = put(w, 12, 4, 3)
    if writes:
        p.move(SCRATCH, BASE)
    return w


def a32_multiple(p, w, operation):
    r = p.random
    base = w >> 16 & 15 if w >> 16 & 15 == SP else SCRATCH
    allowed = [x for x in FREE if x != SCRATCH] + ([] if operation == "LDM" else [CORE, BASE, SAVED])
    registers = r.sample(allowed, r.randrange(1, len(allowed) + 1))
    w = put(put(w, 0, 16, sum(1 << x for x in registers)), 16, 4, base)
    if base == SCRATCH:
        p.move(SCRATCH, BASE)
    return w


def add_a32(p, row):
    name, mask, value, fields, operation, kind = row
    r = p.random
    free = ~mask & 0xFFFFFFFF
    if operation in ("B", "BL"):
        cond = r.choice([ALWAYS] + list(range(14))) << 28
        p.branch(lambda d: value | cond | (d - 8 >> 2 & 0xFFFFFF), 4, r.randrange(1, 6))
        return True
    w = value | r.getrandbits(32) & free
    if free >> 28 == 15:
        w = put(w, 28, 4, r.randrange(14) if r.random() < 0.4 else ALWAYS)
    if operation in ("BX", "BLX_REGISTER"):  # add r12, pc, distance; bx r12
        p.branch(lambda d: 0xE28FC000 | d - 8 & 255 if d >= 8 else 0xE24FC000 | 8 - d, 4, r.randrange(2, 6))
        p.word(put(w, 0, 4, SCRATCH), inner=True)
        return True
    if kind == "EXCLUSIVE":
        return add_exclusive(p, w, operation)
    if kind in ("LOAD", "STORE") and name in ("push", "pop") or kind == "MULTIPLE" and w >> 16 & 15 == SP:
        w = a32_multiple(p, w, operation) if kind == "MULTIPLE" else put(w, 12, 4, r.choice(FREE))
        p.word(w, inner=True)
        p.move(SP, SAVED)
        return True
    w = a32_word(p, w, fields, operation, kind)
    if kind in ("LOAD", "STORE") or kind == "NOTHING" and "n" in fields:
        w = a32_access(p, w, fields, kind)
    if kind == "MULTIPLE":
        w = a32_multiple(p, w, operation)
    p.word(w)
    return True


# ---- T32 ---------------------------------------------------------------------------------------------------------------


def t32_place(p, w, at):
    return put(w, at, 4, p.random.choice(FREE))


def t32_long_word(p, w, fields, operation, kind):
    r = p.random
    for letter, at in (("n", 16), ("m", 0), ("d", 8), ("t", 12), ("a", 8), ("A", 12), ("N", 16), ("M", 16), ("=", 16), ("Q", 16)):
        if letter in fields:
            w = t32_place(p, w, at)
    if "Y" in fields:
        w = t32_place(p, w, 0)
    if kind == "LONG" or operation in ("LDRD", "STRD", "LDREXD"):
        low, high = r.sample([x for x in FREE if x != SCRATCH], 2)
        w = put(put(w, 12, 4, low), 8, 4, high)
    if operation in ("CLZ", "RBIT", "REV", "REV16", "REVSH") and w >> 28 == 15:
        w = put(w, 16, 4, w & 15)  # the source, twice
    if "B" in fields or "f" in fields:
        first = r.randrange(32)
        width = r.randrange(1, 33 - first)
        w = put(put(put(w, 12, 3, first >> 2), 6, 2, first), 0, 5, first + width - 1 if "B" in fields else width - 1)
    if operation == "MSR":
        w = put(w, 8, 4, r.choice([4, 8, 12]))
    if operation in ("SSAT", "USAT"):
        w |= 1 << 6  # after ASR by 0 it is another instruction
    return w


def t32_access(p, w, fields, kind):
    r = p.random
    if w >> 16 & 15 == PC and "I" in fields and "m" not in fields and kind in ("LOAD", "NOTHING"):
        return put(put(w, 0, 12, r.randrange(40)), 23, 1, 1)  # a literal: from the code behind
    pair = "Z" in fields
    pre, writes = (24, 21) if pair else (10, 8)
    if "8" in fields or pair:
        if not w >> pre & 1:
            w |= 1 << writes
        if kind == "NOTHING":
            writes = 0
        elif fields.endswith("8") and w >> 8 & 15 == 14:
            writes = 0  # ldrt
        else:
            writes = w >> writes & 1
        w = put(w, 0, 8, r.randrange(256))
    else:
        writes = 0
    if "I" in fields:
        w = put(w, 0, 12, r.randrange(1000))
    if "R" in fields:
        w = put(w, 0, 4, CORE)
    w = put(w, 16, 4, SCRATCH if writes else BASE)
    if writes and w >> 12 & 15 == SCRATCH and "t" in fields:
        w = put(w, 12, 4, 3)
    if writes:
        p.move(SCRATCH, BASE)
    return w


def t32_multiple(p, w, operation):
    r = p.random
    allowed = [x for x in FREE if x != SCRATCH] + ([] if operation == "LDM" else [CORE, BASE, SAVED])
    registers = r.sample(allowed, r.randrange(2, len(allowed) + 1))
    p.move(SCRATCH, BASE)
    return put(put(w, 0, 16, sum(1 << x for x in registers)), 16, 4, SCRATCH)


def add_t32_long(p, row):
    _, mask, value, fields, operation, kind = row
    r = p.random
    if operation == "B" and fields == "b":
        cond = r.randrange(14) << 22
        p.branch(lambda d: value | cond | t32_near(d - 4), 4, r.randrange(1, 6))
        return True
    if operation in ("B", "BL"):
        p.branch(lambda d: value | t32_far(d - 4), 4, r.randrange(1, 6))
        return True
    w = value | r.getrandbits(32) & ~mask & 0xFFFFFFFF
    if kind == "EXCLUSIVE":
        return add_exclusive(p, w, operation)
    w = t32_long_word(p, w, fields, operation, kind)
    if kind in ("LOAD", "STORE") or kind == "NOTHING" and "n" in fields:
        w = t32_access(p, value & 0xF0000 | w & ~0xF0000 if mask >> 16 & 15 == 15 else w, fields, kind)
    if kind == "MULTIPLE":
        w = t32_multiple(p, w, operation)
    p.word(w)
    return True


def t32_near(d):
    return (d >> 20 & 1) << 26 | (d >> 19 & 1) << 11 | (d >> 18 & 1) << 13 | (d >> 12 & 63) << 16 | d >> 1 & 0x7FF


def t32_far(d):
    s = d >> 24 & 1
    return s << 26 | ((d >> 23 & 1) ^ s ^ 1) << 13 | ((d >> 22 & 1) ^ s ^ 1) << 11 | (d >> 12 & 0x3FF) << 16 | d >> 1 & 0x7FF


def t32_exclusive(p, w, operation):
    a, b, c = p.random.sample([x for x in FREE if x != SCRATCH], 3)
    if operation in ("LDREXD", "STREXD"):
        w = put(put(w, 12, 4, a), 8, 4, b)
        return put(w, 0, 4, c) if operation == "STREXD" else w
    w = put(w, 12, 4, a)
    if operation == "STREX":
        return put(put(w, 8, 4, b), 0, 8, 4)
    if operation == "LDREX":
        return put(w, 0, 8, 4)
    return put(w, 0, 4, b) if operation.startswith("STREX") else w


def add_t32_short(p, row):
    name, mask, value, fields, operation, kind = row
    r = p.random
    w = value | r.getrandbits(16) & ~mask & 0xFFFF
    if operation in ("CBZ", "CBNZ"):
        w = put(w, 0, 3, r.randrange(8))
        p.branch(lambda d: value | w & 7 | (d - 4 >> 6 & 1) << 9 | (d - 4 >> 1 & 31) << 3 if d >= 4 else 0xBF00, 2, r.randrange(2, 6))
    elif operation == "B" and fields == "Jb":
        cond = r.randrange(14) << 8
        p.branch(lambda d: value | cond | d - 4 >> 1 & 255, 2, r.randrange(1, 6))
    elif operation == "B":
        p.branch(lambda d: value | d - 4 >> 1 & 0x7FF, 2, r.randrange(1, 6))
    elif operation in ("BX", "BLX_REGISTER"):  # addw r12, pc, distance to the place behind; orr r12, 1; bx r12
        if sum(c[0] for c in p.code) % 4:
            p.word(0xBF00, 2)
        p.branch(lambda d: 0xF20F0C00 | (d - 4) & 255, 4, r.randrange(3, 7))
        p.word(0xF04C0C01, inner=True)
        p.word(put(w, 3, 4, SCRATCH), 2, True)
    elif kind == "MULTIPLE":
        return add_t32_short_multiple(p, w, fields)
    elif kind in ("LOAD", "STORE"):
        return add_t32_short_access(p, w, fields)
    elif fields == "q":
        p.word(w, 2)
        p.move(SP, SAVED)
    else:
        if "h" in fields or "H" in fields:
            d = r.choice(FREE)
            w = put(put(w, 0, 3, d), 7, 1, d >> 3)
            w = put(w, 3, 4, r.choice(FREE))
            if operation == "CMP" and d < 8:
                w = put(w, 3, 4, r.choice([8, SCRATCH, LR]))
        p.word(w, 2)
    return True


def add_t32_short_multiple(p, w, fields):
    r = p.random
    if "B" not in fields:  # push, pop
        w = put(w, 0, 8, r.randrange(1, 256))
        p.word(put(w, 8, 1, r.randrange(2) if "<" in fields else 0), 2)
        p.move(SP, SAVED)
        return True
    base = r.randrange(8)
    w = put(put(w, 8, 3, base), 0, 8, r.randrange(1, 256) & ~(1 << base) or 1 << (base + 1) % 8)
    p.move(base, BASE)
    p.word(w, 2, True)
    return True


def add_t32_short_access(p, w, fields):
    r = p.random
    if "Q" in fields:
        p.word(w, 2)
    elif "P" in fields:
        p.word(put(w, 0, 8, r.randrange(10)), 2)
    else:
        base = r.randrange(8)
        w = put(w, 3, 3, base)
        p.move(base, BASE)
        if "m" in fields:
            offset = (base + 1) % 8
            p.move(offset, CORE)
            w = put(w, 6, 3, offset)
        p.word(w, 2, True)
    return True


def add_exclusive(p, w, operation):
    """A load and a store of one word, or a store without a load, which does nothing."""
    r = p.random
    size = operation[5:]
    load, store = ({"": 0xE8500F00, "B": 0xE8D00F4F, "H": 0xE8D00F5F, "D": 0xE8D0007F}, {"": 0xE8400000, "B": 0xE8C00F40, "H": 0xE8C00F50, "D": 0xE8C00070}) if p.t32 else (
        {"": 0xE1900F9F, "B": 0xE1D00F9F, "H": 0xE1F00F9F, "D": 0xE1B00F9F}, {"": 0xE1800F90, "B": 0xE1C00F90, "H": 0xE1E00F90, "D": 0xE1A00F90})
    if operation == "CLREX":
        p.word(w)
        return True
    p.add(SCRATCH, BASE, 64)
    if operation.startswith("LDREX") or r.random() < 0.7:
        if p.t32:
            p.word(put(t32_exclusive(p, load[size], "LDREX" + size), 16, 4, SCRATCH), inner=True)
        else:
            p.word(put(put(load[size], 12, 4, r.choice([0, 2, 4, 6])), 16, 4, SCRATCH), inner=True)
    if p.t32:
        word = t32_exclusive(p, store[size], "STREX" + size)
    else:
        word = put(put(store[size], 12, 4, 8), 0, 4, r.choice([0, 2, 4, 6]))
    p.word(put(word, 16, 4, SCRATCH), inner=True)
    return True


def add_it(p, table):
    """An IT block of instructions that are alone and go nowhere."""
    r = p.random
    count, cond = r.randrange(1, 5), r.randrange(14)
    body = Program(r.getrandbits(32), True)
    while len(body.code) < count:
        before = len(body.code)
        row = r.choice(table)
        if row[5] not in ("DATA", "COMPUTE", "LONG", "STATUS"):
            continue
        add_t32(body, row)
        if len(body.code) != before + 1:
            del body.code[before:]
    mask = 1 << (4 - count)
    for n in range(count - 1):
        mask |= ((cond & 1) ^ r.randrange(2)) << (3 - n)
    first = len(p.code)
    p.word(0xBF00 | cond << 4 | mask, 2)
    p.code += body.code
    keep_together(p, first)


def add_t32(p, row):
    return add_t32_long(p, row) if row[1] > 0xFFFF else add_t32_short(p, row)


def keep_together(p, first):
    """Nobody may branch into what belongs to the instruction at `first`."""
    p.code[first:] = [(length, make, ahead, n > 0) for n, (length, make, ahead, _) in enumerate(p.code[first:])]


def add_random(p, row):
    first = len(p.code)
    if p.t32:
        add_t32(p, row)
    else:
        add_a32(p, row)
    keep_together(p, first)


# ---- programs ----------------------------------------------------------------------------------------------------------


def nop(p):
    p.word(0xBF00 if p.t32 else 0xE320F000, 2 if p.t32 else 4)


def begin(p, core_bytes, number=0):
    """r10 the core, r11 its buffer for the program of this number, r9 and sp within it."""
    p.li(0, 0)
    p.call(0x5250)
    if p.t32:
        p.word(0x2800, 2, True)
        p.word(0xBFB8, 2, True)
        p.word(0x2000, 2, True)
    else:
        p.word(0xE3500000, inner=True)
        p.word(0xB3A00000, inner=True)  # on Linux the core is 0
    p.move(CORE, 0)
    p.li(0, 0)
    p.word(0xF3808C00 if p.t32 else 0xE12CF000, inner=True)  # msr APSR_nzcvqg, r0: the flags of the comparison
    p.li(BASE, buffer_of(number))
    p.li(1, core_bytes)
    p.word(0xFB00F000 | CORE << 16 | 2 << 8 | 1 if p.t32 else 0xE0000090 | 2 << 16 | 1 << 8 | CORE, inner=True)  # mul r2, r10, r1
    p.add_register(BASE, BASE, 2)
    p.add(SAVED, BASE, 1008, True)
    p.move(SP, SAVED)


def fill(p):
    r = p.random
    for x in FREE:
        p.li(x, r.choice([0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00FF80FF] + [r.getrandbits(32)] * 9))
        if r.random() < 0.5:
            p.add_register(x, x, CORE)


def save(p):
    p.li(SAVED, 0)
    p.add(SAVED, BASE, 2560, True)
    for x in range(15):
        if x not in (SAVED, SP):
            p.store(x, SAVED, 4 * x)
    p.word(0xF3EF8000 if p.t32 else 0xE10F0000, inner=True)  # mrs r0, cpsr
    p.store(0, SAVED, 60)


def end(p, core_bytes):
    p.call(0x5252)
    if p.t32:
        p.word(0xF1BA0F00, inner=True)
        p.branch(lambda d: 0xF0408000 | t32_near(d - 4), 4, 10, True)
    else:
        p.word(0xE35A0000, inner=True)
        p.branch(lambda d: 0x1A000000 | (d - 8 >> 2 & 0xFFFFFF), 4, 10, True)  # core 0 writes all
    p.li(0, 1)
    p.li(1, DATA)
    p.li(2, core_bytes)
    p.call(4)
    nop(p)
    p.li(0, 0)
    p.call(1)


def add_program(p, number, core_bytes):
    """The program of this number in its file."""
    t32, table = p.t32, TABLES["t32" if p.t32 else "a32"]
    begin(p, core_bytes, number)
    fill(p)
    for _ in range(200):
        if t32 and p.random.random() < 0.15:
            add_it(p, table)
        else:
            add_random(p, p.random.choice(table))
    for _ in range(8):  # where branches of the last ones may come to
        nop(p)
    save(p)


def make(seeds, cores, t32):
    """The bytes of an ELF file."""
    p, core_bytes = Program(0, t32), len(seeds) * PROGRAM_BYTES
    for number, seed in enumerate(seeds):
        p.random = random.Random(seed)
        add_program(p, number, core_bytes)
    end(p, core_bytes)
    return elf(p.bytes(), core_bytes * cores, 40, 0x05000000, 1 if t32 else 0)


TABLES = {isa: list(rows(isa)) for isa in ("a32", "t32")}

if __name__ == "__main__":
    if "--isa" in sys.argv:
        place = sys.argv.index("--isa")
        ISA = sys.argv[place + 1]
        del sys.argv[place : place + 2]
    else:
        ISA = "a32"
    main("ARMv7-A, %s," % ISA, lambda seeds, cores: make(seeds, cores, ISA == "t32"), __doc__)
