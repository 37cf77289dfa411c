/* Cases of ops.cu: every expression of ops.h over operands that are corners and random values; size: operand triples.
 */
#include <string.h>

#include "tests/kernels/ops.h"
#include "tests/support/kernel_case.h"

static const f64 corners_f64[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  1.5,
                                  2.5,
                                  -2.5,
                                  1e-310,
                                  -4.9e-324,
                                  1.7e308,
                                  -1e308,
                                  1e38,
                                  -3.4e38,
                                  1.2e-38,
                                  -1.4e-45,
                                  16777217.0,
                                  1073741824.5,
                                  0.1,
                                  __builtin_inf(),
                                  -__builtin_inf(),
                                  __builtin_nan("")};
static const u64 corners_u64[] = {0,
                                  1,
                                  2,
                                  31,
                                  32,
                                  63,
                                  127,
                                  128,
                                  255,
                                  32767,
                                  32768,
                                  65535,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  0xffffffffffffff80,
                                  0xffffffffffffffff};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Half of the operands are corners; random integers are of every magnitude, random floats of moderate exponents. */
static u64 random_u64(uint64_t *state)
{
    u64 r = random_next(state);
    return r & 1 ? corners_u64[(r >> 8) % COUNT(corners_u64)] : random_next(state) >> (r >> 8 & 63);
}

static f64 random_f64(uint64_t *state)
{
    u64 r = random_next(state);
    if ((r & 3) == 0)
        return corners_f64[(r >> 8) % COUNT(corners_f64)];
    f64 v = (f64)(s64)random_next(state) * 0x1p-63;
    return v * __builtin_exp2((f64)((s64)(r >> 8 & 127) - 64) * ((r & 3) == 1 ? 0.125 : 1));
}

static u8 random_u8(uint64_t *s) { return (u8)random_u64(s); }
static s8 random_s8(uint64_t *s) { return (s8)random_u64(s); }
static u16 random_u16(uint64_t *s) { return (u16)random_u64(s); }
static s16 random_s16(uint64_t *s) { return (s16)random_u64(s); }
static u32 random_u32(uint64_t *s) { return (u32)random_u64(s); }
static s32 random_s32(uint64_t *s) { return (s32)random_u64(s); }
static s64 random_s64(uint64_t *s) { return (s64)random_u64(s); }
static f32 random_f32(uint64_t *s) { return (f32)random_f64(s); }

enum { u8_KIND = VALUE_U8, u16_KIND = VALUE_U16, s32_KIND = VALUE_I32, u32_KIND = VALUE_U32 };
enum { s8_KIND = VALUE_U8, s16_KIND = VALUE_U16, s64_KIND = VALUE_I64, u64_KIND = VALUE_U64 };
enum { f32_KIND = VALUE_F32, f64_KIND = VALUE_F64 };

/* Evaluates every row for all operands into out. */
#define OPS_ROW(T, expression)                                                                                         \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        T a = in[i], b = in[n + i], c = in[2 * n + i];                                                                 \
        (void)a, (void)b, (void)c;                                                                                     \
        out[i] = (T)(expression);                                                                                      \
    }                                                                                                                  \
    out += n;

#define OPS_CASE(kernel, T, rows)                                                                                      \
    enum { kernel##_rows = 64 };                                                                                       \
    static void kernel##_setup(struct kernel_session *s)                                                               \
    {                                                                                                                  \
        size_t n = s->size;                                                                                            \
        T *in = session_scratch(s, 3 * n * sizeof *in);                                                                \
        uint64_t state = 111;                                                                                          \
        for (size_t i = 0; i < 3 * n; i++)                                                                             \
            in[i] = random_##T(&state);                                                                                \
        session_data(s, "in", in, 3 * n * sizeof *in);                                                                 \
        session_zeros(s, "out", kernel##_rows *n * sizeof *in);                                                        \
        session_launch(s, #kernel, DIM((s->size + 63) / 64), DIM(64), 0);                                              \
        arg_buffer(s, 0);                                                                                              \
        arg_buffer(s, 1);                                                                                              \
        arg_i32(s, (int32_t)n);                                                                                        \
    }                                                                                                                  \
    static void kernel##_check(struct kernel_session *s)                                                               \
    {                                                                                                                  \
        size_t n = s->size;                                                                                            \
        const T *in = session_before(s, 0);                                                                            \
        T *const all = session_scratch(s, kernel##_rows * n * sizeof *all), *out = all;                                \
        rows expect_equal(s, 1, (enum value_kind)T##_KIND, all, 0, kernel##_rows *n);                                  \
    }                                                                                                                  \
    const struct kernel_case case_##kernel = {#kernel, "ops", 300, 4096, kernel##_setup, kernel##_check};
OPS_KERNELS(OPS_CASE)
