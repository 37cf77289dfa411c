#include "spelling.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/form_walk.h"

/* Calls take for each word between points. */
static void each_word(const char *text, void (*take)(const char *word, void *), void *data)
{
    char copy[sizeof((struct spelling *)0)->text], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", text);
    while ((word = strsep(&rest, ".")))
        take(word, data);
}

struct search {
    const char *word;
    bool found;
};
static void compare_word(const char *word, void *data)
{
    struct search *s = data;
    s->found |= !strcmp(word, s->word);
}
bool spelling_has(const struct spelling *s, const char *word)
{
    struct search search = {word, false};
    each_word(s->text, compare_word, &search);
    return search.found;
}

struct layouts {
    unsigned count;
    bool columns[4];
};
static void note_layout(const char *word, void *data)
{
    struct layouts *y = data;
    if (!strcmp(word, "row") || !strcmp(word, "col"))
        y->columns[y->count++] = word[0] == 'c';
}
bool spelling_columns(const struct spelling *s, unsigned n)
{
    struct layouts y = {0};
    each_word(s->text, note_layout, &y);
    cr_assert_lt(n, y.count, "%s", s->text);
    return y.columns[n];
}

bool spelling_is_quads(const struct spelling *s) { return s->m == 8 && s->k == 4 && s->types[1] == F16; }

static void note_number(const char *word, void *data)
{
    struct spelling *s = data;
    if (sscanf(word, "m%dn%dk%d", &s->m, &s->n, &s->k) == 3)
        return;
    for (enum number n = F16; n <= S32; n++)
        if (!strcmp(word, number_name(n)))
            s->types[s->type_count++] = n;
}

/* mma and wgmma of bits have the operation behind the types. */
static void put_operation_last(char *text)
{
    char *popc = strstr(text, ".popc"), operation[16];
    if (!popc || !strncmp(text, "wmma", 4))
        return;
    char *at = popc - 4, *behind = popc + 5;
    snprintf(operation, sizeof operation, "%.9s", at);
    size_t rest = strlen(behind);
    memmove(at, behind, rest);
    strcpy(at + rest, operation);
}

struct visitor {
    void (*visit)(const struct spelling *);
    unsigned count;
};
static void visit_form(const struct spelled *form, void *data)
{
    struct visitor *v = data;
    struct spelling s = {0};
    snprintf(s.text, sizeof s.text, "%s", form->text);
    put_operation_last(s.text);
    each_word(s.text, note_number, &s);
    v->count++;
    v->visit(&s);
}

void each_spelling(const char *opcode, void (*visit)(const struct spelling *))
{
    struct visitor v = {visit, 0};
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t f = 0; f < count; f++)
        if (forms[f].lowering != LOW_NONE)
            walk_row(&forms[f], true, visit_form, &v);
    cr_assert_gt(v.count, 0, "no form of %s", opcode);
}
