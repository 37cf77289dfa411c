"""Random PTX: what the PTX frontend and the machine code that ptxas makes of it leave must be equal, bit for bit.

Prints TAP; progress goes to stderr. A program that differs is kept under BUILD/random, as it is and made smaller."""

import argparse
import concurrent.futures
import copy
import os
import re
import subprocess
import sys
import time

import ptx_forms
import ptx_generate as generate

PER_FILE = 40  # programs that are compiled together; how file k is compiled depends on k only
TARGETS = ["50", "62", "52", "60", "53", "61"]
LATE = ["75", "86", "90", "80", "89", "70"]
LEVELS = ["3", "0", "2", "1"]
SECONDS = 300
TRIALS = 400


def arguments():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--count", type=int, default=200, help="how many programs")
    a.add_argument("--first", type=int, default=0, help="number of the first one")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--build", default=os.environ.get("BUILD", "build"))
    a.add_argument("--jobs", type=int, default=os.cpu_count())
    a.add_argument("--late", action="store_true", help="for sm_70 to sm_90")
    a.add_argument("--per-file", type=int, default=PER_FILE, help="how many programs of each %d" % PER_FILE)
    a.add_argument("--reduce", type=int, default=2, help="how many programs that differ to make smaller")
    options = a.parse_args()
    if options.count < 1 or options.first < 0:
        a.error("--count is at least 1, --first at least 0")
    return options


def known_programs(kind, seed):
    """Numbers of the programs that ptxas is known to get wrong; `kind` is the first word of their rows."""
    with open(os.path.join(os.path.dirname(__file__), "known.txt")) as f:
        rows = [line.split() for line in f if line.startswith(kind + " ")]
    return {int(row[2]) for row in rows if int(row[1]) == seed}


class Failure:
    def __init__(self, index, module, what):
        self.index, self.module, self.what = index, module, what


class Crash(RuntimeError):
    """ptxas crashed, which is not our fault: the program is left out and counted."""


class Run:
    def __init__(self, options):
        self.o = options
        self.folder = os.path.join(options.build, "random")
        self.toolchain = os.path.join(options.build, "toolchain")
        self.tool = os.path.join(options.build, "random-ptx-compare")
        os.makedirs(self.folder, exist_ok=True)
        self.kind = "late" if options.late else "ptx"
        self.targets = LATE if options.late else TARGETS
        self.known = known_programs(self.kind, options.seed)
        self.forms, self.failures, self.broken, self.runs, self.excused, self.crashes = {}, [], [], 0, set(), set()

    def target(self, k):
        return self.targets[k % len(self.targets)]

    def modules(self, k):
        """Versions and levels of ptxas for file k: all in turn, and -O3 always."""
        level = LEVELS[(k + k // 6) % 4]
        if self.o.late:
            return [("12.9", level)] + ([("12.9", "3")] if level != "3" else [])
        return [(["12.3", "12.9"][k // 6 % 2], level)] + ([("12.3", "3")] if level != "3" else [])

    def program(self, index):
        table, forms = self.forms[self.target(index // PER_FILE)]
        return generate.program(self.o.seed, index, self.target(index // PER_FILE), table, forms)

    def differences(self, programs, stem, target, modules):
        """(name, module, what) of all that differ; an exception where that cannot be found out."""
        ptx, paths = stem + ".ptx", {}
        with open(ptx, "w") as f:
            f.write(generate.file_of(programs, target))
        try:
            for version, level in modules:
                cubin = "%s.%s.O%s.sm_%s.cubin" % (stem, version, level, target)
                command = [os.path.join(self.toolchain, version, "ptxas"), "-w", "-fmad=false", "-arch=sm_" + target,
                           "-O" + level, "-o", cubin, ptx]
                said = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True, timeout=SECONDS)
                if said.returncode < 0:
                    raise Crash("ptxas %s -O%s crashes" % (version, level))
                if said.returncode:
                    raise RuntimeError("ptxas %s -O%s: %s" % (version, level, said.stderr[-1500:]))
                paths[cubin] = "ptxas %s -O%s sm_%s" % (version, level, target)
            done = subprocess.run([self.tool, ptx] + list(paths), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  universal_newlines=True, timeout=SECONDS)
        finally:
            for path in [ptx] + list(paths):
                if os.path.exists(path):
                    os.remove(path)
        found = [m.groups() for m in re.finditer(r"^(p\d+) (\S+): (.*)$", done.stdout, re.M)]
        if done.returncode not in (0, 1) or (done.returncode == 1) != bool(found):
            raise RuntimeError("exit status %d: %s" % (done.returncode, (done.stdout + done.stderr)[-1500:]))
        return [(name, paths.get(path, "PTX"), what) for name, path, what in found]

    def part(self, k, indices):
        """Failures and broken programs of a file, or a part of it: halved where it cannot be compared as a whole."""
        stem = os.path.join(self.folder, "%s-%d-%d-%d" % (self.kind, self.o.seed, indices[0], len(indices)))
        try:
            found = self.differences([self.program(i) for i in indices], stem, self.target(k), self.modules(k))
            return [Failure(int(name[1:]), module, what) for name, module, what in found], []
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            if len(indices) == 1:
                return [], [(indices[0], str(e), isinstance(e, Crash))]
        half = len(indices) // 2
        failed, broken = self.part(k, indices[:half])
        more, more_broken = self.part(k, indices[half:])
        return failed + more, broken + more_broken

    def all_files(self):
        files, start, done = {}, time.time(), 0
        for i in range(self.o.first, self.o.first + self.o.count):
            if i % PER_FILE < self.o.per_file:
                files.setdefault(i // PER_FILE, []).append(i)
        self.total = sum(map(len, files.values()))
        for target in sorted({self.target(k) for k in files}):
            self.forms[target] = ptx_forms.accepted(self.toolchain, self.folder, target)
        with concurrent.futures.ProcessPoolExecutor(self.o.jobs) as pool:
            waiting = {pool.submit(one_file, self, k, indices): (k, indices) for k, indices in files.items()}
            for future in concurrent.futures.as_completed(waiting):
                k, indices = waiting[future]
                self.take(*future.result())
                self.runs += len(indices) * len(self.modules(k))
                done += len(indices)
                failed = len({f.index for f in self.failures}) + len(self.broken)
                said = (done, self.total, failed, time.time() - start)
                print("%d of %d programs, %d failed, %.0f s" % said, file=sys.stderr, flush=True)

    def take(self, failed, broken):
        self.excused |= {f.index for f in failed if f.index in self.known}
        self.crashes |= {i for i, _, crash in broken if crash}
        self.failures += [f for f in failed if f.index not in self.known]
        self.broken += [(i, what) for i, what, crash in broken if not crash]

    def keep(self, failure):
        path = os.path.join(self.folder, "failed-%s-%d-%d" % (self.kind, self.o.seed, failure.index))
        target, program = self.target(failure.index // PER_FILE), self.program(failure.index)
        with open(path + ".ptx", "w") as f:
            f.write(generate.file_of([program], target))
        print("# program %d is in %s.ptx" % (failure.index, path))
        smaller = Reducer(self, program, failure, target).run()
        if not smaller:
            print("# it does not fail by itself")
            return
        with open(path + "-small.ptx", "w") as f:
            f.write(generate.file_of([smaller], target))
        print("# and made smaller in %s-small.ptx:" % path)
        for line in "".join(map(str, smaller.nodes)).splitlines()[:40]:
            print("#     " + line)

    def run(self):
        text = "random PTX: frontend = machine code of sm_%s" % ("70 to sm_90" if self.o.late else "50 to sm_62")
        if not os.path.exists(os.path.join(self.toolchain, "complete")):
            print("ptx_run.py: NVIDIA's tools are missing; make toolchain fetches them", file=sys.stderr)
            print("ok - %s # SKIP no %s (make toolchain)" % (text, self.toolchain))
            return 0
        self.all_files()
        bad = sorted({f.index for f in self.failures})
        mark = "not ok" if bad or self.broken else "ok"
        print("%s - %s (%d programs, %d runs, %d differ)" % (mark, text, self.total, self.runs, len(bad)))
        for f in sorted(self.failures, key=lambda f: f.index)[:50]:
            print("# program %d, %s: %s" % (f.index, f.module, f.what))
        if self.excused:
            print("# not counted, ptxas is at fault (tests/random/known.txt): %s" % sorted(self.excused))
        if self.crashes:
            print("# ptxas itself crashes on %d programs: %s" % (len(self.crashes), sorted(self.crashes)[:20]))
        for index, what in sorted(self.broken)[:20]:
            print("# program %d could not be compared: %s" % (index, what.replace("\n", "\n# ")))
        if bad:
            late = " LATE=1" if self.o.late else ""
            print("# again: make random-ptx SEED=%d FIRST=%d N=1%s" % (self.o.seed, bad[0], late))
        for index in bad[:self.o.reduce]:
            self.keep(next(f for f in self.failures if f.index == index))
        return 1 if bad or self.broken else 0


def one_file(run, k, indices):
    return run.part(k, indices)


class Reducer:
    """Takes statements away as long as the program fails in the same module."""

    def __init__(self, run, program, failure, target):
        self.run_, self.target, self.failure = run, target, failure
        self.best, self.trials = copy.deepcopy(program), 0
        match = re.match(r"ptxas (\S+) -O(\d)", failure.module)
        self.modules = [match.groups()] if match else run.modules(failure.index // PER_FILE)[:1]
        self.differs = "by machine code" in failure.what

    def fails(self):
        if self.trials >= TRIALS:
            return False
        self.trials += 1
        stem = os.path.join(self.run_.folder, "reduce-%s-%s" % (self.run_.kind, self.best.name))
        try:
            found = self.run_.differences([self.best], stem, self.target, self.modules)
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        return any(("by machine code" in what) == self.differs for _, _, what in found)

    def lists(self):
        queue = [self.best.nodes] + [part[0] for f in self.best.functions for part in f.parts]
        while queue:
            nodes = queue.pop(0)
            yield nodes
            queue += [part[0] for n in nodes for part in n.parts]

    def shrink(self, nodes):
        size = len(nodes)
        while size:
            start = 0
            while start < len(nodes):
                taken = nodes[start:start + size]
                del nodes[start:start + size]
                if not self.fails():
                    nodes[start:start] = taken
                    start += size
            size //= 2
        for n in nodes:
            self.shrink_lines(n)

    def shrink_lines(self, node):
        """Some statements are several lines."""
        if node.parts or node.whole or node.text.startswith("{") or node.text.count("\n") < 2:
            return
        lines = node.text.splitlines(True)
        for k in range(len(lines) - 1, -1, -1):
            before, node.text = node.text, "".join(lines[:k] + lines[k + 1:])
            if self.fails():
                del lines[k]
            else:
                node.text = before

    def run(self):
        if not self.fails():
            return None
        before = None
        while before != self.best.text() and self.trials < TRIALS:
            before = self.best.text()
            for nodes in list(self.lists()):
                self.shrink(nodes)
        return self.best


if __name__ == "__main__":
    sys.exit(Run(arguments()).run())
