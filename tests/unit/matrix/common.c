#include "common.h"

#include "machine_code.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t next_random(void)
{
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

void open_kernel(struct kernel_run *k, const char *target, const char *body, unsigned buffers, uint64_t bytes)
{
    char *text;
    *k = (struct kernel_run){.body = strdup(body), .buffers = buffers, .bytes = bytes};
    cr_assert_gt(asprintf(&text, ".version 8.6\n.target %s\n.address_size 64\n%s", target, body), 0);
    struct module *m = ptx_load_text("test.ptx", text, strlen(text), 0, &k->err);
    cr_assert(m, "%s\n%s", k->err.text, text);
    free(text);
    cr_assert(k->device = rp_device_new(&k->err));
    cr_assert(rp_device_adopt(k->device, m, &k->err));
    cr_assert(k->program = module_find(m, NULL, &k->err), "%s", k->err.text);
    for (unsigned i = 0; i < buffers; i++) {
        k->params[i] = rp_alloc(k->device, bytes, "buffer", &k->err);
        cr_assert(k->host[i] = rp_host(k->device, k->params[i], bytes));
    }
}

bool launch_kernel(struct kernel_run *k, unsigned grid, unsigned block)
{
    const struct rp_launch_config config = {
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = k->params, .threads = 1};
    note_inputs(k, grid, block);
    if (!rp_launch_kernel(k->device, k->program, &config, &k->result, &k->err))
        return false;
    note_outputs(k);
    return true;
}

void close_kernel(struct kernel_run *k)
{
    free(k->body);
    rp_device_free(k->device);
}

const char *refusal(const char *target, const char *instructions)
{
    static char message[sizeof((struct rp_error *)0)->text];
    char *text;
    struct rp_error err = {0};
    cr_assert_gt(asprintf(&text,
                          ".version 8.6 .target %s .address_size 64\n.visible .entry k() {\n.reg .pred %%p<9>; .reg "
                          ".b32 %%r<99>; .reg .f32 %%f<99>; .reg .b64 %%d<99>; .reg .f64 %%g<99>;\n%s\nret; }",
                          target, instructions),
                 0);
    struct module *m = ptx_load_text("test.ptx", text, strlen(text), 0, &err);
    bool taken = m && module_find(m, NULL, &err);
    if (m)
        module_free(m);
    free(text);
    cr_assert(!taken, "not refused: %s", instructions);
    cr_assert_eq(strncmp(err.text, "test.ptx:4:", 11), 0, "%s", err.text);
    memcpy(message, err.text, sizeof message);
    return message;
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static const char *load_type(char kind) { return kind == 'd' ? "f64" : kind == 'f' ? "f32" : "b32"; }

static void name_registers(FILE *f, char name, const struct fragment *x)
{
    fprintf(f, "{");
    for (unsigned i = 0; i < x->count; i++)
        fprintf(f, "%s%%%c%u", i ? ", " : "", name, i);
    fprintf(f, "}");
}

/* Registers of operand `which` lie at 8 × (32 × (32 × which + register) + lane) bytes. */
static void move_fragment(FILE *f, char name, unsigned which, const struct fragment *x, bool load)
{
    for (unsigned i = 0; i < x->count; i++) {
        unsigned at = 8 * LANES * (MAX_REGISTERS * which + i);
        if (load)
            fprintf(f, "ld.global.%s %%%c%u, [%%address+%u];\n", load_type(x->kind), name, i, at);
        else
            fprintf(f, "st.global.%s [%%address+%u], %%%c%u;\n", load_type(x->kind), at, name, i);
    }
}

/* What comes behind the operands. */
static void name_metadata(FILE *f, const struct metadata *e)
{
    if (e)
        fprintf(f, ", %%e, %d", e->selector);
}

void run_instruction(const char *spelling, struct fragment *d, const struct fragment *a, const struct fragment *b,
                     const struct fragment *c, const struct metadata *e)
{
    const struct fragment *all[] = {d, a, b, c};
    enum { OPERANDS = sizeof all / sizeof *all };
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, ".visible .entry k(.param .u64 p) {\n.reg .b64 %%address; .reg .b32 %%lane, %%e;\n");
    for (unsigned i = 0; i < OPERANDS; i++)
        fprintf(f, ".reg .%s %%%c<%u>;\n", load_type(all[i]->kind), "dabc"[i], all[i] -> count);
    fprintf(f,
            "ld.param.u64 %%address, [p];\nmov.u32 %%lane, %%laneid;\n"
            "mad.wide.u32 %%address, %%lane, 8, %%address;\n"
            "ld.global.u32 %%e, [%%address+%u];\n",
            8 * LANES * MAX_REGISTERS * OPERANDS);
    for (unsigned i = 1; i < OPERANDS; i++)
        move_fragment(f, "dabc"[i], i, all[i], true);
    fprintf(f, "%s ", spelling);
    for (unsigned i = 0; i < OPERANDS; i++) {
        fprintf(f, i ? ", " : "");
        name_registers(f, "dabc"[i], all[i]);
    }
    name_metadata(f, e);
    fprintf(f, ";\n");
    move_fragment(f, 'd', 0, d, false);
    fprintf(f, "ret;\n}\n");
    fclose(f);
    struct kernel_run k;
    open_kernel(&k, "sm_90a", text, 1, (OPERANDS + 1) * sizeof d->bits);
    free(text);
    uint64_t(*host)[MAX_REGISTERS][LANES] = k.host[0];
    for (unsigned i = 1; i < OPERANDS; i++)
        memcpy(host[i], all[i]->bits, sizeof d->bits);
    for (unsigned l = 0; e && l < LANES; l++)
        host[OPERANDS][0][l] = e->word[l];
    cr_assert(launch_kernel(&k, 1, LANES), "%s: %s", spelling, k.err.text);
    memcpy(d->bits, host[0], sizeof d->bits);
    close_kernel(&k);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned bits, exponent, fraction; /* floats */
} numbers[] = {
    [F16] = {"f16", 16, 5, 10},  [BF16] = {"bf16", 16, 8, 7}, [TF32] = {"tf32", 32, 8, 23}, [F32] = {"f32", 32, 8, 23},
    [F64] = {"f64", 64, 11, 52}, [E4M3] = {"e4m3", 8, 4, 3},  [E5M2] = {"e5m2", 8, 5, 2},   [S8] = {"s8", 8, 0, 0},
    [U8] = {"u8", 8, 0, 0},      [S4] = {"s4", 4, 0, 0},      [U4] = {"u4", 4, 0, 0},       [B1] = {"b1", 1, 0, 0},
    [S32] = {"s32", 32, 0, 0},
};

unsigned number_bits(enum number n) { return numbers[n].bits; }
const char *number_name(enum number n) { return numbers[n].name; }
char register_kind(enum number n) { return n == F64 ? 'd' : n == F32 ? 'f' : 'r'; }

double decode(enum number n, uint64_t bits)
{
    unsigned e = numbers[n].exponent, f = numbers[n].fraction;
    if (!e) {
        bool is_signed = n == S8 || n == S4 || n == S32;
        double v = (double)bits;
        return is_signed && bits >> (numbers[n].bits - 1) & 1 ? v - ldexp(1, (int)numbers[n].bits) : v;
    }
    if (n == TF32)
        bits &= ~0x1fffull;
    uint64_t fraction = bits & ((1ull << f) - 1), exponent = bits >> f & ((1u << e) - 1), most = (1u << e) - 1;
    int bias = (1 << (e - 1)) - 1;
    double sign = bits >> (e + f) & 1 ? -1 : 1;
    if (n == E4M3 && (bits & 0x7f) == 0x7f)
        return NAN;
    if (n != E4M3 && exponent == most)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp((double)fraction, 1 - bias - (int)f);
    return sign * ldexp((double)(fraction | 1ull << f), (int)exponent - bias - (int)f);
}

/* Of a float of 16 bits or less: sign, exponent and fraction put together. */
static uint64_t encode_small(enum number n, double value)
{
    unsigned e = numbers[n].exponent, f = numbers[n].fraction;
    int bias = (1 << (e - 1)) - 1, exponent;
    frexp(value, &exponent);
    int unit = exponent - 1 < 1 - bias ? 1 - bias - (int)f : exponent - 1 - (int)f;
    uint64_t scaled = (uint64_t)ldexp(fabs(value), -unit), sign = signbit(value) ? 1ull << (e + f) : 0;
    return sign | (scaled + (value == 0 ? 0 : (uint64_t)(unit + (int)f + bias - 1) << f));
}

uint64_t encode(enum number n, double value)
{
    uint64_t r = 0;
    float single = (float)value;
    if (!numbers[n].exponent)
        r = (uint64_t)(int64_t)value & ((1ull << numbers[n].bits) - 1);
    else if (numbers[n].bits <= 16)
        r = encode_small(n, value);
    else if (n == F64)
        memcpy(&r, &value, 8);
    else
        memcpy(&r, &single, 4);
    cr_assert(decode(n, r) == value, "%s has no %g", numbers[n].name, value);
    return r;
}

uint64_t rounded(enum number n, long double value)
{
    if (isnan(value))
        return n == F16 ? 0x7fff : n == F32 ? 0x7fffffff : 0xfff8000000000000;
    if (n == F32)
        return isinf((float)value) ? (value < 0 ? 0xff800000 : 0x7f800000) : encode(F32, (double)(float)value);
    if (n == F64)
        return encode(F64, (double)value);
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    long double magnitude = fabsl(value);
    if (magnitude >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexpl(magnitude, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    long double scaled = rintl(ldexpl(magnitude, -unit)); /* to even */
    return sign | encode(F16, (double)ldexpl(scaled, unit));
}
