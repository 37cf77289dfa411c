/* A trace for Perfetto (ui.perfetto.dev): tracks, and events on them, written as they come.
 *
 * The numbers of fields are those of Perfetto's published schema, protos/perfetto/trace in its repository (Apache
 * License 2.0): trace.proto, trace_packet.proto, track_event/track_event.proto, track_descriptor.proto,
 * process_descriptor.proto, thread_descriptor.proto, debug_annotation.proto, interned_data/interned_data.proto.
 *
 * A cycle is a microsecond of the trace, because slices of a known length (phase 'X') count in these. Perfetto sorts
 * events by time, so that they may come in any order. Slices of a track must lie one within the other or apart.
 */
#ifndef REPRISE_TOOLS_TIMELINE_PERFETTO_H
#define REPRISE_TOOLS_TIMELINE_PERFETTO_H

#include <stdbool.h>

#include "tools/timeline/wire.h"
#include "tools/timeline/writer.h"

enum perfetto_field {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8, /* ns */
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_DESCRIPTOR = 60,
    PACKET_FIRST = 87, /* first packet of its sequence */

    EVENT_ANNOTATION = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME = 10, /* interned */
    EVENT_TRACK = 11,
    LEGACY_PHASE = 2,
    LEGACY_DURATION = 3, /* us */
    ANNOTATION_NAME = 1, /* interned */
    ANNOTATION_NUMBER = 3,
    ANNOTATION_ADDRESS = 7,

    DESCRIPTOR_TRACK = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_ORDERING = 11,
    DESCRIPTOR_RANK = 12,
    DESCRIPTOR_MERGING = 15,
    DESCRIPTOR_PROCESS_ORDERING = 19, /* of the root */
    DESCRIPTOR_THREAD_ORDERING = 20,
    PROCESS_NUMBER = 1,
    PROCESS_NAME = 6,
    THREAD_PROCESS = 1,
    THREAD_NUMBER = 2,
    THREAD_NAME = 5,

    INTERNED_EVENT_NAME = 2,
    INTERNED_ANNOTATION_NAME = 3,
    INTERNED_NUMBER = 1, /* of both */
    INTERNED_TEXT = 2,
};
enum {
    SEQUENCE = 1,
    SEQUENCE_CLEARED = 1, /* nothing has been interned before */
    INSTANT = 3,
    ROOT = 0, /* track */
    ORDER_BY_RANK = 3,
    ROOT_ORDER_BY_RANK = 1,
    NEVER_MERGED = 2,
    FIRST_THREAD = 1000000, /* processes have lower numbers */
    NS_OF_CYCLE = 1000
};

struct perfetto {
    struct writer *out;
    uint64_t tracks, names, processes, threads, events; /* so far */
};

/* Tracks and names are numbers from 1 on. */
void perfetto_begin(struct perfetto *, struct writer *);
/* An interned name of events, or of arguments; the caller uses it again. */
uint32_t perfetto_name(struct perfetto *, const char *text);
uint32_t perfetto_argument(struct perfetto *, const char *text);

/* Processes have threads, and threads have other tracks, in levels. Ranks order siblings. perfetto_process returns the
 * number that perfetto_thread wants; all else are tracks. */
uint32_t perfetto_process(struct perfetto *, uint32_t rank, const char *name);
uint32_t perfetto_thread(struct perfetto *, uint32_t process, uint32_t rank, const char *name);
uint32_t perfetto_track(struct perfetto *, uint32_t parent, uint32_t rank, const char *name);

/* ---- events: once per instruction and more ----------------------------------------------------------------------- */

/* An event that is being put together: a slice or an instant, with up to two arguments: less than 128 bytes. Nothing
 * else may be written meanwhile. */
struct perfetto_open {
    uint8_t *packet, *event, *at;
};

/* For what happens several times per instruction. */
#define PERFETTO_HOT static inline __attribute__((always_inline))

PERFETTO_HOT struct perfetto_open perfetto_open(struct perfetto *p, uint64_t cycle, uint32_t track, uint32_t name)
{
    writer_room(p->out);
    p->events++;
    struct perfetto_open o;
    o.packet = wire_open(p->out->at, TRACE_PACKET);
    o.at = wire_number(o.packet, PACKET_TIMESTAMP, cycle * NS_OF_CYCLE);
    o.event = wire_open(wire_number(o.at, PACKET_SEQUENCE, SEQUENCE), PACKET_EVENT);
    o.at = wire_number(wire_number(o.event, EVENT_TRACK, track), EVENT_NAME, name);
    return o;
}

PERFETTO_HOT void perfetto_close(struct perfetto *p, const struct perfetto_open *o)
{
    p->out->at = wire_close_short(o->packet, wire_close_short(o->event, o->at));
}

/* address: it is shown as a hexadecimal number. */
PERFETTO_HOT void perfetto_annotate(struct perfetto_open *o, uint32_t argument, bool address, uint64_t value)
{
    uint8_t *begin = wire_open(o->at, EVENT_ANNOTATION), *at = wire_number(begin, ANNOTATION_NAME, argument);
    o->at = wire_close_short(begin, wire_number(at, address ? ANNOTATION_ADDRESS : ANNOTATION_NUMBER, value));
}

PERFETTO_HOT void perfetto_instant(struct perfetto_open *o) { o->at = wire_number(o->at, EVENT_TYPE, INSTANT); }

PERFETTO_HOT void perfetto_slice(struct perfetto_open *o, uint64_t cycles)
{
    uint8_t *begin = wire_open(o->at, EVENT_LEGACY), *at = wire_number(begin, LEGACY_PHASE, 'X');
    o->at = wire_close_short(begin, wire_number(at, LEGACY_DURATION, cycles));
}

#endif
