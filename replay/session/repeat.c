#include "replay/session/repeat.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/sampled.h"
#include "replay/session/engines.h"
#include "replay/session/interval.h"

#define MOST_AT_ONCE 4096u             /* batches of one pass */
#define MOST_TIMES ((uint64_t)1 << 22) /* of processors, in all batches of a pass */

struct repeating {
    struct rp_trace *trace;
    const struct machine *machine;
    const struct engine *engine;
    const struct replay_options *options;
    const struct repeat_request *request;
    struct repeat_result *result;
    size_t columns;
    uint32_t *word_of; /* [column]: its word in a struct statistics */
    uint64_t *values;  /* [batch][column] */
    uint32_t room;
    struct running cycles;
    bool certain; /* all batches are equal */
    /* a group of batches that threads take in turns */
    pthread_mutex_t lock;
    uint32_t next, end;
    bool failed;
    uint32_t failed_batch;
    struct rp_error error;
    uint64_t done, all; /* warp instructions */
};

/* ---- statistics as columns --------------------------------------------------------------------------------------- */

static void count_column(void *data, const char *name, uint64_t value)
{
    (void)name;
    (void)value;
    ++*(size_t *)data;
}

static void put_column(void *data, const char *name, uint64_t value)
{
    uint32_t **at = data;
    (void)name;
    *(*at)++ = (uint32_t)value;
}

/* A struct statistics is an array of counts. If each word holds its own index, visiting the columns gives their words.
 */
static bool find_columns(struct repeating *r, struct rp_error *err)
{
    union {
        struct statistics statistics;
        uint64_t word[STATISTICS_WORDS];
    } indices;
    for (size_t i = 0; i < STATISTICS_WORDS; i++)
        indices.word[i] = i;
    statistics_each(r->machine, &indices.statistics, count_column, &r->columns);
    if (!(r->word_of = malloc(r->columns * sizeof *r->word_of)))
        return rp_fail(err, RP_SYSTEM, "out of memory for the statistics of batches");
    uint32_t *at = r->word_of;
    statistics_each(r->machine, &indices.statistics, put_column, &at);
    return true;
}

static void put_batch(struct repeating *r, uint32_t batch, const struct statistics *s)
{
    uint64_t *at = r->values + batch * r->columns, word[STATISTICS_WORDS];
    memcpy(word, s, sizeof word);
    for (size_t c = 0; c < r->columns; c++)
        at[c] = word[r->word_of[c]];
}

static bool make_room(struct repeating *r, uint32_t batches, struct rp_error *err)
{
    if (batches <= r->room)
        return true;
    uint64_t *values = realloc(r->values, batches * r->columns * sizeof *values);
    if (!values)
        return rp_fail(err, RP_SYSTEM, "out of memory for %" PRIu32 " batches", batches);
    r->values = values;
    r->room = batches;
    return true;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static uint64_t instructions(const struct repeating *r)
{
    uint64_t sum = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++)
        if (r->options->launch < 0 || r->options->launch == (int64_t)l)
            sum += rp_trace_launch_totals(r->trace, l).warp_instructions;
    return sum;
}

static bool replay_batch(struct repeating *r, uint32_t batch, struct rp_error *err)
{
    struct replay_options options = *r->options;
    struct replay_result result;
    struct machine *m = malloc(sizeof *m);
    if (!m)
        return rp_fail(err, RP_SYSTEM, "out of memory for a batch");
    options.batch = batch;
    options.threads = 1;
    options.progress = NULL;
    options.launch_done = NULL;
    machine_of_batch(r->machine, &(struct random_source){options.seed, batch}, m);
    bool fine = replay(r->trace, m, &options, &result, err);
    if (fine) {
        put_batch(r, batch, &result.total);
        replay_result_free(&result);
    }
    free(m);
    return fine;
}

/* Batches are taken in order, so those before a failed one are done. */
static void *replay_batches(void *data)
{
    struct repeating *r = data;
    pthread_mutex_lock(&r->lock);
    while (!r->failed && r->next < r->end) {
        uint32_t batch = r->next++;
        struct rp_error err;
        pthread_mutex_unlock(&r->lock);
        bool fine = replay_batch(r, batch, &err);
        pthread_mutex_lock(&r->lock);
        if (!fine && (!r->failed || batch < r->failed_batch)) {
            r->failed = true;
            r->failed_batch = batch;
            r->error = err;
        }
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static bool replay_group(struct repeating *r, uint32_t first, uint32_t count, struct rp_error *err)
{
    pthread_t helpers[64];
    unsigned threads = r->options->threads ? r->options->threads : 1, started = 0;
    r->next = first;
    r->end = first + count;
    while (started + 1 < threads && started + 1 < count && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, replay_batches, r))
        started++;
    replay_batches(r);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    if (r->failed && err)
        *err = r->error;
    return !r->failed;
}

static struct engine_batches batches_of(struct rp_trace *trace, const struct machine *m, const struct replay_options *o,
                                        uint32_t first, uint32_t count)
{
    return (struct engine_batches){.trace = trace,
                                   .machine = m,
                                   .launch = o->launch,
                                   .seed = o->seed,
                                   .processors = o->processors,
                                   .threads = o->threads,
                                   .first = first,
                                   .count = count};
}

/* Computes mean and deviation only. */
static bool exact_of(struct rp_trace *trace, const struct machine *m, const struct replay_options *o,
                     struct engine_exact *exact, struct rp_error *err)
{
    const struct engine_batches none = batches_of(trace, m, o, 0, 0);
    return engine_of(m, o->engine)->batches(&none, NULL, exact, err);
}

/* Adds up the batches of a group in one pass over the trace. */
static bool sum_group(struct repeating *r, uint32_t first, uint32_t count, struct rp_error *err)
{
    struct statistics *totals = calloc(count, sizeof *totals);
    struct engine_exact *exact = first ? NULL : &r->result->exact;
    if (!totals)
        return rp_fail(err, RP_SYSTEM, "out of memory for %" PRIu32 " batches", count);
    const struct engine_batches batches = batches_of(r->trace, r->machine, r->options, first, count);
    bool fine = r->engine->batches(&batches, totals, exact, err);
    for (uint32_t b = 0; fine && b < count; b++)
        put_batch(r, first + b, &totals[b]);
    free(totals);
    return fine;
}

/* Whether the engine adds up the batches of a group in one pass over the trace. */
static bool sums(const struct repeating *r) { return r->engine->batches && r->options->engine == REPLAY_FAST; }

static uint32_t at_once(const struct repeating *r)
{
    uint64_t processors = (uint64_t)(r->machine->sms * r->machine->subcores);
    processors = r->options->processors && r->options->processors < processors ? r->options->processors : processors;
    uint64_t most = MOST_TIMES / processors;
    return most < MOST_AT_ONCE ? (uint32_t)most : MOST_AT_ONCE;
}

/* Runs batches first .. end - 1. */
static bool run_batches(struct repeating *r, uint32_t first, uint32_t end, struct rp_error *err)
{
    uint32_t step = sums(r) ? at_once(r) : 64;
    if (!make_room(r, end, err))
        return false;
    for (uint32_t count; first < end; first += count) {
        count = end - first < step ? end - first : step;
        if (!(sums(r) ? sum_group : replay_group)(r, first, count, err))
            return false;
        r->done += count * r->all;
        if (r->options->progress)
            r->options->progress(r->options->progress_data, r->done, r->all * r->request->most);
    }
    return true;
}

/* ---- when to stop ------------------------------------------------------------------------------------------------ */

static double deviation_of(const struct engine_exact *e) { return sqrt(e->variance); }

/* The number of batches that makes the interval narrow enough, from the known mean and deviation. */
static uint32_t planned(const struct repeating *r)
{
    const struct repeat_request *q = r->request;
    const struct engine_exact *e = &r->result->exact;
    double half = q->width * e->mean, ratio = interval_normal(q->confidence) * deviation_of(e);
    if (ratio == 0)
        return q->least;
    double wanted = half > 0 ? ceil(ratio / half * (ratio / half)) : INFINITY;
    return wanted > q->most ? q->most : wanted < q->least ? q->least : (uint32_t)wanted;
}

static bool narrow(const struct repeating *r)
{
    const struct repeat_request *q = r->request;
    double deviation = running_deviation(&r->cycles), wanted = q->width * r->cycles.mean;
    if (r->certain)
        return true;
    /* the normal quantile is below that of Student, and faster to compute */
    if (deviation == 0 || deviation / sqrt((double)r->cycles.count) > wanted)
        return false;
    return running_half_width(&r->cycles, q->confidence) <= wanted;
}

/* Adds batches to the running sums until they may stop. */
static bool stops_among(struct repeating *r, uint32_t end)
{
    const struct repeat_request *q = r->request;
    while (r->cycles.count < end) {
        running_add(&r->cycles, (double)r->values[r->cycles.count * r->columns]);
        if (r->cycles.count >= q->least && narrow(r))
            return true;
    }
    return false;
}

static bool run_unknown(struct repeating *r, struct rp_error *err)
{
    uint32_t done = r->request->least;
    while (!(r->result->reached = stops_among(r, done)) && done < r->request->most) {
        uint32_t more = sums(r) ? done : 64, end = r->request->most - done < more ? r->request->most : done + more;
        if (!run_batches(r, done, end, err))
            return false;
        done = end;
    }
    r->result->batches = (uint32_t)r->cycles.count;
    return true;
}

static bool run_known(struct repeating *r, struct rp_error *err)
{
    const struct engine_exact *e = &r->result->exact;
    uint32_t batches = planned(r);
    double half = interval_normal(r->request->confidence) * deviation_of(e) / sqrt(batches);
    r->result->batches = batches;
    r->result->reached = half <= r->request->width * e->mean;
    return batches <= r->request->least || run_batches(r, r->request->least, batches, err);
}

static bool run(struct repeating *r, struct rp_error *err)
{
    struct repeat_result *result = r->result;
    if (!result->chance) {
        result->reached = true;
        result->batches = 1;
        return run_batches(r, 0, 1, err);
    }
    if (!run_batches(r, 0, r->request->least, err))
        return false;
    if (r->engine->batches && !sums(r) && !exact_of(r->trace, r->machine, r->options, &result->exact, err))
        return false;
    result->known = r->engine->batches && result->exact.known;
    return result->known ? run_known(r, err) : run_unknown(r, err);
}

/* ---- statistics over batches ------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t quantile(const uint64_t *sorted, uint32_t count, uint32_t percent)
{
    return sorted[((uint64_t)count * percent + 99) / 100 - 1];
}

/* quantile_of_mean: of the interval of a mean, in deviations. */
static void sum_up(const struct repeating *r, size_t column, double quantile_of_mean, uint64_t *sample,
                   struct repeat_row *row)
{
    uint32_t count = r->result->batches;
    struct running all = {0};
    for (uint32_t b = 0; b < count; b++) {
        sample[b] = r->values[b * r->columns + column];
        running_add(&all, (double)sample[b]);
    }
    if (column == 0)
        memcpy(r->result->cycles, sample, count * sizeof *sample);
    if (all.squares > 0)
        qsort(sample, count, sizeof *sample, ascending);
    *row = (struct repeat_row){.mean = all.mean,
                               .deviation = running_deviation(&all),
                               .half_width = quantile_of_mean * running_deviation(&all) / sqrt(count),
                               .least = sample[0],
                               .greatest = sample[count - 1],
                               .q5 = quantile(sample, count, 5),
                               .q50 = quantile(sample, count, 50),
                               .q95 = quantile(sample, count, 95)};
    if (column == 0 && r->result->known)
        row->half_width = interval_normal(r->request->confidence) * deviation_of(&r->result->exact) / sqrt(count);
}

static bool sum_up_all(const struct repeating *r, struct rp_error *err)
{
    struct repeat_result *result = r->result;
    uint64_t *sample = malloc(result->batches * sizeof *sample);
    result->row_count = r->columns;
    result->rows = calloc(r->columns, sizeof *result->rows);
    result->cycles = calloc(result->batches, sizeof *result->cycles);
    bool fine = sample && result->rows && result->cycles;
    double student = result->batches > 1 ? interval_student(r->request->confidence, result->batches - 1) : 0;
    for (size_t c = 0; fine && c < r->columns; c++)
        sum_up(r, c, student, sample, &result->rows[c]);
    free(sample);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for %" PRIu32 " batches", result->batches);
}

bool repeat(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
            const struct repeat_request *request, struct repeat_result *result, struct rp_error *err)
{
    struct repeating r = {.trace = trace,
                          .machine = machine,
                          .engine = engine_of(machine, options->engine),
                          .options = options,
                          .request = request,
                          .result = result,
                          .lock = PTHREAD_MUTEX_INITIALIZER};
    *result = (struct repeat_result){.chance = machine_has_chance(machine)};
    r.certain = machine_is_certain(machine);
    r.all = instructions(&r);
    bool fine = find_columns(&r, err) && run(&r, err) && sum_up_all(&r, err);
    free(r.values);
    free(r.word_of);
    pthread_mutex_destroy(&r.lock);
    if (!fine)
        repeat_result_free(result);
    return fine;
}

void repeat_result_free(struct repeat_result *r)
{
    free(r->rows);
    free(r->cycles);
    *r = (struct repeat_result){0};
}

bool repeat_means(const struct machine *machine, const struct repeat_result *result, struct statistics *means,
                  struct rp_error *err)
{
    uint64_t words[STATISTICS_WORDS] = {0};
    struct repeating r = {.machine = machine};
    if (!find_columns(&r, err))
        return false;
    for (size_t c = 0; c < r.columns; c++)
        words[r.word_of[c]] = (uint64_t)llround(result->rows[c].mean);
    memcpy(means, words, sizeof words);
    free(r.word_of);
    return true;
}

bool repeat_exact(struct rp_trace *trace, const struct machine *m, const struct replay_options *options,
                  struct engine_exact *exact, struct rp_error *err)
{
    if (!engine_of(m, options->engine)->batches)
        return rp_fail(err, RP_USAGE, "machine %s: mean and deviation are known with pipeline 'one-at-a-time' only",
                       m->name);
    if (!exact_of(trace, m, options, exact, err))
        return false;
    return exact->known || rp_fail(err, RP_USAGE,
                                   "machine %s: mean and deviation of the slowest of %" PRIu64
                                   " processors are not known; choose measure=processor, or estimate them with "
                                   "--batches",
                                   m->name, exact->processors);
}
