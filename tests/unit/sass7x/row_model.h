/* What instructions of Volta to Hopper mean, written from their text in plain arithmetic, apart from the frontend:
 * integers, logic, moves, memory, atomics; those of the uniform datapath are those of the vectors with other registers.
 */
#ifndef REPRISE_TESTS_SASS7X_ROW_MODEL_H
#define REPRISE_TESTS_SASS7X_ROW_MODEL_H

#include "tests/unit/sass7x/row_text.h"

/* Changes the thread as the instruction does. False: there is no model of it. */
bool row_execute(struct row_thread *, const char *text);
/* Whether instructions of this name have a model. */
bool row_knows_special(const char *name);
bool row_has_model(const char *name);

typedef void (*row_model)(struct row_thread *, const struct row_text *);
struct row_meaning {
    const char *name;
    row_model model;
};
extern const struct row_meaning row_integers[], row_logic[], row_moves[], row_memory[]; /* each ends in a NULL name */

#endif
