/* Which runs a process carries out, where several sweeps write into one database.
 *
 * A claim is a lock on a byte of a file beside the database, whose offset is a hash of the run's key. Locks end with
 * the process, however that ends, so that what a killed sweep was replaying is free at once. They depend on no clock.
 * Where the system has no such locks every claim succeeds: runs may be replayed twice then, and are kept once.
 */
#ifndef REPRISE_TOOLS_SWEEP_CLAIMS_H
#define REPRISE_TOOLS_SWEEP_CLAIMS_H

#include <stdbool.h>

struct claims {
    char *path;
    int file; /* below 0: there is none */
};

/* Of the database. */
void claims_open(struct claims *, const char *database);
/* Gives all claims back. The file goes if nobody else has one. */
void claims_close(struct claims *);

/* False: another process has the run, or two runs have one hash. */
bool claims_take(struct claims *, const char *key);
void claims_give_back(struct claims *, const char *key);

#endif
