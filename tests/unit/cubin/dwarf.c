/* .debug_info, byte by byte. */
#include <criterion/criterion.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/module/dwarf_calls.h"

static struct arena arena;
static jmp_buf full;

static void release(void) { arena_free(&arena); }

TestSuite(dwarf, .fini = release);

static struct cubin_bytes bytes(const void *from, size_t size)
{
    struct cubin_bytes out = {malloc(size ? size : 1), (uint32_t)size}; /* of its size, for AddressSanitizer */
    memcpy(out.at, from, size);
    return out;
}

static struct dwarf_calls read_calls(const void *info, size_t info_size, const void *abbrev, size_t abbrev_size,
                                     const char *strings, size_t strings_size)
{
    struct dwarf_calls calls = {0};
    struct dwarf_sections s = {
        .info = bytes(info, info_size), .abbrev = bytes(abbrev, abbrev_size), .strings = bytes(strings, strings_size)};
    if (setjmp(full))
        cr_assert_fail("out of memory");
    arena.out_of_memory = &full;
    dwarf_read_calls(&arena, &s, &calls);
    free(s.info.at);
    free(s.abbrev.at);
    free(s.strings.at);
    return calls;
}

/* Every form, in entries of a tag that does not matter and in those that do. */
static const uint8_t abbrev[] = {
    1, 0x11, 1, 0x10, 0x17, 0x55, 0x17, 0, 0, /* unit: stmt_list, ranges as offsets */
    /* a variable with one attribute of each form */
    2, 0x34, 0, 2, 0x03, 2, 0x04, 2, 0x09, 2, 0x0a, 2, 0x18, 2, 0x05, 2, 0x06, 2, 0x07, 2, 0x0b, 2, 0x0c, 2, 0x0d, 2,
    0x0f, 2, 0x10, 2, 0x11, 2, 0x12, 2, 0x14, 2, 0x15, 2, 0x16, 2, 0x19, 2, 0x20, 0, 0, /* */
    3, 0x2e, 0, 0x03, 0x0e, 0x3a, 0x0b, 0x3b, 0x0b, 0, 0, /* function: name in .debug_str, file, line */
    4, 0x2e, 0, 0x47, 0x13, 0, 0,                         /* function: completes another one */
    5, 0x2e, 0, 0x03, 0x08, 0x87, 0x40, 0x08, 0, 0,       /* function: name, MIPS_linkage_name */
    6, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0f, 0x59, 0x05, 0x57, 0x0b, 0, 0, /* call, high is a size */
    0x81, 0x01, 0x1d, 0, 0x31, 0x15, 0x11, 0x01, 0x12, 0x01, 0, 0,                /* call, code 129, origin by LEB128 */
    7, 0x0b, 1, 0, 0,                                                             /* lexical block */
    8, 0x2e, 0, 0x3b, 0x0b, 0x3a, 0x0b, 0x31, 0x13, 0x11, 0x01, 0x12, 0x01, 0, 0, /* function with code */
    0};

#define WORD(n) (n) & 255, (n) >> 8 & 255, (n) >> 16 & 255, (n) >> 24
#define ADDRESS(n) WORD(n), 0, 0, 0, 0
static const uint8_t info[] = {WORD(187),
                               4,
                               0,
                               WORD(0),
                               8, /* 0x00: header */
                               1,
                               WORD(0x123),
                               WORD(0), /* 0x0b */
                               2,
                               2,
                               0,
                               9,
                               9,
                               1,
                               0,
                               0,
                               0,
                               9,
                               1,
                               9,
                               1,
                               9,
                               1,
                               9, /* 0x14: blocks: 2 4 uleb 1 exprloc */
                               1,
                               2,
                               WORD(3),
                               WORD(4),
                               WORD(5),
                               6,
                               1,
                               0xff,
                               0x7f,
                               0x80,
                               0x80,
                               0x01, /* data 2 4 8 1, flag, sdata, udata */
                               WORD(11),
                               1,
                               1,
                               0,
                               ADDRESS(1),
                               0x80,
                               0x01, /* references: address 1 2 8 udata */
                               0x0b,
                               77,
                               ADDRESS(0), /* indirect data1, present, sig8 */
                               3,
                               WORD(1),
                               2,
                               44, /* 0x54: "f" at 2:44 */
                               4,
                               WORD(0x54), /* 0x5b: f again */
                               5,
                               'z',
                               0,
                               '_',
                               'Z',
                               0, /* 0x60 */
                               8,
                               55,
                               9,
                               WORD(0x5b),
                               ADDRESS(0x200),
                               ADDRESS(0x300), /* 0x66: f itself, at 9:55 */
                               6,
                               WORD(0x5b),
                               ADDRESS(0x10),
                               WORD(0x20),
                               0x83,
                               0x01,
                               0x2c,
                               1,
                               7, /* 0x7d: f at 131:300:7, 0x10 to 0x30 */
                               7, /* 0x93 */
                               0x81,
                               0x01,
                               0x60,
                               ADDRESS(0x18),
                               ADDRESS(0x20), /* 0x94: _Z in a block in it */
                               0,
                               0, /* the block, the call */
                               0x81,
                               0x01,
                               0x33,
                               ADDRESS(0x40),
                               ADDRESS(0x48), /* 0xa9: of what is no function */
                               0,
                               0,
                               0, /* the unit, and more than there is */
                               WORD(3),
                               5,
                               0,
                               0, /* a unit of DWARF 5 without entries */
                               WORD(35),
                               2,
                               0,
                               WORD(0),
                               8,
                               1,
                               WORD(7),
                               WORD(0),
                               0x81,
                               0x01,
                               0x0b,
                               ADDRESS(0x50),
                               ADDRESS(0x51)};

static const char strings[] = "\0f\0";

Test(dwarf, all_forms)
{
    struct dwarf_calls calls = read_calls(info, sizeof info, abbrev, sizeof abbrev, strings, sizeof strings);
    static const struct dwarf_call wanted_calls[] = {
        {"f", 131, 300, 7, 0, 0x123}, {"_Z", 0, 0, 0, 1, 0x123}, {"?", 0, 0, 0, 0, 0x123}, {"?", 0, 0, 0, 0, 7}};
    static const struct dwarf_body wanted_bodies[] = {{0x200, 0x300, 0, 9, 55, 0x123},
                                                      {0x10, 0x30, 1, 2, 44, 0x123},
                                                      {0x18, 0x20, 2, 0, 0, 0x123},
                                                      {0x40, 0x48, 3, 0, 0, 0x123},
                                                      {0x50, 0x51, 4, 0, 0, 7}};
    cr_assert(calls.calls.count == 4 && calls.bodies.count == 5, "%u, %u", calls.calls.count, calls.bodies.count);
    for (unsigned i = 0; i < 4; i++) {
        const struct dwarf_call *got = &calls.calls.at[i], *want = &wanted_calls[i];
        cr_expect_str_eq(got->function, want->function);
        cr_expect(got->file == want->file && got->line == want->line && got->column == want->column, "%u: %u:%u:%u", i,
                  got->file, got->line, got->column);
        cr_expect(got->around == want->around && got->line_table == want->line_table, "%u: %u", i, got->around);
    }
    for (unsigned i = 0; i < 5; i++) {
        const struct dwarf_body *got = &calls.bodies.at[i], *want = &wanted_bodies[i];
        cr_expect(got->low == want->low && got->high == want->high, "%u: %#x to %#x", i, (unsigned)got->low,
                  (unsigned)got->high);
        cr_expect(got->call == want->call && got->file == want->file && got->line == want->line, "%u: %u, %u:%u", i,
                  got->call, got->file, got->line);
        cr_expect_eq(got->line_table, want->line_table);
    }
}

/* Cut anywhere, or with any byte changed, it ends; calls refer to earlier ones. */
Test(dwarf, damage)
{
    uint8_t changed[sizeof info], table[sizeof abbrev];
    for (size_t cut = 0; cut <= sizeof info; cut++)
        read_calls(info, cut, abbrev, sizeof abbrev, strings, sizeof strings);
    for (size_t cut = 0; cut <= sizeof abbrev; cut++)
        read_calls(info, sizeof info, abbrev, cut, strings, cut % sizeof strings);
    for (size_t i = 0; i < 4 * (sizeof info + sizeof abbrev); i++) {
        static const uint8_t values[] = {0, 0xff, 0x80, 1};
        size_t at = i / 4;
        memcpy(changed, info, sizeof info);
        memcpy(table, abbrev, sizeof abbrev);
        *(at < sizeof info ? &changed[at] : &table[at - sizeof info]) = values[i % 4];
        struct dwarf_calls calls = read_calls(changed, sizeof info, table, sizeof table, strings, sizeof strings);
        for (uint32_t c = 0; c < calls.calls.count; c++)
            cr_assert(calls.calls.at[c].around <= c && calls.calls.at[c].function);
    }
}

/* Units that read one table again and again from different places, and entries that nest without end. */
Test(dwarf, hostile, .timeout = 60)
{
    enum { BYTES = 1 << 20 };
    uint8_t *deep = malloc(BYTES), *wide = malloc(BYTES);
    static const uint8_t nest[] = {1, 0x1d, 1, 0, 0, 0};
    memset(deep, 1, BYTES);
    memcpy(deep, (uint8_t[]){WORD(BYTES - 4), 2, 0, WORD(0), 8}, 11);
    struct dwarf_calls calls = read_calls(deep, BYTES, nest, sizeof nest, "", 0);
    cr_expect(calls.calls.count > 100 && calls.calls.count < 2000, "%u", calls.calls.count);
    for (uint32_t i = 0; i + 5 <= BYTES; i += 5)
        memcpy(wide + i, (uint8_t[]){1, 0x1d, 0, 0, 0}, 5);
    for (uint32_t i = 0; i + 12 <= BYTES; i += 12)
        memcpy(deep + i, (uint8_t[]){WORD(8), 2, 0, WORD(i / 12 * 5), 8, 1}, 12);
    read_calls(deep, BYTES, wide, BYTES, "", 0);
    free(deep);
    free(wide);
}

/* By hand: k, declared in line 20, calls f, of line 10, twice; f calls g, of line 1, and h, of another file. */
Test(dwarf, innermost_by_line)
{
    struct dwarf_calls calls = {0};
    static const struct dwarf_body bodies[] = {{0, 100, 0, 1, 20, 0},
                                               {10, 90, 1, 1, 10, 0},
                                               {20, 80, 2, 1, 1, 0},
                                               {30, 70, 3, 2, 5, 0},
                                               {40, 60, 4, 1, 10, 0}};
    static const struct {
        struct dwarf_location location;
        uint32_t call;
    } cases[] = {{{5, 1, 21}, 0}, {{15, 1, 12}, 1}, {{16, 1, 22}, 0}, {{25, 1, 3}, 2},  {{35, 1, 12}, 1},
                 {{36, 2, 7}, 3}, {{37, 2, 4}, 3},  {{38, 3, 9}, 3},  {{45, 1, 12}, 4}, {{46, 1, 2}, 2},
                 {{75, 2, 7}, 2}, {{75, 1, 25}, 0}, {{95, 1, 12}, 0}, {{100, 1, 21}, 0}};
    struct dwarf_location locations[sizeof cases / sizeof *cases];
    uint32_t innermost[sizeof cases / sizeof *cases];
    arena.out_of_memory = &full;
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++)
        VECTOR_PUSH(&arena, &calls.bodies, bodies[i]);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        locations[i] = cases[i].location;
    dwarf_innermost(&arena, &calls, locations, sizeof cases / sizeof *cases, innermost);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(innermost[i], cases[i].call, "%u: %u", i, innermost[i]);
}

static uint32_t line_at(const struct dwarf_body *b, const struct dwarf_location *location)
{
    bool has_it = b->low <= location->address && location->address < b->high;
    return !has_it ? 0 : b->file == location->file && b->line <= location->line ? b->line + 1 : 1;
}

Test(dwarf, innermost_at_random)
{
    enum { BODIES = 40, PLACES = 200 };
    struct dwarf_location locations[PLACES];
    uint32_t innermost[PLACES];
    arena.out_of_memory = &full;
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct dwarf_calls calls = {0};
        for (uint32_t i = 0; i < BODIES; i++) {
            uint64_t low = (uint64_t)rand() % 300, size = (uint64_t)rand() % 60;
            struct dwarf_body b = {
                low, low + size - (rand() % 8 == 0), i + 1, (uint32_t)rand() % 3, (uint32_t)rand() % 9, 0};
            VECTOR_PUSH(&arena, &calls.bodies, b);
        }
        for (uint32_t i = 0; i < PLACES; i++)
            locations[i] = (struct dwarf_location){(i ? locations[i - 1].address : 0) + (uint64_t)rand() % 3,
                                                   (uint32_t)rand() % 3, (uint32_t)rand() % 9};
        dwarf_innermost(&arena, &calls, locations, PLACES, innermost);
        for (uint32_t i = 0; i < PLACES; i++) {
            uint32_t wanted = 0, line = 0;
            for (uint32_t b = 0; b < BODIES; b++)
                if (line_at(&calls.bodies.at[b], &locations[i]) &&
                    line_at(&calls.bodies.at[b], &locations[i]) >= line) {
                    line = line_at(&calls.bodies.at[b], &locations[i]);
                    wanted = b + 1;
                }
            cr_assert_eq(innermost[i], wanted, "%u: %u, not %u", i, innermost[i], wanted);
        }
    }
}
