/* An instruction as text, taken apart; and what a thread holds before and after it. Models of instructions
 * (row_model.h) read nothing but these, so they share no field and no bit number with the frontend. */
#ifndef REPRISE_TESTS_SASS7X_ROW_TEXT_H
#define REPRISE_TESTS_SASS7X_ROW_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { ROW_OPERANDS = 12, ROW_REGISTERS = 32, ROW_SCRATCH = 32, ROW_CONSTANTS = 4 };

struct row_text {
    char whole[256], name[24];
    char modifiers[96]; /* ".X.U32" and a dot behind */
    unsigned count;
    char operand[ROW_OPERANDS][64];
};

/* Numbers 31 of the registers stand for RZ and URZ. Memory: `scratch` bytes in each space. */
struct row_thread {
    uint32_t r[ROW_REGISTERS], ur[ROW_REGISTERS];
    uint8_t p, up; /* a bit for each predicate */
    uint8_t global[ROW_SCRATCH], shared[ROW_SCRATCH], local[ROW_SCRATCH];
    uint64_t global_at;
    uint32_t shared_at, local_at, constants[ROW_CONSTANTS], constants_at;
    unsigned tid, ctaid, sm;
};

void row_parse(struct row_text *, const char *text);
bool row_has(const struct row_text *, const char *modifier); /* "X" */

/* An operand without and with its -, ~ and bars. Of a register with .U32, .64 or .B1 the part is not looked at. */
struct row_value {
    uint64_t raw; /* of a pair: both words; an immediate is extended by its sign */
    bool negated, inverted;
};
struct row_value row_operand(const struct row_thread *, const char *operand, bool pair);
uint32_t row_word(const struct row_thread *, const char *operand); /* with all signs */
bool row_is_predicate(const char *operand);
bool row_predicate(const struct row_thread *, const char *operand);
void row_set_predicate(struct row_thread *, const char *operand, bool);
/* A register, and one behind it. */
void row_set(struct row_thread *, const char *operand, uint32_t);
void row_set_at(struct row_thread *, const char *operand, unsigned further, uint32_t);
uint32_t row_at(const struct row_thread *, const char *operand, unsigned further);

#endif
