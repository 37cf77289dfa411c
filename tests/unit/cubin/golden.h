/* Files of tests/golden/cubin for the loader's tests. */
#ifndef REPRISE_TESTS_UNIT_CUBIN_GOLDEN_H
#define REPRISE_TESTS_UNIT_CUBIN_GOLDEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "frontend/module/cubin.h"

static inline uint8_t *golden(const char *name, size_t *size)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/cubin/%s", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static inline struct cubin *load_golden(const char *name)
{
    size_t size;
    struct rp_error err = {0};
    uint8_t *bytes = golden(name, &size);
    struct cubin *c = cubin_load(name, bytes, size, &err);
    free(bytes);
    cr_assert(c, "%s", err.text);
    return c;
}

#endif
