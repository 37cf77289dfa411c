/* Matrices: gemm in its forms, syrk, geam, dgmm. */
#include "frontend/cuda/blas/handle.h"

#define MOST_BLOCKS 4096
#define MOST_BATCH 32768 /* matrices of one launch: blockIdx.z */

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }
static int64_t tiles(int64_t n) { return (n + BLAS_TILE - 1) / BLAS_TILE; }

/* ---- products
 * -------------------------------------------------------------------------------------------------------- */

/* The types of a product: the kernel for them, and the type of alpha and beta. */
struct product_types {
    const char *kernel;
    enum blas_type scalar;
};

struct product {
    int operation_a, operation_b;
    int64_t m, n, k;
    const void *alpha, *a, *b, *beta;
    void *c;
    int64_t lda, ldb, ldc;
    int64_t stride_a, stride_b, stride_c, count;
    bool pointers; /* a, b and c are arrays of pointers in device memory */
};

static bool product_is_valid(const struct product *p)
{
    int64_t rows_a = p->operation_a == CUBLAS_N ? p->m : p->k, rows_b = p->operation_b == CUBLAS_N ? p->k : p->n;
    return blas_operation_is_known(p->operation_a) && blas_operation_is_known(p->operation_b) && p->m >= 0 &&
           p->n >= 0 && p->k >= 0 && p->count >= 0 && p->lda >= at_least_one(rows_a) &&
           p->ldb >= at_least_one(rows_b) && p->ldc >= at_least_one(p->m) && p->alpha && p->beta;
}

static struct blas_matrix product_matrix(const struct product *p, const void *at, int64_t leading, int operation,
                                         int64_t stride)
{
    struct blas_matrix m = blas_matrix_at(at, leading, operation);
    m.batch = stride;
    if (p->pointers)
        m.pointers = m.at, m.at = 0;
    return m;
}

/* Skips `by` matrices of the batch. */
static void matrix_skip(struct blas_matrix *m, int64_t by, int64_t bytes)
{
    if (m->pointers)
        m->pointers += (uint64_t)by * sizeof(void *);
    else
        m->at += (uint64_t)(by * m->batch * bytes);
}

/* The element sizes of the kernel's a and b (*in), and of its c (*out). */
static void product_bytes(const char *kernel, int64_t *in, int64_t *out)
{
    char to = kernel[1] == 's' ? 's' : kernel[0];
    *in = kernel[0] == 'i' ? 1 : kernel[0] == 's' ? 4 : kernel[0] == 'd' ? 8 : 2;
    *out = to == 'd' ? 8 : to == 's' || to == 'i' ? 4 : 2;
}

static int product(cublasHandle_t h, struct product_types types, const struct product *p)
{
    int status = blas_check(h);
    int64_t in, out;
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!product_is_valid(p))
        return CUBLAS_INVALID_VALUE;
    if (p->m == 0 || p->n == 0)
        return CUBLAS_SUCCESS;
    product_bytes(types.kernel, &in, &out);
    struct blas_gemm g = {
        .alpha = blas_scalar_at(h, p->alpha, types.scalar),
        .beta = blas_scalar_at(h, p->beta, types.scalar),
        .a = product_matrix(p, p->a, p->lda, p->operation_a, p->stride_a),
        .b = product_matrix(p, p->b, p->ldb, p->operation_b, p->stride_b),
        .c = product_matrix(p, p->c, p->ldc, CUBLAS_N, p->stride_c),
        .m = p->m,
        .n = p->n,
        .k = p->k,
    };
    for (int64_t first = 0; first < p->count && status == CUBLAS_SUCCESS; first += MOST_BATCH) {
        int64_t now = p->count - first < MOST_BATCH ? p->count - first : MOST_BATCH;
        status = blas_launch(h, -1, types.kernel, (int64_t[]){tiles(p->m), tiles(p->n), now}, (void *[]){&g});
        matrix_skip(&g.a, now, in);
        matrix_skip(&g.b, now, in);
        matrix_skip(&g.c, now, out);
    }
    return status;
}

/* ---- which types go together (cuBLAS documentation, cublasGemmEx)
 * ----------------------------------------------------- */

static bool compute_is(int compute, enum cublas_compute kind)
{
    switch (kind) {
    case CUBLAS_COMPUTE_32F:
        return compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
               compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
               compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUDA_R_32F;
    case CUBLAS_COMPUTE_64F:
        return compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC || compute == CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
        return compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC || compute == CUDA_R_32I;
    default: return compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC || compute == CUDA_R_16F;
    }
}

/* Half products with half sums use 32-bit sums: more exact than requested. */
static bool product_find(int a, int b, int c, int compute, struct product_types *to)
{
    static const struct {
        int in, out;
        enum cublas_compute compute;
        struct product_types types;
    } rows[] = {
        {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, {"sgemm", BLAS_F32}},
        {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, {"dgemm", BLAS_F64}},
        {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, {"hgemm", BLAS_F16}},
        {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, {"hgemm", BLAS_F32}},
        {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, {"hsgemm", BLAS_F32}},
        {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, {"bgemm", BLAS_F32}},
        {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, {"bsgemm", BLAS_F32}},
        {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, {"igemm", BLAS_S32}},
        {CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, {"isgemm", BLAS_F32}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (a == rows[i].in && b == a && c == rows[i].out && compute_is(compute, rows[i].compute)) {
            *to = rows[i].types;
            return true;
        }
    return false;
}

static int product_of_types(cublasHandle_t h, const char *name, int a, int b, int c, int compute,
                            const struct product *p)
{
    struct product_types types;
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!product_find(a, b, c, compute, &types))
        return blas_refuse(name, "this combination of types is not there; float, double, half, bfloat16 and int8 are");
    return product(h, types, p);
}

/* ---- the functions
 * --------------------------------------------------------------------------------------------------- */

#define ARGUMENTS(T, N)                                                                                                \
    cublasHandle_t h, int ta, int tb, N m, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb,             \
        const T *beta, T *c, N ldc
#define GEMM(S, T, in, type, suffix, N)                                                                                \
    BLAS_EXPORT int cublas##S##suffix(ARGUMENTS(T, N))                                                                 \
    {                                                                                                                  \
        const struct product p = {ta, tb, m, n, k, alpha, a, b, beta, c, lda, ldb, ldc, .count = 1};                   \
        return product(h, (struct product_types){in, type}, &p);                                                       \
    }
#define GEMM_BATCHED(S, T, in, type, suffix, N)                                                                        \
    BLAS_EXPORT int cublas##S##Batched##suffix(cublasHandle_t h, int ta, int tb, N m, N n, N k, const T *alpha,        \
                                               const T *const a[], N lda, const T *const b[], N ldb, const T *beta,    \
                                               T *const c[], N ldc, N count)                                           \
    {                                                                                                                  \
        const struct product p = {                                                                                     \
            ta, tb, m, n, k, alpha, a, b, beta, (void *)c, lda, ldb, ldc, .count = count, .pointers = true};           \
        return product(h, (struct product_types){in, type}, &p);                                                       \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##StridedBatched##suffix(                                                                 \
        cublasHandle_t h, int ta, int tb, N m, N n, N k, const T *alpha, const T *a, N lda, long long stride_a,        \
        const T *b, N ldb, long long stride_b, const T *beta, T *c, N ldc, long long stride_c, N count)                \
    {                                                                                                                  \
        const struct product p = {ta,  tb,  m,        n,        k,        alpha,         a, b, beta, c, lda,           \
                                  ldb, ldc, stride_a, stride_b, stride_c, .count = count};                             \
        return product(h, (struct product_types){in, type}, &p);                                                       \
    }

#define GEMM_EX(suffix, N)                                                                                             \
    BLAS_EXPORT int cublasGemmEx##suffix(cublasHandle_t h, int ta, int tb, N m, N n, N k, const void *alpha,           \
                                         const void *a, int type_a, N lda, const void *b, int type_b, N ldb,           \
                                         const void *beta, void *c, int type_c, N ldc, int compute, int algorithm)     \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        const struct product p = {ta, tb, m, n, k, alpha, a, b, beta, c, lda, ldb, ldc, .count = 1};                   \
        return product_of_types(h, "cublasGemmEx", type_a, type_b, type_c, compute, &p);                               \
    }                                                                                                                  \
    BLAS_EXPORT int cublasSgemmEx##suffix(cublasHandle_t h, int ta, int tb, N m, N n, N k, const float *alpha,         \
                                          const void *a, int type_a, N lda, const void *b, int type_b, N ldb,          \
                                          const float *beta, void *c, int type_c, N ldc)                               \
    {                                                                                                                  \
        const struct product p = {ta, tb, m, n, k, alpha, a, b, beta, c, lda, ldb, ldc, .count = 1};                   \
        return product_of_types(h, "cublasSgemmEx", type_a, type_b, type_c, CUBLAS_COMPUTE_32F, &p);                   \
    }                                                                                                                  \
    BLAS_EXPORT int cublasGemmBatchedEx##suffix(cublasHandle_t h, int ta, int tb, N m, N n, N k, const void *alpha,    \
                                                const void *const a[], int type_a, N lda, const void *const b[],       \
                                                int type_b, N ldb, const void *beta, void *const c[], int type_c,      \
                                                N ldc, N count, int compute, int algorithm)                            \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        const struct product p = {                                                                                     \
            ta, tb, m, n, k, alpha, a, b, beta, (void *)c, lda, ldb, ldc, .count = count, .pointers = true};           \
        return product_of_types(h, "cublasGemmBatchedEx", type_a, type_b, type_c, compute, &p);                        \
    }                                                                                                                  \
    BLAS_EXPORT int cublasGemmStridedBatchedEx##suffix(                                                                \
        cublasHandle_t h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a, int type_a, N lda,          \
        long long stride_a, const void *b, int type_b, N ldb, long long stride_b, const void *beta, void *c,           \
        int type_c, N ldc, long long stride_c, N count, int compute, int algorithm)                                    \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        const struct product p = {ta,  tb,  m,        n,        k,        alpha,         a, b, beta, c, lda,           \
                                  ldb, ldc, stride_a, stride_b, stride_c, .count = count};                             \
        return product_of_types(h, "cublasGemmStridedBatchedEx", type_a, type_b, type_c, compute, &p);                 \
    }

#define PRODUCTS(suffix, N)                                                                                            \
    GEMM(Sgemm_v2, float, "sgemm", BLAS_F32, suffix, N)                                                                \
    GEMM(Dgemm_v2, double, "dgemm", BLAS_F64, suffix, N)                                                               \
    GEMM(Hgemm, uint16_t, "hgemm", BLAS_F16, suffix, N)                                                                \
    GEMM_BATCHED(Sgemm, float, "sgemm", BLAS_F32, suffix, N)                                                           \
    GEMM_BATCHED(Dgemm, double, "dgemm", BLAS_F64, suffix, N)                                                          \
    GEMM_BATCHED(Hgemm, uint16_t, "hgemm", BLAS_F16, suffix, N)                                                        \
    GEMM_EX(suffix, N)
PRODUCTS(, int)
PRODUCTS(_64, int64_t)

/* ---- syrk, geam, dgmm
 * ------------------------------------------------------------------------------------------------ */

/* c = alpha op(a) op(a)' + beta c, one triangle of it. */
static int syrk(cublasHandle_t h, enum blas_type type, int fill, int operation, int64_t n, int64_t k, const void *alpha,
                const void *a, int64_t lda, const void *beta, void *c, int64_t ldc)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    int transposed = operation == CUBLAS_N ? CUBLAS_T : CUBLAS_N;
    if ((fill != CUBLAS_LOWER && fill != CUBLAS_UPPER) || !blas_operation_is_known(operation) || n < 0 || k < 0 ||
        lda < at_least_one(operation == CUBLAS_N ? n : k) || ldc < at_least_one(n) || !alpha || !beta)
        return CUBLAS_INVALID_VALUE;
    if (n == 0)
        return CUBLAS_SUCCESS;
    struct blas_gemm g = {
        .alpha = blas_scalar_at(h, alpha, type),
        .beta = blas_scalar_at(h, beta, type),
        .a = blas_matrix_at(a, lda, operation),
        .b = blas_matrix_at(a, lda, transposed),
        .c = blas_matrix_at(c, ldc, CUBLAS_N),
        .m = n,
        .n = n,
        .k = k,
        .part = fill == CUBLAS_LOWER ? BLAS_LOWER : BLAS_UPPER,
    };
    return blas_launch(h, type, "gemm", (int64_t[]){tiles(n), tiles(n), 1}, (void *[]){&g});
}

static int geam(cublasHandle_t h, enum blas_type type, int ta, int tb, int64_t m, int64_t n, const void *alpha,
                const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb, void *c, int64_t ldc)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!blas_operation_is_known(ta) || !blas_operation_is_known(tb) || m < 0 || n < 0 || !alpha || !beta ||
        lda < at_least_one(ta == CUBLAS_N ? m : n) || ldb < at_least_one(tb == CUBLAS_N ? m : n) ||
        ldc < at_least_one(m))
        return CUBLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_SUCCESS;
    struct blas_scalar by = blas_scalar_at(h, alpha, type), keep = blas_scalar_at(h, beta, type);
    struct blas_matrix at_a = blas_matrix_at(a, lda, ta), at_b = blas_matrix_at(b, ldb, tb);
    struct blas_matrix to = blas_matrix_at(c, ldc, CUBLAS_N);
    return blas_launch(h, type, "geam", (int64_t[]){blas_blocks(m * n, MOST_BLOCKS), 1, 1},
                       (void *[]){&m, &n, &by, &at_a, &keep, &at_b, &to});
}

/* A diagonal matrix on the left multiplies rows. */
static int dgmm(cublasHandle_t h, enum blas_type type, int side, int64_t m, int64_t n, const void *a, int64_t lda,
                const void *x, int64_t incx, void *c, int64_t ldc)
{
    int status = blas_check(h), by_row = side == CUBLAS_LEFT;
    if (status != CUBLAS_SUCCESS)
        return status;
    if ((!by_row && side != CUBLAS_RIGHT) || m < 0 || n < 0 || lda < at_least_one(m) || ldc < at_least_one(m))
        return CUBLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_SUCCESS;
    struct blas_matrix from = blas_matrix_at(a, lda, CUBLAS_N), to = blas_matrix_at(c, ldc, CUBLAS_N);
    struct blas_vector diagonal = blas_vector_at(x, by_row ? m : n, incx, type);
    return blas_launch(h, type, "dgmm", (int64_t[]){blas_blocks(m * n, MOST_BLOCKS), 1, 1},
                       (void *[]){&m, &n, &from, &diagonal, &by_row, &to});
}

#define LEVEL3(S, T, type, suffix, N)                                                                                  \
    BLAS_EXPORT int cublas##S##syrk_v2##suffix(cublasHandle_t h, int fill, int operation, N n, N k, const T *alpha,    \
                                               const T *a, N lda, const T *beta, T *c, N ldc)                          \
    {                                                                                                                  \
        return syrk(h, type, fill, operation, n, k, alpha, a, lda, beta, c, ldc);                                      \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##geam##suffix(cublasHandle_t h, int ta, int tb, N m, N n, const T *alpha, const T *a,    \
                                            N lda, const T *beta, const T *b, N ldb, T *c, N ldc)                      \
    {                                                                                                                  \
        return geam(h, type, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                       \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##dgmm##suffix(cublasHandle_t h, int side, N m, N n, const T *a, N lda, const T *x,       \
                                            N incx, T *c, N ldc)                                                       \
    {                                                                                                                  \
        return dgmm(h, type, side, m, n, a, lda, x, incx, c, ldc);                                                     \
    }
LEVEL3(S, float, BLAS_F32, , int)
LEVEL3(D, double, BLAS_F64, , int)
LEVEL3(S, float, BLAS_F32, _64, int64_t)
LEVEL3(D, double, BLAS_F64, _64, int64_t)
