/* Special registers, PTX ISA "Special Registers". */
#ifndef REPRISE_FRONTEND_ISA_PTX_SPECIAL_H
#define REPRISE_FRONTEND_ISA_PTX_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_special {
    const char *name;     /* "%tid.x" */
    int16_t special;      /* enum special, or SPECIAL_CONSTANT, or SPECIAL_VECTOR */
    uint8_t type;         /* enum ptx_type */
    uint32_t constant;    /* SPECIAL_CONSTANT: its value */
    bool depends_on_time; /* reads a clock, or shows where a block runs */
    uint8_t least_bits;   /* mov takes its lower part, too, down to this width; 0: only all of it */
};
/* Shared memory that is reserved for the system; parse_operand.c says more. */
enum { RESERVED_BYTES = 1024 };
/* SPECIAL_VECTOR: its members .x, .y, .z and .w have the next indices. */
enum { SPECIAL_CONSTANT = -1, SPECIAL_VECTOR = -2, SPECIAL_MEMBERS = 4 };
/* Index of a special register by its name and member ("x", or ""); -1: there is none. */
int ptx_special_named(const char *name, uint32_t length, const char *member, uint32_t member_length);
const struct ptx_special *ptx_special(int index);

#endif
