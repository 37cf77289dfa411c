#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/memory/simulate.h"

unsigned simulate_add(struct sim *s, struct request r)
{
    cr_assert_lt(s->count, MOST);
    s->r[s->count] = r;
    s->r[s->count].lead = s->r[s->count].member[0] = s->count;
    s->r[s->count].in_packet = 1;
    return s->count++;
}

unsigned simulate_pack(struct sim *s, const unsigned *member, unsigned count)
{
    unsigned sorted[MOST_SECTORS] = {0};
    for (unsigned n = 0; n < count; n++) {
        unsigned at = n;
        for (; at && s->r[sorted[at - 1]].address > s->r[member[n]].address; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = member[n];
    }
    struct request *lead = &s->r[sorted[0]];
    for (unsigned k = 0; k < count; k++) {
        s->r[sorted[k]].lead = sorted[0];
        s->r[sorted[k]].where = IN_PACKET;
        lead->member[k] = sorted[k];
    }
    lead->in_packet = lead->sectors = count;
    return sorted[0];
}

uint64_t simulate_key(const struct sim *s, unsigned sm, uint64_t sequence, unsigned lead)
{
    uint64_t sector = (s->r[lead].address >> s->l.sector_shift) % s->l.request_sectors;
    return (uint64_t)(sm + 1) << 42 | sequence << 6 | sector << 4 | 1;
}

void simulate_end(struct sim *s, struct request *r, uint64_t cycle)
{
    r->where = DONE;
    if (r->posted)
        return;
    s->out->ends[r->access] = max(s->out->ends[r->access], cycle);
}

static int64_t option(const struct machine_part *p, const char *key, int64_t otherwise)
{
    for (unsigned o = 0; o < p->model->option_count; o++)
        if (!strcmp(p->model->options[o].key, key))
            return p->options[o];
    return otherwise;
}

/* Whether the transaction goes with this packet: it does the same to another sector of the piece that a request may
 * have. */
static bool joins(const struct sim *s, const unsigned *packet, unsigned count, const struct request *r)
{
    const struct request *last = &s->r[packet[0]];
    uint64_t together = (uint64_t)s->l.request_sectors << s->l.sector_shift;
    for (unsigned k = 0; k < count; k++)
        if (s->r[packet[k]].address == r->address)
            return false;
    return s->l.request_sectors > 1 && count && r->kind != CACHE_ATOMIC && last->kind == r->kind &&
           last->hint == r->hint && last->beside == r->beside && last->address / together == r->address / together;
}

/* The packet of an access is complete. */
static void pack(struct sim *s, const unsigned *packet, unsigned count)
{
    if (count)
        s->r[simulate_pack(s, packet, count)].where = LSU;
}

static struct request request_of(const struct sim *s, unsigned a, const struct memory_transaction *t)
{
    const struct plan_access *p = &s->plan->accesses[a];
    return (struct request){.sm = p->sm,
                            .l1 = p->subcore / s->l.l1_subcores,
                            .access = a,
                            .address = t->address,
                            .ready = s->arrival[a],
                            .kind = t->kind,
                            .hint = t->hint,
                            .bytes = t->bytes,
                            .repeats = t->repeats,
                            .sectors = 1,
                            .beside = t->bypass_l1};
}

/* Puts the access into its SM's queue by its arrival, which is behind those of earlier ones unless nothing queues. */
static void queue_access(struct sim *s, unsigned a, uint64_t arrival)
{
    const unsigned sm = s->plan->accesses[a].sm;
    s->arrival[a] = s->l.immediate ? arrival : max(arrival, s->latest[sm]);
    s->latest[sm] = s->arrival[a];
    unsigned at = s->queued[sm]++;
    for (; at && s->arrival[s->queue[sm][at - 1]] > s->arrival[a]; at--)
        s->queue[sm][at] = s->queue[sm][at - 1];
    s->queue[sm][at] = a;
    s->held[sm]++;
}

static void issue(struct sim *s, unsigned a, uint64_t now)
{
    const struct plan_access *p = &s->plan->accesses[a];
    s->out->ends[a] = now + p->initiation;
    if (!p->count)
        return;
    queue_access(s, a, now + p->initiation + p->waits);
    unsigned packet[MOST_SECTORS], count = 0;
    for (unsigned t = 0; t < p->count; t++) {
        const struct request r = request_of(s, a, &p->transactions[t]);
        if (!joins(s, packet, count, &r)) {
            pack(s, packet, count);
            count = 0;
        }
        packet[count++] = simulate_add(s, r);
    }
    pack(s, packet, count);
}

static void open_cache(struct cache *c, const struct memory_level *level, struct tempo tempo)
{
    c->level = level;
    c->tempo = tempo;
    if (strcmp(level->model->model.name, "sectored") != 0)
        return;
    c->ways = option(level->part, "ways", 0);
    c->merges = option(level->part, "merges", -1);
    c->on_fill = option(level->part, "allocate", 0);
    c->write_miss = option(level->part, "write_miss", MISS_AROUND);
    const char *policy = replacement_names[option(level->part, "replacement", 0)];
    cr_assert(oracle_begin(&c->oracle, policy), "tests/support/replacement_oracle.c has no %s", policy);
    cr_assert_leq(c->ways, MOST_WAYS);
}

static struct sim *open_sim(const struct machine *m, const struct plan *plan, struct outcome *out)
{
    const struct tempo core = {1, 1};
    struct sim *s = calloc(1, sizeof *s);
    memory_layout_of(m, &s->l);
    cr_assert_leq(s->l.sms, MOST_SMS);
    cr_assert_leq(s->l.slices.count, MOST_PARTS);
    cr_assert_leq(s->l.channels.count, MOST_PARTS);
    cr_assert_leq(s->l.request_sectors, MOST_SECTORS);
    cr_assert_leq(plan->count, MOST_ACCESSES);
    s->plan = plan;
    s->out = out;
    s->l1 = calloc(s->l.sms * s->l.l1_count, sizeof *s->l1);
    s->l2 = calloc(s->l.slices.count, sizeof *s->l2);
    s->sequence = calloc(s->l.sms, sizeof *s->sequence);
    s->places = calloc(s->l.sms, sizeof *s->places);
    s->credit = calloc(s->l.sms, sizeof *s->credit);
    s->credits = calloc(s->l.sms, sizeof *s->credits);
    s->held = calloc(s->l.sms, sizeof *s->held);
    s->links = m->interconnect_clock ? (struct tempo){m->interconnect_clock, m->clock_mhz} : core;
    for (unsigned i = 0; i < s->l.sms * s->l.l1_count; i++)
        open_cache(&s->l1[i], &s->l.l1, core);
    for (unsigned i = 0; i < s->l.slices.count; i++)
        open_cache(&s->l2[i], &s->l.l2, m->l2_clock ? (struct tempo){m->l2_clock, m->clock_mhz} : core);
    s->dram_latency = option(&m->dram, "latency", 0);
    s->dram_interval = option(&m->dram, "interval", 0);
    s->dram_queue = option(&m->dram, "queue", -1);
    return s;
}

/* Adds what caches counted to the outcome. */
static void close_sim(struct sim *s)
{
    for (unsigned i = 0; i < s->l.sms * s->l.l1_count; i++) {
        s->out->l1_hits += s->l1[i].hits;
        s->out->l1_misses += s->l1[i].misses;
    }
    for (unsigned i = 0; i < s->l.slices.count; i++) {
        s->out->l2_hits += s->l2[i].hits;
        s->out->l2_misses += s->l2[i].misses;
    }
    free(s->l1);
    free(s->l2);
    free(s->sequence);
    free(s->places);
    free(s->credit);
    free(s->credits);
    free(s->held);
    free(s);
}

/* Whether a request, or a fill, is not done. */
static bool is_open(const struct sim *s, uint64_t now)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where != DONE || s->r[i].l2_fetches)
            return true;
    for (unsigned i = 0; i < s->fill_count; i++)
        if (s->fills[i] < RELEASED && s->fills[i] >= now)
            return true;
    return false;
}

void plan_simulate(const struct machine *m, const struct plan *plan, struct outcome *out)
{
    struct sim *s = open_sim(m, plan, out);
    unsigned next = 0;
    bool open = true;
    for (uint64_t now = 0; next < plan->count || open; now++) {
        cr_assert_lt(now, 1000000, "it never ends");
        for (unsigned sm = 0; sm < s->l.sms; sm++)
            simulate_sm(s, sm, now);
        simulate_chip(s, now);
        for (; next < plan->count && plan->accesses[next].issue <= now &&
               s->held[plan->accesses[next].sm] < s->l.lsu_queue;
             next++)
            issue(s, next, now);
        open = is_open(s, now);
    }
    close_sim(s);
}
