/* A word of machine code, of 64 or 128 bits, and its text: 0x and 16 or 32 digits. */
#ifndef REPRISE_FRONTEND_ISA_WORD_H
#define REPRISE_FRONTEND_ISA_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Bit 0 is the lowest of lo; of a word of 64 bits hi is 0. */
struct isa_word {
    uint64_t lo, hi;
};

enum { ISA_WORD_TEXT = 40 };
/* Returns text. */
const char *isa_word_print(char text[ISA_WORD_TEXT], struct isa_word, unsigned bytes);
/* Reads the word at the beginning of the text, with any number of digits that fit. Returns its end; NULL: there is no
 * word.
 */
const char *isa_word_read(const char *text, unsigned bytes, struct isa_word *);
/* ".word 0x...": a line of a listing that is a word and no instruction. */
bool isa_word_is_bare(const char *text);

#endif
