#include "frontend/isa/sass5x/table.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "frontend/isa/sass5x/items.h"

const struct sass_row sass_rows[] = {
#include "frontend/isa/sass5x/rows_control.def"
#include "frontend/isa/sass5x/rows_float.def"
#include "frontend/isa/sass5x/rows_integer.def"
#include "frontend/isa/sass5x/rows_memory.def"
#include "frontend/isa/sass5x/rows_texture.def"
#include "frontend/isa/sass5x/rows_video.def"
};
const unsigned sass_row_count = sizeof sass_rows / sizeof *sass_rows;

enum sass_arch sass_arch(unsigned sm)
{
    switch (sm) {
    case 50: return SASS_50;
    case 52: return SASS_52;
    case 53: return SASS_53;
    case 60: return SASS_60;
    case 61: return SASS_61;
    case 62: return SASS_62;
    default: return 0;
    }
}

enum sass_arch sass_arch_named(const char *name)
{
    unsigned sm = 0;
    char more;
    return sscanf(name, "sm_%u%c", &sm, &more) == 1 ? sass_arch(sm) : 0;
}

/* Bits 63..51 of a word -> the rows of that opcode, the most specific mask first, as a chain through `next`. A link is
 * a row's number + 1, 0 ends the chain. */
#define PREFIXES 8192
enum { LINKS = 16384 };
static uint16_t first[PREFIXES];
static struct {
    uint16_t row, next;
} links[LINKS];
static unsigned link_count = 1;

static void insert(unsigned prefix, unsigned row)
{
    uint16_t *at = &first[prefix];
    while (*at && __builtin_popcount(sass_rows[links[*at].row].mask) >= __builtin_popcount(sass_rows[row].mask))
        at = &links[*at].next;
    links[link_count].row = row;
    links[link_count].next = *at;
    *at = link_count++;
}

static void build(void)
{
    for (unsigned row = 0; row < sass_row_count; row++)
        for (unsigned prefix = 0; prefix < PREFIXES; prefix++)
            if ((prefix << 3 & sass_rows[row].mask) == sass_rows[row].value && link_count < LINKS)
                insert(prefix, row);
}

static bool requirements_met(const struct sass_row *row, uint64_t word)
{
    for (const struct sass_item *i = row->items; i->kind == SI_REQUIRE; i++)
        if (sass_field(word, i->f) != i->style)
            return false;
    return true;
}

const struct sass_row *sass_find(uint64_t word, enum sass_arch arch)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
    for (unsigned l = first[word >> 51]; l; l = links[l].next) {
        const struct sass_row *row = &sass_rows[links[l].row];
        if (row->archs & arch && requirements_met(row, word))
            return row;
    }
    return NULL;
}
