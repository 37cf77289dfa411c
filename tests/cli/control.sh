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
# edit.py CUBIN OUT INSTRUCTION BITS NEW: the kernel with NEW in these control bits of the first such instruction.
import os, re, subprocess, sys
cubin, out, name, bits, new = *sys.argv[1:4], int(sys.argv[4], 0), int(sys.argv[5])
lines = subprocess.run([os.environ['REPRISE'], 'disasm', cubin, '--kernel', 'chain'], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines(True)
at = next(i for i, l in enumerate(lines) if re.search(r'\*/\s+' + name, l))
word = re.search(r'0x([0-9a-f]{16})', lines[at])
changed = int(word[1], 16) & ~(bits << 41) | new << 41
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
python3 "$dir/edit.py" "$dir/chain.cubin" "$dir/short.cubin" FFMA 15 1 # a stall of 1
python3 "$dir/edit.py" "$dir/chain.cubin" "$dir/rash.cubin" FFMA $((63 << 11)) 0
for k in chain short rash; do
    "$r" record -q -o "$dir/$k.wtr" --module "$dir/$k.cubin" -k chain --grid 2 --block 64 --arg buf=zeros:4K
    "$r" verify --control "$dir/$k.wtr" -m rtx3070 >"$dir/$k.out" 2>"$dir/$k.err"
    echo $? >"$dir/$k.status"
done
check "what ptxas wrote has none" test "$(cat "$dir/chain.status")" = 0
check "and says so" grep -q 'control bits on rtx3070: 0 hazards' "$dir/chain.out"
check "a stall count that is too small: status 3" test "$(cat "$dir/short.status")" = 3
check "with both instructions, addresses, line and cycles" grep -Eq \
    '^  chain, chain\.cu:5: 0x[0-9a-f]{4} FFMA R[0-9]+, .* reads R[0-9]+ before 0x[0-9a-f]{4} FFMA .* has written it: [1-4] cycles? of stall counts (is|are) missing \(4 times, first in launch 0, block 0, warp 0\)$' "$dir/short.out"
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
check "a GPU that does not run the code: says so first" grep -q '^  the code is for sm_86, and jetson-tx2 is of compute capability 6.2, which does not run it' \
    <("$r" verify --control "$dir/chain.wtr" -m jetson-tx2 | sed -n 2p)
check "... also where there are none" eval '"$r" verify --control "$dir/chain.wtr" -m a100 --set classes.fp32.latency=1 >"$dir/none.out" && grep -q "^  the code is for sm_86, and a100" "$dir/none.out"'
check "... and not of one that does" eval '! "$r" verify --control "$dir/chain.wtr" --set classes.fp32.latency=40 | grep -q "which does not run it"'
check "--machine goes with --control" grep -q 'go with --control' <("$r" verify "$dir/ptx.wtr" -m rtx3070 2>&1)
# by default replay goes by the control bits, and both engines agree
for d in control-words scoreboard; do
    for e in fast reference; do "$r" replay -q --json "$dir/chain.wtr" -m rtx3070 --set dependencies=$d --engine $e | grep -v '"engine"' >"$dir/$d.$e"; done
    check "replay, $d: both engines agree" cmp -s "$dir/$d.fast" "$dir/$d.reference"
    check "and it is what held instructions back" grep -q "\"dependencies\": \"$d\"" "$dir/$d.fast"
done
check "control words are the machine's default" grep -q '"dependencies": "control-words"' <("$r" replay -q --json "$dir/chain.wtr" -m rtx3070)
# Each kind of instruction whose result ptxas takes earlier than the machine's latency says: halves, I2I, products; on sm_90
# a uniform guard and the predicate of an atomic.
cat >"$dir/kinds" <<'PTX'
.version 8.4
.target sm_TARGET
.address_size 64
.visible .entry kinds(.param .u64 p, .param .u32 n)
{
    .reg .b64 %rd<9>; .reg .b32 %r<30>; .reg .f32 %f<12>; .reg .b16 %h<3>; .reg .pred %q<3>;
    .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 64, %rd1;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd2];
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2+16];
    fma.rn.f16x2 %r6, %r2, %r3, %r4;
    fma.rn.f16x2 %r6, %r6, %r3, %r4;
    add.f16x2 %r6, %r6, %r2;
    st.global.u32 [%rd2+32], %r6;
    cvt.sat.s8.s32 %h1, %r6;
    cvt.s32.s8 %r7, %h1;
    st.global.u32 [%rd2+36], %r7;
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r2}, {%r3}, {%r4, %r5};
    st.global.u32 [%rd2+40], %r11;
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r12, %r13}, {%r10}, {%r11}, {%r4, %r5};
    st.global.u32 [%rd2+44], %r13;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r12, %r13}, {%r2}, {%f1, %f2, %f3, %f4};
    st.global.f32 [%rd2+48], %f8;
PTX
cat >"$dir/kinds80" <<'PTX'
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%f5, %f6, %f7, %f8};
    st.global.f32 [%rd2+52], %f4;
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r14, %r15, %r16, %r17}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%r12, %r13, %r4, %r5};
    st.global.u32 [%rd2+56], %r17;
PTX
cat >"$dir/kinds90" <<'PTX'
    setp.ne.u32 %q1, %r1, 0;
    mov.u32 %r20, bar;
    @%q1 bra next;
    mbarrier.init.shared.b64 [%r20], %r9;
next:
    atom.add.noftz.f16x2 %r21, [%rd2+60], %r2;
PTX
while read -r cc own; do
    {
        sed "s/TARGET/$cc/" "$dir/kinds"
        [ "$cc" -lt 80 ] || cat "$dir/kinds80"
        [ "$cc" -lt 90 ] || cat "$dir/kinds90"
        echo "    ret;"
        echo "}"
    } >"$dir/kinds.ptx"
    for o in 0 3; do
        "$ptxas" -O$o -arch="sm_$cc" -o "$dir/kinds.cubin" "$dir/kinds.ptx" || exit
        "$r" record -q -o "$dir/kinds.wtr" --module "$dir/kinds.cubin" --grid 1 --block 32 --arg buf=zeros:8K --arg u32=5
        "$r" verify --control "$dir/kinds.wtr" >"$dir/kinds.out"
        check "ptxas -O$o for sm_$cc has no hazard on its own GPU" grep -q "control bits on $own: 0 hazards" "$dir/kinds.out"
    done
done <<'OWN'
75 quadro-rtx6000
80 a100
86 a4000
89 rtx4090
90 h100
OWN
check "the last code has what it is for" sh -c \
    '"$0" disasm "$1" >"$2" && for i in VOTEU.ALL I2I.S8 HFMA2 IMMA.8816 HMMA.1688 HMMA.16816 F16x2; do grep -q "$i" "$2" || exit 1; done' \
    "$r" "$dir/kinds.cubin" "$dir/kinds.text"
