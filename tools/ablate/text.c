#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/ablate/ablation.h"
#include "tools/lib/names.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

static struct table *step_table(const struct ablation *a)
{
    static const char *const heading[] = {"step", "against", "launches", "speedup", "deviation", "least", "greatest"};
    struct table *t = table_new("llrrrrr");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (size_t i = 1; i < a->count; i++) {
        struct ablation_summary s = ablation_summary(a, i);
        const double figures[] = {s.speedup, s.deviation, s.least, s.greatest};
        table_cell(t, "%s", ablation_stage_name(a, i));
        table_cell(t, "%s", ablation_stage_name(a, ablation_before(a, i)));
        table_number(t, s.launches);
        for (size_t f = 0; f < MODEL_COUNT_OF(figures); f++)
            table_cell(t, ablation_unchanged(a, i) || !s.launches ? "-" : "%.4f", figures[f]);
    }
    return t;
}

/* A row for the cycles of one launch on each machine. `readers`: one for each stage. */
static void launch_row(const struct ablation *a, size_t trace, struct launch_reader *readers, struct table *t)
{
    struct replay_launch launch;
    for (size_t i = 0; i < a->count && launch_log_next(&readers[i], &launch); i++) {
        if (!i) {
            char plain[PLAIN_NAME];
            uint32_t kernel = rp_trace_launch(a->traces[trace], launch.launch)->kernel;
            table_cell(t, "%s", a->request->traces[trace]);
            table_cell(t, "%" PRIu32, launch.launch);
            table_cell(t, "%s", plain_kernel_name(rp_trace_kernel(a->traces[trace], kernel)->name, plain));
        }
        table_number(t, launch.statistics.cycles);
    }
}

static struct table *launch_table(const struct ablation *a)
{
    char columns[4 + MOST_STEPS + 1] = "lrn";
    for (size_t i = 0; i < a->count; i++)
        strcat(columns, "r");
    struct table *t = table_new(columns);
    table_cell(t, "trace");
    table_cell(t, "launch");
    table_cell(t, "kernel");
    for (size_t i = 0; i < a->count; i++)
        table_cell(t, "%s", ablation_stage_name(a, i));
    for (size_t n = 0; n < a->request->trace_count; n++) {
        struct launch_reader readers[MOST_STEPS + 1];
        for (size_t i = 0; i < a->count; i++)
            readers[i] = launch_log_read(ablation_log(a, i, n));
        for (uint32_t l = 0; l < ablation_log(a, 0, n)->count; l++)
            launch_row(a, n, readers, t);
    }
    return t;
}

void ablation_print(const struct ablation *a, bool launches)
{
    uint64_t unchanged = 0;
    printf("%zu trace%s on %s: speedup of each step, cycles before it divided by those after it (below 1: slower)\n\n",
           a->request->trace_count, rp_plural(a->request->trace_count), a->stages[0].machine->name);
    if (launches) {
        table_print(launch_table(a), stdout);
        puts("");
    }
    table_print(step_table(a), stdout);
    for (size_t i = 1; i < a->count; i++)
        unchanged += ablation_unchanged(a, i);
    if (unchanged)
        puts("\nA step without figures changes nothing on this machine.");
}
