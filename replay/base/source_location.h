/* The location of an instruction, for messages. */
#ifndef REPRISE_REPLAY_BASE_SOURCE_LOCATION_H
#define REPRISE_REPLAY_BASE_SOURCE_LOCATION_H

#include "tracefmt/trace.h"

#define LOCATION_BYTES 256
/* "instruction 7 (ld.global.u32 %r1, [%rd1]) of kernel k, sum.cu:12", without the source where the trace has none. */
void instruction_location(const struct rp_kernel *, uint32_t index, char text[LOCATION_BYTES]);

#endif
