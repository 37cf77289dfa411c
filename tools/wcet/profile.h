/* The phases and instruction times of all warps, written to a file during the analysis, and kept for JSON. */
#ifndef REPRISE_TOOLS_WCET_PROFILE_H
#define REPRISE_TOOLS_WCET_PROFILE_H

#include "tools/wcet/analysis.h"

/* ---- files ---------------------------------------------------------------------------------------------------------
 * CSV with a heading and a line per phase, or a message Profile of tools/wcet/phases.proto. The file's name decides:
 * .pb is protobuf, anything else CSV. The file is written whole or not at all. Warps are in the order of block and
 * number, in whatever order the sections of a block are reported. One block's part of the file is held in memory. */
struct wcet_profile_file;
struct wcet_profile_file *wcet_profile_open(const char *path, const struct rp_trace *, const struct machine *,
                                            struct rp_error *);
/* Whether the file also has the times of instructions. */
bool wcet_profile_has_instants(const struct wcet_profile_file *);

/* A launch begins, is reported section by section, one block after the other, and ends. wcet_profile_file_end reports
 * earlier errors. */
void wcet_profile_file_begin(struct wcet_profile_file *, uint32_t launch, const struct rp_kernel *);
void wcet_profile_file_phase(struct wcet_profile_file *, const struct wcet_location *, const struct wcet_phase *);
void wcet_profile_file_instant(struct wcet_profile_file *, const struct wcet_location *, const struct wcet_instant *);
bool wcet_profile_file_end(struct wcet_profile_file *, struct rp_error *);

/* Frees it in any case. Without `keep` no file is left. */
bool wcet_profile_close(struct wcet_profile_file *, bool keep, struct rp_error *);

/* ---- the watch of an analysis ------------------------------------------------------------------------------------ */

struct wcet_profile_phase {
    struct wcet_location place;
    struct wcet_phase phase;
};

/* The caller sets the first two fields; all others are zero. */
struct wcet_profile {
    struct wcet_profile_file *file; /* NULL: none is written */
    bool keep;                      /* also keep the phases of a launch */
    struct wcet_profile_phase *phases;
    size_t phase_count, phase_capacity;
    bool failed; /* out of memory */
};

/* The watch for wcet_analyse. */
struct wcet_watch wcet_profile_watch(struct wcet_profile *);
/* Call these before and after each launch. wcet_profile_end sorts the kept phases by block, warp and time. */
void wcet_profile_begin(struct wcet_profile *, uint32_t launch, const struct rp_kernel *);
bool wcet_profile_end(struct wcet_profile *, struct rp_error *);
/* Does not touch the file. */
void wcet_profile_free(struct wcet_profile *);

#endif
