/* Matrix instructions of a warp: matrix.h. Fragments are first gathered into plain rows and converted to one wide type.
 * Then they are multiplied as plain matrices; the columns of a tile lie side by side in a vector. */
#include "frontend/core/lanes/matrix.h"

#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/matrix_results.h"
#include "frontend/core/lanes/matrix_sparse.h"
#include "frontend/core/lanes/matrix_sums.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

enum { MAX_FLOAT_K = 64 }; /* fp8, sparse */
/* Columns of B, a tile of them: row k is b[k]. */
typedef f64 float_columns[MAX_FLOAT_K][TILE];

/* c += a × b for `rows` rows of c, a multiple of 8. Each product is exact, so a multiplication and an addition are as
 * good as a fused one where the CPU has none. */
INLINE void multiply_floats(f64 (*c)[TILE], const f64 (*a)[MAX_FLOAT_K], const f64 (*b)[TILE], u32 rows, u32 k)
{
#if defined __AVX512F__
    for (u32 r = 0; r < rows; r += 8) {
        __m512d sum[8];
        for (u32 x = 0; x < 8; x++)
            sum[x] = _mm512_loadu_pd(c[r + x]);
        for (u32 i = 0; i < k; i++) {
            __m512d columns = _mm512_loadu_pd(b[i]);
            for (u32 x = 0; x < 8; x++)
                sum[x] = _mm512_fmadd_pd(_mm512_set1_pd(a[r + x][i]), columns, sum[x]);
        }
        for (u32 x = 0; x < 8; x++)
            _mm512_storeu_pd(c[r + x], sum[x]);
    }
#elif defined __AVX2__
    for (u32 r = 0; r < rows; r += 4) {
        __m256d left[4], right[4];
        for (u32 x = 0; x < 4; x++) {
            left[x] = _mm256_loadu_pd(c[r + x]);
            right[x] = _mm256_loadu_pd(c[r + x] + 4);
        }
        for (u32 i = 0; i < k; i++) {
            __m256d first = _mm256_loadu_pd(b[i]), last = _mm256_loadu_pd(b[i] + 4);
            for (u32 x = 0; x < 4; x++) {
                __m256d element = _mm256_set1_pd(a[r + x][i]);
                left[x] = _mm256_fmadd_pd(element, first, left[x]);
                right[x] = _mm256_fmadd_pd(element, last, right[x]);
            }
        }
        for (u32 x = 0; x < 4; x++) {
            _mm256_storeu_pd(c[r + x], left[x]);
            _mm256_storeu_pd(c[r + x] + 4, right[x]);
        }
    }
#else
    for (u32 r = 0; r < rows; r++) {
        f64 sum[TILE];
        memcpy(sum, c[r], sizeof sum);
        for (u32 i = 0; i < k; i++)
            for (u32 n = 0; n < TILE; n++)
                sum[n] += a[r][i] * b[i][n];
        memcpy(c[r], sum, sizeof sum);
    }
#endif
}

/* The same as a GPU does it, group by group. */
NOINLINE void multiply_in_groups(f64 (*c)[TILE], const f64 (*a)[MAX_FLOAT_K], const f64 (*b)[TILE], const struct uop *u,
                                 u32 rows, u32 k, const struct sum_rule *rule)
{
    const enum matrix_format fa = u->detail[MATRIX_A], fb = u->detail[MATRIX_B];
    bool f16 = u->detail[MATRIX_D] == MATRIX_F16;
    u32 each = u->detail[MATRIX_MODE] & MATRIX_SPARSE ? 2u * rule->products : rule->products;
    for (u32 r = 0; r < rows; r++)
        for (u32 x = 0; x < TILE; x++)
            for (u32 first = 0; first < k; first += each) {
                struct sum_group g = {.count = 0};
                for (u32 i = first; i < k && i < first + each; i++)
                    group_add(&g, a[r][i], fa, b[i][x], fb);
                c[r][x] = group_sum(&g, c[r][x], rule, f16);
            }
}

/* Both sides of the product as doubles. */
struct float_sides {
    f64 a[MAX_M][MAX_FLOAT_K];
    float_columns b[MAX_TILES];
};

INLINE void transpose_columns(float_columns b, const f64 (*columns)[MAX_FLOAT_K], u32 k)
{
    for (u32 i = 0; i < k; i++)
        for (u32 n = 0; n < TILE; n++)
            b[i][n] = columns[n][i];
}

static void read_float_sides(struct float_sides *f, const struct warp *w, const struct uop *u, const struct shape *s)
{
    u8 raw[MAX_M][MAX_ROW_BYTES] ALIGNED;
    f64 columns[TILE][MAX_FLOAT_K];
    const enum matrix_format fa = u->detail[MATRIX_A], fb = u->detail[MATRIX_B];
    bool sparse = u->detail[MATRIX_MODE] & MATRIX_SPARSE;
    u32 ka = sparse ? s->k / 2 : s->k;
    gather_a(raw, w, u, s->m, ka * matrix_bits[fa] / 8, 4);
    for (u32 i = 0; i < s->m * TILE; i++)
        row_of_floats(f->a[i], raw[i], ka, fa);
    if (sparse)
        for (u32 i = 0; i < s->m * TILE; i++)
            spread_floats(f->a[i], source(w, u->a), u, s, i);
    gather_b(raw, w, u, s->n, s->k * matrix_bits[fb] / 8, 4);
    for (u32 n = 0; n < s->n; n++) {
        for (u32 i = 0; i < TILE; i++)
            row_of_floats(columns[i], raw[n * TILE + i], s->k, fb);
        transpose_columns(f->b[n], (const f64(*)[MAX_FLOAT_K])columns, s->k);
    }
}

/* The same for dense matrices of 16 bits. Their tiles are 8 x 8, so whole rows need not be gathered. */
INLINE void read_half_sides(struct float_sides *f, const struct warp *w, const struct uop *u, const struct shape *s,
                            enum matrix_format format)
{
    u16 transposed[TILE * TILE] ALIGNED;
    for (u32 i = 0; i < s->m; i++)
        for (u32 j = 0; j < s->k / TILE; j++) {
            const u8 *reg = fragment_register(w, u, 1, tile_register(s->m, s->k / TILE, i, j));
            for (u32 g = 0; g < TILE; g++)
                put_row(f->a[i * TILE + g] + j * TILE, floats_of(reg + 2 * TILE * g, 0, format));
        }
    for (u32 n = 0; n < s->n; n++)
        for (u32 j = 0; j < s->k / TILE; j++) {
            transpose_halves(transposed, fragment_register(w, u, 2, n * (s->k / TILE) + j));
            for (u32 e = 0; e < TILE; e++)
                put_row(f->b[n][j * TILE + e], floats_of((const u8 *)(transposed + TILE * e), 0, format));
        }
}

INLINE void multiply_sides(struct warp *w, const struct uop *u, const struct shape *s, const struct float_sides *f)
{
    float_rows c[MAX_TILES];
    const struct sum_rule *rule = w->sums ? sum_rule_of(w->sums, u->detail[MATRIX_A], false) : NULL;
    read_floats(c, w, u, s);
    for (u32 n = 0; n < s->n; n++)
        if (rule)
            multiply_in_groups(c[n], f->a, f->b[n], u, s->m * TILE, s->k, rule);
        else
            multiply_floats(c[n], f->a, f->b[n], s->m * TILE, s->k);
    write_floats(w, u, s, (const float_rows *)c);
}

HANDLER(mma_floats)
{
    struct shape s = shape_of(u);
    struct float_sides f;
    (void)executed;
    read_float_sides(&f, w, u, &s);
    multiply_sides(w, u, &s, &f);
}
HANDLER(mma_halves)
{
    struct shape s = shape_of(u);
    struct float_sides f;
    (void)executed;
    read_half_sides(&f, w, u, &s, u->detail[MATRIX_A]);
    multiply_sides(w, u, &s, &f);
}
/* m16n8k16, the shape that most programs use. */
#define MMA_16816(name, format)                                                                                        \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        static const struct shape s = {2, 1, 16};                                                                      \
        struct float_sides f;                                                                                          \
        (void)executed;                                                                                                \
        read_half_sides(&f, w, u, &s, format);                                                                         \
        multiply_sides(w, u, &s, &f);                                                                                  \
    }
MMA_16816(mma_f16_16816, MATRIX_F16)
MMA_16816(mma_bf16_16816, MATRIX_BF16)

/* ---- f64 --------------------------------------------------------------------------------------------------------- */

enum { MAX_DOUBLE_K = 16 };

NOINLINE void mma_doubles_rounded(struct warp *w, const struct uop *u, lanemask executed)
{
    struct shape s = shape_of(u);
    float_rows c[MAX_TILES];
    f64 a[MAX_M][MAX_DOUBLE_K], b[MAX_N][MAX_DOUBLE_K];
    (void)executed;
    for (u32 i = 0; i < s.m; i++)
        for (u32 j = 0; j < s.k / 4; j++) {
            const f64 *reg = fragment_register(w, u, 1, tile_register(s.m, s.k / 4, i, j));
            for (u32 l = 0; l < LANES; l++)
                a[i * TILE + l / 4][4 * j + l % 4] = reg[l];
        }
    for (u32 n = 0; n < s.n; n++)
        for (u32 j = 0; j < s.k / 4; j++) {
            const f64 *reg = fragment_register(w, u, 2, n * (s.k / 4) + j);
            for (u32 l = 0; l < LANES; l++)
                b[n * TILE + l / 4][4 * j + l % 4] = reg[l];
        }
    read_floats(c, w, u, &s);
    for (u32 n = 0; n < s.n; n++)
        for (u32 r = 0; r < s.m * TILE; r++)
            for (u32 i = 0; i < s.k; i++)
                for (u32 x = 0; x < TILE; x++)
                    c[n][r][x] = __builtin_fma(a[r][i], b[n * TILE + x][i], c[n][r][x]);
    write_floats(w, u, &s, (const float_rows *)c);
}
HANDLER(mma_doubles) { in_rounding(mma_doubles_rounded, w, u, executed); }

/* ---- integers ---------------------------------------------------------------------------------------------------- */

enum { MAX_INTEGER_K = 128 }; /* 4 bits, sparse */

/* sum = a × b. b[i] holds rows 2·i and 2·i + 1 as pairs. */
static void multiply_integers(s32 (*sum)[TILE], const s16 (*a)[MAX_INTEGER_K], const s16 (*b)[2 * TILE], u32 rows,
                              u32 k)
{
    for (u32 r = 0; r < rows; r++) {
#ifdef __AVX2__
        __m256i all = _mm256_setzero_si256();
        for (u32 i = 0; i < k / 2; i++) {
            s32 pair;
            memcpy(&pair, &a[r][2 * i], sizeof pair);
            __m256i columns = _mm256_loadu_si256((const __m256i *)b[i]);
            all = _mm256_add_epi32(all, _mm256_madd_epi16(_mm256_set1_epi32(pair), columns));
        }
        _mm256_storeu_si256((__m256i *)sum[r], all);
#else
        for (u32 n = 0; n < TILE; n++)
            sum[r][n] = 0;
        for (u32 i = 0; i < k / 2; i++)
            for (u32 n = 0; n < TILE; n++)
                sum[r][n] += a[r][2 * i] * b[i][2 * n] + a[r][2 * i + 1] * b[i][2 * n + 1];
#endif
    }
}

/* c + sum, clamped or wrapped around. */
INLINE void add_sums(s32 (*c)[TILE], const s32 (*sum)[TILE], u32 rows, bool clamp)
{
    for (u32 r = 0; r < rows; r++)
        for (u32 n = 0; n < TILE; n++) {
            s64 exact = (s64)c[r][n] + sum[r][n];
            s64 clamped = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
            c[r][n] = (s32)(u32)(u64)(clamp ? clamped : exact);
        }
}

INLINE void read_integers(integer_rows *c, const struct warp *w, const struct uop *u, const struct shape *s)
{
    for (u32 n = 0; n < s->n; n++)
        for (u32 i = 0; i < s->m; i++)
            read_s32(c[n] + i * TILE, w, u, result_register(s, i, n, 2));
}
INLINE void write_integers(const struct warp *w, const struct uop *u, const struct shape *s, const integer_rows *d)
{
    for (u32 n = 0; n < s->n; n++)
        for (u32 i = 0; i < s->m; i++)
            write_s32(w, u, result_register(s, i, n, 2), (const s32(*)[TILE])d[n] + i * TILE);
}

HANDLER(mma_integers)
{
    struct shape s = shape_of(u);
    const enum matrix_format fa = u->detail[MATRIX_A], fb = u->detail[MATRIX_B];
    bool sparse = u->detail[MATRIX_MODE] & MATRIX_SPARSE;
    u32 ka = sparse ? s.k / 2 : s.k;
    u8 raw[MAX_M][MAX_ROW_BYTES] ALIGNED;
    s16 a[MAX_M][MAX_INTEGER_K], column[MAX_INTEGER_K], b[MAX_TILES][MAX_INTEGER_K / 2][2 * TILE];
    integer_rows c[MAX_TILES], sum;
    (void)executed;
    gather_a(raw, w, u, s.m, ka * matrix_bits[fa] / 8, 4);
    for (u32 i = 0; i < s.m * TILE; i++)
        row_of_integers(a[i], raw[i], ka, fa);
    if (sparse)
        for (u32 i = 0; i < s.m * TILE; i++)
            spread_integers(a[i], source(w, u->a), u, &s, i);
    gather_b(raw, w, u, s.n, s.k * matrix_bits[fb] / 8, 4);
    for (u32 n = 0; n < s.n * TILE; n++) {
        row_of_integers(column, raw[n], s.k, fb);
        for (u32 i = 0; i < s.k / 2; i++)
            memcpy(&b[n / TILE][i][2 * (n % TILE)], &column[2 * i], 2 * sizeof *column);
    }
    read_integers(c, w, u, &s);
    for (u32 n = 0; n < s.n; n++) {
        multiply_integers(sum, (const s16(*)[MAX_INTEGER_K])a, (const s16(*)[2 * TILE]) b[n], s.m * TILE, s.k);
        add_sums(c[n], (const s32(*)[TILE])sum, s.m * TILE, u->flags & UF_SAT_FINITE);
    }
    write_integers(w, u, &s, (const integer_rows *)c);
}

/* Counts the set bits of a & b or, unless `both`, of a ^ b in this many words. */
INLINE s32 common_bits(const u8 *a, const u8 *b, u32 words, bool both)
{
    s32 sum = 0;
    for (u32 i = 0; i < words; i++) {
        u32 p = ((const u32 *)a)[i], q = ((const u32 *)b)[i];
        sum += __builtin_popcount(both ? p & q : p ^ q);
    }
    return sum;
}

HANDLER(mma_bits)
{
    struct shape s = shape_of(u);
    bool both = u->detail[MATRIX_MODE] & MATRIX_AND;
    u32 words = s.k / 32;
    u8 a[MAX_M][MAX_ROW_BYTES] ALIGNED, b[MAX_N][MAX_ROW_BYTES] ALIGNED;
    integer_rows c[MAX_TILES], sum;
    (void)executed;
    gather_a(a, w, u, s.m, s.k / 8, 4);
    gather_b(b, w, u, s.n, s.k / 8, 4);
    read_integers(c, w, u, &s);
    for (u32 n = 0; n < s.n; n++) {
        for (u32 r = 0; r < s.m * TILE; r++)
            for (u32 x = 0; x < TILE; x++)
                sum[r][x] = common_bits(a[r], b[n * TILE + x], words, both);
        add_sums(c[n], (const s32(*)[TILE])sum, s.m * TILE, u->flags & UF_SAT_FINITE);
    }
    write_integers(w, u, &s, (const integer_rows *)c);
}

/* ---- m8n8k4 of f16: four products at once ------------------------------------------------------------------------ */

/* The lane that holds row `at` of A, or column `at` of B, of product q. If A is .col or B is .row, lanes hold columns
 * of A or rows of B. */
INLINE u32 quad_lane(u32 q, u32 at) { return 4 * q + at % 4 + (at >= 4 ? 16 : 0); }
INLINE f64 quad_half(const struct warp *w, const struct uop *u, unsigned list, u32 lane, u32 element)
{
    return (f64)f32_of_f16(((const u16 *)fragment_register(w, u, list, element / 2))[2 * lane + element % 2]);
}
INLINE f64 quad_a(const struct warp *w, const struct uop *u, u32 q, u32 row, u32 k)
{
    if (u->detail[MATRIX_MODE] & MATRIX_A_COLUMNS)
        return quad_half(w, u, 1, quad_lane(q, (row & 4) + k), row % 4);
    return quad_half(w, u, 1, quad_lane(q, row), k);
}
INLINE f64 quad_b(const struct warp *w, const struct uop *u, u32 q, u32 k, u32 column)
{
    if (u->detail[MATRIX_MODE] & MATRIX_B_ROWS)
        return quad_half(w, u, 2, quad_lane(q, (column & 4) + k), column % 4);
    return quad_half(w, u, 2, quad_lane(q, column), k);
}
/* The lane, and the register, that hold element (row, column) of an f32 result. */
INLINE u32 quad_result_lane(u32 q, u32 row, u32 column) { return quad_lane(q, (row & 4) + (row & 1) + (column & 2)); }
INLINE u32 quad_result_register(u32 row, u32 column) { return (row & 2) + (column & 4) + (column & 1); }

INLINE f64 quad_sum(const struct warp *w, const struct uop *u, f64 sum, const f64 a[4], const f64 b[4])
{
    const struct sum_rule *rule = w->sums ? sum_rule_of(w->sums, MATRIX_F16, false) : NULL;
    struct sum_group g = {.count = 0};
    for (u32 k = 0; k < 4; k++)
        if (rule)
            group_add(&g, a[k], MATRIX_F16, b[k], MATRIX_F16);
        else
            sum += a[k] * b[k];
    return rule ? group_sum(&g, sum, rule, u->detail[MATRIX_D] == MATRIX_F16) : sum;
}

HANDLER(mma_quads)
{
    f64 d[4][TILE][TILE], a[4], b[4];
    (void)executed;
    for (u32 q = 0; q < 4; q++)
        for (u32 r = 0; r < TILE; r++)
            for (u32 x = 0; x < TILE; x++) {
                f64 sum = u->detail[MATRIX_C] == MATRIX_F16
                              ? quad_half(w, u, 3, quad_lane(q, r), x)
                              : (f64)((const f32 *)fragment_register(
                                    w, u, 3, quad_result_register(r, x)))[quad_result_lane(q, r, x)];
                for (u32 k = 0; k < 4; k++) {
                    a[k] = quad_a(w, u, q, r, k);
                    b[k] = quad_b(w, u, q, k, x);
                }
                d[q][r][x] = quad_sum(w, u, sum, a, b);
            }
    for (u32 q = 0; q < 4; q++)
        for (u32 r = 0; r < TILE; r++)
            for (u32 x = 0; x < TILE; x++) {
                if (u->detail[MATRIX_D] == MATRIX_F16)
                    ((u16 *)result(w, u, x / 2))[2 * quad_lane(q, r) + x % 2] =
                        narrowed(d[q][r][x], ROUND_N, &f16_format);
                else
                    ((f32 *)result(w, u, quad_result_register(r, x)))[quad_result_lane(q, r, x)] =
                        canonical_f32((f32)d[q][r][x]);
            }
}

/* ---- wgmma ------------------------------------------------------------------------------------------------------- */

/* The warp's rows of A. */
INLINE void wgmma_a(u8 rows[MAX_M][MAX_ROW_BYTES], const struct warp *w, const struct uop *u)
{
    if (list_count(u->lane, 1)) {
        gather_a(rows, w, u, 2, WGMMA_ROW_BYTES, 4);
        return;
    }
    for (u32 r = 0; r < WGMMA_ROWS; r++)
        memcpy(rows[r], w->rows->a[r], WGMMA_ROW_BYTES);
}
/* The metadata of a sparse A; NULL: it is dense. */
INLINE const u32 *wgmma_metadata(const struct warp *w, const struct uop *u)
{
    return u->detail[MATRIX_MODE] & MATRIX_SPARSE ? fragment_register(w, u, 2, 0) : NULL;
}
INLINE bool wgmma_adds(const struct warp *w, const struct uop *u)
{
    return ((mask_at(w, u->c) & 1) != 0) != ((u->flags & UF_NEGATE_C) != 0);
}

HANDLER(wgmma_floats)
{
    struct shape s = shape_of(u);
    const enum matrix_format fa = u->detail[MATRIX_A], fb = u->detail[MATRIX_B];
    const f64 sign = !(u->flags & UF_NEGATE_A) == !(u->flags & UF_NEGATE_B) ? 1 : -1;
    bool adds = wgmma_adds(w, u), halves = u->detail[MATRIX_D] == MATRIX_F16;
    const struct sum_rule *rule = w->sums ? sum_rule_of(w->sums, fa, true) : NULL;
    const u32 *sparse = wgmma_metadata(w, u);
    u8 raw[MAX_M][MAX_ROW_BYTES] ALIGNED;
    f64 a[WGMMA_ROWS][MAX_FLOAT_K], columns[TILE][MAX_FLOAT_K], c[WGMMA_ROWS][TILE];
    float_columns b;
    (void)executed;
    wgmma_a(raw, w, u);
    for (u32 r = 0; r < WGMMA_ROWS; r++) {
        row_of_floats(a[r], raw[r], sparse ? s.k / 2 : s.k, fa);
        if (sparse)
            spread_floats(a[r], sparse, u, &s, r);
        for (u32 i = 0; i < s.k; i++)
            a[r][i] *= sign;
    }
    for (u32 n = 0; n < s.n; n++) {
        memset(c, 0, sizeof c);
        for (u32 i = 0; i < 2 && adds; i++) {
            u32 at = result_register(&s, i, n, halves ? 1 : 2);
            if (halves)
                read_f16(c + i * TILE, w, u, at);
            else
                read_f32(c + i * TILE, w, u, at);
        }
        for (u32 x = 0; x < TILE; x++)
            row_of_floats(columns[x], w->rows->b[n * TILE + x], s.k, fb);
        transpose_columns(b, columns, s.k);
        if (rule)
            multiply_in_groups(c, a, b, u, WGMMA_ROWS, s.k, rule);
        else
            multiply_floats(c, a, b, WGMMA_ROWS, s.k);
        for (u32 i = 0; i < 2; i++) {
            u32 at = result_register(&s, i, n, halves ? 1 : 2);
            if (halves)
                write_f16(w, u, at, (const f64(*)[TILE])c + i * TILE);
            else
                write_f32(w, u, at, (const f64(*)[TILE])c + i * TILE);
        }
    }
}

HANDLER(wgmma_integers)
{
    struct shape s = shape_of(u);
    const enum matrix_format fa = u->detail[MATRIX_A], fb = u->detail[MATRIX_B];
    bool adds = wgmma_adds(w, u), bits = fa == MATRIX_B1;
    const u32 *sparse = wgmma_metadata(w, u);
    u8 raw[MAX_M][MAX_ROW_BYTES] ALIGNED;
    s16 a[WGMMA_ROWS][MAX_INTEGER_K], column[MAX_INTEGER_K], b[MAX_INTEGER_K / 2][2 * TILE];
    s32 c[WGMMA_ROWS][TILE], sum[WGMMA_ROWS][TILE];
    (void)executed;
    wgmma_a(raw, w, u);
    for (u32 r = 0; r < WGMMA_ROWS && !bits; r++) {
        row_of_integers(a[r], raw[r], sparse ? s.k / 2 : s.k, fa);
        if (sparse)
            spread_integers(a[r], sparse, u, &s, r);
    }
    for (u32 n = 0; n < s.n; n++) {
        memset(c, 0, sizeof c);
        for (u32 i = 0; i < 2 && adds; i++)
            read_s32(c + i * TILE, w, u, result_register(&s, i, n, 2));
        for (u32 x = 0; x < TILE && !bits; x++) {
            row_of_integers(column, w->rows->b[n * TILE + x], s.k, fb);
            for (u32 i = 0; i < s.k / 2; i++)
                memcpy(&b[i][2 * x], &column[2 * i], 2 * sizeof *column);
        }
        if (bits)
            for (u32 r = 0; r < WGMMA_ROWS; r++)
                for (u32 x = 0; x < TILE; x++)
                    sum[r][x] = common_bits(raw[r], w->rows->b[n * TILE + x], s.k / 32, true);
        else
            multiply_integers(sum, (const s16(*)[MAX_INTEGER_K])a, (const s16(*)[2 * TILE]) b, WGMMA_ROWS, s.k);
        add_sums(c, (const s32(*)[TILE])sum, WGMMA_ROWS, u->flags & UF_SAT_FINITE);
        for (u32 i = 0; i < 2; i++)
            write_s32(w, u, result_register(&s, i, n, 2), (const s32(*)[TILE])c + i * TILE);
    }
}

/* ---- binding ----------------------------------------------------------------------------------------------------- */

static bool shape_fits(const struct operation *o)
{
    u32 m = o->detail[MATRIX_M], n = o->detail[MATRIX_N], k = 4u * o->detail[MATRIX_K];
    u32 bits = matrix_bits[o->detail[MATRIX_A]];
    bool doubles = o->detail[MATRIX_A] == MATRIX_F64;
    return (m == 1 || m == 2 || m == 4) && (n == 1 || n == 2 || n == 4) &&
           (doubles ? k <= MAX_DOUBLE_K : k * bits % 128 == 0) && k &&
           k * bits <= 8 * MAX_ROW_BYTES * (doubles ? 2 : 1);
}
static uop_fn find_halves(const struct operation *o)
{
    bool usual = o->detail[MATRIX_M] == 2 && o->detail[MATRIX_N] == 1 && o->detail[MATRIX_K] == 4;
    if (o->detail[MATRIX_MODE] & MATRIX_SPARSE || o->detail[MATRIX_A] != o->detail[MATRIX_B])
        return mma_floats;
    if (!usual)
        return mma_halves;
    return o->detail[MATRIX_A] == MATRIX_F16 ? mma_f16_16816 : mma_bf16_16816;
}
static uop_fn find_mma(const struct operation *o)
{
    for (unsigned i = MATRIX_A; i <= MATRIX_D; i++)
        if (o->detail[i] >= MATRIX_FORMAT_COUNT)
            return NULL;
    if (o->detail[MATRIX_MODE] & MATRIX_QUADS)
        return mma_quads;
    if (!shape_fits(o))
        return NULL;
    switch (o->detail[MATRIX_A]) {
    case MATRIX_F64: return mma_doubles;
    case MATRIX_B1: return mma_bits;
    case MATRIX_S8:
    case MATRIX_U8:
    case MATRIX_S4:
    case MATRIX_U4: return mma_integers;
    case MATRIX_S32:
    case MATRIX_F32: return NULL;
    case MATRIX_F16:
    case MATRIX_BF16: return find_halves(o);
    default: return mma_floats;
    }
}
static uop_fn find_wgmma(const struct operation *o)
{
    u32 row = 4u * o->detail[MATRIX_K] * matrix_bits[o->detail[MATRIX_A]] / 8;
    row /= o->detail[MATRIX_MODE] & MATRIX_SPARSE ? 2 : 1;
    if (row != WGMMA_ROW_BYTES || o->detail[MATRIX_M] != 2 || o->detail[MATRIX_N] > WGMMA_COLUMNS / TILE)
        return NULL;
    return o->detail[MATRIX_D] == MATRIX_S32 ? wgmma_integers : wgmma_floats;
}
uop_fn SIMD_NAME(lanes_matrix)(const struct operation *o)
{
    switch (o->op) {
    case OP_MMA: return find_mma(o);
    case OP_WGMMA: return find_wgmma(o);
    default: return NULL;
    }
}
