/* What an instruction set is to those who load, choose or print code: one row, defined in the set's own folder.
 * frontend/loader/isa.h lists all rows and finds the one of a module. */
#ifndef REPRISE_FRONTEND_ISA_ISA_H
#define REPRISE_FRONTEND_ISA_ISA_H

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

#endif
