#include "tools/diff/axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"

#define EXAMPLE "give KEY=A,B,C, for example --vary scheduler=gto,lrr"

static char *keep(struct axes *a, char *text)
{
    if (text)
        a->texts[a->text_count++] = text;
    return text;
}

static bool add_keys(struct axes *a, struct axis *axis, char *keys, const char *text, struct rp_error *err)
{
    axis->first = a->key_count;
    for (char *key; (key = strsep(&keys, ","));) {
        if (!*key)
            return rp_fail(err, RP_USAGE, "--vary %s: " EXAMPLE, text);
        for (size_t i = 0; i < a->key_count; i++)
            if (!strcmp(a->keys[i], key))
                return rp_fail(err, RP_USAGE, "--vary %s: %s is varied twice; give all its values at once", text, key);
        if (a->key_count == MOST_KEYS)
            return rp_fail(err, RP_USAGE, "--vary %s: at most %d keys may be varied", text, MOST_KEYS);
        a->keys[a->key_count++] = key;
        axis->keys++;
    }
    return true;
}

static bool add_value(struct axis *axis, size_t *count, const char *value, const char *text, struct rp_error *err)
{
    if (*count >= MOST_VARIANTS * axis->keys)
        return rp_fail(err, RP_USAGE, "--vary %s: more than %d values", text, MOST_VARIANTS);
    const char **values = realloc(axis->values, (*count + 1) * sizeof *values);
    if (!values)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    axis->values = values;
    axis->values[(*count)++] = value;
    return true;
}

static bool add_range(struct axes *a, struct axis *axis, size_t *count, long long from, long long to, const char *text,
                      struct rp_error *err)
{
    if (from > to || (unsigned long long)to - (unsigned long long)from >= MOST_VARIANTS)
        return rp_fail(err, RP_USAGE, "--vary %s: %lld..%lld is no range of 1 to %d values", text, from, to,
                       MOST_VARIANTS);
    size_t n = (size_t)(to - from) + 1, width = 24;
    char *numbers = a->text_count < 2 * MOST_KEYS ? keep(a, malloc(n * width)) : NULL;
    if (!numbers)
        return rp_fail(err, RP_USAGE, "--vary %s: too many ranges", text);
    for (size_t i = 0; i < n; i++) {
        snprintf(numbers + i * width, width, "%lld", from + (long long)i);
        if (!add_value(axis, count, numbers + i * width, text, err))
            return false;
    }
    return true;
}

static bool add_alone(struct axes *a, struct axis *axis, char *values, const char *text, struct rp_error *err)
{
    size_t count = 0;
    for (char *value; (value = strsep(&values, ","));) {
        long long from, to;
        bool ok = read_range(value, &from, &to) ? add_range(a, axis, &count, from, to, text, err)
                                                : add_value(axis, &count, value, text, err);
        if (!ok)
            return false;
    }
    axis->points = count;
    return true;
}

/* Reads "1,1:2,2:4,2": colons separate points, commas the values of a point's keys. */
static bool add_together(struct axis *axis, char *values, const char *text, struct rp_error *err)
{
    size_t count = 0;
    for (char *point; (point = strsep(&values, ":"));) {
        size_t before = count;
        for (char *value; (value = strsep(&point, ","));)
            if (!add_value(axis, &count, value, text, err))
                return false;
        if (count - before != axis->keys)
            return rp_fail(
                err, RP_USAGE,
                "--vary %s: %zu values for %zu keys; write a value of each key, and a colon before the next, "
                "as in sms,l1.size=1,8K:2,24K",
                text, count - before, axis->keys);
        axis->points++;
    }
    return true;
}

bool axes_add(struct axes *a, const char *text, struct rp_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return rp_fail(err, RP_USAGE, "--vary %s: " EXAMPLE, text);
    if (a->count == MOST_KEYS || a->text_count >= 2 * MOST_KEYS)
        return rp_fail(err, RP_USAGE, "--vary %s: at most %d keys may be varied", text, MOST_KEYS);
    char *copy = keep(a, strdup(text));
    if (!copy)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    struct axis *axis = &a->list[a->count++];
    char *values = copy + (equals - text) + 1;
    values[-1] = 0;
    if (!add_keys(a, axis, copy, text, err))
        return false;
    return axis->keys == 1 ? add_alone(a, axis, values, text, err) : add_together(axis, values, text, err);
}

void axes_free(struct axes *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->list[i].values);
    for (size_t i = 0; i < a->text_count; i++)
        free(a->texts[i]);
}

size_t axes_variants(const struct axes *a, struct rp_error *err)
{
    size_t count = 1;
    for (size_t i = 0; i < a->count; i++) {
        count *= a->list[i].points;
        if (count > MOST_VARIANTS) {
            rp_fail(err, RP_USAGE, "these are more than %d variants", MOST_VARIANTS);
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
