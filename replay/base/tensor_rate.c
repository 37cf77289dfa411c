#include "replay/base/tensor_rate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PART 24 /* characters of an opcode between two points */

struct found {
    unsigned m, n, k;
    char types[2][8]; /* PTX: of the accumulator, of the first factor */
    unsigned type_count;
    bool sparse, step;
};

/* Shapes as machine code writes them: m, n and k without separators. */
static const struct {
    const char *digits;
    uint16_t m, n, k;
} shapes[] = {{"884", 8, 8, 4},     {"1684", 16, 8, 4},     {"1688", 16, 8, 8},    {"16816", 16, 8, 16},
              {"16832", 16, 8, 32}, {"16864", 16, 8, 64},   {"8816", 8, 8, 16},    {"8832", 8, 8, 32},
              {"88128", 8, 8, 128}, {"168128", 16, 8, 128}, {"168256", 16, 8, 256}};

static const struct {
    const char *name;
    enum tensor_format format;
} types[] = {{"f16", TENSOR_F16}, {"bf16", TENSOR_F32}, {"f32", TENSOR_F32}, {"tf32", TENSOR_TF32},
             {"f64", TENSOR_F64}, {"e4m3", TENSOR_F8},  {"e5m2", TENSOR_F8}, {"e3m2", TENSOR_F8},
             {"e2m3", TENSOR_F8}, {"e2m1", TENSOR_F8},  {"s8", TENSOR_S8},   {"u8", TENSOR_S8},
             {"s4", TENSOR_S4},   {"u4", TENSOR_S4},    {"b1", TENSOR_B1},   {"s32", TENSOR_FORMATS}};

static int type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return types[i].format;
    return -1;
}

/* m, n and k are at most 256 (PTX ISA, "Matrix Shape"); longer numbers are no shape. */
static bool take_shape(struct found *f, const char *part)
{
    unsigned m, n, k;
    int end = 0;
    bool ptx = sscanf(part, "m%4un%4uk%4u%n", &m, &n, &k, &end) == 3 && !part[end];
    if (ptx || (sscanf(part, "%4ux%4ux%4u%n", &m, &n, &k, &end) == 3 && !part[end])) {
        f->m = m, f->n = n, f->k = k;
        return true;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shapes[i].digits, part)) {
            f->m = shapes[i].m, f->n = shapes[i].n, f->k = shapes[i].k;
            return true;
        }
    return false;
}

static void take_part(struct found *f, const char *part)
{
    if (take_shape(f, part))
        return;
    f->sparse |= !strcmp(part, "sp") || !strncmp(part, "sp::", 4);
    f->step |= !strncmp(part, "step", 4);
    if (type_of(part) >= 0 && f->type_count < 2)
        strcpy(f->types[f->type_count++], part); /* fits: as long as the longest name of the table */
}

/* PTX names the type of the accumulator first, then those of the factors; wmma on f16 names those of both accumulators
 * only (PTX ISA, "wmma.mma"). */
static enum tensor_format format_of_ptx(const struct found *f)
{
    int sum = f->type_count ? type_of(f->types[0]) : -1, factor = f->type_count > 1 ? type_of(f->types[1]) : -1;
    bool halves = factor == TENSOR_F16 || factor == TENSOR_F32;
    return factor < 0 ? TENSOR_FORMATS : halves && sum == TENSOR_F32 ? TENSOR_F32 : (enum tensor_format)factor;
}

/* HMMA and HGMMA multiply f16 unless the opcode says otherwise, and accumulate in f16 unless it says F32. */
static enum tensor_format format_of_sass(const struct found *f, char letter)
{
    enum tensor_format format = letter == 'h'   ? TENSOR_F16
                                : letter == 'i' ? TENSOR_S8
                                : letter == 'd' ? TENSOR_F64
                                : letter == 'b' ? TENSOR_B1
                                : letter == 'q' ? TENSOR_F8
                                                : TENSOR_FORMATS;
    for (unsigned i = 0; i < f->type_count; i++) {
        int type = type_of(f->types[i]);
        if ((letter == 'h' && (type == TENSOR_TF32 || (type == TENSOR_F32 && format != TENSOR_TF32))) ||
            (letter == 'i' && type == TENSOR_S4))
            format = (enum tensor_format)type;
    }
    return format;
}

bool tensor_product_of(const char *text, struct tensor_product *out)
{
    struct found f = {0};
    char part[LONGEST_PART], first[LONGEST_PART] = "";
    if (*text == '@') /* a guard */
        text += strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
    for (const char *at = text; *at && !isspace((unsigned char)*at) && *at != ';';) {
        size_t n = strcspn(at, ". \t;");
        for (size_t i = 0; i < n && i + 1 < sizeof part; i++)
            part[i] = (char)tolower((unsigned char)at[i]);
        part[n < sizeof part ? n : sizeof part - 1] = 0;
        if (*first)
            take_part(&f, part);
        else
            memcpy(first, part, sizeof part);
        at += n + (at[n] == '.');
    }
    const char *mma = strstr(first, "mma");
    bool ptx = !strcmp(first, "mma") || !strcmp(first, "wmma") || !strcmp(first, "wgmma");
    if (!mma || !f.k || f.step)
        return false;
    out->format = ptx ? format_of_ptx(&f) : format_of_sass(&f, *first);
    out->group = mma > first && mma[-1] == 'g';
    out->products = (uint64_t)f.m * f.n * f.k / (out->group ? 4 : 1) / (f.sparse ? 2 : 1);
    if (ptx && f.m == 8 && f.n == 8 && f.k == 4 && out->format != TENSOR_F64)
        out->products *= 4;
    return out->format < TENSOR_FORMATS && out->products;
}

uint32_t tensor_initiation(const struct machine *m, const char *text, uint32_t otherwise)
{
    const int64_t rates[TENSOR_FORMATS] = {m->tensor_f16, m->tensor_f32, m->tensor_tf32, m->tensor_f64,
                                           m->tensor_f8,  m->tensor_s8,  m->tensor_s4,   m->tensor_b1};
    struct tensor_product p;
    if (!tensor_product_of(text, &p) || !rates[p.format])
        return otherwise;
    uint64_t of_hundred = (uint64_t)rates[p.format] * (p.group ? 100 : (uint64_t)m->tensor_warp);
    return (uint32_t)((p.products * 100 + of_hundred - 1) / of_hundred);
}
