/* Bad bytes: every prefix of a sample, and random changes to it, load or are refused with a message. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

enum { MUTATIONS = 3000, MAX_SAMPLE = 1 << 17 };

static char *read_sample(const char *path, size_t *size)
{
    char *text = malloc(MAX_SAMPLE);
    FILE *f = fopen(path, "r");
    cr_assert(text && f, "run from the repository's root");
    *size = fread(text, 1, MAX_SAMPLE, f);
    fclose(f);
    return text;
}

/* True if it loads; all its kernels are asked for then. */
static bool try_text(const char *text, size_t size)
{
    struct rp_error err = {0};
    struct module *m = ptx_load_text("sample.ptx", text, size, 0, &err);
    if (!m) {
        cr_assert_eq(err.status, RP_BAD_INPUT, "%s", err.text);
        cr_assert(strncmp(err.text, "sample.ptx:", 11) == 0, "%s", err.text);
        return false;
    }
    for (uint32_t i = 0; i < m->program_count; i++) {
        err.text[0] = 0;
        if (!module_find(m, m->programs[i].name, &err))
            cr_assert(strncmp(err.text, "sample.ptx", 10) == 0, "%s", err.text);
    }
    module_free(m);
    return true;
}

Test(robust, every_prefix)
{
    size_t size;
    char *text = read_sample("tests/golden/ptx-clang-O2.ptx", &size);
    for (size_t n = 0; n <= size; n++) {
        char *exact = malloc(n ? n : 1); /* of its own, so that a sanitizer sees reads beyond the end */
        cr_assert(exact);
        memcpy(exact, text, n);
        try_text(exact, n);
        free(exact);
    }
    cr_expect(try_text(text, size));
    free(text);
}

static void mutate(char *text, size_t *size, uint64_t *seed)
{
    static const char pieces[][8] = {"{", "}", "(", ")",  "[",  "]",  ";",  ",", ".", "%",
                                     "@", "!", "-", "0x", "0f", "\"", "/*", ":", "<", ">"};
    for (uint32_t n = 1 + next_random(seed, 4); n > 0; n--) {
        size_t at = next_random(seed, (uint32_t)*size), other = next_random(seed, (uint32_t)*size);
        size_t length = 1 + next_random(seed, 12);
        const char *piece = pieces[next_random(seed, sizeof pieces / sizeof *pieces)];
        switch (next_random(seed, 4)) {
        case 0: text[at] = (char)next_random(seed, 256); break;
        case 1: memcpy(text + at, piece, at + 2 <= *size ? strlen(piece) : 0); break;
        case 2: /* a stretch copied elsewhere */
            if (at + length <= *size && other + length <= *size)
                memmove(text + at, text + other, length);
            break;
        default: /* a stretch taken out */
            if (at + length < *size) {
                memmove(text + at, text + at + length, *size - at - length);
                *size -= length;
            }
        }
    }
}

static void mutate_sample(const char *path, uint64_t seed)
{
    size_t size;
    char *text = read_sample(path, &size), *changed = malloc(size);
    unsigned loaded = 0;
    cr_assert(changed);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t n = size;
        memcpy(changed, text, size);
        mutate(changed, &n, &seed);
        loaded += try_text(changed, n);
    }
    cr_expect(loaded > 0 && loaded < MUTATIONS);
    free(changed);
    free(text);
}

Test(robust, random_changes) { mutate_sample("tests/golden/ptx-clang-O2.ptx", 3); }
Test(robust, random_changes_of_matrix_instructions) { mutate_sample("tests/golden/ptx-matrices.ptx", 7); }
Test(robust, random_changes_of_rarer_instructions) { mutate_sample("tests/golden/ptx-isa.ptx", 5); }

/* Text that nests without end is refused, not followed down the stack. */
Test(robust, deep_nesting)
{
    static const char *const parts[][3] = {
        {".entry k() ", "{", "ret;"},
        {".entry k() { .reg .b32 %r<2>; mov.u32 %r1, ", "(", "1;}"},
        {".entry k() { .reg .b32 %r<2>; mov.u32 %r1, ", "-", "1;}"},
        {".entry k() { .reg .b32 %r<2>; mov.u32 %r1, ", "1?", "1;}"},
        {".entry k() { .reg .b32 %r<2>; mov.b64 ", "{", "%r1;}"},
        {".entry k() { .reg .b32 %r<2>; mov.b64 ", "generic(", "%r1;}"},
        {".global .u32 x = ", "generic(", "x;"},
        {".global .u32 x[2] = ", "{", "1;"},
        {".global .u32 x", "[2]", ";"},
    };
    enum { DEPTH = 100000 };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t step = strlen(parts[i][1]), room = DEPTH * step + 300, n;
        char *text = malloc(room);
        cr_assert(text);
        n = (size_t)snprintf(text, room, "%s%s", HEADER, parts[i][0]);
        for (int d = 0; d < DEPTH; d++, n += step)
            memcpy(text + n, parts[i][1], step);
        n += (size_t)snprintf(text + n, room - n, "%s", parts[i][2]);
        cr_expect_not(try_text(text, n), "%s", parts[i][0]);
        free(text);
    }
}
