#include "tools/timeline/lives.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PIECE (2u << 20)

/* What is touched all over, in large pages where there are some. free() it; NULL: out of memory. */
static void *large_room(size_t size)
{
    size = (size + PIECE - 1) / PIECE * PIECE;
    void *room = aligned_alloc(PIECE, size);
    if (room)
        madvise(room, size, MADV_HUGEPAGE); /* without them only time is lost */
    return room;
}

bool lives_open(struct lives *l, uint64_t subcores, struct rp_error *err)
{
    *l = (struct lives){.list = large_room(LIVES_MOST * sizeof *l->list), .room = LIVES_MOST, .subcores = subcores};
    return l->list || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

void lives_close(struct lives *l)
{
    free(l->list);
    free(l->words);
    *l = (struct lives){0};
}

/* ---- issues ------------------------------------------------------------------------------------------------------ */

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b))                                                                                                    \
    return (a) < (b) ? -1 : 1

/* In one cycle a sub-core issues no more than one warp's instructions, in the order of their ends. */
static int compare_pair(const struct life *a, const struct life *b)
{
    COMPARE(a->dispatch, b->dispatch);
    COMPARE(a->done, b->done);
    COMPARE(a->index, b->index);
    return 0;
}

/* The earliest cycle, and whether the keys of all cycles behind it have room. */
static bool find_begin(struct lives *l, struct rp_error *err)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint64_t issue = l->list[i].issue;
        first = issue < first ? issue : first;
        last = issue > last ? issue : last;
    }
    l->begin = l->count ? first / l->subcores : 0;
    return !l->count || last - first < KEYED_KEY_MOST / 2 - UINT32_MAX ||
           rp_fail(err, RP_USAGE, "too many cycles for Konata; show less with --launch, --blocks or --cycles");
}

static void order_issues(struct lives *l, uint64_t *list, uint64_t *spare)
{
    uint64_t first = l->begin * l->subcores;
    for (uint32_t i = 0; i < l->count; i++)
        list[i] = keyed(l->list[i].issue - first, i);
    l->issues = sort_keyed(list, spare, l->count);
    for (uint32_t i = 1; i < l->count; i++) {
        uint64_t *two = &l->issues[i - 1], last = two[1];
        if (keyed_key(two[0]) == keyed_key(last) &&
            compare_pair(&l->list[keyed_number(two[0])], &l->list[keyed_number(last)]) > 0) {
            two[1] = two[0];
            two[0] = last;
        }
    }
}

/* ---- dispatches and ends ----------------------------------------------------------------------------------------- */

/* Warps that were met. Those that are on the machine together mostly have places of their own. */
#define WARP_PLACES 16384
struct met {
    uint64_t warp;
    uint32_t launch;
    bool taken;
};

static bool meet_first(struct met *met, const struct life *of)
{
    struct met *m = &met[of->warp % WARP_PLACES];
    bool first = !m->taken || m->warp != of->warp || m->launch != of->launch;
    *m = (struct met){of->warp, of->launch, true};
    return first;
}

#define AHEAD 16 /* lives, fetched into the cache while others are listed */

/* Writes both lists, and the cycles of issues in the place of their cycles and sub-cores. */
static void list_others(struct lives *l, struct met *met)
{
    uint64_t first = l->begin * l->subcores;
    l->dispatch_count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        __builtin_prefetch(&l->list[keyed_number(l->issues[i + AHEAD < l->count ? i + AHEAD : i])], 1);
        struct life *of = &l->list[keyed_number(l->issues[i])];
        uint64_t cycle = (of->issue - first) / l->subcores;
        of->first = meet_first(met, of);
        l->issues[i] = keyed(cycle, keyed_number(l->issues[i]));
        l->ends[i] = keyed(cycle + of->done, i);
        if (of->dispatch)
            l->dispatches[l->dispatch_count++] = keyed(cycle + of->dispatch, i);
    }
}

struct sorting {
    uint64_t *list, *spare;
    uint32_t count;
};

static void *sort_list(void *data)
{
    struct sorting *s = data;
    s->list = sort_keyed(s->list, s->spare, s->count);
    return NULL;
}

static void sort_others(struct lives *l, uint64_t *spare, uint64_t *second)
{
    struct sorting dispatches = {l->dispatches, second, l->dispatch_count};
    pthread_t helper;
    bool helped = !pthread_create(&helper, NULL, sort_list, &dispatches);
    l->ends = sort_keyed(l->ends, spare, l->count);
    if (helped)
        pthread_join(helper, NULL);
    else
        sort_list(&dispatches);
    l->dispatches = dispatches.list;
}

bool lives_order(struct lives *l, struct rp_error *err)
{
    size_t room = (size_t)l->count + 1;
    if (!find_begin(l, err))
        return false;
    struct met *met = calloc(WARP_PLACES, sizeof *met);
    l->words = large_room(5 * room * sizeof *l->words);
    if (met && l->words) {
        uint64_t *w = l->words;
        order_issues(l, w, w + room);
        l->ends = l->issues == w ? w + room : w;
        l->dispatches = w + 2 * room;
        list_others(l, met);
        sort_others(l, w + 3 * room, w + 4 * room);
    }
    free(met);
    return l->words && met ? true : rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}
