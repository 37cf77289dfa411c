"""Compiles Triton kernels without a GPU, runs them, and compares their results with NumPy's.

TAP on standard output. Arguments, if any, are parts of the names to run.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import reprise
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import triton_kernels


def compile_case(case, sm, aligned):
    names = [*case.types, *case.constants]
    signature = {**case.types, **{c: "constexpr" for c in case.constants}}
    constants = {(names.index(c),): value for c, value in case.constants.items()}
    # As Triton's own launcher finds out: addresses, and numbers that are multiples of 16.
    even = [i for i, n in enumerate(case.types) if case.types[n][0] == "*"
            or (case.types[n][0] == "i" and case.args[i] % 16 == 0)]
    attrs = {(i,): [["tt.divisibility", 16]] for i in even} if aligned else {}
    source = ASTSource(fn=case.kernel, signature=signature, constexprs=constants, attrs=attrs)
    return triton.compile(source, target=GPUTarget("cuda", sm, 32), options={"num_warps": case.warps, "num_ctas": case.ctas})


def difference(case, arrays):
    got = arrays[case.output]
    if got.shape != case.expected.shape:
        return f"shape {got.shape}, not {case.expected.shape}"
    worst = np.max(np.abs(got.astype(np.float64) - case.expected.astype(np.float64)))
    if not worst <= case.bound:
        return f"differs by {worst}, {case.bound} is allowed"
    return None


def chains_in_comments(ptx):
    """What LLVM writes behind .loc, as "// a.py:168:27 @[ b.py:59:36 ]": from the innermost place on, without columns."""
    return {tuple(re.findall(r"([^ /:]+):(\d+):\d+", comment)) for comment in re.findall(r"\.loc\s[^/\n]*// (.*)", ptx)}


def wrong_lines(ptx, trace):
    """None if the places of each instruction in the trace, with the calls around it, are among those of the comments."""
    program = os.environ.get("REPRISE", "reprise")
    dump = json.loads(subprocess.run([program, "dump", "--source", "--json", trace], check=True, capture_output=True).stdout)
    found = {tuple((os.path.basename(p["file"]), str(p["line"])) for p in i["source"]) for i in dump["instructions"]}
    wanted = chains_in_comments(ptx)
    if found - wanted:
        return f"lines that Triton does not have: {found - wanted}"
    return None if any(len(c) > 1 for c in found) else "no calls of inlined functions"


def run_case(case, sm, aligned, folder):
    """None if all is well, else what is wrong."""
    compiled = compile_case(case, sm, aligned)
    for form in case.forms.get(sm, ()) if aligned else ():
        if form not in compiled.asm["ptx"]:
            return f"Triton wrote no {form}: this tests something else than it says"
    result = reprise.run(compiled, case.grid, case.args, trace=folder / f"{case.name}.wtr")
    wrong = difference(case, result.arrays)
    if wrong:
        return wrong
    replayed = reprise.replay(result.trace, "jetson-tx2")["launches"][0]
    if replayed["warp_instructions"] != result.report["warp_instructions"] or replayed["cycles"] <= 0:
        return "its replay issues other instructions than were recorded"
    return wrong_lines(compiled.asm["ptx"], result.trace) if case.name == "softmax" else None


def main():
    chosen = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case, sm, aligned in itertools.product(triton_kernels.all_cases(), (75, 80, 89, 90), (True, False)):
            name = f"{case.name}/sm_{sm}/{'aligned' if aligned else 'unaligned'}"
            if sm not in case.targets or (chosen and not any(c in name for c in chosen)):
                continue
            try:
                wrong = run_case(case, sm, aligned, Path(folder))
            except reprise.Error as e:
                wrong = str(e)
            print("not ok" if wrong else "ok", "-", name, flush=True)
            if wrong:
                print(name, wrong, sep=": ", file=sys.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
