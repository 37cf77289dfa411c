/* Stretches of a function: instructions in a row that may change places, with what orders them.
 *
 * Whatever other threads, the host or the control flow can notice ends a stretch and stays where it is: branches,
 * calls, barriers, fences, atomics, volatile and strong accesses, exchanges between lanes, reads of clocks,
 * asynchronous work, textures, prints. So do the bounds of basic blocks. What is left are operations on registers, and
 * weak loads and stores. They keep their order where one needs another's result, overwrites what another reads or
 * writes, or may store to what another accesses. Two accesses cannot meet if
 *
 * - neither stores;
 * - their state spaces differ, and neither is generic;
 * - one reads memory that no kernel writes: constants, a kernel's parameters, loads with .nc (PTX ISA, "ld.global.nc");
 * - both add known offsets to one value, and their bytes do not overlap.
 *
 * As for an assembler, this is about each thread on its own. Threads that exchange data through memory without a
 * barrier, a fence or volatile accesses race, and may find other values than before. */
#ifndef REPRISE_FRONTEND_ISA_PTX_STRETCH_H
#define REPRISE_FRONTEND_ISA_PTX_STRETCH_H

#include "frontend/isa/ptx/lower.h"

/* The most instructions of a stretch. A longer one is cut, so that the pairs of its accesses stay few. */
#define STRETCH_MOST 16384u

/* A value: a register, and how often the stretch has written it before. */
struct stretch_value {
    uint32_t reg, version;
};

static inline bool stretch_same(struct stretch_value a, struct stretch_value b)
{
    return a.reg == b.reg && a.version == b.version;
}

struct stretch_node {
    uint32_t first, count; /* its operations, counted from the stretch's first */
    uint32_t names, uses,
        writes;               /* the registers that it reads and writes: names[names ..], first `uses` that it reads */
    struct operation *access; /* its access to memory; NULL: none */
    struct stretch_value base, guard; /* of the access; reg STRETCH_NONE: none */
    uint8_t unit_class;               /* enum rp_class */
};

struct stretch {
    struct lowering *lowering;
    uint32_t first; /* operation */
    uint32_t count; /* instructions */
    uint32_t end;   /* operation behind the last one */
    uint32_t codes; /* the number that stands for the carry among registers */
    struct stretch_node *nodes;
    VECTOR(uint32_t) names; /* registers; temporaries of one instruction alone are left out */
    uint32_t *versions;     /* by register, while the stretch is read */
};
#define STRETCH_NONE UINT32_MAX

/* Memory for stretches of the current function; it serves for one after another. */
void stretch_begin(struct stretch *, struct lowering *);
/* Reads the next stretch of operations [*at, end), a part of one block, and sets *at to the operation behind it. False:
 * there is none. A stretch has at least two instructions. */
bool stretch_next(struct stretch *, uint32_t *at, uint32_t end);
/* Lists the registers of a node anew, when its operations have changed. */
void stretch_name(struct stretch *, struct stretch_node *);
/* Whether two accesses of the stretch can meet, as said above. Either may stand first. */
bool stretch_may_meet(const struct stretch_node *, const struct stretch_node *);
static inline const uint32_t *stretch_uses(const struct stretch *s, const struct stretch_node *n)
{
    return s->names.at + n->names;
}
static inline const uint32_t *stretch_writes(const struct stretch *s, const struct stretch_node *n)
{
    return s->names.at + n->names + n->uses;
}

#endif
