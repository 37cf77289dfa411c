#include "replay/memory/warm_up.h"

#include <stdlib.h>

#include "replay/base/units.h"

static bool goes_to_device(const struct rp_host_operation *o, uint32_t device)
{
    return o->kind == RP_HOST_COPY && o->direction == RP_COPY_TO_DEVICE && o->address && o->to == device;
}

/* Fills L2 with the last copies before the launch, as many as it can hold: each takes at least one line. */
static void warm_by_copies(const struct rp_trace *t, struct memory_system *memory, uint32_t launch)
{
    uint64_t lines, line = memory_system_l2_line(memory, &lines), needed = 0;
    uint32_t device = rp_trace_launch(t, launch)->device;
    size_t end = operations_after(t, launch + 1), begin = end;
    while (begin && needed < lines) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, --begin);
        needed += goes_to_device(o, device) ? o->size / line + 1 : 0;
    }
    for (; begin < end; begin++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, begin);
        if (goes_to_device(o, device))
            memory_system_warm_bytes(memory, o->address, o->size);
    }
}

bool warm_l2(const struct rp_trace *t, struct memory_system *memory, uint32_t launch, struct rp_error *err)
{
    struct rp_allocation *list;
    size_t count;
    if (!rp_trace_allocations(t, launch, &list, &count, err))
        return false;
    warm_by_copies(t, memory, launch);
    for (size_t i = 0; i < count; i++)
        if (list[i].initialised && list[i].device == rp_trace_launch(t, launch)->device)
            memory_system_warm_bytes(memory, list[i].base, list[i].size);
    free(list);
    return true;
}
