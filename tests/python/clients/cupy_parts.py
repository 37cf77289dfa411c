"""CuPy under reprise run: each part against NumPy. Prints TAP.

    cupy_parts.py [VERSION]     of parts of which either version of CUDA tests half, only those of VERSION: 12 or 13
"""
import sys
import traceback

import cupy as cp
import cupyx
import cupyx.scipy.ndimage
import numpy as np
from cupyx import jit

rng = np.random.default_rng(7)
a = rng.standard_normal((60, 50)).astype(np.float32)
n = rng.integers(-1000, 1000, 5000).astype(np.int32)
da, dn = cp.asarray(a), cp.asarray(n)
parts = []


def part(f):
    parts.append(f)
    return f


def part_of(version):
    return part if sys.argv[1:] in ([], [str(version)]) else lambda f: f


def same(got, wanted, rtol=0.0, atol=0.0):
    got = cp.asnumpy(got)
    assert got.shape == np.shape(wanted), (got.shape, np.shape(wanted))
    if rtol or atol:
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(got, wanted)


@part_of(12)
def elementwise():
    same(cp.sqrt(cp.abs(da)) + cp.sin(da) * 2, np.sqrt(np.abs(a)) + np.sin(a) * 2, rtol=1e-5, atol=1e-6)
    same(cp.where(dn % 3 == 0, dn // 2, dn << 1), np.where(n % 3 == 0, n // 2, n << 1))
    same((da > 0) & (da.T.copy().T < 1), (a > 0) & (a < 1))
    same(dn.astype(np.complex64) * 1j, n.astype(np.complex64) * 1j)
    same(da.astype(np.float16) + cp.float16(1), a.astype(np.float16) + np.float16(1))
    f = cp.ElementwiseKernel("T x, T y", "T z", "z = x * x - y", "square_minus")
    same(f(dn, 3), n * n - 3)

    @cp.fuse()
    def fused(x, y):
        return x * y + x - y

    def affine(x):
        return x * 3 + 1

    same(fused(dn, 7), n * 7 + n - 7)
    same(cp.vectorize(affine)(dn), n * 3 + 1)


@part_of(13)
def reductions():
    same(dn.sum(), n.sum())
    same(da.sum(axis=0), a.sum(axis=0), rtol=1e-4, atol=1e-4)
    same(da.max(axis=1), a.max(axis=1))
    same(da.argmin(axis=0), a.argmin(axis=0))
    same(dn.prod(dtype=np.uint64), n.prod(dtype=np.uint64))
    same(cp.any(dn > 998), np.any(n > 998))
    same(da.mean(axis=1), a.mean(axis=1), rtol=1e-4, atol=1e-5)
    same(da.var(), a.var(), rtol=1e-4)
    same(cp.count_nonzero(dn), np.count_nonzero(n))
    same(cp.cumsum(dn), np.cumsum(n))
    same(cp.bincount(dn + 1000), np.bincount(n + 1000))
    same(cp.histogram(dn, bins=20)[0], np.histogram(n, bins=20)[0])
    f = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")
    same(f(dn), (n * n).sum(dtype=np.int32))


@part_of(12)
def sorting():
    same(cp.sort(dn), np.sort(n))
    same(cp.sort(da, axis=1), np.sort(a, axis=1))
    same(cp.sort(da, axis=0), np.sort(a, axis=0))
    order = cp.asnumpy(cp.argsort(dn))
    assert np.array_equal(n[order], np.sort(n))
    same(cp.unique(dn), np.unique(n))
    same(cp.partition(dn, 100)[100], np.partition(n, 100)[100])
    same(cp.median(da), np.median(a))
    same(cp.searchsorted(cp.sort(dn), cp.asarray([1, 5, 900])), np.searchsorted(np.sort(n), [1, 5, 900]))


@part_of(13)
def indexing_and_scatter():
    where = rng.integers(0, 50, 300)
    values = rng.integers(0, 100, 300)
    wanted, got = np.zeros(50, np.int64), cp.zeros(50, np.int64)
    np.add.at(wanted, where, values)
    cupyx.scatter_add(got, cp.asarray(where), cp.asarray(values))
    same(got, wanted)
    np.maximum.at(wanted, where, values * 3)
    cp.maximum.at(got, cp.asarray(where), cp.asarray(values * 3))
    same(got, wanted)
    same(da[cp.asarray(where) % 60, ::2], a[where % 60, ::2])
    same(dn[dn > 500], n[n > 500])
    same(cp.concatenate([da, da[::-1]], axis=1), np.concatenate([a, a[::-1]], axis=1))
    same(cp.roll(da, 3, axis=0), np.roll(a, 3, axis=0))
    same(cp.nonzero(dn > 900)[0], np.nonzero(n > 900)[0])
    same(cp.take(dn, cp.asarray(where)), np.take(n, where))


@part
def raw_modules():
    source = r"""
    template <typename T> __global__ void scale(T *x, T factor, int n)
    {
        extern __shared__ char space[];
        T *part = (T *)space;
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        part[threadIdx.x] = i < n ? x[i] : T(0);
        __syncthreads();
        if (i < n)
            x[i] = part[threadIdx.x] * factor;
    }"""
    module = cp.RawModule(code=source, name_expressions=["scale<float>", "scale<long long>"])
    for name, t in (("scale<float>", np.float32), ("scale<long long>", np.int64)):
        x = cp.arange(1000, dtype=t)
        module.get_function(name)((8,), (128,), (x, t(3), np.int32(1000)), shared_mem=128 * 8)
        same(x, np.arange(1000, dtype=t) * 3)


@part
def jit_kernels():
    @jit.rawkernel()
    def neighbours(x, y, size):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        part = jit.shared_memory(np.int32, 128)
        part[jit.threadIdx.x] = x[i]
        jit.syncthreads()
        if i < size:
            y[i] = part[jit.threadIdx.x ^ 1] + jit.shfl_xor_sync(0xFFFFFFFF, x[i], 2)

    x = cp.arange(512, dtype=np.int32)
    y = cp.zeros_like(x)
    neighbours[4, 128](x, y, 512)
    i = np.arange(512)
    same(y, (i ^ 1) + (i ^ 2))


@part_of(12)
def ndimage():
    x = rng.standard_normal((20, 30))
    d = cp.asarray(x)
    got = cp.asnumpy(cupyx.scipy.ndimage.uniform_filter(d, 3, mode="constant"))
    padded = np.pad(x, 1)
    wanted = sum(padded[i : i + 20, j : j + 30] for i in range(3) for j in range(3)) / 9
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    got = cp.asnumpy(cupyx.scipy.ndimage.maximum_filter(d, 3, mode="constant", cval=-1e9))
    padded = np.pad(x, 1, constant_values=-1e9)
    np.testing.assert_array_equal(got, np.max([padded[i : i + 20, j : j + 30] for i in range(3) for j in range(3)], axis=0))
    labels, count = cupyx.scipy.ndimage.label(cp.asarray([[1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 1]]))
    assert count == 3 and labels[1, 3] == labels[2, 3]


@part_of(13)
def random_generator():
    g = cp.random.Generator(cp.random.XORWOW(11))
    x = cp.asnumpy(g.random(4000))
    assert x.min() >= 0 and x.max() < 1 and abs(x.mean() - 0.5) < 0.03 and len(np.unique(x)) > 3900
    z = cp.asnumpy(g.standard_normal(4000))
    assert abs(z.mean()) < 0.08 and abs(z.std() - 1) < 0.05
    k = cp.asnumpy(g.integers(0, 10, 2000))
    assert k.min() == 0 and k.max() == 9
    again = cp.asnumpy(cp.random.Generator(cp.random.XORWOW(11)).random(4000))
    assert np.array_equal(x, again)


@part
def streams_and_graphs():
    x = cp.zeros(300, np.int32)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        x += 2
        x *= 3
        graph = stream.end_capture()
    for _ in range(2):
        graph.launch(stream)
    stream.synchronize()
    same(x, np.full(300, 24, np.int32))
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()
    x += 1
    end.record()
    end.synchronize()
    assert cp.cuda.get_elapsed_time(begin, end) >= 0


@part
def products():
    m = rng.integers(-5, 5, (40, 30)).astype(np.float64)
    d = cp.asarray(m)
    same(d @ d.T, m @ m.T)
    same(cp.dot(d[0], d[1]), np.dot(m[0], m[1]))
    same(cp.einsum("ij,kj->ik", d, d), np.einsum("ij,kj->ik", m, m))
    same(cp.tensordot(d, d, axes=([0], [0])), np.tensordot(m, m, axes=([0], [0])))
    same(cp.outer(d[0], d[1]), np.outer(m[0], m[1]))
    same(cp.linalg.norm(d), np.linalg.norm(m), rtol=1e-12)
    same(d.T @ d[:, 0], m.T @ m[:, 0])
    batch = np.stack([m, m[::-1]])
    same(cp.matmul(cp.asarray(batch), d.T), batch @ m.T)
    for t in (np.float32, np.float16):
        same(d.astype(t) @ d.astype(t).T, (m @ m.T).astype(t))


@part
def memory():
    pool = cp.get_default_memory_pool()
    x = cp.zeros(1 << 16)
    assert pool.used_bytes() >= x.nbytes
    del x
    pool.free_all_blocks()
    with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
        same(cp.arange(100) + 1, np.arange(100) + 1)
    with cp.cuda.using_allocator(cp.cuda.MemoryAsyncPool().malloc):
        same(cp.arange(100) * 2, np.arange(100) * 2)
    pinned = cupyx.empty_pinned((100,), np.float32)
    pinned[:] = 3
    same(cp.asarray(pinned) + 1, pinned + 1)


for f in parts:
    what = f.__name__.replace("_", " ")
    try:
        f()
        print(f"ok - CuPy: {what}", flush=True)
    except Exception:
        traceback.print_exc()
        print(f"not ok - CuPy: {what}", flush=True)
