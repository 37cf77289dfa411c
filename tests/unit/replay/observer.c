/* What an observer gets: the same from both engines of a pipeline and from any number of threads, what statistics
 * count, in the order that observer.h promises, and nothing that the engine does not report. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "hw-models/dram/counters.h"
#include "replay/session/machine_open.h"
#include "tests/support/synthetic_trace.h"

/* ---- what is reported -------------------------------------------------------------------------------------------- */

/* An event as numbers: its kind, and its fields. */
#define FIELDS 15
struct event {
    uint64_t field[FIELDS];
};

struct events {
    struct event *list;
    size_t count, room;
    uint64_t events[OBSERVER_EVENT_COUNT];
    uint64_t issues, seconds, lanes, stall[STALL_COUNT], busy[MACHINE_UNITS], ends, blocks[2], launches[2];
    uint64_t beyond, commands[DRAM_REFRESH + 1], copies[COPY_PATHS];
    /* order, by SM, sub-core and channel */
    uint64_t *sm, *subcore, channel[64];
    const struct machine *machine;
    bool over; /* nothing may come any more */
    pthread_mutex_t lock;
};

static void add(struct events *h, enum observer_event kind, const struct event *e)
{
    cr_assert(!h->over, "an event after the end of the replay");
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 4096;
        h->list = realloc(h->list, h->room * sizeof *h->list);
        cr_assert(h->list);
    }
    h->list[h->count] = *e;
    h->list[h->count++].field[0] = kind;
    h->events[kind]++;
}
#define ADD(h, kind, ...) add(h, OBSERVE_##kind##_NUMBER, &(struct event){{0, __VA_ARGS__}})

/* Nothing goes back. */
static void in_order(uint64_t *last, uint64_t cycle, const char *what)
{
    cr_assert_geq(cycle, *last, "%s: %" PRIu64 " after %" PRIu64, what, cycle, *last);
    *last = cycle;
}

static void forget_order(struct events *h)
{
    memset(h->sm, 0, (size_t)h->machine->sms * sizeof *h->sm);
    memset(h->subcore, 0, (size_t)(h->machine->sms * h->machine->subcores) * sizeof *h->subcore);
}

static uint64_t *subcore_of(const struct events *h, uint32_t sm, uint32_t subcore)
{
    return &h->subcore[sm * (uint32_t)h->machine->subcores + subcore];
}

static void launch(void *data, const struct observed_launch *l)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, LAUNCH, l->launch, l->ends, l->cycle);
    h->launches[l->ends]++;
    if (!l->ends && h->machine->measure == MEASURE_PROCESSOR) /* begins before slow processors are done with the last */
        forget_order(h);
    pthread_mutex_unlock(&h->lock);
}

static void block(void *data, const struct observed_block *b)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, BLOCK, b->launch, b->sm, b->block, b->leaves, b->cycle);
    h->blocks[b->leaves]++;
    in_order(&h->sm[b->sm], b->cycle, "blocks of an SM");
    pthread_mutex_unlock(&h->lock);
}

static void issue(void *data, const struct observed_issue *i)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, ISSUE, i->launch, i->warp, i->block, i->number, i->sm, i->subcore, i->index, i->active, i->executed,
        i->cycle, i->second, i->unit, i->initiation);
    h->busy[i->unit] += i->initiation;
    h->issues++;
    h->seconds += i->second;
    h->lanes += rp_lane_count(i->executed);
    in_order(&h->sm[i->sm], i->cycle, "issues of an SM");
    in_order(subcore_of(h, i->sm, i->subcore), i->cycle, "issues of a sub-core");
    pthread_mutex_unlock(&h->lock);
}

static void done(void *data, const struct observed_done *d)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, DONE, d->launch, d->warp, d->block, d->number, d->sm, d->dispatch, d->cycle);
    h->ends++;
    cr_assert_lt(d->dispatch, d->cycle);
    pthread_mutex_unlock(&h->lock);
}

static void stall(void *data, const struct observed_stall *s)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, STALL, s->launch, s->sm, s->subcore, s->instruction != NULL, s->index, s->warp, s->block, s->reason, s->unit,
        s->level, s->begin, s->cycles);
    h->stall[s->reason] += s->cycles;
    cr_assert_gt(s->cycles, 0);
    in_order(subcore_of(h, s->sm, s->subcore), s->begin, "stalls of a sub-core");
    in_order(subcore_of(h, s->sm, s->subcore), s->begin + s->cycles, "stalls of a sub-core");
    pthread_mutex_unlock(&h->lock);
}

static void access_(void *data, const struct observed_access *a)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, ACCESS, a->sm, a->local, a->beyond, a->kind, a->level, a->address, a->cycle);
    h->beyond += a->beyond;
    cr_assert(a->beyond ? a->level > RESPONSE_L1 : a->level > RESPONSE_NONE);
    pthread_mutex_unlock(&h->lock);
}

static void dram(void *data, const struct observed_dram *d)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, DRAM, d->channel, d->bank, d->command, d->row, d->cycle);
    h->commands[d->command]++;
    in_order(&h->channel[d->channel], d->cycle, "commands of a channel");
    pthread_mutex_unlock(&h->lock);
}

static void copy(void *data, const struct observed_copy *c)
{
    struct events *h = data;
    pthread_mutex_lock(&h->lock);
    ADD(h, COPY, c->path, c->bytes, c->begin, c->end);
    h->copies[c->path] += c->bytes;
    pthread_mutex_unlock(&h->lock);
}

static int compare_events(const void *a, const void *b) { return memcmp(a, b, sizeof(struct event)); }

/* Wants all that the machine reports. */
static struct observer listener(struct events *h, const struct machine *m, enum replay_engine engine)
{
    unsigned events = replay_events(m, engine);
    struct observer o = {h, true, 0, launch, block, issue, done, stall, access_, dram, copy};
#define X(id, member, text)                                                                                            \
    if (!(events & OBSERVE_##id))                                                                                      \
        o.member = NULL;
    OBSERVER_EVENTS(X)
#undef X
    return o;
}

static void begin_events(struct events *h, const struct machine *m)
{
    *h = (struct events){.lock = PTHREAD_MUTEX_INITIALIZER, .machine = m};
    h->sm = calloc((size_t)m->sms, sizeof *h->sm);
    h->subcore = calloc((size_t)(m->sms * m->subcores), sizeof *h->subcore);
    cr_assert(h->sm && h->subcore);
}

static void observe(struct rp_trace *t, const struct machine *m, enum replay_engine engine, unsigned threads,
                    struct events *h, struct replay_result *result)
{
    struct rp_error err;
    begin_events(h, m);
    const struct observer o = listener(h, m, engine);
    struct replay_options options = {.engine = engine, .threads = threads, .launch = -1, .observer = &o};
    cr_assert(replay(t, m, &options, result, &err), "machine %s:\n%s\n%s", m->name, m->text, err.text);
    h->over = true;
    qsort(h->list, h->count, sizeof *h->list, compare_events);
}

static void free_events(struct events *h)
{
    free(h->list);
    free(h->sm);
    free(h->subcore);
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

/* A channel of pipeline staged keeps some requests when the last launch ends. A refresh closes rows without a command.
 */
static void check_commands(const struct machine *m, const struct events *h, const struct memory_counts *counts)
{
    const uint64_t *of_model = counts->dram_counters, *commands = h->commands;
    bool keeps = ((const struct dram_model *)m->dram.model)->stepped;
    cr_assert_eq(commands[DRAM_READ], of_model[DRAM_READS]);
    cr_assert_eq(commands[DRAM_WRITE], of_model[DRAM_WRITES]);
    cr_assert_eq(commands[DRAM_ACTIVATE], of_model[DRAM_ACTIVATES]);
    cr_assert(commands[DRAM_REFRESH] ? commands[DRAM_PRECHARGE] <= of_model[DRAM_PRECHARGES]
                                     : commands[DRAM_PRECHARGE] == of_model[DRAM_PRECHARGES]);
    cr_assert(keeps || commands[DRAM_WRITE] == counts->dram.writes);
    cr_assert(keeps || commands[DRAM_READ] + commands[DRAM_WRITE] == counts->dram.accesses);
}

/* Events add up to what is counted. */
static void check_sums(const struct machine *m, const struct events *h, const struct replay_result *r)
{
    const struct statistics *s = &r->total;
    unsigned events = replay_events(m, REPLAY_FAST);
    cr_assert_eq(h->launches[0], r->count);
    cr_assert_eq(h->launches[1], r->count);
    cr_assert_eq(h->issues, s->issue_cycles + s->dual_issues);
    cr_assert_eq(h->seconds, s->dual_issues);
    cr_assert_eq(h->ends, h->issues);
    cr_assert(!m->issue_exit || h->lanes == s->thread_instructions);
    cr_assert_arr_eq(h->stall, s->stall, sizeof s->stall);
    cr_assert_arr_eq(h->busy, s->unit_busy, sizeof s->unit_busy);
    for (unsigned i = 0; i < 2 && events & OBSERVE_BLOCK; i++)
        cr_assert_eq(h->blocks[i], s->blocks);
    for (unsigned p = 0; p < COPY_PATHS; p++)
        cr_assert_eq(h->copies[p], r->copies[p].bytes);
    if (events & OBSERVE_ACCESS && ((const struct cache_model *)m->l2.model)->keeps)
        cr_assert_eq(h->beyond, s->memory.l2.hits + s->memory.l2.misses); /* what is looked up ends in L2, or beyond */
    if (events & OBSERVE_DRAM)
        check_commands(m, h, &s->memory);
}

static void check_equal(const struct machine *m, uint64_t seed, const char *what, const struct events *a,
                        const struct events *b)
{
    static const char *const names[] = {
#define X(id, member, text) text,
        OBSERVER_EVENTS(X)
#undef X
    };
    for (unsigned i = 0; i < OBSERVER_EVENT_COUNT; i++)
        cr_assert_eq(a->events[i], b->events[i],
                     "seed %" PRIu64 ", machine %s:\n%s\n%s: %" PRIu64 " and %" PRIu64 " %s", seed, m->name, m->text,
                     what, a->events[i], b->events[i], names[i]);
    for (size_t i = 0; i < a->count; i++)
        if (memcmp(&a->list[i], &b->list[i], sizeof *a->list)) {
            char text[1000];
            size_t at = 0;
            for (unsigned f = 1; f < FIELDS; f++)
                at += (size_t)snprintf(text + at, sizeof text - at, " %" PRIu64 "/%" PRIu64, a->list[i].field[f],
                                       b->list[i].field[f]);
            cr_assert(false, "seed %" PRIu64 ", machine %s:\n%s\n%s: %s differ:%s", seed, m->name, m->text, what,
                      names[a->list[i].field[0]], text);
        }
}

/* Returns the kinds of events that there were. */
static unsigned compare(const char *path, const struct machine *m, uint64_t seed)
{
    struct rp_error err;
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    struct events fast, reference, threads;
    struct replay_result of_fast, of_reference, of_threads, unobserved;
    struct replay_options plain = {.launch = -1};
    observe(t, m, REPLAY_FAST, 1, &fast, &of_fast);
    observe(t, m, REPLAY_REFERENCE, 1, &reference, &of_reference);
    observe(t, m, REPLAY_FAST, 3, &threads, &of_threads);
    cr_assert(replay(t, m, &plain, &unobserved, &err), "%s", err.text);
    check_sums(m, &fast, &of_fast);
    check_equal(m, seed, "fast and reference", &fast, &reference);
    check_equal(m, seed, "one thread and three", &fast, &threads);
    cr_assert_null(statistics_difference(m, &of_fast.total, &unobserved.total), "listening changes the replay");
    unsigned kinds = 0;
    for (unsigned i = 0; i < OBSERVER_EVENT_COUNT; i++)
        kinds |= fast.events[i] ? 1u << i : 0;
    replay_result_free(&of_fast);
    replay_result_free(&of_reference);
    replay_result_free(&of_threads);
    replay_result_free(&unobserved);
    free_events(&fast);
    free_events(&reference);
    free_events(&threads);
    rp_trace_close(t);
    return kinds;
}

/* The reference engine is slow. */
static void write_small(const char *path, uint64_t seed)
{
    struct rp_error err;
    struct synthetic_options o = synthetic_random_options(seed);
    o.threads = o.threads > 130 ? 130 : o.threads;
    o.blocks = o.blocks > 5 ? 5 : o.blocks;
    o.iterations = o.iterations > 2 ? 2 : o.iterations;
    o.phase_length = o.phase_length > 10 ? 10 : o.phase_length;
    if (seed % 3 == 0) {
        o.streams = 2 + seed % 4;
        o.launches = 4;
    }
    cr_assert(synthetic_trace_write(path, &o, &err), "%s", err.text);
}

Test(observer, random_machines)
{
    char path[] = "/tmp/reprise-observer-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    unsigned kinds = 0;
    for (uint64_t seed = 700000; seed < 700150; seed++) {
        struct machine *m = random_machine(seed * 7919);
        write_small(path, seed);
        kinds |= compare(path, m, seed);
        machine_free(m);
    }
    cr_assert_eq(kinds, (1u << OBSERVER_EVENT_COUNT) - 1, "some kinds did not come, but %x did", kinds);
    unlink(path);
}

Test(observer, random_staged_machines)
{
    const unsigned never = OBSERVE_COPY; /* they take no time */
    char path[] = "/tmp/reprise-observer-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    unsigned kinds = 0, machines = 0;
    for (uint64_t seed = 730000; machines < 60; seed++) {
        struct machine *m = random_staged_machine(seed * 7919);
        if (!m)
            continue;
        write_small(path, seed);
        kinds |= compare(path, m, seed);
        machines++;
        machine_free(m);
    }
    cr_assert_eq(kinds | never, (1u << OBSERVER_EVENT_COUNT) - 1, "some kinds did not come, but %x did", kinds);
    unlink(path);
}

/* Machines as they are, but for two SMs. */
Test(observer, every_machine)
{
    static const char *const machines[] = {"orin",
                                           "rtx2060",
                                           "rtx3070",
                                           "titan-v",
                                           "v100",
                                           "a100",
                                           "h100",
                                           "jetson-tx2",
                                           "rtx2080",
                                           "quadro-rtx6000",
                                           "orin-wcet",
                                           "rtx2060-accelsim",
                                           "san-quadro-rtx6000",
                                           "tx2-pastis"};
    char path[] = "/tmp/reprise-observer-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const struct machine_setting settings[] = {{.key = "sms", .value = "2"}};
        struct rp_error err;
        struct machine *m = machine_open(
            &(struct machine_request){.name = machines[i], .settings = settings, .setting_count = 1}, &err);
        cr_assert(m, "%s", err.text);
        for (uint64_t seed = 710000 + 3 * i; seed < 710000 + 3 * i + 3; seed++) {
            write_small(path, seed);
            compare(path, m, seed);
        }
        machine_free(m);
    }
    unlink(path);
}

/* ---- events that do not exist ----------------------------------------------------------------------------------- */

static void refuses(const char *machine, const char *const *settings, const struct observer *o, const char *says)
{
    struct warp_op op = OP(INT, 0, NO, NO);
    struct machine *m = test_machine(machine, NULL, settings);
    struct rp_trace *t = trace_of(&(struct warp_program){&op, 1}, 1);
    struct replay_options options = {.launch = -1, .observer = o};
    struct replay_result result;
    struct rp_error err;
    cr_assert(!replay(t, m, &options, &result, &err), "%s", machine);
    cr_expect_eq(err.status, RP_USAGE);
    cr_expect(strstr(err.text, says), "'%s' does not say '%s'", err.text, says);
    rp_trace_close(t);
    machine_free(m);
}

Test(observer, an_event_that_never_comes_is_an_error)
{
    static const char *const none[] = {NULL}, *const fixed[] = {"dram=fixed", NULL},
                             *const ideal[] = {"dram=ideal", NULL};
    struct events h = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct observer commands = {.data = &h, .dram = dram}, blocks = {.data = &h, .block = block},
                    accesses = {.data = &h, .access = access_};
    refuses("rtx2060-accelsim", ideal, &commands, "does not report DRAM commands: pipeline 'staged'");
    refuses("orin-wcet", fixed, &commands, "dram 'fixed'");
    refuses("san-quadro-rtx6000", none, &blocks, "does not report blocks: pipeline 'one-at-a-time'");
    refuses("san-quadro-rtx6000", none, &accesses, "does not report accesses by level");
    cr_expect_eq(h.count, 0);
}

/* ---- replays that fail ------------------------------------------------------------------------------------------- */

/* Launch 0 has a block; in launch 1 one of two warps waits at a barrier for ever. */
static struct rp_trace *second_launch_hangs(void)
{
    struct warp_op add = OP(INT, 0, NO, NO), wait[] = {OP(BARRIER, NO, NO, NO), add};
    const struct warp_program fine[] = {{&add, 1}, {&add, 1}}, hangs[] = {{&add, 1}, {wait, 2}};
    wait[0].count = 64;
    char path[] = "/tmp/reprise-observer-XXXXXX";
    struct rp_error err;
    cr_assert_geq(mkstemp(path), 0);
    struct warp_trace *w = warp_trace_begin(path, &err);
    cr_assert(w && warp_trace_launch(w, fine, 2, 1, &err) && warp_trace_launch(w, hangs, 2, 1, &err) &&
                  warp_trace_end(w, true, &err),
              "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

static void fails_alike(struct rp_trace *t, const struct machine *m, enum replay_engine engine, unsigned threads)
{
    struct events h;
    struct rp_error err, unobserved;
    struct replay_result result;
    begin_events(&h, m);
    const struct observer o = listener(&h, m, engine);
    struct replay_options options = {.engine = engine, .threads = threads, .launch = -1};
    cr_assert(!replay(t, m, &options, &result, &unobserved), "%s", m->name);
    options.observer = &o;
    cr_assert(!replay(t, m, &options, &result, &err), "%s", m->name);
    h.over = true;
    cr_expect_str_eq(err.text, unobserved.text);
    cr_expect_eq(err.status, RP_BAD_INPUT);
    cr_expect_eq(h.launches[0], 2);
    cr_expect_eq(h.launches[1], 1, "%s: the launch that fails does not end", m->name);
    cr_expect(!(replay_events(m, engine) & OBSERVE_BLOCK) || (h.blocks[0] == 2 && h.blocks[1] == 1));
    cr_expect_geq(h.issues, 4, "what came before the failure is reported");
    free_events(&h);
}

/* The listener has all that happened until then, and the replay says the same as without it. */
Test(observer, a_replay_that_fails_in_the_middle)
{
    static const char *const machines[][4] = {
        {"orin-wcet", "sms=2"}, {"v100", "sms=2"}, {"rtx2060-accelsim", "sms=1", "pipeline.defects.one_barrier=false"}};
    struct rp_trace *t = second_launch_hangs();
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *m = test_machine(machines[i][0], NULL, &machines[i][1]);
        fails_alike(t, m, REPLAY_FAST, 1);
        fails_alike(t, m, REPLAY_FAST, 3);
        fails_alike(t, m, REPLAY_REFERENCE, 1);
        machine_free(m);
    }
    rp_trace_close(t);
}

/* Without `concurrent` all events come from the thread that replays, whatever the number of threads. */
static pthread_t caller;
static void only_here(void *data, const struct observed_issue *i)
{
    (void)i;
    ++*(uint64_t *)data;
    cr_assert(pthread_equal(pthread_self(), caller));
}

Test(observer, one_thread_unless_it_is_concurrent)
{
    char path[] = "/tmp/reprise-observer-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    struct synthetic_options large = synthetic_random_options(720000);
    struct rp_error err;
    large.launches = 3;
    large.blocks = 50;
    large.threads = 100;
    large.iterations = 4;
    cr_assert(synthetic_trace_write(path, &large, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    struct machine *m = test_machine("orin-wcet", NULL, (const char *const[]){"sms=3", NULL});
    uint64_t issues = 0;
    const struct observer o = {.data = &issues, .issue = only_here};
    struct replay_options options = {.threads = 3, .launch = -1, .observer = &o};
    struct replay_result result;
    caller = pthread_self();
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    cr_assert_eq(issues, result.total.issue_cycles + result.total.dual_issues);
    replay_result_free(&result);
    rp_trace_close(t);
    machine_free(m);
    unlink(path);
}

/* ---- how far SMs are ahead --------------------------------------------------------------------------------------- */

struct ahead {
    uint64_t furthest, behind; /* the latest cycle, and the most cycles by which a later event was earlier */
};

static void note_cycle(struct ahead *a, uint64_t cycle)
{
    a->furthest = cycle > a->furthest ? cycle : a->furthest;
    a->behind = a->furthest - cycle > a->behind ? a->furthest - cycle : a->behind;
}

static void note_issue_cycle(void *data, const struct observed_issue *i) { note_cycle(data, i->cycle); }
static void note_block_cycle(void *data, const struct observed_block *b) { note_cycle(data, b->cycle); }

/* The most cycles by which an event is behind another one that came before. */
static uint64_t most_behind(struct rp_trace *t, const struct machine *m, uint64_t most_ahead, struct statistics *sum)
{
    struct ahead a = {0};
    const struct observer o = {
        .data = &a, .most_ahead = most_ahead, .block = note_block_cycle, .issue = note_issue_cycle};
    const struct replay_options options = {.launch = -1, .observer = &o};
    struct replay_result result;
    struct rp_error err;
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    *sum = result.total;
    replay_result_free(&result);
    return a.behind;
}

/* An observer says by how many cycles; the results are the same. */
Test(observer, sms_are_no_further_ahead_than_it_says)
{
    static const char *const machines[][3] = {
        {"orin-wcet", "sms=3"}, {"rtx2060", "sms=4"}, {"jetson-tx2"}, {"rtx2060-accelsim", "sms=3"}};
    char path[] = "/tmp/reprise-observer-XXXXXX";
    cr_assert_geq(mkstemp(path), 0);
    struct synthetic_options large = synthetic_random_options(720000);
    struct rp_error err;
    struct statistics sum, same;
    uint64_t unbound = 0;
    large.launches = 3;
    large.blocks = 50;
    large.threads = 100;
    large.iterations = 40;
    cr_assert(synthetic_trace_write(path, &large, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *m = test_machine(machines[i][0], NULL, &machines[i][1]);
        uint64_t behind = most_behind(t, m, 0, &sum);
        unbound = behind > unbound ? behind : unbound;
        for (uint64_t most = 1; most <= 256; most *= 16) {
            cr_expect_leq(most_behind(t, m, most, &same), most, "%s, %" PRIu64, m->name, most);
            cr_expect(!memcmp(&sum, &same, sizeof sum), "%s, %" PRIu64, m->name, most);
        }
        machine_free(m);
    }
    cr_expect_gt(unbound, 256, "else this tells nothing: %" PRIu64, unbound);
    rp_trace_close(t);
    unlink(path);
}
