"""Writes random programs in the CUDA C of program.h: one seed and index, one program, always the same.

Loops have bounds and recursion has a depth; the values and expressions are those of expressions.py. A program is a tree
of statements, so that reduce.py can take statements away and leave something that compiles."""

from expressions import BITS, FLOATS, INTEGERS, Expressions, Function, Scope

IN_WORDS, MINE_WORDS = 256, 16  # as in program.h
PHASE = "(struct %s_state *s, const u32 *in, u32 *out, u32 *mine, u32 thread)"
RUN_PHASE = ("EACH %s(&STATE, in, out + (BLOCK * %d + THREAD) * OUT_WORDS, "
             "global + (BLOCK * %d + THREAD) * MINE_WORDS, THREAD);")
FILE = '''#include "tests/random/program.h"

%s
#ifndef __CUDA__
extern "C" const random_program random_programs[] = {
%s    {0, 0, 0, 0}};
#endif
'''


class Statement:
    """text, or text around blocks: parts alternates strings and lists of statements."""

    def __init__(self, *parts, fixed=False):
        self.parts = list(parts)
        self.fixed = fixed  # gives something its first value, or bounds a recursion: not to be taken away

    def render(self, out, indent):
        for p in self.parts:
            if isinstance(p, str):
                out.append("    " * indent + p)
            else:
                for s in p:
                    s.render(out, indent + 1)

    def blocks(self):
        return [p for p in self.parts if isinstance(p, list)]


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
    return FILE % ("\n".join(p.text() for p in programs), rows)


class Statements(Expressions):
    """Makes statements, with expressions in them."""

    def __init__(self, seed, name):
        super().__init__(seed)
        self.name = name
        self.counter = 0
        self.loops = 0  # around the place, as far as `break` and `continue` can reach
        self.returns = None  # the type that `return` gives, "" for none, None where there may be no return

    def fresh(self, stem):
        self.counter += 1
        return "%s_%s%d" % (self.name, stem, self.counter)

    def assignment(self):
        r = self.r
        arrays = [a for a in self.scope.arrays if a[3]]
        if arrays and r.random() < 0.3:
            return self.element_assignment(*r.choice(arrays))
        target, t = r.choice(self.scope.targets)
        kind, value = r.random(), self.expression(t, 2)
        if t in FLOATS and kind < 0.3:
            return Statement("%s %s= %s;" % (target, r.choice("+-*"), value))
        if t in ("u32", "u64") and kind < 0.3:
            return Statement("%s %s= %s;" % (target, r.choice("+-*&|^"), value))
        if t in ("u32", "u64") and kind < 0.4:
            return Statement("%s%s;" % (target, r.choice(["++", "--"])))
        return Statement("%s = %s;" % (target, value))

    def element_assignment(self, name, t, length, _):
        if t not in FLOATS and BITS[t] > 8 and self.r.random() < 0.1:
            # one byte of it. Not of floating-point numbers: the bytes of a NaN may differ
            byte = "(%s) & %d" % (self.expression("u32", 1), length * BITS[t] // 8 - 1)
            return Statement("((u8 *)%s)[%s] = %s;" % (name, byte, self.expression("u8", 2)))
        return Statement("%s[%s] = %s;" % (name, self.index(length, 1), self.expression(t, 2)))

    def block(self, size, depth):
        return [self.statement(depth) for _ in range(self.r.randint(1, size))]

    def statement(self, depth):
        kind = self.r.random()
        self.cost += self.trips
        if depth <= 0 or kind < 0.42:
            return self.assignment()
        if kind < 0.50:
            return Statement("h = fold(h, %s);" % self.expression(self.any_type(), 2))
        if kind < 0.68:
            return self.branch(depth)
        if kind < 0.86 and self.trips < 150:
            return self.loop(depth)
        if kind < 0.92:
            return self.switch(depth)
        return self.jump(depth)

    def branch(self, depth):
        parts = ["if (%s) {" % self.condition(1), self.block(3, depth - 1)]
        if self.r.random() < 0.5:
            parts += ["} else {", self.block(3, depth - 1)]
        return Statement(*parts, "}")

    def loop_text(self, i, t, n):
        """Head, tail and the highest number of trips of a loop that counts with i, of type t."""
        kind = self.r.randrange(6)
        if kind == 0:
            return "for (%s %s = 0; %s < %d; %s++) {" % (t, i, i, n, i), "}", n
        if kind == 1:
            last = self.expression("u32", 2)
            return "for (%s %s = 0, n%s = (%s)((%s) & 7); %s < n%s; %s++) {" % (t, i, i, t, last, i, i, i), "}", 7
        if kind == 2:
            return "for (%s %s = %d; %s > 0; %s--) {" % (t, i, n, i, i), "}", n
        if kind == 3:
            return "for (%s %s = 0; %s < %d && %s; %s++) {" % (t, i, i, n, self.condition(1), i), "}", n
        if kind == 4:
            return "{ %s %s = 0; while (%s++ < %d) {" % (t, i, i, n), "} }", n
        return "{ %s %s = 0; do {" % (t, i), "} while (++%s < %d && %s); }" % (i, n, self.condition(1)), n

    def loop(self, depth):
        self.counter += 1
        i, t = "i%d" % self.counter, self.r.choice(["u32", "u32", "s32", "u8", "s64", "s16"])
        head, tail, trips = self.loop_text(i, t, self.r.choice([2, 3, 4, 5, 8]))
        trips_before, self.trips = self.trips, self.trips * trips
        self.loops += 1
        self.scope.values.append((i, t))
        body = self.block(4, depth - 1)
        self.scope.values.pop()
        self.loops -= 1
        self.trips = trips_before
        return Statement(head, body, tail)

    def switch(self, depth):
        r = self.r
        sparse = [0, 1, 7, 31, 77, 100, 1000, 65535, 1 << 20]
        cases = r.sample(range(12), r.randint(2, 6)) if r.random() < 0.7 else r.sample(sparse, 4)
        parts = ["switch ((u32)(%s) %% %du) {" % (self.expression("u32", 2), r.choice([5, 7, 13, 1000]))]
        loops, self.loops = self.loops, 0  # a break in here is the switch's
        for c in cases:
            parts += ["case %du:" % c, self.block(2, depth - 1)]
            if r.random() < 0.7:
                parts.append("    break;")
        if r.random() < 0.6:
            parts += ["default:", self.block(2, depth - 1)]
        self.loops = loops
        return Statement(*parts, ";", "}")

    def jump(self, depth):
        """Leaves a loop, the function, or nested blocks, under a condition."""
        kind = self.r.random()
        if self.loops and kind < 0.6:
            return self.leave(self.r.choice(["break", "continue"]))
        if self.returns is not None and kind < 0.75:
            return self.leave("return " + self.expression(self.returns, 2) if self.returns else "return")
        label = self.fresh("out")
        inside = self.block(2, depth - 1)
        place = self.r.choice([inside] + [b for s in inside for b in s.blocks()])
        place.insert(self.r.randint(0, len(place)), Statement("if (%s) goto %s;" % (self.condition(1), label)))
        return Statement("{", inside, "}", "%s:;" % label)

    def leave(self, how):
        return Statement("if (%s) {" % self.condition(2), self.block(1, 0), "    %s;" % how, "}")


class Generator(Statements):
    """Makes programs."""

    def __init__(self, seed, name):
        super().__init__(seed, name)
        self.declarations = []  # of the file's scope

    def begin(self, returns):
        """A new function."""
        self.scope = Scope()
        self.trips, self.cost, self.loops, self.returns = 1, 1, 0, returns

    def locals_of(self, count):
        """Variables and arrays, all given a value."""
        out, scope = [], self.scope
        for k in range(count):
            t, name = self.any_type(), "v%d" % k
            out.append("%s %s = %s;" % (t, name, self.expression(t, 1)))
            scope.values.append((name, t))
            scope.targets.append((name, t))
            scope.pointers.append(("&" + name, t))
        for k in range(self.r.choice([0, 0, 1, 1, 2])):
            t, length, name = self.r.choice(INTEGERS + FLOATS), self.r.choice([2, 4, 8, 16]), "a%d" % k
            out.append("%s %s[%d];" % (t, name, length))
            fill = "for (u32 i = 0; i < %d; i++) %s[i] = (%s)(%s + i);"
            out.append(fill % (length, name, t, self.expression("u8", 1)))
            scope.arrays.append((name, t, length, True))
        return [Statement(text, fixed=True) for text in out]

    def tables(self):
        """Read-only arrays in constant and global memory."""
        out = []
        for k in range(self.r.choice([0, 1, 2])):
            t, length, name = self.any_type(), self.r.choice([4, 8, 16]), self.fresh("table")
            values = ", ".join(self.table_value(t) for _ in range(length))
            where = self.r.choice(["CONSTANT", "TABLE"])
            self.declarations.append(Statement("%s const %s %s[%d] = {%s};" % (where, t, name, length, values)))
            out.append((name, t, length, False))
        return out

    def table_value(self, t):
        return "%r" % round(self.r.uniform(-99, 99), 3) if t in FLOATS else self.constant(t)

    # ---- functions ----

    def function(self, functions, tables):
        r = self.r
        returns, name, recursive = self.any_type(), self.fresh("f"), r.random() < 0.2
        # ptxas takes ld.param.s8 and cvt.u32.u16 for one conversion of the signed byte to 32 bits
        types = [self.any_type().replace("s8", "s16") for _ in range(r.randint(1, 4))]
        parameters = [("p%d" % k, t) for k, t in enumerate(types)]
        by_pointer = r.choice([None, None, self.any_type()])
        self.begin(returns)
        self.scope.arrays += tables
        self.scope.functions += functions
        self.scope.values += parameters
        self.scope.targets += parameters
        given = ["%s %s" % (t, n) for n, t in parameters]
        if by_pointer:
            self.scope.values.append(("(*q)", by_pointer))
            self.scope.targets.append(("(*q)", by_pointer))
            self.scope.pointers.append(("q", by_pointer))
            given.append("%s *q" % by_pointer)
        names = [n for n, _ in parameters] + (["q"] if by_pointer else [])
        body = [Statement("u32 h = 1;", fixed=True)] + self.locals_of(r.randint(1, 4))
        self.scope.values.append(("h", "u32"))
        if recursive:
            body += self.recursion(name, returns, types, by_pointer)
            self.cost *= 5
        else:
            body += self.block(4, 2)
        result = self.as_type(returns, "u32", "h + %s" % self.expression("u32", 2))
        kind = "FAR" if recursive else r.choice(["FAR", "FAR", "FREE", "NEAR"])
        head = "%s %s %s(%s)" % (kind, returns, name, ", ".join(given + ["u32 left"] * recursive))
        self.declarations.append(Statement(head, "{", body, "    return %s;" % result, "}"))
        if recursive:
            name = self.first_call(name, returns, given, names)
        return Function(name, returns, types, self.cost, by_pointer)

    def recursion(self, name, returns, types, by_pointer):
        """The statements of a function that calls itself while `left` is not zero."""
        out = [Statement("if (left == 0) return %s;" % self.expression(returns, 2), fixed=True)] + self.block(4, 2)
        arguments = [self.expression(t, 1) for t in types] + (["q"] if by_pointer else []) + ["left - 1"]
        again = Statement("h = fold(h, %s(%s));" % (name, ", ".join(arguments)))
        if self.r.random() < 0.5:
            again = Statement("if (%s) {" % self.condition(1), [again], "}")
        return out + [again] + self.block(2, 1)

    def first_call(self, name, returns, given, names):
        outer = self.fresh("f")
        text = "NEAR %s %s(%s) { return %s(%s, %d); }"
        self.declarations.append(Statement(
            text % (returns, outer, ", ".join(given), name, ", ".join(names), self.r.randint(1, 5)), fixed=True))
        return outer

    def chooser(self, functions):
        """A call through a pointer to one of two functions."""
        names = [self.fresh("g"), self.fresh("g")]
        for name in names:
            self.begin(None)
            self.scope.values += [("a", "u32"), ("b", "u32")]
            self.scope.functions += functions
            value = self.expression("u32", 3)
            self.declarations.append(Statement("FAR u32 %s(u32 a, u32 b) { return %s; }" % (name, value)))
        chosen = self.fresh("f")
        choice = Statement("u32 (*f)(u32, u32) = c & 1 ? %s : %s;" % tuple(names), fixed=True)
        self.declarations.append(Statement("NEAR u32 %s(u32 a, u32 b, u32 c)" % chosen, "{",
                                           [choice], "    return f(a, b);", "}"))
        return Function(chosen, "u32", ["u32"] * 3, 10 + 2 * max([f.cost for f in functions] + [0]))

    # ---- the whole ----

    def phase(self, fields, functions, tables, shared, writes):
        """A function that every thread runs between two barriers. It reads `shared` or writes its own element."""
        r, name = self.r, self.fresh("phase")
        self.begin("" if r.random() < 0.7 else None)
        scope = self.scope
        scope.values += [("s->" + f, t) for f, t in fields] + [("thread", "u32")]
        scope.targets += [("s->" + f, t) for f, t in fields]
        scope.pointers += [("&s->" + f, t) for f, t in fields]
        scope.arrays += tables + [("in", "u32", IN_WORDS, False), ("mine", "u32", MINE_WORDS, True)]
        scope.functions += functions
        if not writes:
            scope.arrays.append((shared[0], shared[1], 32, False))
        first = [Statement("u32 h = s->h;", fixed=True)] + self.locals_of(r.randint(1, 4))
        scope.values.append(("h", "u32"))
        body = self.block(5, 3)
        seen = Statement("out[%d] = fold(h, %s);" % (r.randrange(6), self.expression(self.any_type(), 2)))
        body.insert(r.randint(0, len(body)), seen)
        if writes:
            body.append(Statement("%s[thread] = %s;" % (shared[0], self.expression(shared[1], 2))))
        head = "%s void %s%s" % (r.choice(["FAR", "NEAR", "NEAR"]), name, PHASE % self.name)
        self.declarations.append(Statement(head, "{", first + body + [Statement("s->h = h;")], "}"))
        return name

    def meeting(self, fields, threads, sums):
        """A statement of the kernel in which the threads have to do with each other."""
        r = self.r
        words = [f for f, t in fields if t == "u32"] + ["h"]
        to, source, third = (r.choice(words) for _ in range(3))
        kind = r.randrange(8) if threads % 32 == 0 else 7
        if kind < 3:
            way = r.choice(["idx", "up", "down", "bfly"])
            amount = "(STATE.%s & 31)" % third if way == "idx" and r.random() < 0.7 else str(r.randrange(32))
            return Statement("SHUFFLE(%s, %s, %s, %s)" % (to, source, way, amount))
        if kind < 5:
            return Statement("%s(%s, %s)" % (r.choice(["BALLOT", "ALL", "ANY"]), to, source))
        name, operation = sums
        guard = r.choice(["", "", "if (STATE.%s & 1) " % third])
        where = r.choice(["%s + (STATE.%s & 7)" % (name, to), "%s + %d" % (name, r.randrange(8)), name])
        return Statement("EACH %satomic_%s(%s, STATE.%s);" % (guard, operation, where, source), "COLLECT",
                         "EACH STATE.%s = fold(STATE.%s, %s[STATE.%s & 7]);" % (to, to, name, third), "COLLECT")

    def step(self, phase, fields, threads, sums):
        """A phase and perhaps what comes after it, once or several times."""
        run = Statement(RUN_PHASE % (phase, threads, threads), "COLLECT")
        if self.r.random() < 0.5:
            return [run]
        all_of_it = [run] + [self.meeting(fields, threads, sums) for _ in range(self.r.randint(1, 3))]
        if self.r.random() < 0.3:
            return [Statement("for (u32 k = 0; k < %d; k++) {" % self.r.choice([2, 3]), all_of_it, "}")]
        return all_of_it

    def program(self):
        r = self.r
        threads, blocks = r.choice([32, 32, 64, 64, 96, 37, 70]), r.choice([1, 2])
        tables, functions = self.tables(), []
        for _ in range(r.choice([0, 1, 1, 1, 2])):
            functions.append(self.function(functions, tables))
        if r.random() < 0.15:
            functions.append(self.chooser(functions))
        fields = [("x%d" % k, self.any_type()) for k in range(r.randint(1, 4))] + [("w0", "u32")]
        shared = (self.fresh("shared"), self.any_type())
        sums = (self.fresh("sums"), r.choice(["add", "and", "or", "xor", "max", "smin", "smax", "add_loop"]))
        members = " ".join("%s %s;" % (t, f) for f, t in fields)
        self.declarations.append(Statement("struct %s_state { u32 h; %s };" % (self.name, members)))
        self.declarations.append(Statement("SHARED %s %s[%d];" % (shared[1], shared[0], threads)))
        self.declarations.append(Statement("SHARED u32 %s[8];" % sums[0]))
        steps = []
        for k in range(r.choice([1, 1, 2])):
            phase = self.phase(fields, functions, tables, shared, k == 0 or r.random() < 0.5)
            steps += self.step(phase, fields, threads, sums)
        self.kernel(fields, threads, shared, sums, steps)
        return Program(self.name, self.declarations, threads, blocks)

    def first_value(self, t):
        """A thread's value of type t, out of the input."""
        r = self.r
        word = "in[(THREAD * %d + BLOCK + %d) & (IN_WORDS - 1)]" % (r.choice([1, 3, 5, 7]), r.randrange(IN_WORDS))
        if BITS[t] == 64:
            word = "(u64)%s << 32 | in[(THREAD + %d) & (IN_WORDS - 1)]" % (word, r.randrange(IN_WORDS))
        if t in FLOATS and r.random() < 0.6:
            return "from_bits(%s)" % word
        return "(%s)(%s)" % (t, word)

    def kernel(self, fields, threads, shared, sums, steps):
        first = ["STATE.h = THREAD + BLOCK * 1000;"]
        first += ["STATE.%s = %s;" % (f, self.first_value(t)) for f, t in fields]
        first += ["%s[THREAD] = 0;" % shared[0], "if (THREAD < 8) %s[THREAD] = in[THREAD];" % sums[0]]
        out = "out[(BLOCK * %d + THREAD) * OUT_WORDS + " % threads
        last = [out + "6] = fold(0, STATE.%s);" % self.r.choice(fields)[0]]
        last += ["STATE.h = fold(STATE.h, STATE.%s);" % f for f, _ in fields] + [out + "7] = STATE.h;"]
        last.append("atomic_%s(sums + (THREAD & (SUMS - 1)), STATE.h);" % self.r.choice(["add", "xor"]))
        each = lambda lines: Statement("EACH {", *["    " + text for text in lines], "}", "COLLECT", fixed=True)
        states = Statement("STATES(%s_state, %d);" % (self.name, threads), fixed=True)
        body = [states, each(first)] + steps + [each(last)]
        self.declarations.append(Statement("PROGRAM(%s)" % self.name, "{", body, "}"))
