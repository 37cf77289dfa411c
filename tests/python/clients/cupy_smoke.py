"""CuPy under reprise run: each part against NumPy. Prints TAP."""
import cupy as cp
import numpy as np


def ok(what, fine):
    print(("ok - " if fine else "not ok - ") + "CuPy: " + what, flush=True)


x = np.arange(1000, dtype=np.float32)
d = cp.asarray(x)
ok("elementwise", np.array_equal(cp.asnumpy(d * 2 + 1), x * 2 + 1))
ok("sum and maximum", float(d.sum()) == x.sum() and float(d.max()) == x.max())
ok("cumulative sum", np.array_equal(cp.asnumpy(cp.cumsum(cp.arange(100))), np.cumsum(np.arange(100))))

raw = cp.RawKernel(r"""
extern "C" __global__ void twice(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}""", "twice")
out = cp.zeros_like(d)
raw((4,), (256,), (d, out, np.int32(x.size)))
ok("RawKernel", np.array_equal(cp.asnumpy(out), 2 * x))

where = np.arange(20) % 5
target = cp.zeros(5, np.int32)
cp.add.at(target, cp.asarray(where), 1)
ok("scatter", np.array_equal(cp.asnumpy(target), np.bincount(where)))

a, b = np.random.default_rng(1).integers(-8, 8, (2, 48, 48)).astype(np.float32)
ok("products of matrices", np.array_equal(cp.asnumpy(cp.asarray(a) @ cp.asarray(b)), a @ b))
ok("products of doubles, transposed", np.array_equal(cp.asnumpy(cp.asarray(a, np.float64).T @ cp.asarray(b, np.float64)), a.T @ b))
ok("a matrix and a vector", np.array_equal(cp.asnumpy(cp.asarray(a) @ cp.asarray(b[0])), a @ b[0]))
batch = np.stack([a, b])
ok("batches of products", np.array_equal(cp.asnumpy(cp.matmul(cp.asarray(batch), cp.asarray(batch))), batch @ batch))
half = cp.asarray(a, np.float16)
ok("products of halves", np.array_equal(cp.asnumpy(half @ half).astype(np.float32), (a @ a).astype(np.float16)))
