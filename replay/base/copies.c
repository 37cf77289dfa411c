#include "replay/base/copies.h"

const char *const copy_path_names[COPY_PATHS] = {"to_device", "to_host", "on_device"};

static int64_t bandwidth_of(const struct machine *m, enum copy_path path)
{
    return path == COPY_PATH_ON_DEVICE ? m->copy_device_bandwidth : m->copy_bandwidth;
}

bool copies_take_time(const struct machine *m) { return m->copy_bandwidth || m->copy_device_bandwidth; }

enum copy_path copy_path_of(const struct machine *m, const struct rp_host_operation *o)
{
    static const uint8_t paths[] = {[RP_COPY_TO_DEVICE] = COPY_PATH_TO_DEVICE,
                                    [RP_COPY_TO_HOST] = COPY_PATH_TO_HOST,
                                    [RP_COPY_ON_DEVICE] = COPY_PATH_ON_DEVICE,
                                    [RP_COPY_ON_HOST] = COPY_PATHS};
    enum copy_path path = o->kind == RP_HOST_COPY  ? (enum copy_path)paths[o->direction]
                          : o->kind == RP_HOST_SET ? COPY_PATH_ON_DEVICE
                                                   : COPY_PATHS;
    return path < COPY_PATHS && bandwidth_of(m, path) ? path : COPY_PATHS;
}

unsigned copy_engine_of(const struct machine *m, enum copy_path path)
{
    return path == COPY_PATH_TO_HOST && m->copy_engines == 1 ? COPY_PATH_TO_DEVICE : path;
}

static uint64_t cycles_of(uint64_t bytes, int64_t bytes_per_cycle, int64_t latency)
{
    unsigned __int128 bandwidth = (unsigned __int128)bytes_per_cycle, parts = FRACTION_ONE;
    unsigned __int128 cycles = (bytes * parts + bandwidth - 1) / bandwidth + (unsigned __int128)latency;
    return cycles < COPY_LONGEST ? (uint64_t)cycles : COPY_LONGEST;
}

uint64_t copy_cycles(const struct machine *m, enum copy_path path, uint64_t bytes)
{
    return cycles_of(bytes, bandwidth_of(m, path), m->copy_latency);
}

bool copy_crosses(const struct rp_host_operation *o)
{
    return o->kind == RP_HOST_COPY && o->direction == RP_COPY_ON_DEVICE && o->to != o->from;
}

uint64_t copy_link_cycles(const struct machine *m, uint64_t bytes)
{
    return m->link_bandwidth ? cycles_of(bytes, m->link_bandwidth, m->link_latency) : 0;
}
