#include "tools/wcet/profile.h"

#include <stdlib.h>
#include <string.h>

#include "tools/wcet/grow.h"

static void on_phase(void *data, const struct wcet_location *place, const struct wcet_phase *phase)
{
    struct wcet_profile *p = data;
    if (p->file)
        wcet_profile_file_phase(p->file, place, phase);
    if (!p->keep)
        return;
    if (!wcet_grow((void **)&p->phases, p->phase_count + 1, &p->phase_capacity, sizeof *p->phases)) {
        p->failed = true;
        return;
    }
    p->phases[p->phase_count++] = (struct wcet_profile_phase){*place, *phase};
}

static void on_instant(void *data, const struct wcet_location *place, const struct wcet_instant *instant)
{
    wcet_profile_file_instant(((struct wcet_profile *)data)->file, place, instant);
}

struct wcet_watch wcet_profile_watch(struct wcet_profile *p)
{
    bool instants = p->file && wcet_profile_has_instants(p->file);
    return (struct wcet_watch){
        .phase = p->file || p->keep ? on_phase : NULL, .instant = instants ? on_instant : NULL, .data = p};
}

void wcet_profile_free(struct wcet_profile *p)
{
    free(p->phases);
    *p = (struct wcet_profile){0};
}

/* ---- order ---------------------------------------------------------------------------------------------------------
 */

/* The phases of one warp in one section: contiguous, and in the order of time. */
struct stretch {
    struct wcet_location place;
    size_t first, count; /* phases */
};

static int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_warp(const void *a, const void *b)
{
    const struct wcet_location *x = &((const struct stretch *)a)->place, *y = &((const struct stretch *)b)->place;
    int c = order(x->block, y->block);
    c = c ? c : order(x->warp, y->warp);
    return c ? c : order(x->section, y->section);
}

static bool same(const struct wcet_location *a, const struct wcet_location *b)
{
    return a->block == b->block && a->warp == b->warp && a->section == b->section;
}

/* Divides the phases into stretches; NULL: out of memory. */
static struct stretch *stretches_of(const struct wcet_profile *p, size_t *found)
{
    struct stretch *list = NULL;
    size_t capacity = 0;
    *found = 0;
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct wcet_location *place = &p->phases[i].place;
        if (*found && same(place, &list[*found - 1].place)) {
            list[*found - 1].count++;
            continue;
        }
        if (!wcet_grow((void **)&list, *found + 1, &capacity, sizeof *list)) {
            free(list);
            return NULL;
        }
        list[(*found)++] = (struct stretch){*place, i, 1};
    }
    return list;
}

/* Sorts the few stretches, and copies the many phases once. */
static bool sort(struct wcet_profile *p)
{
    size_t n = 0, at = 0;
    if (!p->phase_count)
        return true;
    struct stretch *list = stretches_of(p, &n);
    struct wcet_profile_phase *sorted = list ? malloc(p->phase_count * sizeof *sorted) : NULL;
    if (!sorted) {
        free(list);
        return false;
    }
    qsort(list, n, sizeof *list, by_warp);
    for (size_t i = 0; i < n; at += list[i++].count)
        memcpy(sorted + at, p->phases + list[i].first, list[i].count * sizeof *sorted);
    free(list);
    free(p->phases);
    p->phases = sorted;
    p->phase_capacity = p->phase_count;
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

void wcet_profile_begin(struct wcet_profile *p, uint32_t launch, const struct rp_kernel *k)
{
    p->phase_count = 0;
    if (p->file)
        wcet_profile_file_begin(p->file, launch, k);
}

bool wcet_profile_end(struct wcet_profile *p, struct rp_error *err)
{
    if (p->file && !wcet_profile_file_end(p->file, err))
        return false;
    p->failed |= !sort(p);
    return !p->failed || rp_fail(err, RP_SYSTEM, "out of memory for the phases of a launch");
}
