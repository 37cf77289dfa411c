"""Runs commands with their allocations failing in turn; prints TAP. See memory.sh."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["BUILD"])
REPRISE = os.environ["REPRISE"]
PRELOAD = f"{BUILD}/preload/fail_allocation.so"
SYSTEM = 4  # enum rp_status in tracefmt/error.h


def vector_add(grid):
    n = 128 * grid
    args = [f"buf=iota-i32:{n}", f"buf=rand-f32:{n}:seed=1", f"buf=zeros:{4 * n}", f"i32={n}"]
    words = [REPRISE, "record", "--quiet", "--module", f"{BUILD}/kernels/vector_add.ptx", "--grid", str(grid), "--block", "128"]
    return words + [word for a in args for word in ("--arg", a)]


def commands(traces):
    record, one, four = vector_add(4), f"{traces}/one.wtr", f"{traces}/four.wtr"
    launches = f"{traces}/launches.cfg"
    with open(launches, "w") as f:
        f.write(f'module = "{BUILD}/kernels/vector_add.ptx";\n'
                'buffers = { a = "iota-i32:512"; b = "rand-f32:512:seed=1"; c = "zeros:2048"; };\n'
                'launches = ( { grid = [4]; block = [128]; args = ["buf=a", "buf=b", "buf=c", "i32=512"]; stream = 1; },\n'
                '{ grid = [4]; block = [128]; args = ["buf=b", "buf=b", "buf=a", "i32=512"]; stream = 2; after = 0; } );\n')
    subprocess.run(vector_add(1) + ["-o", one], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(record + ["-o", four], check=True, stderr=subprocess.DEVNULL)
    return {
        "record on one thread": record + ["-o", "out.wtr", "--threads", "1"],
        "record on three threads": vector_add(130) + ["-o", "out.wtr", "--threads", "3"],
        "record of nested calls": [REPRISE, "record", "--quiet", "--module", f"{BUILD}/kernels/calls.ptx", "--kernel",
                                   "calls_recursive", "--grid", "2", "--block", "64", "--arg", "buf=zeros:1K", "-o", "out.wtr"],
        "record --launch-file": [REPRISE, "record", "--quiet", "-o", "out.wtr", "--launch-file", launches],
        "record --save --json": record + ["--no-trace", "--save", "2=out.bin", "--json"],
        "info": [REPRISE, "info", four],
        "info --json": [REPRISE, "info", "--json", four],
        "replay": [REPRISE, "replay", four, "--machine", "jetson-tx2", "--threads", "1"],
        "replay --json": [REPRISE, "replay", "--json", four, "--machine", "jetson-tx2", "--threads", "2"],
        # observers that fail in the middle of a replay
        "replay --by instruction": [REPRISE, "replay", one, "--machine", "jetson-tx2", "--threads", "2", "--by", "instruction"],
        "dump --cycles": [REPRISE, "dump", one, "--block", "0", "--warp", "1", "--cycles", "--machine", "jetson-tx2"],
        "wcet": [REPRISE, "wcet", one, "--machine", "orin-wcet"],
    }


def run(words, folder, **variables):
    env = dict(os.environ, LD_PRELOAD=PRELOAD, TMPDIR=folder, **variables)
    done = subprocess.run(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            files[name] = f.read()
        os.unlink(os.path.join(folder, name))
    # how long it took is no result
    out = re.sub(rb'"seconds": [0-9.e+-]+|in [0-9.]+ s\\b.*', b"", done.stdout)
    return done.returncode, out, re.sub(rb"in [0-9.]+ s.*", b"", done.stderr), files


def judge(usual, got):
    """What is wrong with an outcome, or None."""
    status, _, err, files = got
    if status == 0:
        return None if got == usual else "status 0, but other results"
    if status != SYSTEM:
        return f"status {status}: {err[:200]!r}"
    if err.count(b"\n") != 1 or not err.startswith(b"reprise"):
        return f"not one line: {err[:200]!r}"
    if any(usual[3].get(name) != content for name, content in files.items()):
        return f"leaves behind {sorted(files)}"
    return None


def to_fail(stacks):
    """The numbers, from 1, of the allocations that are to fail: of those with one call stack the first, the second and the
    last; with FULL=1 all."""
    by_stack = {}
    for number, stack in enumerate(stacks, 1):
        by_stack.setdefault(stack, []).append(number)
    some = {n for numbers in by_stack.values() for n in numbers[:2] + numbers[-1:]}
    return range(1, len(stacks) + 1) if os.environ.get("FULL") else sorted(some)


def check(name, words):
    with tempfile.TemporaryDirectory() as folder:
        status, out, err, files = run(words, folder, LIST_ALLOCATIONS=os.path.join(folder, "list"))
        stacks = files.pop("list").split()
        allocations, failing = len(stacks), to_fail(stacks)
        usual = (status, out, err, files)
        bad = [(0, f"status {status} without a failure: {err[:200]!r}")] if status else []
        for i in failing if not status else ():
            wrong = judge(usual, run(words, folder, FAIL_ALLOCATION=str(i)))
            if wrong:
                bad.append((i, wrong))
    for i, wrong in bad[:20]:
        print(f"{name}: allocation {i} of {allocations}: {wrong}", file=sys.stderr)
    verdict = "ok" if not bad and allocations > 20 else "not ok"
    print(f"{verdict} - {name}: any of {allocations} allocations may fail, {len(failing)} did", flush=True)


with tempfile.TemporaryDirectory() as traces:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in [pool.submit(check, *c) for c in commands(traces).items()]:
            result.result()
