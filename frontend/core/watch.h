/* Watching global memory while blocks may be going round: which words loads in the slice (slice.h) have read, and which
 * words stores and atomics may have changed. As long as no word is both, what the loads read stays as it is, pass after
 * pass, since the addresses of all accesses come again with the slice. */
#ifndef REPRISE_FRONTEND_CORE_WATCH_H
#define REPRISE_FRONTEND_CORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_ENTRIES 4096u

struct watch {
    bool met;                    /* a word that was read has been changed */
    bool lost;                   /* more words than there is room for */
    uint32_t count;              /* entries in use */
    uint64_t key[WATCH_ENTRIES]; /* word address + 1; 0: free */
    uint8_t how[WATCH_ENTRIES];
};

enum { WATCH_READ = 1, WATCH_CHANGED = 2 };

void watch_clear(struct watch *);
/* Notes an access of `bytes` at `address`. */
void watch_note(struct watch *, uint64_t address, uint32_t bytes, unsigned how);

/* The state to meet again is replaced at twice the number of turns each time (Brent's algorithm, BIT 20, 1980). */
struct turns {
    uint64_t count, replace_at;
    uint64_t fingerprint;
};
#define TURNS_QUIET 16 /* before fingerprints are taken */

/* Whether accesses are to be watched during the next turn. */
bool turns_watch(const struct turns *, const struct watch *);
/* After a turn; the state is asked for if it is needed. True: what is watched goes round for ever. */
bool turns_end(struct turns *, struct watch *, uint64_t (*state)(void *), void *data);

#endif
