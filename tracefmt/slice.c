#include "tracefmt/slice.h"

#include <stdlib.h>

/* How far a warp's log has been exposed to the encoder. */
struct cut {
    struct rp_warp_log whole;
    size_t run, guard, aux, access; /* exposed so far */
    uint64_t weight;                /* weight of the exposed part */
    struct rp_run rest;             /* the rest of run number `run`, if it was cut; length 0: it was not */
};

struct slicer {
    struct rp_chunk *chunk;
    uint32_t slice, slices;
    bool *ended;      /* per block */
    struct cut *cuts; /* per warp of each block */
};

struct slicer *slicer_new(struct rp_chunk *c, uint32_t slices)
{
    size_t warps = 0, w = 0;
    for (size_t i = 0; i < c->block_count; i++)
        warps += c->blocks[i]->warps;
    struct slicer *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct slicer){c, 0, slices, malloc((c->block_count + 1) * sizeof *s->ended),
                         malloc((warps + 1) * sizeof *s->cuts)};
    if (!s->ended || !s->cuts) {
        free(s->ended);
        free(s->cuts);
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < c->block_count; i++) {
        s->ended[i] = c->blocks[i]->ended;
        for (uint32_t l = 0; l < c->blocks[i]->warps; l++)
            s->cuts[w++] = (struct cut){.whole = c->blocks[i]->logs[l]};
    }
    return s;
}

/* The end of a part of a log. */
struct end {
    size_t run, guard, aux, access; /* whole runs; guards, aux values and accesses */
    uint32_t inside;                /* instructions of the next run */
};

/* A log may have fewer values than its runs ask for: encoding finds that. */
static void limit_end(const struct cut *c, struct end *e)
{
    e->aux = e->aux < c->whole.aux_count ? e->aux : c->whole.aux_count;
    e->access = e->access < c->whole.access_count ? e->access : c->whole.access_count;
}

/* Goes to the end of a run. Returns how many accesses it makes. */
static uint64_t pass_run(const struct cut *c, const struct kernel_map *m, const struct rp_run *r, struct end *e)
{
    const uint32_t stop = r->start + r->length;
    uint64_t accesses = m->slot[stop] - m->slot[r->start], aux = m->aux[stop] - m->aux[r->start];
    for (uint32_t at = m->next_guarded[r->start]; at < stop; at = m->next_guarded[at + 1])
        if (e->guard < c->whole.guard_count) {
            const bool none = !c->whole.guards[e->guard++]; /* hard to predict: no branch */
            accesses -= none ? m->slot[at + 1] - m->slot[at] : 0;
            aux -= none ? m->aux[at + 1] - m->aux[at] : 0;
        }
    e->aux += aux;
    e->access += accesses;
    return accesses;
}

/* Finds the position at which the exposed weight reaches `target`: each run and each access weighs 1. */
static struct end find_end(struct cut *c, const struct kernel_map *m, uint64_t target)
{
    struct end e = {c->run, c->guard, c->aux, c->access, 0};
    for (; e.run < c->whole.run_count && c->weight < target; e.run++) {
        const struct rp_run *r = &c->whole.runs[e.run];
        uint32_t stop = r->start + r->length;
        c->weight++;
        if (c->weight + (m->slot[stop] - m->slot[r->start]) < target) { /* not in this run */
            c->weight += pass_run(c, m, r, &e);
            continue;
        }
        for (const struct notable *n = &m->notable[r->start]; n->at < stop; n = &m->notable[n->at + 1]) {
            if (n->guarded && e.guard < c->whole.guard_count && !c->whole.guards[e.guard++])
                continue;
            e.aux += n->aux;
            e.access += n->memory;
            c->weight += n->memory;
            if (c->weight >= target && n->at + 1 < stop) {
                e.inside = n->at + 1 - r->start;
                limit_end(c, &e);
                return e;
            }
        }
    }
    limit_end(c, &e);
    return e;
}

/* Exposes the part of the log up to `e`. */
static void show(struct cut *c, struct rp_warp_log *log, const struct end *e)
{
    *log = c->whole;
    log->runs += c->run;
    log->guards += c->guard;
    log->aux += c->aux;
    log->accesses += c->access;
    log->run_count = e->run - c->run + (e->inside > 0);
    log->guard_count = e->guard - c->guard;
    log->aux_count = e->aux - c->aux;
    log->access_count = e->access - c->access;
    c->run = e->run;
    c->guard = e->guard;
    c->aux = e->aux;
    c->access = e->access;
    c->rest.length = 0;
    if (e->inside) {
        struct rp_run *r = &c->whole.runs[e->run];
        c->rest = (struct rp_run){r->start + e->inside, r->length - e->inside, r->active};
        r->length = e->inside;
    }
}

void slicer_next(struct slicer *s)
{
    struct cut *c = s->cuts;
    bool last = ++s->slice == s->slices;
    for (size_t i = 0; i < s->chunk->block_count; i++) {
        struct open_block *b = s->chunk->blocks[i];
        b->ended = last && s->ended[i];
        for (uint32_t w = 0; w < b->warps; w++, c++) {
            const struct rp_warp_log *l = &c->whole;
            if (c->rest.length)
                c->whole.runs[c->run] = c->rest;
            uint64_t weight = l->run_count + l->access_count;
            struct end all = {l->run_count, l->guard_count, l->aux_count, l->access_count, 0};
            struct end e = last ? all : find_end(c, s->chunk->map, weight * s->slice / s->slices);
            show(c, &b->logs[w], &e);
        }
    }
}

void slicer_done(struct slicer *s)
{
    for (size_t i = 0; s->slice < s->slices && i < s->chunk->block_count; i++)
        s->chunk->blocks[i]->piece += !block_is_silent(s->chunk->blocks[i]);
}

void slicer_free(struct slicer *s)
{
    const struct cut *c = s->cuts;
    for (size_t i = 0; i < s->chunk->block_count; i++) {
        struct open_block *b = s->chunk->blocks[i];
        b->ended = s->ended[i];
        for (uint32_t w = 0; w < b->warps; w++, c++) {
            size_t left = b->logs[w].run_count; /* of the last slice: whether the block did something in it */
            b->logs[w] = c->whole;
            b->logs[w].run_count = left;
        }
    }
    free(s->ended);
    free(s->cuts);
    free(s);
}
