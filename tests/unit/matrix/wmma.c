/* wmma: load, multiply and store in every shape, type and layout, from global and shared memory, against a plain matrix
 * product; and fragments that a program changes element by element. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_code.h"

enum stage { LOAD_A, LOAD_B, LOAD_C, PRODUCT, STORE_D, STAGES };
enum { BYTES = 8192 }; /* of each matrix, in global memory and in shared memory */

struct test {
    int m, n, k;
    enum number a, c, d;
    bool columns[STAGES];        /* the layout; of the product: that of A and B is theirs */
    int pad;                     /* elements, a multiple of what 16 bytes hold; 0: no stride is given */
    const char *spelled[STAGES]; /* NULL: out of the others */
    const char *between;         /* code before the product */
    double factor;               /* by which it multiplies C */
    bool both, thirds;           /* of b1: and; f64 that do not multiply exactly */
    int rounding;
};

static unsigned registers_of(enum number n, int elements) /* of a fragment without copies */
{
    unsigned width = number_bits(n);
    return width >= 32 ? (unsigned)elements / LANES : (unsigned)elements / LANES * width / 32;
}
static unsigned count_of(const struct test *t, enum stage s)
{
    switch (s) {
    case LOAD_A: return t->a == F16 ? 8 : registers_of(t->a, t->m * t->k);
    case LOAD_B: return t->a == F16 ? 8 : registers_of(t->a, t->n * t->k);
    case LOAD_C: return registers_of(t->c, t->m * t->n);
    default: return registers_of(t->d, t->m * t->n);
    }
}
static enum number type_of(const struct test *t, enum stage s)
{
    return s == LOAD_A || s == LOAD_B ? t->a : s == LOAD_C ? t->c : t->d;
}
/* Lines of a matrix, from one to the next of which is the stride, and how long they are. */
static int line_length(const struct test *t, enum stage s)
{
    int rows = s == LOAD_B ? t->k : t->m, columns = s == LOAD_A ? t->k : t->n;
    return t->columns[s] ? rows : columns;
}

static void list(FILE *f, const char *before, char name, unsigned count)
{
    fprintf(f, "%s{", before);
    for (unsigned i = 0; i < count; i++)
        fprintf(f, "%s%%%c%u", i ? ", " : "", name, i);
    fprintf(f, "}");
}
static const char *reg_type(enum number n) { return n == F64 ? "f64" : n == F32 ? "f32" : "b32"; }

static void name_form(FILE *f, const struct test *t, enum stage s)
{
    static const char *const layouts[] = {"row", "col"};
    if (t->spelled[s])
        fprintf(f, "%s", t->spelled[s]);
    else if (s == PRODUCT) {
        fprintf(f, "wmma.mma%s.sync.aligned.%s.%s.m%dn%dk%d.%s", t->a == B1 ? ".xor.popc" : "",
                layouts[t->columns[LOAD_A]], layouts[t->columns[LOAD_B]], t->m, t->n, t->k, number_name(t->d));
        if (t->a != F16)
            fprintf(f, ".%s.%s", number_name(t->a), number_name(t->a));
        fprintf(f, ".%s", number_name(t->c));
    } else
        fprintf(f, "wmma.%s.%c.sync.aligned.%s.m%dn%dk%d.global.%s", s == STORE_D ? "store" : "load", "abc?d"[s],
                layouts[t->columns[s]], t -> m, t -> n, t -> k, number_name(type_of(t, s)));
}

/* A matrix is where the form says; where it does not say, at a generic address of shared memory. */
static void move_matrix(FILE *f, const struct test *t, enum stage s)
{
    const char *form = t->spelled[s];
    char which = form && strstr(form, ".shared")    ? 's'
                 : !form || strstr(form, ".global") ? 'p'
                                                    : 'g',
         name = "abc?d"[s];
    name_form(f, t, s);
    if (s == STORE_D)
        fprintf(f, " [%%%c%c]", which, name);
    list(f, s == STORE_D ? ", " : " ", name, count_of(t, s));
    if (s != STORE_D)
        fprintf(f, ", [%%%c%c]", which, name);
    if (t->pad)
        fprintf(f, ", %d", line_length(t, s) + t->pad);
    fprintf(f, ";\n");
}

/* Copies between global and shared memory, 4 bytes per lane and step. */
static void copy_matrix(FILE *f, char name, bool back)
{
    fprintf(f,
            "mov.u32 %%i, 0; cvt.u64.u32 %%at, %%lane; add.u64 %%at, %%at, %%p%c; add.u32 %%s, %%s%c, %%lane;\n"
            "copy_%c: %s add.u64 %%at, %%at, 128; add.u32 %%s, %%s, 128; add.u32 %%i, %%i, 128;\n"
            "setp.lt.u32 %%more, %%i, %d; @%%more bra copy_%c;\n",
            name, name, name,
            back ? "ld.shared.u32 %w, [%s]; st.global.u32 [%at], %w;"
                 : "ld.global.u32 %w, [%at]; st.shared.u32 [%s], %w;",
            BYTES, name);
}

static char *kernel_text(const struct test *t)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    const char *d = t->spelled[STORE_D];
    fprintf(f,
            ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n"
            ".reg .b64 %%at; .reg .b32 %%s, %%i, %%w, %%lane; .reg .pred %%more; .reg .f32 %%factor;\n"
            ".shared .align 128 .b8 sm[%d];\nmov.u32 %%lane, %%laneid; shl.b32 %%lane, %%lane, 2;\n",
            4 * BYTES);
    for (enum stage s = 0; s < STAGES; s++)
        if (s != PRODUCT) {
            char name = "abc?d"[s];
            fprintf(f,
                    ".reg .%s %%%c<%u>; .reg .b64 %%p%c, %%g%c; .reg .b32 %%s%c;\nld.param.u64 %%p%c, [p%c]; "
                    "mov.u32 %%s%c, sm+%d; cvt.u64.u32 %%g%c, %%s%c; cvta.shared.u64 %%g%c, %%g%c;\n",
                    reg_type(type_of(t, s)), name, count_of(t, s), name, name, name, name, name, name,
                    BYTES * (s > PRODUCT ? s - 1 : s), name, name, name, name);
            if (s != STORE_D)
                copy_matrix(f, name, false);
        }
    fprintf(f, "bar.sync 0;\n");
    for (enum stage s = LOAD_A; s <= LOAD_C; s++)
        move_matrix(f, t, s);
    fprintf(f, "%s\n", t->between ? t->between : "");
    name_form(f, t, PRODUCT);
    list(f, " ", 'd', count_of(t, STORE_D)), list(f, ", ", 'a', count_of(t, LOAD_A));
    list(f, ", ", 'b', count_of(t, LOAD_B)), list(f, ", ", 'c', count_of(t, LOAD_C));
    fprintf(f, ";\n");
    move_matrix(f, t, STORE_D);
    if (d && !strstr(d, ".global")) {
        fprintf(f, "bar.sync 0;\n");
        copy_matrix(f, 'd', true);
    }
    fprintf(f, "ret; }\n");
    fclose(f);
    return text;
}

/* Element (row, column) of a matrix in memory. */
static size_t bit_at(const struct test *t, enum stage s, int row, int column)
{
    int pitch = line_length(t, s) + t->pad;
    return (size_t)(t->columns[s] ? column * pitch + row : row * pitch + column) * number_bits(type_of(t, s));
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
    case S32: return r & 8 ? 0x7fffffffu - (r >> 24) : r;
    default: return encode(n, (double)((int)(r % 9) - 4));
    }
}
static uint64_t element(const struct test *t, enum number n)
{
    int divisor = (int)(next_random() % 99) + 3;
    return t->thirds ? encode(n, 1.0 / (next_random() & 1 ? divisor : -divisor)) : small_element(n);
}

struct matrices {
    double a[32][128], b[128][32], c[32][32];
};
static void fill(const struct test *t, struct kernel_run *k, struct matrices *x)
{
    for (int i = 0; i < t->k; i++) {
        for (int r = 0; r < t->m; r++) {
            uint64_t bits = element(t, t->a);
            put(k->host[0], bit_at(t, LOAD_A, r, i), t->a, bits);
            x->a[r][i] = decode(t->a, bits);
        }
        for (int c = 0; c < t->n; c++) {
            uint64_t bits = element(t, t->a);
            put(k->host[1], bit_at(t, LOAD_B, i, c), t->a, bits);
            x->b[i][c] = decode(t->a, bits);
        }
    }
    for (int r = 0; r < t->m; r++)
        for (int c = 0; c < t->n; c++) {
            uint64_t bits = element(t, t->c);
            put(k->host[2], bit_at(t, LOAD_C, r, c), t->c, bits);
            x->c[r][c] = decode(t->c, bits);
        }
}

/* All but f64 are exact in any order. */
static double plain_sum(const struct test *t, const struct matrices *x, int r, int c)
{
    volatile double sum = x->c[r][c] * (t->between ? t->factor : 1);
    fesetround(t->rounding);
    for (int i = 0; i < t->k; i++) {
        double p = x->a[r][i], q = x->b[i][c];
        sum = t->a != B1 ? fma(p, q, sum) : sum + (t->both ? p * q : p != q);
    }
    fesetround(FE_TONEAREST);
    return sum;
}
static double clamped(double sum) { return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum; }

static void check(const struct test *t)
{
    static struct matrices x;
    struct kernel_run k;
    char *text = kernel_text(t);
    bool clamp = t->spelled[PRODUCT] && strstr(t->spelled[PRODUCT], ".satfinite");
    open_kernel(&k, "sm_80", text, 4, BYTES);
    fill(t, &k, &x);
    cr_assert(launch_kernel(&k, 1, LANES), "%s\n%s", k.err.text, text);
    for (int r = 0; r < t->m; r++)
        for (int c = 0; c < t->n; c++) {
            double sum = plain_sum(t, &x, r, c);
            sum = clamp ? clamped(sum) : sum;
            uint64_t want = t->d == S32 ? (uint32_t)(int64_t)sum : encode(t->d, sum);
            uint64_t got = get(k.host[3], bit_at(t, STORE_D, r, c), t->d);
            got = t->d != S32 && got == 1ull << (number_bits(t->d) - 1) ? 0 : got;
            cr_assert_eq(got, want, "row %d column %d: %#lx, not %#lx\n%s", r, c, got, want, text);
        }
    free(text);
    close_kernel(&k);
}

/* ---- every form -------------------------------------------------------------------------------------------------- */

/* A's and C's types in a product of this shape, of which one is known. */
static enum number input_of(const struct test *t, enum number result)
{
    if (t->k == 16)
        return result == S32 ? S8 : F16;
    return t->k == 8 ? TF32 : t->k == 4 ? F64 : t->k == 32 ? S4 : B1;
}
static enum number result_of(enum number input)
{
    return input == F16 || input == BF16 || input == TF32 ? F32 : input == F64 ? F64 : S32;
}

static void take_types(struct test *t, const struct spelling *s, enum stage stage)
{
    if (stage == PRODUCT) {
        t->d = s->types[0];
        t->a = s->type_count == 4 ? s->types[1] : F16;
        t->c = s->types[s->type_count - 1];
        return;
    }
    cr_assert_eq(s->type_count, 1, "%s", s->text);
    bool is_input = stage == LOAD_A || stage == LOAD_B;
    t->a = is_input ? s->types[0] : input_of(t, s->types[0]);
    t->c = t->d = is_input ? result_of(t->a) : s->types[0];
}
static enum stage stage_of(const struct spelling *s)
{
    static const char *const words[] = {"a", "b", "c", NULL, "d"};
    for (enum stage i = 0; i < STAGES; i++)
        if (words[i] && spelling_has(s, words[i]))
            return i;
    return PRODUCT;
}

static void check_rounds(const struct spelling *s, int rounds)
{
    enum stage stage = stage_of(s);
    for (int round = 0; round < rounds; round++) {
        struct test t = {.m = s->m, .n = s->n, .k = s->k};
        t.spelled[stage] = s->text;
        t.both = spelling_has(s, "and");
        t.rounding = spelling_has(s, "rz")   ? FE_TOWARDZERO
                     : spelling_has(s, "rm") ? FE_DOWNWARD
                     : spelling_has(s, "rp") ? FE_UPWARD
                                             : FE_TONEAREST;
        take_types(&t, s, stage);
        bool narrow = number_bits(t.a) < 8; /* A by rows and B by columns only */
        t.thirds = t.a == F64;
        for (enum stage i = 0; i < STAGES; i++)
            t.columns[i] = narrow && i != LOAD_C && i != STORE_D ? i == LOAD_B : next_random() & 1;
        if (stage == PRODUCT) {
            t.columns[LOAD_A] = spelling_columns(s, 0);
            t.columns[LOAD_B] = spelling_columns(s, 1);
        } else
            t.columns[stage] = spelling_columns(s, 0);
        t.pad = round & 1 ? (narrow ? 128 : 16) : 0;
        check(&t);
    }
}
static void check_form(const struct spelling *s) { check_rounds(s, 4); }
Test(wmma, every_form) { each_spelling("wmma", check_form); }

/* Not of sm_90, where generic addresses of shared memory begin in another place. Products have matrices in all spaces.
 */
static void check_once(const struct spelling *s)
{
    if (stage_of(s) == PRODUCT || spelling_has(s, "shared"))
        check_rounds(s, 1);
}
Test(wmma, as_machine_code) { compare_machine_code("sm_70 sm_75 sm_80", "wmma", check_once); }

/* What CUDA's fragments are for beside the product: each element of C times a factor. */
Test(wmma, element_by_element)
{
    static const char scale[] =
        "mov.f32 %factor, 0f40400000;\nmul.f32 %c0, %c0, %factor; mul.f32 %c1, %c1, %factor; "
        "mul.f32 %c2, %c2, %factor; mul.f32 %c3, %c3, %factor; mul.f32 %c4, %c4, %factor; mul.f32 "
        "%c5, %c5, %factor; mul.f32 %c6, %c6, %factor; mul.f32 %c7, %c7, %factor;";
    static const struct {
        int m, n, k;
        enum number a, d;
    } forms[] = {{16, 16, 16, F16, F32}, {16, 16, 16, F16, F16},  {32, 8, 16, F16, F32},
                 {8, 32, 16, BF16, F32}, {16, 16, 16, BF16, F32}, {16, 16, 8, TF32, F32}};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct test t = {forms[i].m, forms[i].n, forms[i].k, .a = forms[i].a, .c = F32, .d = forms[i].d};
        t.columns[LOAD_B] = true;
        t.pad = 8;
        t.between = scale;
        t.factor = 3;
        check(&t);
    }
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
