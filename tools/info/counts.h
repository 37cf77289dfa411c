/* Counts over a trace, for printing. */
#ifndef REPRISE_TOOLS_INFO_COUNTS_H
#define REPRISE_TOOLS_INFO_COUNTS_H

#include "tracefmt/reader.h"

/* Sums over all launches. */
struct info_sums {
    uint64_t blocks, warp_instructions, thread_instructions;
};
struct info_sums info_add_up(const struct rp_trace *);

/* Operations of the host, by kind. */
struct info_host_counts {
    uint64_t count[RP_HOST_KIND_COUNT], bytes[RP_HOST_KIND_COUNT];
};
struct info_host_counts info_count_host(const struct rp_trace *);

/* Counts a launch's instructions by class. It decodes the launch, and shows progress. */
bool info_count_classes(struct rp_trace *, uint32_t launch, struct rp_class_counts *, struct rp_error *);

/* Bits per instruction; 0 without instructions. */
double info_bits(uint64_t bytes, uint64_t instructions);
/* "complete", "fault"; "cut short" for NULL. */
const char *info_outcome(const struct rp_launch_end *);

#endif
