#!/bin/bash
# Progress of long work, in pseudo-terminals of several widths and elsewhere. The bar appears after a second.
set -u
. tests/support/cli.sh
dir=$work
terminal="python3 tests/support/terminal.py"
program=$BUILD/programs/progress clock=$PWD/$BUILD/preload/clock.so
needs "$program" "$clock"
# in time that runs faster, except with AddressSanitizer, which wants to be loaded first
fast="env LD_PRELOAD=$clock"
if address_sanitizer; then fast=; fi
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; sed 's/^/  /' "$dir/out" >&2; }
# The texts of a run in $dir/out against a condition in Python: `lines` without escapes, `raw` as they came.
holds() { # what, condition
    if python3 - "$dir/out" "$2" <<'PY'
import ast, re, sys
raw = [ast.literal_eval(line) for line in open(sys.argv[1])]
lines = [line for line in (re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", text) for text in raw) if line]
sys.exit(not eval(sys.argv[2]))
PY
    then ok "$1"; else bad "$1"; fi
}

long=("replaying" "warp instructions" 118013952 1180139520)
for columns in 60 80 100; do
    $terminal $columns $fast "$program" 2 "${long[@]}" >"$dir/out"
    holds "$columns columns: shown, and it never wraps" "len(lines) == 2 and all(len(l) < $columns for l in lines)"
    holds "$columns columns: figures have separators" "all(' 118,013,952/1,180,139,520' in l for l in lines)"
    holds "$columns columns: it says how long it takes" "all(l.endswith(' s left') for l in lines)"
    holds "$columns columns: the bar is cleared in the end" "raw[-1] == '\x1b[K'"
done
$terminal 80 $fast "$program" 1 "${long[@]}" >"$dir/out"
holds "80 columns: a bar of a tenth" "re.match(r'replaying \[#(#?)(-{9,27})\] ', lines[0])"
$terminal 120 $fast "$program" 1 "${long[@]}" >"$dir/out"
holds "120 columns: the rate, too" "re.search(r', [0-9.]+ [MGk]?/s, ', lines[0])"
$terminal 20 $fast "$program" 1 "${long[@]}" >"$dir/out"
holds "20 columns: what fits" "lines == ['replaying 118,013,9']"
$terminal 120,60 $fast "$program" 3 "${long[@]}" >"$dir/out"
holds "a window that gets narrower: so does the bar" "len(lines) == 3 and 60 <= len(lines[0]) < 120 and len(lines[-1]) < 60"
$terminal 60,120 $fast "$program" 3 "${long[@]}" >"$dir/out"
holds "a window that gets wider: so does the bar" "len(lines) == 3 and len(lines[0]) < 60 <= len(lines[-1])"

# ---- a command of reprise: a kernel that ends after 2^64 steps is ended as soon as the bar is there ------------------------------------
cat >"$dir/endless.ptx" <<'PTX'
.version 6.0
.target sm_62
.address_size 64
.visible .entry endless(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .pred %p<2>;
    mov.u64 %rd1, 1;
L:  mul.lo.u64 %rd1, %rd1, 6364136223846793005;
    add.u64 %rd1, %rd1, 1442695040888963407;
    setp.ne.u64 %p1, %rd1, 1;
    @%p1 bra L;
    ret;
}
PTX
for columns in 60 80 100; do
    $terminal $columns --until blocks $fast "$REPRISE" record -o "$dir/e.wtr" --module "$dir/endless.ptx" --grid 1000 --block 32 \
        --arg i64=0 >"$dir/out"
    holds "$columns columns: reprise record shows its bar" \
        "any(l.startswith('recording [') and ' 0/1,000 blocks' in l and len(l) < $columns for l in lines)"
done

$terminal 80 --until variants $fast "$REPRISE" sweep none.wtr -m jetson-tx2 --vary l1.latency=1..300 --vary l2.latency=1..300 --dry-run >"$dir/out"
holds "a sweep of many machines shows how far its plan is" "any(l.startswith('opening machines [') and '/90,000 variants' in l for l in lines)"

# ---- no terminal, and one that knows no escapes -----------------------------------------------------------------------
$terminal 80 --term dumb --until blocks $fast "$REPRISE" record -o "$dir/e.wtr" --module "$dir/endless.ptx" --grid 1000 \
    --block 32 --arg i64=0 --limit 30000000000 >"$dir/out" &
waited=$!
$fast "$program" 1 "${long[@]}" >"$dir/plain" 2>&1 </dev/null
wait $waited
holds "TERM=dumb: a plain line" "any(re.match('recording 0/1,000 blocks', l) for l in lines) and not any('\x1b' in l for l in raw)"
python3 -c 'import sys; print(*map(repr, open(sys.argv[1]).read().split("\n")), sep="\n")' "$dir/plain" >"$dir/out"
holds "no terminal: a plain line" "len(lines) == 1 and re.match('replaying 118,013,952/1,180,139,520 warp instructions, ', lines[0]) and not '\x1b' in raw[0]"
