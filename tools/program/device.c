/* What a program sees of a machine: figures for the library, which knows no machine files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/session.h"
#include "tools/program/program.h"
#include "tools/replaying/replaying.h"

static const struct device {
    const char *machine, *name;
    unsigned capability, memory_mib, memory_clock, bus_bits;
} devices[] = {
#define DEVICE(machine, name, capability, memory, clock, bus) {machine, name, capability, memory, clock, bus},
#include "tools/program/devices.def"
#undef DEVICE
};

static const struct device *device_of(const char *machine)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!strcmp(devices[i].machine, machine))
            return &devices[i];
    return NULL;
}

unsigned program_capability(const char *machine)
{
    const struct device *d = machine ? device_of(machine) : NULL;
    return d ? d->capability : 0;
}

/* The value of a line "l2.size = 6291456" in the machine's text; 0: it has none. */
static unsigned long long value_of(const struct machine *m, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = m->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && !strncmp(line + length, " = ", 3))
            return strtoull(line + length + 3, NULL, 10);
    }
    return 0;
}

char *program_figures(const char *name, struct rp_error *err)
{
    struct machine_args args = {.machine = name};
    struct machine *m = machine_args_open(&args, NULL, 0, err);
    char *text = NULL;
    if (!m)
        return NULL;
    const struct device *d = device_of(name);
    char more[200] = "";
    if (d)
        snprintf(more, sizeof more, ";capability=%u;memory_bytes=%llu;memory_clock_khz=%u;memory_bus_bits=%u",
                 d->capability, (unsigned long long)d->memory_mib << 20, d->memory_clock, d->bus_bits);
    if (asprintf(&text,
                 "name=%s;sms=%lld;clock_khz=%llu;l2_bytes=%llu;threads_per_sm=%lld;blocks_per_sm=%lld;"
                 "registers_per_sm=%lld;shared_per_sm=%lld%s",
                 d ? d->name : m->name, (long long)m->sms, value_of(m, "clock_mhz") * 1000, value_of(m, "l2.size"),
                 (long long)m->threads, (long long)m->blocks, (long long)m->registers, (long long)m->shared_bytes,
                 more) < 0) {
        text = NULL;
        rp_fail(err, RP_SYSTEM, "out of memory");
    }
    machine_free(m);
    return text;
}
