/* --cache DIR: a folder of results of replays, one per file. Later replays of the same read them from there.
 *
 * A file's name is the SHA-256 of what its result depends on (identity.h), with the ending ".result". The file is
 * written under another name and renamed, so that several processes may share a folder, and a process that is killed
 * leaves no incomplete file. Files are not forced to the disk: a file that a power cut damages is recognised, and
 * replayed again.
 */
#ifndef REPRISE_TOOLS_RESULTS_CACHE_H
#define REPRISE_TOOLS_RESULTS_CACHE_H

#include <pthread.h>

#include "tools/results/result.h"

struct result_cache {
    const char *folder; /* NULL: there is none; every result is replayed, and none is written */
    bool quiet;         /* no warnings */
    pthread_mutex_t lock;
    size_t wanted, found; /* results that were asked for and can be in a cache; those that were there */
    bool cannot_write;    /* a warning said so */
};

/* Makes the folder if it does not exist. RP_USAGE: it is no folder, or cannot be made. */
bool result_cache_check(const char *folder, struct rp_error *);

void result_cache_begin(struct result_cache *, const char *folder, bool quiet);
/* Prints on stderr how many results were in the folder. */
void result_cache_end(struct result_cache *);

/* Reads the result from the cache, or replays it with result_replay() and writes it there; the result is the same in
 * every byte. A damaged file is replaced, with a warning; a file that cannot be written costs a warning only. May be
 * called from several threads. */
bool result_get(struct result_cache *, struct rp_trace *, const struct machine *, const struct replay_options *,
                struct result *, struct rp_error *);

#endif
