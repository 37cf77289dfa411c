#!/bin/bash
# reprise verify --control: nothing in what ptxas wrote; a stall count that reprise asm has lowered, and a wait that it has
# taken away, are found with instruction, address and line.
set -u
. tests/support/cli.sh
dir=$work ptxas=$BUILD/toolchain/12.9/ptxas
if [ ! -x "$ptxas" ]; then
    echo "ok - verify --control # SKIP no $ptxas: make toolchain fetches it"
    exit 0
fi
cat >"$dir/chain.ptx" <<'PTX'
.version 7.8
.target sm_86
.address_size 64
.file 1 "chain.cu"
.visible .entry chain(.param .u64 p)
{
    .reg .b64 %rd<3>; .reg .f32 %f<4>;
    .loc 1 3 0
    ld.param.u64 %rd1, [p];
    ld.global.f32 %f1, [%rd1];
    .loc 1 4 0
    fma.rn.f32 %f2, %f1, %f1, %f1;
    .loc 1 5 0
    fma.rn.f32 %f3, %f2, %f2, %f2;
    .loc 1 6 0
    st.global.f32 [%rd1], %f3;
    ret;
}
PTX
"$ptxas" -lineinfo -arch=sm_86 -o "$dir/chain.cubin" "$dir/chain.ptx"
cat >"$dir/edit.py" <<'PY'
# edit.py CUBIN OUT INSTRUCTION BITS: the kernel with these control bits cleared in the first such instruction.
import os, re, subprocess, sys
cubin, out, name, bits = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4], 0)
lines = subprocess.run([os.environ['REPRISE'], 'disasm', cubin, '--kernel', 'chain'], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines(True)
at = next(i for i, l in enumerate(lines) if re.search(r'\*/\s+' + name, l))
word = re.search(r'0x([0-9a-f]{16})', lines[at])
changed = int(word[1], 16) & ~(bits << 41)
assert changed != int(word[1], 16), lines[at]
open(out + '.sass', 'w').write(''.join(lines[:at] + [lines[at].replace(word[1], f'{changed:016x}')] + lines[at + 1:]))
open(out + '.same', 'w').write(''.join(lines))
for listing, code in ((out + '.sass', out + '.new'), (out + '.same', out + '.old')):
    subprocess.run([os.environ['REPRISE'], 'asm', listing, '--kernel', 'chain', '-o', code], check=True)
image, old, new = open(cubin, 'rb').read(), open(out + '.old', 'rb').read(), open(out + '.new', 'rb').read()
assert image.count(old) == 1 and len(old) == len(new) and old != new
open(out, 'wb').write(image.replace(old, new))
PY
export REPRISE=$r
python3 "$dir/edit.py" "$dir/chain.cubin" "$dir/short.cubin" FFMA 4 # stall 4 or 5 becomes 0 or 1
python3 "$dir/edit.py" "$dir/chain.cubin" "$dir/rash.cubin" FFMA $((63 << 11))
for k in chain short rash; do
    "$r" record -q -o "$dir/$k.wtr" --module "$dir/$k.cubin" -k chain --grid 2 --block 64 --arg buf=zeros:4K
    "$r" verify --control "$dir/$k.wtr" -m rtx3070 >"$dir/$k.out" 2>"$dir/$k.err"
    echo $? >"$dir/$k.status"
done
check "what ptxas wrote has none" test "$(cat "$dir/chain.status")" = 0
check "and says so" grep -q 'control bits on rtx3070: 0 hazards' "$dir/chain.out"
check "a stall count that is too small: status 3" test "$(cat "$dir/short.status")" = 3
check "with both instructions, addresses, line and cycles" grep -Eq \
    '^  chain, chain\.cu:5: 0x[0-9a-f]{4} FFMA R[0-9]+, .* reads R[0-9]+ before 0x[0-9a-f]{4} FFMA .* has written it: [1-4] cycles? of stall counts are missing \(4 times, first in launch 0, block 0, warp 0\)$' "$dir/short.out"
check "a wait that is not there" grep -Eq \
    '^  chain, chain\.cu:4: 0x[0-9a-f]{4} FFMA .* before 0x[0-9a-f]{4} LDG\.E .* has written it: nothing between them waits for its barrier [0-5] ' "$dir/rash.out"
"$r" verify --control --json "$dir/short.wtr" -m rtx3070 >"$dir/json"
check "the same in JSON" python3 - "$dir/json" <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))["traces"]
assert len(t) == 1 and t[0]["whole"] and t[0]["machine"] == "rtx3070", t
h, = t[0]["hazards"]
assert h["kind"] == "read-after-write" and h["file"] == "chain.cu" and h["line"] == 5 and h["times"] == 4 and h["missing_cycles"] in (1, 2, 3, 4), h
PY
# without --machine: the first one of 8.6
check "the machine of the code's compute capability" grep -q 'control bits on a4000' <("$r" verify --control "$dir/chain.wtr")
"$r" record -q -o "$dir/ptx.wtr" --module "$dir/chain.ptx" -k chain --grid 1 --block 32 --arg buf=zeros:4K
check "PTX has no control bits" grep -q 'its code has no control bits' <("$r" verify --control "$dir/ptx.wtr" 2>&1)
check "--set without --machine" grep -q "classes.fp32.latency=x: .* is not a whole number" <("$r" verify --control "$dir/chain.wtr" --set classes.fp32.latency=x 2>&1)
check "is what that machine takes" grep -q 'control bits on a4000: [1-9][0-9]* hazard' <("$r" verify --control "$dir/chain.wtr" --set classes.fp32.latency=40)
check "--machine goes with --control" grep -q 'go with --control' <("$r" verify "$dir/ptx.wtr" -m rtx3070 2>&1)
# by default replay goes by the control bits, and both engines agree
for d in control-words scoreboard; do
    for e in fast reference; do "$r" replay -q --json "$dir/chain.wtr" -m rtx3070 --set dependencies=$d --engine $e | grep -v '"engine"' >"$dir/$d.$e"; done
    check "replay, $d: both engines agree" cmp -s "$dir/$d.fast" "$dir/$d.reference"
    check "and it is what held instructions back" grep -q "\"dependencies\": \"$d\"" "$dir/$d.fast"
done
check "control words are the machine's default" grep -q '"dependencies": "control-words"' <("$r" replay -q --json "$dir/chain.wtr" -m rtx3070)
