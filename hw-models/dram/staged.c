#include "hw-models/dram/staged.h"

#include "hw-models/dram/counters.h"
#include "hw-models/dram/dram.h"

static const char *const schedulers[] = {"fr-fcfs", "fcfs", NULL};

static const struct model_option options_of[] = {
    [STAGED_DRAM_CLOCK] = {"clock_mhz", OPTION_FRACTION, "MHz", FRACTION(1) / 1000, FRACTION(100000),
                           FRACTION(7001) / 2, NULL, "clock of device memory; the core's is clock_mhz"},
    [STAGED_DRAM_SCHEDULER] = {"scheduler", OPTION_CHOICE, "", 0, 1, 0, schedulers,
                               "which request a bank takes: first of its open row, or in the order of the channel"},
#define X(id, key, unit, least, most, initial, help)                                                                   \
    [STAGED_DRAM_##id] = {key, OPTION_INTEGER, unit, least, most, initial, NULL, help},
    STAGED_DRAM_OPTIONS(X)
#undef X
};

/* hw-models/dram-channel counts. */
static const struct model_counter counters_of[DRAM_COMMANDS] = {DRAM_COMMAND_COUNTERS(DRAM_COUNTER_ROW)};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}

static const char *check(const int64_t *o)
{
    return o[STAGED_DRAM_T_WL] > o[STAGED_DRAM_T_CL] + o[STAGED_DRAM_T_BURST] + 2
               ? "t_wl is more than t_cl + t_burst + 2"
               : NULL;
}

static uint64_t ahead(const int64_t *o) { return (uint64_t)o[STAGED_DRAM_LATENCY]; }

static bool may_refuse(const int64_t *o)
{
    (void)o;
    return true;
}

static bool is_fixed(const int64_t *o)
{
    (void)o;
    return false;
}

const struct dram_model dram_staged = {
    .model = {.name = "staged",
              .help = "the one of pipeline staged: channels with banks and open rows, stepped in cycles of their clock",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check,
              .counters = counters_of,
              .counter_count = DRAM_COMMANDS},
    .reset = reset,
    .ahead = ahead,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
};
