#!/bin/bash
# Tensors of a launch file: boxes that kernels load and store with a tensor map, and what is wrong with one.
set -u
. tests/support/cli.sh

# Block b loads the box at (16 b - 8, -2), which is 16 x 6 elements of 32 bits, and stores shared memory as it is; then it
# stores the box at (16 b, 0) of another tensor.
cat >"$work/k.ptx" <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry boxes(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 out)
{
    .shared .align 1024 .b8 data[512];
    .shared .align 8 .b64 object;
    .reg .b64 %f, %t, %o, %p;
    .reg .b32 %i, %b, %x, %y, %s, %v;
    .reg .pred %first, %q;
    mov.u64 %f, from;
    cvta.param.u64 %f, %f;
    mov.u64 %t, to;
    cvta.param.u64 %t, %t;
    ld.param.u64 %o, [out];
    mov.u32 %i, %tid.x;
    mov.u32 %b, %ctaid.x;
    setp.eq.u32 %first, %i, 0;
    @%first mbarrier.init.shared.b64 [object], 1;
    @%first mbarrier.arrive.expect_tx.shared.b64 _, [object], 384;
    mul.lo.u32 %x, %b, 16;
    sub.u32 %y, %x, 8;
    @%first cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%f, {%y, -2}], [object];
    bar.sync 0;
wait:
    mbarrier.try_wait.parity.shared.b64 %q, [object], 0;
    @!%q bra wait;
    mov.u32 %s, data;
    mad.lo.u32 %s, %i, 4, %s;
    ld.shared.u32 %v, [%s];
    mad.lo.u32 %b, %b, 96, %i;
    mul.wide.u32 %p, %b, 4;
    add.u64 %o, %o, %p;
    st.global.u32 [%o], %v;
    @%first cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%t, {%x, 0}], [data];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
PTX

# config FILE FROM TO ARGS
config() {
    cat >"$work/$1.cfg" <<CFG
module = "k.ptx";
buffers = { A = "iota-i32:800"; B = "zeros:1024"; C = "zeros:1152"; };
tensors = {
    from = { $2 };
    to = { $3 };
};
launches = ( { grid = 3; block = 96; args = ( ${4:-\"tensor=from\", \"tensor=to\", \"buf=C\"} ); } );
save = { C = "$work/$1.c"; B = "$work/$1.b"; };
CFG
}
good='buffer = "A"; element = "u32"; size = [40, 20]; box = [16, 6]; swizzle = 64;'
plain='buffer = "B"; element = "i32"; size = [40, 5]; stride = 192; box = [16, 6];'

config good "$good" "$plain"
"$r" record -q -o "$work/good.wtr" --launch-file "$work/good.cfg"
is "boxes of tensors are recorded" $? 0
python3 - "$work" <<'PY'
import struct, sys
work = sys.argv[1]
c = struct.unpack('<288I', open(work + '/good.c', 'rb').read())
b = struct.unpack('<256I', open(work + '/good.b', 'rb').read())
want = [0] * 256
for block in range(3):
    for i in range(96):
        x, y = 16 * block - 8 + i % 16, i // 16 - 2
        value = 40 * y + x if 0 <= x < 40 and 0 <= y < 20 else 0
        at = 4 * i                                # bytes; 16-byte pieces of a span of 64 change places
        at ^= (at >> 7 & 3) << 4
        assert c[96 * block + at // 4] == value, (block, i)
        x, y = 16 * block + i % 16, i // 16       # stored as it lies in shared memory
        if x < 40 and y < 5:
            want[48 * y + x] = c[96 * block + i]
assert b == tuple(want)
PY
is "... and are where the tensors have them" $? 0
"$r" info --json "$work/good.wtr" >"$work/info.json"
is "the trace says which tensors" "$(grep -c 'buf=A u32 swizzle=2 fill=0 40:0:16:1 20:160:6:1' "$work/info.json")" 1
for e in reference fast; do
    "$r" replay --json --engine $e --machine h100 "$work/good.wtr" >"$work/$e.json"
done
is "both engines replay it in the same cycles" "$(json "$work/fast.json" 'd["launches"]')" \
    "$(json "$work/reference.json" 'd["launches"]')"
for n in 1 3; do "$r" record -q --threads $n -o "$work/threads$n.wtr" --launch-file "$work/good.cfg"; done
is "the trace does not depend on threads" "$(cmp "$work/threads1.wtr" "$work/threads3.wtr" && echo same)" same

# wrong TEXT FROM [TO [ARGS]]
wrong() {
    config bad "$2" "${3:-$plain}" "${4:-}"
    fails 2 "$1" "$r" run -q --launch-file "$work/bad.cfg"
}
wrong "bad.cfg:4: a tensor needs 'buffer'" 'element = "u32";'
wrong "bad.cfg:4: there is no buffer 'Z'" 'buffer = "Z"; element = "u32";'
wrong "bad.cfg:4: a tensor needs 'element', such as" 'buffer = "A"; element = "f8"; size = 8; box = 8;'
wrong "bad.cfg:4: a tensor needs 'size'" 'buffer = "A"; element = "u32"; box = 8;'
wrong "bad.cfg:4: a tensor needs 'box'" 'buffer = "A"; element = "u32"; size = 8;'
wrong "bad.cfg:4: unknown key 'boxs'; did you mean 'box'?" 'buffer = "A"; element = "u32"; size = 8; boxs = 8;'
wrong "'box' has 1 numbers, 'size' has 2" 'buffer = "A"; element = "u32"; size = [40, 20]; box = 16;'
wrong "'stride' has 2 numbers, it must be one less" 'buffer = "A"; element = "u32"; size = [40, 20]; stride = [4, 160]; box = [16, 6];'
wrong "'swizzle' is 0, 32, 64 or 128 bytes" 'buffer = "A"; element = "u32"; size = [40, 20]; box = [16, 6]; swizzle = 16;'
wrong "'zeros' is none of the names" "$good fill = \"zeros\";"
wrong "bad.cfg:4: tensor 'from': tensor map: no fill 1" "$good fill = \"nan\";"
wrong "tensor 'from': tensor map: the step of dimension 1 is 9" "$good step = [1, 9];"
wrong "tensor 'from': tensor map: a box has 128 bytes of dimension 0; with this swizzle it must be a multiple of 16 up to 64" \
    'buffer = "A"; element = "u32"; size = [40, 20]; box = [32, 3]; swizzle = 64;'
wrong "tensor 'from' takes 3360 bytes, but buffer 'A' has 3200" 'buffer = "A"; element = "u32"; size = [40, 21]; box = [16, 6];'
wrong "bad.cfg:7: there is no tensor 'fro'" "$good" "$plain" '"tensor=fro", "tensor=to", "buf=C"'
wrong "bad.cfg:7: argument 2 (tensor) is 128 bytes, but parameter 'out' of kernel 'boxes' has 8" "$good" "$plain" '"tensor=from", "tensor=to", "tensor=to"'
