"""Prints PTX: matrix products of random numbers whose exponents lie near each other (near), far apart (far), of any bits
(any), and with one or two products at a time besides the sum (few). numerics.py FOLDER writes numerics.ptx and
numerics.launches for programs.c; what each warp leaves in `out` is the bits of all its results."""

import os
import sys

ROUNDS = 16  # products one after another of a warp, each of its own numbers

# name, registers of a, b, c; kind of the elements of a and b, and of c and d
SHAPES = [
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f16", "f32"),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f16", "f32"),
    ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, "f16", "f16"),
    ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "f16", "f16"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "bf16", "f32"),
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "bf16", "f32"),
    ("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "tf32", "f32"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "tf32", "f32"),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "e4m3", "f32"),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, "e5m2", "f32"),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4, "e4m3", "f32"),
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "f64", "f64"),
    ("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, "f64", "f64"),
    ("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, "f64", "f64"),
    ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, "f64", "f64"),
    ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 4, 0, 4, "f16", "f32"),
    ("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", 4, 0, 2, "f16", "f16"),
    ("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", 4, 0, 4, "bf16", "f32"),
    ("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", 4, 0, 4, "tf32", "f32"),
    ("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", 4, 0, 4, "e4m3", "f32"),
    ("wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2", 4, 0, 4, "e5m2", "f32"),
    ("wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3", 4, 0, 2, "e4m3", "f16"),
]
WAYS = ["near", "far", "any", "few"]

# Of a kind: elements in 32 bits (f64: in half a register), bits of the exponent and of the fraction, and of near and far:
# the least exponent and how many follow, a power of two
KINDS = {
    "f16": (2, 5, 10, (11, 8), (1, 16)),
    "bf16": (2, 8, 7, (123, 8), (64, 128)),
    "tf32": (1, 8, 23, (123, 8), (64, 128)),
    "f32": (1, 8, 23, (123, 8), (64, 128)),
    "e4m3": (4, 4, 3, (4, 8), (0, 8)),
    "e5m2": (4, 5, 2, (11, 8), (1, 16)),
    "f64": (1, 11, 20, (1019, 8), (990, 64)),
}


def masks(kind, way, wide_sum):
    """and, the exponent's mask in the drawn bits, and what is added, for all elements of a word."""
    count, e, f, near, far = KINDS[kind]
    least, many = near if way in ("near", "few") else far
    if wide_sum:  # a sum as large as products may be
        least, many = (least - 8, 32) if kind != "f16" else (5, 16)
    width = 32 // count
    keep = move = add = 0
    for k in range(count):
        keep |= ((1 << (e + f)) | ((1 << f) - 1)) << width * k
        move |= ((many - 1) << f) << width * k
        add |= (least << f) << width * k
    return keep, move, add


def random_word(to, kind, way, wide_sum=False):
    """A word of random elements in register `to`; %s is the state."""
    draw = "mad.lo.u32 %s, %s, 0x915f77f5, 0x3039; shr.u32 %t, %s, 15; xor.b32 {0}, %s, %t; mul.lo.u32 {0}, {0}, 0x2c1b3c6d; " \
           "shr.u32 %t, {0}, 13; xor.b32 {0}, {0}, %t;".format(to)
    if way == "any":
        return draw + "\n"
    keep, move, add = masks(kind, way, wide_sum)
    text = draw + " and.b32 %t, {0}, {2}; and.b32 {0}, {0}, {1}; add.u32 %t, %t, {3}; or.b32 {0}, {0}, %t;".format(to, keep, move, add)
    if way == "few" and not wide_sum:  # most words are 0
        text += " shr.u32 %t, %s, 27; setp.lt.u32 %q, %t, 24; @%q mov.b32 {0}, 0;".format(to)
    return text + "\n"


def draws(name, count, kind, way, wide_sum=False):
    out = ""
    for i in range(count):
        out += random_word("%%%s%d" % (name, i), kind, way, wide_sum)
        if kind == "f64":  # the lower word is all random
            out += random_word("%u", "f32", "any") + "mov.b64 %%d%s%d, {%%u, %%%s%d};\n" % (name, i, name, i)
    return out


def listed(name, count, kind):
    return "{" + ", ".join("%%%s%s%d" % ("d" if kind == "f64" else "", name, i) for i in range(count)) + "}"


def kernel(number, shape, way):
    op, a, b, c, kind, sum_kind = shape
    wide = sum_kind == "f64"
    wgmma = op.startswith("wgmma")
    text = ".visible .entry n%d(.param .u64 in, .param .u64 out, .param .u64 mine, .param .u64 sums) {\n" % number
    text += "// %s %s\n" % (op, way)
    text += ".reg .b64 %o, %v, %db<8>, %da<8>, %dc<8>; .reg .b32 %s, %t, %u, %i, %n, %a<8>, %b<8>, %c<8>; .reg .pred %q;\n"
    text += ".shared .align 128 .b8 tile[1024]; .reg .b64 %desc; .reg .b32 %at, %w;\n"
    text += "ld.param.u64 %o, [out]; mov.u32 %i, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, 128, %t;\n"
    text += "mul.wide.u32 %v, %i, 256; add.u64 %o, %o, %v; mad.lo.u32 %s, %i, 0x9e3779b1, " + str(number * 7919 + 17) + ";\n"
    text += "mov.u32 %n, 0;\nagain:\n"
    text += draws("a", a, kind, way) + draws("b", b, kind, way) + draws("c", c, sum_kind, way, way != "any")
    if wgmma:
        # B has 8 columns of 32 bytes: two core matrices of 128 bytes, one behind the other
        text += random_word("%w", kind, way)
        text += "mov.u32 %at, tile; mov.u32 %t, %tid.x; shl.b32 %t, %t, 2; add.u32 %at, %at, %t; bar.sync 0;\n"
        text += "st.shared.b32 [%at], %w; bar.sync 0; fence.proxy.async;\n"
        text += "mov.u32 %at, tile; shr.u32 %at, %at, 4; cvt.u64.u32 %desc, %at; or.b64 %desc, %desc, 0x0000001000080000;\n"
        tail = {"f16": ", 1, 1, 1, 0" if kind in ("f16", "bf16") else ", 1, 1, 1"}.get(sum_kind, "")
        tail = ", 1, 1, 1, 0" if kind in ("f16", "bf16") else ", 1, 1, 1"
        text += "wgmma.fence.sync.aligned;\n%s %s, %s, %%desc%s;\n" % (op, listed("c", c, sum_kind), listed("a", a, kind), tail)
        text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    else:
        text += "%s %s, %s, %s, %s;\n" % (op, listed("c", c, sum_kind), listed("a", a, kind), listed("b", b, kind),
                                         listed("c", c, sum_kind))
    size = 8 if wide else 4
    for i in range(c):
        text += "st.global.b%d [%%o+%d], %%%s%d;\n" % (size * 8, size * i, "dc" if wide else "c", i)
    rounds = 256 // (size * c)
    text += "add.u64 %%o, %%o, %d; add.u32 %%n, %%n, 1; setp.lt.u32 %%q, %%n, %d; @%%q bra again;\nret;\n}\n" % (
        size * c, min(rounds, ROUNDS))
    return text


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "numerics.ptx"), "w") as f, open(os.path.join(folder, "numerics.launches"), "w") as launches:
        f.write(".version 8.4\n.target sm_90a\n.address_size 64\n")
        number = 0
        for shape in SHAPES:
            for way in WAYS:
                f.write(kernel(number, shape, way))
                launches.write("n%d 2 128\n" % number)
                number += 1


if __name__ == "__main__":
    main()
