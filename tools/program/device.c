/* The figures of a machine that programs may query, as text for the library, which does not read machine files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/base/machine_parts.h"
#include "tools/program/program.h"

unsigned program_capability(const struct machine *m)
{
    return (unsigned)strtoul(machine_capabilities[m->device_capability], NULL, 10); /* "unknown" is 0 */
}

static int64_t khz(int64_t mhz) { return mhz / (FRACTION_ONE / 1000); }

char *program_figures(const struct machine *m)
{
    const char *name = machine_option_text(m, m->device_name);
    const struct {
        const char *key;
        int64_t value;
    } figures[] = {
        {"capability", program_capability(m)},
        {"sms", m->sms},
        {"clock_khz", khz(m->clock_mhz)},
        {"memory_bytes", m->device_memory},
        {"memory_clock_khz", khz(m->device_memory_clock)},
        {"memory_bus_bits", m->device_memory_bus},
        {"l2_bytes", machine_part_value(&m->l2, "size", 0)},
        {"threads_per_sm", m->threads},
        {"blocks_per_sm", m->blocks},
        {"registers_per_sm", m->registers},
        {"shared_per_sm", m->shared_bytes},
    };
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    fprintf(to, "name=%s", *name ? name : m->name);
    for (size_t i = 0; i < MODEL_COUNT_OF(figures); i++)
        fprintf(to, ";%s=%" PRId64, figures[i].key, figures[i].value);
    bool failed = ferror(to);
    if (!fclose(to) && !failed)
        return text;
    free(text);
    return NULL;
}
