/* A guest: a static ELF32 executable that the cores of a many-core chip run. All cores start at its entry, in one
 * address space of 4 GiB, each with a stack of its own. */
#ifndef REPRISE_FRONTEND_GUEST_GUEST_H
#define REPRISE_FRONTEND_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/guest/isa.h"

struct arena;
enum guest_rights { GUEST_READ = 1, GUEST_WRITE = 2, GUEST_EXECUTE = 4 };

struct guest_segment {
    uint32_t address, size; /* bytes in memory; those beyond file_size are zero */
    uint32_t file_size;
    const uint8_t *bytes;
    uint8_t rights; /* enum guest_rights */
};

/* Addresses that hold code: a section of code or, in a file without sections, a segment. */
struct guest_code {
    uint32_t low, high;
    const uint8_t *bytes; /* at low */
};

struct guest_symbol {
    uint32_t address, size;
    const char *name;
    bool function;
};

/* From this address on code has the shorter of two encodings, or there is no code: as ARM's mapping symbols $a, $t, $d
 * and, where a file has none, its functions say; without these, as its control flow says. */
enum guest_encoding { GUEST_DATA, GUEST_LONG, GUEST_SHORT };
struct guest_mark {
    uint32_t address;
    uint8_t encoding;
};

struct guest {
    const struct guest_isa *isa;
    const char *path;
    uint32_t entry; /* with the bit that says the encoding, of instruction sets that interwork */
    uint32_t end;   /* behind the highest segment, where the heap begins, a multiple of 4,096 */
    uint32_t segment_count, code_count, symbol_count, mark_count;
    struct guest_segment *segments; /* by address; they do not overlap */
    struct guest_code *code;        /* by address */
    struct guest_symbol *symbols;   /* functions and variables, by address */
    struct guest_mark *marks;       /* of instruction sets that interwork, by address */
    const struct cubin *lines;      /* its source lines: files, and cubin_line of the only kernel at an address */
    struct arena *owner;            /* the arena that holds all of the above */
};

/* Loads an ELF file of 32 bits of this instruction set. The bytes may be freed afterwards. NULL: err names the file,
 * and what of it is not as it must be. */
struct guest *guest_load(const struct guest_isa *, const char *path, const void *bytes, size_t size, struct rp_error *);
void guest_free(struct guest *);

/* The function that holds this address, or the one before it; NULL: none. */
const struct guest_symbol *guest_function(const struct guest *, uint32_t address);
/* The variable or function of this name; NULL: none. */
const struct guest_symbol *guest_symbol(const struct guest *, const char *name);
struct cubin_line;
/* The source line of an address; NULL: the file does not say. */
const struct cubin_line *guest_line(const struct guest *, uint32_t address);
/* "main+0x1c (0x10090), matmul.c:31" */
void guest_describe(const struct guest *, uint32_t address, char *text, size_t size);

#endif
