/* One warp, instruction by instruction: Algorithm 1 of the paper (ECRTS 2025, section 3.1), and the sums from which the
 * bounds are computed.
 *
 * A section is the part of a warp up to and including a block barrier, or to its end. Each section is analysed as if it
 * began with all earlier results written and all units free, as in the paper (section 4.2): its times count from its
 * beginning. docs/wcet-proofs.md defines the sums and proves the bounds.
 */
#ifndef REPRISE_TOOLS_WCET_WARP_H
#define REPRISE_TOOLS_WCET_WARP_H

#include "tools/wcet/caches.h"

enum wcet_kind { WCET_EXEC, WCET_IDLE };
struct wcet_phase {
    uint64_t start, duration; /* cycles from the beginning of the section */
    uint64_t instructions;    /* issued in it */
    uint8_t kind;             /* enum wcet_kind */
};

/* The times of one instruction in isolation, in cycles from the beginning of the section; with `sections_run_on`, of
 * the warp. */
struct wcet_instant {
    uint32_t index; /* static instruction */
    uint64_t issue, dispatch, writeback;
};

/* Callbacks of the analysis; either may be NULL. */
struct wcet_sink {
    void (*phase)(void *, const struct wcet_phase *);
    void (*instant)(void *, const struct wcet_instant *);
    void *data;
};

/* The sums of one section of a warp. */
struct wcet_sums {
    uint64_t alone; /* its length in isolation: the sum of its phases */
    uint64_t kept;  /* the same, or longer: until it occupies no port */
    /* waited, waited_kept: `alone` and `kept` without the results of silent units. silent: from the beginning to the
     * last of those results, without what is in the units' queues; 0: there are none. */
    uint64_t waited, waited_kept, silent;
    uint64_t exec;                      /* cycles of execution phases */
    uint64_t phases;                    /* number of phases */
    uint64_t issues;                    /* instructions that take an issue slot */
    uint64_t count[MACHINE_UNITS];      /* the same by unit */
    uint64_t initiation[MACHINE_UNITS]; /* cycles for which it occupies each unit; `count` for ideal ones */
    uint64_t port[WCET_PORTS];          /* cycles for which it occupies each port, without fetches of lines that stay */
    bool waits[WCET_PORTS];             /* some instruction waits for the port */
    struct wcet_fetches fetches;     /* cycles for which fetches of lines that stay may occupy device memory's port */
    uint64_t residue[MACHINE_UNITS]; /* initiation that is left when its bursts end (docs/wcet-proofs.md, Lemma 5) */
    bool barrier;                    /* ends at a barrier; else with the warp */
    int32_t barrier_id;
    bool empty; /* the warp had ended before */
};

struct wcet_register {
    uint64_t ready;   /* in isolation: the first cycle in which an instruction that waits for it may issue */
    uint64_t latency; /* along the chain of latencies (Theorem 3) */
    uint64_t cum;     /* initiation issued to the writer's unit, up to and including the writer */
    uint32_t span;    /* the writer's initiation + latency; UINT32_MAX: the writer went through a port */
    uint8_t unit;
    bool pending; /* no later issue proves that it is written */
};

struct wcet_warp {
    const struct wcet_model *model;
    const struct wcet_sink *sink;
    struct wcet_caches *caches; /* NULL: see wcet_caches_open */
    bool sections_run_on;       /* barriers do not end sections: for comparison with a replay of one warp alone */
    struct wcet_register *registers;
    /* Algorithm 1. Times continue from section to section; each begins when all earlier results are written. */
    uint64_t begin, next, done, memory_done, busy, unit_free[MACHINE_UNITS], port_free[WCET_PORTS];
    uint64_t phase_begin, phase_instructions;
    uint64_t waited,
        silent;     /* the last issue or result for which something may wait, and the last result of silent units */
    uint64_t fetch; /* the cycle in which the warp advanced to its next instruction */
    bool *lines;    /* by line of the instruction cache: this warp has fetched it */
    /* chain of latencies, from the beginning of the launch */
    uint64_t chain, chain_done, chain_memory, chain_silent;
    /* By silent unit: initiation issued to it minus instructions issued, the maximum over all runs of instructions that
     * end with the last one, and the maximum so far (docs/wcet-proofs.md, Lemma 4). */
    uint64_t run[MACHINE_UNITS], most[MACHINE_UNITS];
    /* bursts */
    uint64_t burst, burst_free[MACHINE_UNITS]; /* instructions of the burst so far, and when each unit would be free */
    bool broken;                               /* the next instruction begins a burst */
    /* by unit: initiation issued; the same up to the latest result that is known to be written, and its span */
    uint64_t issued[MACHINE_UNITS], known_cum[MACHINE_UNITS];
    uint32_t known_span[MACHINE_UNITS];
    struct wcet_sums sums; /* of the section so far */
};

bool wcet_warp_begin(struct wcet_warp *, const struct wcet_model *, const struct wcet_sink *, struct rp_error *);
void wcet_warp_end(struct wcet_warp *);

/* Takes the next instruction of the warp; `waits`: the warp waits at a barrier after it. True: that ends the section.
 */
bool wcet_warp_step(struct wcet_warp *, uint32_t index, bool waits, const struct wcet_op *);

/* Closes the section, after a step that returned true or after the warp's last instruction: `sums` is complete. */
void wcet_warp_close(struct wcet_warp *, bool ended);
/* Opens the next section, or the first. The chain of latencies continues at `chain`. */
void wcet_warp_open(struct wcet_warp *, uint64_t chain);

#endif
