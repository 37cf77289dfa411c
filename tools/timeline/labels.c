#include "tools/timeline/labels.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/lib/names.h"

bool labels_open(struct labels *l, struct perfetto *out, const struct rp_trace *trace, const struct machine *machine,
                 struct rp_error *err)
{
    *l = (struct labels){.out = out, .trace = trace, .machine = machine};
    l->instructions = calloc(rp_trace_kernel_count(trace) + 1, sizeof *l->instructions);
    return l->instructions || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}

void labels_close(struct labels *l)
{
    for (uint32_t k = 0; l->instructions && k < rp_trace_kernel_count(l->trace); k++)
        free(l->instructions[k]);
    free(l->instructions);
    *l = (struct labels){0};
}

uint32_t label_once(struct labels *l, uint32_t *label, const char *text)
{
    if (!*label)
        *label = perfetto_name(l->out, text);
    return *label;
}

static uint32_t plainly(struct labels *l, const char *text)
{
    char *plain = NULL;
    size_t size;
    FILE *to = open_memstream(&plain, &size);
    if (to)
        print_plain_names(text, to);
    if (!to || fclose(to)) {
        l->starved = true;
        return 0;
    }
    uint32_t label = perfetto_name(l->out, plain);
    free(plain);
    return label;
}

uint32_t label_instruction(struct labels *l, uint32_t launch, uint32_t index)
{
    uint32_t number = rp_trace_launch(l->trace, launch)->kernel, *all = l->instructions[number];
    const struct rp_kernel *k = rp_trace_kernel(l->trace, number);
    if (!all && !(all = l->instructions[number] = calloc(k->instruction_count, sizeof *all))) {
        l->starved = true;
        return 0;
    }
    if (!all[index])
        all[index] = plainly(l, k->instructions[index].text);
    return all[index];
}

const uint32_t *labels_of(const struct labels *l, uint32_t launch)
{
    return l->instructions[rp_trace_launch(l->trace, launch)->kernel];
}

uint32_t label_launch(struct labels *l, uint32_t launch)
{
    char plain[PLAIN_NAME], text[PLAIN_NAME + 32];
    plain_kernel_name(rp_trace_kernel(l->trace, rp_trace_launch(l->trace, launch)->kernel)->name, plain);
    snprintf(text, sizeof text, "launch %" PRIu32 ": %s", launch, plain);
    return perfetto_name(l->out, text);
}

uint32_t label_stall(struct labels *l, const struct observed_stall *s)
{
    static const char *const levels[RESPONSE_LEVELS] = {"", ", L1", ", L2", ", DRAM"};
    bool unit = s->reason == STALL_UNIT;
    uint32_t *label = &l->stalls[s->reason][unit ? RESPONSE_LEVELS + s->unit : s->level];
    if (!*label) {
        char text[80];
        snprintf(text, sizeof text, "stall: %s%s%s", statistics_stall_name(s->reason), unit ? ", " : levels[s->level],
                 unit ? l->machine->unit_name[s->unit] : "");
        *label = perfetto_name(l->out, text);
    }
    return *label;
}
