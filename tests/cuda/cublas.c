/* libcublas against plain loops on the CPU: every function for float and double, products of the other types, both
 * pointer modes, all transpositions, steps of all signs, and what is refused. Values are small integers, so that every
 * sum is exact and results are equal to the last bit; where roots and quotients come in, a bound is given.
 * Links libcuda.so.1 and libcublas. Prints one line for each failure, and `ok N`. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemcpy(address, address, size_t);

enum {
    NONE = 0,
    TRANSPOSED = 1,
    LOWER = 0,
    UPPER = 1,
    LEFT = 0,
    RIGHT = 1,
    HOST = 0,
    DEVICE = 1,
    INVALID = 7,
    REFUSED = 15
};

static void *library, *handle;
static int checks, failures;

static void check(bool good, const char *what, int a, int b)
{
    checks++;
    if (!good && ++failures < 20)
        printf("not ok %s (%d, %d)\n", what, a, b);
}

static void *find(const char *format, char letter)
{
    char name[64];
    snprintf(name, sizeof name, format, letter);
    void *f = dlsym(library, name);
    if (!f) {
        printf("not ok: no %s\n", name);
        exit(1);
    }
    return f;
}

static int random_state = 1;
static int small(int most)
{
    random_state = (int)((unsigned)random_state * 1103515245u + 12345u);
    return ((random_state >> 16) & 0x7fff) % (2 * most + 1) - most;
}

static void *on_device(size_t bytes)
{
    address a;
    if (cuMemAlloc_v2(&a, bytes ? bytes : 1)) {
        printf("not ok: cuMemAlloc of %zu bytes\n", bytes);
        exit(1);
    }
    return (void *)(uintptr_t)a;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes && cuMemcpy((uintptr_t)to, (uintptr_t)from, bytes)) {
        printf("not ok: cuMemcpy\n");
        exit(1);
    }
}

static void must(int status, int expected, const char *what) { check(status == expected, what, status, expected); }

/* ---- one set of tests per type
 * --------------------------------------------------------------------------------------- */

#define T float
#define SMALL_LETTER 's'
#define NAME(x) x##_float
#define CAPITAL 'S'
#define NEAR 1e-5
#include "tests/cuda/cublas_type.h"
#undef T
#undef SMALL_LETTER
#undef NAME
#undef CAPITAL
#undef NEAR
#define T double
#define SMALL_LETTER 'd'
#define NAME(x) x##_double
#define CAPITAL 'D'
#define NEAR 1e-13
#include "tests/cuda/cublas_type.h"

/* ---- other types
 * ------------------------------------------------------------------------------------------------------ */

static uint16_t to_half(int v) /* exact for |v| < 2048 */
{
    unsigned a = (unsigned)abs(v);
    if (!a)
        return 0;
    int e = 31 - __builtin_clz(a);
    return (uint16_t)((v < 0 ? 0x8000u : 0) | (unsigned)(e + 15) << 10 | ((a << 10 >> e) & 0x3ffu));
}
static uint16_t to_bfloat(int v)
{
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return (uint16_t)(bits >> 16); /* exact for |v| < 256 */
}

struct kind {
    int type, bytes;
};
static void put(struct kind k, void *to, size_t i, int v)
{
    switch (k.type) {
    case 0: ((float *)to)[i] = (float)v; break;
    case 1: ((double *)to)[i] = v; break;
    case 2: ((uint16_t *)to)[i] = to_half(v); break;
    case 14: ((uint16_t *)to)[i] = to_bfloat(v); break;
    case 3: ((int8_t *)to)[i] = (int8_t)v; break;
    default: ((int32_t *)to)[i] = v; break;
    }
}

/* cublasGemmEx, plain and strided, with alpha 2 and beta 1, on whole numbers small enough to be exact in c's type. */
static void gemm_ex(struct kind in, struct kind out, int compute, int scalar)
{
    enum { M = 37, N = 29, K = 19, COUNT = 3 };
    int (*f)(void *, int, int, int, int, int, const void *, const void *, int, int, long long, const void *, int, int,
             long long, const void *, void *, int, int, long long, int, int, int) =
        find("cublasGemmStridedBatchedEx%c", 0);
    static int a[COUNT * M * K], b[COUNT * K * N], c[COUNT * M * N];
    static char ha[sizeof a * 2], hb[sizeof b * 2], hc[sizeof c * 2], want[sizeof c * 2];
    char alpha[8], beta[8];
    put((struct kind){scalar, 8}, alpha, 0, 2);
    put((struct kind){scalar, 8}, beta, 0, 1);
    for (int i = 0; i < COUNT * M * K; i++)
        put(in, ha, i, a[i] = small(1));
    for (int i = 0; i < COUNT * K * N; i++)
        put(in, hb, i, b[i] = small(2));
    for (int i = 0; i < COUNT * M * N; i++)
        put(out, hc, i, c[i] = small(9));
    for (int t = 0; t < COUNT; t++)
        for (int col = 0; col < N; col++)
            for (int row = 0; row < M; row++) {
                int sum = 0;
                for (int k = 0; k < K; k++) /* a transposed: k × m in memory */
                    sum += a[t * M * K + row * K + k] * b[t * K * N + col * K + k];
                put(out, want, (size_t)(t * M * N + col * M + row), 2 * sum + c[t * M * N + col * M + row]);
            }
    void *da = on_device(sizeof ha), *db = on_device(sizeof hb), *dc = on_device(sizeof hc);
    copy(da, ha, sizeof ha), copy(db, hb, sizeof hb), copy(dc, hc, sizeof hc);
    must(f(handle, TRANSPOSED, NONE, M, N, K, alpha, da, in.type, K, M * K, db, in.type, K, K * N, beta, dc, out.type,
           M, M * N, COUNT, compute, -1),
         0, "GemmStridedBatchedEx");
    copy(hc, dc, sizeof hc);
    check(!memcmp(hc, want, (size_t)(COUNT * M * N * out.bytes)), "GemmStridedBatchedEx", in.type, out.type);
    cuMemFree_v2((uintptr_t)da), cuMemFree_v2((uintptr_t)db), cuMemFree_v2((uintptr_t)dc);
}

static void other_types(void)
{
    const struct kind f32 = {0, 4}, f64 = {1, 8}, f16 = {2, 2}, bf16 = {14, 2}, s8 = {3, 1}, s32 = {10, 4};
    gemm_ex(f32, f32, 68, 0);
    gemm_ex(f32, f32, 77, 0);
    gemm_ex(f64, f64, 70, 1);
    gemm_ex(f16, f16, 64, 2);
    gemm_ex(f16, f16, 68, 0);
    gemm_ex(f16, f32, 68, 0);
    gemm_ex(bf16, bf16, 68, 0);
    gemm_ex(bf16, f32, 68, 0);
    gemm_ex(s8, s32, 72, 10);
    gemm_ex(s8, f32, 68, 0);
}

static void refusals(void)
{
    float one = 1;
    int (*gemm)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int, const float *,
                void *, int) = find("cublasSgemm_v2%c", 0);
    int (*ex)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
              const void *, void *, int, int, int, int) = find("cublasGemmEx%c", 0);
    int (*complex)(void *) = find("cublasCgemm_v2%c", 0);
    must(gemm(NULL, 0, 0, 1, 1, 1, &one, handle, 1, handle, 1, &one, handle, 1), 1, "no handle");
    must(gemm(&failures, 0, 0, 1, 1, 1, &one, handle, 1, handle, 1, &one, handle, 1), 1, "not a handle");
    must(gemm(handle, 0, 0, -1, 1, 1, &one, handle, 1, handle, 1, &one, handle, 1), INVALID, "negative size");
    must(gemm(handle, 0, 0, 2, 1, 1, &one, handle, 1, handle, 1, &one, handle, 2), INVALID, "lda too small");
    must(gemm(handle, 5, 0, 1, 1, 1, &one, handle, 1, handle, 1, &one, handle, 1), INVALID, "unknown operation");
    must(ex(handle, 0, 0, 1, 1, 1, &one, handle, 4, 1, handle, 4, 1, &one, handle, 4, 1, 68, -1), REFUSED, "complex");
    must(complex(handle), REFUSED, "cublasCgemm");
}

int main(int argc, char **argv)
{
    void *context;
    int (*create)(void **), (*destroy)(void *), (*mode)(void *, int), version = 0;
    library = dlopen(argc > 1 ? argv[1] : "libcublas.so.12", RTLD_NOW);
    if (!library || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) {
        printf("not ok: %s\n", library ? "no context" : dlerror());
        return 1;
    }
    create = find("cublasCreate_v2%c", 0), destroy = find("cublasDestroy_v2%c", 0);
    mode = find("cublasSetPointerMode_v2%c", 0);
    int (*get_version)(void *, int *) = find("cublasGetVersion_v2%c", 0);
    must(create(&handle), 0, "create");
    must(get_version(handle, &version), 0, "version");
    check(version >= 120000, "version", version, 0);
    must(mode(handle, 2), INVALID, "pointer mode 2");
    for (int m = HOST; m <= DEVICE; m++) {
        must(mode(handle, m), 0, "pointer mode");
        all_float(m), all_double(m);
    }
    must(mode(handle, HOST), 0, "pointer mode");
    other_types();
    refusals();
    void *gone = handle;
    must(destroy(handle), 0, "destroy");
    (void)gone;
    printf(failures ? "%d of %d failed\n" : "ok %d%.0d\n", failures ? failures : checks, failures ? checks : 0);
    return failures != 0;
}
