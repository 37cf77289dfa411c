#include "tools/wcet/profile.h"

#include <stdlib.h>

static bool grow(void **list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity ? 2 * *capacity : 256;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *capacity = more;
    return true;
}

static void on_phase(void *data, const struct wcet_place *place, const struct wcet_phase *phase)
{
    struct wcet_profile *p = data;
    if (!grow((void **)&p->phases, p->phase_count, &p->phase_capacity, sizeof *p->phases)) {
        p->failed = true;
        return;
    }
    p->phases[p->phase_count++] = (struct wcet_profile_phase){place->block, place->warp, place->section, *phase};
}

static void on_instant(void *data, const struct wcet_place *place, const struct wcet_instant *instant)
{
    struct wcet_profile *p = data;
    if (!grow((void **)&p->instants, p->instant_count, &p->instant_capacity, sizeof *p->instants)) {
        p->failed = true;
        return;
    }
    p->instants[p->instant_count++] =
        (struct wcet_profile_instant){place->block, place->warp, place->section, *instant};
}

struct wcet_watch wcet_profile_watch(struct wcet_profile *p)
{
    return (struct wcet_watch){.phase = on_phase, .instant = p->instants_too ? on_instant : NULL, .data = p};
}

void wcet_profile_clear(struct wcet_profile *p, uint32_t launch)
{
    p->launch = launch;
    p->phase_count = p->instant_count = 0;
}

void wcet_profile_free(struct wcet_profile *p)
{
    free(p->phases);
    free(p->instants);
    *p = (struct wcet_profile){0};
}

static int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_warp(const void *a, const void *b)
{
    const struct wcet_profile_phase *x = a, *y = b;
    int c = order(x->block, y->block);
    c = c ? c : order(x->warp, y->warp);
    c = c ? c : order(x->section, y->section);
    return c ? c : order(x->phase.start, y->phase.start);
}

static int instants_by_warp(const void *a, const void *b)
{
    const struct wcet_profile_instant *x = a, *y = b;
    int c = order(x->block, y->block);
    c = c ? c : order(x->warp, y->warp);
    c = c ? c : order(x->section, y->section);
    return c ? c : order(x->instant.issue, y->instant.issue);
}

void wcet_profile_sort(struct wcet_profile *p)
{
    if (p->phase_count)
        qsort(p->phases, p->phase_count, sizeof *p->phases, by_warp);
    if (p->instant_count)
        qsort(p->instants, p->instant_count, sizeof *p->instants, instants_by_warp);
}
