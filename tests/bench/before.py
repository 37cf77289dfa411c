#!/usr/bin/env python3
"""Processor time of the programs of tests/cuda under `reprise run`, beside another build's.

    before.py REPRISE [NAME...]    REPRISE: the program reprise of the other build; NAME: programs of tests/cuda/prebuilt

BUILD names this build's folder. Each time is the best of --runs, on one thread of the emulator; the two builds take turns.
The first row is what the start of a process takes, with the launch of one small kernel; the last column is for what the
others take beyond it, where that is a millisecond or more. Where it is more than 5 % slower, the program is measured again
with four times the runs; the exit status is 1 if it is slower then, too. What the other build does not run to its end is
named."""
import argparse
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PREBUILT = Path("tests/cuda/prebuilt")
OURS = os.path.join(os.environ.get("BUILD", "build"), "reprise")
START = "vector_add"
ARGUMENTS = {"cooperative": ["plain"], "errors": ["reset"], "errors_12": ["reset"], "repeats": ["graph"], START: ["1"], "vector_add_static": ["1000000"]}
# Devices for which there is code in the programs.
OPTIONS = {"barriers": ["a100"], "blocks": ["h100"], "devices": ["a100", "--devices", "2"], "eights": ["h100"], "groups": ["a100"], "halves": ["h100"]}
SLOWER = 1.05
LEAST = 0.001  # seconds
AGAIN = 4


def used(reprise, program):
    """Seconds of a processor that a run takes; None if it fails."""
    command = [reprise, "run", "-q", "--threads", "1", "--device", *OPTIONS.get(program.name, ["rtx2080"]), "--", program]
    child = subprocess.Popen([*command, *ARGUMENTS.get(program.name, [])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime if child.returncode == 0 else None


def best(program, reprises, runs):
    times = [[used(reprise, program) for reprise in reprises] for _ in range(runs)]
    return [None if None in column else min(column) for column in zip(*times)]


def unpacked(path, folder):
    if path.suffix != ".xz":
        return path.resolve()
    program = Path(folder) / path.stem
    program.write_bytes(lzma.decompress(path.read_bytes()))
    program.chmod(0o755)
    return program


def ratio(times, start):
    """Of what the builds take beyond the start; None if that is too little to be measured."""
    before, now = (time - begun for time, begun in zip(times, start))
    return now / before if before >= LEAST else None


def measured(program, reprises, runs, start):
    """The times of the two builds, and their ratio; None where the other build fails."""
    times = best(program, reprises, runs)
    if times[1] is None:
        sys.exit(f"before.py: {OURS} does not run {program.name} to its end")
    return times, times[0] and ratio(times, start)


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("before", metavar="REPRISE")
    parse.add_argument("names", metavar="NAME", nargs="*")
    parse.add_argument("--runs", type=int, default=10)
    args = parse.parse_args()
    paths = {path.stem: path for path in sorted(PREBUILT.iterdir())}
    if unknown := set(args.names) - set(paths):
        parse.error(f"{PREBUILT} has no {', '.join(sorted(unknown))}")
    reprises, found = [args.before, OURS], []
    if missing := next((reprise for reprise in reprises if not shutil.which(reprise)), None):
        parse.error(f"{missing} is not there: REPRISE is the program of another build, BUILD this one's folder")
    with tempfile.TemporaryDirectory() as folder:
        start = best(paths[START].resolve(), reprises, AGAIN * args.runs)
        if None in start:
            sys.exit(f"before.py: {reprises[start.index(None)]} does not run {START} to its end")
        print(f"{'program':22} {'before, ms':>10} {'now, ms':>10} {'beyond the start':>17}\n{'start':22} {1000 * start[0]:10.1f} {1000 * start[1]:10.1f}", flush=True)
        for name in args.names or sorted(set(paths) - {START}):
            program = unpacked(paths[name], folder)
            times, times_as_long = measured(program, reprises, args.runs, start)
            if times_as_long and times_as_long > SLOWER:
                times, times_as_long = measured(program, reprises, AGAIN * args.runs, start)
            before = "fails" if times[0] is None else f"{1000 * times[0]:.1f}"
            print(f"{name:22} {before:>10} {1000 * times[1]:10.1f} {f'{times_as_long:.2f}' if times_as_long else '':>17}", flush=True)
            found += [name] if times_as_long and times_as_long > SLOWER else []
    print("slower:", *(found or ["none"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
