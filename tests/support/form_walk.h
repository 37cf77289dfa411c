/* Every form of the instruction table, spelled out: a row with one choice of its modifiers and types, and so many
 * operands. */
#ifndef REPRISE_TESTS_SUPPORT_FORM_WALK_H
#define REPRISE_TESTS_SUPPORT_FORM_WALK_H

#include <string.h>

#include "frontend/isa/ptx/table.h"

enum { SPELLING = 160 };
struct spelled {
    const struct ptx_form *form;
    struct ptx_modifiers mods;
    uint32_t operands;
    unsigned variant; /* 0; for tests that run a form in several ways */
    char text[SPELLING];
};
/* mad of floating-point numbers that does not say how it rounds: modules of old versions alone have it. */
static inline bool is_old_form(const struct spelled *s)
{
    return !strcmp(s->form->opcode, "mad") && s->form->op == OP_FMA && mods_value(&s->mods, G_ROUND, -1) < 0;
}
/* Calls visit for all of a row, or, with `each` false, for as many as show each modifier and type once. */
void walk_row(const struct ptx_form *, bool each, void (*visit)(const struct spelled *, void *), void *data);
/* Calls visit for each row of the table. */
void walk_rows(void (*visit)(const struct ptx_form *, void *), void *data);

#endif
