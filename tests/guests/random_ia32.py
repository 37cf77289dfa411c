"""Random programs of IA-32, from the rows of frontend/isa/ia32/rows.def: each row with random registers, addresses, immediates and
prefixes, so that instructions begin at any byte.

    random_ia32.py PROGRAM [--seed N] [--count N] [--together N] [--cores N] [--qemu QEMU] [--keep FOLDER]

random_programs.py says what such a program does. Its results are registers, flags and memory. Flags that the manual leaves undefined
are as qemu has them."""
import os
import re
import subprocess
import sys

import random

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_programs import BUFFER_BYTES, DATA, PROGRAM_BYTES, SLOT, Code, buffer_of, elf, main  # pylint: disable=wrong-import-position

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI = range(8)  # EBP: the core's buffer
FREE = [EAX, ECX, EDX, EBX, ESI, EDI]
OPERAND_SIZE, LOCK = 0x66, 0xF0
STACK = 2000  # from EBP on: where the stack begins
STATUS = 0x8D5  # C P A Z S O


def rows():
    """Opcode, digit, prefix, operands, operation and flags of each row that such programs may have."""
    text = '#define ROW(n, c, m, d, p, o, x, f) @@ c @ m @ d @ p @ o @ x @ f @!\n#define REFUSED_ROW(n, c, m, d, p, o, w)\n'
    text += '#include "frontend/isa/ia32/rows.def"\n'
    compiler = os.environ.get("CC", "cc").split()
    ran = subprocess.run(compiler + ["-E", "-P", "-I" + ROOT, "-x", "c", "-"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    for m in re.finditer(r"@@ (.*?) @ (\w+) @ (-?\w+) @ (\w+) @ (.*?) @ (\w+) @ (.*?) @!", ran.stdout.decode(), re.S):
        opcode = eval(m[1], {"__builtins__": {}})  # pylint: disable=eval-used
        operands = re.findall(r"[A-Z1][bwvzdqs]", m[5].strip('"'))
        if opcode in (0xF6, 0xF7) and m[3] == "1":
            continue  # qemu does not have them
        if m[6] != "INT" and not (operands and operands[0][0] == "O"):  # what all cores store has no one value
            yield opcode, int(m[2], 0), int(m[3]), m[4], operands, m[6], m[7]


class Program(Code):
    def __init__(self, seed, locks=True, apart=True):
        """locks: with LOCK. apart: cores may repeat strings unequally often, as these end where their data differ."""
        super().__init__()
        self.locks, self.apart = locks, apart
        self.random = random.Random(seed)

    def put(self, *parts, inner=True):
        """An instruction of bytes and of lists of them."""
        out = b"".join(bytes([x]) if isinstance(x, int) else bytes(x) for x in parts)
        self.word(int.from_bytes(out, "little"), len(out), inner)

    def jump(self, opcode, size, ahead, inner=False):
        """Opcode, a list of bytes, and a distance of so many bytes."""
        length = len(opcode) + size
        low = int.from_bytes(bytes(opcode), "little")
        self.branch(lambda d: low | (d - length & (1 << 8 * size) - 1) << 8 * len(opcode), length, ahead, inner)

    # what the frame of a program needs
    def li(self, reg, value, inner=True):
        self.put(0xB8 + reg, number(value, 4), inner=inner)

    def call(self, value):
        self.li(EAX, value)
        self.put(0xCD, 0x80)

    def lea(self, reg, distance):
        self.put(0x8D, 0x85 | reg << 3, number(distance, 4))


def number(value, size):
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def place(p, digit):
    """ModRM and what follows for a place in the buffer, which EBP and an index below 256 give; the index, or None."""
    r = p.random
    kind = r.random()
    if kind < 0.35:
        return bytes([0x45 | digit << 3, r.randrange(256)]), None
    if kind < 0.7:
        return bytes([0x85 | digit << 3]) + number(r.randrange(-1000, 1000), 4), None
    index, scale = r.choice([ECX, EDX, EBX, EAX]), r.randrange(4)
    return bytes([0x84 | digit << 3, scale << 6 | index << 3 | EBP]) + number(r.randrange(-1000, -900 + (0 if scale > 1 else 800)), 4), index


class Instruction:
    """An instruction of a row that is being made."""

    def __init__(self, p, row):
        self.p = p
        self.opcode, self.mask, self.digit, self.prefix, self.operands, self.operation, self.flags = row
        r = p.random
        self.narrow = any(o[1] in "vs" for o in self.operands) and "J" not in "".join(self.operands) and r.random() < 0.3
        if self.operation in ("JMP_TO", "CALL_TO", "EXTEND_A", "EXTEND_D"):
            self.narrow = self.operation.startswith("EXTEND") and r.random() < 0.5
        self.size = 2 if self.narrow else 4
        self.immediates = b""
        self.in_memory = False
        self.index = None
        self.modrm = b""
        self.before, self.behind = [], []

    def register(self, size):
        return self.p.random.randrange(8) if size == "b" else self.p.random.choice(FREE)

    def make_modrm(self):
        letters = "".join(o[0] for o in self.operands)
        if self.digit < 0 and not re.search("[EMRG]", letters):
            return
        r = self.p.random
        reg = self.digit if self.digit >= 0 else self.register(next((o[1] for o in self.operands if o[0] == "G"), "b"))
        self.reg = reg
        self.in_memory = "M" in letters or ("E" in letters and r.random() < 0.45)
        if self.in_memory:
            self.modrm, self.index = place(self.p, reg)
        else:
            size = next((o[1] for o in self.operands if o[0] in "ER"), "d")
            self.modrm = bytes([0xC0 | reg << 3 | self.register(size)])

    def make_immediates(self):
        r = self.p.random
        for o in self.operands:
            if o[0] == "I":
                size = {"b": 1, "w": 2, "s": 1}.get(o[1], self.size)
                self.immediates += number(r.choice([0, 1, 0x7F, 0x80, -1] + [r.getrandbits(32)] * 8), size)
            elif o[0] == "O":  # a place that only lies there
                self.immediates += number(0x10000 + r.randrange(64, 160), 4)

    def bytes(self):
        r = self.p.random
        opcode = self.opcode
        if self.mask & 0xFF == 0xF8:
            opcode |= r.choice(FREE) if self.operands[0] != "Zb" else r.randrange(8)
        elif self.mask & 0xFF == 0xF0:
            opcode |= r.randrange(16)
        out = []
        if self.narrow:
            out.append(OPERAND_SIZE)
        if self.in_memory and r.random() < 0.1:
            out.append(r.choice([0x2E, 0x36, 0x3E, 0x26]))
        if self.p.locks and self.in_memory and "LOCKABLE" in self.flags and r.random() < 0.3:
            out.append(LOCK)
        if "REP" in self.prefix:
            out.append(0xF3)
        r.shuffle(out)
        return bytes(out) + (bytes([0x0F]) if opcode > 0xFF else b"") + bytes([opcode & 0xFF]) + self.modrm + self.immediates


def bound(p, index):
    """An index below 256; flags stay."""
    p.put(0x0F, 0xB6, 0xC0 | index << 3 | index & 3)


def add_plain(p, row):
    i = Instruction(p, row)
    i.make_modrm()
    i.make_immediates()
    first = len(p.code)
    if i.index is not None:
        bound(p, i.index)
    bits = i.operation in ("BT", "BTS", "BTR", "BTC")
    if bits and i.in_memory and i.operands[1][0] == "G":
        p.put(0x0F, p.random.choice([0xB6, 0xBE]), 0xC0 | i.reg << 3 | i.reg & 3)
        if i.index is not None:
            bound(p, i.index)
    if i.operation in ("SHLD", "SHRD") and i.narrow:  # more than 16 is undefined
        if i.operands[2] == "Cb":
            p.put(0xB1, p.random.randrange(17))
            if i.index == ECX:
                bound(p, ECX)
        else:
            i.immediates = bytes([p.random.randrange(17)])
    if i.operation == "CMPXCHG8B":
        p.put(0xEB, 0)  # before which some versions of qemu forget flags
    p.put(i.bytes())
    if bits:  # what it leaves of other flags is undefined
        p.put(0x0F, 0x92, 0xC0 | p.random.randrange(8))
        p.put(0x05, number(p.random.getrandbits(32), 4))
    own(p, first)


def own(p, first):
    """What begins a sequence may be branched to."""
    if len(p.code) > first:
        p.code[first] = p.code[first][:3] + (False,)


def add_division(p, row):
    i = Instruction(p, row)
    first = len(p.code)
    byte = i.operands[0][1] == "b"
    divisor = p.random.choice([1, 2, 3, 0x7F, p.random.randrange(1, 0x7FFFFFFF)])
    divisor = divisor & 0x7F or 1 if byte else divisor & 0x7FFF or 1 if i.narrow else divisor
    signed = i.operation == "IDIV"
    if byte:
        p.put(OPERAND_SIZE, 0x98) if signed else p.put(0x0F, 0xB6, 0xC0)
    elif signed:
        p.put(*([OPERAND_SIZE] if i.narrow else []), 0x99)
    else:
        p.li(EDX, 0)
    p.li(EBX, divisor)
    place_of = bytes([0xC3 | i.digit << 3])
    if p.random.random() < 0.4:
        p.put(0x89, 0x5D, 8)
        place_of = bytes([0x45 | i.digit << 3, 8])
    p.put(*([OPERAND_SIZE] if i.narrow else []), i.opcode, place_of)
    own(p, first)


def add_string(p, row):
    i = Instruction(p, row)
    r = p.random
    first = len(p.code)
    p.lea(ESI, r.randrange(-900, 900))
    if r.random() < 0.7:
        p.lea(EDI, r.randrange(-900, 900))
    else:
        p.put(0x8D, 0x7E, r.choice([0, 1, 2, 4, 252, 255]))  # near ESI
    compares = i.operation in ("CMPS", "SCAS")
    p.li(ECX, r.choice([0, 1, 2, 5, 9] if p.apart or not compares else [1]))
    if compares and r.random() < 0.5:  # equal for a while
        p.li(EAX, 0)
    back = r.random() < 0.3
    if back:
        p.put(0xFD)
    p.put(*([OPERAND_SIZE] if i.narrow else []), *r.choice([[], [0xF3], [0xF3], [0xF2]]), i.opcode)
    if back:
        p.put(0xFC)
    own(p, first)


def add_stack(p, row):
    """What goes to the stack comes from there again. EBP is the buffer, ESP within it."""
    i = Instruction(p, row)
    r = p.random
    first = len(p.code)
    narrow = [OPERAND_SIZE] if r.random() < 0.3 else []
    if i.operation == "PUSH":
        i.make_modrm()
        i.make_immediates()
        if i.index is not None:
            bound(p, i.index)
        p.put(i.bytes())
        p.put(*([OPERAND_SIZE] if i.narrow else []), 0x58 + r.choice(FREE))
    elif i.operation == "POP":
        p.put(*([OPERAND_SIZE] if i.narrow else []), 0x68, number(r.getrandbits(32), i.size))
        i.make_modrm()
        if i.index is not None:
            bound(p, i.index)
        p.put(i.bytes())
    elif i.operation in ("PUSHA", "POPA"):
        p.put(*narrow, 0x60)
        p.put(0x89, 0x04 | r.choice([EAX, EDX]) << 3, 0x24)
        p.put(*narrow, 0x61)
    elif i.operation in ("PUSHF", "POPF"):
        p.put(*narrow, 0x9C)
        if r.random() < 0.5:
            p.put(0x81, 0x34, 0x24, number(r.getrandbits(32) & STATUS, 4))  # xorl, (%esp)
            p.put(*narrow, 0x9D)
        else:
            p.put(*narrow, 0x58 + r.choice(FREE))
    elif i.operation == "ENTER" and narrow:
        size = r.randrange(64)
        p.put(OPERAND_SIZE, 0xC8, number(size, 2), 0)
        p.put(0x89, 0xE8 | r.choice(FREE))  # movl %ebp: half of it is the stack
        p.put(0x83, 0xC4, size)
        p.put(OPERAND_SIZE, 0x5D)
    elif i.operation == "ENTER":
        p.put(0xC8, number(r.randrange(64), 2), 0)
        p.put(0x89, 0x5D, 0xFC)  # movl %ebx, -4(%ebp): below or in the frame
        p.put(0xC9)
    elif i.operation == "LEAVE" and narrow:
        p.put(0x55)
        p.put(OPERAND_SIZE, 0x55)
        p.put(0x89, 0xE5)
        p.put(OPERAND_SIZE, 0xC9)
        p.put(0x89, 0xE8 | r.choice(FREE))
        p.put(0x5D)
    elif i.operation == "LEAVE":
        p.put(0x55)
        p.put(0x89, 0xE5)
        p.put(0xC9)
    own(p, first)


def add_control(p, row):
    i = Instruction(p, row)
    r = p.random
    first = len(p.code)
    near = r.randrange(1, 3)
    reg = r.choice(FREE)
    if i.operation in ("JCC", "JMP", "LOOP", "LOOPE", "LOOPNE", "JECXZ"):
        opcode = i.opcode | (r.randrange(16) if i.operation == "JCC" else 0)
        counts = i.operation.startswith("LOOP") or i.operation == "JECXZ"
        size = 1 if i.operands[0] == "Jb" else 4
        if counts and r.random() < 0.4:
            p.li(ECX, r.choice([0, 1, 2, 0x10000, 0x10001]))
        prefix = [0x67] if counts and r.random() < 0.3 else []
        p.jump(prefix + ([0x0F, opcode & 0xFF] if opcode > 0xFF else [opcode]), size, near if size == 1 else r.randrange(1, 6), counts)
    elif i.operation == "CALL":
        p.put(0xE8, number(0, 4))
        p.put(0x58 + reg)
    elif i.operation == "JMP_TO":  # call, pop, add, jmp
        p.put(0xE8, number(0, 4))
        p.put(0x58 + reg)
        p.put(0x83, 0xC0 + reg, 6)
        p.put(0xFF, 0xE0 + reg)
    elif i.operation == "CALL_TO":
        p.put(0xE8, number(0, 4))
        p.put(0x58 + reg)
        p.put(0x83, 0xC0 + reg, 10)
        p.put(0x89, 0x44 | reg << 3, 0x24, 0xF8)  # movl, -8(%esp)
        p.put(0xFF, 0xD0 + reg)
        p.put(0x5A)  # where the addition leads
    elif i.operation == "RET":
        pops = i.operands and r.choice([0, 4, 8])
        if pops:
            p.put(0x83, 0xEC, pops)
        p.put(0xE8, number(0, 4))
        p.put(0x83, 0x04, 0x24, 7 if i.operands else 5)
        if i.operands:
            p.put(0xC2, number(pops, 2))
        else:
            p.put(0xC3)
    own(p, first)


def add_random(p, row):
    operation = row[5]
    if operation in ("DIV", "IDIV"):
        add_division(p, row)
    elif operation in ("MOVS", "CMPS", "STOS", "LODS", "SCAS"):
        add_string(p, row)
    elif "STACK" in row[6] and operation not in ("CALL", "CALL_TO", "RET"):
        add_stack(p, row)
    elif operation in ("JCC", "JMP", "JMP_TO", "CALL", "CALL_TO", "RET", "LOOP", "LOOPE", "LOOPNE", "JECXZ"):
        add_control(p, row)
    elif operation == "LEA" and p.random.random() < 0.5:
        r = p.random
        if r.random() < 0.4:  # addresses of 16 bits
            p.put(*r.choice([[], [OPERAND_SIZE]]), 0x67, 0x8D, 0x80 | r.choice(FREE) << 3 | r.randrange(8), number(r.getrandbits(16), 2), inner=False)
        else:
            base, index = r.randrange(8), r.choice(FREE)
            p.put(0x8D, 0x84 | r.choice(FREE) << 3, r.randrange(4) << 6 | index << 3 | base, number(r.getrandbits(32), 4), inner=False)
    elif operation == "XLAT":
        p.lea(EBX, p.random.randrange(-900, 700))
        p.put(0xD7)
    elif operation in ("CLD", "STD"):
        p.put(0xFD)
        p.put(0xFC)
    else:
        add_plain(p, row)


def begin(p, core_bytes, own_stack=False, program=0):
    """own_stack: the core's, not a part of its buffer. program: its number in its file."""
    p.call(0x5250)
    p.li(ECX, 0)
    p.put(0x85, 0xC0)
    p.put(0x0F, 0x48, 0xC1)  # cmovs: on Linux the core is 0
    p.put(0x69, 0xE8, number(core_bytes, 4))  # imul, into EBP
    p.put(0x81, 0xC5, number(buffer_of(program), 4))
    if not own_stack:
        p.put(0x8D, 0xA5, number(STACK, 4))  # lea, into ESP
    for x in FREE[1:]:
        p.li(x, p.random.choice([0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00FF80FF] + [p.random.getrandbits(32)] * 9))
        if p.random.random() < 0.5:
            p.put(0x01, 0xC0 | x)
    p.put(0x83, 0xC8, 0)  # or $0, %eax: flags that are known


def save(p):
    results = -(BUFFER_BYTES // 2 + SLOT)
    for x in range(8):
        p.put(0x89, 0x85 | x << 3, number(results + 4 * x, 4))
    p.put(0x9C)
    p.put(0x58)
    p.put(0x89, 0x85, number(results + 32, 4))


def end(p, core_bytes, programs):
    p.call(0x5252)
    p.put(0x81, 0xFD, number(buffer_of(programs - 1), 4))
    p.jump([0x0F, 0x85], 4, 6, True)  # core 0 writes all
    p.li(EBX, 1)
    p.li(ECX, DATA)
    p.li(EDX, core_bytes)
    p.call(4)
    p.put(0x90, inner=False)
    p.li(EBX, 0)
    p.call(1)


def add_program(p, program, core_bytes):
    """The program of this number in its file."""
    begin(p, core_bytes, program=program)
    for _ in range(200):
        add_random(p, p.random.choice(TABLE))
    for _ in range(8):  # where branches of the last ones may come to
        p.put(0x90, inner=False)
    save(p)


def make(seeds, cores):
    """The bytes of an ELF file."""
    p, core_bytes = Program(0), len(seeds) * PROGRAM_BYTES
    for program, seed in enumerate(seeds):
        p.random = random.Random(seed)
        add_program(p, program, core_bytes)
    end(p, core_bytes, len(seeds))
    return elf(p.bytes(), core_bytes * cores, 3, 0)


TABLE = list(rows())

if __name__ == "__main__":
    main("IA-32", make, __doc__)
