/* One instruction on fragments that the test lays out: a kernel of one warp loads the registers of each lane from
 * buffers, executes the instruction and stores the registers that it wrote. */
#ifndef REPRISE_TESTS_MATRIX_COMMON_H
#define REPRISE_TESTS_MATRIX_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/host/launch.h"

enum { LANES = 32, MAX_REGISTERS = 32 };

/* Registers of one operand: `kind` 'r' (.b32), 'f' (.f32), 'd' (.f64); 0: there is none. */
struct fragment {
    char kind;
    unsigned count;
    uint64_t bits[MAX_REGISTERS][LANES];
};

/* Runs "spelling {d}, {a}, {b}, {c};" on target sm_90a and fills in d->bits; with metadata ", e, selector" goes behind
 * it. Fails the test if that fails. */
struct metadata {
    uint32_t word[LANES];
    int selector;
};
void run_instruction(const char *spelling, struct fragment *d, const struct fragment *a, const struct fragment *b,
                     const struct fragment *c, const struct metadata *e);

/* A kernel from PTX text (what comes after the header lines), with buffers as its parameters. */
struct kernel_run {
    struct rp_device *device;
    struct program *program;
    char *body;
    unsigned buffers;
    uint64_t bytes; /* of each buffer */
    void *host[4];
    uint64_t params[4];
    struct rp_launch_result result;
    struct rp_error err;
};
void open_kernel(struct kernel_run *, const char *target, const char *body, unsigned buffers, uint64_t bytes);
bool launch_kernel(struct kernel_run *, unsigned grid, unsigned block);
void close_kernel(struct kernel_run *);
/* The error with which a kernel of these instructions is refused; fails the test if it is not. */
const char *refusal(const char *target, const char *instructions);

/* ---- numbers of a type, exactly ---------------------------------------------------------------------------------- */

enum number { F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S4, U4, B1, S32 };
unsigned number_bits(enum number);
const char *number_name(enum number);
/* By the definition of the formats, with the host's ldexp: no table, no trick. */
double decode(enum number, uint64_t bits);
uint64_t encode(enum number, double value); /* of a value that the type has */
/* The nearest value of the type, ties to even; F16, F32, F64. */
uint64_t rounded(enum number, long double value);
char register_kind(enum number);

uint32_t next_random(void);

#endif
