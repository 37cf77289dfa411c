/* mma.m8n8k4 of f16: four products at once, as the formulas of PTX ISA "Matrix Fragments for mma.m8n8k4 with .f16
 * floating point type" lay them out. */
#include <criterion/criterion.h>

#include "machine_code.h"

static int product_of(int lane) { return lane % 16 / 4; }
static int source_row(int lane, int i, bool columns)
{
    if (columns)
        return i % 4 + (lane < 16 ? 0 : 4);
    return lane % 4 + (lane < 16 ? 0 : 4);
}
static int source_k(int lane, int i, bool columns) { return columns ? lane % 4 : i; }
static void result_place(enum number n, int lane, int i, int *row, int *column)
{
    if (n == F16) {
        *row = lane % 4 + (lane < 16 ? 0 : 4);
        *column = i;
        return;
    }
    *row = (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
    *column = (i & 4) + (lane & 2) + (i & 1);
}

static double small(void) { return (int)(next_random() % 9) - 4; }

static void put(struct fragment *f, enum number n, int lane, int i, double value)
{
    if (n == F16)
        f->bits[i / 2][lane] |= encode(F16, value) << 16 * (i % 2);
    else
        f->bits[i][lane] = encode(F32, value);
}
static double take(const struct fragment *f, enum number n, int lane, int i)
{
    return n == F16 ? decode(F16, f->bits[i / 2][lane] >> 16 * (i % 2) & 0xffff) : decode(F32, f->bits[i][lane]);
}

static void check(const struct spelling *s)
{
    if (!spelling_is_quads(s))
        return;
    bool a_columns = spelling_columns(s, 0), b_rows = !spelling_columns(s, 1);
    enum number d_type = s->types[0], c_type = s->types[3];
    static struct fragment a, b, c, d;
    double va[4][8][4], vb[4][4][8], vc[4][8][8];
    a = (struct fragment){'r', 2, {{0}}}, b = a;
    c = (struct fragment){register_kind(c_type), c_type == F16 ? 4 : 8, {{0}}};
    d = (struct fragment){register_kind(d_type), d_type == F16 ? 4 : 8, {{0}}};
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < 4; i++) {
            put(&a, F16, l, i, va[product_of(l)][source_row(l, i, a_columns)][source_k(l, i, a_columns)] = small());
            put(&b, F16, l, i, vb[product_of(l)][source_k(l, i, b_rows)][source_row(l, i, b_rows)] = small());
        }
        for (int i = 0, row, column; i < 8; i++) {
            result_place(c_type, l, i, &row, &column);
            put(&c, c_type, l, i, vc[product_of(l)][row][column] = small());
        }
    }
    run_instruction(s->text, &d, &a, &b, &c, NULL);
    for (int l = 0; l < LANES; l++)
        for (int i = 0, row, column; i < 8; i++) {
            result_place(d_type, l, i, &row, &column);
            int q = product_of(l);
            double sum = vc[q][row][column];
            for (int k = 0; k < 4; k++)
                sum += va[q][row][k] * vb[q][k][column];
            cr_assert_eq(take(&d, d_type, l, i), sum, "%s: product %d row %d column %d", s->text, q, row, column);
        }
}

Test(quads, every_form) { each_spelling("mma", check); }
Test(quads, as_machine_code) { compare_machine_code("sm_70 sm_75 sm_80 sm_86 sm_89 sm_90a", "mma", check); }
