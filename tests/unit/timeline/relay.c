/* Events through the relay (tools/timeline/relay.h): the listener gets those that went in, in their order, whatever
 * their launch, numbers and latencies. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/timeline/relay.h"

static uint64_t state;
static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* An event as text: what timelines read of it. */
#define TEXT 160
struct log {
    char (*list)[TEXT];
    size_t count, room;
};

static char *add(struct log *log)
{
    if (log->count == log->room) {
        log->room = 2 * log->room + 1024;
        log->list = realloc(log->list, log->room * sizeof *log->list);
        cr_assert(log->list);
    }
    return log->list[log->count++];
}

static void note_launch(void *log, const struct observed_launch *l)
{
    snprintf(add(log), TEXT, "launch %u %d %" PRIu64, l->launch, l->ends, l->cycle);
}

static void note_block(void *log, const struct observed_block *b)
{
    snprintf(add(log), TEXT, "block %u %u %" PRIu64 " %d %" PRIu64, b->launch, b->sm, b->block, b->leaves, b->cycle);
}

static void note_issue(void *log, const struct observed_issue *i)
{
    snprintf(add(log), TEXT, "issue %u %u %" PRIu64 " %" PRIu64 " %u %u %u %" PRIu64 " %d %u %" PRIu64, i->launch,
             i->warp, i->block, i->number, i->sm, i->subcore, i->index, i->cycle, i->second, i->unit, i->initiation);
}

static void note_done(void *log, const struct observed_done *d)
{
    snprintf(add(log), TEXT, "done %u %u %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRIu64, d->launch, d->warp, d->block,
             d->number, d->sm, d->dispatch, d->cycle);
}

static void note_stall(void *log, const struct observed_stall *s)
{
    snprintf(add(log), TEXT, "stall %u %u %" PRIu64 " %d %u %d %" PRIu64 " %" PRIu64, s->sm, s->subcore, s->block,
             (int)s->reason, s->unit, (int)s->level, s->begin, s->cycles);
}

static void note_access(void *log, const struct observed_access *a)
{
    snprintf(add(log), TEXT, "access %u %d %d %d %d %" PRIu64 " %" PRIu64, a->sm, a->local, a->beyond, (int)a->kind,
             (int)a->level, a->address, a->cycle);
}

static void note_dram(void *log, const struct observed_dram *d)
{
    snprintf(add(log), TEXT, "dram %u %u %d %" PRIu64 " %" PRIu64, d->channel, d->bank, (int)d->command, d->row,
             d->cycle);
}

static void note_copy(void *log, const struct observed_copy *c)
{
    snprintf(add(log), TEXT, "copy %d %" PRIu64 " %" PRIu64 " %" PRIu64, (int)c->path, c->bytes, c->begin, c->end);
}

static struct observer listener_of(struct log *log)
{
    struct observer o = {.data = log};
#define X(id, member, text) o.member = note_##member;
    OBSERVER_EVENTS(X)
#undef X
    return o;
}

/* Mostly small, seldom as large as it can be. */
static uint64_t some(uint64_t usual) { return draw(200) ? draw(usual) : UINT64_MAX - draw(1000); }

static struct observed_issue an_issue(uint64_t cycle)
{
    return (struct observed_issue){.launch = (uint32_t)draw(2),
                                   .warp = draw(100) ? (uint32_t)draw(64) : 4000,
                                   .block = some(1000),
                                   .number = some(100000),
                                   .sm = (uint32_t)draw(200),
                                   .subcore = (uint32_t)draw(4),
                                   .index = (uint32_t)some(5000),
                                   .cycle = cycle,
                                   .second = !draw(5),
                                   .unit = (unsigned)draw(MACHINE_UNITS),
                                   .initiation = draw(100) ? draw(40) : UINT32_MAX};
}

/* A stall that ends with the issue, or nearly so. */
static struct observed_stall a_stall(const struct observed_issue *i)
{
    uint64_t cycles = draw(100) ? 1 + draw(50) : 1 + draw(200000);
    enum stall reason = (enum stall)draw(STALL_COUNT);
    return (struct observed_stall){.sm = i->sm,
                                   .subcore = draw(20) ? i->subcore : 0,
                                   .block = draw(20) ? i->block : 3,
                                   .reason = reason,
                                   .unit = reason == STALL_UNIT ? i->unit : 0,
                                   .level = (enum response_level)draw(RESPONSE_LEVELS),
                                   .begin = i->cycle - cycles,
                                   .cycles = cycles};
}

static struct observed_done a_done(const struct observed_issue *i)
{
    return (struct observed_done){.launch = i->launch,
                                  .warp = i->warp,
                                  .block = i->block,
                                  .number = draw(10) ? i->number : some(10),
                                  .sm = i->sm,
                                  .dispatch = i->cycle + some(100),
                                  .cycle = i->cycle + some(1000)};
}

static void send_some(const struct observer *to, uint64_t cycle)
{
    struct observed_issue i = an_issue(cycle);
    struct observed_stall s = a_stall(&i);
    struct observed_done d = a_done(&i);
    if (draw(2))
        to->stall(to->data, &s);
    if (draw(8))
        to->issue(to->data, &i);
    if (draw(2))
        to->done(to->data, &d);
    switch (draw(20)) {
    case 0: to->launch(to->data, &(struct observed_launch){(uint32_t)draw(9), draw(2), cycle}); break;
    case 1: to->block(to->data, &(struct observed_block){1, 2, some(100), draw(2), cycle}); break;
    case 2: to->dram(to->data, &(struct observed_dram){70000, 7, (enum dram_command_kind)draw(3), 9, cycle}); break;
    case 3: to->copy(to->data, &(struct observed_copy){(enum copy_path)draw(2), some(9), 5, cycle}); break;
    case 4:
    case 5:
        to->access(to->data, &(struct observed_access){(uint32_t)draw(200), draw(2), draw(2), (enum cache_kind)draw(3),
                                                       (enum response_level)draw(RESPONSE_LEVELS), some(1 << 30),
                                                       cycle + draw(9)});
    }
}

/* Sends the events of a seed. Cycles begin beyond 32 bits, and leap now and then. */
static void send(const struct observer *to, uint64_t seed)
{
    uint64_t cycle = seed << 33;
    state = seed;
    for (unsigned n = 0; n < 50000; n++) {
        cycle += draw(10000) ? draw(4) : (uint64_t)1 << 34;
        send_some(to, cycle + 300000);
    }
}

Test(relay, the_listener_gets_what_went_in)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct log expected = {0}, got = {0};
        struct observer direct = listener_of(&expected), listener = listener_of(&got);
        send(&direct, seed);
        struct relay *r = relay_open(&listener);
        if (!r)
            cr_skip_test("one processor: there is no relay");
        struct observer through = relay_observer(r);
        send(&through, seed);
        relay_close(r);
        cr_assert_eq(got.count, expected.count);
        for (size_t i = 0; i < got.count; i++)
            cr_assert_str_eq(got.list[i], expected.list[i], "seed %" PRIu64 ", event %zu", seed, i);
        free(expected.list);
        free(got.list);
    }
}
