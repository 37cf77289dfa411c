#include "tools/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned size_shift(char suffix) { return strchr("Kk", suffix) ? 10 : strchr("Mm", suffix) ? 20 : 30; }

bool read_number(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *err)
{
    char *end = NULL;
    errno = 0;
    if (isdigit((unsigned char)*text))
        *value = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    if (*text == '-' && isdigit((unsigned char)text[1]))
        return rp_fail(err, RP_USAGE, "%s: '%s' is negative; the least is 0", what, text);
    if (!end || *end)
        return rp_fail(err, RP_USAGE, "%s: '%s' is not a whole number", what, text);
    if (errno || *value > most)
        return rp_fail(err, RP_USAGE, "%s: '%s' is too large; the most is %" PRIu64, what, text, most);
    return true;
}

bool read_size(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *err)
{
    char digits[32];
    size_t n = strlen(text);
    const char *suffix = n && n < sizeof digits ? strchr("KMGkmg", text[n - 1]) : NULL;
    size_t number = strspn(text, "0123456789");
    if (number && isalpha((unsigned char)text[number]) && (text[number] | 32) != 'x' && !(suffix && number == n - 1))
        return rp_fail(err, RP_USAGE, "%s: '%s' is not a whole number, or one with K, M or G behind it", what, text);
    if (!suffix)
        return read_number(text, most, what, value, err);
    unsigned shift = size_shift(*suffix);
    snprintf(digits, sizeof digits, "%.*s", (int)n - 1, text);
    if (!read_number(digits, UINT64_MAX, what, value, err))
        return false;
    if (*value > most >> shift)
        return rp_fail(err, RP_USAGE, "%s: '%s' is too large; the most is %" PRIu64, what, text, most);
    *value <<= shift;
    return true;
}
