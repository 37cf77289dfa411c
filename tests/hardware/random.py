"""Compiles random programs for sm_90: random.py FOLDER. Those of run.py in batches of 25 as there, and those of
ptx_run.py in batches of 40; FOLDER/NAME.launches says how many threads each kernel has."""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../random"))
import build
import generate
import ptx_forms
import ptx_generate

BUILD = os.environ.get("BUILD", "build")
PTX_SEED, PTX_PER_FILE, PTX_FILES = 21, 40, 26
# (seed, batch, clang's level, ptxas's levels). The first three have programs whose order of arms decided on other targets.
BATCHES = [(11, 10, "2", "3120"), (13, 27, "2", "3120"), (11, 24, "2", "310")]
BATCHES += [(1, k, "2", "3" + "012"[k % 3]) for k in range(28)]
BATCHES += [(2, k, "0", "3103210"[k]) for k in range(6)]


def batch(folder, seed, k, clang, levels):
    tools = build.Tools(BUILD, os.environ.get("CLANG", "clang"))
    stem = os.path.join(folder, "c-%d-%d" % (seed, k * 25))
    programs = [generate.program(seed, i) for i in range(k * 25, k * 25 + 25)]
    with open(stem + ".cu", "w") as f:
        f.write(generate.file_of(programs))
    for level in levels:
        build.device(tools, stem + ".cu", stem, build.Module(clang, ("12.9", level, "90")))
    return seed, ["%s %d %d\n" % (p.name, p.blocks, p.threads) for p in programs]


def ptx_batch(folder, k, table, forms):
    first = k * PTX_PER_FILE
    stem = os.path.join(folder, "ptx-%d-%d" % (PTX_SEED, first))
    programs = [ptx_generate.program(PTX_SEED, i, "90", table, forms) for i in range(first, first + PTX_PER_FILE)]
    with open(stem + ".ptx", "w") as f:
        f.write(ptx_generate.file_of(programs, "90"))
    for level in {"3", "0123"[k % 4]}:
        subprocess.run([os.path.join(BUILD, "toolchain/12.9/ptxas"), "-w", "-fmad=false", "-arch=sm_90", "-O" + level, "-o",
                        "%s.O%s.cubin" % (stem, level), stem + ".ptx"], check=True)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    lines = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, rows in pool.map(lambda b: batch(folder, *b), BATCHES):
            lines.setdefault("c-%d" % seed, []).extend(rows)
        table, forms = ptx_forms.accepted(os.path.join(BUILD, "toolchain"), folder, "90")
        list(pool.map(lambda k: ptx_batch(folder, k, table, forms), range(PTX_FILES)))
    lines["ptx"] = ["p%d 2 64\n" % i for i in range(PTX_PER_FILE * PTX_FILES)]
    for name, rows in lines.items():
        with open(os.path.join(folder, name + ".launches"), "w") as f:
            f.writelines(rows)
    open(os.path.join(folder, "complete"), "w").close()


if __name__ == "__main__":
    main()
