#!/usr/bin/env python3
"""Random kernels under --check race, beside a model that knows every access of every thread.

A kernel is a list of loads, stores and relaxed atomics of shared memory and of two buffers, some of every other thread only,
with barriers of the block or of the warp and fences between them, without branches: what a thread accesses follows from its number, its block's and the list. The model compares all pairs of
accesses by the rules of docs/checks.md. Each finding must be one of its pairs; and where it has a pair in a space, the
check must have a finding there.

    races.py [--seed N] [--count N] [--keep DIRECTORY] [--reprise PATH]...   (several: findings must be the same)
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

BARRIER, WARP_BARRIER, FENCE = "bar.sync 0;", "bar.warp.sync 0xffffffff;", "membar.gl;"
WORDS = {"shared": 1024, "first": 64, "second": 64}
WARP = 32


class Access:
    def __init__(self, r):
        self.space = r.choice(["shared", "shared", "first", "second"])
        self.kind = r.choice(["load", "load", "load", "store", "store", "atomic"])
        self.scope = r.choice(["gpu", "gpu", "cta"])  # of an atomic
        self.bytes = 4 if self.kind == "atomic" else r.choice([1, 2, 4, 4, 4, 8])
        self.by_thread, self.by_block, self.plus = r.choice([0, 1, 1, 1, 2, 3, 31]), r.choice([0, 0, 1, 7, 32]), r.randrange(64)
        self.pieces = r.choice([0, 0, 0, 1, 3, 7, 15])  # else: so many threads and one are neighbours, as many cells lie between
        self.threads = r.choice([None, None, None, 1, 2, 8])  # else: those with this bit

    def where(self, other):
        """Accesses what the other does, or what its neighbours do."""
        self.space, self.bytes, self.pieces, self.by_thread, self.by_block = (
            other.space, other.bytes, other.pieces, other.by_thread, other.by_block)
        self.plus = other.plus + [0, 0, 1, 32][self.plus % 4] * other.by_thread
        self.kind = "load" if self.kind == "atomic" else self.kind

    def cells(self):
        return WORDS[self.space] * 4 // self.bytes

    def at(self, block, thread):
        if self.pieces:
            return (2 * thread - (thread & self.pieces) + self.plus % 4) % self.cells() * self.bytes
        return (thread * self.by_thread + block * self.by_block + self.plus) % self.cells() * self.bytes

    def ptx(self):
        base = {"shared": "%shared", "first": "%first", "second": "%second"}[self.space]
        space = "shared" if self.space == "shared" else "global"
        suffix = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[self.bytes]
        index = ["mad.lo.u32 %x, %thread, {}, {};".format(self.by_thread, self.plus),
                 "mad.lo.u32 %x, %block, {}, %x;".format(self.by_block)]
        if self.pieces:
            index = ["and.b32 %x, %thread, {}; mad.lo.u32 %y, %thread, 2, {};".format(self.pieces, self.plus % 4), "sub.u32 %x, %y, %x;"]
        lines = index + ["and.b32 %x, %x, {};".format(self.cells() - 1),
                 "and.b32 %y, %thread, {}; setp.ne.u32 %p, %y, 0;".format(self.threads or 0),
                 "mul.wide.u32 %at, %x, {};".format(self.bytes), "add.u64 %at, %at, {};".format(base)]
        what = {"load": "ld.{}.{} %loaded{}, [%at];", "store": "st.{}.{} [%at], %value{};",
                "atomic": "red." + self.scope + ".{}.add.{} [%at], %value{};"}[self.kind]
        return lines + [("@%p " if self.threads else "") + what.format(space, suffix, 8 if self.bytes == 8 else 2 if self.bytes < 4 else 4)]


def program(r, target):
    steps = [Access(r) for _ in range(r.randrange(2, 7))]
    for s in steps[1:]:
        if r.random() < .4:
            s.where(r.choice(steps))
    for _ in range(r.choice([0, 0, 1, 2])):
        steps.insert(r.randrange(len(steps) + 1), r.choice([BARRIER, BARRIER, WARP_BARRIER, WARP_BARRIER, FENCE]))
    lines = [".version 7.0", ".target " + target, ".address_size 64", ".visible .entry k(.param .u64 a, .param .u64 b) {",
             ".reg .u64 %first, %second, %shared, %at, %value8, %loaded8; .reg .u32 %thread, %block, %x, %y, %value4, %loaded4; .reg .pred %p; .reg .u16 %value2, %loaded2;",
             ".shared .align 8 .b8 memory[{}];".format(4 * WORDS["shared"]),
             "ld.param.u64 %first, [a]; ld.param.u64 %second, [b]; mov.u64 %shared, memory;",
             "mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mad.lo.u32 %value4, %block, 100, %thread; add.u32 %value4, %value4, 1;",
             "cvt.u64.u32 %value8, %value4; cvt.u16.u32 %value2, %value4;"]
    for s in steps:
        if isinstance(s, str):
            lines.append(s)
            continue
        parts = s.ptx()
        lines += parts
        s.line = len(lines)
    return steps, "\n".join(lines + ["ret; }", ""])


def accesses(steps, blocks, threads):
    """(space, block, thread, barriers of the block and of the warp before it, access, first byte) of each."""
    for block in range(blocks):
        for thread in range(threads):
            phase = (0, 0)
            for s in steps:
                if isinstance(s, str):
                    phase = (phase[0] + (s == BARRIER), phase[1] + (s == WARP_BARRIER))
                elif s.threads is None or thread & s.threads:
                    yield s.space, block, thread, phase, s, s.at(block, thread)


def racing(one, two, independent):
    _, block, thread, phase, a, _ = one
    _, other_block, other_thread, other_phase, b, _ = two
    if a.kind == "load" and b.kind == "load":
        return False
    if a is b and a.kind == "store" and block == other_block and thread // WARP == other_thread // WARP and phase == other_phase:
        return one[5] == two[5] and stored(one) != stored(two)  # lanes of one instruction
    if a.kind == "atomic" and b.kind == "atomic" and (block == other_block or "cta" not in (a.scope, b.scope)):
        return False
    if block != other_block:
        return a.space != "shared"
    if thread == other_thread or phase[0] != other_phase[0]:
        return False
    return thread // WARP != other_thread // WARP or (independent and a is not b and phase == other_phase)


def stored(one):
    """The value of a store, as program() has it."""
    return (100 * one[1] + one[2] + 1) % 256 ** one[4].bytes


def the_same(one, two):
    return one[4].kind == two[4].kind == "store" and stored(one) == stored(two)


def model(steps, blocks, threads, independent):
    """Pairs of lines, by space, and the spaces in which one must be found. A fence orders others, and an atomic those behind
    loads, which the model does not know: it has too many pairs then. Of lanes that store to one place by one instruction the check knows one alone."""
    cells = {}
    for one in accesses(steps, blocks, threads):
        for byte in range(one[5], one[5] + one[4].bytes):
            cells.setdefault((one[0], byte), []).append(one)
    pairs, sure = {}, set()
    fence, atomic = FENCE in steps, any(not isinstance(s, str) and s.kind == "atomic" for s in steps)
    for (space, _), there in cells.items():
        storing = collections.Counter((one[1], one[2] // WARP, one[4].line) for one in there if one[4].kind == "store")
        for i, one in enumerate(there):
            for two in there[i + 1:]:
                if racing(one, two, independent):
                    pairs.setdefault(space, set()).add(frozenset((one[4].line, two[4].line)))
                    stores = one[4].kind == two[4].kind == "store"
                    if the_same(one, two):
                        continue
                    if max(storing.values(), default=0) < 2 and not fence and (stores or not atomic):
                        sure.add(space)
    return pairs, sure


def findings(reprise, path, blocks, threads):
    done = subprocess.run([reprise, "run", "--module", path, "--grid", str(blocks), "--block", str(threads), "--arg",
                           "buf=zeros:256", "--arg", "buf=zeros:256", "--check", "race", "--json"], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 3) or not done.stdout:
        raise RuntimeError(done.stderr)
    if any(": race: " not in line for line in done.stderr.splitlines() if line.startswith("reprise: ")):
        raise RuntimeError(done.stderr)  # not everything was checked
    return json.loads(done.stdout)["findings"]


def compare(steps, text, found, pairs, sure):
    """What is wrong, or None."""
    lines = text.split("\n")
    buffers = {"shared": ["shared"], "global": ["first", "second"]}
    for f in found:
        pair = frozenset((f["here"]["line"], f["other"]["line"]))
        if not any(pair in pairs.get(s, ()) for s in buffers[f["space"]]):
            return "no race: " + f["text"]
    of_line = {s.line: s.space for s in steps if not isinstance(s, str)}
    for space in sure:
        if not any(of_line[f["here"]["line"]] == space for f in found):
            return "not found: {}: {}".format(space, [[lines[n - 1] for n in p] for p in pairs[space]])
    return None


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--count", type=int, default=60)
    parse.add_argument("--keep")
    parse.add_argument("--reprise", action="append")
    o = parse.parse_args()
    programs = o.reprise or [os.environ["REPRISE"]]
    races = bad = 0
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(o.keep or directory, "races.ptx")
        for n in range(o.count):
            r = random.Random(o.seed * 1000003 + n)
            target = r.choice(["sm_62", "sm_75"])
            blocks, threads = r.choice([1, 2, 3]), r.choice([32, 64, 96])
            steps, text = program(r, target)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            pairs, sure = model(steps, blocks, threads, target == "sm_75")
            all_found = [findings(p, path, blocks, threads) for p in programs]
            races += bool(pairs)
            wrong = compare(steps, text, all_found[0], pairs, sure)
            if any(f != all_found[0] for f in all_found):
                wrong = "they differ: {}".format([[f["text"] for f in found] for found in all_found])
            if wrong:
                bad += 1
                print("seed {}, kernel {} on {}, {} blocks of {}: {}".format(o.seed, n, target, blocks, threads, wrong))
                if o.keep:
                    return 1
    print("{} kernels, {} with races, {} wrong".format(o.count, races, bad))
    return bad > 0


sys.exit(main())
