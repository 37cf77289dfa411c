/* Every form of a matrix instruction in the table of PTX, for tests that compute its result from its name. */
#ifndef REPRISE_TESTS_MATRIX_SPELLING_H
#define REPRISE_TESTS_MATRIX_SPELLING_H

#include "common.h"

struct spelling {
    char text[160]; /* with all modifiers and types, in the order of the PTX ISA */
    int m, n, k;    /* 0: it names no shape */
    enum number types[4];
    unsigned type_count; /* of those that are numbers here: not b16 */
};
/* A modifier or type is part of it. */
bool spelling_has(const struct spelling *, const char *word);
/* Of its n-th layout, from 0: "col". */
bool spelling_columns(const struct spelling *, unsigned n);
/* mma.m8n8k4 of f16, four products at once. */
bool spelling_is_quads(const struct spelling *);

/* Calls visit for all forms of the opcode that the frontend runs; fails the test if there is none. */
void each_spelling(const char *opcode, void (*visit)(const struct spelling *));

#endif
