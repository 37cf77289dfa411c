#include "tools/sweep/condition.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"

#define AND " and "
#define EXAMPLE "write KEY=VALUE, for example 'l1.size>64K and scheduler=lrr'; there are = != < <= > >="

/* Longer ones first. */
static const char *const compares[] = {"!=", "<=", ">=", "=", "<", ">"};

static char *without_blanks(char *text)
{
    text += strspn(text, " ");
    size_t n = strlen(text);
    while (n && text[n - 1] == ' ')
        text[--n] = 0;
    return text;
}

/* Whether a value goes on with what is none, as in "sms=1 or sms=2". Only names of files have blanks. */
static bool has_rest(const char *key, const char *value)
{
    bool name = !strcmp(key, CONDITION_TRACE) || !strcmp(key, VARIED_MACHINE);
    size_t n = strlen(value);
    return (n > 4 && !strcmp(value + n - 4, " and")) || (!name && strchr(value, ' '));
}

/* Takes "KEY OP VALUE" apart. */
static bool read_term(char *text, struct condition_term *term)
{
    char *at = text + strcspn(text, "!<>=");
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++) {
        size_t n = strlen(compares[i]);
        if (strncmp(at, compares[i], n))
            continue;
        char *right = at + n;
        *at = 0;
        *term = (struct condition_term){without_blanks(text), without_blanks(right), compares[i]};
        return *term->left && *term->right && !has_rest(term->left, term->right);
    }
    return false;
}

static bool read_terms(struct condition *c, struct rp_error *err)
{
    for (char *part = c->copy, *next; part; part = next) {
        char *and = strstr(part, AND);
        next = and? and+strlen(AND) : NULL;
        if (and)
            *and = 0;
        struct condition_term *terms = realloc(c->terms, (c->count + 1) * sizeof *terms);
        if (!terms)
            return rp_fail(err, RP_SYSTEM, "out of memory");
        c->terms = terms;
        if (!read_term(part, &c->terms[c->count++]))
            return rp_fail(err, RP_USAGE, "--exclude %s: " EXAMPLE, c->text);
    }
    return true;
}

bool conditions_add(struct conditions *all, const char *text, struct rp_error *err)
{
    struct condition *list = realloc(all->list, (all->count + 1) * sizeof *list);
    if (!list)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    all->list = list;
    struct condition *c = &all->list[all->count++];
    *c = (struct condition){.text = strdup(text), .copy = strdup(text)};
    if (!c->text || !c->copy)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    return read_terms(c, err);
}

void conditions_free(struct conditions *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->list[i].text);
        free(all->list[i].copy);
        free(all->list[i].terms);
    }
    free(all->list);
    *all = (struct conditions){.count = 0};
}

/* Below 0, 0 or above. */
static int order(const char *a, const char *b)
{
    double x, y;
    if (read_size_or_real(a, &x) && read_size_or_real(b, &y))
        return (x > y) - (x < y);
    return strcmp(a, b);
}

static bool holds(const struct condition_term *t, const char *left, const char *right)
{
    if (!left || !right)
        return false;
    int o = order(left, right);
    switch (t->compare[0]) {
    case '!': return o != 0;
    case '<': return t->compare[1] ? o <= 0 : o < 0;
    case '>': return t->compare[1] ? o >= 0 : o > 0;
    default: return o == 0;
    }
}

/* The axis of a key that varies, and the key's place in it. */
static const struct axis *axis_of(const struct axes *axes, size_t key, size_t *place)
{
    size_t a = 0;
    while (key >= axes->list[a].first + axes->list[a].keys)
        a++;
    *place = key - axes->list[a].first;
    return &axes->list[a];
}

/* Whether the term holds for values that two keys have together: on one axis those of one point, else any. */
static bool keys_may_hold(const struct condition_term *t, const struct axes *axes)
{
    size_t i, j;
    const struct axis *a = axis_of(axes, axes_find(axes, t->left), &i);
    const struct axis *b = axis_of(axes, axes_find(axes, t->right), &j);
    for (size_t p = 0; p < a->points; p++)
        for (size_t q = 0; q < b->points; q++)
            if ((a != b || p == q) && holds(t, a->values[p * a->keys + i], b->values[q * b->keys + j]))
                return true;
    return false;
}

/* Whether the term holds for a value of its key. */
static bool may_hold(const struct condition_term *t, const struct axes *axes, const struct conditions *all)
{
    if (!strcmp(t->left, CONDITION_TRACE)) {
        for (size_t i = 0; i < all->trace_count; i++)
            if (holds(t, all->traces[i], t->right))
                return true;
        return !all->trace_count;
    }
    if (!axes_have(axes, t->left))
        return !all->machine || holds(t, all->machine, t->right);
    for (size_t a = 0; a < axes->count; a++)
        for (size_t k = 0; k < axes->list[a].keys; k++)
            for (size_t p = 0; axes->list[a].first + k == axes_find(axes, t->left) && p < axes->list[a].points; p++)
                if (holds(t, axes->list[a].values[p * axes->list[a].keys + k], t->right))
                    return true;
    return false;
}

/* A value that its key never has is a slip. */
static bool check_value(const struct condition *c, const struct condition_term *t, const struct axes *axes,
                        const struct conditions *all, struct rp_error *err)
{
    bool keys = axes_have(axes, t->left) && axes_have(axes, t->right);
    if (keys && axes_find(axes, t->left) == axes_find(axes, t->right))
        return rp_fail(err, RP_USAGE, "--exclude %s: it compares %s with itself", c->text, t->left);
    if (keys && !keys_may_hold(t, axes))
        return rp_fail(err, RP_USAGE, "--exclude %s: it never holds, as no %s of the sweep is %s%sits %s", c->text,
                       t->left, *t->compare == '=' ? "" : t->compare, *t->compare == '=' ? "" : " ", t->right);
    if (axes_have(axes, t->right) || may_hold(t, axes, all))
        return true;
    return rp_fail(err, RP_USAGE, "--exclude %s: it never holds, as no %s of the sweep is %s%s", c->text, t->left,
                   *t->compare == '=' ? "" : t->compare, t->right);
}

static bool check_term(const struct condition *c, const struct condition_term *t, const struct axes *axes,
                       const struct conditions *all, struct rp_error *err)
{
    double unused;
    bool name = !strcmp(t->left, CONDITION_TRACE) || !strcmp(t->left, VARIED_MACHINE);
    if (!name && !axes_have(axes, t->left))
        return rp_fail(err, RP_USAGE, "--exclude %s: %s does not vary; name a key of --vary, machine, or trace",
                       c->text, t->left);
    bool sorts = *t->compare == '<' || *t->compare == '>';
    bool fine = !sorts || read_size_or_real(t->right, &unused) || axes_have(axes, t->right) ||
                rp_fail(err, RP_USAGE, "--exclude %s: %s is neither a number nor a key that varies", c->text, t->right);
    return fine && check_value(c, t, axes, all, err);
}

/* One key cannot have two values. */
static bool check_pairs(const struct condition *c, const struct axes *axes, struct rp_error *err)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct condition_term *a = &c->terms[j], *b = &c->terms[i];
            if (*a->compare == '=' && *b->compare == '=' && !strcmp(a->left, b->left) && order(a->right, b->right) &&
                !axes_have(axes, a->right) && !axes_have(axes, b->right))
                return rp_fail(err, RP_USAGE, "--exclude %s: it never holds, as %s is not %s and %s at once", c->text,
                               a->left, a->right, b->right);
        }
    return true;
}

bool conditions_check(const struct conditions *all, const struct axes *axes, struct rp_error *err)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t t = 0; t < all->list[i].count; t++)
            if (!check_term(&all->list[i], &all->list[i].terms[t], axes, all, err))
                return false;
        if (!check_pairs(&all->list[i], axes, err))
            return false;
    }
    return true;
}

bool conditions_ask_for_trace(const struct conditions *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t t = 0; t < all->list[i].count; t++)
            if (!strcmp(all->list[i].terms[t].left, CONDITION_TRACE))
                return true;
    return false;
}

/* ---- whether one holds ------------------------------------------------------------------------------------------- */

/* A variant of a sweep, on a trace. */
struct variant_names {
    const struct axes *axes;
    const char *const *values;
    const char *machine, *trace;
};

/* The value of a key; `otherwise`: it is none. */
static const char *value_of(const struct variant_names *v, const char *key, const char *otherwise)
{
    if (!strcmp(key, CONDITION_TRACE))
        return v->trace;
    size_t i = axes_find(v->axes, key);
    if (i < v->axes->key_count)
        return v->values[i];
    return strcmp(key, VARIED_MACHINE) ? otherwise : v->machine;
}

static bool all_hold(const struct condition *c, const struct variant_names *v)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct condition_term *t = &c->terms[i];
        if (!holds(t, value_of(v, t->left, NULL), value_of(v, t->right, t->right)))
            return false;
    }
    return true;
}

bool conditions_hold(const struct conditions *all, const struct axes *axes, const char *const values[MOST_KEYS],
                     const char *trace)
{
    const struct variant_names variant = {axes, values, all->machine, trace};
    for (size_t i = 0; i < all->count; i++)
        if (all_hold(&all->list[i], &variant))
            return true;
    return false;
}
