/* Replies of slices to SMs: over the links of slices, GPCs and SMs. */
#include "replay/memory/chip_parts.h"

/* Sends a reply: it occupies the link of the slice from this cycle, then that of its GPC and that of its SM once they
 * are free, in the order of these starts. */
static void send(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
{
    const struct clock_domain *links = &m->layout.links;
    const unsigned n = sectors_in(r->of.sectors);
    uint64_t flits = m->layout.reply[r->original_kind][n], *link = &m->ports[r->sm].link_free;
    s->out_free = later(clock_from_core(links, now), s->out_free) + flits;
    uint64_t last = clock_after_core(links, s->out_free - 1) + m->layout.port_latency;
    last = chip_over_gpc(m, &m->gpcs[m->ports[r->sm].gpc].in_free, m->layout.interconnect.gpc_in,
                         m->layout.reply_bytes[r->original_kind][n], last);
    uint64_t there = later(clock_from_core(links, last), *link + flits - 1);
    *link = there + 1;
    chip_reply(m, r->sm, r->name, r->of.sectors, response_of(clock_after_core(links, there), r->level));
    pool_give(&m->requests, r);
}

/* The cycle from which the slice may send. */
static uint64_t sends_from(const struct memory_system *m, const struct slice *s)
{
    return clock_in_core(&m->layout.links, s->out_free);
}

void chip_send_next(struct memory_system *m, struct slice *s, uint64_t now)
{
    s->replying--;
    send(m, s, queue_take(&s->replies), now);
    if (s->replies.first)
        chip_add_own_event(m, &s->send, &s->sends, CHIP_SEND, s->index, later(sends_from(m, s), now));
    slice_start_waiting(m, s, now);
}

void chip_send_when_free(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
{
    if (!s->replies.first && sends_from(m, s) <= now) {
        send(m, s, r, now);
        return;
    }
    queue_put(&s->replies, r);
    s->replying++;
    chip_add_own_event(m, &s->send, &s->sends, CHIP_SEND, s->index, sends_from(m, s));
}

void chip_respond(struct memory_system *m, struct chip_request *r, uint64_t response)
{
    if (r->name != NO_ID && m->layout.interconnect.flit) {
        chip_order_as_part(r);
        r->level = response_level(response);
        chip_add_event(m, &r->event, CHIP_REPLY, response_cycle(response));
        return;
    }
    if (r->name != NO_ID)
        chip_reply(m, r->sm, r->name, r->of.sectors, response_after(response, m->layout.port_latency));
    pool_give(&m->requests, r);
}
