"""Numba under reprise run: each part against NumPy. Prints TAP."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 32
    while half:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def histogram(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i], 1)


def ok(what, fine):
    print(("ok - " if fine else "not ok - ") + "Numba: " + what, flush=True)


x = np.arange(1000, dtype=np.float32)
y = np.ones_like(x)
out = np.zeros_like(x)
saxpy[4, 256](np.float32(2), x, y, out)
ok("a kernel on arrays of NumPy", np.array_equal(out, 2 * x + 1))

sums = cuda.device_array(4, np.float32)
block_sums[4, 64](cuda.to_device(x[:256]), sums)
ok("shared memory and barriers", np.array_equal(sums.copy_to_host(), x[:256].reshape(4, 64).sum(axis=1)))

values = (np.arange(500, dtype=np.int32) * 7) % 10
bins = np.zeros(10, np.int32)
stream = cuda.stream()
with stream.auto_synchronize():
    device_bins = cuda.to_device(bins, stream=stream)
    histogram[2, 256, stream](cuda.to_device(values, stream=stream), device_bins)
    device_bins.copy_to_host(bins, stream=stream)
ok("atomics and a stream", np.array_equal(bins, np.bincount(values, minlength=10)))
