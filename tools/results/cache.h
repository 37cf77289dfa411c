/* --cache DIR: results of replays in a folder, a file each, which later replays of the same take from there.
 *
 * A file is named by the SHA-256 of what its result depends on (identity.h) and ends in ".result". It is written under
 * another name and renamed, so that several processes may use a folder at once, and one that is killed leaves none that
 * is half written. It is not forced to the disk: what a power cut leaves is found damaged, and replayed again.
 */
#ifndef REPRISE_TOOLS_RESULTS_CACHE_H
#define REPRISE_TOOLS_RESULTS_CACHE_H

#include <pthread.h>

#include "tools/results/result.h"

struct result_cache {
    const char *folder; /* NULL: none; every result is replayed, and none is kept */
    bool quiet;         /* no warnings */
    pthread_mutex_t lock;
    size_t wanted, found; /* results that can be kept */
    bool cannot_write;    /* which has been said */
};

/* Makes the folder if it is not there. RP_USAGE: it is none, or cannot be made. */
bool result_cache_check(const char *folder, struct rp_error *);

void result_cache_begin(struct result_cache *, const char *folder, bool quiet);
/* Says on stderr how many results were there. */
void result_cache_end(struct result_cache *);

/* result_replay(), or the result of an earlier one: the same in every byte. A file that is damaged is replaced, with a
 * warning; one that cannot be written costs a warning. Of several threads. */
bool result_get(struct result_cache *, struct rp_trace *, const struct machine *, const struct replay_options *,
                struct result *, struct rp_error *);

#endif
