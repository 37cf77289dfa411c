/* The phases and instruction times of all warps: written to a file as the analysis goes, and kept for JSON. */
#ifndef REPRISE_TOOLS_WCET_PROFILE_H
#define REPRISE_TOOLS_WCET_PROFILE_H

#include "tools/wcet/analysis.h"

/* ---- files ---------------------------------------------------------------------------------------------------------
 * CSV with a heading, a line a phase; or a message Profile of tools/wcet/phases.proto. The file's name decides: .pb is
 * protobuf, anything else CSV. Written whole or not at all. Warps are in the order of block and number, whatever the
 * order in which the sections of a block are told; what is held in memory is a block's part of the file. */
struct wcet_profile_file;
struct wcet_profile_file *wcet_profile_open(const char *path, const struct rp_trace *, const struct machine *,
                                            struct rp_error *);
/* Whether the file tells the times of instructions, too. */
bool wcet_profile_tells_instants(const struct wcet_profile_file *);

/* A launch begins; is told of section by section, one block after the other; and ends, which says what went wrong. */
void wcet_profile_file_begin(struct wcet_profile_file *, uint32_t launch, const struct rp_kernel *);
void wcet_profile_file_phase(struct wcet_profile_file *, const struct wcet_place *, const struct wcet_phase *);
void wcet_profile_file_instant(struct wcet_profile_file *, const struct wcet_place *, const struct wcet_instant *);
bool wcet_profile_file_end(struct wcet_profile_file *, struct rp_error *);

/* Frees in every case; without `keep`, no file is left. */
bool wcet_profile_close(struct wcet_profile_file *, bool keep, struct rp_error *);

/* ---- what an analysis is watched with ---------------------------------------------------------------------------- */

struct wcet_profile_phase {
    struct wcet_place place;
    struct wcet_phase phase;
};

/* Zeroed but for the first two, which the caller sets. */
struct wcet_profile {
    struct wcet_profile_file *file; /* to write to; NULL: none */
    bool keep;                      /* the phases of a launch, too */
    struct wcet_profile_phase *phases;
    size_t phase_count, phase_capacity;
    bool failed; /* out of memory */
};

/* What to give to wcet_analyse. */
struct wcet_watch wcet_profile_watch(struct wcet_profile *);
/* Before and after each launch. After it, the phases that are kept are in the order of block, warp and time. */
void wcet_profile_begin(struct wcet_profile *, uint32_t launch, const struct rp_kernel *);
bool wcet_profile_end(struct wcet_profile *, struct rp_error *);
/* Leaves the file as it is. */
void wcet_profile_free(struct wcet_profile *);

#endif
