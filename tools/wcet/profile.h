/* The phases and instruction times of all warps, kept for output. */
#ifndef REPRISE_TOOLS_WCET_PROFILE_H
#define REPRISE_TOOLS_WCET_PROFILE_H

#include "tools/wcet/analysis.h"

struct wcet_profile_phase {
    struct wcet_place place;
    struct wcet_phase phase;
};
struct wcet_profile_instant {
    struct wcet_place place;
    struct wcet_instant instant;
};

struct wcet_profile {
    uint32_t launch;
    bool instants_too;
    struct wcet_profile_phase *phases; /* in the order of block, section, warp, time, until they are sorted */
    size_t phase_count, phase_capacity;
    struct wcet_profile_instant *instants;
    size_t instant_count, instant_capacity;
    bool failed; /* out of memory */
};

/* What to give to wcet_analyse. The profile holds one launch at a time. */
struct wcet_watch wcet_profile_watch(struct wcet_profile *);
void wcet_profile_clear(struct wcet_profile *, uint32_t launch);
void wcet_profile_free(struct wcet_profile *);

/* Order by block and warp, then section: what readers of a warp's story want. Sets `failed` when out of memory. */
void wcet_profile_sort(struct wcet_profile *);

/* Output to files: CSV with a heading, a line a phase; or messages of tools/wcet/phases.proto, one per launch. The
 * file's name decides: .pb is protobuf, anything else CSV. Written whole or not at all. */
struct wcet_profile_file;
struct wcet_profile_file *wcet_profile_open(const char *path, const struct rp_trace *, const struct machine *,
                                            struct rp_error *);
/* Whether the file tells the times of instructions, too. */
bool wcet_profile_tells_instants(const struct wcet_profile_file *);
bool wcet_profile_write(struct wcet_profile_file *, const struct rp_kernel *, const struct wcet_profile *,
                        struct rp_error *);
/* Frees in every case; without `keep`, no file is left. */
bool wcet_profile_close(struct wcet_profile_file *, bool keep, struct rp_error *);

#endif
