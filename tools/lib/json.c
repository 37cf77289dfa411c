#include "tools/lib/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tracefmt/file_write.h"

json_t *json_number(uint64_t value) { return json_integer((json_int_t)value); }

/* Whether a value was lost because memory ran out. */
static bool lost;

bool json_lost(void) { return lost; }

void json_add(json_t *list, json_t *value) { lost |= json_array_append_new(list, value) != 0; }

void json_join(json_t *object, json_t *members)
{
    lost |= json_object_update(object, members) != 0;
    json_decref(members);
}
void json_put(json_t *object, const char *key, json_t *value) { lost |= json_object_set_new(object, key, value) != 0; }

void json_put_kernel(json_t *object, const char *symbol)
{
    json_put(object, "kernel", json_source_name(symbol));
    json_put(object, "symbol", json_text(symbol));
}

#define FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(9))

/* Why standard output takes no more. errno is that of some call since: the next write fails again and sets it. */
static int write_error(void)
{
    errno = 0;
    putchar('\n');
    fflush(stdout);
    return errno ? errno : EIO;
}

static int status_of(bool ok)
{
    struct rp_error err;
    if (ok) {
        putchar('\n');
        return RP_OK;
    }
    if (ferror(stdout))
        rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", file_write_error(write_error()));
    else
        rp_fail(&err, RP_SYSTEM, "no result in JSON: memory ran out");
    return command_fail(&err);
}

int json_finish(json_t *json)
{
    bool ok = json && !lost && !json_dumpf(json, stdout, FORMAT);
    json_decref(json);
    return status_of(ok);
}

json_t *json_document(const char *name)
{
    char schema[64];
    snprintf(schema, sizeof schema, "reprise-%s", name);
    return json_pack("{s:s, s:i, s:s}", "schema", schema, "version", JSON_VERSION, "tool", "reprise " REPRISE_VERSION);
}

/* The length of the UTF-8 character at `text`; 0: there is none. */
static size_t character(const char *text)
{
    json_t *one = NULL;
    size_t n = 0;
    for (size_t length = 1; length <= 4 && !n && text[length - 1]; length++)
        if ((one = json_stringn(text, length))) {
            json_decref(one);
            n = length;
        }
    return n;
}

json_t *json_text(const char *text)
{
    json_t *whole = text ? json_string(text) : json_null();
    if (whole)
        return whole;
    char *mended = malloc(3 * strlen(text) + 1), *to = mended;
    for (; mended && *text;) {
        size_t n = character(text);
        memcpy(to, n ? text : "\xef\xbf\xbd", n ? n : 3);
        to += n ? n : 3;
        text += n ? n : 1;
    }
    json_t *out = mended ? json_stringn(mended, (size_t)(to - mended)) : NULL;
    free(mended);
    return out;
}

json_t *json_source_name(const char *symbol)
{
    char plain[PLAIN_NAME];
    return json_text(plain_kernel_name(symbol, plain));
}

json_t *json_message(const char *text)
{
    char *plain = NULL;
    size_t size;
    FILE *to = open_memstream(&plain, &size);
    if (to)
        print_plain_names(text, to);
    json_t *value = to && !fclose(to) ? json_text(plain) : NULL;
    free(plain);
    return value;
}

/* ---- part by part ------------------------------------------------------------------------------------------------ */

static void new_line(unsigned depth) { printf("\n%*s", (int)(2 * depth), ""); }

/* Prints the comma, line end and indentation before the next part. */
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

/* json_dumps() overlooks some failed allocations; this function allocates nothing. */
static int print_part(const char *text, size_t size, void *stream)
{
    const struct json_stream *s = stream;
    for (const char *line = text, *stop = text + size, *end; line < stop; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        fwrite(line, 1, (size_t)((end ? end : stop) - line), stdout);
        if (!end)
            break;
        new_line(s->depth);
    }
    return ferror(stdout) ? -1 : 0;
}

void json_part(struct json_stream *s, const char *key, json_t *value)
{
    s->failed |= !value || lost;
    if (!s->failed) {
        begin_part(s, key);
        s->failed = json_dump_callback(value, print_part, s, FORMAT | JSON_ENCODE_ANY) != 0;
    }
    json_decref(value);
}

void json_document_open(struct json_stream *s)
{
    json_t *head = json_document(s->name), *value;
    const char *key;
    s->failed |= !head;
    json_open(s, NULL, '{');
    json_object_foreach(head, key, value) json_part(s, key, json_incref(value));
    json_decref(head);
}

void json_traces_begin(struct json_stream *s)
{
    if (s->depth || s->failed)
        return;
    json_document_open(s);
    json_open(s, "traces", '[');
}

int json_traces_end(struct json_stream *s)
{
    if (!s->depth && !s->failed)
        return RP_OK;
    json_close(s, ']');
    json_close(s, '}');
    return json_stream_end(s);
}

int json_stream_end(struct json_stream *s) { return status_of(!s->failed && !lost && !ferror(stdout)); }
