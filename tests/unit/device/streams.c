/* What launches list: streams of two devices, events and the host at random, against sets of all that comes before. */
#include <criterion/criterion.h>
#include <string.h>

#include "frontend/host/streams.h"
#include "tests/support/synthetic_trace.h"

enum { STREAMS = 6, APART = 3, SECOND = 4, EVENTS = 3, LAUNCHES = 60 };

/* The first stream of each device, 0 and SECOND, is its default stream. */
static uint32_t device_of(uint32_t stream) { return stream >= SECOND; }
static uint32_t default_of(uint32_t stream) { return stream >= SECOND ? SECOND : 0; }
static uint32_t number_of(uint32_t stream) { return stream == SECOND ? 0 : stream; }

/* A bit per launch. */
struct model {
    uint64_t stream[STREAMS], event[EVENTS], host; /* what has happened before whatever comes next */
    uint64_t before[LAUNCHES], listed[LAUNCHES];
    bool recorded[EVENTS];
    uint32_t launches;
    bool apart; /* stream APART is non-blocking */
};

static bool is_apart(const struct model *m, uint32_t stream) { return m->apart && stream == APART; }

static uint64_t now(const struct model *m, uint32_t stream)
{
    uint64_t set = m->stream[stream] | m->host | (is_apart(m, stream) ? 0 : m->stream[default_of(stream)]);
    for (uint32_t s = 0; !number_of(stream) && s < STREAMS; s++)
        set |= is_apart(m, s) || device_of(s) != device_of(stream) ? 0 : m->stream[s];
    return set;
}

static uint64_t all(const struct model *m, uint32_t device)
{
    uint64_t set = 0;
    for (uint32_t s = 0; s < STREAMS; s++)
        set |= device_of(s) == device ? m->stream[s] : 0;
    return set;
}

static void launch(struct streams *s, struct model *m, uint32_t stream, const uint32_t streams_of[LAUNCHES])
{
    struct rp_error err = {0};
    struct rp_launch l = {0};
    uint32_t n = m->launches;
    cr_assert(streams_before(s, device_of(stream), number_of(stream), &l, &err) && l.stream == number_of(stream), "%s",
              err.text);
    for (uint32_t i = 0; i < l.dependency_count; i++) {
        uint32_t d = l.dependencies[i];
        cr_assert(d < n && (!i || d > l.dependencies[i - 1]) && streams_of[d] != stream);
        m->listed[n] |= m->listed[d] | 1ull << d;
    }
    for (uint32_t i = 0; i < n; i++)
        if (streams_of[i] == stream)
            m->listed[n] |= m->listed[i] | 1ull << i;
    m->before[n] = now(m, stream);
    m->stream[stream] = m->before[n] | 1ull << n;
    m->launches++;
    cr_assert(streams_launched(s, device_of(stream), number_of(stream), n, &err));
    cr_assert_eq(m->listed[n], m->before[n], "launch %u: %llx, not %llx", n, (unsigned long long)m->listed[n],
                 (unsigned long long)m->before[n]);
}

static void note(struct streams *s, struct model *m, enum rp_host_kind kind, uint32_t stream, uint32_t event,
                 enum rp_host_waits waits)
{
    struct rp_error err = {0};
    bool nothing, known = m->recorded[event];
    struct rp_host_operation o = {.kind = (uint8_t)kind,
                                  .waits = (uint8_t)waits,
                                  .device = device_of(stream),
                                  .stream = number_of(stream),
                                  .event = 7 * event};
    cr_assert(streams_note(s, &o, &nothing, &err), "%s", err.text);
    switch (kind) {
    case RP_HOST_COPY:
    case RP_HOST_SET:
        m->stream[stream] = now(m, stream);
        m->host |=
            waits == RP_WAITS || (!number_of(stream) && waits == RP_WAITS_IN_DEFAULT_STREAM) ? m->stream[stream] : 0;
        break;
    case RP_HOST_SYNCHRONISE: m->host |= all(m, device_of(stream)); break;
    case RP_HOST_SYNCHRONISE_STREAM: m->host |= now(m, stream); break;
    case RP_HOST_SYNCHRONISE_EVENT: m->host |= m->event[event]; break;
    case RP_HOST_RECORD_EVENT:
        m->stream[stream] = m->event[event] = now(m, stream); /* what others do next waits for the default stream */
        m->recorded[event] = true;
        break;
    case RP_HOST_WAIT_EVENT: m->stream[stream] |= m->event[event]; break;
    default: cr_assert(false);
    }
    cr_assert_eq(nothing, (kind == RP_HOST_WAIT_EVENT || kind == RP_HOST_SYNCHRONISE_EVENT) && !known);
}

Test(streams, launches_come_after_what_they_must_and_nothing_else)
{
    static const enum rp_host_kind kinds[] = {RP_HOST_COPY,
                                              RP_HOST_SET,
                                              RP_HOST_SYNCHRONISE,
                                              RP_HOST_SYNCHRONISE_STREAM,
                                              RP_HOST_SYNCHRONISE_EVENT,
                                              RP_HOST_RECORD_EVENT,
                                              RP_HOST_WAIT_EVENT,
                                              RP_HOST_RECORD_EVENT,
                                              RP_HOST_WAIT_EVENT};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct streams s = {0};
        struct model m = {0};
        uint64_t random = seed;
        uint32_t streams_of[LAUNCHES];
        struct rp_host_operation creates = {
            .kind = RP_HOST_CREATE_STREAM, .stream = APART, .non_blocking = m.apart = seed % 2};
        struct rp_error err;
        bool nothing;
        cr_assert(streams_note(&s, &creates, &nothing, &err) && !nothing);
        while (m.launches < LAUNCHES) {
            uint64_t r = synthetic_random(&random);
            /* a default stream orders much: mostly others */
            uint32_t stream = r % 16 ? 1 + r / 16 % (STREAMS - 1) : r / 16 % 2 * SECOND;
            enum rp_host_kind kind = kinds[r / 256 % (sizeof kinds / sizeof *kinds)];
            bool rarely = kind == RP_HOST_SYNCHRONISE || kind == RP_HOST_SYNCHRONISE_STREAM;
            if (r / 65536 % 2) {
                streams_of[m.launches] = stream;
                launch(&s, &m, stream, streams_of);
            } else if (!rarely || r / 131072 % 8 == 0) {
                note(&s, &m, kind, stream, r / 4096 % EVENTS, r / (1 << 21) % 3);
            }
        }
        streams_free(&s);
    }
}
