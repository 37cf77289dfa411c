/* crowd MACHINE WARPS TRACE...: for every launch of the traces, a line with the trace, the launch and the cycles that
 * no bound is below that charges k copies of a warp's company with at most k times what it charges one
 * (docs/wcet-proofs.md, Theorem 6), in crowds of at most WARPS warps. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/session/machine_open.h"
#include "tests/support/crowd.h"

static bool one_launch(struct rp_trace *t, const char *name, uint32_t launch, const struct machine *m, uint32_t warps,
                       struct rp_error *err)
{
    struct crowd *c = crowd_open(t, launch, m, err);
    if (!c)
        return false;
    printf("%s %" PRIu32 " %.2f\n", name, launch, crowd_least(c, warps));
    crowd_free(c);
    return true;
}

static bool one_trace(const char *name, const struct machine *m, uint32_t warps, struct rp_error *err)
{
    struct rp_trace *t = rp_trace_open(name, err);
    bool fine = t;
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        fine = one_launch(t, name, l, m, warps, err);
    if (t)
        rp_trace_close(t);
    return fine;
}

int main(int argc, char **argv)
{
    struct rp_error err;
    uint32_t warps = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (warps < 1) {
        fputs("crowd: give a machine, a number of warps and traces\n", stderr);
        return 1;
    }
    struct machine *m = machine_open(&(struct machine_request){.name = argv[1]}, &err);
    bool fine = m;
    for (int i = 3; fine && i < argc; i++)
        fine = one_trace(argv[i], m, warps, &err);
    if (m)
        machine_free(m);
    if (!fine)
        fprintf(stderr, "crowd: %s\n", err.text);
    return fine ? 0 : 2;
}
