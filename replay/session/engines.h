/* Which engines there are. */
#ifndef REPRISE_REPLAY_SESSION_ENGINES_H
#define REPRISE_REPLAY_SESSION_ENGINES_H

#include "replay/engines/engine.h"

/* All of them, the list ends in NULL. */
extern const struct engine *const engines[];

/* The engine that runs this machine in this mode. Every machine that was opened has one. */
const struct engine *engine_of(const struct machine *, enum replay_engine);
/* Their pipelines, each once, the one of machines that name none first; the list ends in NULL. */
const struct model *const *engine_pipelines(void);
/* Does the machine fit the engine that it names, and do the others' parts stay away from it? */
bool engines_fit(const struct machine *, struct machine_misfit *out);

#endif
