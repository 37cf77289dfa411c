/* The model of a machine and a kernel for the analysis: for each instruction the unit that it occupies, for how long,
 * and the registers for which it waits. It derives from the machine that drives replay, and from the trace semantics
 * that both engines use (replay/base/trace_semantics.h). A machine or kernel to which the proofs of docs/wcet-proofs.md
 * do not apply is refused.
 *
 * Times are cycles. An instruction issued at t is dispatched at d >= t, when its unit is free; the unit is busy in
 * [d, d + initiation); the result is there at d + initiation + latency, or later if the instruction goes through a
 * port.
 */
#ifndef REPRISE_TOOLS_WCET_MODEL_H
#define REPRISE_TOOLS_WCET_MODEL_H

#include "replay/base/trace_semantics.h"

/* Assumptions of the paper that a switch drops: X(identifier, name, what the switch allows). */
#define WCET_EXTENSIONS(X)                                                                                             \
    X(SUBCORES, "subcores", "several sub-cores per SM")                                                                \
    X(CONFLICTS, "conflicts", "shared memory whose accesses take time by their addresses")                             \
    X(TRANSACTIONS, "transactions", "uncoalesced accesses: a device memory that serves transactions one by one")       \
    X(BLOCKS, "blocks", "several blocks per launch")                                                                   \
    X(CACHES, "caches", "caches, by a must-analysis of the path")                                                      \
    X(DUAL_ISSUE, "dual-issue", "two instructions of a warp in one cycle")                                             \
    X(FETCH, "instruction-cache", "an instruction cache with misses, by a must-analysis of the path")

enum wcet_extension {
#define X(id, name, help) WCET_##id,
    WCET_EXTENSIONS(X)
#undef X
        WCET_EXTENSION_COUNT
};
extern const char *const wcet_extension_names[WCET_EXTENSION_COUNT + 1];

/* Resources behind the units of an SM. They serve instructions one after the other, in the order of arrival. */
enum wcet_port { WCET_NO_PORT, WCET_PORT_SHARED, WCET_PORT_DRAM, WCET_PORTS };

struct wcet_op {
    uint8_t unit;
    uint8_t port; /* enum wcet_port */
    bool memory;  /* a memory operation in flight, for which fences of its warp wait */
    uint32_t initiation, latency;
    /* An access arrives at its port at dispatch (shared memory) or at dispatch + initiation (device memory). occupancy:
     * the cycles for which it occupies the port; duration: the cycles until it has passed it. The result is there at
     * max(d + initiation, start + duration) + latency. */
    uint32_t occupancy, duration;
    bool waits; /* for the port, even if its occupancy is 0 */
    uint32_t
        fixed; /* the part of the occupancy that does not depend on which warp fetches lines that stay in a cache */
    /* With caches. asked: cycles from its start at the port until all sectors that it requests have arrived. time,
     * chain: the access does not end before these cycles, in which sectors requested earlier arrive, in isolation and
     * along chains of latencies. */
    uint32_t asked;
    uint64_t time, chain;
};

/* The transactions of an access to caches and device memory; none if it does not go there. */
struct wcet_transactions {
    uint32_t count;
    enum cache_kind kind;
    bool through_l1;
    bool local; /* local memory: addresses depend on where the warp runs */
    uint64_t address[COALESCER_MOST];
};

/* A static instruction. */
struct wcet_row {
    struct wcet_op op; /* if it is executed and not dynamic */
    bool dynamic;      /* the op depends on the addresses: wcet_resolve() computes it */
    bool transacts;    /* may make transactions, which wcet_resolve() lists */
    bool exit;         /* ends the warp and takes no issue slot */
    bool barrier, fence, control;
    uint32_t line;   /* of the instruction cache, numbered densely */
    bool line_stays; /* once fetched, the line is not replaced before the launch ends */
    uint32_t first, waits,
        writes; /* index into slots: `waits` registers for which it waits, then `writes` that it writes */
};

struct wcet_shared_cost; /* an entry of a table */

struct wcet_model {
    const struct machine *machine;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    unsigned extensions; /* a bit per enum wcet_extension */
    unsigned assumed;    /* the same: those that it needs */
    struct wcet_row *rows;
    uint32_t *slots;
    uint32_t slot_count; /* registers of the kernel, numbered densely */
    /* By unit: it never blocks (model "ideal"); an instruction may have to wait in its queue; it refuses instructions
     * while it is busy. */
    bool ideal[MACHINE_UNITS], queues[MACHINE_UNITS], refuses[MACHINE_UNITS];
    /* By unit: silent if instructions may have to wait in its queue, and no instruction ever waits for their results.
     */
    bool silent[MACHINE_UNITS];
    bool exact; /* op times are exact; else latencies are upper bounds */
    /* The time of shared memory depends on addresses. shared_costs: a table of the costs computed so far. */
    bool shared_port;
    struct wcet_shared_cost *shared_costs;
    /* The time of device memory depends on addresses. Occupancy: cycles for which a transaction occupies it (with
     * caches: 0 or not 0); latency: from the start of a request to its response, caches included. */
    bool memory_port;
    uint64_t memory_occupancy, memory_latency;
    uint64_t dram_interval, dram_latency;
    uint32_t line_count;    /* lines of the instruction cache that the kernel's code takes */
    uint64_t fetch_latency; /* of a miss; 0: instructions never miss */
};

/* False: the machine or the kernel is not supported; err names an option or switches that would help, if any do. */
bool wcet_model_begin(struct wcet_model *, const struct machine *, const struct rp_kernel *, const struct rp_launch *,
                      unsigned extensions, struct rp_error *);
void wcet_model_end(struct wcet_model *);

struct wcet_shared_cost *wcet_shared_costs_new(void);

/* Computes the op of one execution of an instruction whose row is dynamic, or whose mask is empty. wcet_caches_charge()
 * adds the effect of caches. */
bool wcet_resolve(const struct wcet_model *, const struct rp_step *, struct wcet_op *, struct wcet_transactions *,
                  struct rp_error *);

static inline bool wcet_op_of(const struct wcet_model *m, const struct rp_step *step, struct wcet_op *op,
                              struct wcet_transactions *list, struct rp_error *err)
{
    list->count = 0;
    list->local = false;
    const struct wcet_row *row = &m->rows[step->index];
    if (row->dynamic || !step->executed)
        return wcet_resolve(m, step, op, list, err);
    *op = row->op;
    return true;
}

#endif
