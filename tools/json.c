#include "tools/json.h"

#include <stdio.h>

#include "tools/command.h"

json_t *json_number(uint64_t value) { return json_integer((json_int_t)value); }

int json_finish(json_t *json)
{
    bool ok = json && !json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(json);
    if (!ok)
        return command_fail(&(struct rp_error){RP_SYSTEM, "the result cannot be put into JSON"});
    putchar('\n');
    return RP_OK;
}
