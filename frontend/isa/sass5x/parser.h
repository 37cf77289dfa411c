/* The assembler's place in the text of an instruction, and the word that it has put together so far. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_PARSER_H
#define REPRISE_FRONTEND_ISA_SASS5X_PARSER_H

#include "frontend/isa/sass5x/table.h"

struct constraint {
    struct sass_bits f, g;
    uint64_t allowed; /* bit v: value v */
};
enum { CONSTRAINTS = 16 };

/* A number that no row had room for, and where it stands in the text: NULL: there was none. */
struct beyond {
    const char *at;
    unsigned width;
    bool is_signed;
};

struct parser {
    const char *at;
    struct beyond *beyond;
    uint64_t word;
    uint32_t control, address;
    const struct sass_row *row;
    unsigned operands;
    bool guarded; /* a guard is written */
    struct constraint constraints[CONSTRAINTS];
    unsigned constraint_count;
};

void asm_set(struct parser *p, struct sass_bits b, uint64_t value);
void asm_set_bit(struct parser *p, unsigned at);
/* f holds the low bits, g those above. */
void asm_set_value(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t value);
void asm_skip_space(struct parser *p);
/* Goes over the token, and the space before it, if it stands there. */
bool asm_eat(struct parser *p, const char *token);
bool asm_is_word(char c);
/* The same for a token that ends where its word ends. */
bool asm_eat_word(struct parser *p, const char *token);
/* The comma before all operands but the first. */
bool asm_separator(struct parser *p);
/* These go on behind what they read; else they are false. */
bool asm_read_number(struct parser *p, uint64_t *value);
/* How the disassembler prints a field. */
enum sign { UNSIGNED, SIGNED, EITHER };
/* A number for a field of `width` bits; *value is its low bits. One that would read back as another is refused: one
 * with the highest bit set as signed, one below 0 as unsigned; but the 32 bits of a register may be given as either. */
bool asm_read_integer(struct parser *p, unsigned width, enum sign sign, uint64_t *value);
bool asm_read_register(struct parser *p, unsigned *r);
bool asm_read_predicate(struct parser *p, unsigned *r);
/* The names' values that the longest name behind `lead` stands for, a bit each; without any, the values with an empty
 * name. */
uint64_t asm_match(struct parser *p, const char *const *names, unsigned count, const char *lead);
/* Of fields f and g only these values are possible here; false: none is left. */
bool asm_constrain(struct parser *p, struct sass_bits f, struct sass_bits g, uint64_t allowed);
/* What the item stands for, as asm_items.c reads it. */
bool asm_item(struct parser *, const struct sass_item *);

#endif
