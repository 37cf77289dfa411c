#include "replay/session/pages.h"

#include <stdlib.h>

#include "hw-models/tlb/tlb.h"
#include "replay/memory/footprint.h"

#define MOST_LOOKS 1024u

/* The pages that were seen, the last one that was new at the end. */
struct pages {
    uint64_t *list, count, room;
    bool fresh, failed; /* fresh: the block has a page that none before it had */
};

static bool is_known(const struct pages *p, uint64_t page)
{
    for (uint64_t i = p->count; i; i--)
        if (p->list[i - 1] == page)
            return true;
    return false;
}

static void see_page(void *data, uint64_t page, const struct rp_memory_operand *o, uint32_t access)
{
    struct pages *p = data;
    (void)o;
    (void)access;
    if (p->failed || is_known(p, page))
        return;
    if (p->count == p->room) {
        uint64_t room = 2 * p->room + 64, *list = realloc(p->list, room * sizeof *list);
        p->failed = !list;
        if (!list)
            return;
        p->list = list;
        p->room = room;
    }
    p->list[p->count++] = page;
    p->fresh = true;
}

static uint64_t page_of(const struct machine_part *tlb)
{
    return ((const struct tlb_model *)tlb->model)->page(tlb->options);
}

uint64_t pages_walk(const struct machine *m, uint64_t *page)
{
    uint64_t near = page_of(&m->tlb), far = page_of(&m->l2_tlb);
    *page = far ? far : near;
    return near ? (uint64_t)m->tlb_walk : 0;
}

bool pages_count_waves(struct rp_trace *t, uint32_t launch, uint64_t blocks, uint64_t wave, uint64_t page,
                       uint64_t *count, struct rp_error *err)
{
    struct pages p = {0};
    uint64_t step = wave * ((blocks / wave + MOST_LOOKS) / MOST_LOOKS);
    bool fine = true;
    *count = 0;
    for (uint64_t b = 0; fine && b < blocks; b += step) {
        p.fresh = false;
        fine = footprint_visit_block(t, launch, b, page, see_page, &p, err) &&
               (!p.failed ||
                rp_fail(err, RP_SYSTEM, "%s: out of memory for the pages that it accesses", rp_trace_path(t)));
        *count += b && p.fresh;
    }
    free(p.list);
    return fine;
}
