#include <string.h>
#include <zstd.h>

#include "frontend/core/program.h"
#include "frontend/module/fatbin.h"
#include "frontend/module/lz4.h"
#include "tests/unit/cubin/golden.h"

struct builder {
    uint8_t bytes[1 << 16];
    size_t size;
};

static void put(struct builder *b, size_t at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        b->bytes[at + i] = (uint8_t)(v >> (8 * i));
}

static void begin(struct builder *b)
{
    memset(b, 0, sizeof *b);
    put(b, 0, 0xBA55ED50, 4);
    put(b, 4, 1, 2);
    put(b, 6, 16, 2);
    b->size = 16;
}

/* flags 0: plain; the payload is padded to 8 bytes as in real files */
static void add(struct builder *b, unsigned kind, unsigned arch, unsigned flags, const void *bytes, size_t stored,
                size_t size)
{
    size_t at = b->size, padded = (stored + 7) / 8 * 8;
    put(b, at, kind, 2);
    put(b, at + 2, 0x0101, 2);
    put(b, at + 4, 0x40, 4);
    put(b, at + 8, padded, 8);
    put(b, at + 0x10, flags ? stored : 0, 4);
    put(b, at + 0x1c, arch, 4);
    put(b, at + 0x28, flags | 1, 8);
    put(b, at + 0x38, flags ? size : 0, 8);
    memcpy(b->bytes + at + 0x40, bytes, stored);
    b->size = at + 0x40 + padded;
    put(b, 8, b->size - 16, 8);
}

static const char ptx[] = ".version 5.0\n.target sm_62\n.address_size 64\n.address_size 64\n.address_size 64\n";

/* LZ4 by hand: 45 literals with the line in them, then matches at distance 17. */
static size_t lz4(uint8_t *out)
{
    size_t n = 0, head = strlen(".version 5.0\n.target sm_62\n.address_size 64\n");
    out[n++] = 0xff; /* 15 + more literals, match 15 + more */
    out[n++] = (uint8_t)(head - 15);
    memcpy(out + n, ptx, head);
    n += head;
    out[n++] = 17; /* distance: one line of ".address_size 64\n" */
    out[n++] = 0;
    out[n++] = (uint8_t)(34 - 5 - 4 - 15); /* all but the last five bytes, which are literals */
    out[n++] = 5 << 4;
    memcpy(out + n, ptx + strlen(ptx) - 5, 5);
    return n + 5;
}

Test(fatbin, plain_lz4_and_zstd_entries)
{
    static struct builder b;
    size_t cubin_size;
    uint8_t *cubin = golden("module.cubin", &cubin_size), packed[8192];
    begin(&b);
    add(&b, 2, 62, 0, cubin, cubin_size, 0);
    add(&b, 1, 62, 0x2000, packed, lz4(packed), strlen(ptx));
    size_t n = ZSTD_compress(packed, sizeof packed, cubin, cubin_size, 3);
    cr_assert_not(ZSTD_isError(n));
    add(&b, 2, 50, 0x8000, packed, n, cubin_size);
    add(&b, 1, 62, 0, ptx, sizeof ptx, 0);
    struct rp_error err = {0};
    cr_assert(fatbin_is(b.bytes, b.size));
    struct fatbin *fat = fatbin_load("x.fatbin", b.bytes, b.size, &err);
    cr_assert(fat, "%s", err.text);
    cr_assert_eq(fat->count, 4);
    for (unsigned i = 0; i < 4; i++) {
        struct fatbin_entry *e = &fat->entries[i];
        bool text = i & 1;
        cr_expect_null(e->bytes);
        cr_assert(fatbin_unpack(fat, e, &err), "%s", err.text);
        cr_expect_eq(e->kind, text ? FATBIN_PTX : FATBIN_CUBIN);
        cr_expect_eq(e->arch, i == 2 ? 50u : 62u);
        cr_expect(e->is_64);
        if (text)
            cr_expect_str_eq((char *)e->bytes, ptx);
        else
            cr_expect(e->size >= cubin_size && !memcmp(e->bytes, cubin, cubin_size));
    }
    fatbin_free(fat);
    free(cubin);
}

Test(fatbin, several_after_one_another)
{
    static struct builder a, b;
    begin(&a);
    begin(&b);
    add(&b, 1, 50, 0, ptx, sizeof ptx, 0);
    memcpy(a.bytes + a.size, b.bytes, b.size);
    struct rp_error err = {0};
    struct fatbin *fat = fatbin_load("x", a.bytes, a.size + b.size, &err);
    cr_assert(fat, "%s", err.text);
    cr_expect_eq(fat->count, 1);
    fatbin_free(fat);
}

/* A module's first kernel, "" for an error. */
static void first_kernel(const struct builder *b, char name[64], struct rp_error *err)
{
    struct module *m = module_load_bytes("x.fatbin", b->bytes, b->size, 0, err);
    snprintf(name, 64, "%s", m && m->program_count ? m->programs[0].name : "");
    module_free(m);
}

Test(fatbin, the_newest_machine_code_then_the_newest_ptx)
{
#define KERNEL(sm, name) ".version 5.0\n.target sm_" #sm "\n.address_size 64\n.visible .entry " name "() { ret; }\n"
    static const char old[] = KERNEL(50, "old"), recent[] = KERNEL(61, "recent");
    static struct builder b;
    size_t cubin_size;
    uint8_t *cubin = golden("module.cubin", &cubin_size);
    struct rp_error err = {0};
    char name[64];
    begin(&b);
    first_kernel(&b, name, &err);
    cr_expect(strstr(err.text, "neither PTX nor machine code"), "%s", err.text);
    add(&b, 2, 70, 0, cubin, cubin_size, 0); /* as its header says; such code is not executed */
    add(&b, 1, 50, 0, old, sizeof old, 0);
    first_kernel(&b, name, &err);
    cr_expect_str_eq(name, "old");
    add(&b, 1, 61, 0, recent, sizeof recent, 0);
    first_kernel(&b, name, &err);
    cr_expect_str_eq(name, "recent");
    add(&b, 2, 62, 0, cubin, cubin_size, 0);
    first_kernel(&b, name, &err);
    cr_expect(!strcmp(name, "first") || !strcmp(name, "second"), "%s", name);
    free(cubin);
}

static void try(const uint8_t *bytes, size_t size)
{
    struct rp_error err;
    struct fatbin *fat = fatbin_load("x", bytes, size, &err);
    for (uint32_t i = 0; fat && i < fat->count; i++)
        fatbin_unpack(fat, &fat->entries[i], &err);
    fatbin_free(fat);
}

Test(fatbin, damage)
{
    static struct builder b, copy;
    uint8_t packed[8192];
    begin(&b);
    add(&b, 1, 62, 0x2000, packed, lz4(packed), strlen(ptx));
    size_t n = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    add(&b, 1, 50, 0x8000, packed, n, sizeof ptx);
    struct rp_error err;
    for (size_t cut = 0; cut < b.size; cut++) {
        uint8_t *exact = malloc(cut ? cut : 1);
        memcpy(exact, b.bytes, cut);
        cr_expect_null(fatbin_load("x", exact, cut, &err), "cut at %zu", cut);
        free(exact);
    }
    uint32_t state = 1;
    for (unsigned i = 0; i < 5000; i++) {
        copy = b;
        for (unsigned k = 0; k <= i % 3; k++) {
            state = state * 1664525 + 1013904223;
            copy.bytes[(state >> 4) % b.size] ^= 1 << (state & 7);
        }
        try(copy.bytes, b.size);
    }
}

Test(lz4, what_is_no_block)
{
    static const struct {
        uint8_t bytes[8];
        size_t size;
    } wrong[] = {
        {{0x10}, 1},                 /* a literal that is not there */
        {{0xf0, 255}, 2},            /* a length without end */
        {{0x10, 'a', 0, 0}, 4},      /* distance 0 */
        {{0x10, 'a', 2, 0}, 4},      /* distance before the beginning */
        {{0x10, 'a', 1}, 3},         /* half a distance */
        {{0x1f, 'a', 1, 0, 200}, 5}, /* longer than the output */
        {{0x20, 'a', 'b'}, 3},       /* shorter than the output */
    };
    uint8_t out[16];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(lz4_block_decode(wrong[i].bytes, wrong[i].size, out, 16), "%zu", i);
    static const uint8_t good[] = {0x1b, 'a', 1, 0}; /* one a and 15 times the byte before */
    cr_expect(lz4_block_decode(good, sizeof good, out, 16));
    cr_expect_arr_eq(out, "aaaaaaaaaaaaaaaa", 16);
}
