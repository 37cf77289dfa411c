#include "tools/timeline/perfetto.h"

/* A packet that is no event. */
static uint8_t *open_packet(struct perfetto *p)
{
    writer_room(p->out);
    return wire_open(p->out->at, TRACE_PACKET);
}

static void close_packet(struct perfetto *p, uint8_t *begin, uint8_t *at)
{
    p->out->at = wire_close(begin, wire_number(at, PACKET_SEQUENCE, SEQUENCE));
}

void perfetto_begin(struct perfetto *p, struct writer *out)
{
    p->tracks = p->names = p->processes = p->threads = p->events = 0;
    p->out = out;
    uint8_t *begin = open_packet(p), *at = wire_number(begin, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
    close_packet(p, begin, wire_number(at, PACKET_FIRST, 1));
    begin = open_packet(p);
    uint8_t *root = wire_open(begin, PACKET_DESCRIPTOR);
    at = wire_number(wire_number(root, DESCRIPTOR_TRACK, ROOT), DESCRIPTOR_PROCESS_ORDERING, ROOT_ORDER_BY_RANK);
    at = wire_number(at, DESCRIPTOR_THREAD_ORDERING, ROOT_ORDER_BY_RANK);
    close_packet(p, begin, wire_close(root, at));
}

static uint32_t intern(struct perfetto *p, enum perfetto_field kind, const char *text)
{
    uint8_t *packet = open_packet(p), *data = wire_open(packet, PACKET_INTERNED), *entry = wire_open(data, kind);
    uint8_t *at = wire_text(wire_number(entry, INTERNED_NUMBER, ++p->names), INTERNED_TEXT, text);
    close_packet(p, packet, wire_close(data, wire_close(entry, at)));
    return (uint32_t)p->names;
}

uint32_t perfetto_name(struct perfetto *p, const char *text) { return intern(p, INTERNED_EVENT_NAME, text); }
uint32_t perfetto_argument(struct perfetto *p, const char *text) { return intern(p, INTERNED_ANNOTATION_NAME, text); }

uint32_t perfetto_process(struct perfetto *p, uint32_t rank, const char *name)
{
    uint8_t *packet = open_packet(p), *track = wire_open(packet, PACKET_DESCRIPTOR);
    uint8_t *at = wire_number(wire_number(track, DESCRIPTOR_TRACK, ++p->tracks), DESCRIPTOR_RANK, rank);
    uint8_t *process = wire_open(at, DESCRIPTOR_PROCESS);
    at = wire_text(wire_number(process, PROCESS_NUMBER, ++p->processes), PROCESS_NAME, name);
    close_packet(p, packet, wire_close(track, wire_close(process, at)));
    return (uint32_t)p->processes;
}

uint32_t perfetto_thread(struct perfetto *p, uint32_t process, uint32_t rank, const char *name)
{
    uint8_t *packet = open_packet(p), *track = wire_open(packet, PACKET_DESCRIPTOR);
    uint8_t *at = wire_number(wire_number(track, DESCRIPTOR_TRACK, ++p->tracks), DESCRIPTOR_ORDERING, ORDER_BY_RANK);
    uint8_t *thread = wire_open(wire_number(at, DESCRIPTOR_RANK, rank), DESCRIPTOR_THREAD);
    at = wire_number(wire_number(thread, THREAD_PROCESS, process), THREAD_NUMBER, FIRST_THREAD + p->threads++);
    close_packet(p, packet, wire_close(track, wire_close(thread, wire_text(at, THREAD_NAME, name))));
    return (uint32_t)p->tracks;
}

uint32_t perfetto_track(struct perfetto *p, uint32_t parent, uint32_t rank, const char *name)
{
    uint8_t *packet = open_packet(p), *track = wire_open(packet, PACKET_DESCRIPTOR);
    uint8_t *at = wire_number(wire_number(track, DESCRIPTOR_TRACK, ++p->tracks), DESCRIPTOR_PARENT, parent);
    at = wire_number(wire_text(at, DESCRIPTOR_NAME, name), DESCRIPTOR_RANK, rank);
    /* slices of phase 'X' need tracks that are never merged with others of their name */
    at = wire_number(wire_number(at, DESCRIPTOR_MERGING, NEVER_MERGED), DESCRIPTOR_ORDERING, ORDER_BY_RANK);
    close_packet(p, packet, wire_close(track, at));
    return (uint32_t)p->tracks;
}
