"""Triton by its own launcher under reprise run, without torch: each part against NumPy. Prints TAP."""
import ctypes

import numpy as np
import triton
import triton.language as tl
from triton.backends.nvidia.driver import CudaDriver, CudaLauncher, CudaUtils
from triton.runtime import driver

cuda = ctypes.CDLL("libcuda.so.1")


class Driver(CudaDriver):
    """Triton's driver, but for what it asks of torch."""

    def __init__(self):
        self.utils = CudaUtils()
        self.launcher_cls = CudaLauncher
        self.get_current_stream = lambda device: 0
        self.get_current_device = lambda: 0
        self.set_current_device = lambda device: None

    def get_device_capability(self, device=0):
        values = [ctypes.c_int() for _ in range(2)]
        for value, attribute in zip(values, (75, 76)):
            assert cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) == 0
        return tuple(v.value for v in values)


class Array:
    """An array of NumPy in device memory."""

    def __init__(self, array):
        self.array, pointer = array, ctypes.c_uint64()
        self.dtype = str(array.dtype)
        assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)) == 0
        self.pointer = pointer.value
        assert cuda.cuMemcpyHtoD_v2(pointer, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes)) == 0

    def data_ptr(self):
        return self.pointer

    def back(self):
        out = np.empty_like(self.array)
        assert cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.pointer), ctypes.c_size_t(out.nbytes)) == 0
        return out


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def row_softmax(x, out, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    values = tl.load(x + i)
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + i, values / tl.sum(values, axis=0))


@triton.jit
def multiply(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x, y = tl.load(a + i * K + k[None, :]), tl.load(b + k[:, None] * N + j)
    tl.store(c + i * N + j, tl.dot(x, y))


@triton.jit
def count(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n, sem="relaxed")


def ok(what, fine):
    print(("ok - " if fine else "not ok - ") + "Triton: " + what, flush=True)


context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
driver.set_active(Driver())
x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
out = Array(np.zeros_like(x))
add[(4,)](Array(x), Array(y), out, x.size, BLOCK=256)
ok("addition", np.array_equal(out.back(), x + y))
x = np.random.default_rng(1).standard_normal((3, 128)).astype(np.float32)
out = Array(np.zeros_like(x))
row_softmax[(3,)](Array(x), out, COLUMNS=128)
wanted = np.exp(x - x.max(axis=1, keepdims=True))
ok("softmax", np.allclose(out.back(), wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-5))
a, b = np.random.default_rng(2).integers(-8, 8, (2, 64, 64)).astype(np.float16)
out = Array(np.zeros((64, 64), np.float32))
multiply[(1,)](Array(a), Array(b), out, M=64, N=64, K=64)
ok("product of matrices", np.array_equal(out.back(), a.astype(np.float32) @ b.astype(np.float32)))
if driver.active.get_device_capability() >= (7, 0):  # Triton writes .relaxed, which ptxas refuses below
    values = (np.arange(700, dtype=np.int32) * 7) % 10
    out = Array(np.zeros(10, np.int32))
    count[(3,)](Array(values), out, values.size, BLOCK=256)
    ok("atomics", np.array_equal(out.back(), np.bincount(values, minlength=10)))
