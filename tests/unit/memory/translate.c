/* Translation as docs/timing-model.md describes it, from a list of all that was ever looked up. */
#include <criterion/criterion.h>

#include "tests/unit/memory/plan.h"

/* In the order of the option rows of hw-models/tlb/set-associative.c. */
struct shape {
    uint64_t page, entries, ways, latency;
};

static struct shape shape_of(const struct machine_part *part)
{
    const int64_t *o = part->options;
    uint64_t ways = (uint64_t)(o[2] ? o[2] : o[1]);
    return (struct shape){(uint64_t)o[0], (uint64_t)o[1], ways, (uint64_t)o[3]};
}

/* The last look-up of this page; NULL: the TLB no longer has its entry. The TLB replaces the least recently used entry
 * of a set, so the entry is present if, since that look-up, fewer other pages of the set were looked up than there are
 * ways. `sm`: the SM whose TLB it is; negative: the TLB that all SMs share. */
static const struct plan_look_up *find(const struct plan_translation *t, const struct shape *s, int sm, uint64_t page)
{
    uint64_t others[PLAN_LOOK_UPS], sets = s->entries / s->ways;
    unsigned count = 0;
    for (unsigned i = t->count; i-- > 0;) {
        const struct plan_look_up *l = &t->look_ups[i];
        if (l->sm != sm || l->page % sets != page % sets)
            continue;
        if (l->page == page)
            return count < s->ways ? l : NULL;
        bool known = false;
        for (unsigned o = 0; o < count; o++)
            known |= others[o] == l->page;
        if (!known)
            others[count++] = l->page;
    }
    return NULL;
}

static void note(struct plan_translation *t, int sm, uint64_t page, uint64_t ready)
{
    cr_assert_lt(t->count, PLAN_LOOK_UPS);
    t->look_ups[t->count++] = (struct plan_look_up){sm, page, ready};
}

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A walk begins when fewer than tlb.walkers others go on. */
static uint64_t walk(struct plan_translation *t, const struct machine *m, uint64_t from)
{
    uint64_t begin = from;
    for (;; begin++) {
        int64_t busy = 0;
        for (unsigned i = 0; i < t->walks; i++)
            busy += t->walk_begin[i] <= begin && begin < t->walk_begin[i] + (uint64_t)m->tlb_walk;
        if (m->tlb_walkers < 0 || busy < m->tlb_walkers)
            break;
    }
    cr_assert_lt(t->walks, PLAN_LOOK_UPS);
    t->walk_begin[t->walks++] = begin;
    return begin + (uint64_t)m->tlb_walk;
}

static uint64_t shared(struct plan_translation *t, const struct machine *m, uint64_t address, uint64_t now)
{
    if (m->l2_tlb.model == &tlb_none.model)
        return walk(t, m, now);
    struct shape s = shape_of(&m->l2_tlb);
    const struct plan_look_up *found = find(t, &s, -1, address / s.page);
    uint64_t ready = found ? found->ready : walk(t, m, now + s.latency);
    note(t, -1, address / s.page, ready);
    return max(now + s.latency, ready);
}

uint64_t plan_translate(struct plan_translation *t, const struct machine *m, unsigned sm, uint64_t address,
                        uint64_t now)
{
    if (m->tlb.model == &tlb_none.model)
        return now;
    struct shape s = shape_of(&m->tlb);
    const struct plan_look_up *found = find(t, &s, (int)sm, address / s.page);
    uint64_t ready = found ? found->ready : shared(t, m, address, now + s.latency);
    note(t, (int)sm, address / s.page, ready);
    return max(now + s.latency, ready);
}
