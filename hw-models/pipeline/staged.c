#include "hw-models/pipeline/pipeline.h"

static const struct model_option options_of[] = {
#define X(id, key, unit, least, most, initial, help)                                                                   \
    [STAGED_##id] = {key, OPTION_INTEGER, unit, least, most, initial, NULL, help},
    STAGED_OPTIONS(X)
#undef X
#define X(id, key, help) [STAGED_##id] = {key, OPTION_BOOLEAN, "", 0, 1, 0, NULL, help},
        STAGED_DEFECTS(X)
#undef X
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static const char *check(const int64_t *o)
{
    if (o[STAGED_CHANNEL_BYTES] & (o[STAGED_CHANNEL_BYTES] - 1))
        return "channel_bytes is not a power of two";
    if (o[STAGED_L1_SHARED_LARGE] >= o[STAGED_L1_BYTES] || o[STAGED_L1_SHARED_SMALL] > o[STAGED_L1_SHARED_LARGE])
        return "l1_shared_small, l1_shared_large and l1_bytes do not ascend";
    if (o[STAGED_L1_BYTES] < 128 * o[STAGED_L1_SETS])
        return "l1_bytes is less than a line of 128 bytes for each of l1_sets";
    if (o[STAGED_T_WL] > o[STAGED_T_CL] + o[STAGED_T_BURST] + 2)
        return "t_wl is more than t_cl + t_burst + 2";
    return NULL;
}

const struct pipeline_model pipeline_staged = {
    {.name = "staged",
     .help = "an instruction moves through fetch, operand collectors, units and write-back, cycle by cycle",
     .options = options_of,
     .option_count = MODEL_COUNT_OF(options_of),
     .state_size = state_size,
     .check = check},
    true,
    false};
