/* Damaged files: an error or a cubin, never a crash; run under AddressSanitizer by make asan. */
#include <string.h>

#include "frontend/module/fatbin.h"
#include "tests/unit/cubin/golden.h"

static void try(const uint8_t *bytes, size_t size)
{
    struct rp_error err = {0};
    uint8_t *exact = malloc(size ? size : 1); /* so that a read behind the end shows */
    memcpy(exact, bytes, size);
    struct cubin *c = cubin_load("damaged", exact, size, &err);
    if (fatbin_is(exact, size))
        fatbin_free(fatbin_load("damaged", exact, size, &err));
    free(exact);
    if (!c)
        cr_expect(!strncmp(err.text, "damaged: ", 9), "%s", err.text);
    struct cubin_addresses a = {0};
    if (c)
        cubin_link(c, &a, &err);
    cubin_free(c);
}

static void cut(const char *name)
{
    size_t size;
    uint8_t *bytes = golden(name, &size);
    for (size_t n = 0; n < size; n += 13)
        try(bytes, n);
    free(bytes);
}
Test(damage, cut_short) { cut("module.cubin"); }
Test(damage, cut_short_32_bit) { cut("32-bit.cubin"); }
/* What clang makes of a variable, with tests/golden/fatbin/zstd.fatbin in it. */
Test(damage, cut_short_of_the_host) { cut("host.o"); }

static void flip(const char *name)
{
    size_t size;
    uint8_t *bytes = golden(name, &size), *copy = malloc(size);
    uint32_t state = 12345;
    for (unsigned i = 0; i < 3000; i++) {
        memcpy(copy, bytes, size);
        for (unsigned k = 0; k <= i % 4; k++) {
            state = state * 1664525 + 1013904223;
            copy[(uint64_t)(state >> 4) % size] ^= 1 << (state & 7);
        }
        try(copy, size);
    }
    free(copy);
    free(bytes);
}
Test(damage, flipped_bits) { flip("module.cubin"); }
Test(damage, flipped_bits_12_9) { flip("module-12.9.cubin"); }
Test(damage, flipped_bits_of_an_object) { flip("object.cubin"); }
Test(damage, flipped_bits_32_bit) { flip("32-bit.cubin"); }
Test(damage, flipped_bits_of_the_host) { flip("host.o"); }
/* The debugging information of tests/cli/lines.sh in DWARF 5; gcc's with -fdebug-prefix-map. */
Test(damage, flipped_bits_of_dwarf_5)
{
    flip("dwarf-5-clang.cubin");
    flip("dwarf-5-gcc.cubin");
}
Test(damage, flipped_bits_where_functions_have_sections) { flip("functions.cubin"); }

/* Every 32-bit word of the section headers set to extreme values in turn. */
static void extreme(const char *name)
{
    size_t size;
    uint8_t *bytes = golden(name, &size), *copy = malloc(size);
    uint64_t table;
    memcpy(&table, bytes + 40, 8);
    static const uint32_t extremes[] = {0, 1, 0x7fffffff, 0xffffffff};
    for (size_t at = table; at + 4 <= size; at += 4)
        for (unsigned e = 0; e < 4; e++) {
            memcpy(copy, bytes, size);
            memcpy(copy + at, &extremes[e], 4);
            try(copy, size);
        }
    free(copy);
    free(bytes);
}
Test(damage, extreme_section_headers) { extreme("module.cubin"); }
Test(damage, extreme_headers_of_the_host) { extreme("host.o"); }
Test(damage, extreme_headers_of_functions) { extreme("functions.cubin"); }
