/* Packed numbers: what is put is got, and bytes that are anything are refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/results/packed.h"

static const uint64_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
enum { EDGES = sizeof edges / sizeof *edges };

Test(packed, numbers_come_back)
{
    struct packed p = {0};
    cr_assert(packed_reserve(&p, EDGES * PACKED_MOST));
    for (size_t i = 0; i < EDGES; i++) {
        size_t before = p.size;
        packed_put(&p, edges[i]);
        size_t bits = 1;
        while (bits < 64 && edges[i] >> bits)
            bits++;
        cr_assert_eq(p.size - before, (bits + 6) / 7, "seven bits to a byte");
    }
    struct packed_reader r = {.bytes = p.bytes, .size = p.size};
    for (size_t i = 0; i < EDGES; i++)
        cr_assert_eq(packed_get(&r), edges[i]);
    cr_assert(!r.damaged && r.at == r.size);
    cr_assert_eq(packed_get(&r), 0);
    cr_assert(r.damaged, "there is none more");
    free(p.bytes);
}

Test(packed, rows_come_back)
{
    static const uint64_t rows[][5] = {
        {0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, {0, 7, 0, 0, 9}, {9, 0, 0, 0, 0}, {0, 0, 0, 0, UINT64_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t back[5] = {42, 42, 42, 42, 42};
        struct packed p = {0};
        cr_assert(packed_reserve(&p, 5 * PACKED_MOST));
        packed_put_row(&p, rows[i], 5);
        struct packed_reader r = {.bytes = p.bytes, .size = p.size};
        packed_get_row(&r, back, 5);
        cr_assert(!r.damaged && r.at == r.size);
        cr_assert_eq(memcmp(back, rows[i], sizeof back), 0, "row %zu", i);
        free(p.bytes);
    }
}

Test(packed, texts_come_back)
{
    struct packed p = {0};
    char text[4];
    cr_assert(packed_reserve(&p, PACKED_MOST + 3));
    packed_put_text(&p, "abc");
    struct packed_reader r = {.bytes = p.bytes, .size = p.size}, again = r;
    packed_get_text(&r, text, sizeof text);
    cr_assert_str_eq(text, "abc");
    cr_assert_not(r.damaged);
    packed_get_text(&again, text, 3);
    cr_assert(again.damaged, "there is no room for it");
    free(p.bytes);
}

static bool is_damaged(const char *bytes, size_t size, char what)
{
    struct packed_reader r = {.bytes = (const uint8_t *)bytes, .size = size};
    uint64_t row[3];
    char text[8];
    if (what == 'n')
        packed_get(&r);
    else if (what == 'r')
        packed_get_row(&r, row, 3);
    else
        packed_get_text(&r, text, sizeof text);
    return r.damaged;
}

Test(packed, other_bytes_are_refused)
{
    cr_assert(is_damaged("", 0, 'n'));
    cr_assert(is_damaged("\x80", 1, 'n'), "a number that does not end");
    cr_assert(is_damaged("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, 'n'), "more than 64 bits");
    cr_assert_not(is_damaged("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 'n'));
    cr_assert(is_damaged("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 'n'));
    cr_assert(is_damaged("\x00\x03", 2, 'r'), "more zeros than the row has");
    cr_assert_not(is_damaged("\x00\x02", 2, 'r'));
    cr_assert(is_damaged("\x01\x02", 2, 'r'), "too few");
    cr_assert(is_damaged("\x05hell", 5, 't'), "a text that does not end");
    cr_assert(is_damaged("\x03h\0l", 4, 't'), "a text with a NUL");
}
