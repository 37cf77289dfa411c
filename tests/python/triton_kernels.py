"""Triton kernels, each with the arrays it is given and what NumPy makes of them."""
from typing import NamedTuple

import numpy as np
import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    v = tl.load(x + row * columns + i, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    centred = tl.where(inside, v - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w = tl.load(weight + i, mask=inside)
    b = tl.load(bias + i, mask=inside)
    tl.store(out + row * columns + i, centred * scale * w + b, mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TF32: tl.constexpr, INTEGER: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.int32 if INTEGER else tl.float32)
    for start in range(0, k, K):
        at = start + depth
        left = tl.load(a + rows[:, None] * k + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k),
                       other=0 if INTEGER else 0.0)
        right = tl.load(b + at[:, None] * n + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n),
                        other=0 if INTEGER else 0.0)
        total = tl.dot(left, right, total, input_precision="tf32" if TF32 else "ieee", out_dtype=total.dtype)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def causal_attention(q, k, v, out, length, scale, BLOCK: tl.constexpr, HEAD: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, HEAD)
    inside = rows[:, None] < length
    query = tl.load(q + rows[:, None] * HEAD + d[None, :], mask=inside, other=0.0)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    result = tl.zeros((BLOCK, HEAD), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BLOCK, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        key = tl.load(k + keys[None, :] * HEAD + d[:, None], mask=keys[None, :] < length, other=0.0)
        score = tl.dot(query, key) * scale
        score = tl.where((rows[:, None] >= keys[None, :]) & (keys[None, :] < length), score, -float("inf"))
        higher = tl.maximum(best, tl.max(score, axis=1))
        p = tl.exp(score - higher[:, None])
        keep = tl.exp(best - higher)
        value = tl.load(v + keys[:, None] * HEAD + d[None, :], mask=keys[:, None] < length, other=0.0)
        result = result * keep[:, None] + tl.dot(p.to(value.dtype), value)
        total = total * keep + tl.sum(p, axis=1)
        best = higher
    tl.store(out + rows[:, None] * HEAD + d[None, :], result / total[:, None], mask=inside)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=inside)


@triton.jit
def histogram(x, out, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(v, BINS, mask=i < n))


@triton.jit
def scan(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0)
    tl.store(out + row * columns + i, tl.cumsum(v, axis=0), mask=i < columns)


# ---- what NumPy makes of it ----------------------------------------------------------------------------------------

def to_bf16(x):
    """Rounded to nearest, ties to even, as the 16 bits of a bfloat16."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def from_fp8(bits, exponent, mantissa):
    """e4m3 (of FN kind) or e5m2 as floats; the patterns used in the tests are finite."""
    bits = bits.astype(np.int32)
    sign = np.where(bits & 0x80, -1.0, 1.0)
    e = (bits >> mantissa) & ((1 << exponent) - 1)
    m = (bits & ((1 << mantissa) - 1)) / (1 << mantissa)
    bias = (1 << (exponent - 1)) - 1
    return sign * np.where(e == 0, m * 2.0 ** (1 - bias), (1 + m) * 2.0 ** (e - bias))


def philox(seed, counter):
    """Philox4x32-10 (Salmon et al., SC 2011), as Triton calls it: counter in word 0, the seed in the key; word 0."""
    mask = np.uint64(0xFFFFFFFF)
    c = [counter.astype(np.uint64), *(np.zeros_like(counter, np.uint64) for _ in range(3))]
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        low, high = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(high >> np.uint64(32)) ^ c[1] ^ k[0], high & mask, (low >> np.uint64(32)) ^ c[3] ^ k[1], low & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return c[0].astype(np.uint32)


def uniform(words):
    """Triton's way from a word to [0, 1)."""
    x = words.view(np.int32)
    x = np.where(x < 0, -x - 1, x)
    return x.astype(np.float32) * np.float32(4.6566127342e-10)


# ---- the cases ---------------------------------------------------------------------------------------------------------

class Case(NamedTuple):
    name: str
    kernel: object
    types: dict  # of the arguments, in Triton's names
    constants: dict
    grid: tuple
    args: list  # for reprise.run
    output: int  # which argument
    expected: np.ndarray
    bound: float  # largest difference that is allowed; 0: equal
    warps: int = 4
    ctas: int = 1  # blocks of a cluster that run a program together
    targets: tuple = (75, 80, 89, 90)
    forms: dict = {}  # target: instructions that the aligned kernel must have for the test to be worth its name


def elementwise_cases(rng):
    n = 1003
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    yield Case("vector_add", vector_add, dict(x="*fp32", y="*fp32", out="*fp32", n="i32"), dict(BLOCK=256), (4,),
               [x, y, np.zeros_like(x), n], 2, x + y, 0)
    yield Case("vector_add_in_clusters", vector_add, dict(x="*fp32", y="*fp32", out="*fp32", n="i32"), dict(BLOCK=512),
               (2,), [x, y, np.zeros_like(x), n], 2, x + y, 0, ctas=4, targets=(90,))
    p, seed = np.float32(0.3), 0x123456789
    keep = uniform(philox(seed, np.arange(n))) > p
    yield Case("dropout", dropout, dict(x="*fp32", out="*fp32", n="i32", p="fp32", seed="i64"), dict(BLOCK=256), (4,),
               [x, np.zeros_like(x), n, p, seed], 1, np.where(keep, x / (np.float32(1) - p), 0), 1e-6)
    values = rng.integers(0, 32, n).astype(np.int32)
    yield Case("histogram", histogram, dict(x="*i32", out="*i32", n="i32"), dict(BINS=32, BLOCK=256), (4,),
               [values, np.zeros(32, np.int32), n], 1, np.bincount(values, minlength=32).astype(np.int32), 0)


def row_cases(rng):
    rows, columns = 5, 300
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    yield Case("softmax", softmax, dict(x="*fp32", out="*fp32", columns="i32"), dict(BLOCK=512), (rows,),
               [x, np.zeros_like(x), columns], 1, e / e.sum(1, keepdims=True), 1e-6)
    w, b = (rng.standard_normal(columns).astype(np.float32) for _ in range(2))
    eps = 1e-5
    x64 = x.astype(np.float64)
    normal = (x64 - x64.mean(1, keepdims=True)) / np.sqrt(x64.var(1, keepdims=True) + eps) * w + b
    yield Case("layer_norm", layer_norm,
               dict(x="*fp32", weight="*fp32", bias="*fp32", out="*fp32", columns="i32", eps="fp32"), dict(BLOCK=512),
               (rows,), [x, w, b, np.zeros_like(x), columns, eps], 3, normal, 1e-5)
    v = rng.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    yield Case("scan", scan, dict(x="*i32", out="*i32", columns="i32"), dict(BLOCK=512), (rows,),
               [v, np.zeros_like(v), columns], 1, np.cumsum(v, axis=1), 0)


def _matmul(name, type, result, a, b, expected, bound, tile, types, tf32=False,
            targets=(75, 80, 89, 90)):
    """`types` are PTX's names of the operands, as they stand in mma and wgmma."""
    (m, k), n = a.shape, b.shape[1]
    out = np.zeros((m, n), np.int32 if result == "*i32" else np.float32)
    constants = dict(M=tile[0], N=tile[1], K=tile[2], TF32=tf32, INTEGER=result == "*i32")
    forms = {80: ["mma.sync.aligned", types], 89: ["mma.sync.aligned", types], 90: ["wgmma.mma_async", types]} if types else {}
    return Case(name, matmul, dict(a=type, b=type, c=result, m="i32", n="i32", k="i32"), constants,
                (-(-m // tile[0]), -(-n // tile[1])), [a, b, out, m, n, k], 2, expected, bound,
                targets=targets, forms=forms)


def matmul_cases(rng):
    """Small integers and their halves: products and sums are exact in each type."""
    m, n, k = 96, 80, 112
    a, b = rng.integers(-4, 5, (m, k)) / 2, rng.integers(-4, 5, (k, n)) / 2
    exact = (a @ b).astype(np.float32)
    half = (np.float16(a), np.float16(b))
    yield _matmul("matmul_f16", "*fp16", "*fp32", *half, exact, 0, (64, 64, 32), "f32.f16.f16")
    yield _matmul("matmul_f16_small", "*fp16", "*fp32", *half, exact, 0, (32, 32, 16), None)
    yield _matmul("matmul_bf16", "*bf16", "*fp32", to_bf16(a), to_bf16(b), exact, 0, (64, 64, 32),
                  "f32.bf16.bf16", targets=(80, 89, 90))
    single = (a.astype(np.float32), b.astype(np.float32))
    yield _matmul("matmul_tf32", "*fp32", "*fp32", *single, exact, 0, (64, 64, 32),
                  "f32.tf32.tf32", tf32=True)
    yield _matmul("matmul_f32", "*fp32", "*fp32", *single, exact, 0, (32, 32, 32), None)
    left, right = (rng.integers(-128, 128, s).astype(np.int8) for s in ((m, k), (k, n)))
    yield _matmul("matmul_s8", "*i8", "*i32", left, right, left.astype(np.int32) @ right.astype(np.int32), 0,
                  (64, 64, 32), "s8.s8", targets=(80, 89, 90))  # Triton itself has no s8 products for sm_75
    for kind, exponent, mantissa in (("fp8e4nv", 4, 3), ("fp8e5", 5, 2)):
        bias, steps = (1 << (exponent - 1)) - 1, 1 << mantissa
        # Numbers with exponents of -2 to 1, of both signs: sums of products are exact in f32, and in the
        # 14 bits or so that tensor cores keep of sums of fp8.
        def draw(shape):
            e = rng.integers(bias - 2, bias + 2, shape)
            return ((rng.integers(0, 2, shape) << 7) | (e << mantissa) | (rng.integers(0, 2, shape) * (steps // 2))).astype(np.uint8)
        left, right = draw((m, k)), draw((k, n))
        product = from_fp8(left, exponent, mantissa) @ from_fp8(right, exponent, mantissa)
        targets = (89, 90) if kind == "fp8e4nv" else (80, 89, 90)
        yield _matmul("matmul_" + kind, "*" + kind, "*fp32", left, right, product.astype(np.float32), 0,
                      (64, 64, 32), None, targets=targets)


def attention_cases(rng):
    length, head = 150, 64
    q, k, v = (rng.standard_normal((length, head)).astype(np.float16) for _ in range(3))
    scale = 1 / np.sqrt(head)
    s = q.astype(np.float64) @ k.astype(np.float64).T * scale
    s[np.triu_indices(length, 1)] = -np.inf
    p = np.exp(s - s.max(1, keepdims=True))
    expected = p / p.sum(1, keepdims=True) @ v.astype(np.float64)
    yield Case("causal_attention", causal_attention,
               dict(q="*fp16", k="*fp16", v="*fp16", out="*fp32", length="i32", scale="fp32"),
               dict(BLOCK=64, HEAD=head), (-(-length // 64),), [q, k, v, np.zeros((length, head), np.float32), length, scale],
               3, expected, 2e-3)  # p is rounded to f16 before the second product: 2^-11 of values up to 4


def all_cases():
    rng = np.random.default_rng(1)
    for make in (elementwise_cases, row_cases, matmul_cases, attention_cases):
        yield from make(rng)
