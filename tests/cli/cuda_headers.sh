#!/bin/bash
# CUDA source with code of the host, and the headers that stand for NVIDIA's: executed, and compared with the host's
# computation, with numbers of cuRAND, and with what nvcc made of the same source (tests/cuda/prebuilt).
set -u
. tests/support/cli.sh
dir=$work
headers=tools/cuda
# SOURCE PTX OPTION...: compiles as reprise does, once for several runs
compile() {
    local from=$1 to=$2
    shift 2
    "${CLANG:-clang}" -x cuda --cuda-device-only -nocudainc -nocudalib -O2 -S -w -Wno-unknown-cuda-version --cuda-path=/nonexistent \
        -include reprise/cuda.h -I $headers "$@" -o "$to" "$from"
}

# ---- a whole program ------------------------------------------------------------------------------------------------
cat >"$dir/app.cu" <<'CUDA'
#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <iostream>
#include <memory>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__constant__ float offsets[2] = {10, 20};
__managed__ int counter;
template <class T> __host__ __device__ T clamped(T v) { return std::min(std::max(v, T(-2)), T(2)) + std::abs(v); }
template <class T> __global__ void scale(T *v, float by, int n)
{
    extern __shared__ unsigned char bytes[];
    T *row = (T *)bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n <= 64);
    row[threadIdx.x] = i < n ? v[i] : T();
    __syncthreads();
    if (i < n)
        v[i] = clamped(row[threadIdx.x] * by) + offsets[i % 2] + std::sqrt((float)i) + (std::isnan(by) ? 1 : 0) + powf(2.0f, 3) + max(i, 3u) + counter;
}
template <class F> __global__ void apply(F f, int *v) { v[threadIdx.x] = f(v[threadIdx.x]); }
namespace { __global__ void hidden(float4 *v) { v[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x); } }

struct buffer {
    float *data = nullptr;
    explicit buffer(size_t n) { CHECK(cudaMalloc(&data, n * sizeof(float))); }
    ~buffer() { cudaFree(data); }
};
int main(int argc, char **argv)
{
    dim3 blockDim(32), gridDim((64 + blockDim.x - 1) / blockDim.x); /* names of the device's, on the host */
    int warpSize = 32;
    std::vector<float> host(64, std::sin(1.0f));
    buffer b(host.size());
    cudaStream_t stream;
    cudaEvent_t event;
    cudaDeviceProp prop;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaMemcpyAsync(b.data, host.data(), 256, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyToSymbol(offsets, host.data(), 8));
    CHECK(cudaFuncSetAttribute(scale<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 10));
    scale<<<gridDim, blockDim, 32 * sizeof(float), stream>>>(b.data, 3.0f, 64);
    CHECK(cudaGetLastError());
    counter = argc + warpSize;
    std::unique_ptr<int, decltype(&cudaFree)> p(nullptr, &cudaFree);
    apply<<<1, 32>>>([argc] __device__(int v) { return v * argc; }, p.get());
    hidden<<<1, 2>>>(nullptr);
    float4 four = make_float4(1, 2, 3, 4);
    std::cout << prop.name << ' ' << prop.warpSize << ' ' << four.x << ' ' << clamped(3.5) << ' ' << min(3, argc) << std::complex<float>(1, 2) << '\n';
    CUdevice device;
    cuDeviceGet(&device, 0);
    int blocks;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 32, 0) || cudaDeviceSynchronize();
}
CUDA
"$r" run -q --module "$dir/app.cu" --kernel 'scale<float>' -g 2 -b 32 --shared 128 --arg buf=rand-f32:64:seed=1 --arg f32=3 --arg i32=60 \
    --clang-flags -Wall --save "0=$dir/scaled.bin" 2>"$dir/err"
check "a template that code of the host launches is in the module" test $? -eq 0 -a ! -s "$dir/err"
check "... and its result is right" python3 - "$dir/scaled.bin" <<'PY'
import math, struct, sys
def rand(seed, n):
    M = (1 << 64) - 1
    for _ in range(n):
        z = seed = seed + 0x9e3779b97f4a7c15 & M
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M
        yield ((z ^ z >> 31) >> 40) * 2.0 ** -23 - 1
got = struct.unpack('64f', open(sys.argv[1], 'rb').read())
for i, v in enumerate(rand(1, 64)):
    w = 3 * v
    want = min(max(w, -2), 2) + abs(w) + (10, 20)[i % 2] + math.sqrt(i) + 8 + max(i, 3) if i < 60 else v
    assert abs(got[i] - want) <= 1e-5 * abs(want), (i, got[i], want)
PY
"$r" run -q --module "$dir/app.cu" -g 1 -b 1 2>"$dir/err"
status=$?
check "several kernels: they are listed in one line" eval '[ $status -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "scale<float>" "$dir/err" && grep -q "apply<" "$dir/err" && grep -q "hidden" "$dir/err"'
check "a kernel that sets a condition of a graph, in a whole program" eval '
    "$r" run --module tests/cuda/conditions/conditions.cu --kernel choose -g 1 -b 1 --arg buf=zeros:4 --arg buf=iota-i32:3 --print 0=u32:1 >"$dir/out" 2>&1 && grep -qx "  \[0\] 0" "$dir/out" &&
    "$r" run --module tests/cuda/conditions/conditions.cu --kernel begin_row -g 1 -b 1 --arg buf=zeros:4 --arg buf=zeros:4 --arg i32=3 --print 0=u32:1 >"$dir/out" 2>&1 && grep -qx "  \[0\] 1" "$dir/out"'

# ---- headers that are not there -------------------------------------------------------------------------------------
mkdir "$dir/toolkit" "$dir/mine"
echo '#error the runtime of a toolkit' >"$dir/toolkit/cuda_runtime_api.h"
cp "$dir/toolkit/cuda_runtime_api.h" "$dir/toolkit/cuda_runtime.h"
printf '#include <cuda_runtime.h>\ntypedef int cublasHandle_t;\n' >"$dir/toolkit/cublas_v2.h"
echo 'static const int mine = 3;' >"$dir/mine/curious.h"
source_with() { printf '%s\n' "$@" '__global__ void k(int *p) { *p = 3; }' >"$dir/one.cu"; }
launch=(--module "$dir/one.cu" -g 1 -b 1 --arg buf=zeros:4)
source_with '#include <cuda_runtime.h>' '#include <cublas_v2.h>'
fails 2 'one.cu includes <cublas_v2.h> (cuBLAS), which reprise has no header for' "$r" run "${launch[@]}" --clang-flags "-I$dir/toolkit"
check "... in one line" test "$(wc -l <"$dir/err")" -eq 1
source_with '#include <cuda_runtime.h>'
check "a toolkit's header is never taken for ours" "$r" run -q "${launch[@]}" --clang-flags "-I$dir/toolkit"
source_with '#include "nvrtc.h"'
fails 2 'one.cu includes <nvrtc.h> (NVRTC), which reprise has no header for' "$r" run "${launch[@]}" --clang-flags -nostdinc
source_with '#include "helper.h"'
"$r" run "${launch[@]}" >"$dir/out" 2>"$dir/err"
status=$?
check "another header that is missing: clang's message, and what to do" eval '[ $status -eq 2 ] && grep -q "helper.h. file not found" "$dir/err" && tail -1 "$dir/err" | grep -q "clang-flags -IFOLDER"'
source_with '__global__ void child(int *p) { *p = 1; }' '__global__ void parent(int *p) { child<<<1, 1>>>(p); }'
"$r" run "${launch[@]}" --kernel k >"$dir/out" 2>"$dir/err"
check "a kernel that launches kernels is named as such" eval 'tail -1 "$dir/err" | grep -q "dynamic parallelism"'
source_with '#include "curious.h"'
check "a header of the user's may have any name; nothing is said" eval '"$r" run -q "${launch[@]}" --clang-flags "-I$dir/mine" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]'
echo 'int main() {}' >"$dir/one.cu"
fails 2 'one.cu has no kernel' "$r" run "${launch[@]}"

# ---- doubles and matrices, against the host's computation ------------------------------------------------------------
cat >"$dir/numbers.cu" <<'CUDA'
#include <cub/cub.cuh>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <curand_kernel.h>
#include <mma.h>
using namespace nvcuda::wmma;
#define ROW(k, f) case k: y = f; break;
extern "C" __global__ void functions(const double *in, double *out, int n)
{
    double x = in[threadIdx.x], y = 0;
    for (int k = 0; k < 26; k++) {
        switch (k) {
            ROW(0, sin(x)) ROW(1, cos(x)) ROW(2, tan(x)) ROW(3, exp(x)) ROW(4, expm1(x)) ROW(5, log(fabs(x))) ROW(6, log2(fabs(x)))
            ROW(7, log10(fabs(x))) ROW(8, log1p(fabs(x))) ROW(9, sinh(x)) ROW(10, cosh(x)) ROW(11, tanh(x)) ROW(12, asin(x / 200))
            ROW(13, acos(x / 200)) ROW(14, atan(x)) ROW(15, atan2(x, 3.0)) ROW(16, erf(x)) ROW(17, erfc(x)) ROW(18, tgamma(x))
            ROW(19, lgamma(x)) ROW(20, pow(fabs(x), 1.7)) ROW(21, sin(x * 1e20)) ROW(22, asinh(x)) ROW(23, fmod(x, 0.7))
            ROW(24, hypot(x, 1.5)) ROW(25, exp2(x))
        }
        out[k * n + threadIdx.x] = y;
    }
}
template <int M, int N, int K, class A, class LA, class LB, class C, class S>
__device__ void multiply(const S *a, const S *b, C *c)
{
    const bool row_a = sizeof(fragment<matrix_a, M, N, K, A, LA>) && __is_same(LA, row_major), row_b = __is_same(LB, row_major);
    fragment<matrix_a, M, N, K, A, LA> fa;
    fragment<matrix_b, M, N, K, A, LB> fb;
    fragment<accumulator, M, N, K, C> fc;
    fill_fragment(fc, C(1));
    load_matrix_sync(fa, a, row_a ? K : M);
    load_matrix_sync(fb, b, row_b ? N : K);
    mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] += fc.x[i];
    store_matrix_sync(c, fc, N, mem_row_major);
}
extern "C" __global__ void halves(const half *a, const half *b, float *c) { multiply<16, 16, 16, half, row_major, col_major>(a, b, c); }
extern "C" __global__ void bytes(const signed char *a, const signed char *b, int *c) { multiply<32, 8, 16, signed char, row_major, col_major>(a, b, c); }
extern "C" __global__ void bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) { multiply<8, 32, 16, __nv_bfloat16, col_major, row_major>(a, b, c); }
extern "C" __global__ void tf32s(const float *a, const float *b, float *c) { multiply<16, 16, 8, precision::tf32, row_major, row_major>(a, b, c); }
extern "C" __global__ void doubles(const double *a, const double *b, double *c) { multiply<8, 8, 4, double, col_major, row_major>(a, b, c); }
template <class State> __device__ void draw(unsigned *u, float *f, double *d)
{
    State s;
    curand_init(123456789012345ull, threadIdx.x * 37, 11, &s);
    for (int k = 0; k < 4; k++)
        u[threadIdx.x * 4 + k] = curand(&s);
    for (int k = 0; k < 4; k++)
        f[threadIdx.x * 4 + k] = k < 2 ? curand_uniform(&s) : curand_normal(&s);
    for (int k = 0; k < 4; k++)
        d[threadIdx.x * 4 + k] = k < 2 ? curand_uniform_double(&s) : curand_normal_double(&s);
}
/* 128 keys with their places: sorted, striped, heads of equal sevenths, differences, and copied backwards. */
extern "C" __global__ void blocks(const float *in, float *sorted, int *out)
{
    typedef cub::BlockRadixSort<float, 64, 2, int> sort;
    typedef cub::BlockExchange<int, 64, 2> exchange;
    typedef cub::BlockDiscontinuity<int, 64> heads;
    typedef cub::BlockAdjacentDifference<int, 64> difference;
    __shared__ union {
        sort::TempStorage sort;
        exchange::TempStorage exchange;
        heads::TempStorage heads;
        difference::TempStorage difference;
        float4 copied[64];
    } space;
    int t = threadIdx.x, place[2] = {2 * t, 2 * t + 1}, flags[2];
    float key[2];
    cub::BlockLoad<float, 64, 2>().Load(in, key);
    sort(space.sort).SortDescending(key, place);
    cub::BlockStore<float, 64, 2>().Store(sorted, key);
    cub::StoreDirectBlocked(t, out, place);
    int item[2] = {2 * t, 2 * t + 1}, seventh[2] = {2 * t / 7, (2 * t + 1) / 7}, square[2] = {4 * t * t, (2 * t + 1) * (2 * t + 1)};
    exchange(space.exchange).BlockedToStriped(item, item);
    out[128 + 2 * t] = item[0], out[129 + 2 * t] = item[1];
    __syncthreads();
    heads(space.heads).FlagHeads(flags, seventh, cub::Inequality());
    cub::StoreDirectBlocked(t, out + 256, flags);
    __syncthreads();
    difference(space.difference).SubtractLeft(square, square, cub::Difference());
    cub::StoreDirectBlocked(t, out + 384, square);
    __syncthreads();
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    if (t < 32)
        cuda::memcpy_async(&space.copied[t], (const float4 *)in + t, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    if (t < 32)
        ((float4 *)sorted)[32 + t] = space.copied[31 - t];
}
static_assert(cuda::std::is_same<cuda::std::decay<const int &>::type, int>::value, "");
extern "C" __global__ void xorwow(unsigned *u, float *f, double *d) { draw<curandState>(u, f, d); }
extern "C" __global__ void philox(unsigned *u, float *f, double *d) { draw<curandStatePhilox4_32_10_t>(u, f, d); }
extern "C" __global__ void mrg32k3a(unsigned *u, float *f, double *d) { draw<curandStateMRG32k3a>(u, f, d); }
CUDA
check "numbers.cu compiles" compile "$dir/numbers.cu" "$dir/numbers.ptx" --cuda-gpu-arch=sm_80
python3 - "$dir" <<'PY'
import random, struct, sys
random.seed(5)
v = [random.uniform(-4, 4) for _ in range(24)] + [random.uniform(-120, 120) for _ in range(24)]
v += [random.choice((-1, 1)) * 10 ** random.uniform(-12, 0) for _ in range(12)] + [1.0, 0.5, 2.0, 100.0]
open(sys.argv[1] + '/x.bin', 'wb').write(struct.pack('64d', *v))
PY
"$r" run -q --module "$dir/numbers.ptx" --kernel functions -g 1 -b 64 --arg "buf=file:$dir/x.bin" --arg buf=zeros:13312 --arg i32=64 --save "1=$dir/y.bin"
check "functions of doubles" python3 - "$dir" <<'PY'
import math, struct, sys
x = struct.unpack('64d', open(sys.argv[1] + '/x.bin', 'rb').read())
y = struct.unpack('1664d', open(sys.argv[1] + '/y.bin', 'rb').read())
functions = [math.sin, math.cos, math.tan, math.exp, math.expm1, lambda x: math.log(abs(x)), lambda x: math.log2(abs(x)),
    lambda x: math.log10(abs(x)), lambda x: math.log1p(abs(x)), math.sinh, math.cosh, math.tanh, lambda x: math.asin(x / 200),
    lambda x: math.acos(x / 200), math.atan, lambda x: math.atan2(x, 3.0), math.erf, math.erfc, math.gamma, math.lgamma,
    lambda x: abs(x) ** 1.7, lambda x: math.sin(x * 1e20), math.asinh, lambda x: math.fmod(x, 0.7), lambda x: math.hypot(x, 1.5), lambda x: 2.0 ** x]
for k, f in enumerate(functions):
    for i in range(64):
        want, got = f(x[i]), y[k * 64 + i]
        # gamma's logarithm has an absolute error near its zeros
        bound = 4 * math.ulp(want) if k not in (18, 19) else 300 * math.ulp(max(abs(want), 1e-290)) + (1e-14 if k == 19 else 0)
        assert abs(got - want) <= bound, (k, x[i], want, got)
PY
matrices() { # kernel, M, N, K, format of factors and of the product, layout of each factor
    python3 - "$dir" "$@" <<'PY' || return
import struct, sys
d, M, N, K, kind = sys.argv[1], *map(int, sys.argv[3:6]), sys.argv[6]
def pack(v):
    if kind == 'bf16':
        return b''.join(struct.pack('f', x)[2:] for x in v)
    return struct.pack('%d%s' % (len(v), kind), *v)
open(d + '/a.bin', 'wb').write(pack([i * 7 % 11 - 5 for i in range(M * K)]))
open(d + '/b.bin', 'wb').write(pack([i * 5 % 13 - 6 for i in range(K * N)]))
PY
    "$r" run -q --module "$dir/numbers.ptx" --kernel "$1" -g 1 -b 32 --arg "buf=file:$dir/a.bin" --arg "buf=file:$dir/b.bin" --arg "buf=zeros:$(($2 * $3 * 8))" \
        --save "2=$dir/c.bin" && python3 - "$dir" "$@" <<'PY'
import struct, sys
d, M, N, K, kind, layouts = sys.argv[1], *map(int, sys.argv[3:6]), sys.argv[7], sys.argv[8]
a = lambda i, k: (i * K + k if layouts[0] == 'r' else k * M + i) * 7 % 11 - 5
b = lambda k, j: (k * N + j if layouts[1] == 'r' else j * K + k) * 5 % 13 - 6
got = struct.unpack_from('%d%s' % (M * N, kind), open(d + '/c.bin', 'rb').read())
assert list(got) == [2 * (1 + sum(a(i, k) * b(k, j) for k in range(K))) for i in range(M) for j in range(N)], got
PY
}
check "wmma: halves" matrices halves 16 16 16 e f rc
check "wmma: bytes" matrices bytes 32 8 16 b i rc
check "wmma: bfloat16" matrices bfloats 8 32 16 bf16 f cr
check "wmma: tf32" matrices tf32s 16 16 8 f f rr
check "wmma: doubles" matrices doubles 8 8 4 d d cr

"$r" run -q --module "$dir/numbers.ptx" --kernel blocks -g 1 -b 64 --arg buf=rand-f32:128:seed=4 --arg buf=zeros:1024 --arg buf=zeros:2048 --save "0=$dir/in.bin" \
    --save "1=$dir/sorted.bin" --save "2=$dir/out.bin"
check "CUB: sort, exchange, heads, differences; copies of a pipeline" python3 - "$dir" <<'PY'
import struct, sys
read = lambda name, n, kind: struct.unpack('%d%s' % (n, kind), open('%s/%s.bin' % (sys.argv[1], name), 'rb').read())
x, s, out = read('in', 128, 'f'), read('sorted', 256, 'f'), read('out', 512, 'i')
order = sorted(range(128), key=lambda i: -x[i])
assert s[:128] == tuple(x[i] for i in order) and list(out[:128]) == order
assert list(out[128:256]) == [i // 2 + i % 2 * 64 for i in range(128)]
assert list(out[256:384]) == [int(i % 7 == 0) for i in range(128)]
assert list(out[384:]) == [i * i - (i - 1) ** 2 if i else 0 for i in range(128)]
assert s[128:] == tuple(x[4 * (31 - i // 4) + i % 4] for i in range(128))
PY

# ---- cuRAND's numbers: those of curand_kernel.h of CUDA 13.0, compiled by nvcc ---------------------------------------
random_numbers() { # kernel, integers, uniform floats, normal ones, uniform doubles, normal ones
    "$r" run -q --module "$dir/numbers.ptx" --kernel "$1" -g 1 -b 4 --arg buf=zeros:64 --arg buf=zeros:64 --arg buf=zeros:128 \
        --save "0=$dir/u.bin" --save "1=$dir/f.bin" --save "2=$dir/d.bin" && python3 - "$dir" "$@" <<'PY'
import struct, sys
read = lambda name, kind: struct.unpack('16' + kind, open('%s/%s.bin' % (sys.argv[1], name), 'rb').read())[8:12]
words = [a.split() for a in sys.argv[3:]]
u, f, d = read('u', 'I'), read('f', 'f'), read('d', 'd')
single = lambda text: struct.unpack('f', struct.pack('f', float(text)))[0]
near = lambda got, want, by: all(abs(a - float(b)) <= by for a, b in zip(got, want))
assert u == tuple(map(int, words[0])), u
assert f[:2] == tuple(map(single, words[1])) and near(f[2:], words[2], 1e-6), f
assert d[:2] == tuple(map(float, words[3])) and near(d[2:], words[4], 1e-14), d
PY
}
check "xorwow: cuRAND's numbers" random_numbers xorwow '3201152847 2054809459 1792545388 3225569283' '0.214772731 0.0414233431' '0.246466905 -0.262044519' \
    '0.096596089865627566 0.3855965288945325' '0.89212749429366911 1.4527267947941702'
check "philox: cuRAND's numbers" random_numbers philox '776558036 2489652453 1113827130 2288093310' '0.589637339 0.92519027' '0.974455833 -0.920657396' \
    '0.78685427666641772 0.94051745184697211' '-0.86734399638644888 -1.0620931408316405'
check "mrg32k3a: cuRAND's numbers" random_numbers mrg32k3a '1097172585 3263307430 155885120 759398892' '0.569438934 0.706120551' '0.635304928 -1.84581602' \
    '0.16318640581005225 0.66486690914192803' '-0.94030189328870484 -0.69659760680755145'

# ---- what nvcc made of the same source -------------------------------------------------------------------------------
# SOURCE PROGRAM KERNEL OPTION...: the kernel has the same results in both modules
same() {
    local ptx=$1 program=$2 kernel=$3
    shift 3
    "$r" run -q --module "$ptx" --kernel "$kernel" "$@" >"$dir/ours" 2>&1 && "$r" run -q --module "tests/cuda/prebuilt/$program" --kernel "$kernel" "$@" >"$dir/theirs" 2>&1 &&
        cmp "$dir/ours" "$dir/theirs" && [ -s "$dir/ours" ]
}
check "groups.cu compiles" compile tests/cuda/targets/groups.cu "$dir/groups.ptx" --cuda-gpu-arch=sm_75
check "tiles of a warp, as nvcc's" same "$dir/groups.ptx" groups 'tiles<8>' -g 1 -b 96 --arg buf=zeros:4224 --print 0=u32:1056
check "coalesced and labeled groups, as nvcc's" same "$dir/groups.ptx" groups partitions -g 1 -b 96 --arg buf=zeros:1536 --arg buf=zeros:1536 --arg buf=zeros:1536 \
    --print 0=u32:384 --print 1=u32:384 --print 2=u32:384
check "tiles of two warps, as nvcc's" same "$dir/groups.ptx" groups wide_tiles -g 1 -b 128 --arg buf=zeros:512 --print 0=u32:128
check "halves.cu compiles" compile tests/cuda/targets/halves.cu "$dir/halves.ptx" --cuda-gpu-arch=sm_80
python3 - "$dir/halves.bin" <<'PY'
import random, struct, sys
random.seed(1)
v = [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1, 0x3ff, 0x400, 0x7bff, 0x3c00, 0xbc00] + [random.getrandbits(16) for _ in range(37)]
open(sys.argv[1], 'wb').write(struct.pack('48H', *v))
PY
for type in __half __nv_bfloat16; do
    check "arithmetic of $type, as nvcc's" same "$dir/halves.ptx" halves "arithmetic<$type>" -g 48 -b 48 --arg "buf=file:$dir/halves.bin" --arg buf=zeros:55296 --print 1=u32:13824
done
check "eights.cu compiles" compile tests/cuda/targets/eights.cu "$dir/eights.ptx" --cuda-gpu-arch=sm_75
check "conversions to 8 bits, as nvcc's" same "$dir/eights.ptx" eights conversions -g 16 -b 64 --arg buf=zeros:24 --print 0=u32:6
check "types of 8 bits, as nvcc's" same "$dir/eights.ptx" eights of_types -g 1 -b 32 --arg buf=zeros:1280 --print 0=u32:320
for sm in 75 80; do # barriers that count with atomics, and those of the hardware
    check "barriers.cu compiles for sm_$sm" compile tests/cuda/targets/barriers.cu "$dir/barriers.ptx" --cuda-gpu-arch=sm_$sm -std=c++17
    for kernel in hand_over pipelined copied; do
        check "$kernel of sm_$sm, as nvcc's" same "$dir/barriers.ptx" barriers $kernel -g 1 -b 128 --arg buf=rand-i32:1280:seed=2 --arg buf=zeros:512 --print 1=i32:128
    done
    check "barriers that threads leave, of sm_$sm, as nvcc's" same "$dir/barriers.ptx" barriers dropping -g 1 -b 128 --arg buf=zeros:512 --print 0=i32:128
done
check "cub.cu compiles" compile tests/cuda/cub.cu "$dir/cub.ptx" --cuda-gpu-arch=sm_75 -std=c++17
check "CUB in a block, as nvcc's" same "$dir/cub.ptx" cub 'in_block<128>' -g 1 -b 128 --arg buf=rand-i32:128:seed=5 --arg buf=zeros:4 --arg buf=zeros:512 --arg buf=zeros:16 \
    --print 1=i32 --print 2=i32:128 --print 3=i32:4
