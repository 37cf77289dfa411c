#include "tests/unit/ptx/support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module *load_body(const char *body)
{
    struct rp_error err = {0};
    size_t size = strlen(HEADER) + strlen(body);
    char *text = malloc(size + 1);
    cr_assert(text);
    snprintf(text, size + 1, "%s%s", HEADER, body);
    struct module *m = ptx_load_text("test.ptx", text, size, 0, &err);
    free(text);
    cr_assert(m, "%s", err.text);
    return m;
}

struct program *only_program(const char *body, struct module **module)
{
    struct rp_error err = {0};
    *module = load_body(body);
    struct program *p = module_find(*module, NULL, &err);
    cr_assert(p, "%s", err.text);
    return p;
}

void with_arena(void (*body)(struct arena *, void *), void *data)
{
    struct arena arena = {0};
    jmp_buf full;
    arena.out_of_memory = &full;
    cr_assert(setjmp(full) == 0, "out of memory");
    body(&arena, data);
    arena_free(&arena);
}

uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*state >> 33) % below);
}
