#include "replay/base/profile.h"

#include <stdlib.h>

static bool make(struct profile *p, const struct rp_trace *t)
{
    bool fine = p->kernels && p->subcores;
    for (uint32_t k = 0; fine && k < p->kernel_count; k++) {
        p->kernels[k].count = rp_trace_kernel(t, k)->instruction_count;
        fine = (p->kernels[k].rows = profile_rows_new(rp_trace_kernel(t, k)));
    }
    return fine;
}

struct profile *profile_new(const struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    struct profile *p = calloc(1, sizeof *p);
    if (p) {
        pthread_mutex_init(&p->lock, NULL);
        p->kernel_count = rp_trace_kernel_count(t);
        p->subcore_count = (uint32_t)(m->sms * m->subcores);
        p->kernels = calloc(p->kernel_count ? p->kernel_count : 1, sizeof *p->kernels);
        p->subcores = calloc(p->subcore_count, sizeof *p->subcores);
        if (make(p, t))
            return p;
    }
    profile_free(p);
    rp_fail(err, RP_SYSTEM, "out of memory for the counts of instructions");
    return NULL;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (uint32_t k = 0; p->kernels && k < p->kernel_count; k++)
        free(p->kernels[k].rows);
    free(p->kernels);
    free(p->subcores);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void profile_row_add(struct profile_row *to, const struct profile_row *from)
{
    to->issued += from->issued;
    to->threads += from->threads;
    to->issue_cycles += from->issue_cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < ANSWER_LEVELS; i++)
        to->level[i] += from->level[i];
}

uint64_t profile_row_cycles(const struct profile_row *r)
{
    uint64_t sum = r->issue_cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += r->stall[i];
    return sum;
}

struct profile_row *profile_rows_new(const struct rp_kernel *k)
{
    return calloc((size_t)k->instruction_count + 1, sizeof(struct profile_row));
}

void profile_add(struct profile *p, uint32_t kernel, const struct profile_row *rows)
{
    struct profile_kernel *to = &p->kernels[kernel];
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i <= to->count; i++)
        profile_row_add(&to->rows[i], &rows[i]);
    pthread_mutex_unlock(&p->lock);
}

void profile_add_subcore(struct profile *p, uint32_t number, const struct profile_row *row)
{
    pthread_mutex_lock(&p->lock);
    profile_row_add(&p->subcores[number], row);
    pthread_mutex_unlock(&p->lock);
}

void profile_add_cycles(struct profile *p, uint64_t cycles)
{
    pthread_mutex_lock(&p->lock);
    p->cycles += cycles;
    pthread_mutex_unlock(&p->lock);
}
