"""Which instructions random PTX may use: every form of the instruction table that the frontend executes, with every
combination of modifiers and types, as far as ptxas takes it for the target.

The table is frontend/isa/ptx/instructions.def; ptxas is asked once per target for all spellings together, and what it
takes is kept under BUILD/random."""

import hashlib
import itertools
import os
import re
import subprocess

TABLE = "frontend/isa/ptx/"
HEAD = (".version %s\n.target sm_%s\n.address_size 64\n.entry k()\n{\n.reg .pred %%p<20>; .reg .b16 %%h<20>; "
        ".reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .b128 %%q<20>;\n")
# From registers to registers, a lane at a time; ptx_generate.py writes the others in their place in a program.
LOWERINGS = {"LANES", "CONVERT", "CARRY", "VIDEO", "VIDEO_SIMD"}
ELSEWHERE = set("shfl vote match redux activemask elect".split())
VIDEO = {"VIDEO", "VIDEO_SIMD"}  # PTX has them for all targets, but GPUs from sm_70 on have no such instructions
# Not exact by definition: PTX gives bounds of their error, and machine code is free within them.
APPROXIMATE = {"approx", "full"}


def is_late(sm):
    """Whether a target is of Volta or later."""
    return int(sm) >= 70


def version(sm):
    """The version of PTX that programs for a target are written in."""
    return "8.8" if is_late(sm) else "8.3"


def read(name):
    with open(TABLE + name) as f:
        return f.read()


class Table:
    def __init__(self):
        self.rows = re.findall(r'^I\("([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)", \w+, (\w+), \w+\)',
                               read("instructions.def"), re.M)
        self.groups = {}
        for name, group in re.findall(r'^MOD\(\w+, "([^"]*)", (\w+), ', read("modifiers.def"), re.M):
            self.groups.setdefault(group, []).append(name)
        self.sets = dict(re.findall(r'\{"(\w+)", "([^"]*)"\}', read("table.c")))
        widths = re.findall(r'^TYPE\(\w+, "(\w+)", (\d+),', read("types.def"), re.M)
        self.bits = {name: int(bits) for name, bits in widths}

    def modifiers(self, word):
        names = []
        for one in word.rstrip("?").lstrip("^").split("|"):
            names += self.groups[one[1:]] if one[0] == "@" else [one]
        return ([None] if word.endswith("?") else []) + names

    def types(self, word):
        names = []
        for one in word.split(","):
            names += self.sets[one[1:]].split(",") if one[0] == "@" else [one]
        return names

    def forms(self, sm):
        """Every form: (opcode, spelling, types, operands)."""
        for opcode, modifiers, types, operands, lowering in self.rows:
            if lowering not in LOWERINGS or opcode in ELSEWHERE or (is_late(sm) and lowering in VIDEO):
                continue
            words = modifiers.split()
            for chosen in itertools.product(*map(self.modifiers, words)):
                if APPROXIMATE & set(chosen):
                    continue
                first = [c for c, w in zip(chosen, words) if c and w[0] == "^"]
                rest = [c for c, w in zip(chosen, words) if c and w[0] != "^"]
                for named in itertools.product(*map(self.types, types.split())):
                    for count in self.counts(operands.split()):
                        yield opcode, ".".join([opcode] + first + rest + list(named)), named, operands.split()[:count]

    @staticmethod
    def counts(operands):
        """How many operands may stand there."""
        least = next((i for i, o in enumerate(operands) if o.endswith("?")), len(operands))
        return range(least, len(operands) + 1)

    def width(self, operand, types):
        """Bits of an operand: 1 for a predicate, 0 for a constant."""
        role, typing = operand[0], operand[1:2]
        if role in "pq":
            return 1
        if role == "i":
            return 0
        if typing == "u":
            return 32
        if typing == "w":
            return 2 * self.bits[types[0]]
        return self.bits[types[int(typing)] if typing in tuple("123") else types[0]]


def probe_line(table, form):
    """The form with registers of the least width."""
    letters = {1: "p", 8: "h", 16: "h", 32: "r", 64: "d", 128: "q"}
    _, spelling, types, operands = form
    out = []
    for k, o in enumerate(operands):
        bits = table.width(o, types)
        out.append("%%%s%d" % (letters[bits], k) if bits else "0x96")
    return "%s %s;\n" % (spelling, ", ".join(out))


def accepted(toolchain, folder, sm):
    """The forms that ptxas takes for sm_`sm`."""
    table = Table()
    forms = list(table.forms(sm))
    lines = [probe_line(table, f) for f in forms]
    text = HEAD % (version(sm), sm) + "".join(lines) + "ret;\n}\n"
    known = os.path.join(folder, "forms-%s-%s" % (sm, hashlib.sha256(text.encode()).hexdigest()[:16]))
    if not os.path.exists(known):
        refused = ask(toolchain, text, known, sm)
        with open(known + ".new", "w") as f:
            f.write("".join("%d\n" % i for i in range(len(forms)) if i not in refused))
        os.replace(known + ".new", known)
    with open(known) as f:
        return table, [forms[int(line)] for line in f]


def ask(toolchain, text, stem, sm):
    """Which lines of instructions ptxas has an error for."""
    with open(stem + ".ptx", "w") as f:
        f.write(text)
    ptxas = os.path.join(toolchain, "12.9" if is_late(sm) else "12.3", "ptxas")
    command = [ptxas, "-O0", "-arch=sm_" + sm, "-o", stem + ".cubin", stem + ".ptx"]
    said = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True).stderr
    os.remove(stem + ".ptx")
    if os.path.exists(stem + ".cubin"):
        os.remove(stem + ".cubin")
    before = HEAD.count("\n") + 1
    refused = {int(n) - before for n in re.findall(r"line (\d+); (?:error|fatal)", said)}
    if not refused or "internal" in said.lower():
        raise RuntimeError("ptxas says nothing of lines:\n" + said[-2000:])
    return refused
