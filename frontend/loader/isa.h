/* The instruction sets that modules come in, a row each. Whoever loads, chooses or prints code goes through the rows;
 * an ISA is added by its folder and its row in isa.c. */
#ifndef REPRISE_FRONTEND_LOADER_ISA_H
#define REPRISE_FRONTEND_LOADER_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct module;

/* Machine code of one architecture, as a disassembler gets it. */
struct machine_code {
    const uint8_t *bytes;
    uint32_t size;
    unsigned sm;
};
/* A line of a disassembly: a word of code at `address`. text: the instruction that it is, or ".word 0x..." where it
 * means nothing; NULL: it is none, but control information of those that follow. */
typedef void (*isa_line_fn)(void *data, uint32_t address, const char *text, uint64_t word);

struct isa {
    const char *name;
    /* Machine code: the architectures whose code this is; the rows' ranges do not overlap. PTX: 0. */
    unsigned oldest_sm, newest_sm;
    bool (*covers)(unsigned sm); /* there is such an architecture, within that range */
    /* A whole module of this ISA. */
    bool (*recognises)(const void *bytes, size_t size);
    struct module *(*load)(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *);
    /* Calls `use` for each word, in order. Returns how many of them mean nothing; err names the first. NULL: PTX. */
    uint32_t (*disassemble)(const struct machine_code *, isa_line_fn use, void *data, struct rp_error *);
    unsigned granule; /* bytes of which bare machine code is a multiple */
};

extern const struct isa isa_ptx, isa_sass5x;

/* The ISA of a module; NULL: it is of none of them. */
const struct isa *isa_of_module(const void *bytes, size_t size);
/* The ISA of an architecture's machine code; NULL: none is known. */
const struct isa *isa_of_sm(unsigned sm);
/* Whose code runs first of those that a fat binary has, 0 the first. */
unsigned isa_rank(const struct isa *);
/* The architectures whose machine code is understood, as far as they fit: "sm_50 to sm_62", or each of them. */
void isa_ranges(char *text, size_t size);
void isa_architectures(char *text, size_t size);

#endif
