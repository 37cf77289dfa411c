#include "tests/unit/ptx_forms/batch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/unit/ptx_forms/reference.h"

enum { BATCH_KERNELS = 200, BATCH_TEXT = 2 << 20 };

struct batch {
    const struct batch_of *of;
    struct spelled forms[BATCH_KERNELS]; /* of each kernel */
    unsigned count;
    char *text;
    size_t length;
    unsigned checked, refused; /* forms, in all batches */
    uint64_t random;
    struct rp_device *device;
};

static void run_kernel(struct batch *b, struct module *m, unsigned i)
{
    const struct spelled *s = &b->forms[i];
    struct rp_error err;
    char name[20];
    snprintf(name, sizeof name, "k%u", i);
    struct program *p = module_find(m, name, &err);
    if (b->of->refused)
        cr_expect(b->of->refused(s) == !p, "%s: %s", s->text, p ? "is taken" : err.text);
    else /* why is for the tests that make docs/ptx.md, but it must not be that something is yet to be written */
        cr_expect(p || !strstr(err.text, "is not covered yet"), "%s", err.text);
    if (p)
        b->of->compare(b, p, s);
    p ? b->checked++ : b->refused++;
}

static void run_batch(struct batch *b)
{
    struct rp_error err;
    if (!b->count)
        return;
    b->device = rp_device_new(&err);
    struct module *m = ptx_load_text("forms.ptx", b->text, b->length, 0, &err);
    cr_assert(b->device && m, "%s", err.text);
    cr_assert(rp_device_adopt(b->device, m, &err), "%s", err.text);
    for (unsigned i = 0; i < b->count; i++)
        run_kernel(b, m, i);
    rp_device_free(b->device);
    b->count = 0;
}

void batch_add(const struct spelled *s, void *batch)
{
    struct batch *b = batch;
    if (!b->count)
        b->length = (size_t)snprintf(b->text, BATCH_TEXT, "%s", b->of->head ? b->of->head : BATCH_HEAD);
    b->forms[b->count] = *s;
    b->length += b->of->print(b->text + b->length, BATCH_TEXT - b->length, s, b->count);
    cr_assert_lt(b->length, (size_t)BATCH_TEXT);
    if (++b->count == BATCH_KERNELS)
        run_batch(b);
}

static void run_row(const struct ptx_form *f, void *batch)
{
    struct batch *b = batch;
    unsigned before = b->checked;
    if (!b->of->chosen(f))
        return;
    walk_row(f, true, b->of->add ? b->of->add : batch_add, b);
    run_batch(b);
    cr_expect_gt(b->checked, before, "no form of a row of '%s' runs", f->opcode);
}

void batch_every_form(const struct batch_of *of)
{
    struct batch *b = calloc(1, sizeof *b);
    b->text = malloc(BATCH_TEXT);
    b->of = of;
    b->random = 2026;
    walk_rows(run_row, b);
    fprintf(stderr, "# %u forms of %s agree with their model, %u are refused\n", b->checked, of->what, b->refused);
    cr_expect_geq(b->checked, of->at_least);
    free(b->text);
    free(b);
}

bool batch_try(struct batch *b, struct program *p, unsigned blocks, const void *params, struct rp_launch_result *result,
               struct rp_error *err)
{
    struct rp_launch_config config = {.grid = {blocks, 1, 1},
                                      .block = {b->of->threads ? b->of->threads : BATCH_LANES, 1, 1},
                                      .params = params,
                                      .threads = 1,
                                      .limit = 100000};
    return rp_launch_kernel(b->device, p, &config, result, err);
}

bool batch_launch(struct batch *b, struct program *p, const struct spelled *s, unsigned blocks, const void *params)
{
    struct rp_launch_result result;
    struct rp_error err;
    bool fine = batch_try(b, p, blocks, params, &result, &err);
    cr_expect(fine, "%s: %s", s->text, err.text);
    return fine;
}

void *batch_memory(struct batch *b, size_t bytes, uint64_t *address)
{
    struct rp_error err;
    *address = rp_alloc(b->device, bytes, "test", &err);
    return rp_host(b->device, *address, bytes);
}

/* SplitMix64. */
uint64_t batch_random(struct batch *b)
{
    uint64_t z = b->random += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

void batch_numbers(struct batch *b, uint8_t *to, size_t bytes, unsigned width)
{
    static const uint64_t c16[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00,
                                   0x7e00, 0x3c00, 0xbc00, 0x7bff, 0x7f80, 0xff81},
                          c32[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x80800001, 0x3f800000, 0x7f7fffff},
                          c64[] = {0,
                                   1,
                                   1ull << 63,
                                   ~0ull >> 1,
                                   ~0ull,
                                   0x7ffull << 52,
                                   0xfffull << 52,
                                   0x7ff8ull << 48,
                                   0xfffffffffffff,
                                   0x3ffull << 52,
                                   0xbffull << 52,
                                   1ull << 32,
                                   0xffffffff};
    for (size_t i = 0; i < bytes; i += width) {
        uint64_t r = batch_random(b), x = batch_random(b);
        if (r % 2)
            x = width == 2   ? c16[r / 2 % (sizeof c16 / 8)]
                : width == 4 ? c32[r / 2 % (sizeof c32 / 8)]
                             : c64[r / 2 % (sizeof c64 / 8)];
        memcpy(to + i, &x, width);
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

const char *batch_register_class(enum ptx_type t)
{
    unsigned bits = bits_of(t);
    return t == PT_PRED ? "p" : bits <= 16 ? "h" : bits == 32 ? "r" : bits == 64 ? "d" : "q";
}

/* The address of a tensor map, and coordinates. */
static size_t tensor_operand(char *to, size_t size, const struct spelled *s)
{
    size_t n = (size_t)snprintf(to, size, "[%%d1, {");
    unsigned rank = (unsigned)mods_value(&s->mods, G_GEOMETRY, 1);
    for (unsigned d = 0; d < rank; d++)
        n += (size_t)snprintf(to + n, size - n, "%s%%r%u", d ? ", " : "", d);
    return n + (size_t)snprintf(to + n, size - n, "}]");
}

/* A number that instructions of this kind take. */
static const char *immediate(const struct ptx_form *f)
{
    switch (f->lowering) {
    case LOW_COPY: return "16";
    case LOW_MAP_COPY:
    case LOW_FENCE:
    case LOW_PREFETCH: return "128";
    case LOW_MAP_FIELD:
    case LOW_GROUP: return "0";
    default: return strcmp(f->opcode, "setmaxnreg") == 0 ? "24" : "8";
    }
}

size_t batch_operands(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    *to = 0;
    bool tensor = mods_have(&s->mods, M_TENSOR); /* the first operand of kind x then */
    unsigned elements = (unsigned)mods_value(&s->mods, G_VECTOR, 1);
    bool shared = mods_value(&s->mods, G_SPACE, RP_SPACE_GLOBAL) != RP_SPACE_GLOBAL;
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        enum ptx_type t = ptx_operand_type(o, &s->mods);
        const char *class = t == PT_NONE ? "d" : batch_register_class(t);
        n += (size_t)snprintf(to + n, size - n, "%s", i ? ", " : " ");
        if (o->role == 'm')
            n += (size_t)snprintf(to + n, size - n, shared ? "[%%r1]" : "[%%d1]");
        else if (o->role == 'i')
            n += (size_t)snprintf(to + n, size - n, "%s", immediate(s->form));
        else if (o->role == 'q')
            n += (size_t)snprintf(to + n, size - n, "%%p1");
        else if (o->role == 'x' && tensor) {
            n += tensor_operand(to + n, size - n, s);
            tensor = false;
        } else if (o->role == 'x')
            n += (size_t)snprintf(to + n, size - n, "%%d3");
        else if (o->typing == 'v' && elements > 1)
            for (unsigned e = 0; e < elements; e++)
                n += (size_t)snprintf(to + n, size - n, "%s%%%s%u%s", e ? "," : "{", class, e,
                                      e + 1 < elements ? "" : "}");
        else
            n += (size_t)snprintf(to + n, size - n, s->form->op == OP_ELECT && i == 0 ? "%%%s2|%%p2" : "%%%s2", class);
    }
    return n;
}
