#include "tests/support/opaque.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/warp_trace.h"

static const enum rp_class classes[OPAQUE_LATENCIES] = {
    RP_CLASS_INT,     RP_CLASS_FP32,      RP_CLASS_INT_DIV, RP_CLASS_FP32_DIV, RP_CLASS_FP64,    RP_CLASS_FP64_DIV,
    RP_CLASS_SFU,     RP_CLASS_CONVERT,   RP_CLASS_MOVE,    RP_CLASS_INT_MUL,  RP_CLASS_SHUFFLE, RP_CLASS_VOTE,
    RP_CLASS_TEXTURE, RP_CLASS_CONVERT64, RP_CLASS_FP16,    RP_CLASS_TENSOR};

static void set(struct opaque_machine *m, const char *of, const char *what, const char *value)
{
    snprintf(m->key[m->count], sizeof m->key[0], "classes.%s.%s", of, what);
    snprintf(m->value[m->count], sizeof m->value[0], "%s", value);
    m->settings[m->count] = (struct machine_setting){m->key[m->count], m->value[m->count]};
    m->count++;
}

static void set_class(struct opaque_machine *m, enum rp_class of, uint64_t latency)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, latency);
    set(m, rp_class_name(of), "unit", "fp32");
    set(m, rp_class_name(of), "initiation", "1");
    set(m, rp_class_name(of), "latency", number);
}

/* ---- programs -----------------------------------------------------------------------------------------------------
 */

struct maker {
    struct opaque_machine *machine;
    uint64_t latency[OPAQUE_LATENCIES]; /* by index into `classes`; the first is 0 */
    unsigned latencies;
    struct warp_op *ops;
    uint32_t count;
    bool wait; /* for the instruction before */
};

/* The class with this latency. OPAQUE_LATENCIES: there are too many. */
static unsigned class_of(struct maker *m, uint64_t latency)
{
    unsigned c = 0;
    while (c < m->latencies && m->latency[c] != latency)
        c++;
    if (c == m->latencies && c < OPAQUE_LATENCIES) {
        m->latency[m->latencies++] = latency;
        set_class(m->machine, classes[c], latency);
    }
    return c;
}

static bool run(struct maker *m, uint64_t cycles, uint64_t then_idle, bool barrier)
{
    unsigned plain = class_of(m, 0), last = class_of(m, then_idle + (barrier && then_idle));
    if (last == OPAQUE_LATENCIES)
        return false;
    for (uint64_t i = 0; i < cycles; i++) {
        bool ends = i + 1 == cycles, slow = i + 1 + barrier == cycles;
        struct warp_op op = {.unit_class = ends && barrier ? RP_CLASS_BARRIER : classes[slow ? last : plain],
                             .destination = slow ? 0 : WARP_TRACE_NONE,
                             .source = {i == 0 && m->wait ? 0 : WARP_TRACE_NONE, WARP_TRACE_NONE, WARP_TRACE_NONE}};
        m->ops[m->count++] = op;
    }
    m->wait = then_idle > 0 && !barrier;
    return true;
}

/* One warp's phases p[0] to p[count - 1]. */
static bool one_warp(struct maker *m, const struct opaque_phase *p, size_t count)
{
    m->wait = false;
    for (size_t i = 0; i < count; i++) {
        if (p[i].idle)
            continue;
        size_t next = i + 1;
        uint64_t idle = next < count && p[next].idle && p[next].section == p[i].section ? p[next++].duration : 0;
        bool barrier = next < count && p[next].section != p[i].section;
        if (!run(m, p[i].duration, idle, barrier))
            return false;
    }
    return true;
}

static bool programs(struct maker *m, const struct opaque_phase *p, size_t count, struct warp_program *out)
{
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && p[to].warp == p[from].warp; to++)
            ;
        uint32_t begin = m->count;
        if (!one_warp(m, p + from, to - from))
            return false;
        out[p[from].warp] = (struct warp_program){m->ops + begin, m->count - begin};
    }
    return true;
}

bool opaque_write(const char *path, const struct opaque_phase *p, size_t count, struct opaque_machine *machine,
                  struct rp_error *err)
{
    struct maker m = {.machine = machine};
    uint64_t total = 1;
    uint32_t warps = 0;
    for (size_t i = 0; i < count; i++) {
        total += p[i].idle ? 0 : p[i].duration;
        warps = p[i].warp + 1 > warps ? p[i].warp + 1 : warps;
    }
    machine->count = 0;
    set_class(machine, RP_CLASS_BARRIER, 0);
    m.ops = calloc(total, sizeof *m.ops);
    struct warp_program *made = calloc(warps + 1u, sizeof *made);
    bool fine = (m.ops && made) || rp_fail(err, RP_SYSTEM, "out of memory for the instructions of phases");
    if (fine && !programs(&m, p, count, made))
        fine = rp_fail(err, RP_BAD_INPUT, "the block has idle phases of more than %d durations", OPAQUE_LATENCIES - 1);
    fine = fine && warp_trace_write(path, made, warps, err);
    free(m.ops);
    free(made);
    return fine;
}
