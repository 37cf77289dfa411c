#include "tests/support/form_walk.h"

#include <stdio.h>
#include <string.h>

enum { NO_MODIFIER = -1, WHEELS = MAX_CHOICES + MAX_TYPES + 1, POSITIONS = 64 };

/* What each choice, type and number of operands may be. */
struct wheel {
    int at[POSITIONS];
    unsigned count;
};

static void choice_wheel(struct wheel *w, const struct mod_choice *c)
{
    w->count = 0;
    if (!c->required)
        w->at[w->count++] = NO_MODIFIER;
    for (int m = 0; m < M_COUNT; m++)
        if (c->set.word[m / 64] >> (m % 64) & 1)
            w->at[w->count++] = m;
}
static void type_wheel(struct wheel *w, uint64_t types)
{
    w->count = 0;
    for (int t = 1; t < PT_COUNT; t++)
        if (types >> t & 1)
            w->at[w->count++] = t;
}

static void spell(const struct ptx_form *f, const int *chosen, struct spelled *s)
{
    *s = (struct spelled){.form = f, .mods = {.leading = {-1, -1}}};
    size_t n = (size_t)snprintf(s->text, SPELLING, "%s", f->opcode);
    for (int leading = 1; leading >= 0; leading--)
        for (unsigned i = 0; i < f->choice_count; i++) {
            int m = chosen[i];
            if (m == NO_MODIFIER || f->choices[i].leading != leading)
                continue;
            const char *name = ptx_modifier_name((enum ptx_modifier)m); /* may end in "/b", whose it is */
            n += (size_t)snprintf(s->text + n, SPELLING - n, ".%.*s", (int)strcspn(name, "/"), name);
            s->mods.set.word[m / 64] |= 1ull << (m % 64);
            if (s->mods.word_count < MAX_LEADING)
                s->mods.leading[s->mods.word_count++] = (int16_t)m;
        }
    for (unsigned i = 0; i < f->type_count; i++) {
        s->mods.types[i] = (uint8_t)chosen[f->choice_count + i];
        n += (size_t)snprintf(s->text + n, SPELLING - n, ".%s", ptx_types[s->mods.types[i]].name);
    }
    s->mods.type_count = f->type_count;
    s->operands = (uint32_t)chosen[f->choice_count + f->type_count];
}

/* Two alternatives may be the same modifier, as with a level of eviction; then it would stand there twice. */
static bool twice(const struct ptx_form *f, const int *chosen)
{
    for (unsigned i = 0; i < f->choice_count; i++)
        for (unsigned k = i + 1; k < f->choice_count; k++)
            if (chosen[i] != NO_MODIFIER && chosen[i] == chosen[k])
                return true;
    return false;
}

static void show(const struct ptx_form *f, const struct wheel *wheels, const unsigned *at, unsigned count,
                 void (*visit)(const struct spelled *, void *), void *data)
{
    int chosen[WHEELS];
    struct spelled s = {0};
    for (unsigned i = 0; i < count; i++)
        chosen[i] = wheels[i].at[at[i]];
    spell(f, chosen, &s);
    struct operand_range r = ptx_operand_range(f, &s.mods);
    if (s.operands < r.least || s.operands > r.most)
        return;
    if (!twice(f, chosen) && ptx_form_match(f, &s.mods, NULL) == FORM_FITS)
        visit(&s, data);
}

void walk_row(const struct ptx_form *f, bool each, void (*visit)(const struct spelled *, void *), void *data)
{
    static struct wheel wheels[WHEELS];
    unsigned at[WHEELS] = {0}, count = 0;
    for (unsigned i = 0; i < f->choice_count; i++)
        choice_wheel(&wheels[count++], &f->choices[i]);
    for (unsigned i = 0; i < f->type_count; i++)
        type_wheel(&wheels[count++], f->types[i]);
    struct wheel *operands = &wheels[count++];
    operands->count = 0;
    for (int n = f->operands_needed; n <= f->operand_count; n++)
        operands->at[operands->count++] = n;
    if (!each) {
        show(f, wheels, at, count, visit, data);
        for (unsigned i = 0; i < count; i++, memset(at, 0, sizeof at))
            for (at[i] = 1; at[i] < wheels[i].count; at[i]++)
                show(f, wheels, at, count, visit, data);
        return;
    }
    for (unsigned i = 0; i < count;) {
        show(f, wheels, at, count, visit, data);
        for (i = 0; i < count && ++at[i] == wheels[i].count; i++)
            at[i] = 0;
    }
}

void walk_rows(void (*visit)(const struct ptx_form *, void *), void *data)
{
    const char *name;
    for (uint32_t i = 0; (name = ptx_opcode_name(i)); i++) {
        uint32_t count;
        const struct ptx_form *forms = ptx_opcode(name, (uint32_t)strlen(name), &count);
        for (uint32_t f = 0; f < count; f++)
            visit(&forms[f], data);
    }
}
