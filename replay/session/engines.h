/* The list of engines. */
#ifndef REPRISE_REPLAY_SESSION_ENGINES_H
#define REPRISE_REPLAY_SESSION_ENGINES_H

#include "replay/engines/engine.h"

/* All engines; the list ends in NULL. */
extern const struct engine *const engines[];

/* The engine that runs this machine in this mode. Every machine that was opened has one. */
const struct engine *engine_of(const struct machine *, enum replay_engine);
/* The pipelines of the engines, each once; the default comes first; the list ends in NULL. */
const struct model *const *engine_pipelines(void);
/* Checks that the machine fits its engine, and that it has no parts that only other engines support. */
bool engines_fit(const struct machine *, struct machine_misfit *out);

#endif
