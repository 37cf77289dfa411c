/* What is known of GPGPU-Sim's options, as tables. Defaults are those that GPGPU-Sim 4.2 has. */
#ifndef REPRISE_TOOLS_GPGPUSIM_TABLES_H
#define REPRISE_TOOLS_GPGPUSIM_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the machine whose model is "staged". */
enum gpgpusim_part { PART_PIPELINE, PART_L1, PART_L2, PART_DRAM };

/* A whole number that is an option of such a part. */
struct gpgpusim_number {
    const char *name;
    enum gpgpusim_part part;
    unsigned id; /* STAGED_..., STAGED_CACHE_..., STAGED_DRAM_... */
    int64_t fallback;
    bool per_subcore; /* it is given for all of an SM together */
};
extern const struct gpgpusim_number gpgpusim_numbers[];
extern const size_t gpgpusim_numbers_count;

/* The times of device memory in -gpgpu_dram_timing_opt. */
struct gpgpusim_time {
    const char *name;
    unsigned id;
};
extern const struct gpgpusim_time gpgpusim_times[];
extern const size_t gpgpusim_times_count;

/* What a staged pipeline always is. */
struct gpgpusim_expected {
    const char *name, *value, *here; /* "A|B": either; "N": the number of sub-cores */
};
extern const struct gpgpusim_expected gpgpusim_expected[];
extern const size_t gpgpusim_expected_count;

/* Options that no cycle here depends on; a name may end in "*". */
extern const char *const gpgpusim_without_effect[];
extern const size_t gpgpusim_without_effect_count;

/* Without these there is no machine. */
extern const char *const gpgpusim_required[];
extern const size_t gpgpusim_required_count;

/* Lines of the machine file that are always the same. */
extern const char *const gpgpusim_parts[];
extern const size_t gpgpusim_parts_count;

/* Instructions that one option gives the latency of. */
struct gpgpusim_group {
    const char *unit;
    const char *trace; /* in trace mode: an option, or the name of a specialised unit; NULL: none */
    const char *ptx_latency, *ptx_initiation; /* else: lists, and the place in them; NULL: none */
    unsigned place;
    const struct gpgpusim_group *otherwise; /* what they count as where there is neither */
    int64_t latency, initiation;            /* the same, or 0 */
    int64_t initiation_of_trace;            /* instead of the option's, or 0 */
};
extern const struct gpgpusim_group gpgpusim_groups[];

struct gpgpusim_class {
    const char *name;
    unsigned group;
};
extern const struct gpgpusim_class gpgpusim_classes[], gpgpusim_spaces[];
extern const size_t gpgpusim_class_count, gpgpusim_space_count;

#endif
