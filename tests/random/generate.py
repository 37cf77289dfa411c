"""Writes random programs in the CUDA C of program.h: one seed, one program, always the same.

What C leaves undefined or to the implementation is kept out by construction: arithmetic on signed integers goes through
unsigned ones or stays small, shift amounts are masked, array indices are masked, loops have bounds, recursion has a depth.
A program is a tree of statements, so that reduce.py can take statements away and leave something that compiles."""

import random

INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f32", "f64"]
BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f32": 32, "f64": 64}
COST_LIMIT = 3000  # loop trips times statements that one thread may run in one function


def wide(t):
    """The unsigned type in which arithmetic on t wraps around."""
    return "u64" if BITS[t] == 64 else "u32"


class Statement:
    """text, or text around blocks: parts alternates strings and lists of statements."""

    def __init__(self, *parts, fixed=False):
        self.parts = list(parts)
        self.fixed = fixed  # gives something its first value, or holds a loop together: not to be taken away

    def render(self, out, indent):
        pad = "    " * indent
        for p in self.parts:
            if isinstance(p, str):
                out.append(pad + p)
            else:
                for s in p:
                    s.render(out, indent + 1)

    def blocks(self):
        return [p for p in self.parts if isinstance(p, list)]


class Scope:
    """What an expression may name."""

    def __init__(self):
        self.values = []  # (text, type): readable
        self.targets = []  # (text, type): writable
        self.arrays = []  # (name, type, length, writable); the length is a power of two
        self.functions = []
        self.pointers = []  # (name, type) of variables whose address may be given away


class Function:
    def __init__(self, name, returns, parameters, cost, by_pointer=None):
        self.name, self.returns, self.parameters, self.cost = name, returns, parameters, cost
        self.by_pointer = by_pointer  # type of a last parameter that is a pointer


class Generator:
    def __init__(self, seed, name):
        self.r = random.Random(seed)
        self.name = name
        self.declarations = []  # of the file's scope
        self.counter = 0
        self.scope = None
        self.trips = 1
        self.cost = 0
        self.loops = 0
        self.returns = None  # type that `return` gives, "" for none, None where it is not allowed

    def fresh(self, stem):
        self.counter += 1
        return "%s_%s%d" % (self.name, stem, self.counter)

    def pick(self, *weighted):
        """(weight, value) pairs"""
        return self.r.choices([v for _, v in weighted], [w for w, _ in weighted])[0]

    def any_type(self):
        return self.pick((2, "u8"), (2, "s8"), (2, "u16"), (2, "s16"), (6, "u32"), (5, "s32"), (4, "u64"), (3, "s64"), (5, "f32"), (4, "f64"))

    def integer_type(self):
        return self.pick((1, "u8"), (1, "s8"), (1, "u16"), (1, "s16"), (4, "u32"), (3, "s32"), (2, "u64"), (2, "s64"))

    # ---- constants and leaves ----

    def constant(self, t):
        r = self.r
        if t in FLOATS:
            suffix = "f" if t == "f32" else ""
            plain = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "0.1", "1e10", "-1e-10", "255.0", "16777217.0", "1e30", "0.333333333333"]
            odd = ["1e-40", "3e38", "1.17549435e-38", "2147483648.0"] if t == "f32" else ["5e-324", "1.7e308", "2.2250738585072014e-308", "9007199254740993.0"]
            if r.random() < 0.1:
                bits = r.choice([0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x807FFFFF])
                return "from_bits(0x%xu)" % bits if t == "f32" else "from_bits(0x%xull)" % (bits << 32 | r.choice([0, 1]))
            if r.random() < 0.3:
                return "%r%s" % (round(r.uniform(-1000, 1000), r.randrange(4)), suffix)
            return r.choice(plain + odd) + suffix
        bits = BITS[t]
        kind = r.random()
        if kind < 0.5:
            v = r.choice([0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 63, 100, 255])
        elif kind < 0.75:
            v = (1 << r.randrange(bits)) + r.choice([-1, 0, 1])
        else:
            v = r.getrandbits(bits)
        v &= (1 << bits) - 1
        if t[0] == "s":
            v &= (1 << (bits - 1)) - 1
            return "(%s)%s%d%s" % (t, r.choice(["", "", "-"]), v, "ll" if bits == 64 else "")
        return "(%s)%d%s" % (t, v, "ull" if bits == 64 else "u")

    def leaf(self, t):
        r = self.r
        same = [v for v, vt in self.scope.values if vt == t]
        arrays = [a for a in self.scope.arrays if a[1] == t]
        kind = r.random()
        if kind < 0.15 or not self.scope.values:
            return self.constant(t)
        if arrays and kind < 0.35:
            a = r.choice(arrays)
            return "%s[%s]" % (a[0], self.index(a[2], 0))
        if same and kind < 0.85:
            return r.choice(same)
        v, vt = r.choice(self.scope.values)
        return v if vt == t else self.converted(t, vt, v)

    def index(self, length, depth):
        if self.r.random() < 0.25:
            return str(self.r.randrange(length))
        t = self.r.choice(["u32", "u32", "s32", "u8", "u64", "u16"])
        return "(%s) & %d" % (self.expression(t, depth), length - 1)

    def converted(self, t, vt, text):
        if vt in FLOATS and t not in FLOATS:
            return "to_%s(%s, %s)" % (t, text, self.constant(t))
        return "(%s)(%s)" % (t, text)

    # ---- expressions ----

    def expression(self, t, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(t)
        if r.random() < 0.12 and self.scope.functions:
            call = self.call(t, depth - 1)
            if call:
                return call
        if r.random() < 0.08:
            return "(%s ? %s : %s)" % (self.condition(depth - 1), self.expression(t, depth - 1), self.expression(t, depth - 1))
        return self.floating(t, depth - 1) if t in FLOATS else self.integral(t, depth - 1)

    def call(self, t, depth):
        able = [f for f in self.scope.functions if self.trips * f.cost <= COST_LIMIT]
        if not able:
            return None
        f = self.r.choice(able)
        pointers = [p for p, pt in self.scope.pointers if pt == f.by_pointer]
        if f.by_pointer and not pointers:
            return None
        arguments = [self.expression(p, min(depth, 1)) for p in f.parameters]
        if f.by_pointer:
            arguments.append(self.r.choice(pointers))
        self.cost += self.trips * f.cost
        text = "%s(%s)" % (f.name, ", ".join(arguments))
        return text if f.returns == t else self.converted(t, f.returns, text)

    def condition(self, depth):
        r = self.r
        kind = r.random()
        if depth > 0 and kind < 0.25:
            return "(%s %s %s)" % (self.condition(depth - 1), r.choice(["&&", "||", "&&", "||", "!=", "=="]), self.condition(depth - 1))
        if kind < 0.3:
            return "!%s" % self.condition(depth - 1)
        t = self.any_type()
        if t not in FLOATS and kind < 0.5:
            return "((%s & %s) %s 0)" % (self.expression(t, depth), self.constant(t), r.choice(["==", "!="]))
        return "(%s %s %s)" % (self.expression(t, depth), r.choice(["<", "<=", ">", ">=", "==", "!="]), self.expression(t, depth))

    def integral(self, t, depth):
        r, w, n = self.r, wide(t), BITS[t]
        a = lambda: self.expression(t, depth)
        kind = r.randrange(26)
        if kind < 6:
            return "(%s)((%s)%s %s (%s)%s)" % (t, w, a(), r.choice(["+", "-", "*", "&", "|", "^"]), w, a())
        if kind == 6:
            return "(%s)((%s)%s * (%s)%s %s (%s)%s)" % (t, w, a(), w, a(), r.choice("+-"), w, a())
        if kind == 7:
            return "%s(%s, %s)" % (r.choice(["quotient", "remainder"]), a(), a())
        if kind == 8:
            divisor = r.choice([2, 3, 4, 5, 7, 10, 16, 60, 64, 100, 127])
            return "(%s)(%s %s %d)" % (t, a(), r.choice("/%"), divisor)
        if kind == 9:
            return "(%s)((%s)%s << (%s & %d))" % (t, w, a(), self.expression("u32", depth), n - 1)
        if kind == 10:
            return "(%s)(%s >> (%s & %d))" % (t, a(), self.expression(r.choice(["u32", "s32", t]), depth), n - 1)
        if kind == 11:
            s = r.randrange(n)
            return "(%s)((%s)%s %s %d)" % (t, w, a(), r.choice(["<<", ">>"]), s)
        if kind == 12:
            return "(%s)(%s(%s)%s)" % (t, r.choice(["~", "0 - "]), w, a())
        if kind == 13:
            f, odd = r.choice([("popcountll", ""), ("clzll", " | 1"), ("ctzll", " | (u64)1 << 40"), ("bswap64", ""), ("bitreverse64", ""), ("bswap32", ""), ("bitreverse32", "")])
            return "(%s)__builtin_%s((u64)%s%s)" % (t, f, a(), odd)
        if kind == 14:
            return "(%s)%s" % (t, self.condition(depth))
        if kind == 15:
            x, y = a(), a()
            return "(%s %s %s ? %s : %s)" % (x, r.choice("<>"), y, x, y) if len(x) + len(y) < 80 else "(%s)(%s)" % (t, x)
        if kind == 16:
            return "%s_overflow(%s, %s)" % (r.choice(["plus", "minus"]), a(), a())
        if kind == 17:
            low = r.randrange(n)
            mask = (1 << r.randrange(1, n - low + 1)) - 1
            return "(%s)((%s)%s >> %d & %d%s)" % (t, w, a(), low, mask, "ull" if n == 64 else "u")
        if kind == 18:
            mask = ((1 << r.randrange(1, n)) - 1) << r.randrange(n) & ((1 << n) - 1)
            m = "%d%s" % (mask, "ull" if n == 64 else "u")
            return "(%s)(((%s)%s & ~%s) | ((%s)%s & %s))" % (t, w, a(), m, w, a(), m)
        if kind == 19:
            # small enough for plain signed arithmetic
            small = r.choice([("s32", "s16"), ("s32", "s8"), ("s64", "s32"), ("s32", "u8")])
            x, y = ("(%s)%s" % (small[0], self.expression(small[1], depth)) for _ in range(2))
            return "(%s)(%s * %s)" % (t, x, y) if r.random() < 0.7 else "(%s)(%s - %s)" % (t, x, y)
        if kind == 20:
            big = r.choice(["u32", "s32", "u64", "s64"])
            return "(%s)high(%s, %s)" % (t, self.expression(big, depth), self.expression(big, depth))
        if kind == 21:
            e = [self.expression("u64", depth) for _ in range(3)]
            return "(%s)%s(%s, %s, %s)" % (t, r.choice(["wide_sum", "wide_difference"]), *e) if r.random() < 0.5 else "(%s)wide_shift(%s, %s, %s)" % (t, e[0], e[1], self.expression("u32", depth))
        if kind == 22:
            # a byte of each, put together again
            shifts = r.choice([(0, 8), (8, 0), (24, 16), (16, 24), (8, 24)])
            e = [self.expression("u32", depth) for _ in range(2)]
            return "(%s)((%s >> %d & 255u) << %d | (%s & 0xff0000ffu))" % (t, e[0], shifts[0], shifts[1], e[1])
        if kind == 23:
            return "(%s)((((u64)%s << 32) | %s) >> (%s & 31))" % (t, self.expression("u32", depth), self.expression("u32", depth), self.expression("u32", depth))
        if kind == 24:
            f = r.choice(FLOATS)
            return "(%s)bits(%s)" % (t, self.expression(f, depth))
        other = self.any_type()
        return self.converted(t, other, self.expression(other, depth))

    def floating(self, t, depth):
        r = self.r
        a = lambda: self.expression(t, depth)
        kind = r.randrange(20)
        if kind < 8:
            return "(%s %s %s)" % (a(), r.choice(["+", "-", "*", "+", "-", "*", "/"]), a())
        if kind == 8:
            return "(%s * %s + %s)" % (a(), a(), a())
        if kind == 9:
            return "joined(%s, %s, %s)" % (a(), a(), a())
        if kind == 10:
            return "(- %s)" % a()
        if kind == 11:
            return "%s(%s)" % (r.choice(["magnitude", "whole", "below", "above", "nearest", "root"]), a())
        if kind == 12:
            return "%s(%s, %s)" % (r.choice(["sign_of", "least", "most"]), a(), a())
        if kind == 13:
            u = "u32" if t == "f32" else "u64"
            return "from_bits(%s)" % self.expression(u, depth)
        if kind == 14:
            x, y = a(), a()
            return "(%s %s %s ? %s : %s)" % (x, r.choice(["<", ">", "<=", ">="]), y, x, y) if len(x) + len(y) < 80 else x
        if kind == 15:
            return "(%s / %s)" % (a(), self.constant(t))
        if kind < 18:
            i = self.integer_type()
            return "(%s)(%s)" % (t, self.expression(i, depth))
        other = "f64" if t == "f32" else "f32"
        return "(%s)(%s)" % (t, self.expression(other, depth))

    # ---- statements ----

    def assignment(self, depth=2):
        r = self.r
        arrays = [a for a in self.scope.arrays if a[3]]
        if arrays and r.random() < 0.3:
            name, t, length, _ = r.choice(arrays)
            if BITS[t] > 8 and r.random() < 0.1:
                # a byte of it, through a pointer of another type. NaN bits are nowhere to be seen: arrays of integers only
                if t not in FLOATS:
                    return Statement("((u8 *)%s)[(%s) & %d] = %s;" % (name, self.expression("u32", 1), length * BITS[t] // 8 - 1, self.expression("u8", 2)))
            return Statement("%s[%s] = %s;" % (name, self.index(length, 1), self.expression(t, depth)))
        target, t = r.choice(self.scope.targets)
        kind = r.random()
        if t in FLOATS and kind < 0.3:
            return Statement("%s %s= %s;" % (target, r.choice("+-*"), self.expression(t, depth)))
        if t in ("u32", "u64") and kind < 0.3:
            return Statement("%s %s= %s;" % (target, r.choice(["+", "-", "*", "&", "|", "^"]), self.expression(t, depth)))
        if t in ("u32", "u64") and kind < 0.4:
            return Statement("%s%s;" % (target, r.choice(["++", "--"])))
        return Statement("%s = %s;" % (target, self.expression(t, depth)))

    def block(self, size, depth):
        return [self.statement(depth) for _ in range(self.r.randint(1, size))]

    def statement(self, depth):
        r = self.r
        self.cost += self.trips
        kind = r.random()
        if depth <= 0 or kind < 0.42:
            return self.assignment()
        if kind < 0.50:
            t = self.any_type()
            return Statement("h = fold(h, %s);" % self.expression(t, 2))
        if kind < 0.68:
            return self.branch(depth)
        if kind < 0.86 and self.trips < 150:
            return self.loop(depth)
        if kind < 0.92:
            return self.switch(depth)
        return self.jump(depth)

    def branch(self, depth):
        if self.r.random() < 0.5:
            return Statement("if (%s) {" % self.condition(1), self.block(3, depth - 1), "}")
        return Statement("if (%s) {" % self.condition(1), self.block(3, depth - 1), "} else {", self.block(3, depth - 1), "}")

    def loop(self, depth):
        r = self.r
        i = "i%d" % (self.counter + 1)
        self.counter += 1
        n = r.choice([2, 3, 4, 5, 8])
        t = r.choice(["u32", "u32", "s32", "u8", "s64", "s16"])
        count, trips_before = n, self.trips
        kind = r.randrange(6)
        if kind == 0:
            head, tail = "for (%s %s = 0; %s < %d; %s++) {" % (t, i, i, n, i), "}"
        elif kind == 1:
            count = 8
            head, tail = "for (%s %s = 0, n%s = (%s)((%s) & 7); %s < n%s; %s++) {" % (t, i, i, t, self.expression("u32", 2), i, i, i), "}"
        elif kind == 2:
            head, tail = "for (%s %s = %d; %s > 0; %s--) {" % (t, i, n, i, i), "}"
        elif kind == 3:
            head, tail = "for (%s %s = 0; %s < %d && %s; %s++) {" % (t, i, i, n, self.condition(1), i), "}"
        elif kind == 4:
            head, tail = "{ %s %s = 0; while (%s++ < %d) {" % (t, i, i, n), "} }"
        else:
            # left as C decides: the condition after the body, where the body's `continue` goes too
            head, tail = "{ %s %s = 0; do {" % (t, i), "} while (++%s < %d && %s); }" % (i, n, self.condition(1))
        self.trips *= count
        self.loops += 1
        self.scope.values.append((i, t))
        body = self.block(4, depth - 1)
        self.scope.values.pop()
        self.loops -= 1
        self.trips = trips_before
        return Statement(head, body, tail)

    def switch(self, depth):
        r = self.r
        cases = r.sample(range(0, 12), r.randint(2, 6)) if r.random() < 0.7 else r.sample([0, 1, 7, 100, 1000, 65535, 1 << 20, 77, 31], 4)
        parts = ["switch ((u32)(%s) %% %du) {" % (self.expression("u32", 2), r.choice([5, 7, 13, 1000]))]
        loops, self.loops = self.loops, 0  # a break in here is the switch's
        for c in cases:
            parts.append("case %du:" % c)
            parts.append(self.block(2, depth - 1))
            if r.random() < 0.7:
                parts.append("    break;")
        if r.random() < 0.6:
            parts += ["default:", self.block(2, depth - 1)]
        self.loops = loops
        return Statement(*parts, ";", "}")

    def jump(self, depth):
        """Leaves a loop, the function, or nested blocks, under a condition."""
        r = self.r
        kind = r.random()
        if self.loops and kind < 0.6:
            return Statement("if (%s) {" % self.condition(2), self.block(1, 0), "    %s;" % r.choice(["break", "continue"]), "}")
        if self.returns is not None and kind < 0.75:
            value = " " + self.expression(self.returns, 2) if self.returns else ""
            return Statement("if (%s) {" % self.condition(2), self.block(1, 0), "    return%s;" % value, "}")
        label = self.fresh("out")
        inside = self.block(2, depth - 1)
        leave = Statement("if (%s) goto %s;" % (self.condition(1), label))
        place = r.choice([b for s in inside for b in [inside] + s.blocks()])
        place.insert(r.randint(0, len(place)), leave)
        # the label goes with its jump, so that taking the whole statement away leaves neither
        return Statement("{", inside, "}", "%s:;" % label)

    # ---- functions ----

    def locals_of(self, scope, count):
        """Declares variables and arrays, all given a value."""
        r, out = self.r, []
        for k in range(count):
            t = self.any_type()
            name = "v%d" % k
            out.append("%s %s = %s;" % (t, name, self.expression(t, 1)))
            scope.values.append((name, t))
            scope.targets.append((name, t))
            scope.pointers.append(("&" + name, t))
        for k in range(r.choice([0, 0, 1, 1, 2])):
            t = r.choice(INTEGERS + FLOATS)
            length = r.choice([2, 4, 8, 16])
            name = "a%d" % k
            out.append("%s %s[%d];" % (t, name, length))
            out.append("for (u32 i = 0; i < %d; i++) %s[i] = (%s)(%s);" % (length, name, t, self.expression("u8", 1) + " + i"))
            scope.arrays.append((name, t, length, True))
        return out

    def begin(self, returns):
        self.trips, self.cost, self.loops, self.returns = 1, 1, 0, returns

    def tables(self):
        """Read-only arrays in constant and global memory."""
        out = []
        for k in range(self.r.choice([0, 1, 2])):
            t, length, name = self.any_type(), self.r.choice([4, 8, 16]), self.fresh("table")
            values = ", ".join(self.constant(t) if t not in FLOATS else "%r" % round(self.r.uniform(-99, 99), 3) for _ in range(length))
            where = self.r.choice(["CONSTANT", "TABLE"])
            self.declarations.append(Statement("%s const %s %s[%d] = {%s};" % (where, t, name, length, values)))
            out.append((name, t, length, False))
        return out

    def function(self, functions, tables):
        r = self.r
        returns, name = self.any_type(), self.fresh("f")
        parameters = [self.any_type() for _ in range(r.randint(1, 4))]
        by_pointer = r.choice([None, None, self.any_type()])
        recursive = r.random() < 0.2
        scope = self.scope = Scope()
        scope.arrays += tables
        scope.functions += functions
        names = ["p%d" % k for k in range(len(parameters))]
        scope.values += list(zip(names, parameters))
        scope.targets += list(zip(names, parameters))
        if by_pointer:
            scope.values.append(("(*q)", by_pointer))
            scope.targets.append(("(*q)", by_pointer))
            scope.pointers.append(("q", by_pointer))
        given = ["%s %s" % (t, n) for t, n in zip(parameters, names)]
        if by_pointer:
            given.append("%s *q" % by_pointer)
        if recursive:
            given.append("u32 left")
        self.begin(returns)
        head = "%s %s %s(%s)" % (self.r.choice(["FAR", "FAR", "FREE", "NEAR"]) if not recursive else "FAR", returns, name, ", ".join(given))
        body = [Statement(d, fixed=True) for d in ["u32 h = 1;"] + self.locals_of(scope, r.randint(1, 4))]
        scope.values.append(("h", "u32"))
        if recursive:
            body.append(Statement("if (left == 0) return %s;" % self.expression(returns, 2), fixed=True))
        body += self.block(4, 2)
        cost = self.cost
        if recursive:
            arguments = [self.expression(t, 1) for t in parameters] + (["q"] if by_pointer else []) + ["left - 1"]
            again = "h = fold(h, %s(%s));" % (name, ", ".join(arguments))
            body.append(Statement("if (%s) {" % self.condition(1), [Statement(again)], "}") if r.random() < 0.5 else Statement(again))
            body += self.block(2, 1)
            cost = self.cost * 5
        scope.values.append(("h", "u32"))
        end = "    return %s;" % self.converted(returns, "u32", "h + %s" % self.expression("u32", 2))
        self.declarations.append(Statement(head, "{", body, end, "}"))
        if recursive:
            outer = self.fresh("f")
            arguments = ", ".join(names + (["q"] if by_pointer else []) + [str(r.randint(1, 5))])
            self.declarations.append(Statement("NEAR %s %s(%s) { return %s(%s); }" % (returns, outer, ", ".join(given[:-1]), name, arguments)))
            name = outer
        return Function(name, returns, parameters, cost, by_pointer)

    def chooser(self, functions):
        """A call through a pointer to one of two functions of one type."""
        names = []
        for _ in range(2):
            names.append(self.fresh("g"))
            scope = self.scope = Scope()
            scope.values += [("a", "u32"), ("b", "u32")]
            scope.functions += functions
            self.begin(None)
            self.declarations.append(Statement("FAR u32 %s(u32 a, u32 b) { return %s; }" % (names[-1], self.expression("u32", 3))))
        chosen = self.fresh("f")
        self.declarations.append(Statement(
            "NEAR u32 %s(u32 a, u32 b, u32 c)" % chosen, "{", [
                Statement("u32 (*f)(u32, u32) = c & 1 ? %s : %s;" % tuple(names)),
                Statement("return f(a, b);")], "}"))
        return Function(chosen, "u32", ["u32"] * 3, 10 + 2 * max([f.cost for f in functions] + [0]))

    # ---- the whole ----

    def phase(self, fields, functions, tables, shared, writes):
        """A function that every thread runs between two barriers. It reads all of `shared`, or writes its own element."""
        r = self.r
        name = self.fresh("phase")
        scope = self.scope = Scope()
        scope.values += [("s->" + f, t) for f, t in fields] + [("thread", "u32")]
        scope.targets += [("s->" + f, t) for f, t in fields]
        scope.pointers += [("&s->" + f, t) for f, t in fields]
        scope.arrays += tables + [("in", "u32", "IN_WORDS", False), ("mine", "u32", "MINE_WORDS", True)]
        scope.arrays = [(n, t, {"IN_WORDS": 256, "MINE_WORDS": 16}.get(l, l), w) for n, t, l, w in scope.arrays]
        scope.functions += functions
        if not writes:
            scope.arrays.append((shared[0], shared[1], 32, False))
        self.begin("" if r.random() < 0.7 else None)
        head = "%s void %s(struct %s_state *s, const u32 *in, u32 *out, u32 *mine, u32 thread)" % (r.choice(["FAR", "NEAR", "NEAR"]), name, self.name)
        body = [Statement(d, fixed=True) for d in ["u32 h = s->h;"] + self.locals_of(scope, r.randint(1, 4))]
        scope.values.append(("h", "u32"))
        parts = self.block(5, 3)
        parts.insert(r.randint(0, len(parts)), Statement("out[%d] = fold(h, %s);" % (r.randrange(6), self.expression(self.any_type(), 2))))
        if writes:
            parts.append(Statement("%s[thread] = %s;" % (shared[0], self.expression(shared[1], 2))))
        self.declarations.append(Statement(head, "{", body + parts + [Statement("s->h = h;")], "}"))
        return name

    def together(self, fields, threads, sums):
        """Statements of the kernel in which threads meet."""
        r = self.r
        words = [f for f, t in fields if t == "u32"] + ["h"]
        to, source, third = (r.choice(words) for _ in range(3))
        kind = r.randrange(8)
        if kind < 3 and threads % 32 == 0:
            way = r.choice(["idx", "up", "down", "bfly"])
            amount = "(STATE.%s & 31)" % third if way == "idx" and r.random() < 0.7 else str(r.randrange(32))
            return Statement("SHUFFLE(%s, %s, %s, %s)" % (to, source, way, amount))
        if kind < 5 and threads % 32 == 0:
            return Statement("%s(%s, %s)" % (r.choice(["BALLOT", "ALL", "ANY"]), to, source))
        name, operation = sums
        guard = r.choice(["", "", "if (STATE.%s & 1) " % third])
        where = r.choice(["%s + (STATE.%s & 7)" % (name, to), "%s + %d" % (name, r.randrange(8)), name])
        return Statement("EACH %satomic_%s(%s, STATE.%s);" % (guard, operation, where, source), "COLLECT",
                         "EACH STATE.%s = fold(STATE.%s, %s[STATE.%s & 7]);" % (to, to, name, third), "COLLECT")

    def program(self):
        r = self.r
        threads, blocks = r.choice([32, 32, 64, 64, 96, 37, 70]), r.choice([1, 2])
        tables = self.tables()
        functions = []
        for _ in range(r.choice([0, 1, 1, 1, 2])):
            functions.append(self.function(functions, tables))
        if r.random() < 0.15:
            functions.append(self.chooser(functions))
        fields = [("x%d" % k, self.any_type()) for k in range(r.randint(1, 4))] + [("w0", "u32")]
        self.declarations.append(Statement("struct %s_state { u32 h; %s };" % (self.name, " ".join("%s %s;" % (t, f) for f, t in fields))))
        shared = (self.fresh("shared"), self.any_type())
        self.declarations.append(Statement("SHARED %s %s[%d];" % (shared[1], shared[0], threads)))
        operation = r.choice(["add", "and", "or", "xor", "max", "smin", "smax", "add_loop"])
        sums = (self.fresh("sums"), operation)
        self.declarations.append(Statement("SHARED u32 %s[8];" % sums[0]))
        steps = []
        for k in range(r.choice([1, 1, 2])):
            writes = k == 0 or r.random() < 0.5
            name = self.phase(fields, functions, tables, shared, writes)
            run = Statement("EACH %s(&STATE, in, out + (BLOCK * %d + THREAD) * OUT_WORDS, global + (BLOCK * %d + THREAD) * MINE_WORDS, THREAD);" % (name, threads, threads), "COLLECT")
            if r.random() < 0.5:
                meet = [self.together(fields, threads, sums) for _ in range(r.randint(1, 3))]
                if r.random() < 0.3:
                    run = Statement("for (u32 k = 0; k < %d; k++) {" % r.choice([2, 3]), [run] + meet, "}")
                    steps.append(run)
                else:
                    steps += [run] + meet
            else:
                steps.append(run)
        self.kernel(fields, threads, shared, sums, steps)
        return Program(self.name, self.declarations, threads, blocks)

    def kernel(self, fields, threads, shared, sums, steps):
        r = self.r
        first = ["STATE.h = THREAD + BLOCK * 1000;"]
        for f, t in fields:
            u = {"f32": "u32", "f64": "u64"}.get(t, t)
            word = "in[(THREAD * %d + BLOCK + %d) & (IN_WORDS - 1)]" % (r.choice([1, 3, 5, 7]), r.randrange(256))
            value = "(%s)(%s)" % (u, word if BITS[t] < 64 else "(u64)%s << 32 | in[(THREAD + %d) & (IN_WORDS - 1)]" % (word, r.randrange(256)))
            first.append("STATE.%s = %s;" % (f, value if u == t else "(%s)%s" % (t, value) if r.random() < 0.4 else "from_bits(%s)" % value))
        first.append("%s[THREAD] = 0;" % shared[0])
        first.append("if (THREAD < 8) %s[THREAD] = in[THREAD];" % sums[0])
        last = ["out[(BLOCK * %d + THREAD) * OUT_WORDS + 6] = fold(0, STATE.%s);" % (threads, r.choice(fields)[0])]
        last += ["STATE.h = fold(STATE.h, STATE.%s);" % f for f, _ in fields]
        last.append("out[(BLOCK * %d + THREAD) * OUT_WORDS + 7] = STATE.h;" % threads)
        last.append("atomic_%s(sums + (THREAD & (SUMS - 1)), STATE.h);" % r.choice(["add", "xor"]))
        self.declarations.append(Statement(
            "PROGRAM(%s)" % self.name, "{", [Statement("STATES(%s_state, %d);" % (self.name, threads), fixed=True)]
            + [Statement("EACH {", *["    " + s for s in first], "}", "COLLECT", fixed=True)] + steps
            + [Statement("EACH {", *["    " + s for s in last], "}")], "}"))


class Program:
    """A generated program: `declarations` is the tree."""

    def __init__(self, name, declarations, threads, blocks):
        self.name, self.declarations, self.threads, self.blocks = name, declarations, threads, blocks

    def text(self):
        out = []
        for d in self.declarations:
            d.render(out, 0)
        return "\n".join(out) + "\n"


def program(seed, index):
    """Program `index` of the sequence that `seed` begins."""
    return Generator("%d.%d" % (seed, index), "p%d" % index).program()


def file_of(programs):
    """The text of a file with these programs."""
    rows = "".join('    {"%s", %d, %d, %s},\n' % (p.name, p.blocks, p.threads, p.name) for p in programs)
    return '#include "tests/random/program.h"\n\n%s\n#ifndef __CUDA__\nextern "C" const random_program random_programs[] = {\n%s    {0, 0, 0, 0}};\n#endif\n' % (
        "\n".join(p.text() for p in programs), rows)
