/* A partially pipelined unit (ECRTS 2025, "Multi-Phase" WCET, hardware features 3 and 5): it is busy for an
 * instruction's initiation and takes the next one when that is over, while latencies overlap.
 *
 * Instructions may be issued to a busy unit and then wait in its dispatch queue, in order. Option `queue` bounds how
 * many wait: 0 means that an instruction issues only to a free unit, -1 that any number may wait (ECRTS, Example 3: i2
 * is issued at cycle 2 though its unit is busy until cycle 4). Dispatch is at max(issue, unit free).
 */
#include "hw-models/unit/unit.h"

enum { QUEUE };
#define LONGEST_QUEUE 64

static const struct model_option options_of[] = {
    [QUEUE] = {"queue", OPTION_INTEGER, "instructions", -1, LONGEST_QUEUE, 0, NULL,
               "issued instructions that may wait for the unit; -1: any number"},
};

struct pipelined {
    uint64_t free;                      /* the cycle in which the last initiation ends */
    int64_t queue;                      /* the option */
    uint64_t count;                     /* instructions dispatched so far */
    uint64_t dispatched[LONGEST_QUEUE]; /* dispatch cycles of the last `queue` instructions, by count modulo queue */
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

/* There is room when the unit is free, or when of the last `queue` instructions the first has left the queue. */
static uint64_t accepts(const void *state, uint64_t now)
{
    const struct pipelined *p = state;
    if (p->queue < 0 || p->free <= now)
        return now;
    if (p->queue == 0)
        return p->free;
    uint64_t first = p->count < (uint64_t)p->queue ? 0 : p->dispatched[p->count % (uint64_t)p->queue];
    return first > now ? first : now;
}

static uint64_t dispatch(void *state, uint64_t now, uint32_t initiation)
{
    struct pipelined *p = state;
    uint64_t at = p->free > now ? p->free : now;
    p->free = at + initiation;
    if (p->queue > 0)
        p->dispatched[p->count++ % (uint64_t)p->queue] = at;
    return at;
}

const struct unit_model unit_pipelined = {
    {.name = "pipelined",
     .help = "one initiation at a time, latencies overlap",
     .options = options_of,
     .option_count = MODEL_COUNT_OF(options_of),
     .state_size = state_size},
    reset,
    accepts,
    dispatch,
};
