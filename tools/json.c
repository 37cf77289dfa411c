#include "tools/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"

json_t *json_number(uint64_t value) { return json_integer((json_int_t)value); }

/* Whether a value could not be put where it belongs: there was no memory for it. */
static bool lost;

void json_add(json_t *list, json_t *value) { lost |= json_array_append_new(list, value) != 0; }

void json_put(json_t *object, const char *key, json_t *value) { lost |= json_object_set_new(object, key, value) != 0; }

int json_finish(json_t *json)
{
    bool ok = json && !lost && !json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    struct rp_error err;
    if (!ok && ferror(stdout))
        rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", strerror(errno));
    else if (!ok)
        rp_fail(&err, RP_SYSTEM, "out of memory for the result in JSON");
    json_decref(json);
    if (!ok)
        return command_fail(&err);
    putchar('\n');
    return RP_OK;
}
