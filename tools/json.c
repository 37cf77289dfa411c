#include "tools/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"

json_t *json_number(uint64_t value) { return json_integer((json_int_t)value); }

int json_finish(json_t *json)
{
    bool ok = json && !json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    struct rp_error err;
    if (!ok && ferror(stdout))
        rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", strerror(errno));
    else if (!ok)
        rp_fail(&err, RP_SYSTEM, "the result cannot be put into JSON");
    json_decref(json);
    if (!ok)
        return command_fail(&err);
    putchar('\n');
    return RP_OK;
}
