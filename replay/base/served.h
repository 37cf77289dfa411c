/* Where transactions end: by kind (enum sample_kind of hw-models/memory) and level, from the accesses of a replay
 * (observer.h). An atomic is a load and a store. */
#ifndef REPRISE_REPLAY_BASE_SERVED_H
#define REPRISE_REPLAY_BASE_SERVED_H

#include "hw-models/memory/memory.h"
#include "replay/base/observer.h"

struct served {
    uint64_t count[SAMPLE_KINDS][SAMPLE_LEVELS];
};

/* Any thread may call it. */
static inline void served_add(void *data, const struct observed_access *a)
{
    struct served *to = data;
    unsigned level = (unsigned)a->level - RESPONSE_L1 + LEVEL_L1;
    if (a->kind != CACHE_WRITE)
        __atomic_fetch_add(&to->count[a->local ? SAMPLE_LOCAL_LOAD : SAMPLE_GLOBAL_LOAD][level], 1, __ATOMIC_RELAXED);
    if (a->kind != CACHE_READ)
        __atomic_fetch_add(&to->count[a->local ? SAMPLE_LOCAL_STORE : SAMPLE_GLOBAL_STORE][level], 1, __ATOMIC_RELAXED);
}

/* A listener that adds to the counts. */
static inline struct observer served_observer(struct served *to)
{
    return (struct observer){.data = to, .concurrent = true, .access = served_add};
}

#endif
