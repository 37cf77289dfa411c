#include "tests/unit/ptx_forms/batch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"

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

bool batch_launch(struct batch *b, struct program *p, const struct spelled *s, unsigned blocks, const void *params)
{
    struct rp_launch_config config = {
        .grid = {blocks, 1, 1}, .block = {BATCH_LANES, 1, 1}, .params = params, .threads = 1, .limit = 100000};
    struct rp_launch_result result;
    struct rp_error err;
    bool fine = rp_launch_kernel(b->device, p, &config, &result, &err);
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
