#include "tests/unit/ptx_forms/batch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/unit/ptx_forms/reference.h"

static void begin_text(struct batch *b)
{
    b->count = 0;
    b->length = (size_t)snprintf(b->text, BATCH_TEXT, "%s", b->head);
}

struct batch *batch_new(const char *head, uint64_t seed)
{
    struct batch *b = calloc(1, sizeof *b);
    b->text = malloc(BATCH_TEXT);
    b->head = head;
    b->random = seed;
    begin_text(b);
    return b;
}

void batch_free(struct batch *b, batch_compare_fn *compare)
{
    batch_run(b, compare);
    free(b->text);
    free(b);
}

void batch_add(struct batch *b, const struct spelled *s, batch_print_fn *print, batch_compare_fn *compare)
{
    b->forms[b->count] = *s;
    b->length += print(b->text + b->length, BATCH_TEXT - b->length, s, b->count);
    cr_assert_lt(b->length, (size_t)BATCH_TEXT);
    if (++b->count == BATCH_KERNELS)
        batch_run(b, compare);
}

/* A kernel that is refused is counted; why is for the tests that make docs/ptx.md, but it must not be that something is
 * yet to be written. */
void batch_run(struct batch *b, batch_compare_fn *compare)
{
    struct rp_error err;
    if (!b->count)
        return;
    b->device = rp_device_new(&err);
    struct module *m = ptx_load_text("forms.ptx", b->text, b->length, 0, &err);
    cr_assert(b->device && m, "%s", err.text);
    cr_assert(rp_device_adopt(b->device, m, &err), "%s", err.text);
    for (unsigned i = 0; i < b->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "k%u", i);
        struct program *p = module_find(m, name, &err);
        if (p) {
            compare(b, p, &b->forms[i]);
            b->checked++;
        } else {
            cr_expect(!strstr(err.text, "is not covered yet"), "%s", err.text);
            b->refused++;
        }
    }
    rp_device_free(b->device);
    begin_text(b);
}

bool batch_try(struct batch *b, struct program *p, unsigned blocks, const void *params, struct rp_launch_result *result,
               struct rp_error *err)
{
    struct rp_launch_config config = {.grid = {blocks, 1, 1},
                                      .block = {b->threads ? b->threads : BATCH_LANES, 1, 1},
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

void walk_rows(bool (*chosen)(const struct ptx_form *), bool each, void (*visit)(const struct spelled *, void *),
               void *data)
{
    const char *name;
    for (uint32_t i = 0; (name = ptx_opcode_name(i)); i++) {
        uint32_t count;
        const struct ptx_form *forms = ptx_opcode(name, (uint32_t)strlen(name), &count);
        for (uint32_t f = 0; f < count; f++)
            if (chosen(&forms[f]))
                walk_row(&forms[f], each, visit, data);
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
    default: return "8";
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
            n += (size_t)snprintf(to + n, size - n, "%%%s2", class);
    }
    return n;
}
