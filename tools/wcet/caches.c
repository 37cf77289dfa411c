#include "tools/wcet/caches.h"

#include <stdlib.h>

#include "replay/base/layout.h"
#include "tools/wcet/sectors.h"

#define SEVERAL UINT64_MAX
#define AT_HAND UINT64_MAX /* requested by the access that is being charged */
#define MOST_ASKED (2 * COALESCER_MOST)

/* Requests to each level. */
struct requests {
    uint64_t to[WCET_LEVELS];
};

struct level {
    bool keeps, back;
    uint64_t lines, line_bytes, sector_bytes;
    uint64_t written; /* upper bound of the sectors that a line writes back */
    uint32_t caches;  /* of one SM */
    uint64_t **lone;  /* [cache][set]: 1 + the only line of the launch that maps to it; 0: none; SEVERAL */
    uint64_t latency; /* from the start of an access to the response of this level, without waiting at ports */
    uint64_t interval;
};

struct wcet_caches {
    const struct machine *machine;
    uint64_t sms; /* that blocks of the launch may run on */
    struct level level[WCET_LEVELS];
    struct wcet_sectors sectors;
    uint64_t visit, section, first_section; /* of the present block */
    uint32_t warp;
    struct wcet_sector *asked[MOST_ASKED]; /* sectors that the present access is the first in this visit to request */
    uint32_t asked_count;
    struct wcet_fetches *fetches; /* by warp */
    uint64_t fetched;             /* cycles of fetches, of the launch */
    struct wcet_cache_counts counts;
};

/* ---- lines that stay --------------------------------------------------------------------------------------------- */

static uint32_t l1_of(const struct wcet_caches *c)
{
    return c->warp % (uint32_t)c->machine->subcores / (uint32_t)c->machine->l1_subcores;
}

static uint64_t *place_of(const struct level *l, uint32_t cache, uint64_t address)
{
    return &l->lone[cache][address / l->line_bytes % l->lines];
}

static void take_place(const struct level *l, uint32_t cache, uint64_t address)
{
    uint64_t *lone = place_of(l, cache, address), line = address / l->line_bytes + 1;
    *lone = !*lone || *lone == line ? line : SEVERAL;
}

static bool stays(const struct level *l, uint32_t cache, uint64_t address)
{
    return l->keeps && *place_of(l, cache, address) == address / l->line_bytes + 1;
}

/* Records the lines that an access brings into caches. Reads allocate lines; writes and atomics do so in a write-back
 * cache. A write-back L1 passes writes on as sectors. */
static void touch(struct wcet_caches *c, enum cache_kind kind, bool through_l1, uint64_t address)
{
    const struct level *l1 = &c->level[WCET_L1], *l2 = &c->level[WCET_L2];
    if (l1->keeps && through_l1) {
        if (kind == CACHE_READ || l1->back)
            take_place(l1, l1_of(c), address);
        if (kind == CACHE_WRITE && l1->back)
            address -= address % l1->sector_bytes;
    }
    if (l2->keeps && (kind == CACHE_READ || l2->back))
        take_place(l2, 0, address);
}

/* False: the addresses of this warp are not all known. */
static int scan_warp(struct wcet_caches *c, const struct wcet_model *m, struct rp_cursor *cursor, struct rp_error *err)
{
    struct rp_step step;
    struct wcet_op op;
    struct wcet_transactions list;
    int more;
    while ((more = rp_cursor_next(cursor, &step, err)) > 0) {
        if (!m->rows[step.index].transacts)
            continue;
        if (!wcet_op_of(m, &step, &op, &list, err))
            return -1;
        if (list.local)
            return 0;
        for (uint32_t i = 0; i < list.count; i++)
            touch(c, list.kind, list.through_l1, list.address[i]);
    }
    return more < 0 ? -1 : 1;
}

static int scan_block(struct wcet_caches *c, const struct wcet_model *m, struct rp_block *block, struct rp_error *err)
{
    int known = 1;
    for (c->warp = 0; known > 0 && c->warp < rp_block_warps(block); c->warp++) {
        struct rp_cursor cursor;
        if (!rp_cursor_open(&cursor, block, c->warp, err))
            return -1;
        known = scan_warp(c, m, &cursor, err);
        rp_cursor_close(&cursor);
    }
    return known;
}

/* 1: all addresses of the launch are known; 0: some are not; -1: failure. */
static int scan(struct wcet_caches *c, const struct wcet_model *m, struct rp_trace *t, uint32_t launch,
                struct rp_error *err)
{
    int known = 1;
    for (uint64_t b = 0; known > 0 && b < rp_launch_blocks(m->launch); b++) {
        struct rp_block *block = rp_block_open(t, launch, b, err);
        if (!block)
            return -1;
        known = scan_block(c, m, block, err);
        rp_block_close(block);
    }
    return known;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool open_level(struct level *l, const struct memory_level *of, uint32_t caches)
{
    const struct cache_shape *shape = &of->shape;
    *l = (struct level){.keeps = of->keeps};
    if (!l->keeps)
        return true;
    l->back = shape->back;
    l->line_bytes = shape->line;
    l->sector_bytes = shape->sector;
    l->written = shape->back ? shape->line / shape->sector : 0;
    l->lines = shape->sets;
    l->latency = shape->latency;
    l->interval = shape->interval;
    l->lone = calloc(caches, sizeof *l->lone);
    for (; l->lone && l->caches < caches; l->caches++)
        if (!(l->lone[l->caches] = calloc(l->lines, sizeof *l->lone[0])))
            return false;
    return l->lone;
}

void wcet_caches_free(struct wcet_caches *c)
{
    if (!c)
        return;
    for (unsigned r = 0; r < WCET_LEVELS; r++) {
        for (uint32_t i = 0; i < c->level[r].caches; i++)
            free(c->level[r].lone[i]);
        free(c->level[r].lone);
    }
    wcet_sectors_free(&c->sectors);
    free(c->fetches);
    free(c);
}

static struct wcet_caches *begin(const struct wcet_model *m, struct rp_error *err)
{
    const struct machine *machine = m->machine;
    struct wcet_caches *c = calloc(1, sizeof *c);
    struct memory_layout layout;
    memory_layout_of(machine, &layout);
    if (!c || !open_level(&c->level[WCET_L1], &layout.l1, layout.l1_count) ||
        !open_level(&c->level[WCET_L2], &layout.l2, 1)) {
        wcet_caches_free(c);
        rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", machine->name);
        return NULL;
    }
    c->machine = machine;
    c->sms =
        rp_launch_blocks(m->launch) < (uint64_t)machine->sms ? rp_launch_blocks(m->launch) : (uint64_t)machine->sms;
    c->counts.classified = true;
    c->level[WCET_MEMORY].latency = m->dram_latency;
    c->level[WCET_MEMORY].interval = m->dram_interval;
    for (unsigned r = WCET_L2; r < WCET_LEVELS; r++)
        c->level[r].latency += c->level[r - 1].latency;
    return c;
}

bool wcet_caches_open(struct wcet_caches **out, const struct wcet_model *m, struct rp_trace *t, uint32_t launch,
                      struct rp_error *err)
{
    struct memory_layout layout;
    *out = NULL;
    memory_layout_of(m->machine, &layout);
    if (!layout.l1.keeps && !layout.l2.keeps)
        return true;
    struct wcet_caches *c = begin(m, err);
    int known = c ? scan(c, m, t, launch, err) : -1;
    if (known > 0)
        *out = c;
    else
        wcet_caches_free(c);
    return known >= 0;
}

void wcet_caches_block(struct wcet_caches *c) { c->first_section = c->section + 1; }

bool wcet_caches_section(struct wcet_caches *c, uint32_t warps, struct rp_error *err)
{
    c->section++;
    free(c->fetches);
    c->fetches = calloc(warps + 1u, sizeof *c->fetches);
    return c->fetches || rp_fail(err, RP_SYSTEM, "out of memory for the warps of a block");
}

void wcet_caches_warp(struct wcet_caches *c, uint32_t warp)
{
    c->visit++;
    c->warp = warp;
}

/* ---- sectors that are present ------------------------------------------------------------------------------------ */

/* The charge of an access. */
struct charge {
    struct requests own;   /* upper bound of the requests that it makes itself */
    struct requests fixed; /* of these, the ones that do not depend on which warp fetches lines that stay */
    enum wcet_level depth; /* the deepest level that may respond */
    uint64_t time, chain;  /* when sectors requested earlier have arrived */
};

static struct wcet_sector *sector_at(struct wcet_caches *c, enum wcet_level level, uint64_t address)
{
    uint32_t cache = level == WCET_L1 ? 1 + l1_of(c) : 0;
    return wcet_sectors_find(&c->sectors, cache, address / c->level[level].sector_bytes + 1);
}

/* Whether the sector is certain to be present or in flight; raises k->time and k->chain to its arrival. */
static bool known(const struct wcet_caches *c, const struct wcet_sector *s, struct charge *k)
{
    uint64_t time = 0, chain = 0;
    if (s->visit == c->visit) {
        time = s->time == AT_HAND ? 0 : s->time;
        chain = s->time == AT_HAND ? 0 : s->chain;
    } else if (s->section >= c->first_section && s->section < c->section) {
        chain = s->since;
    } else {
        return false;
    }
    k->time = time > k->time ? time : k->time;
    k->chain = chain > k->chain ? chain : k->chain;
    return true;
}

static void note_request(struct wcet_caches *c, enum wcet_level level, uint64_t address)
{
    struct wcet_sector *s = sector_at(c, level, address);
    struct charge ignored = {0};
    if (known(c, s, &ignored))
        return;
    s->visit = c->visit;
    s->time = AT_HAND;
    if (s->section < c->first_section) {
        s->section = c->section;
        s->since = UINT64_MAX;
    }
    c->asked[c->asked_count++] = s;
}

void wcet_caches_arrived(struct wcet_caches *c, uint64_t time, uint64_t chain)
{
    for (uint32_t i = 0; i < c->asked_count; i++) {
        struct wcet_sector *s = c->asked[i];
        s->time = time;
        s->chain = chain;
        s->since = chain < s->since ? chain : s->since; /* every access that requested it finds it by then */
    }
    c->asked_count = 0;
}

/* ---- charges ----------------------------------------------------------------------------------------------------- */

static uint64_t cycles_of(const struct wcet_caches *c, const struct requests *r)
{
    uint64_t cycles = 0;
    for (unsigned i = 0; i < WCET_LEVELS; i++)
        cycles += r->to[i] * c->level[i].interval;
    return cycles;
}

/* Charges the fetch of a sector that stays. It happens once, in L1 once per SM. It is charged in this section unless an
 * earlier section fetched it. */
static void fetch(struct wcet_caches *c, enum wcet_level level, struct wcet_sector *s, const struct requests *r)
{
    uint64_t cycles = cycles_of(c, r), times = level == WCET_L1 ? c->sms : 1;
    if (s->fetch_section != c->section) {
        s->fetch_section = c->section;
        s->fetcher = c->warp;
        s->several = false;
        c->fetches[c->warp].alone += cycles;
    } else if (s->fetcher != c->warp && !s->several) {
        s->several = true;
        c->fetches[s->fetcher].alone -= cycles;
        c->fetches[s->fetcher].shared += cycles;
    }
    if (s->counted)
        return;
    s->counted = true;
    c->fetched += times * cycles;
    for (unsigned i = 0; i < WCET_LEVELS; i++)
        c->counts.requests[i] += times * r->to[i];
}

static void request(struct charge *k, struct requests *on_behalf, enum wcet_level level, uint64_t count)
{
    k->own.to[level] += count;
    on_behalf->to[level] += count;
}

static void respond_from(struct charge *k, enum wcet_level level) { k->depth = level > k->depth ? level : k->depth; }

/* Charges a request at L2. `exact`: a sector of L1 lies within one sector of L2. */
static void at_l2(struct wcet_caches *c, enum cache_kind kind, bool exact, uint64_t address, struct charge *k,
                  struct requests *on_behalf)
{
    const struct level *l2 = &c->level[WCET_L2];
    bool looks = l2->keeps && (kind == CACHE_READ || (kind == CACHE_ATOMIC && l2->back));
    bool lasts = stays(l2, 0, address);
    request(k, on_behalf, WCET_L2, 1);
    if (!looks) {
        bool served = l2->back; /* a write */
        respond_from(k, served ? WCET_L2 : WCET_MEMORY);
        request(k, on_behalf, WCET_MEMORY, !served ? 1 : lasts ? 0 : l2->written);
    } else if (!lasts || !exact) {
        c->counts.at[WCET_L2].misses++;
        respond_from(k, WCET_MEMORY);
        request(k, on_behalf, WCET_MEMORY, 1 + l2->written);
    } else {
        struct wcet_sector *s = sector_at(c, WCET_L2, address);
        bool there = known(c, s, k);
        *(there ? &c->counts.at[WCET_L2].hits : &c->counts.at[WCET_L2].first) += 1;
        respond_from(k, there ? WCET_L2 : WCET_MEMORY);
        if (there)
            return;
        k->own.to[WCET_MEMORY]++;
        fetch(c, WCET_L2, s, &(struct requests){.to[WCET_MEMORY] = 1});
    }
}

/* Charges the write-back of a dirty line that L1 replaces. The sectors of L2 that it writes are not known. */
static void write_back(const struct wcet_caches *c, struct charge *k)
{
    const struct level *l2 = &c->level[WCET_L2];
    uint64_t sectors = c->level[WCET_L1].written;
    request(k, &k->fixed, WCET_L2, sectors);
    request(k, &k->fixed, WCET_MEMORY, sectors * (l2->back ? l2->written : 1));
}

static void at_l1(struct wcet_caches *c, enum cache_kind kind, uint64_t address, struct charge *k)
{
    const struct level *l1 = &c->level[WCET_L1];
    bool lasts = stays(l1, l1_of(c), address), exact = l1->sector_bytes <= c->level[WCET_L2].sector_bytes;
    request(k, &k->fixed, WCET_L1, 1);
    respond_from(k, WCET_L1);
    if (l1->back && !lasts)
        write_back(c, k);
    if (kind != CACHE_READ) {
        if (!l1->back)
            at_l2(c, kind, true, address, k, &k->fixed);
        return;
    }
    if (!lasts) {
        c->counts.at[WCET_L1].misses++;
        at_l2(c, kind, exact, address, k, &k->fixed);
        return;
    }
    struct wcet_sector *s = sector_at(c, WCET_L1, address);
    bool there = known(c, s, k);
    *(there ? &c->counts.at[WCET_L1].hits : &c->counts.at[WCET_L1].first) += 1;
    if (there)
        return;
    struct requests fetched = {0};
    at_l2(c, kind, exact, address, k, &fetched);
    fetch(c, WCET_L1, s, &fetched);
}

/* Records the sectors that are certain to be present or in flight after this access. */
static void note_requests(struct wcet_caches *c, const struct wcet_transactions *list, uint64_t address)
{
    const struct level *l1 = &c->level[WCET_L1], *l2 = &c->level[WCET_L2];
    bool in_l1 = l1->keeps && list->through_l1, in_l2;
    if (in_l1 && (list->kind == CACHE_READ || l1->back) && stays(l1, l1_of(c), address))
        note_request(c, WCET_L1, address);
    if (!in_l1)
        in_l2 = list->kind == CACHE_READ || l2->back;
    else if (list->kind == CACHE_READ)
        in_l2 = !l1->back && l1->sector_bytes <= l2->sector_bytes;
    else
        in_l2 = !l1->back && l2->back;
    if (in_l2 && stays(l2, 0, address))
        note_request(c, WCET_L2, address);
}

bool wcet_caches_charge(struct wcet_caches *c, const struct wcet_transactions *list, struct wcet_op *op,
                        struct rp_error *err)
{
    struct charge k = {0};
    uint64_t ports = 0;
    if (!list->count)
        return true;
    if (!wcet_sectors_reserve(&c->sectors, 4 * (uint64_t)list->count, err))
        return false;
    c->asked_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (c->level[WCET_L1].keeps && list->through_l1)
            at_l1(c, list->kind, list->address[i], &k);
        else
            at_l2(c, list->kind, true, list->address[i], &k, &k.fixed);
        note_requests(c, list, list->address[i]);
    }
    for (unsigned i = 0; i < WCET_LEVELS; i++)
        c->counts.requests[i] += k.fixed.to[i];
    enum wcet_level deepest = c->asked_count ? WCET_MEMORY : k.depth; /* its fetches may have to wait at all levels */
    for (unsigned i = 0; i <= deepest; i++)
        ports += c->level[i].interval;
    op->occupancy = (uint32_t)cycles_of(c, &k.own);
    op->fixed = (uint32_t)cycles_of(c, &k.fixed);
    op->waits = op->occupancy || ports;
    op->duration = op->occupancy + (uint32_t)c->level[k.depth].latency;
    op->asked = op->occupancy + (uint32_t)c->level[WCET_MEMORY].latency;
    op->time = k.time;
    op->chain = k.chain;
    return true;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

struct wcet_fetches wcet_caches_fetches(const struct wcet_caches *c, uint32_t warp) { return c->fetches[warp]; }
uint64_t wcet_caches_fetches_of_launch(const struct wcet_caches *c) { return c->fetched; }
const struct wcet_cache_counts *wcet_caches_counts(const struct wcet_caches *c) { return &c->counts; }
