#include "tools/variants/range.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned shift_of(char suffix)
{
    static const char letters[] = "KMGkmg";
    const char *at = suffix ? strchr(letters, suffix) : NULL;
    return at ? 10 * (1 + (unsigned)(at - letters) % 3) : 0;
}

/* Reads a number at *at and goes behind it. False: there is none, or it is too large. */
static bool take_number(const char **at, long long *value, char *suffix)
{
    char *end;
    errno = 0;
    long long number = strtoll(*at, &end, 10);
    bool fine = end != *at && !errno;
    *suffix = shift_of(*end) ? *end++ : 0;
    *at = end;
    return fine && !__builtin_mul_overflow(number, 1ll << shift_of(*suffix), value);
}

bool range_begins(const char *text)
{
    long long number;
    char suffix;
    return take_number(&text, &number, &suffix) && !strncmp(text, "..", 2);
}

/* ":+S", ":xF", or nothing. */
static bool take_step(const char *at, struct range *r)
{
    char suffix;
    r->step = 1;
    r->factor = *at && at[1] == 'x';
    if (!*at)
        return true;
    if (at[0] != ':' || (at[1] != '+' && at[1] != 'x') || at[2] == '-' || at[2] == '+')
        return false;
    at += 2;
    return take_number(&at, &r->step, &suffix) && !*at && r->step > r->factor;
}

/* False: there is no next number, or it is beyond the end. */
static bool step(const struct range *r, long long *number)
{
    long long next;
    bool over =
        r->factor ? __builtin_mul_overflow(*number, r->step, &next) : __builtin_add_overflow(*number, r->step, &next);
    if (over || next > r->to)
        return false;
    *number = next;
    return true;
}

bool range_read(const char *text, size_t most, struct range *r, size_t *count, struct rp_error *err)
{
    const char *at = text;
    char suffix;
    bool fine = take_number(&at, &r->from, &r->suffix) && !strncmp(at, "..", 2);
    at += 2;
    fine = fine && take_number(&at, &r->to, &suffix) && take_step(at, r);
    if (!fine)
        return rp_fail(err, RP_USAGE, "'%s' is no range; write 1..4, 100..400:+100 or 32K..128K:x2", text);
    if (r->factor && r->from < 1)
        return rp_fail(err, RP_USAGE, "'%s': a range that is multiplied begins at 1 or above", text);
    *count = 1;
    for (long long number = r->from; *count <= most && step(r, &number);)
        ++*count;
    if (r->from > r->to)
        return rp_fail(err, RP_USAGE, "%s runs backwards; the smaller number comes first", text);
    return *count <= most ||
           rp_fail(err, RP_USAGE, "%s has more than %zu values; give a step, as in 100..400:+100 or 32K..128K:x2", text,
                   most);
}

void range_number(const struct range *r, size_t i, char text[RANGE_NUMBER])
{
    long long number = r->from, unit = 1ll << shift_of(r->suffix);
    while (i-- > 0 && step(r, &number))
        ;
    if (unit > 1 && number % unit == 0)
        snprintf(text, RANGE_NUMBER, "%lld%c", number / unit, r->suffix);
    else
        snprintf(text, RANGE_NUMBER, "%lld", number);
}
