/* The lines of a listing: of ours, of 'cuobjdump -sass' and of 'nvdisasm -hex'. */
#ifndef REPRISE_TOOLS_ASM_LINES_H
#define REPRISE_TOOLS_ASM_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/isa/word.h"

enum line_kind {
    LINE_NOTHING,     /* empty, or a comment of people */
    LINE_TARGET,      /* name: the architecture, "sm_62" or "sm_90a" */
    LINE_FLAGS,       /* .headerflags; name: the architecture likewise */
    LINE_FUNCTION,    /* name: of the function whose code follows; NULL: what follows is no code (nvdisasm) */
    LINE_LABEL,       /* name */
    LINE_DIRECTIVE,   /* text: the line */
    LINE_WORD,        /* word: of control information */
    LINE_INSTRUCTION, /* text: without what ends it; has_word: its word follows, in word */
    LINE_UNFINISHED,  /* an instruction that nothing ends */
    LINE_COMMENT,     /* an instruction with a comment that nothing ends */
};

struct listing_line {
    enum line_kind kind;
    unsigned number; /* of the line in the text, from 1 */
    unsigned column; /* of an instruction in its line, from 1 */
    char *name, *text;
    bool has_address, has_word;
    uint32_t address;
    struct isa_word word;
};

/* Reads lines, and writes to the text. word_bytes: of the architecture, once it is known. */
struct listing_reader {
    char *next; /* NULL: no more lines */
    unsigned line, word_bytes;
};
/* False: there are no more lines. */
bool listing_next(struct listing_reader *, struct listing_line *);

#endif
