#include "tools/variants/axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/machine_parts.h"
#include "tools/variants/range.h"
#include "tracefmt/plural.h"

#define EXAMPLE "give KEY=A,B,C, for example --vary scheduler=gto,lrr"
#define WITH " with "
#define MODEL ".model" /* of an option that names a model */

static bool fail_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory"); }

/* Keeps an allocated text as long as the axes; NULL: out of memory, and it is freed. */
static char *keep(struct axes *a, char *text)
{
    char **texts = text ? realloc(a->texts, (a->text_count + 1) * sizeof *texts) : NULL;
    if (!texts) {
        free(text);
        return NULL;
    }
    a->texts = texts;
    return a->texts[a->text_count++] = text;
}

static bool add_key(struct axes *a, struct axis *axis, const char *key, const char *text, struct rp_error *err)
{
    if (!*key)
        return rp_fail(err, RP_USAGE, "--vary %s: " EXAMPLE, text);
    if (axes_have(a, key))
        return rp_fail(err, RP_USAGE, "--vary %s: %s is varied twice; give all its values at once", text, key);
    if (a->key_count == MOST_KEYS)
        return rp_fail(err, RP_USAGE, "--vary %s: at most %d keys may be varied", text, MOST_KEYS);
    a->keys[a->key_count++] = key;
    axis->keys++;
    return true;
}

/* ---- values in turn ---------------------------------------------------------------------------------------------- */

struct values {
    const char **list;
    size_t count;
};

static bool add_value(struct values *v, const char *value, struct rp_error *err)
{
    const char **list = realloc(v->list, (v->count + 1) * sizeof *list);
    if (!list)
        return fail_memory(err);
    v->list = list;
    v->list[v->count++] = value;
    return true;
}

static bool add_range(struct axes *a, struct values *v, const char *value, const char *text, struct rp_error *err)
{
    struct range range;
    size_t count;
    struct rp_error why;
    if (!range_read(value, MOST_POINTS, &range, &count, &why))
        return rp_fail(err, RP_USAGE, "--vary %s: %s", text, why.text);
    char *numbers = keep(a, malloc(count * RANGE_NUMBER));
    if (!numbers)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        range_number(&range, i, numbers + i * RANGE_NUMBER);
        if (!add_value(v, numbers + i * RANGE_NUMBER, err))
            return false;
    }
    return true;
}

static bool add_values(struct axes *a, struct values *v, char *list, const char *text, struct rp_error *err)
{
    for (char *value; (value = strsep(&list, ","));)
        if (!*value)
            return rp_fail(err, RP_USAGE, "--vary %s: a value is missing beside a comma", text);
        else if (!(range_begins(value) ? add_range(a, v, value, text, err) : add_value(v, value, err)))
            return false;
    return v->count <= MOST_POINTS || rp_fail(err, RP_USAGE, "--vary %s: more than %d values", text, MOST_POINTS);
}

/* ---- the forms --------------------------------------------------------------------------------------------------- */

/* Takes "KEY=VALUES" apart; list: the values. */
static char *take_key(char *part, char **list)
{
    char *equals = strchr(part, '=');
    if (!equals || equals == part || !equals[1])
        return NULL;
    *equals = 0;
    *list = equals + 1;
    return part;
}

/* Puts the values of one more key between those of the axis. */
static bool weave(struct axis *axis, const struct values *v, const char *key, const char *text, struct rp_error *err)
{
    if (axis->keys > 1 && v->count != axis->points)
        return rp_fail(err, RP_USAGE, "--vary %s: %zu value%s of %s for %zu before it; give a value for each", text,
                       v->count, rp_plural(v->count), key, axis->points);
    const char **woven = calloc(v->count * axis->keys, sizeof *woven);
    if (!woven)
        return fail_memory(err);
    for (size_t i = 0; i < v->count; i++) {
        if (axis->keys > 1)
            memcpy(woven + i * axis->keys, axis->values + i * (axis->keys - 1), (axis->keys - 1) * sizeof *woven);
        woven[i * axis->keys + axis->keys - 1] = v->list[i];
    }
    free(axis->values);
    axis->values = woven;
    axis->points = v->count;
    return true;
}

/* Whether another key stands behind a space: "1,2 and KEY=1,2". */
static bool names_a_key(const char *list)
{
    const char *space = strchr(list, ' ');
    return space && strchr(space, '=');
}

/* "KEY=A,B with KEY=A,B". */
static bool add_coupled(struct axes *a, struct axis *axis, char *parts, const char *text, struct rp_error *err)
{
    bool fine = true;
    for (char *next; fine && parts; parts = next) {
        struct values v = {0};
        char *list, *with = strstr(parts, WITH);
        next = with ? with + strlen(WITH) : NULL;
        if (with)
            *with = 0;
        bool ends_in_with = strlen(parts) > 5 && !strcmp(parts + strlen(parts) - 5, " with");
        const char *key = ends_in_with ? NULL : take_key(parts, &list);
        fine = key ? add_key(a, axis, key, text, err) : rp_fail(err, RP_USAGE, "--vary %s: " EXAMPLE, text);
        if (fine && names_a_key(list))
            fine = rp_fail(err, RP_USAGE,
                           "--vary %s: keys that vary together stand in one --vary with the word 'with' "
                           "between them, as in 'subcores=1,2 with l1_subcores=1,2'",
                           text);
        fine = fine && add_values(a, &v, list, text, err) && weave(axis, &v, key, text, err);
        free(v.list);
    }
    return fine;
}

/* "KEY,KEY=1,1:2,2:4,2": a point between colons, a value of each key between commas. */
static bool add_points(struct axis *axis, char *values, const char *text, struct rp_error *err)
{
    struct values v = {0};
    bool fine = true;
    for (char *point; fine && (point = strsep(&values, ":")); axis->points++) {
        size_t before = v.count;
        for (char *value; fine && (value = strsep(&point, ","));)
            fine = add_value(&v, value, err);
        if (fine && v.count - before != axis->keys)
            fine = rp_fail(err, RP_USAGE,
                           "--vary %s: %zu value%s for %zu key%s; write a value of each key, and a colon before the "
                           "next, as in sms,l1.size=1,8K:2,24K",
                           text, v.count - before, rp_plural(v.count - before), axis->keys, rp_plural(axis->keys));
    }
    axis->values = v.list;
    return fine &&
           (axis->points <= MOST_POINTS || rp_fail(err, RP_USAGE, "--vary %s: more than %d values", text, MOST_POINTS));
}

static bool add_together(struct axes *a, struct axis *axis, char *keys, const char *text, struct rp_error *err)
{
    char *values;
    if (!(keys = take_key(keys, &values)))
        return rp_fail(err, RP_USAGE, "--vary %s: " EXAMPLE, text);
    for (char *key; (key = strsep(&keys, ","));)
        if (!add_key(a, axis, key, text, err))
            return false;
    return add_points(axis, values, text, err);
}

bool axes_add(struct axes *a, const char *text, struct rp_error *err)
{
    size_t keys = strcspn(text, "=");
    if (a->count == MOST_KEYS)
        return rp_fail(err, RP_USAGE, "--vary %s: at most %d keys may be varied", text, MOST_KEYS);
    char *copy = keep(a, strdup(text));
    if (!copy)
        return fail_memory(err);
    struct axis *axis = &a->list[a->count++];
    axis->first = a->key_count;
    return (memchr(text, ',', keys) ? add_together : add_coupled)(a, axis, copy, text, err);
}

void axes_free(struct axes *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->list[i].values);
    for (size_t i = 0; i < a->text_count; i++)
        free(a->texts[i]);
    free(a->texts);
    *a = (struct axes){.count = 0};
}

/* ---- combinations ------------------------------------------------------------------------------------------------ */

size_t axes_variants(const struct axes *a, size_t most, struct rp_error *err)
{
    size_t count = 1;
    for (size_t i = 0; i < a->count; i++) {
        count *= a->list[i].points;
        if (count > most) {
            rp_fail(err, RP_USAGE, "these values have more than %zu combinations; give fewer", most);
            return 0;
        }
    }
    return count;
}

void axes_values(const struct axes *a, size_t variant, const char *values[MOST_KEYS])
{
    for (size_t i = a->count; i-- > 0; variant /= a->list[i].points) {
        const struct axis *axis = &a->list[i];
        memcpy(values + axis->first, axis->values + variant % axis->points * axis->keys, axis->keys * sizeof *values);
    }
}

const char *axes_machine(const struct axes *a)
{
    const char *values[MOST_KEYS];
    axes_values(a, 0, values);
    for (size_t i = 0; i < a->key_count; i++)
        if (!strcmp(a->keys[i], VARIED_MACHINE))
            return values[i];
    return NULL;
}

/* Whether both name one option: "l1_subcores" is "l1.subcores", and "scheduler" is "scheduler.model". */
static bool same_option(const char *one, const char *other)
{
    const char *keys[2] = {one, other};
    size_t length[2];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < machine_alias_count; i++)
            if (!strcmp(machine_aliases[i].old, keys[k]))
                keys[k] = machine_aliases[i].key;
        length[k] = strlen(keys[k]);
        if (length[k] > strlen(MODEL) && !strcmp(keys[k] + length[k] - strlen(MODEL), MODEL))
            length[k] -= strlen(MODEL);
    }
    return length[0] == length[1] && !strncmp(keys[0], keys[1], length[0]);
}

size_t axes_find(const struct axes *a, const char *key)
{
    size_t i = 0;
    while (i < a->key_count && !same_option(a->keys[i], key))
        i++;
    return i;
}
