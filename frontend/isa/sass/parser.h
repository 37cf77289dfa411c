/* The assembler's state: its place in the text of an instruction, and the word so far. For the asm_*.c files and for
 * kinds of items that only one table has. */
#ifndef REPRISE_FRONTEND_ISA_SASS_PARSER_H
#define REPRISE_FRONTEND_ISA_SASS_PARSER_H

#include "frontend/isa/sass/disasm.h"

/* A set of values of a field of up to 7 bits: bit v for value v. */
__extension__ typedef unsigned __int128 sass_values;
#define SASS_VALUE(v) ((sass_values)1 << (v))

struct sass_constraint {
    struct sass_bits f, g;
    sass_values allowed;
};
enum { SASS_CONSTRAINTS = 16 };

/* A number that was too large for the field in every row, and its place in the text; NULL: there was none. */
struct sass_beyond {
    const char *at;
    unsigned width;
    bool is_signed;
};

struct sass_parser {
    const char *at;
    struct sass_beyond *beyond;
    const struct sass_site *site;
    struct isa_word word;
    uint32_t control;
    const struct sass_row *row;
    unsigned operands;
    bool joined;                 /* the operand at hand follows a blank */
    bool guarded, uniform_guard; /* a guard is written, of the uniform file */
    struct sass_constraint constraints[SASS_CONSTRAINTS];
    unsigned constraint_count;
};

void asm_set(struct sass_parser *p, struct sass_bits b, uint64_t value);
void asm_set_bit(struct sass_parser *p, unsigned at);
/* Writes a value to two fields: f gets the low bits, g those above. */
void asm_set_value(struct sass_parser *p, struct sass_bits f, struct sass_bits g, uint64_t value);
void asm_skip_space(struct sass_parser *p);
/* Skips the token and the space before it. False: the text does not go on with it. */
bool asm_eat(struct sass_parser *p, const char *token);
bool asm_is_word(char c);
/* The same for a token that must be a whole word. */
bool asm_eat_word(struct sass_parser *p, const char *token);
/* Skips the comma that is before all operands but the first. */
bool asm_separator(struct sass_parser *p);
/* These read at the current place and move after what they read. False: the text does not match. */
bool asm_read_number(struct sass_parser *p, uint64_t *value);
/* How the disassembler prints a field. */
enum sign { UNSIGNED, SIGNED, EITHER };
/* Reads a number for a field of `width` bits; *value is its low bits. False for a number that the disassembler would
 * print otherwise: a signed one with the highest bit set, an unsigned one below 0. Fields of 32 bits take either. */
bool asm_read_integer(struct sass_parser *p, unsigned width, enum sign sign, uint64_t *value);
/* Reads a register for a field of `width` bits. */
bool asm_read_register(struct sass_parser *p, enum sass_file file, unsigned width, unsigned *r);
bool asm_read_predicate(struct sass_parser *p, bool uniform, unsigned *r);
/* Reads `lead` and the longest name that follows it. Returns the values with that name; if no name follows, the values
 * with an empty name. */
sass_values asm_match(struct sass_parser *p, const char *const *names, unsigned count, const char *lead);
unsigned asm_least(sass_values); /* the least value of a set that is not empty */
/* Restricts fields f and g to these values. False: no value is left. */
bool asm_constrain(struct sass_parser *p, struct sass_bits f, struct sass_bits g, sass_values allowed);

/* Reads the item (asm_items.c). */
bool asm_item(struct sass_parser *, const struct sass_item *);
void asm_prefix(struct sass_parser *, const struct sass_item *); /* reads -, ~ and | before an operand */
bool asm_register(struct sass_parser *, const struct sass_item *);
bool asm_target(struct sass_parser *, const struct sass_item *);

#endif
