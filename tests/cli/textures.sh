#!/bin/bash
# Textures and surfaces of a launch file: what kernels read and leave, traces, and what replay makes of filters.
set -u
. tests/support/cli.sh

# out[y][x] = the texel at (x + u, y + v), stored through a surface; 32-bit elements
cat >"$work/k.ptx" <<'PTX'
.version 7.0
.target sm_62
.address_size 64
.global .texref named;
.visible .entry shade(.param .u64 picture, .param .u64 canvas, .param .f32 u, .param .f32 v)
{
    .reg .b64 %t, %s;
    .reg .b32 %r<16>;
    .reg .f32 %f<6>;
    ld.param.u64 %t, [picture];
    ld.param.u64 %s, [canvas];
    ld.param.f32 %f1, [u];
    ld.param.f32 %f2, [v];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    cvt.rn.f32.u32 %f3, %r1;
    cvt.rn.f32.u32 %f4, %r2;
    add.f32 %f3, %f3, %f1;
    add.f32 %f4, %f4, %f2;
    tex.2d.v4.u32.f32 {%r3, _, _, _}, [%t, {%f3, %f4}];
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [%s, {%r4, %r2}], %r3;
    ret;
}
.visible .entry line(.param .u64 canvas, .param .u64 from)
{
    .reg .b64 %t, %s;
    .reg .b32 %r<16>;
    ld.param.u64 %s, [canvas];
    ld.param.u64 %t, [from];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r5, %r2, 32, %r1;
    tex.1d.v4.s32.s32 {%r3, _, _, _}, [named, {%r5}];
    tex.1d.v4.s32.s32 {%r6, _, _, _}, [%t, {%r5}];
    add.u32 %r3, %r3, %r6;
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [%s, {%r4, %r2}], %r3;
    ret;
}
PTX

# config FILE PICTURE LAUNCH
config() {
    cat >"$work/$1.cfg" <<CFG
module = "k.ptx";
buffers = { P = "$4"; C = "zeros:2048"; };
images = {
    picture = { buffer = "P"; $2 };
    canvas = { buffer = "C"; element = "u32"; width = 32; height = 16; };
};
launches = ( { grid = 16; block = 32; $3 } );
save = { C = "$work/$1.bin"; };
CFG
}
# words FILE EXPRESSION: an expression in x and y for each element, as 32-bit words; d: f for floats
expected() {
    python3 - "$work/$1.expected" "$2" "$3" <<'PY'
import struct, sys
out, kind, expression = sys.argv[1:]
f = eval("lambda x, y: " + expression)
open(out, "wb").write(b"".join(struct.pack("<" + kind, f(x, y)) for y in range(16) for x in range(32)))
PY
}
runs() { # what, config
    "$r" record -q -o "$work/$2.wtr" --launch-file "$work/$2.cfg" && cmp "$work/$2.bin" "$work/$2.expected" >&2
    is "$1" $? 0
}
shade='kernel = "shade"; args = ( "tex=picture", "surf=canvas", "f32=1.5", "f32=-0.5" );'
square='element = "i32"; width = 32; height = 16;'
config clamp "$square" "$shade" iota-i32:512
sed -i 's/zeros:2048/zeros:2K/' "$work/clamp.cfg"
expected clamp i 'min(x + 1, 31) + 32 * max(y - 1, 0)'
runs "a texture is read and a surface stored, out of bounds clamped" clamp
config border "$square address = [\"border\", \"clamp\"];" "$shade" iota-i32:512
expected border i '(x + 1 + 32 * max(y - 1, 0)) if x < 31 else 0'
runs "a border is 0" border
python3 -c 'import struct; open("'"$work"'/f.bin", "wb").write(b"".join(struct.pack("<f", x * x + y) for y in range(16) for x in range(32)))'
real='element = "f32"; width = 32; height = 16;'
half='kernel = "shade"; args = ( "tex=picture", "surf=canvas", "f32=1", "f32=0.5" );'
config linear "$real filter = \"linear\";" "$half" "file:$work/f.bin"
expected linear f '(x * x + min(x + 1, 31) ** 2) / 2 + y'
runs "a linear filter is half way between texels" linear
config point "$real" "$half" "file:$work/f.bin"
expected point f 'min(x + 1, 31) ** 2 + y'
runs "and a point filter is not" point
config line 'element = "i32"; width = 512; linear = true; reference = "named";' \
    'kernel = "line"; args = ( "surf=canvas", "tex=picture" );' iota-i32:512
expected line i '2 * (x + 32 * y)'
runs "a reference of the module, and linear memory" line

# ---- traces and replay -----------------------------------------------------------------------------------------------
for n in 1 3; do "$r" record -q --threads $n -o "$work/threads$n.wtr" --launch-file "$work/linear.cfg"; done
is "the trace does not depend on threads" "$(cmp "$work/threads1.wtr" "$work/threads3.wtr" && echo same)" same
is "reprise verify" "$("$r" verify "$work/linear.wtr" | tail -1 | grep -c .)" 1
is "four texels a fetch" "$("$r" dump "$work/linear.wtr" --block 3 --warp 0 | grep -c 'tex.2d')" 1
for m in jetson-tx2 rtx2080 rtx2060-accelsim san-rtx2080; do
    for e in fast reference; do
        for t in linear point line; do
            "$r" replay "$work/$t.wtr" -m $m --engine $e --json >"$work/$m.$t.$e.json" || echo "not ok - replay on $m"
        done
    done
    for t in linear point line; do
        is "$m: both engines agree on $t" "$(json "$work/$m.$t.fast.json" 'd["launches"]')" \
            "$(json "$work/$m.$t.reference.json" 'd["launches"]')"
    done
done
transactions() { json "$work/jetson-tx2.$1.fast.json" 'd["launches"][0]["global"]["load_transactions"]'; }
# 16 rows of 128 bytes, a sector of 32 bytes holds 16 of two rows: 8 sectors a warp, of each of the four texels
is "a point filter reads each sector once a warp" "$(transactions point)" 128
# the last row's texels below it are itself, and read once
is "a linear one four times" "$(transactions linear)" 496

# ---- what is wrong -----------------------------------------------------------------------------------------------------
wrong() { # text, picture, launch
    config bad "$2" "$3" iota-i32:512
    fails 2 "$1" "$r" record --no-trace -q --launch-file "$work/bad.cfg"
}
wrong "bad.cfg:4: an image needs 'element', such as" 'width = 32;' "$shade"
wrong "an image needs 'element'" 'element = "f64"; width = 32;' "$shade"
wrong "bad.cfg:4: image 'picture' takes 1024 bytes, but buffer 'P' has 2048" 'element = "i32"; width = 16; height = 16;' "$shade"
wrong "bad.cfg:4: unknown key 'heigth'; did you mean 'height'?" 'element = "i32"; width = 32; heigth = 16;' "$shade"
wrong "'bilinear' is none of the names" "$square filter = \"bilinear\";" "$shade"
wrong "an image has 'depth' or 'layers', not both" "$square depth = 1; layers = 2;" "$shade"
wrong "has no texture, sampler or surface reference 'unnamed'" "$square reference = \"unnamed\";" "$shade"
wrong "there is no image 'pictur'" "$square" 'kernel = "shade"; args = ( "tex=pictur", "surf=canvas", "f32=1", "f32=1" );'

# ---- nvcc -----------------------------------------------------------------------------------------------------------------
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
    echo "ok - texture objects as nvcc compiles them # SKIP no nvcc here"
    exit 0
fi
cat >"$work/n.cu" <<'CU'
extern "C" __global__ void shade(cudaTextureObject_t picture, cudaSurfaceObject_t canvas, float u, float v)
{
    float value = tex2D<float>(picture, threadIdx.x + u, blockIdx.x + v);
    surf2Dwrite(__float_as_uint(value), canvas, threadIdx.x * 4, blockIdx.x);
}
CU
"$nvcc" -ptx -arch=compute_75 -o "$work/n.ptx" "$work/n.cu" >&2
for t in linear point; do
    sed 's/"k.ptx"/"n.ptx"/' "$work/$t.cfg" >"$work/nvcc.cfg"
    rm -f "$work/$t.bin"
    "$r" record -q --no-trace --launch-file "$work/nvcc.cfg" && cmp "$work/$t.bin" "$work/$t.expected" >&2
    is "texture objects as nvcc compiles them: $t" $? 0
done
