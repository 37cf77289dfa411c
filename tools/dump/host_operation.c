#include "tools/dump/host_operation.h"

#include <inttypes.h>
#include <stdio.h>

/* The devices of the sides that are device memory, if one is not device 0. */
static void print_devices(const struct rp_host_operation *o, FILE *to)
{
    bool goes_to = o->direction == RP_COPY_TO_DEVICE || o->direction == RP_COPY_ON_DEVICE;
    bool comes_from = o->direction == RP_COPY_TO_HOST || o->direction == RP_COPY_ON_DEVICE;
    if (!o->to && !o->from)
        return;
    if (comes_from)
        fprintf(to, ", from device %" PRIu32, o->from);
    if (goes_to)
        fprintf(to, ", to device %" PRIu32, o->to);
}

void host_operation_print(const struct rp_host_operation *o, FILE *to)
{
    fprintf(to, "%-18s", rp_host_kind_name((enum rp_host_kind)o->kind));
    switch (o->kind) {
    case RP_HOST_ALLOCATE:
        fprintf(to, " 0x%" PRIx64 " %" PRIu64 " bytes%s%s%s%s", o->address, o->size, *o->name ? " " : "", o->name,
                o->managed ? ", managed" : "", o->initialised ? ", initialised" : "");
        break;
    case RP_HOST_FREE: fprintf(to, " 0x%" PRIx64, o->address); break;
    case RP_HOST_COPY:
        fprintf(to, " %s 0x%" PRIx64 " from 0x%" PRIx64 " %" PRIu64 " bytes",
                rp_copy_direction_name((enum rp_copy_direction)o->direction), o->address, o->source, o->size);
        print_devices(o, to);
        break;
    case RP_HOST_SET: fprintf(to, " 0x%" PRIx64 " %" PRIu64 " bytes", o->address, o->size); break;
    case RP_HOST_SYNCHRONISE_EVENT:
    case RP_HOST_RECORD_EVENT:
    case RP_HOST_WAIT_EVENT: fprintf(to, " event %" PRIu32, o->event); break;
    case RP_HOST_CREATE_STREAM: fputs(o->non_blocking ? " non-blocking" : "", to); break;
    default: break;
    }
    if (o->waits)
        fputs(o->waits == RP_WAITS ? ", the host waits" : ", asynchronous", to);
    if (o->device)
        fprintf(to, ", device %" PRIu32, o->device);
}
