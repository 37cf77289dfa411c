#!/bin/bash
# CUDA source as users have it: outside the checkout, compiled by reprise itself, and by hand with the installed header.
set -u
. tests/support/cli.sh
dir=$work
cat >"$dir/saxpy.cu" <<'CUDA'
#include <cuda_runtime.h>

template <class T> __device__ T scale(T a, T x) { return a * x; }

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scale(a, x[i]) + y[i];
}
CUDA
saxpy=(--grid 4 --block 256 --arg i32=1000 --arg f32=2.5 --arg buf=rand-f32:1000:seed=1 --arg buf=rand-f32:1000:seed=2)
(cd "$dir" && "$r" record -o saxpy.wtr --module saxpy.cu "${saxpy[@]}" --save 2=x.bin --save 3=y.bin -q) >&2
check "CUDA source is recorded" test $? -eq 0
check "its result is right" python3 - "$dir" <<'PY'
import struct, sys
read = lambda n: struct.unpack('1000f', open(sys.argv[1] + '/' + n, 'rb').read())
def rand(seed, n):
    M = (1 << 64) - 1
    for _ in range(n):
        z = seed = seed + 0x9e3779b97f4a7c15 & M
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M
        yield ((z ^ z >> 31) >> 40) * 2.0 ** -23 - 1
single = lambda v: struct.unpack('f', struct.pack('f', v))[0]
x, y0, y = read('x.bin'), list(rand(2, 1000)), read('y.bin')
# clang joins multiplication and addition, as nvcc does: one rounding; 2.5 x and the sum are exact in double
assert all(single(2.5 * a + b) == c for a, b, c in zip(x, y0, y))
PY
for closed in '>&-' '2>&-' '<&- >&- 2>&-'; do
    check "CUDA source is recorded with a closed stream: $closed" eval '(eval "exec $closed"; exec "$r" record -q -o "$dir/closed.wtr" --module "$dir/saxpy.cu" "${saxpy[@]}"); s=$?; [ $s = 0 ] && cmp "$dir/closed.wtr" <("$r" record -q -o "$dir/open.wtr" --module "$dir/saxpy.cu" "${saxpy[@]}" && cat "$dir/open.wtr")'
done
check "the trace names source lines" eval '"$r" record -o "$dir/f.wtr" --module "$dir/saxpy.cu" "${saxpy[@]:0:8}" --arg buf=zeros:400 --arg buf=zeros:4000 2>&1 | grep -q "saxpy.cu:9"'
check "the trace says what it was made of" eval '"$r" info "$dir/saxpy.wtr" | grep -q "^module    saxpy.cu, sha256"'

# ---- clang's errors, as they are -----------------------------------------------------------------------------------
sed 's/y\[i\] = /z[i] = /' "$dir/saxpy.cu" >"$dir/wrong.cu"
(cd "$dir" && "$r" record -o no.wtr --module wrong.cu "${saxpy[@]}") >"$dir/out" 2>"$dir/err"
check "what clang refuses has status 2" test $? -eq 2
check "... clang's message is there" grep -q "^wrong.cu:9:9: error: use of undeclared identifier 'z'" "$dir/err"
check "... and ours is the last line" test "$(tail -1 "$dir/err")" = "reprise: wrong.cu: clang did not compile it"
check "... and no trace" test ! -e "$dir/no.wtr"
CLANG=$dir/no-clang "$r" run --module "$dir/saxpy.cu" "${saxpy[@]}" >"$dir/out" 2>"$dir/err"
status=$?
check "without clang it is said which one is wanted" eval '[ $status -eq 4 ] && grep -q "clang, version 14 or later" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]'
PATH=/nonexistent "$r" run --module "$dir/saxpy.cu" "${saxpy[@]}" >"$dir/out" 2>"$dir/err"
check "... also with no PATH to it" grep -q "cannot run 'clang'" "$dir/err"
# the callers of inlined functions, though their bodies overlap
cat >"$dir/chains.cu" <<'END'
__device__ inline float third(float x)
{
    return x / 3.5f;
}
__device__ inline float both(float x)
{
    return third(x) - 1;
}
extern "C" __global__ void k(float *p)
{
    float a = p[threadIdx.x];
    p[threadIdx.x] = both(a) + third(a + 2);
}
END
"$r" record -q -o "$dir/chains.wtr" --module "$dir/chains.cu" -g 1 -b 32 --arg buf=zeros:128
check "the callers of inlined functions" eval '"$r" dump --source --json "$dir/chains.wtr" >"$dir/chains.json" && python3 - "$dir/chains.json" <<END
import json, sys
found = {(i["text"].split(".")[0], tuple((p["function"], p["line"]) for p in i["source"])) for i in json.load(open(sys.argv[1]))["instructions"]}
third, both, k = ("third", 3), ("both", 7), ("k", 12)
assert {c for op, c in found if op == "div"} == {(third, both, k), (third, k)}, found
assert ("add", (both, k)) in found and ("add", (k,)) in found, found
assert {c for op, c in found if op == "st"} == {(k,)} and {c for op, c in found if op == "ret"} == {(("k", 13),)}, found
END'

# ---- flags and targets ---------------------------------------------------------------------------------------------
cat >"$dir/flags.cu" <<'CUDA'
__global__ void k(int *p) { p[threadIdx.x] = VALUE + __CUDA_ARCH__; }
CUDA
check "--clang-flags and --target" test "$("$r" run -q --module "$dir/flags.cu" --clang-flags '-DVALUE=7 -Wall' --target sm_62 -g 1 -b 1 --arg buf=zeros:4 --print 0=i32 | tail -1)" = "  [0] 627"
cat >"$dir/quotes.cu" <<'CUDA'
__global__ void letters(int *p) { const char *s = NAME; p[0] = 0; for (int i = 0; s[i]; i++) p[i] = s[i]; }
CUDA
letters() { # flags: the text that NAME stands for
    "$r" run -q --module "$dir/quotes.cu" --clang-flags "$1" -g 1 -b 1 --arg buf=zeros:64 --print 0=i32:16 2>"$dir/err" |
        python3 -c 'import sys; print(end="".join(chr(int(n)) for line in sys.stdin.readlines()[1:] for n in line.split()[1:] if n != "0"))'
}
check "--clang-flags: quotes, as in a shell" test "$(letters "'-DNAME=\"a b\"' -Wall")" = "a b"
check "--clang-flags: double quotes and backslashes" test "$(letters '"-DNAME=\"c  d\"" ')" = "c  d"
check "--clang-flags: quotes inside of a word" test "$(letters "-DNAME='\"e'\ \'\\\"")" = "e '"
for flags in "'-DNAME=1" '-DNAME="1' '-DNAME=1 "'; do
    "$r" run -q --module "$dir/quotes.cu" --clang-flags "$flags" -g 1 -b 1 --arg buf=zeros:64 2>"$dir/err"
    status=$?
    check "--clang-flags: $flags is not closed" eval '[ $status -eq 1 ] && grep -q "a quote . is not closed" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]'
done
check "sm_75 if nothing is said" test "$("$r" run -q --module "$dir/flags.cu" --clang-flags -DVALUE=0 -g 1 -b 1 --arg buf=zeros:4 --print 0=i32 | tail -1)" = "  [0] 750"
"$r" run -q --module "$dir/flags.cu" --target sm_999 -g 1 -b 1 --arg buf=zeros:4 >/dev/null 2>"$dir/err"
status=$?
check "an unknown target is refused" eval '[ $status -eq 1 ] && grep -q "no target .sm_999.; known are" "$dir/err"'

# ---- what the header has, against a computation in Python -----------------------------------------------------------
cat >"$dir/all.cu" <<'CUDA'
#include <stdint.h>
#include <stdio.h>
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void __launch_bounds__(32) ints(const int *__restrict__ in, int *out, unsigned *count)
{
    __shared__ int tile[32];
    int i = threadIdx.x, v = in[i];
    tile[i] = v;
    __syncthreads();
    int4 four = make_int4(tile[31 - i], __popc(v), __clz(v), __ffs(v));
    out[i] = four.x + four.y * 3 + four.z * 5 + four.w * 7 + min(i, 9) + max(i, 20) + table[i & 3];
    out[i] += __shfl_sync(~0u, v, 3, 8) + __shfl_up_sync(~0u, v, 2) + __shfl_down_sync(~0u, v, 4) + __shfl_xor_sync(~0u, v, 5);
    out[i] += (int)__ballot_sync(~0u, v & 1) + __all_sync(~0u, v >= 0) + 2 * __any_sync(~0u, v == 5) + (int)__brev((unsigned)i);
    __syncwarp();
    atomicAdd(count, 1u);
    atomicMax((int *)count + 1, v);
    if (__syncthreads_or(i == 31) && i == 0) printf("done %d\n", i);
    dim3 size = blockDim;
    uint3 where = blockIdx;
    out[i] += (int)(size.x + where.x + gridDim.x) + warpSize;
}
__global__ void floats(const float *x, float *out)
{
    int i = threadIdx.x;
    float v = x[i], r[] = {sqrtf(fabsf(v)), rsqrtf(fabsf(v)), expf(v), logf(fabsf(v)), sinf(v), cosf(v), tanhf(v), floorf(v), ceilf(v),
        fmaf(v, v, 1.0f), fmaxf(v, 0.0f), fminf(v, 0.0f), powf(fabsf(v), 1.5f), exp2f(v), __fdividef(1.0f, v)};
    for (int k = 0; k < 15; k++) out[15 * i + k] = r[k];
}
CUDA
check "the header compiles without a warning" eval '"$r" run --module "$dir/all.cu" --clang-flags "-Wall -Wextra -Werror" --kernel ints -g 1 -b 32 --arg buf=rand-i32:32:seed=3 --arg buf=zeros:128 --arg buf=zeros:8 \
    --save "0=$dir/in.txt" --save "1=$dir/out.txt" --save "2=$dir/count.txt:i32" -q >"$dir/said"'
check "integers, shuffles, votes, atomics" python3 - "$dir" <<'PY'
import sys
read = lambda n: [int(l) for l in open(sys.argv[1] + '/' + n)]
v, out, count = read('in.txt'), read('out.txt'), read('count.txt')
u = lambda x: x & 0xffffffff
s = lambda x: (u(x) ^ 0x80000000) - 0x80000000
ffs = lambda x: (u(x) & -u(x)).bit_length()
for i in range(32):
    want = v[31 - i] + bin(u(v[i])).count('1') * 3 + (32 - u(v[i]).bit_length()) * 5 + ffs(v[i]) * 7 + min(i, 9) + max(i, 20) + (i & 3) + 1
    want += v[i // 8 * 8 + 3] + v[i - 2 if i >= 2 else i] + v[i + 4 if i < 28 else i] + v[i ^ 5]
    want += sum((x & 1) << l for l, x in enumerate(v)) + all(x >= 0 for x in v) + 2 * any(x == 5 for x in v) + int(f'{i:032b}'[::-1], 2)
    want += 32 + 0 + 1 + 32
    assert s(want) == out[i], (i, s(want), out[i])
assert count == [32, max(0, max(v))] and open(sys.argv[1] + '/said').read() == 'done 0\n'
PY
"$r" run --module "$dir/all.cu" --kernel floats -g 1 -b 32 --arg buf=rand-f32:32:seed=3 --arg buf=zeros:1920 --save "0=$dir/x.txt" --save "1=$dir/f.txt" -q
check "floating point, approximations to 1e-5" python3 - "$dir" <<'PY'
import math, sys
read = lambda n: [float(l) for l in open(sys.argv[1] + '/' + n)]
x, f = read('x.txt'), read('f.txt')
for i, v in enumerate(x):
    a = abs(v)
    want = [math.sqrt(a), 1 / math.sqrt(a), math.exp(v), math.log(a), math.sin(v), math.cos(v), math.tanh(v), math.floor(v), math.ceil(v),
            v * v + 1, max(v, 0), min(v, 0), a ** 1.5, 2 ** v, 1 / v]
    for k, (w, g) in enumerate(zip(want, f[15 * i:15 * i + 15])):
        assert abs(w - g) <= 1e-5 * max(1, abs(w)), (i, k, v, w, g)
PY

# ---- by hand, with what make install brings -------------------------------------------------------------------------
make -s install-files BUILD="$BUILD" PREFIX="$dir/usr" >&2 || exit 1
sed '/cuda_runtime/d' "$dir/saxpy.cu" >"$dir/plain.cu"
line=$(sed -n 's/^    \$ clang /clang /p' README.md | head -1)
check "README has a line for clang" test -n "$line"
# README's line as it stands, with the header's folder where /usr/local/include would have it
(cd "$dir" && cp plain.cu matmul.cu && CPLUS_INCLUDE_PATH=$dir/usr/include bash -c "${line/clang /${CLANG:-clang} }") >&2
check "README's line compiles a file outside the checkout" test -s "$dir/matmul.ptx"
"$r" run --module "$dir/matmul.ptx" "${saxpy[@]}" --expect "3=$dir/y.bin:f32" -q
check "... to the same results" test $? -eq 0
(cd "$dir" && env -u REPRISE_MACHINES "$dir/usr/bin/reprise" run -q --module saxpy.cu "${saxpy[@]}" --expect 3=y.bin:f32)
check "the installed program compiles CUDA source" test $? -eq 0
if command -v nvcc >/dev/null; then
    line=$(sed -n 's/^    \$ nvcc /nvcc /p' README.md | head -1)
    (cd "$dir" && rm matmul.ptx && bash -c "$line") >&2
    check "README's line for nvcc, too" "$r" run --module "$dir/matmul.ptx" "${saxpy[@]}" --expect "3=$dir/y.bin:f32" -q
    (cd "$dir" && nvcc -ptx -arch=sm_75 -I"$dir/usr/include" -include reprise/cuda.h -o n.ptx saxpy.cu) >&2
    check "nvcc takes nothing from the header" test -s "$dir/n.ptx"
else
    echo "ok - README's line for nvcc # SKIP no nvcc here"
fi
cp "$dir/saxpy.cu" "$dir/-saxpy.cu"
check "a source may have a name that begins with a dash" eval '(cd "$dir" && "$r" run -q --module -saxpy.cu "${saxpy[@]}" --expect 3=y.bin:f32)'
