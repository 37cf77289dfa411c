"""Random PTX: kernels of instructions with every modifier, carry chains, guards, branches, loops, calls, memory of all
spaces, atomics, and what lanes of a warp do together. A program depends on its seed, its number and the target only.

Every register begins with a value of the input and is stored at the end. What PTX leaves open does not occur: divisors
are not 0, NaNs that neg or abs pass on are made the canonical one, threads of a warp that vote or shuffle are together,
and words that threads share are changed by one commutative operation each."""

import random

import ptx_forms

# As in ptx_compare.c.
IN_WORDS, OUT_WORDS, MINE_BYTES, SUMS = 256, 64, 64, 16

# kind of register: letter, PTX type, how many. Registers without a type go with all instructions of their width.
REGISTERS = {
    16: [("h", "b16", 6), ("hu", "u16", 3), ("hs", "s16", 3)],
    32: [("r", "b32", 8), ("u", "u32", 4), ("s", "s32", 4), ("f", "f32", 4)],
    64: [("d", "b64", 6), ("du", "u64", 3), ("ds", "s64", 3), ("g", "f64", 4)],
}
PREDICATES = 8
CORNERS = {
    16: [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00,
         0x03ff],
    32: [0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
         0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0x00800000, 0x007fffff, 0x4f000000, 0x5f000000],
    64: [0, 1, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
         0xffffffffffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x000fffffffffffff,
         0x0010000000000000, 0x41e0000000000000, 0x43e0000000000000, 0x47efffffe0000000, 0x380fffffffffffff],
}
FLOATS = {"f16", "f32", "f64", "f16x2"}
# Types without registers and numbers of their own.
ONLY_BITS = {"bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "u16x2", "s16x2"}


class Node:
    """A statement: text, and what it contains: lists of nodes with text behind each. Of a whole one no line can be
    missing."""

    def __init__(self, text, *parts, whole=False):
        self.text, self.parts, self.whole = text, [list(p) for p in parts], whole  # [nodes, text behind]

    def __str__(self):
        return self.text + "".join("".join(map(str, nodes)) + after for nodes, after in self.parts)


class Program:
    def __init__(self, name, functions, nodes):
        self.name, self.functions, self.nodes = name, functions, nodes

    def text(self):
        body = "".join(map(str, self.nodes))
        return "".join(map(str, self.functions)) + entry(self.name, body)


def declared(bits):
    return [(letter, kind) for letter, kind, count in REGISTERS[bits] for _ in range(count)]


def all_registers(bits):
    return ["%%%s%d" % (letter, i) for letter, _, count in REGISTERS[bits] for i in range(count)]


class Generator:
    def __init__(self, seed, index, target, table, forms):
        self.random = random.Random("ptx %d %d" % (seed, index))
        self.table, self.name, self.target, self.param = table, "p%d" % index, target, "extra"
        self.spellings = {f[1] for f in forms}
        self.by_opcode = {}
        for f in forms:
            if f[0] in ("addc", "subc", "madc") or "cc" in f[1].split("."):
                continue  # only chain() knows what CC.CF holds
            if f[0] == "vmad" and {"shr7", "shr15", "sat"} & set(f[1].split(".")) and int(target) >= 60:
                continue  # where there is no such instruction, ptxas takes all sources for signed
            if f[0] == "cvt" and f[2] == ("f16", "f32") and "ftz" in f[1] and ("rm" in f[1] or "rp" in f[1]):
                continue  # ptxas drops .ftz, which shows in how subnormal numbers round
            if not self.is_certain(f):
                continue
            self.by_opcode.setdefault(f[0], []).append(f)
        # CC.CF does not outlive a call, and ptxas makes calls or long sequences with sums of their own for these
        calls = {"div", "rem", "rcp", "sqrt", "fns"}
        self.between = [o for o in sorted(self.by_opcode) if o not in calls and o[0] != "v"]
        self.late = ptx_forms.is_late(target)
        late_atomics = [(op, kind) for op, kind, first in self.LATE_ATOMICS if int(target) >= first]
        self.atomics = self.ATOMICS + (late_atomics if self.late else [])
        self.labels = 0
        self.functions = []
        self.in_function = False

    def is_certain(self, form):
        """Whether ptxas makes of a form for sm_70 and later what it says (known.txt)."""
        words = form[1].split(".")
        if form[0] == "cvt" and "satfinite" in words and 70 <= int(self.target) < 80:
            return False
        return not (form[0] == "cvt" and "ftz" in words and form[2][1:2] == ("bf16",) and int(self.target) < 90)

    # ---- operands

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def register(self, bits, kind=None):
        """A register of this width that goes with operands of type `kind`."""
        if bits == 1:
            return "%%p%d" % self.random.randrange(PREDICATES)
        bits = max(bits, 16)
        floating = kind in FLOATS or (kind or "").startswith("bf")
        typed = kind and kind[0] != "b" and kind != "f16x2" and kind not in ONLY_BITS
        fitting = [(l, t, n) for l, t, n in REGISTERS[bits] if t[0] == "b" or (typed and (t[0] == "f") == floating)]
        letter, _, count = self.random.choice(fitting)
        return "%%%s%d" % (letter, self.random.randrange(count))

    def immediate(self, bits, kind):
        width = max(bits, 16)
        value = self.random.choice(CORNERS[width]) if self.chance(0.6) else self.random.getrandbits(width)
        if self.chance(0.2):
            value = self.random.randrange(70)
        value &= (1 << width) - 1
        if kind == "f32":
            return "0f%08X" % value
        if kind == "f64":
            return "0d%016X" % value
        if kind and kind[0] == "s" and value >> (bits - 1):
            return str(value - (1 << bits))
        return "0x%x" % value

    def alike(self, bits, kind, count, integers):
        """Registers for a vector: all of one type."""
        fitting = [(l, t, n) for l, t, n in REGISTERS[max(bits, 16)] if t[0] in "us" or
                   not integers and (t[0] in ("b", kind[0]))]
        if kind[0] == "f":
            fitting = [f for f in fitting if f[1][0] in "bf"]
        letter, _, n = self.random.choice(fitting)
        return ["%%%s%d" % (letter, self.random.randrange(n)) for _ in range(count)]

    def source(self, bits, kind):
        if bits > 1 and kind not in ("f16", "f16x2") and kind not in ONLY_BITS and self.chance(0.15):
            return self.immediate(bits, kind)
        return self.register(bits, kind)

    def label(self):
        self.labels += 1
        return "L%d" % self.labels

    def guard(self):
        return "@%s%s " % (self.pick("", "!"), self.register(1)) if self.chance(0.12) else ""

    # ---- instructions of the table

    def operand_type(self, operand, types):
        typing = operand[1:2]
        if operand[0] in "pqi":
            return None
        if typing == "u":
            return "u32"
        if typing == "w":
            return {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}.get(types[0], types[0])
        return types[int(typing)] if typing in tuple("123") else types[0]

    def operand(self, operand, types, opcode, spelling):
        role, kind = operand[0], self.operand_type(operand, types)
        bits = self.table.width(operand, types)
        if role == "i":
            return "0x%x" % self.random.randrange(256)
        if role == "q" or role == "d":
            exact = kind in FLOATS or ONLY_BITS & set(types) or "pack" in spelling.split(".")
            return self.register(self.wider(bits) if opcode == "cvt" and not exact else bits, kind)
        if role == "p":
            return self.pick("", "!") + self.register(1)
        if operand[1:2] == "u" and self.chance(0.85):
            return self.integer()  # ptxas converts a float that it has seen in a register of bits
        if operand[1:2] == "u":
            return str(self.random.randrange(256))
        if opcode[0] == "v":
            return self.video_source(kind)
        return self.source(bits, kind)

    def video_source(self, kind):
        """Of numbers, those that ptxas does not take for negative ones of 16 bits."""
        if self.chance(0.85):
            return self.register(32, kind)
        return self.pick("0x7fff", "1", "127", "0x12345", "0x7fffffff")

    def wider(self, bits):
        """cvt, ld and st take registers that are wider than their type."""
        return self.random.choice([b for b in (16, 32, 64) if b >= bits]) if self.chance(0.3) else max(bits, 16)

    def instruction(self, opcode=None):
        opcode = opcode or self.random.choice(sorted(self.by_opcode))
        _, spelling, types, operands = self.random.choice(self.by_opcode[opcode])
        names = []
        alone = len(operands) == 2  # of a number ptxas makes a number, which it gets wrong in video instructions
        for o in operands:
            name = self.operand(o, types, opcode, spelling)
            if alone and name[0] in "-0123456789":
                name = self.register(self.table.width(o, types), self.operand_type(o, types))
            if "|q" in o and self.chance(0.5):
                other = self.register(1)
                name += "|" + other if other != name else ""
            names.append(name)
        before = self.prepare(opcode, spelling, types, names)
        after = self.canonical(types[0], names[0]) if self.passes_nan(opcode, types) else ""
        # ptxas forgets the guard of testp.f64, and in set and cvt that of the second of two steps
        guard = "" if opcode in ("testp", "set", "cvt") else self.guard()
        text = "%s%s%s %s;\n%s" % (before, guard, spelling, ", ".join(names), after)
        return Node(text, whole=True)

    @staticmethod
    def passes_nan(opcode, types):
        """Whether what it does to a NaN is not said."""
        if opcode in ("div", "rcp", "sqrt"):
            return types[0] == "f64"
        return opcode in ("neg", "abs", "cvt", "copysign", "min", "max") and types[0] in FLOATS | {"bf16", "bf16x2"}

    def prepare(self, opcode, spelling, types, names):
        """Changes operands for which PTX leaves the result open or ptxas is wrong (known.txt): text to stand before."""
        if opcode in ("div", "rem") and types[0] not in FLOATS:
            return self.divisor(types[0], names)
        if opcode in ("bfi", "bfe"):
            return self.field(types[0], names)
        if opcode[0] == "v":
            self.select_parts(opcode, spelling, names)
        if opcode == "vset":
            names[1:3] = [self.integer() if n[0] != "%" else n for n in names[1:3]]
        if opcode == "slct" and names[3][0] != "%":
            names[3] = self.register(32, types[1])
        if opcode in ("shl", "shr") and types[0][1:] == "16" and names[2][0] != "%":
            names[2] = str(self.random.randrange(70))
        if opcode == "fns":
            base, offset, names[2:] = names[2], names[3], ["%t0", "%tl"]
            return "and.b32 %%t0, %s, 31;\nand.b32 %%tl, %s, 0xc000003f;\nor.b32 %%tl, %%tl, 1;\n" % (base, offset)
        if opcode in ("neg", "abs") and types[0] == "s16":
            number, names[1] = names[1], "%th"
            return "or.b16 %%th, %s, 1;\n" % number
        if opcode == "cvt" and types[1][1:] == "64" and types[0] in FLOATS and names[1][0] != "%":
            names[1] = self.register(64, types[1])
        if opcode == "cvt" and types[0] == "tf32":
            number, names[1] = names[1], "%t0"
            return "mov.b32 %%t0, %s;\nsetp.nan.f32 %%tp, %%t0, %%t0;\n@%%tp mov.b32 %%t0, 0;\n" % number
        if opcode == "cvt" and types[1] == "f64" and types[0] in ("u8", "u16"):
            number, names[1] = names[1], "%td"
            return "mov.b64 %%td, %s;\nsetp.nan.f64 %%tp, %%td, %%td;\n@%%tp mov.b64 %%td, 0;\n" % number
        return ""

    def field(self, kind, names):
        """Place and length of a bit field."""
        for k in (-2, -1):
            if names[k][0] != "%":
                names[k] = str(self.random.randrange(32))
        if kind[1:] != "64":
            return ""
        text = "and.b32 %%t0, %s, 255;\nand.b32 %%tl, %s, 255;\n" % (names[-2], names[-1])
        names[-2:] = ["%t0", "%tl"]
        return text

    def integer(self):
        return "%%%s%d" % (self.pick("u", "s"), self.random.randrange(4))

    def select_parts(self, opcode, spelling, names):
        """Parts of the operands of a video instruction. They come from registers for integers, as with stores."""
        names[1:] = [self.integer() if n[:2] in ("%r", "%f") else n for n in names[1:]]
        pairs = {"2": (2, "h"), "4": (4, "b")}.get(opcode[-1])
        if not pairs:
            for k in (1, 2):
                if names[k][0] == "%" and self.chance(0.6):
                    names[k] += self.pick(".b0", ".b1", ".b2", ".b3", ".h0", ".h1")
            second = any(m in spelling.split(".") for m in ("add", "min", "max"))
            if opcode == "vmad":
                k = self.random.randrange(8)
                if k < 4 and "po" not in spelling.split(".") and names[k][0] == "%" and k:
                    names[k] = "-" + names[k]
            elif len(names) == 4 and not second:
                names[0] += self.pick(".b0", ".b1", ".b2", ".b3", ".h0", ".h1")
            return
        ways, letter = pairs
        for k in (1, 2, 3):
            if names[k][0] != "%":
                names[k] = self.register(32, "u32")
        for k in (1, 2):
            if self.chance(0.4):
                digits = "".join(str(self.random.randrange(2 * ways)) for _ in range(ways))
                names[k] += "." + letter + (digits if digits != "1024" else "1025")  # .b1024 is a type to ptxas
        if self.chance(0.4):
            mask = self.random.sample(range(ways), self.random.randrange(1, ways + 1))
            names[0] += "." + letter + "".join(str(d) for d in sorted(mask, reverse=True))

    def divisor(self, kind, names):
        """Not 0, and not -1."""
        bits = int(kind[1:])
        t = {16: "%th", 32: "%t0", 64: "%td"}[bits]
        text = "or.b%d %s, %s, 1;\n" % (bits, t, self.register(bits))
        if kind[0] == "s":
            mask = (1 << (bits - 1)) - 1 if self.chance(0.5) else (1 << bits) - 3
            text += "and.b%d %s, %s, 0x%x;\n" % (bits, t, t, mask)
        names[2] = t
        return text

    def canonical(self, kind, register):
        """What a NaN becomes is not said: makes it the one that arithmetic gives."""
        if kind == "f16x2":
            text = "setp.nan.f16x2 %%tp|%%tq, %s, %s;\nselp.b32 %%t0, 0xffff, 0, %%tp;\n" % (register, register)
            text += "selp.b32 %tl, 0xffff0000, 0, %tq;\nor.b32 %t0, %t0, %tl;\n"
            text += "or.b32 %s, %s, %%t0;\nand.b32 %%t0, %%t0, 0x80008000;\nxor.b32 %s, %s, %%t0;\n" % ((register,) * 4)
            return text
        if kind in ("bf16", "bf16x2"):
            return self.canonical_brains(kind, register)
        if kind not in ("f16", "f32", "f64"):
            return ""
        if kind == "f16":
            if int(self.target) < 53:  # only cvt comes here
                return ""
            return "setp.nan.f16 %%tp, %s, %s;\n@%%tp mov.b16 %s, 0x7fff;\n" % ((register,) * 3)
        text = "setp.nan.%s %%tp, %s, %s;\n" % (kind, register, register)
        constant = "0f7FFFFFFF" if kind == "f32" else "0dFFF8000000000000"
        return text + "@%%tp mov.%s %s, %s;\n" % (kind, register, constant)

    @staticmethod
    def canonical_brains(kind, register):
        if kind == "bf16":
            return ("and.b16 %%th, %s, 0x7fff;\nsetp.gt.u16 %%tp, %%th, 0x7f80;\n@%%tp mov.b16 %s, 0x7fff;\n" %
                    (register, register))
        text = ""
        for shift in (0, 16):
            text += "and.b32 %%t0, %s, 0x%x;\nsetp.gt.u32 %%tp, %%t0, 0x%x;\n" % (
                register, 0x7fff << shift, 0x7f80 << shift)
            text += "@%%tp or.b32 %s, %s, 0x%x;\n@%%tp and.b32 %s, %s, 0x%x;\n" % (
                register, register, 0x7fff << shift, register, register, 0xffffffff ^ 0x8000 << shift)
        return text

    def chain(self):
        """add.cc, sub.cc and mad.cc mixed, with other instructions between them."""
        text, bits = "", self.pick(32, 32, 64)
        steps = self.random.randrange(2, 6)
        kind = self.pick("u", "s")
        for k in range(steps):
            first, last = k == 0, k == steps - 1
            op = self.pick("add", "sub", "mad")
            t = "%s%d" % (kind, bits)
            name = op + ("" if first else "c") + (self.pick(".lo", ".hi") if op == "mad" else "")
            name += ".cc" if first or not last or self.chance(0.3) else ""
            names = [self.register(bits, t)]
            names += [self.register(bits, t) for _ in range(2)] if op == "mad" else [self.source(bits, t)]
            names += [self.source(bits, t)]
            guard = "" if first else self.guard()
            text += "%s%s.%s %s;\n" % (guard, name, t, ", ".join(names))
            if not last and self.chance(0.4):
                text += str(self.instruction(self.random.choice(self.between)))
        return Node(text, whole=True)

    # ---- moves

    def move(self):
        k = self.random.randrange(6)
        if k == 0:
            bits = self.pick(16, 32, 64)
            kind = self.pick("b", "u", "s", "f") + str(bits)
            kind = kind if kind != "f16" else "b16"
            return Node("%smov.%s %s, %s;\n" % (self.guard(), kind, self.register(bits, kind), self.source(bits, kind)))
        if k == 1:
            special = self.pick("tid.x", "ntid.x", "ctaid.x", "nctaid.x", "laneid", "lanemask_eq", "lanemask_le",
                                "lanemask_lt", "lanemask_ge", "lanemask_gt", "tid.y", "ntid.z")
            return Node("mov.u32 %s, %%%s;\n" % (self.register(32, "u32"), special))
        whole, parts = self.pick((32, 2), (64, 2), (64, 4))
        part = whole // parts
        if k < 4:
            names = ["{" + ", ".join(self.register(part) for _ in range(parts)) + "}"]
            names.insert(0, self.register(whole))
        else:
            some = self.random.sample(["%%%s%d" % ({16: "h", 32: "r"}[part], i) for i in range(6)], parts)
            some[1:] = ["_" if self.chance(0.1) and parts > 2 else s for s in some[1:]]
            names = ["{" + ", ".join(some) + "}", self.register(whole)]
        guard = "" if "_" in names[0] else self.guard()  # ptxas crashes
        return Node("%smov.b%d %s;\n" % (guard, whole, ", ".join(names)))

    # ---- memory: every thread has MINE_BYTES of global, shared and local memory of its own

    SPACES = ["global", "shared", "local", "generic", "const", "param", "input"]

    def address(self, space, at):
        base = {"global": "%mine", "shared": "%sh", "local": "%loc", "const": "%con", "input": "%in"}
        if space == "generic":
            return "[%s+%d]" % (self.pick("%gmine", "%gsh", "%gloc"), at)
        if space == "param":
            return "[%s+%d]" % (self.param, at)
        return "[%s+%d]" % (base[space], at)

    def memory(self):
        stores = self.chance(0.5)
        space = self.pick("global", "shared", "local", "generic") if stores else self.random.choice(self.SPACES)
        if self.in_function and space in ("param", "shared", "local", "const", "input", "global"):
            space = "generic"
        kind = self.pick("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
        bits = int(kind[1:])
        vector = self.pick(1, 1, 2, 4) if bits < 64 else self.pick(1, 1, 2)
        if space == "param":
            vector = 1
        bytes_ = bits // 8 * vector
        at = self.random.randrange(0, (32 if space == "param" else MINE_BYTES) // bytes_) * bytes_
        wide = kind[0] != "f"
        if stores:
            width = self.wider(bits) if wide else bits
            # what is stored narrower than its register comes from one for integers: where ptxas has seen a float in a
            # register of bits, it converts
            names = self.alike(width, kind, vector, width > max(bits, 16) or bits == 8)
        else:
            width = self.wider(bits) if wide else bits
            letter = {16: "h", 32: "r", 64: "d"}[max(width, 16)]
            names = ["%%%s%d" % (letter, i) for i in self.random.sample(range(6), vector)]
        value = "{%s}" % ", ".join(names) if vector > 1 else names[0]
        name = ("st" if stores else "ld") + self.cache(space, stores)
        name += "" if space == "generic" else "." + {"input": "global"}.get(space, space)
        if space == "input" and self.chance(0.4):
            name += ".nc"
        if self.late and name in ("ld.global", "ld.global.nc", "st.global"):
            name += self.priority(stores)
        name += (".v%d" % vector if vector > 1 else "") + "." + kind
        if stores:
            return Node("%s%s %s, %s;\n" % (self.guard(), name, self.address(space, at), value))
        return Node("%s%s %s, %s;\n" % (self.guard(), name, value, self.address(space, at)))

    def cache(self, space, stores):
        if space in ("param", "const", "input") or self.chance(0.6):
            return ""
        if self.late and space in ("global", "shared", "generic") and self.chance(0.5):
            return self.pick(".relaxed", ".release" if stores else ".acquire") + self.pick(".cta", ".gpu", ".sys")
        if space in ("global", "shared", "generic") and self.chance(0.4):
            return ".volatile"
        if stores:
            return self.pick(".wb", ".cg", ".cs", ".wt")
        return self.pick(".ca", ".cg", ".cs", ".cv") if space != "local" else ""

    def priority(self, stores):
        """What the caches are told of global memory, from sm_70 on."""
        first = self.pick("", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last",
                          ".L1::no_allocate")
        second = self.pick("", ".L2::64B", ".L2::128B") if int(self.target) >= 75 and not stores else ""
        return first + second

    # Further ones of sm_70 and later, and the first target that has them.
    LATE_ATOMICS = [("cas", "b16", 70), ("add", "f64", 70), ("add.noftz", "f16", 70), ("add.noftz", "f16x2", 70),
                    ("add.noftz", "bf16", 90), ("add.noftz", "bf16x2", 90)]
    ATOMICS = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
               ("and", "b64"), ("or", "b64"), ("xor", "b64"), ("exch", "b32"), ("exch", "b64"), ("cas", "b32"),
               ("cas", "b64"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("min", "u64"),
               ("min", "s64"), ("max", "u64"), ("max", "s64"), ("inc", "u32"), ("dec", "u32"), ("add", "f32")]

    def atomic(self):
        """On memory of the thread's own, where the old value is certain."""
        op, kind = self.random.choice(self.atomics)
        bits = self.table.bits[kind]
        space = "generic" if self.in_function else self.pick("global", "shared", "generic")
        at = self.random.randrange(MINE_BYTES // 8) * 8
        red = op not in ("exch", "cas") and self.chance(0.3)
        name = ("red" if red else "atom") + self.order(red)
        name += ("" if space == "generic" else "." + space) + ".%s.%s" % (op, kind)
        names = ([] if red else [self.register(bits, kind)]) + [self.address(space, at) if space != "generic" else
                                                               "[%s+%d]" % (self.pick("%gmine", "%gsh"), at)]
        names += [self.source(bits, kind) for _ in range(2 if op == "cas" else 1)]
        return Node("%s%s %s;\n" % (self.guard(), name, ", ".join(names)))

    # Which operation the threads do to each of the shared words.
    COMMON = [("add", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("min", "s32"), ("max", "s32"),
              ("min", "u32"), ("max", "u32")]

    def common(self):
        k = self.random.randrange(len(self.COMMON))
        op, kind = self.COMMON[k]
        name = self.pick("red", "atom") + self.pick(".global", "") + ".%s.%s" % (op, kind)
        names = (["%t0"] if name.startswith("atom") else []) + ["[%%sums+%d]" % (4 * k), self.source(32, kind)]
        return Node("%s%s %s;\n" % (self.guard(), name, ", ".join(names)))

    def order(self, red):
        """Semantics and scope of an atomic, from sm_70 on."""
        if not self.late or self.chance(0.4):
            return ""
        ways = [".relaxed", ".release"] + ([] if red else [".acquire", ".acq_rel"])
        return self.random.choice(ways) + self.pick(".cta", ".gpu", ".sys")

    def spaces(self):
        """Between generic addresses and those of a space."""
        r = self.register(1)
        return Node("isspacep.%s %s, %s;\n" % (self.pick("global", "shared", "local", "const"), r,
                                               self.pick("%gmine", "%gsh", "%gloc")))

    # ---- threads of a warp together

    def together(self):
        k = self.random.randrange(9 if self.late else 6)
        text = "bar.sync 0;\n"
        if k >= 6:
            text += self.together_late(k)
        elif k < 2:
            old = self.chance(0.5) and not self.late
            mode = self.pick("up", "down", "bfly", "idx")
            d = self.register(32) + ("|" + self.register(1) if self.chance(0.5) else "")
            limit = self.pick("31", "0", self.register(32), "0x181f", "0x1c07", "0x1007")
            text += "shfl%s.%s.b32 %s, %s, %s, %s%s;\n" % ("" if old else ".sync", mode, d, self.register(32),
                                                          self.pick(self.register(32), str(self.random.randrange(32))),
                                                          limit, "" if old else ", -1")
        elif k == 2:
            old = self.chance(0.5) and not self.late
            p = self.pick("", "!") + self.register(1)
            text += "vote%s.%s.pred %s, %s%s;\n" % ("" if old else ".sync", self.pick("all", "any", "uni"),
                                                   self.register(1), p, "" if old else ", -1")
        elif k == 3:
            old = self.chance(0.5) and not self.late
            text += "vote%s.ballot.b32 %s, %s%s;\n" % ("" if old else ".sync", self.register(32), self.register(1),
                                                      "" if old else ", 0xffffffff")
        elif k == 4:
            text += "bar.red.popc.u32 %s, 1, %s%s;\n" % (self.register(32), self.pick("", "!"), self.register(1))
        else:
            text += "bar.red.%s.pred %s, 2, %s%s;\n" % (self.pick("and", "or"), self.register(1), self.pick("", "!"),
                                                        self.register(1))
        return Node(text)

    def together_late(self, k):
        """Of the whole warp, from sm_70 on."""
        r, bits = self.register(32), self.pick(32, 64)
        if k == 6:
            return "match.any.sync.b%d %s, %s, -1;\n" % (bits, r, self.register(bits))
        if k == 7 or int(self.target) < 80:
            return "match.all.sync.b%d %s|%s, %s, -1;\n" % (bits, r, self.register(1), self.register(bits))
        op = self.pick("add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32")
        return "redux.sync.%s %s, %s, -1;\n" % (op, r, self.register(32))

    # ---- control flow

    def branch(self, depth):
        p, a, b = self.register(1), self.label(), self.label()
        neg = self.pick("", "!")
        if self.chance(0.5):
            return Node("{\n@%s%s bra %s;\n" % (neg, p, a), [self.block(depth, 4), "%s:\n}\n" % a])
        return Node("{\n@%s%s bra %s;\n" % (neg, p, a), [self.block(depth, 4), "bra.uni %s;\n%s:\n" % (b, a)],
                    [self.block(depth, 4), "%s:\n}\n" % b])

    def loop(self, depth):
        a, n = self.label(), self.labels
        head = "{\n.reg .u32 %%n%d; .reg .pred %%q%d;\n" % (n, n)
        bound = "and.b32 %%n%d, %s, 7;\n" % (n, self.register(32)) if self.chance(0.7) else "mov.u32 %%n%d, 3;\n" % n
        end = "setp.ne.u32 %%q%d, %%n%d, 0;\nsub.u32 %%n%d, %%n%d, 1;\n@%%q%d bra %s;\n}\n" % (n, n, n, n, n, a)
        return Node(head + bound + a + ":\n", [self.block(depth, 4), end])

    def switch(self, depth):
        ways = [self.label() for _ in range(self.random.randrange(2, 5))]
        out = self.label()
        n = self.labels
        text = "{\n.reg .u32 %%i%d;\nrem.u32 %%i%d, %s, %d;\n" % (n, n, self.register(32), len(ways))
        text += "T%s: .branchtargets %s;\nbrx.idx %%i%d, T%s;\n" % (out, ", ".join(ways), n, out)
        parts = [["%s:\n" % w, self.block(depth, 3), "bra %s;\n" % out] for w in ways]
        node = Node(text)
        behind = ""
        for k, (head, block, tail) in enumerate(parts):
            if k == 0:
                node.text += head
            else:
                node.parts[-1][1] += head
            node.parts.append([block, tail])
        node.parts[-1][1] += "%s:\n}\n" % out + behind
        return node

    def call(self):
        """A function of its own: two or three parameters, one result, and a pointer to the thread's memory."""
        kinds = [self.pick("b32", "b64", "f32", "u64", "s32") for _ in range(self.random.randrange(1, 4))]
        result = self.pick("b32", "b64", "f32", "u32", "f64")
        name = "%s_f%d" % (self.name, len(self.functions))
        self.functions.append(self.function(name, kinds, result))
        text = "{\n.param .b64 a_mine; st.param.b64 [a_mine], %gmine;\n"
        for i, k in enumerate(kinds):
            text += ".param .%s a%d; st.param.%s [a%d], %s;\n" % (k, i, k, i, self.register(int(k[1:]), k))
        text += ".param .%s r;\n" % result
        text += "call (r), %s, (a_mine%s);\n" % (name, "".join(", a%d" % i for i in range(len(kinds))))
        return Node(text + "ld.param.%s %s, [r];\n}\n" % (result, self.register(int(result[1:]), result)))

    def function(self, name, kinds, result):
        inner, self.in_function = self.in_function, True
        nodes = [self.statement(3) for _ in range(self.random.randrange(3, 9))]
        self.in_function = inner
        out = ".func (.param .%s r) %s(.param .b64 a_mine%s)\n{\n" % (
            result, name, "".join(", .param .%s a%d" % (k, i) for i, k in enumerate(kinds)))
        out += declarations()
        out += "ld.param.b64 %gmine, [a_mine];\nmov.b64 %gsh, %gmine; mov.b64 %gloc, %gmine;\n" + fill_registers()
        for i, k in enumerate(kinds):
            out += "ld.param.%s %s, [a%d];\n" % (k, self.register(int(k[1:]), k), i)
        tail = "st.param.%s [r], %s;\nret;\n}\n" % (result, self.register(int(result[1:]), result))
        return Node(out, [nodes, tail])

    # ---- the whole

    def statement(self, depth):
        k = self.random.random()
        if k < 0.5:
            return self.instruction()
        if k < 0.56:
            return self.instruction("cvt")
        if k < 0.60:
            return self.instruction(self.pick("set", "setp", "setp"))
        if k < 0.67:
            return self.chain()
        if k < 0.72:
            return self.move()
        if k < 0.84:
            return self.memory()
        if k < 0.87:
            return self.atomic()
        if k < 0.88 and not self.in_function:
            return self.common()
        if k < 0.89 and not self.in_function:
            return self.spaces()
        if k < 0.92 and depth == 0:
            return self.together()
        if k < 0.935 and not self.in_function and depth < 2:
            return self.call()
        if depth < 2 or (self.in_function and depth < 4):
            return self.pick(self.branch, self.branch, self.loop, self.switch)(depth)
        return self.instruction()

    def block(self, depth, most):
        return [self.statement(depth + 1) for _ in range(self.random.randrange(1, most))]

    def program(self):
        nodes = [self.statement(0) for _ in range(self.random.randrange(12, 40))]
        return Program(self.name, self.functions, nodes)


def declarations():
    out = ""
    for bits in REGISTERS:
        for letter, kind, count in REGISTERS[bits]:
            out += ".reg .%s %%%s<%d>; " % (kind, letter, count)
    out += ".reg .pred %%p<%d>, %%tp, %%tq; .reg .b32 %%t0, %%tl; .reg .b64 %%td; .reg .b16 %%th;\n" % PREDICATES
    return out + ".reg .b64 %mine, %gmine, %sums, %in, %gsh, %gloc, %con; .reg .b32 %sh, %loc, %at;\n"


def fill_registers():
    """Every register of a function holds something before its first instruction: what ptxas cannot know."""
    out, at = "", 0
    for bits in (64, 32, 16):
        for r in all_registers(bits):
            out += "ld.b%d %s, [%%gmine+%d];\n" % (bits, r, at % MINE_BYTES)
            at += bits // 8
    return out + "".join("setp.lt.s32 %%p%d, %%r%d, %d;\n" % (p, p, 1 << p) for p in range(PREDICATES))


def entry(name, body):
    out = ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 mine, .param .u64 sums, " % name
    out += ".param .align 16 .b8 extra[32])\n{\n" + declarations()
    out += ".shared .align 16 .b8 shared[%d]; .local .align 16 .b8 frame[%d];\n" % (64 * MINE_BYTES, MINE_BYTES)
    out += "ld.param.u64 %in, [in]; cvta.to.global.u64 %in, %in; "
    out += "ld.param.u64 %gmine, [mine]; ld.param.u64 %sums, [sums];\n"
    out += "mov.u32 %at, %tid.x; mov.u32 %t0, %ntid.x; mov.u32 %sh, %ctaid.x; mad.lo.u32 %at, %sh, %t0, %at;\n"
    out += "mad.wide.u32 %%gmine, %%at, %d, %%gmine; cvta.to.global.u64 %%mine, %%gmine;\n" % MINE_BYTES
    out += "cvta.to.global.u64 %sums, %sums; mov.u32 %t0, %tid.x; mov.u32 %sh, shared;\n"
    out += "mad.lo.u32 %%sh, %%t0, %d, %%sh; cvt.u64.u32 %%gsh, %%sh; cvta.shared.u64 %%gsh, %%gsh;\n" % MINE_BYTES
    out += "mov.u32 %loc, frame; cvt.u64.u32 %gloc, %loc; cvta.local.u64 %gloc, %gloc; mov.u64 %con, table;\n"
    out += initial_values() + body + "bar.sync 0;\n" + final_stores() + "ret;\n}\n"
    return out


def initial_values():
    """Registers from the input, at a place that differs from thread to thread; memory from registers."""
    out = "mul.lo.u32 %t0, %at, 52; and.b32 %t0, %t0, 511; cvt.u64.u32 %td, %t0; add.u64 %td, %td, %in;\n"
    at = 0
    for bits in (64, 32, 16):
        for r in all_registers(bits):
            kind = {16: "b16", 32: "b32", 64: "b64"}[bits]
            step = bits // 8
            at = (at + step - 1) // step * step
            place = at - at % 4
            if bits == 64:
                out += "{ .reg .b32 %%a, %%b; ld.global.b32 %%a, [%%td+%d]; ld.global.b32 %%b, [%%td+%d]; " % (
                    place, place + 4)
                out += "mov.b64 %s, {%%a, %%b}; }\n" % r
            else:
                out += "ld.global.%s %s, [%%td+%d];\n" % (kind, r, place if bits == 32 else at)
            at += step
    out += "".join("setp.lt.s32 %%p%d, %%r%d, %d;\n" % (p, p, 1 << p) for p in range(PREDICATES))
    for i in range(0, MINE_BYTES, 8):
        out += "st.shared.b64 [%%sh+%d], %%d%d; st.local.b64 [%%loc+%d], %%g%d;\n" % (i, i // 8 % 6, i, i // 8 % 4)
    return out


def final_stores():
    """All registers, then shared and local memory mixed into the thread's own words."""
    out = "{ .reg .b64 %out; .reg .b32 %w, %x; .reg .b64 %y;\n"
    out += "ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; "
    out += "mad.wide.u32 %%out, %%at, %d, %%out;\n" % (4 * OUT_WORDS)
    at = 0
    for bits in (64, 32, 16):
        for r in all_registers(bits):
            out += "st.global.b%d [%%out+%d], %s;\n" % (bits, at, r)
            at += bits // 8
    out += "mov.u32 %w, 0;\n"
    for p in range(PREDICATES):
        out += "selp.u32 %%x, %d, 0, %%p%d; or.b32 %%w, %%w, %%x;\n" % (1 << p, p)
    at = (at + 3) // 4 * 4
    out += "st.global.b32 [%%out+%d], %%w;\n" % at
    for i in range(0, MINE_BYTES, 8):
        out += "ld.shared.b64 %%y, [%%sh+%d]; xor.b64 %%d0, %%d0, %%y; mul.lo.u64 %%d0, %%d0, 0x9e3779b97f4a7c15;\n" % i
        out += "ld.local.b64 %%y, [%%loc+%d]; xor.b64 %%d0, %%d0, %%y; mul.lo.u64 %%d0, %%d0, 0x9e3779b97f4a7c15;\n" % i
    at += 4
    at = (at + 7) // 8 * 8
    return out + "st.global.b64 [%%out+%d], %%d0; }\n" % at


def file_of(programs, target):
    rng = random.Random("table")
    words = [rng.choice(CORNERS[32]) if rng.random() < 0.5 else rng.getrandbits(32) for _ in range(MINE_BYTES // 4)]
    head = ".version %s\n.target sm_%s\n.address_size 64\n.const .align 16 .b32 table[%d] = {%s};\n" % (
        ptx_forms.version(target), target, MINE_BYTES // 4, ", ".join(map(str, words)))
    return head + "".join(p.text() for p in programs)


def program(seed, index, target, table, forms):
    return Generator(seed, index, target, table, forms).program()
