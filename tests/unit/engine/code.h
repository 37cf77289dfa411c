/* Programs out of hand-made uops, with a handful of lane operations of the tests' own, so that the engine can be tested
 * without any decoder or lane handler. */
#ifndef REPRISE_TESTS_ENGINE_CODE_H
#define REPRISE_TESTS_ENGINE_CODE_H

#include "frontend/core/engine.h"

#define CODE_MAX 4096
#define CODE_WORDS 16 /* 32-bit registers */
#define CODE_LONGS 4  /* 64-bit registers */
#define CODE_PREDS 4
/* Words 0 to 11, the long ones, the predicates, words 12 to 15. A call moves the window so that words 12 to 15 of the
 * caller are words 0 to 3 of the callee. */
#define CALL_WINDOW_BYTES (12 * 128 + CODE_LONGS * 256 + 64)
#define WINDOW_BYTES (CALL_WINDOW_BYTES + 4 * 128)

/* What a lane uop of the tests does; in uop.op. Word registers are named by number. */
enum test_op {
    TEST_AFFINE, /* d = a × low half of imm + high half of imm */
    TEST_XOR,    /* d = a ^ b */
    TEST_BITS,   /* pd = (a & imm) != 0 */
    TEST_TID,    /* d = thread within the grid */
    TEST_WIDE,   /* 64-bit d = 64-bit a + imm × b */
    TEST_WIDEN,  /* 64-bit d = imm × b */
    TEST_CLOCK,  /* d = clock */
};

struct code {
    struct operation operations[CODE_MAX];
    struct rp_instruction instructions[CODE_MAX];
    struct rp_memory_operand memory[CODE_MAX];
    uint32_t count, instruction_count;
    struct program program;
};

struct operand word(unsigned r);
struct operand wide(unsigned r);
struct operand pred(unsigned p);

struct code *code_new(void); /* freed by code_free */
void code_free(struct code *);
/* Appends a uop that begins an instruction; guard < 0: none, else a predicate's number, plus 100: negated. */
struct operation *code_add(struct code *, enum uop_kind kind, int guard);
struct operation *code_lane(struct code *, enum test_op op, unsigned d, unsigned a, unsigned b, int64_t imm, int guard);
struct operation *code_affine(struct code *, unsigned d, unsigned a, uint32_t factor, uint32_t term, int guard);
/* A memory access; address in 64-bit register `a`. */
struct operation *code_memory(struct code *, enum rp_access_kind kind, enum rp_space space, enum lane_type type,
                              struct operand d, unsigned a, int64_t offset, int guard);
uint32_t code_label(struct code *); /* a RECONVERGE uop; returns its index */
/* After the last uop: the program, with every branch's reconverge point set by a plain computation of immediate
 * post-dominators. */
struct program *code_finish(struct code *);

/* A grid of one-dimensional blocks for running a program without a context. */
void code_grid(struct grid *, const struct program *, uint32_t blocks, uint32_t threads, struct memory *);

/* The same program for one thread alone, by a plain interpreter. */
struct scalar {
    uint32_t words[CODE_WORDS];
    uint64_t longs[CODE_LONGS];
    bool preds[CODE_PREDS];
    uint64_t instructions; /* that it executed with its guard true */
    bool stored;           /* it carried out a memory access */
    bool stack_overflow;   /* more than 64 calls deep */
};
void scalar_run(const struct program *, struct scalar *, uint32_t thread);

#endif
