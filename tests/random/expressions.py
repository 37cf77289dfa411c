"""Random expressions in the CUDA C of program.h.

What C leaves undefined or to the implementation is kept out by construction: arithmetic on signed integers goes through
unsigned ones or stays small, shift amounts and array indices are masked, conversions to integers check the range."""

import random

INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f32", "f64"]
BITS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64, "f32": 32, "f64": 64}
COST_LIMIT = 3000  # loop trips times statements that one thread may run in one function

TYPE_WEIGHTS = {"u8": 2, "s8": 2, "u16": 2, "s16": 2, "u32": 6, "s32": 5, "u64": 4, "s64": 3, "f32": 5, "f64": 4}
INTEGER_WEIGHTS = {"u8": 1, "s8": 1, "u16": 1, "s16": 1, "u32": 4, "s32": 3, "u64": 2, "s64": 2}
SMALL_INTEGERS = [0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 63, 100, 255]
DIVISORS = [2, 3, 4, 5, 7, 10, 16, 60, 64, 100, 127]
PLAIN_FLOATS = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "0.1", "1e10", "-1e-10", "255.0", "16777217.0", "1e30"]
ODD_FLOATS = {"f32": ["1e-40", "3e38", "1.17549435e-38", "2147483648.0"],
              "f64": ["5e-324", "1.7e308", "2.2250738585072014e-308", "9007199254740993.0"]}
ODD_FLOAT_BITS = [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001, 0x807FFFFF]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


def wide(t):
    """The unsigned type in which arithmetic on t wraps around."""
    return "u64" if BITS[t] == 64 else "u32"


def unsigned(t, value):
    """A number as a constant of wide(t)."""
    return "%d%s" % (value, "ull" if BITS[t] == 64 else "u")


class Scope:
    """What an expression may name."""

    def __init__(self):
        self.values = []  # (text, type): readable
        self.targets = []  # (text, type): writable
        self.arrays = []  # (name, type, length, writable); the length is a power of two
        self.functions = []
        self.pointers = []  # (text, type) of what a function may be given to write to


class Function:
    def __init__(self, name, returns, parameters, cost, by_pointer=None):
        self.name, self.returns, self.parameters, self.cost = name, returns, parameters, cost
        self.by_pointer = by_pointer  # type of a last parameter that is a pointer


class Expressions:
    """Makes expressions of what self.scope has."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.scope = Scope()
        self.trips = 1  # how often the place is reached
        self.cost = 0  # statements run so far, those of functions included

    def weighted(self, weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def any_type(self):
        return self.weighted(TYPE_WEIGHTS)

    def integer_type(self):
        return self.weighted(INTEGER_WEIGHTS)

    # ---- constants and leaves ----

    def float_constant(self, t):
        r, kind = self.r, self.r.random()
        suffix = "f" if t == "f32" else ""
        if kind < 0.1:
            bits = r.choice(ODD_FLOAT_BITS)
            return "from_bits(%s)" % unsigned(t, bits if t == "f32" else bits << 32 | r.choice([0, 1]))
        if kind < 0.4:
            return "%r%s" % (round(r.uniform(-1000, 1000), r.randrange(4)), suffix)
        return r.choice(PLAIN_FLOATS + ODD_FLOATS[t]) + suffix

    def constant(self, t):
        if t in FLOATS:
            return self.float_constant(t)
        r, bits, kind = self.r, BITS[t], self.r.random()
        if kind < 0.5:
            v = r.choice(SMALL_INTEGERS)
        elif kind < 0.75:
            v = (1 << r.randrange(bits)) + r.choice([-1, 0, 1])
        else:
            v = r.getrandbits(bits)
        v &= (1 << bits) - 1
        if t[0] == "u":
            return "(%s)%s" % (t, unsigned(t, v))
        v &= (1 << (bits - 1)) - 1
        return "(%s)%s%d%s" % (t, r.choice(["", "", "-"]), v, "ll" if bits == 64 else "")

    def as_type(self, t, vt, text):
        """text, of type vt, as a t."""
        if vt == t:
            return text
        if vt in FLOATS and t not in FLOATS:
            return "to_%s(%s, %s)" % (t, text, self.constant(t))
        if vt == "u32" and t in FLOATS:
            return "(%s)%s(%s)" % (t, self.r.choice(["small", "large"]), text)
        return "(%s)(%s)" % (t, text)

    def leaf(self, t):
        r, kind = self.r, self.r.random()
        same = [v for v, vt in self.scope.values if vt == t]
        arrays = [a for a in self.scope.arrays if a[1] == t]
        if kind < 0.15 or not self.scope.values:
            return self.constant(t)
        if arrays and kind < 0.35:
            a = r.choice(arrays)
            return "%s[%s]" % (a[0], self.index(a[2], 0))
        if same and kind < 0.85:
            return r.choice(same)
        v, vt = r.choice(self.scope.values)
        return self.as_type(t, vt, v)

    def index(self, length, depth):
        if self.r.random() < 0.25:
            return str(self.r.randrange(length))
        t = self.r.choice(["u32", "u32", "s32", "u8", "u64", "u16"])
        return "(%s) & %d" % (self.expression(t, depth), length - 1)

    # ---- expressions of any type ----

    def expression(self, t, depth):
        r, kind = self.r, self.r.random()
        if depth <= 0 or kind < 0.12:
            return self.leaf(t)
        if kind < 0.22 and self.scope.functions:
            call = self.call(t, depth - 1)
            if call:
                return call
        if kind > 0.92:
            a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
            return "(%s ? %s : %s)" % (self.condition(depth - 1), a, b)
        make = r.choice(FLOATING if t in FLOATS else INTEGRAL)
        return make(self, t, depth - 1)

    def call(self, t, depth):
        """A call, or None where none can be afforded."""
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
        return self.as_type(t, f.returns, "%s(%s)" % (f.name, ", ".join(arguments)))

    def condition(self, depth):
        r, kind = self.r, self.r.random()
        if depth > 0 and kind < 0.25:
            how = r.choice(["&&", "||", "&&", "||", "!=", "=="])
            return "(%s %s %s)" % (self.condition(depth - 1), how, self.condition(depth - 1))
        if kind < 0.3:
            return "!%s" % self.condition(depth - 1)
        t = self.any_type()
        a = self.expression(t, depth)
        if t not in FLOATS and kind < 0.5:
            return "((%s & %s) %s 0)" % (a, self.constant(t), r.choice(["==", "!="]))
        return "(%s %s %s)" % (a, r.choice(COMPARISONS), self.expression(t, depth))

    def extreme(self, t, depth):
        a, b = self.expression(t, depth), self.expression(t, depth)
        if len(a) + len(b) > 80:
            return self.as_type(t, t, a)
        return "(%s %s %s ? %s : %s)" % (a, self.r.choice(["<", ">", "<=", ">="]), b, a, b)

    # ---- integers ----

    def sum_or_logic(self, t, depth):
        w, how = wide(t), self.r.choice(["+", "-", "*", "&", "|", "^"])
        return "(%s)((%s)%s %s (%s)%s)" % (t, w, self.expression(t, depth), how, w, self.expression(t, depth))

    def product_and_sum(self, t, depth):
        w, (a, b, c) = wide(t), (self.expression(t, depth) for _ in range(3))
        return "(%s)((%s)%s * (%s)%s %s (%s)%s)" % (t, w, a, w, b, self.r.choice("+-"), w, c)

    def division(self, t, depth):
        how = self.r.choice(["quotient", "remainder"])
        return "%s(%s, %s)" % (how, self.expression(t, depth), self.expression(t, depth))

    def division_by_constant(self, t, depth):
        return "(%s)(%s %s %d)" % (t, self.expression(t, depth), self.r.choice("/%"), self.r.choice(DIVISORS))

    def left_shift(self, t, depth):
        amount = self.expression("u32", depth)
        return "(%s)((%s)%s << (%s & %d))" % (t, wide(t), self.expression(t, depth), amount, BITS[t] - 1)

    def right_shift(self, t, depth):
        amount = self.expression(self.r.choice(["u32", "s32", t]), depth)
        return "(%s)(%s >> (%s & %d))" % (t, self.expression(t, depth), amount, BITS[t] - 1)

    def shift_by_constant(self, t, depth):
        how = self.r.choice(["<<", ">>"])
        return "(%s)((%s)%s %s %d)" % (t, wide(t), self.expression(t, depth), how, self.r.randrange(BITS[t]))

    def complement(self, t, depth):
        """Complement or negation. ptxas joins neg.s16 with a conversion that follows, and -(-32768) becomes 32768."""
        how = self.r.choice(["~", "0 - "]) if BITS[t] >= 32 else "~"
        return "(%s)(%s(%s)%s)" % (t, how, wide(t), self.expression(t, depth))

    def bit_function(self, t, depth):
        name, also = self.r.choice([("popcountll", ""), ("clzll", " | 1"), ("ctzll", " | (u64)1 << 40"),
                                    ("bswap64", ""), ("bitreverse64", ""), ("bswap32", ""), ("bitreverse32", "")])
        return "(%s)__builtin_%s((u64)%s%s)" % (t, name, self.expression(t, depth), also)

    def truth(self, t, depth):
        return "(%s)%s" % (t, self.condition(depth))

    def overflow(self, t, depth):
        how = self.r.choice(["plus", "minus"])
        return "%s_overflow(%s, %s)" % (how, self.expression(t, depth), self.expression(t, depth))

    def bit_field(self, t, depth):
        low = self.r.randrange(BITS[t])
        mask = (1 << self.r.randrange(1, BITS[t] - low + 1)) - 1
        return "(%s)((%s)%s >> %d & %s)" % (t, wide(t), self.expression(t, depth), low, unsigned(t, mask))

    def bit_insertion(self, t, depth):
        n, w = BITS[t], wide(t)
        mask = unsigned(t, ((1 << self.r.randrange(1, n)) - 1) << self.r.randrange(n) & ((1 << n) - 1))
        a, b = self.expression(t, depth), self.expression(t, depth)
        return "(%s)(((%s)%s & ~%s) | ((%s)%s & %s))" % (t, w, a, mask, w, b, mask)

    def small_signed(self, t, depth):
        """Small enough for plain signed arithmetic."""
        result, operand = self.r.choice([("s32", "s16"), ("s32", "s8"), ("s64", "s32"), ("s32", "u8")])
        a, b = ("(%s)%s" % (result, self.expression(operand, depth)) for _ in range(2))
        return "(%s)(%s %s %s)" % (t, a, self.r.choice("**-"), b)

    def high_product(self, t, depth):
        big = self.r.choice(["u32", "s32", "u64", "s64"])
        return "(%s)high(%s, %s)" % (t, self.expression(big, depth), self.expression(big, depth))

    def words_of_two(self, t, depth):
        a, b = self.expression("u64", depth), self.expression("u64", depth)
        how = self.r.choice(["wide_sum", "wide_difference", "wide_shift"])
        return "(%s)%s(%s, %s, %s)" % (t, how, a, b, self.expression("u32" if how == "wide_shift" else "u64", depth))

    def bytes_of_two(self, t, depth):
        down, up = self.r.choice([(0, 8), (8, 0), (24, 16), (16, 24), (8, 24)])
        a, b = self.expression("u32", depth), self.expression("u32", depth)
        return "(%s)((%s >> %d & 255u) << %d | (%s & 0xff0000ffu))" % (t, a, down, up, b)

    def funnel(self, t, depth):
        a, b, n = (self.expression("u32", depth) for _ in range(3))
        return "(%s)((((u64)%s << 32) | %s) >> (%s & 31))" % (t, a, b, n)

    def bits_of_float(self, t, depth):
        return "(%s)bits(%s)" % (t, self.expression(self.r.choice(FLOATS), depth))

    def other_type(self, t, depth):
        other = self.any_type()
        return self.as_type(t, other, self.expression(other, depth))

    # ---- floating point ----

    def float_arithmetic(self, t, depth):
        how = self.r.choice(["+", "-", "*", "+", "-", "*", "/"])
        return "(%s %s %s)" % (self.expression(t, depth), how, self.expression(t, depth))

    def separate_sum(self, t, depth):
        return "(%s * %s + %s)" % tuple(self.expression(t, depth) for _ in range(3))

    def joined_sum(self, t, depth):
        return "joined(%s, %s, %s)" % tuple(self.expression(t, depth) for _ in range(3))

    def negation(self, t, depth):
        return "(- %s)" % self.expression(t, depth)

    def float_function(self, t, depth):
        name = self.r.choice(["magnitude", "whole", "below", "above", "nearest", "root"])
        return "%s(%s)" % (name, self.expression(t, depth))

    def float_function_of_two(self, t, depth):
        name = self.r.choice(["sign_of", "least", "most"])
        return "%s(%s, %s)" % (name, self.expression(t, depth), self.expression(t, depth))

    def float_of_bits(self, t, depth):
        return "from_bits(%s)" % self.expression("u32" if t == "f32" else "u64", depth)

    def float_by_constant(self, t, depth):
        return "(%s / %s)" % (self.expression(t, depth), self.constant(t))

    def float_of_integer(self, t, depth):
        other = self.integer_type()
        return self.as_type(t, other, self.expression(other, depth))

    def other_float(self, t, depth):
        return "(%s)(%s)" % (t, self.expression("f64" if t == "f32" else "f32", depth))


E = Expressions
INTEGRAL = [E.sum_or_logic] * 6 + [
    E.product_and_sum, E.division, E.division_by_constant, E.left_shift, E.right_shift, E.shift_by_constant,
    E.complement, E.bit_function, E.truth, E.extreme, E.overflow, E.bit_field, E.bit_insertion, E.small_signed,
    E.high_product, E.words_of_two, E.bytes_of_two, E.funnel, E.bits_of_float, E.other_type]
FLOATING = [E.float_arithmetic] * 8 + [E.float_of_integer] * 2 + [E.other_float] * 2 + [
    E.separate_sum, E.joined_sum, E.negation, E.float_function, E.float_function_of_two, E.float_of_bits, E.extreme,
    E.float_by_constant]
