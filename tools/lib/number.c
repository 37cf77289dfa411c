#include "tools/lib/number.h"

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

bool read_size_or_real(const char *text, double *value)
{
    uint64_t size;
    struct rp_error unused;
    if (read_size(text, INT64_MAX, "", &size, &unused)) {
        *value = (double)size;
        return true;
    }
    char *end;
    *value = strtod(text, &end);
    return *text && !*end;
}

bool read_block(const char *text, const uint32_t grid[3], uint64_t *index, struct rp_error *err)
{
    char part[32];
    const char *at = text, *between = strchr(text, ',') ? "," : "x";
    uint64_t place[3] = {0};
    int count = 0;
    if (!strncmp(text, "0x", 2) && !strchr(text + 2, 'x')) /* hexadecimal */
        between = ",";
    for (bool more = true; more; at += more) {
        size_t n = strcspn(at, between);
        snprintf(part, sizeof part, "%.*s", n < sizeof part ? (int)n : 0, at);
        if (count == 3 || !isdigit((unsigned char)*part) ||
            !read_number(part, UINT64_MAX, "--block", &place[count], err))
            return rp_fail(err, RP_USAGE, "--block: '%s' is neither an index nor X,Y,Z", text);
        count++;
        at += n;
        more = *at != 0;
    }
    for (int i = 0; count > 1 && i < 3; i++)
        if (place[i] >= grid[i])
            return rp_fail(err, RP_USAGE, "--block: %s is outside the grid of %" PRIu32 ",%" PRIu32 ",%" PRIu32, text,
                           grid[0], grid[1], grid[2]);
    *index = place[0] + (count > 1 ? grid[0] * (place[1] + grid[1] * place[2]) : 0);
    return true;
}

bool read_range(const char *text, long long *from, long long *to)
{
    char *end;
    errno = 0;
    *from = strtoll(text, &end, 10);
    if (end == text || strncmp(end, "..", 2))
        return false;
    const char *second = end + 2;
    *to = strtoll(second, &end, 10);
    return end != second && !*end && !errno;
}
