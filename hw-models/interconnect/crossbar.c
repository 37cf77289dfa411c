/* A crossbar in each direction, with queues at its outputs. Packets that leave different inputs for one output in the
 * same cycle arrive there, and take the output's link one after the other. GPCs may have links of their own between. */
#include "hw-models/interconnect/interconnect.h"

enum { FLIT, HEADER, REPLIES, SM_FLIT, GPC_OUT, GPC_IN };
static const struct model_option options_of[] = {
    [FLIT] = {"flit", OPTION_INTEGER, "bytes", 1, 4096, 32, NULL, "that a link moves in a cycle"},
    [HEADER] = {"header", OPTION_INTEGER, "bytes", 1, 4096, 8, NULL,
                "of each packet; writes and atomics carry a sector to L2, reads and atomics one back"},
    [REPLIES] = {"replies", OPTION_INTEGER, "packets", -1, 65536, -1, NULL,
                 "that wait for a slice's link before the slice looks up nothing more; -1: any number"},
    [SM_FLIT] = {"sm_flit", OPTION_INTEGER, "bytes", 0, 4096, 0, NULL,
                 "that the link from an SM to the slices moves in a cycle; 0: as flit"},
    [GPC_OUT] = {"gpc_out", OPTION_INTEGER, "bytes", 0, 65536, 0, NULL,
                 "of requests that all SMs of a GPC together send to the slices in a cycle; 0: any number"},
    [GPC_IN] = {"gpc_in", OPTION_INTEGER, "bytes", 0, 65536, 0, NULL,
                "of replies that all SMs of a GPC together get in a cycle; 0: any number"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void shape(const int64_t *o, struct interconnect_shape *out)
{
    *out = (struct interconnect_shape){.flit = (uint64_t)o[FLIT],
                                       .header = (uint64_t)o[HEADER],
                                       .sm_flit = (uint64_t)(o[SM_FLIT] ? o[SM_FLIT] : o[FLIT]),
                                       .gpc_out = (uint64_t)o[GPC_OUT],
                                       .gpc_in = (uint64_t)o[GPC_IN],
                                       .replies = o[REPLIES]};
}

static const char *check(const int64_t *o) { return o[REPLIES] ? NULL : "replies must not be 0"; }

const struct interconnect_model interconnect_crossbar = {
    .model = {.name = "crossbar",
              .help = "links of a width, queues at the outputs",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .shape = shape,
};
