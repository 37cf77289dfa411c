/* A fixed latency, and a fixed interval between the starts of two requests (the bandwidth). A request that arrives at
 * cycle c starts at s = max(c, free), is done at s + latency, and free = s + interval (× its sectors). Option `queue`
 * bounds how many wait for their start. The entry of a request that starts in cycle s is free from s + 1 on. */
#include "hw-models/dram/fixed.h"

enum { LATENCY, INTERVAL, QUEUE };
static const struct model_option options_of[] = {
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 200, NULL,
                 "from the start of a request to its answer"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                  "between the starts of two requests; 0: no limit to the bandwidth"},
    [QUEUE] = {"queue", OPTION_INTEGER, "requests", -1, FIXED_LONGEST_QUEUE, -1, NULL,
               "that a channel takes before they start; -1: any number"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct fixed);
}

static void reset(void *state, const int64_t *options)
{
    *(struct fixed *)state = (struct fixed){.latency = (uint64_t)options[LATENCY],
                                            .interval = (uint64_t)options[INTERVAL],
                                            .queue = options[QUEUE] > 0 ? (uint64_t)options[QUEUE] : 0};
}

static enum dram_status offer(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    struct fixed *f = state;
    uint64_t *start = f->queue ? &f->starts[f->count % f->queue] : NULL;
    if (start && f->count >= f->queue && *start >= now) {
        *cycle = *start + 1;
        return DRAM_FULL;
    }
    uint64_t at = fixed_start(f, request->sectors, now);
    if (start) {
        *start = at;
        f->count++;
    }
    *cycle = at + f->latency;
    return DRAM_DONE;
}

static uint64_t ahead(const int64_t *options) { return (uint64_t)options[LATENCY]; }
static bool may_refuse(const int64_t *options) { return options[QUEUE] > 0; }
static bool is_fixed(const int64_t *options) { return !options[INTERVAL] && !may_refuse(options); }

static const char *check(const int64_t *options) { return options[QUEUE] ? NULL : "queue must not be 0"; }

const struct dram_model dram_fixed = {
    .model = {.name = "fixed",
              .help = "fixed latency, fixed bandwidth",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .reset = reset,
    .offer = offer,
    .ahead = ahead,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
};
