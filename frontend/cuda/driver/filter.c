#include "frontend/cuda/driver/filter.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"

static struct {
    regex_t kernels;
    bool by_name;
    const char *launches; /* ranges: 3,10..19,30.. */
} filter;

bool filter_open(struct rp_error *err)
{
    const char *kernels = session_value(SESSION_KERNELS);
    filter.launches = session_value(SESSION_LAUNCHES);
    if (kernels && regcomp(&filter.kernels, kernels, REG_EXTENDED | REG_NOSUB))
        return rp_fail(err, RP_USAGE, "REPRISE_KERNELS: '%s' is not a regular expression", kernels);
    filter.by_name = kernels;
    return true;
}

static bool in_ranges(const char *list, uint64_t number)
{
    for (const char *at = list; at && *at; at = *at == ',' ? at + 1 : at + strlen(at)) {
        char *end;
        uint64_t from = strtoull(at, &end, 10), to = from;
        if (end[0] == '.' && end[1] == '.') {
            at = end + 2;
            to = strtoull(at, &end, 10);
            to = end == at ? UINT64_MAX : to;
        }
        if (number >= from && number <= to)
            return true;
        at = end;
    }
    return false;
}

static bool name_wanted(CUfunction f)
{
    if (!f->wanted) {
        char *name = name_demangled(f->program->name);
        f->wanted = regexec(&filter.kernels, name ? name : f->program->name, 0, NULL, 0) ? -1 : 1;
        free(name);
    }
    return f->wanted > 0;
}

bool filter_launch(CUfunction f, uint64_t number)
{
    return (!filter.launches || in_ranges(filter.launches, number)) && (!filter.by_name || name_wanted(f));
}

bool filter_checks(CUfunction f)
{
    static uint64_t launches;
    return filter_launch(f, launches++);
}
