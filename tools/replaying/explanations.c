#include "tools/replaying/explanations.h"

static const struct explanation {
    const char *name, *unit, *help;
} explanations[] = {
#define X(field, name, unit, help) {name, unit, help},
    STATISTICS(X)
#undef X
};
static const struct explanation stall_explanations[] = {
#define X(id, name, help)                                                                                              \
    {STALL_##id == STALL_UNIT ? "issue.stall." name ".NAME" : "issue.stall." name, "sub-core cycles",                  \
     STALL_##id == STALL_DRAIN ? "nothing issued any more: " help                                                      \
                               : "nothing issued; the warp that issued next had to wait: " help},
    STALLS(X)
#undef X
        {"units.NAME.busy", "cycles", "cycles of initiation in the machine's unit NAME, summed over its instances"},
    {"ipc", "instructions per cycle", "(issue.issued + issue.dual) / cycles"},
    {"occupancy.achieved", "", "occupancy.warp_cycles / (occupancy.sm_cycles × limits.warps)"},
};

void explanations_each(void (*visit)(void *, const char *name, const char *unit, const char *definition), void *data)
{
    for (size_t i = 0; i < MODEL_COUNT_OF(explanations); i++)
        visit(data, explanations[i].name, explanations[i].unit, explanations[i].help);
    statistics_each_count(visit, data);
    for (size_t i = 0; i < MODEL_COUNT_OF(stall_explanations); i++)
        visit(data, stall_explanations[i].name, stall_explanations[i].unit, stall_explanations[i].help);
}
