#include "tools/wcet/warp.h"

#include <stdlib.h>
#include <string.h>

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

bool wcet_warp_begin(struct wcet_warp *w, const struct wcet_model *m, const struct wcet_sink *sink,
                     struct rp_error *err)
{
    *w = (struct wcet_warp){.model = m, .sink = sink};
    w->registers = calloc((size_t)m->slot_count + 1, sizeof *w->registers);
    w->lines = calloc((size_t)m->line_count + 1, sizeof *w->lines);
    if (w->registers && w->lines)
        return true;
    wcet_warp_end(w);
    return rp_fail(err, RP_SYSTEM, "out of memory for the registers of a warp of %s", m->kernel->name);
}

void wcet_warp_end(struct wcet_warp *w)
{
    free(w->registers);
    free(w->lines);
    w->registers = NULL;
    w->lines = NULL;
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static void phase(struct wcet_warp *w, uint64_t from, uint64_t to, enum wcet_kind kind, uint64_t instructions)
{
    if (to == from)
        return;
    w->sums.phases++;
    if (kind == WCET_EXEC)
        w->sums.exec += to - from;
    if (w->sink && w->sink->phase)
        w->sink->phase(w->sink->data, &(struct wcet_phase){from - w->begin, to - from, instructions, kind});
}

/* Ends the present execution phase at w->busy; an idle phase follows up to `until`. */
static void idle_until(struct wcet_warp *w, uint64_t until)
{
    phase(w, w->phase_begin, w->busy, WCET_EXEC, w->phase_instructions);
    phase(w, w->busy, until, WCET_IDLE, 0);
    w->phase_begin = w->busy = until;
    w->phase_instructions = 0;
}

/* ---- bursts: consecutive instructions that cannot wait ------------------------------------------
 */

static void end_burst(struct wcet_warp *w)
{
    for (unsigned u = 0; u < w->model->machine->unit_count; u++) {
        if (w->burst_free[u] > w->burst)
            w->sums.residue[u] += w->burst_free[u] - w->burst;
        w->burst_free[u] = 0;
    }
    w->burst = 0;
}

/* Whether the register is certain to be written once the warp's last instruction has issued: an instruction waited for
 * it, or for a later result of the same unit that takes at least as long. */
static bool surely_written(const struct wcet_warp *w, const struct wcet_register *r)
{
    return !r->pending || (w->model->exact && r->cum <= w->known_cum[r->unit] && r->span <= w->known_span[r->unit]);
}

/* An instruction that waits for the register issues, so it is written. */
static void learn(struct wcet_warp *w, struct wcet_register *r)
{
    if (!r->pending)
        return;
    r->pending = false;
    if (r->cum >= w->known_cum[r->unit]) {
        w->known_cum[r->unit] = r->cum;
        w->known_span[r->unit] = r->span == UINT32_MAX ? 0 : r->span;
    }
}

static void burst_step(struct wcet_warp *w, const struct wcet_op *op)
{
    w->burst_free[op->unit] =
        later(w->burst_free[op->unit], w->burst) + (w->model->ideal[op->unit] ? 1 : op->initiation);
    w->burst++;
}

/* ---- one instruction -----------------------------------------------------------------------------------------------
 */

struct wait {
    uint64_t ready, latency; /* in isolation, and along the chain of latencies */
    bool sure;
};

static struct wait wait_for(struct wcet_warp *w, const struct wcet_row *row)
{
    struct wait wait = {w->next, w->chain, !w->broken};
    const uint32_t *slot = w->model->slots + row->first;
    for (uint32_t i = 0; i < row->waits; i++) {
        const struct wcet_register *r = &w->registers[slot[i]];
        wait.ready = later(wait.ready, r->ready);
        wait.latency = later(wait.latency, r->latency);
        wait.sure &= surely_written(w, r);
    }
    for (uint32_t i = 0; i < row->waits; i++)
        learn(w, &w->registers[slot[i]]);
    if (row->fence) {
        wait.ready = later(wait.ready, w->memory_done);
        wait.latency = later(wait.latency, w->chain_memory);
        wait.sure = false;
    }
    return wait;
}

/* Dispatch and result in isolation. `chain`: the chain of latencies at the start of the access at its port. */
static uint64_t dispatch(struct wcet_warp *w, const struct wcet_op *op, uint64_t issue, uint64_t chain,
                         uint64_t *dispatched)
{
    uint64_t at = w->model->ideal[op->unit] ? issue : later(issue, w->unit_free[op->unit]);
    uint64_t done = at + op->initiation;
    w->unit_free[op->unit] = done;
    w->busy = later(w->busy, done);
    if (op->port) {
        uint64_t arrival = op->port == WCET_PORT_SHARED ? at : done;
        uint64_t start = arrival;
        if (op->waits) {
            start = later(arrival, w->port_free[op->port]);
            w->port_free[op->port] = start + op->occupancy;
        }
        done = later(later(done, start + op->duration), op->time);
        if (w->caches && op->port == WCET_PORT_DRAM)
            wcet_caches_arrived(w->caches, start + op->asked, chain + op->asked);
    }
    *dispatched = at;
    return done + op->latency;
}

static void write(struct wcet_warp *w, const struct wcet_row *row, const struct wcet_op *op, uint64_t done,
                  uint64_t chain_done)
{
    const struct wcet_model *m = w->model;
    const uint32_t *slot = m->slots + row->first + row->waits;
    uint32_t span = op->port ? UINT32_MAX : op->initiation + op->latency;
    bool pending = op->port || m->queues[op->unit] || op->initiation + op->latency > 1;
    for (uint32_t i = 0; i < row->writes; i++)
        w->registers[slot[i]] = (struct wcet_register){done, chain_done, w->issued[op->unit], span, op->unit, pending};
}

static void count(struct wcet_warp *w, const struct wcet_op *op)
{
    struct wcet_sums *s = &w->sums;
    uint64_t initiation = w->model->ideal[op->unit] ? 1 : op->initiation;
    s->issues++;
    s->count[op->unit]++;
    s->initiation[op->unit] += initiation;
    s->port[op->port] += op->fixed;
    s->waits[op->port] |= op->waits;
    w->issued[op->unit] += initiation;
}

/* An instruction takes an issue slot. Meanwhile each silent unit works for a cycle on its queue. */
static void count_runs(struct wcet_warp *w, const struct wcet_op *op)
{
    for (unsigned u = 0; u < w->model->machine->unit_count; u++) {
        if (!w->model->silent[u])
            continue;
        w->run[u] += op->unit == u ? op->initiation : 0;
        w->run[u] -= w->run[u] > 0;
        w->most[u] = later(w->most[u], w->run[u]);
    }
}

/* The instruction is fetched: immediately if the warp has fetched its line before and the line stays; else, at worst,
 * with a miss. */
static void fetch(struct wcet_warp *w, const struct wcet_row *row)
{
    uint64_t arrival = w->fetch + w->model->fetch_latency;
    if (!w->model->fetch_latency || (row->line_stays && w->lines[row->line]))
        return;
    w->lines[row->line] = true;
    if (arrival <= w->next)
        return;
    w->chain += arrival - w->next;
    w->next = arrival;
    w->broken = true;
}

bool wcet_warp_step(struct wcet_warp *w, uint32_t index, bool waits, const struct wcet_op *op)
{
    const struct wcet_model *m = w->model;
    const struct wcet_row *row = &m->rows[index];
    if (row->exit)
        return false;
    fetch(w, row);
    struct wait wait = wait_for(w, row);
    if (!wait.sure || (m->refuses[op->unit] && m->queues[op->unit]))
        end_burst(w);
    burst_step(w, op);
    count(w, op);
    count_runs(w, op);

    uint64_t issue = m->refuses[op->unit] ? later(wait.ready, w->unit_free[op->unit]) : wait.ready, dispatched;
    if (issue > w->busy)
        idle_until(w, issue);
    w->phase_instructions++;
    uint64_t own = m->ideal[op->unit] ? op->initiation - 1 : 0; /* an ideal unit is never busy */
    uint64_t chain = wait.latency + own;
    uint64_t done = dispatch(w, op, issue, chain, &dispatched);
    uint64_t chain_done = later(chain + op->duration, op->chain) + op->latency;
    write(w, row, op, done, chain_done);
    w->done = later(w->done, done);
    w->waited = later(w->waited, issue + 1);
    if (m->silent[op->unit]) {
        w->silent = later(w->silent, issue + op->initiation + op->latency);
        w->chain_silent = later(w->chain_silent, wait.latency + op->initiation + op->latency);
    } else {
        w->waited = later(w->waited, done);
        w->chain_done = later(w->chain_done, chain_done);
    }
    if (op->memory) {
        w->memory_done = later(w->memory_done, done);
        w->chain_memory = later(w->chain_memory, chain_done);
    }
    uint64_t pause = row->control ? (uint64_t)m->machine->control_interval - 1 : 0;
    w->fetch = issue;
    w->next = issue + 1 + pause;
    w->chain = wait.latency + pause;
    w->broken = pause > 0;
    if (w->sink && w->sink->instant)
        w->sink->instant(w->sink->data,
                         &(struct wcet_instant){index, issue - w->begin, dispatched - w->begin, done - w->begin});
    if (!row->barrier || !waits)
        return false;
    w->sums.barrier_id = m->kernel->instructions[index].barrier.id;
    if (!w->sections_run_on)
        return true;
    w->next = issue + 1 + later(pause, (uint64_t)m->machine->barrier_latency);
    return false;
}

/* ---- sections ------------------------------------------------------------------------------------------------------
 */

void wcet_warp_open(struct wcet_warp *w, uint64_t chain)
{
    memset(&w->sums, 0, sizeof w->sums);
    w->begin = w->next = w->fetch = w->phase_begin = w->busy = later(w->done, w->next);
    w->done = w->waited = w->silent = w->begin;
    w->phase_instructions = 0;
    w->chain = chain;
    w->broken = true;
}

void wcet_warp_close(struct wcet_warp *w, bool ended)
{
    end_burst(w);
    idle_until(w, later(w->done, w->busy));
    w->sums.alone = w->done - w->begin;
    w->sums.waited = w->waited - w->begin;
    w->sums.silent = w->silent - w->begin;
    for (unsigned p = WCET_NO_PORT + 1; p < WCET_PORTS; p++) {
        w->done = later(w->done, w->port_free[p]);
        w->waited = later(w->waited, w->port_free[p]);
    }
    w->sums.kept = w->done - w->begin;
    w->sums.waited_kept = w->waited - w->begin;
    w->sums.barrier = !ended;
}
