#!/usr/bin/env python3
"""Where a replay spends its time: shares of the samples that Linux's perf takes, by the source files that they fall in.

    where.py              a table of build/bench's traces of SGEMM, copy and random gather on rtx2060, one thread
    where.py --markdown   the same as the last section of docs/performance.md

BUILD names the build folder. Needs perf and addr2line, and the traces that `bench` records.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
PROGRAM = os.path.abspath(f"{BUILD}/reprise")
TRACES = [("SGEMM 512", "sgemm-512"), ("copy", "stream_copy"), ("random gather", "stream_gather")]
# The first that fits.
PARTS = [
    ("caches", r"hw-models/cache/|replay/memory/level"),
    ("device memory", r"hw-models/dram/"),
    ("events of the chip in their order", r"replay/memory/calendar"),
    ("the chip: ports, slices, channels", r"replay/memory/(chip|memory_system|translation)|replay/base/layout"),
    ("load/store units, the SMs' ends of ports", r"replay/memory/(sm_memory|pool)"),
    ("warps: scoreboard, issue, units, coalescing", r"replay/|hw-models/"),
    ("reading the trace", r"tracefmt/"),
    ("libraries, kernel", r""),
]


def lines_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"where.py: {' '.join(command[:2])}: {done.stderr.strip().splitlines()[-1:] or 'failed'}")
    return done.stdout.splitlines()


def load_address(data):
    """Where perf saw the program's code, how much of it, and at which address the program file has it."""
    for line in lines_of(["perf", "script", "-i", data, "--show-mmap-events"]):
        found = re.search(r"\[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+) .*r-xp " + re.escape(PROGRAM), line)
        if found:
            start, size, offset = (int(text, 16) for text in found.groups())
            for segment in lines_of(["readelf", "-lW", PROGRAM]):
                words = segment.split()
                if words[:1] == ["LOAD"] and int(words[1], 16) == offset:
                    return start, size, int(words[2], 16)
    sys.exit("where.py: perf did not see the program")


def files_of(data):
    """The source file of each sample; '' outside the program."""
    start, size, address = load_address(data)
    samples = [int(line.split()[0], 16) for line in lines_of(["perf", "script", "-i", data, "-F", "ip"]) if line.split()]
    inside = [hex(ip - start + address) for ip in samples if start <= ip < start + size]
    found = subprocess.run(["addr2line", "-e", PROGRAM], input="\n".join(inside), capture_output=True, text=True)
    return [line.split(":")[0] for line in found.stdout.splitlines()] + [""] * (len(samples) - len(inside))


def shares(trace):
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        replay = [PROGRAM, "replay", f"{BUILD}/bench/{trace}.wtr", "--machine", "rtx2060", "--threads", "1", "--quiet"]
        lines_of(["perf", "record", "-q", "-F", "2000", "-o", data] + replay)
        files = files_of(data)
    count = collections.Counter(next(name for name, pattern in PARTS if re.search(pattern, f)) for f in files)
    return {name: 100 * count[name] / len(files) for name, _ in PARTS}


SECTION = """
## Where the time goes

Shares of what `perf` samples, from `make bench-where`. The caches are L1 and L2. With one thread the chip, that is L2,
device memory and what lies between, follows the SMs from window to window. With two, one thread serves the chip, and then
helps with the SMs, while the other lets the SMs go on (replay/engines/fast/dispatch.c).
"""


def main():
    if "--markdown" in sys.argv:
        print(SECTION)
    columns = [shares(trace) for _, trace in TRACES]
    print("| % of the time on rtx2060, one thread | " + " | ".join(name for name, _ in TRACES) + " |")
    print("|---|" + "--:|" * len(TRACES))
    for name, _ in PARTS:
        print(f"| {name} | " + " | ".join(f"{c[name]:.0f}" for c in columns) + " |")


main()
