#include "replay/base/profile.h"

#include <stdlib.h>

/* For what happens once per warp instruction. */
#define HOT static inline __attribute__((always_inline))

/* Counts of the launches on an SM, until one of them ends. */
struct profile_sm {
    struct profile_row **rows;        /* of each kernel; NULL: none of its launches has been here since */
    struct profile_row *last;         /* those of the launch that was here last; NULL: none is known */
    uint32_t last_launch, last_count; /* its instructions */
    bool out_of_memory;               /* memory ran out */
};

/* ---- adding ------------------------------------------------------------------------------------------------------ */

void profile_row_add(struct profile_row *to, const struct profile_row *from)
{
    to->issued += from->issued;
    to->threads += from->threads;
    to->issue_cycles += from->issue_cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < RESPONSE_LEVELS; i++)
        to->level[i] += from->level[i];
    to->misses += from->misses;
}

uint64_t profile_row_cycles(const struct profile_row *r)
{
    uint64_t sum = r->issue_cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += r->stall[i];
    return sum;
}

static struct profile_row *rows_new(uint32_t instructions)
{
    return calloc((size_t)instructions + 1, sizeof(struct profile_row));
}

/* Rows of the launch's kernel on the SM; NULL: memory ran out. */
static __attribute__((noinline)) struct profile_row *find_rows(struct profile *p, struct profile_sm *sm,
                                                               uint32_t launch)
{
    uint32_t kernel = rp_trace_launch(p->trace, launch)->kernel;
    if (!sm->rows[kernel])
        sm->rows[kernel] = rows_new(p->kernels[kernel].count);
    sm->out_of_memory |= !sm->rows[kernel];
    sm->last = sm->rows[kernel];
    sm->last_launch = launch;
    sm->last_count = p->kernels[kernel].count;
    return sm->last;
}

/* NULL: memory ran out. */
HOT struct profile_row *row_of(struct profile *p, uint32_t sm, uint32_t launch, const struct rp_instruction *in,
                               uint32_t index)
{
    struct profile_sm *of = &p->sms[sm];
    struct profile_row *rows = of->last && of->last_launch == launch ? of->last : find_rows(p, of, launch);
    return rows ? &rows[in ? index : of->last_count] : NULL;
}

/* ---- listening --------------------------------------------------------------------------------------------------- */

HOT void count_issue(struct profile_row *r, const struct observed_issue *i, unsigned threads)
{
    r->issued++;
    r->threads += threads;
    r->issue_cycles += !i->second;
    if (i->level != RESPONSE_NONE)
        r->level[i->level]++;
}

static void note_issue(void *data, const struct observed_issue *i)
{
    struct profile *p = data;
    struct profile_row *row = row_of(p, i->sm, i->launch, i->instruction, i->index);
    unsigned threads = i->executed == ~0u ? RP_WARP_LANES : rp_lane_count(i->executed);
    count_issue(&p->subcores[i->sm * p->subcores_per_sm + i->subcore], i, threads);
    if (row)
        count_issue(row, i, threads);
}

HOT void count_stall(struct profile_row *r, const struct observed_stall *s)
{
    r->stall[s->reason] += s->cycles;
    r->misses += s->missed;
    if (s->reason == STALL_MEMORY || s->level != RESPONSE_NONE)
        r->level[s->level] += s->cycles;
}

static void note_stall(void *data, const struct observed_stall *s)
{
    struct profile *p = data;
    struct profile_row *row = row_of(p, s->sm, s->launch, s->instruction, s->index);
    count_stall(&p->subcores[s->sm * p->subcores_per_sm + s->subcore], s);
    if (row)
        count_stall(row, s);
}

/* A launch has ended: adds up the counts of its kernel on all SMs. */
static void note_launch(void *data, const struct observed_launch *l)
{
    struct profile *p = data;
    uint32_t kernel = rp_trace_launch(p->trace, l->launch)->kernel;
    for (uint32_t s = 0; l->ends && s < p->sm_count; s++) {
        struct profile_row *rows = p->sms[s].rows[kernel];
        for (uint32_t i = 0; rows && i <= p->kernels[kernel].count; i++)
            profile_row_add(&p->kernels[kernel].rows[i], &rows[i]);
        free(rows);
        p->sms[s].rows[kernel] = NULL;
        p->sms[s].last = NULL;
    }
}

bool profile_end(const struct profile *p, struct rp_error *err)
{
    bool out_of_memory = false;
    for (uint32_t s = 0; s < p->sm_count; s++)
        out_of_memory |= p->sms[s].out_of_memory;
    return !out_of_memory || rp_fail(err, RP_SYSTEM, "out of memory for the counts of instructions");
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool make(struct profile *p)
{
    bool fine = p->kernels && p->subcores && p->sms;
    for (uint32_t k = 0; fine && k < p->kernel_count; k++) {
        p->kernels[k].count = rp_trace_kernel(p->trace, k)->instruction_count;
        fine = (p->kernels[k].rows = rows_new(p->kernels[k].count));
    }
    for (uint32_t s = 0; fine && s < p->sm_count; s++)
        fine = (p->sms[s].rows = calloc((size_t)p->kernel_count + 1, sizeof *p->sms[s].rows));
    return fine;
}

struct profile *profile_new(const struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    struct profile *p = calloc(1, sizeof *p);
    if (p) {
        *p = (struct profile){
            .observer = {p, .concurrent = true, .launch = note_launch, .issue = note_issue, .stall = note_stall},
            .kernel_count = rp_trace_kernel_count(t),
            .subcore_count = (uint32_t)(m->sms * m->subcores),
            .trace = t,
            .sm_count = (uint32_t)m->sms,
            .subcores_per_sm = (uint32_t)m->subcores};
        p->kernels = calloc((size_t)p->kernel_count + 1, sizeof *p->kernels);
        p->subcores = calloc(p->subcore_count, sizeof *p->subcores);
        p->sms = calloc(p->sm_count, sizeof *p->sms);
        if (make(p))
            return p;
    }
    profile_free(p);
    rp_fail(err, RP_SYSTEM, "out of memory for the counts of instructions");
    return NULL;
}

static void free_rows(struct profile *p, struct profile_row **rows)
{
    for (uint32_t k = 0; rows && k < p->kernel_count; k++)
        free(rows[k]);
    free(rows);
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (uint32_t k = 0; p->kernels && k < p->kernel_count; k++)
        free(p->kernels[k].rows);
    for (uint32_t s = 0; p->sms && s < p->sm_count; s++)
        free_rows(p, p->sms[s].rows);
    free(p->kernels);
    free(p->subcores);
    free(p->sms);
    free(p);
}
