/* A partially pipelined unit (ECRTS 2025, "Multi-Phase" WCET, hardware features 3 and 5): an instruction occupies it
 * for its initiation, and then the next one may start. Latencies overlap.
 *
 * Instructions that issue to a busy unit wait in its dispatch queue, in order. Option `queue` bounds how many wait. 0:
 * an instruction issues only to a free unit. -1: any number may wait (ECRTS, Example 3: i2 is issued at cycle 2 though
 * its unit is busy until cycle 4). Dispatch is at max(issue, unit free).
 *
 * Sub-cores that share a unit share its queue. Of those that want it in the same cycle the one with the lowest number
 * is first.
 */
#include "hw-models/unit/pipelined.h"

enum { QUEUE, SUBCORES };

static const struct model_option options_of[] = {
    [QUEUE] = {"queue", OPTION_INTEGER, "instructions", -1, PIPELINED_LONGEST_QUEUE, 0, NULL,
               "issued instructions that may wait for the unit; -1: any number"},
    [SUBCORES] = {"subcores", OPTION_INTEGER, "", 1, 16, 1, NULL,
                  "neighbouring sub-cores that share the unit, and its queue; all, if an SM has fewer"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct pipelined);
}

static void reset(void *state, const int64_t *options)
{
    *(struct pipelined *)state = (struct pipelined){.queue = options[QUEUE]};
}

static uint64_t accepts(const void *state, uint64_t now) { return pipelined_accepts(state, now); }

static uint64_t dispatch(void *state, uint64_t now, uint32_t initiation)
{
    return pipelined_dispatch(state, now, initiation);
}

static uint32_t sharers(const int64_t *options) { return (uint32_t)options[SUBCORES]; }

const struct unit_model unit_pipelined = {
    .model = {.name = "pipelined",
              .help = "one initiation at a time, latencies overlap",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .reset = reset,
    .accepts = accepts,
    .dispatch = dispatch,
    .sharers = sharers,
};
