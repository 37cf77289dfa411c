#!/bin/bash
# Lines and chains of inlined calls of a cubin in DWARF 2 to 5. What ptxas writes is DWARF 2, so the sections are those that clang and
# gcc write for the host (tests/support/host_debug.py), and binutils' addr2line says what is in them.
set -u
. tests/support/cli.sh
CLANG=${CLANG:-clang}
cat >"$work/dot.h" <<'END'
static inline __attribute__((always_inline)) int dot(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sum;
}
END
cat >"$work/k.c" <<'END'
#include "dot.h"
static inline __attribute__((always_inline)) int norm(int *a, int n)
{
    a[n] = n;
    return dot(a, n) + dot(a + 1,
                           n);
}
void which(int *a)
{
    a[0] = 1;
    a[1] = norm(a, 40);
    a[2] = dot(a, 3);
}
END
cat >"$work/compare.py" <<'END'
import json, subprocess, sys
trace, program = sys.argv[1:]
def place(text): # code that belongs to no line has no file here
    name, line = text.split(":")[:2]
    return (None, 0) if line == "?" else (name, int(line))
at = {i["pc"]: [(p["function"], p["file"], p["line"]) for p in i["source"]] for i in json.load(open(trace))["instructions"]}
for pc in sorted(at):
    said = subprocess.run(["addr2line", "-sife", program, hex(pc)], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    said = [(f, *place(text.split()[0])) for f, text in zip(said[::2], said[1::2])]
    assert at[pc] == said, (hex(pc), at[pc], said)
lengths = {len(c) for c in at.values()}
assert len(at) > 10 and lengths == {1, 2, 3}, lengths
END
for compiler in "$CLANG" gcc; do
    for version in 2 3 4 5; do
        (cd "$work" && "$compiler" -gdwarf-$version -O0 -fno-pic -fno-asynchronous-unwind-tables -c k.c -o k.o) || exit 1
        ld -Ttext=0 -e which -o "$work/lines" "$work/k.o"
        ld -Ttext=0x100000000 -e which -o "$work/info" "$work/k.o"
        python3 tests/support/host_debug.py tests/golden/cubin/sm_75-13.0.cubin "$work/lines" "$work/info" "$work/k.cubin"
        "$r" record -q -o "$work/k.wtr" --module "$work/k.cubin" --grid 1 --block 32 --arg buf=zeros:8
        "$r" dump --source --json "$work/k.wtr" >"$work/k.json"
        check "DWARF $version of $(basename "$compiler"): lines and inlined calls are those of addr2line" python3 "$work/compare.py" "$work/k.json" "$work/lines"
    done
done
