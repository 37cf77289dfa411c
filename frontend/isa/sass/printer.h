/* The disassembler's text so far, and printing to it: for disasm.c and for kinds of items that only one table has. */
#ifndef REPRISE_FRONTEND_ISA_SASS_PRINTER_H
#define REPRISE_FRONTEND_ISA_SASS_PRINTER_H

#include "frontend/isa/sass/disasm.h"
#include "frontend/isa/sass/number.h"

struct sass_printer {
    const struct sass_site *site;
    struct isa_word word;
    uint32_t control;
    const struct sass_row *row;
    char *out;
    size_t length;
    unsigned operands;
    bool joined;         /* the operand at hand follows a blank */
    const char *problem; /* why the word cannot be printed */
};

__attribute__((format(printf, 2, 3))) void print_text(struct sass_printer *, const char *format, ...);
void print_separator(struct sass_printer *); /* before an operand */
void print_signed(struct sass_printer *, int64_t);
void print_register_name(struct sass_printer *, enum sass_file, struct sass_bits);
void print_modifier_name(struct sass_printer *, const char *name); /* "" prints nothing */
/* The item's name for a value. If there is none, returns "" and sets `problem`. */
const char *print_name_of(struct sass_printer *, const struct sass_item *, uint64_t value);
/* Prints the item as its kind says. */
void print_item(struct sass_printer *, const struct sass_item *);
void print_register(struct sass_printer *, const struct sass_item *);
void print_target(struct sass_printer *, const struct sass_item *);
bool print_is_negated(const struct sass_printer *, const struct sass_item *);

#endif
