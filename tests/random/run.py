"""Random programs: what the host, PTX and machine code leave must be equal, bit for bit.

Prints TAP; progress goes to stderr. Programs that fail are kept under BUILD/random, as they are and made smaller. Where a
file of programs does not compile or cannot be compared, it is halved until it is known which program is to blame; only
that one is left out, and reported."""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

import build
import generate
import reduce

TEXT = "disassembly equals NVIDIA's: random programs"
PER_FILE = 25  # programs that are compiled together; how file k is compiled depends on k only


def arguments():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("--count", type=int, default=200, help="how many programs")
    a.add_argument("--first", type=int, default=0, help="number of the first one")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--per-file", type=int, default=PER_FILE, help="how many programs of each %d" % PER_FILE)
    a.add_argument("--build", default=os.environ.get("BUILD", "build"))
    a.add_argument("--clang", default=os.environ.get("CLANG", "clang"))
    a.add_argument("--jobs", type=int, default=os.cpu_count())
    a.add_argument("--reduce", type=int, default=2, help="how many failing programs to make smaller")
    a.add_argument("--check", action="store_true", help="the variants of make check, all of sm_75, sm_86 and sm_90")
    a.add_argument("--text", action="store_true", help="compare the disassembly with NVIDIA's, too")
    a.add_argument("--undefined", action="store_true", help="stop at what C leaves undefined, on the host")
    options = a.parse_args()
    if options.count < 1 or options.first < 0:
        a.error("--count is at least 1, --first at least 0")
    return options


def known_programs(seed):
    """Numbers of the programs that compilers are known to get wrong or to refuse."""
    with open(os.path.join(os.path.dirname(__file__), "known.txt")) as f:
        rows = [line.split() for line in f if line[:1].isdigit()]
    return {int(row[1]) for row in rows if int(row[0]) == seed}


class Run:
    def __init__(self, options):
        self.o = options
        self.tools = build.Tools(options.build, options.clang)
        if options.undefined:
            self.tools.host_flags = build.HOST + build.CHECKED
        self.folder = os.path.join(options.build, "random")
        os.makedirs(self.folder, exist_ok=True)
        self.indices = [i for i in range(options.first, options.first + options.count) if i % PER_FILE < options.per_file]
        self.runs = {"PTX": 0, "SASS": 0}
        self.compared = set()  # programs of which every module was compared
        self.failed = {"PTX": [], "SASS": []}
        self.broken = []  # programs that a compiler refuses or that cannot be compared, and why
        self.known, self.excused = known_programs(options.seed), set()
        self.texts = []  # what tests/support/same_text says

    def one_file(self, k, indices):
        """Compiles and compares the programs of one file, or of a part of it. A list of (programs, modules, what differs)
        of all that could be compared, and one of (program, why) for the rest."""
        return self.part(indices, self.tools.modules_of_check(k) if self.o.check else self.tools.modules(k))

    def part(self, indices, modules):
        try:
            return [(indices, modules, self.compare(indices, modules))], []
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            if len(indices) == 1:
                return self.rest(indices, modules, e)
        half = len(indices) // 2
        done, broken = self.part(indices[:half], modules)
        more, more_broken = self.part(indices[half:], modules)
        return done + more, broken + more_broken

    def rest(self, indices, modules, why):
        """One program without the module that a compiler refuses to make of it."""
        broken = [(indices[0], str(why))]
        refused = why.module if isinstance(why, build.Refused) else None
        if not refused:
            return [], broken
        others = [m for m in modules if m is not refused and (refused.ptxas or m.clang_level != refused.clang_level)]
        done, more = self.part(indices, others) if others else ([], [])
        return done, broken + more

    def compare(self, indices, modules):
        programs = [generate.program(self.o.seed, i) for i in indices]
        stem = os.path.join(self.folder, "%d-%d-%d" % (self.o.seed, indices[0], len(indices)))
        source = stem + ".cu"
        with open(source, "w") as f:
            f.write(generate.file_of(programs))
        try:
            found = build.differences(self.tools, source, stem, modules)
            if self.o.text and self.tools.has_ptxas and (not self.o.check or indices[0] == 0):
                self.texts += build.texts(self.tools, stem, modules)
        finally:
            build.clean(stem, modules)
        return found

    def all_files(self):
        files, start = {}, time.time()
        for i in self.indices:
            files.setdefault(i // PER_FILE, []).append(i)
        done = 0
        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            waiting = {pool.submit(self.one_file, k, f): f for k, f in files.items()}
            for future in concurrent.futures.as_completed(waiting):
                f = waiting[future]
                self.take(future)
                done += len(f)
                said = (done, len(self.indices), len(self.failures()) + len(self.broken), time.time() - start)
                print("%d of %d programs, %d failed, %.0f s" % said, file=sys.stderr, flush=True)

    def take(self, future):
        done, broken = future.result()
        refused = {index for index, _ in broken}
        for indices, modules, found in done:
            self.compared.update(set(indices) - refused)
            for m in modules:
                self.runs["SASS" if m.ptxas else "PTX"] += len(indices)
            for name, module, what in found:
                index = int(name[1:])
                if index in self.known:
                    self.excused.add(index)
                else:
                    self.failed["SASS" if module.ptxas else "PTX"].append((index, module, what))
        for index, why in broken:
            if index in self.known:
                self.excused.add(index)
            else:
                self.broken.append((index, why))

    def failures(self):
        return {f[0] for kind in self.failed.values() for f in kind}

    def report(self, kind, text):
        bad = sorted(self.failed[kind], key=lambda f: f[0])
        said = ", %d differ" % len(bad) if bad else ""
        mark = "ok" if not bad and not self.broken else "not ok"
        print("%s - random programs: %s (%d runs%s)" % (mark, text, self.runs[kind], said))
        for index, module, what in bad[:50]:
            print("# program %d, %s: %s" % (index, module, what))
        if bad:
            print("# again: make random-programs SEED=%d FIRST=%d N=1" % (self.o.seed, bad[0][0]))
        return bad

    def report_texts(self):
        bad = [t for t in self.texts if not t.startswith("SAME")]
        words = sum(int(t.split()[1]) for t in self.texts if t.startswith("SAME"))
        mark = "not ok" if bad or not self.texts else "ok"
        print("%s - %s (%d cubins, %d instructions)" % (mark, TEXT, len(self.texts), words))
        for t in bad:
            print("# " + t)
        return bad

    def keep(self, failure):
        index, module, what = failure
        program = generate.program(self.o.seed, index)
        path = os.path.join(self.folder, "failed-%d-%d" % (self.o.seed, index))
        with open(path + ".cu", "w") as f:
            f.write(generate.file_of([program]))
        print("# program %d is in %s.cu" % (index, path), flush=True)
        smaller = reduce.Reducer(self.tools, self.folder, program, module, what).run()
        if not smaller:
            print("# it does not fail by itself")
            return
        with open(path + "-small.cu", "w") as f:
            f.write(generate.file_of([smaller]))
        print("# and made smaller in %s-small.cu" % path)

    def run(self):
        self.all_files()
        bad = self.report("PTX", "host = PTX at -O0 and -O2")
        if self.tools.has_ptxas:
            bad += self.report("SASS", "host = machine code of sm_50 to sm_90")
            wrong = self.o.text and self.report_texts()
        else:
            wrong = False
            for what in ["random programs: host = machine code"] + self.o.text * [TEXT]:
                print("ok - %s # SKIP no %s: make toolchain fetches it" % (what, self.tools.toolchain))
        if self.excused:
            said = ", ".join(map(str, sorted(self.excused)))
            print("# not counted, a compiler is at fault (tests/random/known.txt): %s" % said)
        said = (len(self.compared), len(self.indices), len(self.failures()), len(self.excused))
        print("# %d of %d programs compared in every way, %d differ, %d known" % said)
        for index, what in sorted(self.broken):
            print("# program %d could not be compared: %s" % (index, what.replace("\n", "\n# ")))
        seen = set()
        for failure in bad:
            if failure[0] not in seen and len(seen) < self.o.reduce:
                seen.add(failure[0])
                self.keep(failure)
        return 1 if bad or self.broken or wrong else 0


if __name__ == "__main__":
    sys.exit(Run(arguments()).run())
