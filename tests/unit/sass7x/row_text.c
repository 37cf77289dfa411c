#include "tests/unit/sass7x/row_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

void row_parse(struct row_text *t, const char *text)
{
    *t = (struct row_text){.count = 0};
    snprintf(t->whole, sizeof t->whole, "%s", text);
    size_t n = strcspn(text, " ");
    size_t name = strcspn(text, ". ");
    snprintf(t->name, sizeof t->name, "%.*s", (int)name, text);
    snprintf(t->modifiers, sizeof t->modifiers, "%.*s.", (int)(n - name), text + name);
    for (text += n; *text;) {
        text += strspn(text, ", ");
        size_t length = strcspn(text, ",");
        cr_assert_lt(t->count, (unsigned)ROW_OPERANDS, "%s", t->whole);
        char *to = t->operand[t->count++];
        snprintf(to, sizeof t->operand[0], "%.*s", (int)length, text);
        while (*to && to[strlen(to) - 1] == ' ')
            to[strlen(to) - 1] = 0;
        text += length;
    }
    if (t->count && !*t->operand[t->count - 1])
        t->count--;
}

bool row_has(const struct row_text *t, const char *modifier)
{
    char dotted[40];
    snprintf(dotted, sizeof dotted, ".%s.", modifier);
    return strstr(t->modifiers, dotted);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static bool is_uniform(const char *name) { return *name == 'U'; }

/* The number of R4, UR4, RZ or URZ; -1: it is no register. */
static int register_number(const char *name)
{
    name += is_uniform(name);
    if (*name != 'R')
        return -1;
    return name[1] == 'Z' ? ROW_REGISTERS - 1 : atoi(name + 1);
}

static uint32_t *register_of(const struct row_thread *t, const char *name, unsigned further)
{
    int n = register_number(name);
    cr_assert(n >= 0 && n + further < ROW_REGISTERS + 1u, "%s is no register", name);
    return (uint32_t *)(is_uniform(name) ? t->ur : t->r) + n + (n < ROW_REGISTERS - 1 ? further : 0);
}
static bool is_zero(const char *name) { return register_number(name) == ROW_REGISTERS - 1; }

void row_set_at(struct row_thread *t, const char *operand, unsigned further, uint32_t v)
{
    if (!is_zero(operand))
        *register_of(t, operand, further) = v;
}
uint32_t row_at(const struct row_thread *t, const char *operand, unsigned further)
{
    return is_zero(operand) ? 0 : *register_of(t, operand, further);
}
void row_set(struct row_thread *t, const char *operand, uint32_t v) { row_set_at(t, operand, 0, v); }

/* ---- predicates -------------------------------------------------------------------------------------------------- */

bool row_is_predicate(const char *operand)
{
    operand += *operand == '!';
    operand += *operand == 'U';
    return *operand == 'P' && (operand[1] == 'T' || (operand[1] >= '0' && operand[1] <= '9'));
}
bool row_predicate(const struct row_thread *t, const char *operand)
{
    bool negated = *operand == '!';
    operand += negated;
    bool uniform = *operand == 'U';
    operand += uniform;
    return (operand[1] == 'T' ? true : (uniform ? t->up : t->p) >> (operand[1] - '0') & 1) != negated;
}
void row_set_predicate(struct row_thread *t, const char *operand, bool v)
{
    uint8_t *all = *operand == 'U' ? &t->up : &t->p;
    operand += *operand == 'U';
    if (operand[1] != 'T')
        *all = (uint8_t)((*all & ~(1u << (operand[1] - '0'))) | (unsigned)v << (operand[1] - '0'));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint64_t constant(const struct row_thread *t, const char *operand, bool pair)
{
    unsigned bank, offset;
    cr_assert_eq(sscanf(operand, "c[%x][%x]", &bank, &offset), 2, "%s", operand);
    unsigned word = (offset - t->constants_at) / 4;
    cr_assert(!bank && offset >= t->constants_at && word + pair < ROW_CONSTANTS, "%s", operand);
    return t->constants[word] | (pair ? (uint64_t)t->constants[word + 1] << 32 : 0);
}

struct row_value row_operand(const struct row_thread *t, const char *operand, bool pair)
{
    struct row_value v = {0, false, false};
    bool number = strspn(operand, "-0123456789xabcdef") == strlen(operand);
    if (number) {
        int64_t whole = strtoll(operand, NULL, 16);
        v.raw = pair ? (uint64_t)(int64_t)(int32_t)whole : (uint32_t)whole;
        return v;
    }
    v.negated = *operand == '-';
    v.inverted = *operand == '~';
    operand += v.negated || v.inverted;
    if (*operand == 'c') {
        v.raw = constant(t, operand, pair);
        return v;
    }
    cr_assert_neq(register_number(operand), -1, "%s", operand);
    v.raw = row_at(t, operand, 0) | (pair ? (uint64_t)row_at(t, operand, 1) << 32 : 0);
    return v;
}

uint32_t row_word(const struct row_thread *t, const char *operand)
{
    struct row_value v = row_operand(t, operand, false);
    return (uint32_t)(v.negated ? -v.raw : v.inverted ? ~v.raw : v.raw);
}
