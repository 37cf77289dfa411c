#!/usr/bin/env python3
"""The GEMM of the SAN model paper (2023, Figure 9) on san-rtx2080 and san-quadro-rtx6000: prints the tables of
docs/validation.md. Kernels: tests/kernels/gemm.cu, compiled by clang when they are recorded. Where build/toolchain is, the
code that ptxas makes of them for sm_75 is counted, too."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import script

BUILD = os.environ.get("BUILD", "build")
REPRISE = script.REPRISE
TOOLS = f"{BUILD}/toolchain/12.3"
SIZES = (32, 64, 128, 256, 512)
MACHINES = (("san-rtx2080", "rtx2080", 46 * 4), ("san-quadro-rtx6000", "quadro-rtx6000", 72 * 4))
NWARPS = {"san-rtx2080": (1, 1, 3, 12, 45), "san-quadro-rtx6000": (1, 1, 2, 8, 29)}  # the paper's formula; it names 12
ALU, L1, L2, DRAM = 2, 12, 300, 600  # Table 2


def run(*args):
    done = subprocess.run([REPRISE, *args], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"reprise {' '.join(args)}: status {done.returncode}")
    return done.stdout


def record(work, n, form):
    """A trace of GEMM n in one of the three forms."""
    trace = f"{work}/{form}-{n}.wtr"
    flags = f"-DN={n}" + (" -fno-strict-aliasing" if form == "stored" else "")
    name = "gemm" if form == "run-time" else "gemm_unrolled"
    run("record", "-q", "-o", trace, "--module", "tests/kernels/gemm.cu", "-k", name, f"--clang-flags={flags}",
        "--grid", f"{n // 32},{n // 8}", "--block", "32,8", "--arg", f"buf=rand-i32:{n * n}:seed=1",
        "--arg", f"buf=rand-i32:{n * n}:seed=2", "--arg", f"buf=zeros:{8 * n * n}",
        *(("--arg", f"i32={n}") if form == "run-time" else ()))
    return trace


def ids(trace):
    """ALU instructions, loads and stores of a warp, and how many warps there are."""
    warps = json.loads(run("info", trace, "--san", "--json"))["launches"][0]["warps"]
    assert len(warps) == 1, "all warps do the same"
    count = [warps[0]["ids"].count(i) for i in range(7)]
    return count[4] + count[5], count[2], count[3], warps[0]["warps"]


def with_caches(trace, machine, caches):
    """Where loads, and where stores end on a machine with caches, as memory.from takes it; mean and deviation of the cycles of
    the first processor, and its warps."""
    text = run("replay", "-q", trace, "--machine", machine, "--set", f"memory.from={caches}", "--exact", "--processors", "1", "--threads", "0")
    found = {row.split()[0]: [float(p) for p in row.split()[2:5]] for row in text.splitlines() if row.startswith("global_")}
    mean, deviation = re.search(r"mean (\d+\.?\d*) and deviation (\d+\.?\d*)", text).groups()
    return found["global_load"], found["global_store"], float(mean), float(deviation), int(re.search(r"(\d+) warps?", text).group(1))


def given(levels):
    text = ",".join(f"{p:.6f}" for p in levels)
    return ("--set", f"memory.global_load={text}", "--set", f"memory.global_store={text}")


def exact(trace, machine, *settings):
    known = json.loads(run("replay", "-q", trace, "--machine", machine, *settings, "--exact", "--json"))["traces"][0]["exact"]
    return known


def table(work):
    print("| machine | N | warps | sum | loads: p(L1), p(L2), p(DRAM) | cycles of a processor | deviation | ALU | L1 | L2 | DRAM | live registers (PTX) |")
    print("|---|--:|--:|---|---|--:|--:|--:|--:|--:|--:|--:|")
    traces = {(n, form): record(work, n, form) for n in SIZES for form in ("unrolled", "stored")}
    for machine, caches, processors in MACHINES:
        for form, kept in (("stored", "stored each time"), ("unrolled", "in a register")):
            for n, nwarps in zip(SIZES, NWARPS[machine]):
                trace = traces[n, form]
                alu, loads, stores, warps = ids(trace)
                assert -(-warps // processors) == nwarps, (machine, n, warps)
                of_loads, of_stores, *known, deepest = with_caches(trace, machine, caches)
                mean, deviation, part = cost(alu, (loads, of_loads), (stores, of_stores))
                assert deepest == nwarps, (machine, n, deepest)
                for told, ours in zip(known, (nwarps * mean, math.sqrt(nwarps) * deviation)):
                    assert abs(told - ours) < 0.01 * ours, (told, ours)  # the probabilities were printed with four places
                live = json.loads(run("info", trace, "--registers", "--json"))["launches"][0]["peak"]
                print(f"| `{machine}` | {n} | {nwarps} | {kept} | {', '.join(f'{p:.3f}' for p in of_loads)} | {known[0]:,.0f} | "
                      f"{known[1]:,.0f} | " + " | ".join(f"{100 * p:.2f} %" for p in part) + f" | {live} |")


# ---- what the code is ------------------------------------------------------------------------------------------------

def cost(alu, *accesses):
    """Mean and deviation of a warp's cycles, and the shares of ALU, L1, L2 and DRAM. accesses: (how many, probabilities)."""
    costs = (L1, L2, DRAM)
    cycles = [sum(n * levels[i] * costs[i] for n, levels in accesses) for i in range(3)]
    variance = sum(n * (sum(p * c * c for p, c in zip(levels, costs)) - sum(p * c for p, c in zip(levels, costs)) ** 2)
                   for n, levels in accesses)
    mean = ALU * alu + sum(cycles)
    return mean, math.sqrt(variance), [ALU * alu / mean] + [c / mean for c in cycles]


def like_the_text(alu, accesses):
    """The least p(L2), and the greatest p(DRAM), with which L2 takes more than 70 % and ALUs less than 2 %; or None."""
    fits = [(l2, dram) for l2 in range(101) for dram in range(101 - l2)
            for part in [cost(alu, (accesses, ((100 - l2 - dram) / 100, l2 / 100, dram / 100)))[2]] if part[0] < 0.02 and part[2] > 0.7]
    return (min(f[0] for f in fits) / 100, max(f[1] for f in fits) / 100) if fits else None


def sass_of(work, form, n):
    """Instructions of a warp in ptxas's code for sm_75, each as often as it is executed: ALU instructions and accesses."""
    flags = (f"-DN={n}",) + (("-fno-strict-aliasing",) if form == "stored" else ())
    ptx, cubin = f"{work}/{form}.ptx", f"{work}/{form}.cubin"
    subprocess.run([os.environ.get("CLANG", "clang"), "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_62", "-nocudainc", "-nocudalib",
                    "--cuda-path=/nonexistent", "-Wno-unknown-cuda-version", "-Xclang", "-target-feature", "-Xclang", "+ptx60",
                    "-ffp-contract=off", "-O2", "-S", *flags, "-o", ptx, "tests/kernels/gemm.cu"], check=True)
    text = re.sub(r"(?m)^\.target .*", ".target sm_75", open(ptx).read())
    open(ptx, "w").write(re.sub(r"(?m)^\.version .*", ".version 6.5", text))
    subprocess.run([f"{TOOLS}/ptxas", "-O3", "-arch=sm_75", "-o", cubin, ptx], check=True)
    name = "gemm" if form == "run-time" else "gemm_unrolled"
    listing = subprocess.run([f"{TOOLS}/nvdisasm", "-c", cubin], stdout=subprocess.PIPE, text=True, check=True).stdout
    code = listing[listing.index(f".text.{name}:"):].split("//-----")[0]
    return walk(code, n)


def walk(code, n):
    """All lanes go the same way. Branches back are the loop, which has its counter in a register that the last ISETP
    before them compares; whoever branches forward over it is the check for a rest, or for no iteration at all."""
    rows, labels = [], {}
    for line in code.splitlines():
        label = re.match(r"(\.L_\S+):", line)
        found = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?) ;", line)
        if label:
            labels[label.group(1)] = len(rows)
        elif found:
            rows.append(found.group(1))
    alu = accesses = at = 0
    per_pass = None
    while True:
        text = re.sub(r"^@!?U?P\d+ +", "", rows[at])
        op = text.split()[0].split(".")[0]
        guarded = rows[at].startswith("@")
        if op == "EXIT" and not guarded:
            return alu, accesses
        if op in ("LDG", "STG"):
            accesses += 1
        elif op != "NOP":
            alu += 1
        if op == "BRA":
            to = labels[re.search(r"\.L_\w+", text).group()]
            if not guarded:
                at = to
                continue
            if to <= at:  # the loop: as often as its loads say
                loads = sum(" LDG" in " " + r or r.startswith("LDG") for r in rows[to:at])
                passes = n // max(1, loads // 2)
                body = rows[to:at + 1]
                inside = sum(r.split()[0].split(".")[0] in ("LDG", "STG") for r in (re.sub(r"^@!?U?P\d+ +", "", b) for b in body))
                accesses += (passes - 1) * inside
                alu += (passes - 1) * (len(body) - inside)
            elif any(r.startswith("@") and "BRA" in r and labels[re.search(r"\.L_\w+", r).group()] <= i
                     for i, r in enumerate(rows) if at < i < to):
                pass  # over the loop: not taken
            else:
                at = to  # over the rest: n is even
                continue
        at += 1


def code(work):
    print("| form | code | ALU instructions | accesses | mean at 0.3, 0.6, 0.1 | deviation | ALU | L1 | L2 | DRAM | L2 over 70 % and ALU under 2 % |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    for form, title in (("run-time", "N at run time"), ("unrolled", "N constant, unrolled"), ("stored", "unrolled, each sum stored")):
        alu, loads, stores, _ = ids(record(work, 32, form))
        rows = [("PTX of clang", alu, loads + stores)]
        if os.path.exists(f"{BUILD}/toolchain/complete"):
            rows.append(("sm_75 of ptxas", *sass_of(work, form, 32)))
        for name, alu, accesses in rows:
            mean, deviation, part = cost(alu, (accesses, (0.3, 0.6, 0.1)))
            fits = like_the_text(alu, accesses)
            says = f"from p(L2) {fits[0]:.2f} on, with p(DRAM) up to {fits[1]:.2f}" if fits else "with no probabilities"
            print(f"| {title} | {name} | {alu} | {accesses} | {mean:,.1f} | {deviation:,.1f} | " + " | ".join(f"{100 * p:.2f} %" for p in part) + f" | {says} |")
    if not os.path.exists(f"{BUILD}/toolchain/complete"):
        print("\nNo toolchain here (make toolchain): the code of ptxas is not counted.")


def grid(work):
    """A processor, and the last of them."""
    trace, levels = record(work, 256, "unrolled"), (0.7, 0.2, 0.1)
    one = exact(trace, "san-rtx2080", *given(levels), "--processors", "1")
    last = json.loads(run("replay", "-q", trace, "--machine", "san-rtx2080", *given(levels), "--set", "measure=grid", "--batches", "200..200",
                          "--seed", "1", "--json"))["traces"][0]["statistics"]["cycles"]
    print(f"GEMM 256 on san-rtx2080 with 0.7, 0.2, 0.1: a processor with {one['warps_per_processor']} warps takes {one['mean']:,.0f} cycles, "
          f"deviation {one['deviation']:,.0f}; the last of the 184 is done after {last['mean']:,.0f}, "
          f"{100 * (last['mean'] / one['mean'] - 1):.1f} % more (200 batches, half width {last['half_width']:,.0f}).")


def main(arguments):
    parser = script.command_line(__doc__)
    parser.add_argument("--code", action="store_true", help="the first table alone: what the code is")
    given = parser.parse_args(arguments)
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    os.environ.setdefault("REPRISE_MACHINES", os.path.abspath("hw-models/machines"))
    with tempfile.TemporaryDirectory() as work:
        code(work)
        if not given.code:
            print()
            table(work)
            print()
            grid(work)


if __name__ == "__main__":
    script.run(main)
