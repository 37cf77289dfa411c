/* The identity of a result: all that it depends on, as lines of text. Replays with the same identity have the same
 * result. */
#ifndef REPRISE_TOOLS_RESULTS_IDENTITY_H
#define REPRISE_TOOLS_RESULTS_IDENTITY_H

#include "replay/session/replay.h"

#define RESULT_IDENTITY 512

/* Whether a result with these options can be in a cache: it is one whole replay from idle caches, without an observer.
 */
bool result_can_be_kept(const struct replay_options *);

/* Writes the identity: the tool's version and the hash of its timing model's sources, the trace's SHA-256, the
 * machine's hash, the engine, the launch, and the options that change the result on this machine. Reads the whole file
 * of the trace once. */
bool result_identity(struct rp_trace *, const struct machine *, const struct replay_options *,
                     char text[RESULT_IDENTITY], struct rp_error *);

/* SHA-256 of the text, in hex. */
void result_key(const char *identity, char key[65]);

#endif
