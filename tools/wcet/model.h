/* What the analysis takes from a machine and a kernel: for every instruction the unit that it occupies and how long,
 * and the registers it waits for. The machine file that drives replay is the only source; replay/base/trace_semantics.h
 * says, as for both engines, what a trace entry means. A machine or kernel that the proofs of docs/wcet.md do not cover
 * is refused.
 *
 * Times are cycles. An instruction issued at t is dispatched at d >= t, when its unit is free; the unit is busy in
 * [d, d + initiation); the result is there at d + initiation + latency, or later if the instruction goes through a
 * port.
 */
#ifndef REPRISE_TOOLS_WCET_MODEL_H
#define REPRISE_TOOLS_WCET_MODEL_H

#include "replay/base/trace_semantics.h"

/* Assumptions of the paper that may be dropped, each by a switch: X(identifier, name, what is then allowed). */
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

/* Resources of the SM behind the units, which serve one instruction after the other in the order of arrival. */
enum wcet_port { WCET_NO_PORT, WCET_PORT_SHARED, WCET_PORT_DRAM, WCET_PORTS };

struct wcet_op {
    uint8_t unit;
    uint8_t port; /* enum wcet_port */
    bool memory;  /* counts as an outstanding memory operation of its warp for fences */
    uint32_t initiation, latency;
    /* At its port, where it arrives at dispatch (shared memory) or dispatch + initiation (device memory): how long it
     * keeps others out, and how long until it is through. Result: max(d + initiation, start + duration) + latency. */
    uint32_t occupancy, duration;
    bool waits;     /* for the port, even if it keeps it for no time */
    uint32_t fixed; /* of the occupancy: what does not depend on who fetches a line that stays in a cache */
    /* With caches: until all it asks for is there, from its start at the port; and when what was asked for before it is
     * there, in isolation and on chains of latencies: it is not through before. */
    uint32_t asked;
    uint64_t time, chain;
};

/* What an access becomes on its way to caches and device memory: nothing, if it does not go there. */
struct wcet_transactions {
    uint32_t count;
    enum cache_kind kind;
    bool through_l1;
    bool local; /* addresses depend on where the warp runs */
    uint64_t address[COALESCER_MOST];
};

/* A static instruction. */
struct wcet_row {
    struct wcet_op op; /* when executed and not dynamic */
    bool dynamic;      /* the op depends on the addresses: ask wcet_resolve */
    bool transacts;    /* may become transactions: wcet_resolve may list some */
    bool exit;         /* takes no issue slot and ends the warp when reached */
    bool barrier, fence, control;
    uint32_t line;                 /* of the instruction cache, numbered densely */
    bool line_stays;               /* once fetched, the line is never replaced while the launch lasts */
    uint32_t first, waits, writes; /* into slots: first the registers waited for, then those written */
};

struct wcet_shared_cost; /* an entry of a table */

struct wcet_model {
    const struct machine *machine;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    unsigned extensions; /* bit per enum wcet_extension */
    unsigned missing;    /* the same: needed, but not among them */
    struct wcet_row *rows;
    uint32_t *slots;
    uint32_t slot_count; /* registers of the kernel, numbered densely */
    /* By unit: never blocks (model "ideal"); an instruction may have to wait in its queue; refuses when busy. */
    bool ideal[MACHINE_UNITS], queues[MACHINE_UNITS], refuses[MACHINE_UNITS];
    /* By unit: silent if instructions may have to wait in its queue, but nobody ever waits for what one of them does.
     */
    bool silent[MACHINE_UNITS];
    bool exact; /* op times are exact; else latencies are upper bounds */
    /* Shared memory takes time by addresses; what accesses cost there is kept, so that each kind is asked for once. */
    bool shared_port;
    struct wcet_shared_cost *shared_costs;
    /* Device memory takes time by addresses: for how long a transaction keeps it (with caches: 0 or not), and how long
     * it takes from the start of a request to its answer, caches included. */
    bool memory_port;
    uint64_t memory_occupancy, memory_latency;
    uint64_t dram_interval, dram_latency;
    uint32_t line_count;    /* lines of the instruction cache that the kernel fills */
    uint64_t fetch_latency; /* of a miss; 0: instructions are always at hand */
};

/* False: the machine or the kernel is not covered, and err names the option or the switches that would help, if any. */
bool wcet_model_begin(struct wcet_model *, const struct machine *, const struct rp_kernel *, const struct rp_launch *,
                      unsigned extensions, struct rp_error *);
void wcet_model_end(struct wcet_model *);

struct wcet_shared_cost *wcet_shared_costs_new(void);

/* The op of one executed instruction whose row is dynamic, or whose mask is empty; what caches make of an access is for
 * wcet_caches_charge to say. */
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
