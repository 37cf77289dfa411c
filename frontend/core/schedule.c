#include "frontend/core/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/operands.h"

enum { WINDOW = 32 }; /* the window of uops from which the next one is chosen */

/* ---- resources: what an operation reads or writes ---------------------------------------------------------------- */

/* A set of registers, in units of 128 bytes of the window modulo 256 units, and of other state. It may contain too
 * much, never too little. */
enum { PART = 128, PARTS = 256, WORDS = PARTS / 64 + 1 };
#define CODES UINT64_C(1)  /* in the last word: the condition codes */
#define GUARDS UINT64_C(2) /* and the order in which guard masks are logged */
struct resources {
    uint64_t words[WORDS];
};

static void add(struct resources *s, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return;
    for (uint32_t at = register_offset(o) / PART, last = (register_offset(o) + bytes - 1) / PART; at <= last; at++)
        s->words[at % PARTS / 64] |= UINT64_C(1) << at % 64;
}

static void add_all(struct resources *s, const struct resources *other)
{
    for (int i = 0; i < WORDS; i++)
        s->words[i] |= other->words[i];
}

static bool overlap(const struct resources *a, const struct resources *b)
{
    uint64_t common = 0;
    for (int i = 0; i < WORDS; i++)
        common |= a->words[i] & b->words[i];
    return common;
}

static struct resources read_by(const struct operation *o)
{
    struct resources s = {{0}};
    uint32_t bytes = operation_width(o);
    add(&s, o->a, bytes);
    add(&s, o->b, bytes);
    add(&s, o->c, bytes);
    add(&s, o->p, PREDICATE_BYTES);
    add(&s, o->guard, PREDICATE_BYTES);
    return s;
}

static struct resources written_by(const struct operation *o)
{
    struct resources s = {{0}};
    add(&s, o->d, operation_width(o));
    add(&s, o->pd, PREDICATE_BYTES);
    add(&s, o->pd2, PREDICATE_BYTES);
    s.words[WORDS - 1] |= operation_uses_codes(o) ? CODES : 0;
    s.words[WORDS - 1] |= is_register(o->guard) ? GUARDS : 0;
    return s;
}

/* ---- a stretch --------------------------------------------------------------------------------------------------- */

struct waiting {
    struct uop uop;
    struct resources read, written;
};

/* The first uops of the stretch that have not been placed yet, in their order: slots[order[0]] and so on. */
struct window {
    struct waiting slots[WINDOW];
    uint8_t order[WINDOW];
    uint32_t count;
};

/* Chooses the next uop: the first that has handler `last` and does not depend on the uops before it; else the first of
 * all. */
static uint32_t choose(const struct window *w, uop_fn last)
{
    struct resources read = {{0}}, written = {{0}}; /* by the uops before it */
    for (uint32_t i = 0; i < w->count; i++) {
        const struct waiting *at = &w->slots[w->order[i]];
        if (at->uop.fn == last && !overlap(&at->read, &written) && !overlap(&at->written, &written) &&
            !overlap(&at->written, &read))
            return i;
        add_all(&read, &at->read);
        add_all(&written, &at->written);
    }
    return 0;
}

static void add_to_window(struct window *w, uint8_t slot, const struct uop *u, const struct operation *o)
{
    w->slots[slot] = (struct waiting){*u, read_by(o), written_by(o)};
    w->order[w->count++] = slot;
}

/* Removes number `i` and returns its slot. */
static uint8_t take_from_window(struct window *w, uint32_t i)
{
    uint8_t slot = w->order[i];
    memmove(w->order + i, w->order + i + 1, --w->count - i);
    return slot;
}

/* Reorders uops [begin, end); the first one stays. */
static void order_stretch(struct program *p, uint32_t begin, uint32_t end)
{
    struct window w = {.count = 0};
    uint32_t next = begin;
    while (next < end && w.count < WINDOW) {
        add_to_window(&w, (uint8_t)w.count, &p->uops[next], &p->operations[next]);
        next++;
    }
    uop_fn last = NULL;
    for (uint32_t i = begin; i < end; i++) {
        uint8_t slot = take_from_window(&w, choose(&w, last));
        p->uops[i] = w.slots[slot].uop;
        last = p->uops[i].fn;
        if (next < end) {
            add_to_window(&w, slot, &p->uops[next], &p->operations[next]);
            next++;
        }
    }
}

/* ---- a program --------------------------------------------------------------------------------------------------- */

/* An operation on registers alone that names all of them in fields of its own. */
static bool movable(const struct operation *o)
{
    if (o->kind != UOP_LANE)
        return false;
    for (unsigned n = 0; n < UOP_LISTS; n++)
        if (o->lists[n].count)
            return false;
    return true;
}

bool schedule_uops(struct program *p)
{
    uint8_t *entered = program_entries(p);
    if (!entered)
        return false;
    for (uint32_t begin = 0, end; begin < p->uop_count; begin = end) {
        end = begin + 1;
        if (!movable(&p->operations[begin]) || p->uops[begin].kind != UOP_LANE)
            continue;
        while (end < p->uop_count && !entered[end] && movable(&p->operations[end]) && p->uops[end].kind == UOP_LANE)
            end++;
        order_stretch(p, begin, end);
    }
    free(entered);
    return true;
}
