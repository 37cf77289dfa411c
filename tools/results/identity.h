/* What a result of a replay depends on, as lines of text: two replays with the same text have the same result. */
#ifndef REPRISE_TOOLS_RESULTS_IDENTITY_H
#define REPRISE_TOOLS_RESULTS_IDENTITY_H

#include "replay/session/replay.h"

#define RESULT_IDENTITY 512

/* Whether a result with these options can be kept: it is one whole replay from idle caches, and nobody listens. */
bool result_can_be_kept(const struct replay_options *);

/* The tool's version and the sources of its timing model, the trace's SHA-256, the machine's hash, the engine, the
 * launch, and of the options those that change the result on this machine. Reads the trace's file once. */
bool result_identity(struct rp_trace *, const struct machine *, const struct replay_options *,
                     char text[RESULT_IDENTITY], struct rp_error *);

/* SHA-256 of the text, in hex. */
void result_key(const char *identity, char key[65]);

#endif
