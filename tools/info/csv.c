#include <string.h>

#include "tools/info/counts.h"
#include "tools/info/info.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/ui/table.h"

/* As JSON names them, which has the extents of grid, block and cluster as lists. */
/* clang-format off */
static const char *const csv_heading[] = {
    "trace", "launch", "kernel", "symbol", "grid", "block", "stream", "outcome", "blocks", "blocks_recorded",
    "warp_instructions", "thread_instructions", "compressed_bytes", "chunks", "raw_bytes", "dynamic_shared_bytes",
    "cluster", "cooperative", "device"};
/* clang-format on */
enum { CSV_HEADINGS = sizeof csv_heading / sizeof *csv_heading };

static void csv_launch(struct table *table, const struct info_request *a, uint32_t launch)
{
    const struct rp_trace *trace = a->trace;
    const struct rp_launch *l = rp_trace_launch(trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(trace, launch);
    const char *symbol = rp_trace_kernel(trace, l->kernel)->name;
    char plain[PLAIN_NAME], grid[40], block[40], cluster[40];
    table_cell(table, "%s", a->file);
    table_number(table, launch);
    table_cell(table, "%s", plain_kernel_name(symbol, plain));
    table_cell(table, "%s", symbol);
    table_cell(table, "%s", dimensions(l->grid, grid));
    table_cell(table, "%s", dimensions(l->block, block));
    table_number(table, l->stream);
    table_cell(table, "%s", info_outcome(rp_trace_launch_end(trace, launch)));
    const uint64_t figures[] = {rp_launch_blocks(l), t.blocks, t.warp_instructions, t.thread_instructions,
                                t.compressed_bytes,  t.chunks, t.raw_bytes,         l->dynamic_shared};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        table_number(table, figures[i]);
    table_cell(table, "%s", l->cluster[0] ? dimensions(l->cluster, cluster) : "");
    table_cell(table, "%s", l->cooperative ? "true" : "false");
    table_number(table, l->device);
}

/* Prints a row per launch; the mix is the number of warp instructions of each class. */
int info_print_csv(const struct info_request *a, bool heading)
{
    char columns[CSV_HEADINGS + RP_CLASS_COUNT + 1] = "";
    int classes = !a->mix ? 0 : RP_CLASS_COUNT;
    struct rp_error err;
    bool fine = true;
    memset(columns, 'r', (size_t)(CSV_HEADINGS + classes));
    struct table *table = table_new(columns);
    for (size_t i = 0; heading && i < CSV_HEADINGS; i++)
        table_cell(table, "%s", csv_heading[i]);
    for (int c = 0; heading && c < classes; c++)
        table_cell(table, "mix.%s", rp_class_name((enum rp_class)c));
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(a->trace); l++) {
        struct rp_class_counts counts;
        csv_launch(table, a, l);
        fine = !classes || info_count_classes(a->trace, l, &counts, &err);
        for (int c = 0; fine && c < classes; c++)
            table_number(table, counts.warp[c]);
    }
    if (!fine) {
        table_free(table);
        return command_fail(&err);
    }
    table_print_csv(table, stdout);
    return RP_OK;
}
