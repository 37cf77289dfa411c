/* Opening machines, with the built-in models and all engines. */
#ifndef REPRISE_REPLAY_SESSION_MACHINE_OPEN_H
#define REPRISE_REPLAY_SESSION_MACHINE_OPEN_H

#include "replay/base/machine.h"

/* Errors name the file and line, or the setting. */
struct machine *machine_open(const struct machine_request *, struct rp_error *);
/* The same from the text of a machine file; `name` stands for the file in messages. */
struct machine *machine_parse(const struct machine_request *, const char *text, size_t size, struct rp_error *);

/* The models that machines may have: those of the set (NULL: the built-in ones), and the pipelines of the engines
 * unless the set has pipelines. */
struct model_set machine_models(const struct model_set *own);

#endif
