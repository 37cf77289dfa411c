#include "replay/engines/staged/options.h"

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

const struct model pipeline_staged = {
    .name = "staged",
    .help = "an instruction moves through fetch, operand collectors, units and write-back, cycle by cycle",
    .options = options_of,
    .option_count = MODEL_COUNT_OF(options_of),
    .state_size = state_size};
