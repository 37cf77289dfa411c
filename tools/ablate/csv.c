/* A row for each launch on each machine, as the other commands that replay print them. */
#include <stdio.h>

#include "tools/ablate/ablation.h"
#include "tools/replaying/launch_csv.h"

static void stage_rows(struct launch_csv *c, const struct ablation *a, size_t trace, size_t stage)
{
    size_t before = stage ? ablation_before(a, stage) : 0;
    struct launch_reader from = launch_log_read(ablation_log(a, before, trace));
    struct launch_reader to = launch_log_read(ablation_log(a, stage, trace));
    struct replay_launch b, l;
    while (launch_log_next(&from, &b) && launch_log_next(&to, &l)) {
        char speedup[32] = "";
        const char *own[] = {ablation_stage_name(a, stage), stage ? ablation_stage_name(a, before) : NULL,
                             stage ? speedup : NULL};
        if (l.statistics.cycles)
            snprintf(speedup, sizeof speedup, "%.6f", (double)b.statistics.cycles / (double)l.statistics.cycles);
        launch_csv_row(c, a->traces[trace], a->stages[stage].machine, l.launch, own, &l, NULL);
    }
}

bool ablation_print_csv(const struct ablation *a, struct rp_error *err)
{
    struct launch_csv *c = launch_csv_new();
    if (!c)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (size_t s = 0; s < a->count; s++)
        launch_csv_machine(c, a->stages[s].machine);
    launch_csv_column(c, "step");
    launch_csv_column(c, "against");
    launch_csv_column(c, "step_speedup"); /* speedup: that of the cores, in all commands */
    launch_csv_heading(c);
    for (size_t t = 0; t < a->request->trace_count; t++)
        for (size_t s = 0; s < a->count; s++)
            stage_rows(c, a, t, s);
    launch_csv_free(c);
    return true;
}
