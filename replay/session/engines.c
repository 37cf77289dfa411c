#include "replay/session/engines.h"

#include <pthread.h>
#include <stdio.h>

/* X(name): engine_NAME, in the folder NAME of replay/engines. */
#define ENGINES(X)                                                                                                     \
    X(fast)                                                                                                            \
    X(reference)                                                                                                       \
    X(staged)                                                                                                          \
    X(processors)                                                                                                      \
    X(cores)

#define ENGINE(name) extern const struct engine engine_##name;
ENGINES(ENGINE)
#undef ENGINE

const struct engine *const engines[] = {
#define ENGINE(name) &engine_##name,
    ENGINES(ENGINE)
#undef ENGINE
        NULL};

static const struct model *pipelines[MODEL_COUNT_OF(engines)];
static pthread_once_t listed = PTHREAD_ONCE_INIT;

static void list_pipelines(void)
{
    size_t count = 0;
    for (const struct engine *const *e = engines; *e; e++) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= pipelines[i] == (*e)->pipeline;
        if (!known)
            pipelines[count++] = (*e)->pipeline;
    }
}

const struct model *const *engine_pipelines(void)
{
    pthread_once(&listed, list_pipelines);
    return pipelines;
}

const struct engine *engine_of(const struct machine *m, enum replay_engine mode)
{
    for (const struct engine *const *e = engines; *e; e++)
        if ((*e)->pipeline == m->pipeline.model && (*e)->modes >> mode & 1)
            return *e;
    return NULL;
}

/* If copies of the host take time, the engine must run launches of several streams at once. */
static bool copies_fit(const struct machine *m, struct machine_misfit *out)
{
    const struct engine *e = engine_of(m, REPLAY_FAST);
    bool timed = m->copy_bandwidth || m->copy_device_bandwidth;
    if (!timed || e->capabilities & ENGINE_OVERLAPS)
        return true;
    out->keys[0] = m->copy_bandwidth ? "copy.bandwidth" : "copy.device_bandwidth";
    out->keys[1] = "pipeline.model";
    snprintf(out->text, sizeof out->text,
             "pipeline '%s' runs one launch after the other and has no time for copies: leave %s 0",
             m->pipeline.model->name, out->keys[0]);
    return false;
}

/* All engines check the machine, whatever its pipeline: some parts need a certain engine. */
bool engines_fit(const struct machine *m, struct machine_misfit *out)
{
    if (!engine_of(m, REPLAY_FAST) || !engine_of(m, REPLAY_REFERENCE)) {
        out->keys[0] = "pipeline.model";
        snprintf(out->text, sizeof out->text, "no engine carries out pipeline '%s'", m->pipeline.model->name);
        return false;
    }
    for (const struct engine *const *e = engines; *e; e++)
        if ((*e)->fits && !(*e)->fits(m, out))
            return false;
    return copies_fit(m, out);
}
