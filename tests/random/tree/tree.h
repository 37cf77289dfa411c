/* Random programs of PTX for sm_70 to sm_90, as trees: printed for the PTX frontend, and interpreted thread by thread
 * with the models of tests/unit/ptx_forms, which know nothing of the engine. Both must leave the same bits.
 *
 * A tree has straight code, branches and switches by lane, counted loops and calls. The interpreter runs a node for the
 * set of threads that reach it. In the text each level of nesting has the lanes of its warp that are there in a
 * register
 * (%m0, %m1, ...), made by votes: what instructions across lanes take as their mask. */
#ifndef REPRISE_TESTS_RANDOM_TREE_H
#define REPRISE_TESTS_RANDOM_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/support/form_walk.h"

enum {
    TREE_THREADS = 64, /* one block of two warps */
    TREE_REGISTERS = 6,
    TREE_PREDICATES = 4,
    TREE_SLOT = 64, /* bytes of a thread in each of TREE_SPACES, in words of 8 in the results */
    TREE_SPACES = 3,
    TREE_SUMS = 8,
    TREE_NODES = 400,
    TREE_FUNCTIONS = 2,
    TREE_DEPTH = 4,
    TREE_TEXT = 1 << 18,
};
enum { CLASS_H, CLASS_R, CLASS_D, CLASSES }; /* registers of 16, 32 and 64 bits */
enum { IN_GLOBAL, IN_SHARED, IN_LOCAL };

enum node_kind {
    NODE_FORM,  /* one instruction from registers to registers */
    NODE_CHAIN, /* 96 bits with carry */
    NODE_IF,
    NODE_SWITCH,
    NODE_LOOP,
    NODE_CALL,
    NODE_SHUFFLE,
    NODE_VOTE,
    NODE_MATCH,
    NODE_REDUCE,
    NODE_ELECT,
    NODE_LOAD,
    NODE_STORE,
    NODE_COPY,     /* cp.async from the thread's global to its shared bytes */
    NODE_ATOMIC,   /* on the thread's own bytes */
    NODE_SUM,      /* red on words that all threads have in common */
    NODE_EXCHANGE, /* through shared memory within a warp */
    NODE_BARRIER,  /* the same across the block */
    NODE_MBARRIER, /* likewise */
    NODE_COUNT,    /* bar.red */
    NODE_MMA,      /* of bytes */
    NODE_KINDS
};

struct node {
    uint8_t kind, variant, space, offset; /* meaning by kind */
    uint8_t reg[8];                       /* operands; of NODE_FORM d, a, b, c, l, q, second q, p */
    uint8_t guard;                        /* 0: none, else predicate guard - 1, from 16 on negated */
    uint32_t number;
    bool dropped;
    const struct spelled *form;
    struct node *body[3], *next;
};
struct tree {
    uint64_t random;
    unsigned target; /* 70: sm_70 */
    struct node nodes[TREE_NODES];
    unsigned count;
    struct node *code[1 + TREE_FUNCTIONS]; /* the kernel, then functions */
};

/* What threads leave, and begin with: registers of threads, bytes of theirs, sums. */
struct lane {
    uint64_t reg[CLASSES][TREE_REGISTERS];
    uint64_t p[TREE_PREDICATES];
    uint8_t bytes[TREE_SPACES][TREE_SLOT];
};
struct machine {
    struct lane lanes[TREE_THREADS];
    uint64_t sums[TREE_SUMS];
};

/* ---- catalogue.c ---- */

/* Forms that the reference answers exactly and the frontend takes; false: error printed. */
bool catalogue_open(void);
void catalogue_close(void);
unsigned catalogue_count(void);
const struct spelled *catalogue_any(uint64_t *random, unsigned target);
/* The class of a register of a type; CLASSES: a predicate. */
unsigned class_of_type(enum ptx_type);
/* Index of a role's register in node.reg. */
int place_of(char role);
uint32_t immediate_of(const struct spelled *);

/* ---- generate.c ---- */
uint64_t tree_random(uint64_t *state);
void tree_generate(struct tree *, uint64_t seed, uint64_t index, unsigned target);

/* ---- print.c ---- */
/* The text of the kernel "k". Parameters: results, globals, sums. */
size_t tree_print(const struct tree *, char *to, size_t size);

/* The class of the registers of a load or store; the register i after r, round and round. */
unsigned access_class(const struct node *);
unsigned next_register(unsigned r, unsigned i);

/* ---- interpret.c ---- */
/* Drops nodes whose results PTX leaves open, and begins again until none is left. */
void tree_interpret(struct tree *, const struct machine *before, struct machine *after);

/* Atomic operations and loads by variant. */
struct atomic_kind {
    const char *op, *type;
    unsigned bits, target;
};
extern const struct atomic_kind atomic_kinds[];
extern const unsigned atomic_kind_count;
struct load_kind {
    const char *type;
    unsigned bits;
    bool is_signed, exact; /* exact: only to registers of this width */
};
extern const struct load_kind load_kinds[];
extern const unsigned load_kind_count;

#endif
