/* One warp, instruction by instruction: Algorithm 1 of the paper (ECRTS 2025, section 3.1), and beside it the sums from
 * which the bounds are made.
 *
 * A section is what a warp does up to and including a block barrier, or to its end. Every section is analysed as if it
 * began with all earlier results written and all units free, as in the paper (section 4.2): its times count from its
 * beginning. docs/wcet.md defines every sum and proves what is made of them.
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

/* When one instruction did what in isolation, in cycles from the beginning of the section (of the warp, with
 * `sections_run_on`). */
struct wcet_instant {
    uint32_t index; /* static instruction */
    uint64_t issue, dispatch, writeback;
};

/* Called as the analysis goes; either may be NULL. */
struct wcet_sink {
    void (*phase)(void *, const struct wcet_phase *);
    void (*instant)(void *, const struct wcet_instant *);
    void *data;
};

/* What a section of a warp amounts to. */
struct wcet_sums {
    uint64_t alone; /* its length in isolation: the sum of its phases */
    uint64_t kept;  /* the same, or longer: until it keeps no port any more */
    /* `alone` and `kept` but for the results of silent units, and from the beginning to the last of those, but for
     * what is in their queues; 0: there are none */
    uint64_t waited, waited_kept, silent;
    uint64_t exec;                      /* of these, the cycles of execution phases */
    uint64_t phases;                    /* how many */
    uint64_t issues;                    /* instructions that take an issue slot */
    uint64_t count[MACHINE_UNITS];      /* the same by unit */
    uint64_t initiation[MACHINE_UNITS]; /* cycles for which it keeps each unit; `count` for ideal ones */
    uint64_t port[WCET_PORTS];          /* cycles for which it keeps each port, but for fetches of lines that stay */
    bool waits[WCET_PORTS];             /* some instruction of it waits for the port */
    struct wcet_fetches fetches;        /* cycles for which fetches of lines that stay may keep device memory's port */
    uint64_t residue[MACHINE_UNITS];    /* initiation left over when its bursts end (docs/wcet.md, Lemma 5) */
    bool barrier;                       /* ends at a barrier; else with the warp */
    int32_t barrier_id;
    bool empty; /* the warp had ended before */
};

struct wcet_register {
    uint64_t ready;   /* in isolation: the first cycle in which an instruction that needs it may issue */
    uint64_t latency; /* along the chain of latencies (Theorem 3) */
    uint64_t cum;     /* initiation issued to the writer's unit up to and including it */
    uint32_t span;    /* the writer's initiation + latency; UINT32_MAX: it went through a port */
    uint8_t unit;
    bool pending; /* nothing that was issued since proves that it is written */
};

struct wcet_warp {
    const struct wcet_model *model;
    const struct wcet_sink *sink;
    struct wcet_caches *caches; /* NULL: see wcet_caches_open */
    bool sections_run_on;       /* a barrier ends no section: for comparison with the replay of one warp alone */
    struct wcet_register *registers;
    /* Algorithm 1. Times run on from section to section, each of which begins where all before is written. */
    uint64_t begin, next, done, memory_done, busy, unit_free[MACHINE_UNITS], port_free[WCET_PORTS];
    uint64_t phase_begin, phase_instructions;
    uint64_t waited, silent; /* the last issue or result that anybody may wait for, and the last of silent units */
    uint64_t fetch;          /* when the warp moved on to its next instruction */
    bool *lines;             /* by line of the instruction cache: this warp has had it */
    /* chain of latencies, from the beginning of the launch */
    uint64_t chain, chain_done, chain_memory, chain_silent;
    /* By silent unit: initiation issued to it less instructions issued, over the runs of instructions that end with the
     * last one, and the maximum so far (docs/wcet.md, Lemma 4) */
    uint64_t run[MACHINE_UNITS], most[MACHINE_UNITS];
    /* bursts */
    uint64_t burst, burst_free[MACHINE_UNITS]; /* instructions of the burst, and when each unit would be free */
    bool broken;                               /* the next instruction begins a burst */
    /* what is known to have happened: per unit, initiation issued, and of the latest result known */
    uint64_t issued[MACHINE_UNITS], known_cum[MACHINE_UNITS];
    uint32_t known_span[MACHINE_UNITS];
    struct wcet_sums sums; /* of the section so far */
};

bool wcet_warp_begin(struct wcet_warp *, const struct wcet_model *, const struct wcet_sink *, struct rp_error *);
void wcet_warp_end(struct wcet_warp *);

/* The next instruction of the warp; `waits`: at a barrier behind it. Returns true when that ends the section. */
bool wcet_warp_step(struct wcet_warp *, uint32_t index, bool waits, const struct wcet_op *);

/* Closes the section, after a step that returned true or after the warp's last instruction: sums is complete. */
void wcet_warp_close(struct wcet_warp *, bool ended);
/* Opens the next one, or the first. The chain of latencies goes on at `chain`. */
void wcet_warp_open(struct wcet_warp *, uint64_t chain);

#endif
