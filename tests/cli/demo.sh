#!/bin/bash
# The demonstration runs to its end, and the product it leaves is the product of the matrices it says it multiplies.
set -u
check() { if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
tools/demo >"$log" 2>&1
status=$?
[ $status -eq 0 ] || cat "$log" >&2
check $status "the demonstration ends well"

[ "$(grep -c '^\$ reprise ' "$log")" -eq 5 ]
check $? "it prints the five commands that it runs"
for scheduler in gto lrr serial; do
    grep -qE "^ .*\b$scheduler +[0-9]" "$log"
    check $? "it compares the scheduler $scheduler"
done

"$REPRISE" verify "$BUILD/demo/matmul.wtr" >/dev/null
check $? "its trace is whole"

# The definition of the inputs (reprise record --help) and the multiplication, written again: exact products and sums,
# rounded to single precision after each.
python3 - "$BUILD/demo/C.bin" <<'PYTHON'
import struct, sys
from fractions import Fraction

N, MASK = 128, 2**64 - 1

def random_f32(seed, count):
    for _ in range(count):
        seed = z = (seed + 0x9E3779B97F4A7C15) & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        yield ((z ^ z >> 31) >> 40) / 2**23 - 1

def single(x):
    return struct.unpack('<f', struct.pack('<f', float(x)))[0]

a, b = list(random_f32(1, N * N)), list(random_f32(2, N * N))
c = struct.unpack('<%df' % (N * N), open(sys.argv[1], 'rb').read())
for i in range(0, N * N, 257):
    row, col, total = i // N, i % N, 0.0
    for k in range(N):
        total = single(Fraction(a[row * N + k]) * Fraction(b[k * N + col]) + Fraction(total))
    if total != c[i]:
        sys.exit(f'C[{i}] is {c[i]}, should be {total}')
PYTHON
check $? "its product is right"
