#include "tools/compare/unit.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Things that are counted are counted in ones, thousands, ... Releases differ in how they write time and frequency. */
static const struct {
    const char *name;
    enum unit_kind kind;
} bases[] = {{"byte", UNIT_BYTES},     {"second", UNIT_TIME}, {"s", UNIT_TIME},       {"hz", UNIT_RATE},
             {"cycle", UNIT_COUNT},    {"inst", UNIT_COUNT},  {"sector", UNIT_COUNT}, {"request", UNIT_COUNT},
             {"register", UNIT_COUNT}, {"block", UNIT_COUNT}, {"warp", UNIT_COUNT},   {"thread", UNIT_COUNT}};
static const struct {
    const char *prefix;
    double factor;
} prefixes[] = {{"", 1},    {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"K", 1e3},
                {"k", 1e3}, {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};

/* A unit of `length` characters without a slash. */
static bool simple_factor(const char *unit, size_t length, double *factor, enum unit_kind *kind)
{
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t n = strlen(prefixes[p].prefix);
        if (n > length || strncmp(unit, prefixes[p].prefix, n))
            continue;
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            if (strlen(bases[b].name) == length - n && !strncasecmp(unit + n, bases[b].name, length - n)) {
                *factor = prefixes[p].factor;
                *kind = bases[b].kind;
                return true;
            }
    }
    return false;
}

bool unit_factor(const char *unit, double *factor, enum unit_kind *kind)
{
    double above, below = 1;
    enum unit_kind by = UNIT_COUNT;
    size_t n = strcspn(unit, "/");
    *factor = 1;
    *kind = strcmp(unit, "%") ? UNIT_COUNT : UNIT_SHARE;
    if (!*unit || *kind == UNIT_SHARE)
        return true;
    if (!simple_factor(unit, n, &above, kind) ||
        (unit[n] && !simple_factor(unit + n + 1, strlen(unit + n + 1), &below, &by)))
        return false;
    *factor = above / below;
    if (unit[n] && (*kind != UNIT_COUNT || by != UNIT_COUNT))
        *kind = UNIT_RATE;
    return true;
}

/* Copies the number without the commas between groups of three digits. */
static bool without_commas(const char *text, char *out, size_t room)
{
    size_t n = 0, since = 0;
    bool comma = false, point = false;
    for (; *text && n + 1 < room; text++) {
        if (*text == ',') {
            if (point || (comma ? since != 3 : since < 1 || since > 3))
                return false;
            comma = true;
            since = 0;
            continue;
        }
        if (!isdigit((unsigned char)*text) && !point && comma && since != 3)
            return false;
        point |= !isdigit((unsigned char)*text) && !(n == 0 && (*text == '-' || *text == '+'));
        since += isdigit((unsigned char)*text) != 0;
        out[n++] = *text;
    }
    out[n] = 0;
    return !*text && (point || !comma || since == 3);
}

bool unit_number(const char *text, double *value)
{
    char plain[64], *end;
    if (!without_commas(text, plain, sizeof plain) || !*plain || plain[strspn(plain, "0123456789.+-eE")])
        return false;
    *value = strtod(plain, &end);
    return !*end && isfinite(*value);
}
