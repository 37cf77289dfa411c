#include "frontend/isa/sass/table.h"

#include <stdatomic.h>
#include <stddef.h>

enum { CONTROL_BITS = 21 };

static unsigned bits_of(const struct sass_row *row)
{
    unsigned count = (unsigned)__builtin_popcount(row->mask);
    for (const struct sass_item *i = row->items; i->kind == SI_REQUIRE; i++)
        count += i->f.width;
    return count;
}

static void insert(const struct sass_table *t, unsigned opcode, unsigned row)
{
    struct sass_index *x = t->index;
    uint16_t *at = &x->first[opcode];
    while (*at && bits_of(&t->rows[x->links[*at].row]) >= bits_of(&t->rows[row]))
        at = &x->links[*at].next;
    x->links[x->count] = (struct sass_link){(uint16_t)row, *at};
    *at = (uint16_t)x->count++;
}

static void make(const struct sass_table *t)
{
    struct sass_index *x = t->index;
    unsigned opcodes = 1u << (t->opcode.width - t->opcode_spare);
    x->count = 1;
    for (unsigned row = 0; row < t->row_count; row++) {
        const struct sass_row *r = &t->rows[row];
        unsigned free = (opcodes - 1) & ~(unsigned)(r->mask >> t->opcode_spare);
        unsigned opcode = (unsigned)(r->value >> t->opcode_spare), more = 0;
        if (r->value != (r->mask & opcode << t->opcode_spare))
            continue;
        do { /* all opcodes that have the row's bits: every subset of the others */
            if (x->count < SASS_LINKS)
                insert(t, opcode | more, row);
            more = (more - free) & free;
        } while (more);
    }
}

static void make_once(const struct sass_table *t)
{
    struct sass_index *x = t->index;
    if (atomic_load_explicit(&x->made, memory_order_acquire))
        return;
    pthread_mutex_lock(&x->lock);
    if (!x->made)
        make(t);
    atomic_store_explicit(&x->made, true, memory_order_release);
    pthread_mutex_unlock(&x->lock);
}

static bool requirements_met(const struct sass_row *row, struct isa_word word)
{
    for (const struct sass_item *i = row->items; i->kind == SI_REQUIRE; i++)
        if (sass_field(word, i->f) != i->style)
            return false;
    return true;
}

const struct sass_row *sass_find(const struct sass_table *t, struct isa_word word, unsigned arch)
{
    make_once(t);
    unsigned opcode = (unsigned)sass_field(word, t->opcode) >> t->opcode_spare;
    for (unsigned l = t->index->first[opcode]; l; l = t->index->links[l].next) {
        const struct sass_row *row = &t->rows[t->index->links[l].row];
        if (row->archs & arch && requirements_met(row, word))
            return row;
    }
    return NULL;
}

bool sass_hides(const struct sass_item *i, uint64_t *value)
{
    switch (i->style) {
    case IMM_U_OPTIONAL:
    case IMM_S_OPTIONAL: *value = 0; return true;
    case IMM_QUAD: *value = 15; return true;
    case IMM_BYTE: *value = 0xff; return true;
    case IMM_U20_MASK: *value = 0xffff; return true;
    default: return false;
    }
}

static uint64_t little_endian(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

struct isa_word sass_word_at(const struct sass_table *t, const uint8_t *code)
{
    return (struct isa_word){little_endian(code), t->word_bytes > 8 ? little_endian(code + 8) : 0};
}

uint32_t sass_control_at(const struct sass_table *t, const uint8_t *code, uint32_t address)
{
    uint32_t bundle = address / sass_bundle_bytes(t) * sass_bundle_bytes(t);
    if (t->bundle_words == 1)
        return (uint32_t)sass_field(sass_word_at(t, code + bundle), t->control);
    unsigned slot = (address - bundle) / t->word_bytes - 1;
    return little_endian(code + bundle) >> (CONTROL_BITS * slot) & ((1u << CONTROL_BITS) - 1);
}
