#include "tools/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"

json_t *json_number(uint64_t value) { return json_integer((json_int_t)value); }

/* Whether a value could not be put where it belongs: there was no memory for it. */
static bool lost;

void json_add(json_t *list, json_t *value) { lost |= json_array_append_new(list, value) != 0; }

void json_put(json_t *object, const char *key, json_t *value) { lost |= json_object_set_new(object, key, value) != 0; }

#define FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(9))

static int status_of(bool ok)
{
    struct rp_error err;
    if (ok) {
        putchar('\n');
        return RP_OK;
    }
    if (ferror(stdout))
        rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", strerror(errno));
    else
        rp_fail(&err, RP_SYSTEM, "out of memory for the result in JSON");
    return command_fail(&err);
}

int json_finish(json_t *json)
{
    bool ok = json && !lost && !json_dumpf(json, stdout, FORMAT);
    json_decref(json);
    return status_of(ok);
}

/* ---- part by part ------------------------------------------------------------------------------------------------ */

static void new_line(unsigned depth) { printf("\n%*s", (int)(2 * depth), ""); }

/* Where the next part begins. */
static void begin_part(struct json_stream *s, const char *key)
{
    if (s->follows)
        putchar(',');
    if (s->depth)
        new_line(s->depth);
    if (key)
        printf("\"%s\": ", key);
    s->follows = true;
}

void json_open(struct json_stream *s, const char *key, char bracket)
{
    if (s->failed)
        return;
    begin_part(s, key);
    putchar(bracket);
    s->depth++;
    s->follows = false;
}

void json_close(struct json_stream *s, char bracket)
{
    if (s->failed)
        return;
    s->depth--;
    if (s->follows)
        new_line(s->depth);
    putchar(bracket);
    s->follows = true;
}

void json_part(struct json_stream *s, const char *key, json_t *value)
{
    char *text = value && !lost && !s->failed ? json_dumps(value, FORMAT | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    s->failed |= !text || ferror(stdout);
    if (!s->failed) {
        begin_part(s, key);
        for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
            end = strchr(line, '\n');
            fwrite(line, 1, end ? (size_t)(end - line) : strlen(line), stdout);
            if (end)
                new_line(s->depth);
        }
    }
    free(text);
}

int json_stream_end(struct json_stream *s) { return status_of(!s->failed && !lost && !ferror(stdout)); }
