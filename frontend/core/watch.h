/* Watches global memory while blocks may be looping for ever: records which words loads in the slice (slice.h) read,
 * and which words stores and atomics may change. As long as no word is both, the loads read the same values in every
 * pass, because with equal slices all accesses have the same addresses again. */
#ifndef REPRISE_FRONTEND_CORE_WATCH_H
#define REPRISE_FRONTEND_CORE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_ENTRIES 4096u

struct watch {
    bool met;                    /* a word was both read and changed */
    bool lost;                   /* more words than fit */
    uint32_t count;              /* entries in use */
    uint64_t key[WATCH_ENTRIES]; /* word address + 1; 0: free */
    uint8_t how[WATCH_ENTRIES];
};

enum { WATCH_READ = 1, WATCH_CHANGED = 2 };

void watch_clear(struct watch *);
/* Notes an access of `bytes` bytes at `address`. */
void watch_note(struct watch *, uint64_t address, uint32_t bytes, unsigned how);

/* Detection of a repeated state. The state to compare with is replaced at twice the number of turns each time (Brent's
 * algorithm, BIT 20, 1980). */
struct turns {
    uint64_t count, replace_at;
    uint64_t fingerprint;
};
#define TURNS_QUIET 16 /* turns before fingerprints are taken */

/* Whether accesses must be watched during the next turn. */
bool turns_watch(const struct turns *, const struct watch *);
/* To be called after a turn. Calls `state` if it needs the fingerprint. True: the watched blocks loop for ever. */
bool turns_end(struct turns *, struct watch *, uint64_t (*state)(void *), void *data);

#endif
