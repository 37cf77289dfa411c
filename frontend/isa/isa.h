/* The interface of an instruction set to those who load, choose, print or assemble code: one row, defined in the ISA's
 * own folder. frontend/loader/isa.h lists all rows and finds the row of a module. */
#ifndef REPRISE_FRONTEND_ISA_ISA_H
#define REPRISE_FRONTEND_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/isa/word.h"
#include "tracefmt/error.h"

struct module;
struct sass_family;

/* Machine code of one architecture, as a disassembler gets it. */
struct machine_code {
    const uint8_t *bytes;
    uint32_t size;
    unsigned sm;
};
/* A line of a disassembly: a word of code at `address`. text: the instruction, or ".word 0x..." for a word that encodes
 * none; NULL: the word holds control information of the instructions that follow. */
typedef void (*isa_line_fn)(void *data, uint32_t address, const char *text, struct isa_word);
/* A mnemonic, perhaps with modifiers ("SHF.L"), and its enum rp_class. */
typedef void (*isa_mnemonic_fn)(void *data, const char *name, uint8_t unit_class);

/* Machine code while it is put together from text. Begins with only sm set; bytes are the caller's to free. */
struct assembly {
    unsigned sm;
    uint8_t *bytes;
    uint32_t size, room;
    uint64_t control; /* of the bundle that comes next, if has_control */
    bool has_control;
    uint32_t stopped; /* after an instruction's text was refused: the place in it up to which it could be read */
};

struct isa {
    const char *name;
    /* Machine code: the architectures whose code this is; the rows' ranges do not overlap. PTX: 0. */
    unsigned oldest_sm, newest_sm;
    const struct sass_family *family; /* of machine code */
    unsigned word_bytes;              /* of machine code: 8 or 16 */
    unsigned granule;                 /* bytes of which bare machine code is a multiple */
    /* A whole module of this ISA. */
    bool (*recognises)(const struct isa *, const void *bytes, size_t size);
    struct module *(*load)(const struct isa *, const char *path, const void *bytes, size_t size, uint64_t base,
                           struct rp_error *);

    /* ---- machine code; all NULL: PTX ---- */
    bool (*covers)(const struct isa *, unsigned sm); /* there is such an architecture, within that range */
    /* Calls `use` for each word, in order. Returns the number of words that encode no instruction; err names the
     * first. */
    uint32_t (*disassemble)(const struct isa *, const struct machine_code *, isa_line_fn use, void *data,
                            struct rp_error *);
    /* Calls `use` for the mnemonic of each form; a mnemonic may come several times. */
    void (*mnemonics)(const struct isa *, isa_mnemonic_fn use, void *data);
    /* The address of the instruction that comes next. */
    uint32_t (*next_address)(const struct isa *, const struct assembly *);
    /* A word of control information for the instructions that follow. False: it does not belong here. */
    bool (*control)(const struct isa *, struct assembly *, struct isa_word, struct rp_error *);
    /* Adds an instruction, or a bare word (".word 0x..."). listed: the word that the listing shows after the text, or
     * NULL. Where words hold control bits, those that the text does not show are taken from it. check: the result must
     * equal it. */
    bool (*assemble)(const struct isa *, struct assembly *, const char *text, const struct isa_word *listed, bool check,
                     struct rp_error *);
    /* Fills the last bundle. */
    bool (*finish)(const struct isa *, struct assembly *, struct rp_error *);
};

extern const struct isa isa_ptx, isa_sass5x, isa_sass7x;

#endif
