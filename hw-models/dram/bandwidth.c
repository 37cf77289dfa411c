/* A fixed latency, and a bandwidth that need not be a whole number of bytes or cycles. A request of n sectors arrives
 * at cycle c and begins at s = max(c, free) in exact time. It keeps the bus for n × sector / bytes_per_cycle; then free
 * = s + that, and the request is done at roundup(free) + latency. Option `queue` bounds how many wait for their begin.
 */
#include "hw-models/dram/counters.h"
#include "hw-models/dram/dram.h"

enum { LATENCY, BYTES, SECTOR, QUEUE };
#define LONGEST_QUEUE 256
#define UNIT 20 /* fraction bits of times */
static const struct model_option options_of[] = {
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 200, NULL,
                 "from the end of a request's transfer to its answer"},
    [BYTES] = {"bytes_per_cycle", OPTION_FRACTION, "bytes", FRACTION_ONE / 1000, FRACTION(100000), FRACTION(32), NULL,
               "bandwidth of a channel, per cycle of the core clock"},
    [SECTOR] = {"sector", OPTION_INTEGER, "bytes", 16, 4096, 32, NULL, "that a request moves for each of its sectors"},
    [QUEUE] = {"queue", OPTION_INTEGER, "requests", -1, LONGEST_QUEUE, -1, NULL,
               "that a channel takes before they begin; -1: any number"},
};

static const struct model_counter counters_of[DRAM_TRANSFERS] = {DRAM_TRANSFER_COUNTERS(DRAM_COUNTER_ROW)};

struct bandwidth {
    uint64_t latency, interval, free; /* interval, free: in units of 2^-UNIT cycles */
    uint64_t queue;                   /* 0: any number */
    uint64_t count;                   /* requests so far */
    uint64_t counts[DRAM_TRANSFERS];
    uint64_t begins[LONGEST_QUEUE]; /* begins of the last `queue` requests, in whole cycles, at count modulo queue */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct bandwidth);
}

static void reset(void *state, const int64_t *options)
{
    unsigned __int128 bytes = (unsigned __int128)options[SECTOR] * FRACTION_ONE << UNIT;
    *(struct bandwidth *)state = (struct bandwidth){.latency = (uint64_t)options[LATENCY],
                                                    .interval = (uint64_t)(bytes / (uint64_t)options[BYTES]),
                                                    .queue = options[QUEUE] > 0 ? (uint64_t)options[QUEUE] : 0};
}

static enum dram_status offer(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    struct bandwidth *b = state;
    uint64_t *begin = b->queue ? &b->begins[b->count % b->queue] : NULL;
    if (begin && b->count >= b->queue && *begin >= now) {
        *cycle = *begin + 1;
        return DRAM_FULL;
    }
    uint64_t at = now << UNIT > b->free ? now << UNIT : b->free;
    b->free = at + b->interval * request->sectors;
    if (begin)
        *begin = at >> UNIT;
    b->count++;
    b->counts[DRAM_READS + request->write] += request->sectors;
    *cycle = ((b->free + (1ull << UNIT) - 1) >> UNIT) + b->latency;
    return DRAM_DONE;
}

static uint64_t *counted(void *state, uint64_t now)
{
    (void)now;
    return ((struct bandwidth *)state)->counts;
}

static uint64_t ahead(const int64_t *options) { return (uint64_t)options[LATENCY]; }
static bool may_refuse(const int64_t *options) { return options[QUEUE] > 0; }
static bool is_fixed(const int64_t *options)
{
    (void)options;
    return false;
}

static const char *check(const int64_t *options) { return options[QUEUE] ? NULL : "queue must not be 0"; }

const struct dram_model dram_bandwidth = {
    .model = {.name = "bandwidth",
              .help = "fixed latency, bytes per cycle",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check,
              .counters = counters_of,
              .counter_count = DRAM_TRANSFERS,
              .counted = counted},
    .reset = reset,
    .offer = offer,
    .ahead = ahead,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
};
