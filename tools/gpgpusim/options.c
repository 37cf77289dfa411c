#include "tools/gpgpusim/options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/file.h"

#define MOST_TEXT 4096 /* characters of a name or a value */

/* A file that is being read. */
struct reading {
    const char *path, *at, *end;
    unsigned line;
    char word[MOST_TEXT];
    bool quoted; /* the word was in quotes */
};

static bool fail(const struct reading *r, struct rp_error *err, const char *what)
{
    return rp_fail(err, RP_BAD_INPUT, "%s:%u: %s", r->path, r->line, what);
}

static void skip(struct reading *r)
{
    while (r->at < r->end && (isspace((unsigned char)*r->at) || *r->at == '#'))
        if (*r->at == '#') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else {
            r->line += *r->at++ == '\n';
        }
}

/* Reads a text in quotes, without its blanks. */
static bool read_quoted(struct reading *r, size_t *length, struct rp_error *err)
{
    struct reading begin = *r;
    for (r->at++; r->at < r->end && *r->at != '"'; r->at++) {
        r->line += *r->at == '\n';
        if (isspace((unsigned char)*r->at))
            continue;
        if (*length + 1 == MOST_TEXT)
            return fail(&begin, err, "this text in quotes is too long");
        r->word[(*length)++] = *r->at;
    }
    if (r->at == r->end)
        return fail(&begin, err, "this text in quotes has no end");
    r->at++;
    return true;
}

/* Reads the next word; *more: there is one. */
static bool next(struct reading *r, bool *more, struct rp_error *err)
{
    size_t length = 0;
    skip(r);
    *more = r->at < r->end;
    r->quoted = *more && *r->at == '"';
    if (r->quoted && !read_quoted(r, &length, err))
        return false;
    while (!r->quoted && r->at < r->end && !isspace((unsigned char)*r->at) && *r->at != '#') {
        if (!isprint((unsigned char)*r->at))
            return fail(r, err, "this is no configuration of GPGPU-Sim: there are characters that are no text");
        if (length + 1 == MOST_TEXT)
            return fail(r, err, "this word is too long");
        r->word[length++] = *r->at++;
    }
    r->word[length] = 0;
    return true;
}

static bool is_option(const struct reading *r)
{
    return !r->quoted && *r->word == '-' && isalpha((unsigned char)r->word[1]);
}

static bool add(struct gpgpusim_options *o, const char *path, unsigned line, const char *name, const char *value,
                struct rp_error *err)
{
    if (o->count == o->room) {
        size_t room = o->room ? 2 * o->room : 256;
        struct gpgpusim_option *list = realloc(o->list, room * sizeof *list);
        if (!list)
            return rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
        o->list = list;
        o->room = room;
    }
    struct gpgpusim_option *one = &o->list[o->count];
    *one = (struct gpgpusim_option){.name = strdup(name), .value = strdup(value), .file = path, .line = line};
    o->count++;
    return (one->name && one->value) || rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
}

static bool read_all(struct gpgpusim_options *o, struct reading *r, struct rp_error *err)
{
    char name[MOST_TEXT];
    for (bool more;;) {
        if (!next(r, &more, err))
            return false;
        if (!more)
            return true;
        if (!is_option(r))
            return rp_fail(err, RP_BAD_INPUT,
                           "%s:%u: '%.60s' stands where an option of GPGPU-Sim is expected, such as -gpgpu_n_mem 12",
                           r->path, r->line, r->word);
        strcpy(name, r->word);
        unsigned line = r->line;
        if (!next(r, &more, err))
            return false;
        if (!more || is_option(r))
            return rp_fail(err, RP_BAD_INPUT, "%s:%u: option %.60s has no value", r->path, line, name);
        if (!add(o, r->path, line, name, r->word, err))
            return false;
    }
}

bool gpgpusim_options_read(struct gpgpusim_options *o, const char *path, struct rp_error *err)
{
    size_t size;
    char *text = (char *)file_read(path, &size, err);
    if (!text)
        return false;
    struct reading r = {.path = path, .at = text, .end = text + size, .line = 1};
    bool fine = read_all(o, &r, err);
    free(text);
    return fine;
}

void gpgpusim_options_free(struct gpgpusim_options *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->list[i].name);
        free(o->list[i].value);
    }
    free(o->list);
    *o = (struct gpgpusim_options){0};
}

struct gpgpusim_option *gpgpusim_option_find(struct gpgpusim_options *o, const char *name)
{
    struct gpgpusim_option *last = NULL;
    for (size_t i = 0; i < o->count; i++)
        if (!strcmp(o->list[i].name, name)) {
            last = &o->list[i];
            o->list[i].used = true;
        }
    return last;
}

bool gpgpusim_option_fail(const struct gpgpusim_option *o, struct rp_error *err, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rp_fail(err, RP_BAD_INPUT, "%s:%u: %.60s %.60s: %s", o->file, o->line, o->name, o->value, text);
}
