/* Tables of GPGPU-Sim's options. Defaults are those of GPGPU-Sim 4.2. */
#ifndef REPRISE_TOOLS_GPGPUSIM_TABLES_H
#define REPRISE_TOOLS_GPGPUSIM_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the machine whose model is "staged". */
enum gpgpusim_part { PART_PIPELINE, PART_L1, PART_L2, PART_DRAM };

/* An option of such a part that is a whole number. */
struct gpgpusim_number {
    const char *name;
    enum gpgpusim_part part;
    unsigned id; /* STAGED_..., STAGED_CACHE_..., STAGED_DRAM_... */
    int64_t fallback;
    bool per_subcore; /* the configuration gives it for a whole SM */
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

/* Options that have one value with a staged pipeline. */
struct gpgpusim_expected {
    const char *name, *value, *here; /* "A|B": either; "N": the number of sub-cores */
};
extern const struct gpgpusim_expected gpgpusim_expected[];
extern const size_t gpgpusim_expected_count;

/* Options without an effect on cycles here; a name may end in "*". */
extern const char *const gpgpusim_without_effect[];
extern const size_t gpgpusim_without_effect_count;

/* Options that must be given. */
extern const char *const gpgpusim_required[];
extern const size_t gpgpusim_required_count;

/* Lines of the machine file that are always the same. */
extern const char *const gpgpusim_parts[];
extern const size_t gpgpusim_parts_count;

/* Instructions whose latency is given by one option. */
struct gpgpusim_group {
    const char *unit;
    const char *trace; /* in trace mode: an option, or the name of a specialised unit; NULL: none */
    const char *ptx_latency, *ptx_initiation; /* else: lists of latencies, and the index in them; NULL: none */
    unsigned index;
    const struct gpgpusim_group *otherwise; /* the group that they belong to without either */
    int64_t latency, initiation;            /* fixed values, or 0 */
    int64_t initiation_of_trace;            /* replaces the option's initiation; 0: none */
};
extern const struct gpgpusim_group gpgpusim_groups[];

struct gpgpusim_class {
    const char *name;
    unsigned group;
};
extern const struct gpgpusim_class gpgpusim_classes[], gpgpusim_spaces[];
extern const size_t gpgpusim_class_count, gpgpusim_space_count;

#endif
