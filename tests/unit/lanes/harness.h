/* Runs a lane operation at every vector width this CPU has, on corner values and random ones, under full and partial
 * masks, with the destination apart from and over its sources, and compares each lane with a scalar model. */
#ifndef REPRISE_TESTS_LANES_HARNESS_H
#define REPRISE_TESTS_LANES_HARNESS_H

#include <criterion/criterion.h>
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/warp.h"

enum { LANES = 32, SLOT = 512, SLOTS = 16 };

struct lane_case;
/* The expected bits of a lane's result from the bits of its sources (in the low part, the rest 0). */
typedef uint64_t (*lane_model)(const struct lane_case *, uint64_t a, uint64_t b, uint64_t c);

struct lane_case {
    const char *name;
    uint8_t op, type, stype;
    uint64_t flags;
    uint8_t rounding;
    int64_t imm;        /* of OP_SET the comparison */
    uint8_t d, a, b, c; /* enum lane_type of the registers; T_NONE: none */
    lane_model model;
};

struct operation operation_of(const struct lane_case *);
/* Every combination of corner values for up to two sources, samples for three, and `random` random ones. */
void run_case(const struct lane_case *, int random);

/* The handler at a vector width, 2 to widest_level(). NULL when it does not bind. */
uop_fn bind_at(struct operation *u, int level);
int widest_level(void);
/* Packs the operation and runs its fn. */
void execute(const struct operation *, struct warp *, lanemask);

/* Deterministic numbers. */
uint64_t next_random(void);
/* Corner values of a type, as bits. */
struct corners {
    const uint64_t *values;
    int count;
};
struct corners corners_of(enum lane_type);
/* A value of a type: a corner or random bits, floats mostly of moderate exponent. */
uint64_t random_value(enum lane_type);

/* Elements of a register, by the width of a type. */
void put_element(void *reg, enum lane_type, int lane, uint64_t bits);
uint64_t get_element(const void *reg, enum lane_type, int lane);

/* A warp with SLOTS registers of SLOT bytes. */
struct bench_warp {
    struct warp warp;
    uint8_t *slots, *constants;
    uint32_t constant_bytes;
};
struct bench_warp *new_warp(void);
#define REG(n) OPERAND_REGISTER((n)*SLOT)
/* A constant of these bytes, until the next new_warp. */
struct operand put_constant(struct bench_warp *, const void *, uint32_t bytes);

/* Sign extension of the low bits. */
static inline int64_t sext(uint64_t x, unsigned bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
static inline uint64_t zext(uint64_t x, unsigned bits) { return x << (64 - bits) >> (64 - bits); }

#endif
