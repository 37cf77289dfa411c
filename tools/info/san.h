/* reprise info --san: what each warp did as the ids of the SAN model's Table 1 (F. Terrosi, F. Mariotti, P. Lollini and
 * A. Bondavalli, "Modeling of GPGPU architectures for performance analysis of CUDA programs", 2023), and beside them
 * the registers that each instruction activates or releases, as its WARP and REGISTER_FILE models are initialised.
 *
 *     0 local load   2 global load    4 integer   6 barrier
 *     1 local store  3 global store   5 float
 *
 * Shared memory counts as local. An atomic is a load and a store; its registers go with the store. Texture is a global
 * load; an asynchronous copy has an id for each side. What reads constants or parameters is integer, and so is all that
 * Table 1 does not name but for arithmetic on floats (half to double precision, special functions, conversions with a
 * double, matrices). What ends a whole path (EXIT without a guard) is left out: it executes nothing. These are the
 * rules of the machines san-*.
 */
#ifndef REPRISE_TOOLS_INFO_SAN_H
#define REPRISE_TOOLS_INFO_SAN_H

#include "tracefmt/reader.h"

enum san_id { SAN_LOCAL_LOAD, SAN_LOCAL_STORE, SAN_GLOBAL_LOAD, SAN_GLOBAL_STORE, SAN_INTEGER, SAN_FLOAT, SAN_BARRIER };

/* The ids of an executed instruction. Returns their number, at most SAN_MOST. */
#define SAN_MOST 32
unsigned san_ids(const struct rp_launch *, const struct rp_step *, uint8_t ids[SAN_MOST]);

struct san_request {
    const char *file;
    struct rp_trace *trace;
    int64_t launch; /* -1: all */
};
/* Consecutive warps with the same ids and changes share a row. */
int san_print(const struct san_request *);
int san_print_json(const struct san_request *);

#endif
