/* The values of --batches and the options that belong to it, on the command line and in plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/number.h"
#include "tools/replaying/repeating.h"

static bool read_batches(const char *text, struct repeat_request *q, struct rp_error *err)
{
    long long least = 0, most = 0;
    uint64_t one = 0;
    struct rp_error unused;
    if (read_number(text, REPEAT_MOST, "--batches", &one, &unused))
        least = most = (long long)one;
    else if (!read_range(text, &least, &most))
        least = 0;
    if (least < 1 || most > REPEAT_MOST || least > most)
        return rp_fail(err, RP_USAGE,
                       "--batches %s: give MIN..MAX or a number, from 1 to %d; for example --batches 100..1000", text,
                       REPEAT_MOST);
    q->least = (uint32_t)least;
    q->most = (uint32_t)most;
    return true;
}

static bool read_real(const char *option, const char *text, bool confidence, double *value, struct rp_error *err)
{
    char *end;
    *value = strtod(text, &end);
    bool fine = end != text && !*end && isfinite(*value);
    if (confidence && (!fine || *value <= 0 || *value > 0.999999))
        return rp_fail(err, RP_USAGE, "--%s %s: give a number above 0 and up to 0.999999, such as 0.95", option, text);
    if (!confidence && (!fine || *value < 0 || *value > 1e6))
        return rp_fail(err, RP_USAGE, "--%s %s: give a number from 0 to 1000000, such as 0.1", option, text);
    return true;
}

bool repeat_parse(const char *option, const char *text, struct repeat_args *a, struct rp_error *err)
{
    if (!strcmp(option, "batches"))
        return read_batches(text, &a->request, err);
    bool confidence = !strcmp(option, "confidence");
    a->needs_batches = confidence ? "--confidence" : "--width";
    return read_real(option, text, confidence, confidence ? &a->request.confidence : &a->request.width, err);
}

bool repeat_agrees(const struct repeat_args *a, struct rp_error *err)
{
    return !a->needs_batches || a->request.least ||
           rp_fail(err, RP_USAGE, "%s is about --batches; for example --batches 100..1000", a->needs_batches);
}
