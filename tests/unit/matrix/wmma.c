/* wmma: load, multiply and store in every shape, type and layout, from global and shared memory, against a plain matrix
 * product; and fragments that a program changes element by element. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

struct form {
    int m, n, k;
    enum number a, c, d;
};
enum { BYTES = 16384 };

struct layouts {
    bool a_columns, b_columns, c_columns, d_columns;
    int pad;             /* elements, a multiple of what 16 bytes hold; without it no stride is given */
    bool shared;         /* A comes from shared memory */
    const char *between; /* code before the product */
    double factor;       /* by which it multiplies C */
};

static unsigned count_of(enum number n, int elements) /* registers of a fragment without copies */
{
    unsigned width = number_bits(n);
    return width >= 32 ? (unsigned)elements / LANES : (unsigned)elements / LANES * width / 32;
}
static void list(FILE *f, char name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(f, "%s%%%c%u", i ? ", " : "{", name, i);
    fprintf(f, "}");
}
static const char *row_or_col(bool columns) { return columns ? "col" : "row"; }
static const char *stride(const struct layouts *y, int length)
{
    static char text[4][20];
    static int next;
    if (!y->pad)
        return "";
    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], ", %d", length + y->pad);
    return text[next];
}
static const char *reg_type(enum number n) { return n == F64 ? "f64" : n == F32 ? "f32" : "b32"; }

static char *kernel_text(const struct form *s, const struct layouts *y)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    unsigned na = s->a == F16 ? 8 : count_of(s->a, s->m * s->k), nb = s->a == F16 ? 8 : count_of(s->a, s->n * s->k);
    unsigned nc = count_of(s->c, s->m * s->n), nd = count_of(s->d, s->m * s->n);
    char shape[40];
    snprintf(shape, sizeof shape, "m%dn%dk%d", s->m, s->n, s->k);
    fprintf(f,
            ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n"
            ".reg .b64 %%pa, %%pb, %%pc, %%pd, %%from; .reg .b32 %%s, %%i, %%w; .reg .pred %%p;\n"
            ".reg .f32 %%factor; .shared .align 128 .b8 sm[%d];\n",
            BYTES);
    fprintf(f, ".reg .%s %%a<%u>, %%b<%u>; .reg .%s %%c<%u>; .reg .%s %%d<%u>;\n", reg_type(s->a), na, nb,
            reg_type(s->c), nc, reg_type(s->d), nd);
    for (const char *p = "abcd"; *p; p++)
        fprintf(f, "ld.param.u64 %%p%c, [p%c]; ", *p, *p);
    if (y->shared)
        fprintf(
            f,
            "mov.u32 %%i, %%laneid; mad.wide.u32 %%from, %%i, 4, %%pa; mov.u32 %%s, sm; mad.lo.u32 %%s, %%i, 4, %%s;"
            "mov.u32 %%i, 0;\nfill: ld.global.u32 %%w, [%%from]; st.shared.u32 [%%s], %%w; add.u64 %%from, %%from, "
            "128; add.u32 %%s, %%s, 128; add.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%i, %d; @%%p bra fill;\n"
            "bar.sync 0; mov.u32 %%s, sm;\n",
            BYTES);
    fprintf(f, "\nwmma.load.a.sync.aligned.%s.%s%s.%s ", row_or_col(y->a_columns), shape, y->shared ? ".shared" : "",
            number_name(s->a));
    list(f, 'a', na);
    fprintf(f, ", [%s]%s;\n", y->shared ? "%s" : "%pa", stride(y, y->a_columns ? s->m : s->k));
    fprintf(f, "wmma.load.b.sync.aligned.%s.%s.global.%s ", row_or_col(y->b_columns), shape, number_name(s->a));
    list(f, 'b', nb);
    fprintf(f, ", [%%pb]%s;\n", stride(y, y->b_columns ? s->k : s->n));
    fprintf(f, "wmma.load.c.sync.aligned.%s.%s.global.%s ", row_or_col(y->c_columns), shape, number_name(s->c));
    list(f, 'c', nc);
    fprintf(f, ", [%%pc]%s;\n%s\n", stride(y, y->c_columns ? s->m : s->n), y->between ? y->between : "");
    fprintf(f, "wmma.mma%s.sync.aligned.%s.%s.%s.%s", s->a == B1 ? ".xor.popc" : "", row_or_col(y->a_columns),
            row_or_col(y->b_columns), shape, number_name(s->d));
    if (s->a != F16)
        fprintf(f, ".%s.%s", number_name(s->a), number_name(s->a));
    fprintf(f, ".%s ", number_name(s->c));
    list(f, 'd', nd), fprintf(f, ", "), list(f, 'a', na), fprintf(f, ", "), list(f, 'b', nb), fprintf(f, ", ");
    list(f, 'c', nc);
    fprintf(f, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%pd], ", row_or_col(y->d_columns), shape,
            number_name(s->d));
    list(f, 'd', nd);
    fprintf(f, "%s;\nret; }\n", stride(y, y->d_columns ? s->m : s->n));
    fclose(f);
    return text;
}

/* Element (row, column) of a matrix in memory. */
static size_t bit_at(enum number n, int row, int column, int rows, int columns, bool by_columns, int pad)
{
    int pitch = (by_columns ? rows : columns) + pad;
    return (size_t)(by_columns ? column * pitch + row : row * pitch + column) * number_bits(n);
}
static void put(void *memory, size_t at, enum number n, uint64_t bits)
{
    unsigned width = number_bits(n);
    uint8_t *byte = (uint8_t *)memory + at / 8;
    if (width < 8)
        *byte = (uint8_t)(*byte | bits << at % 8);
    else
        memcpy(byte, &bits, width / 8);
}
static uint64_t get(const void *memory, size_t at, enum number n)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)memory + at / 8, number_bits(n) / 8);
    return bits;
}

static uint64_t small_element(enum number n)
{
    uint32_t r = next_random();
    switch (n) {
    case S8:
    case U8: return r & 255;
    case S4:
    case U4: return r & 15;
    case B1: return r & 1;
    case S32: return r;
    default: return encode(n, (double)((int)(r % 9) - 4));
    }
}

static void check(const struct form *s, const struct layouts *y)
{
    static uint64_t a[32][128], b[128][32], c[32][32];
    struct kernel_run k;
    char *text = kernel_text(s, y);
    open_kernel(&k, "sm_80", text, 4, BYTES);
    for (int i = 0; i < s->k; i++) {
        for (int r = 0; r < s->m; r++)
            put(k.host[0], bit_at(s->a, r, i, s->m, s->k, y->a_columns, y->pad), s->a, a[r][i] = small_element(s->a));
        for (int x = 0; x < s->n; x++)
            put(k.host[1], bit_at(s->a, i, x, s->k, s->n, y->b_columns, y->pad), s->a, b[i][x] = small_element(s->a));
    }
    for (int r = 0; r < s->m; r++)
        for (int x = 0; x < s->n; x++)
            put(k.host[2], bit_at(s->c, r, x, s->m, s->n, y->c_columns, y->pad), s->c, c[r][x] = small_element(s->c));
    cr_assert(launch_kernel(&k, 1, LANES), "%s\n%s", k.err.text, text);
    for (int r = 0; r < s->m; r++)
        for (int x = 0; x < s->n; x++) {
            double sum = decode(s->c, c[r][x]) * (y->between ? y->factor : 1);
            for (int i = 0; i < s->k; i++) {
                double p = decode(s->a, a[r][i]), q = decode(s->a, b[i][x]);
                sum += s->a == B1 ? p != q : p * q;
            }
            uint64_t want = s->d == S32 ? (uint32_t)(int64_t)sum : encode(s->d, sum);
            uint64_t got = get(k.host[3], bit_at(s->d, r, x, s->m, s->n, y->d_columns, y->pad), s->d);
            got = s->d != S32 && got == 1ull << (number_bits(s->d) - 1) ? 0 : got;
            cr_assert_eq(got, want, "row %d column %d: %#lx, not %#lx\n%s", r, x, got, want, text);
        }
    free(text);
    close_kernel(&k);
}

static const struct form forms[] = {
    {16, 16, 16, F16, F16, F16},  {16, 16, 16, F16, F32, F32}, {16, 16, 16, F16, F16, F32}, {16, 16, 16, F16, F32, F16},
    {32, 8, 16, F16, F16, F16},   {32, 8, 16, F16, F32, F32},  {8, 32, 16, F16, F16, F16},  {8, 32, 16, F16, F32, F32},
    {16, 16, 16, BF16, F32, F32}, {32, 8, 16, BF16, F32, F32}, {8, 32, 16, BF16, F32, F32}, {16, 16, 8, TF32, F32, F32},
    {8, 8, 4, F64, F64, F64},     {16, 16, 16, S8, S32, S32},  {32, 8, 16, S8, S32, S32},   {8, 32, 16, S8, S32, S32},
    {16, 16, 16, U8, S32, S32},   {32, 8, 16, U8, S32, S32},   {8, 32, 16, U8, S32, S32},   {8, 8, 32, S4, S32, S32},
    {8, 8, 32, U4, S32, S32},     {8, 8, 128, B1, S32, S32},
};
enum { FORMS = sizeof forms / sizeof *forms };

Test(wmma, plain_products)
{
    for (int i = 0; i < FORMS; i++)
        for (int layout = 0; layout < 32; layout++) {
            bool narrow = number_bits(forms[i].a) < 8;
            struct layouts y = {layout & 1,  layout & 2, layout & 4, layout & 8, layout & 16 ? 128 : 0,
                                layout == 5, NULL,       1};
            y.pad = y.pad && number_bits(forms[i].a) >= 8 ? 16 : y.pad;
            if (narrow && (y.a_columns || !y.b_columns))
                continue; /* the ISA has them by rows and by columns only */
            check(&forms[i], &y);
        }
}

/* What CUDA's fragments are for beside the product: each element of C times a factor. */
Test(wmma, element_by_element)
{
    static const char scale[] =
        "mov.f32 %factor, 0f40400000;\nmul.f32 %c0, %c0, %factor; mul.f32 %c1, %c1, %factor; "
        "mul.f32 %c2, %c2, %factor; mul.f32 %c3, %c3, %factor; mul.f32 %c4, %c4, %factor; mul.f32 "
        "%c5, %c5, %factor; mul.f32 %c6, %c6, %factor; mul.f32 %c7, %c7, %factor;";
    const struct layouts y = {.b_columns = true, .pad = 8, .between = scale, .factor = 3};
    for (int i = 0; i < FORMS; i++)
        if (forms[i].c == F32 && forms[i].m * forms[i].n == 256)
            check(&forms[i], &y);
}

Test(wmma, refused_by_name)
{
    const char *e = refusal("sm_70", "wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r1,%r2}, [%d1];");
    cr_assert(strstr(e, "needs .target sm_72"), "%s", e);
    e = refusal("sm_80", "wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%d1];");
    cr_assert(strstr(e, "'wmma' "), "%s", e);
    e = refusal("sm_80", "wmma.load.a.sync.aligned.row.m16n8k16.global.f16 {%r1}, [%d1];");
    cr_assert(strstr(e, "'.m16n8k16' is no modifier of 'wmma'; did you mean '.m16n16k16'?"), "%s", e);
    e = refusal("sm_80", "wmma.load.a.sync.aligned.row.m8n8k32.global.f16 {%r1}, [%d1];");
    cr_assert(strstr(e, "'wmma' does not take .f16 here, but .u4 .s4"), "%s", e);
    e = refusal("sm_80", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%d1];");
    cr_assert(strstr(e, "matrix a has 8 registers here, not 1"), "%s", e);
}
