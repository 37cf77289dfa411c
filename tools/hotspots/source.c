#include "tools/hotspots/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- chains ------------------------------------------------------------------------------------------------------ */

void print_source_calls(const struct rp_kernel *k, const struct rp_instruction *in,
                        void (*function)(const char *, FILE *), const char *(*file)(const char *), FILE *to)
{
    for (uint32_t i = in->inlined; i; i = k->inlined[i - 1].inlined) {
        const struct rp_inlined_call *c = &k->inlined[i - 1];
        fputs(", in ", to);
        function(c->function, to);
        if (c->line)
            fprintf(to, " at %s:%" PRIu32, file(k->files[c->file]), c->line);
    }
}

static const char *whole_path(const char *path) { return path; }

void print_source_chain(const struct rp_kernel *k, const struct rp_instruction *in,
                        void (*function)(const char *, FILE *), FILE *to)
{
    if (in->line)
        fprintf(to, "%s:%" PRIu32, k->files[in->file], in->line);
    print_source_calls(k, in, function, whole_path, to);
}

static bool same_call(const struct rp_kernel *k, const struct rp_inlined_call *c, const struct rp_kernel *l,
                      const struct rp_inlined_call *d)
{
    return c->line == d->line && !strcmp(c->function, d->function) &&
           (!c->line || !strcmp(k->files[c->file], l->files[d->file]));
}

bool source_calls_equal(const struct rp_kernel *k, const struct rp_instruction *in, const struct rp_kernel *l,
                        const struct rp_instruction *jn)
{
    uint32_t i = in->inlined, j = jn->inlined;
    for (; i && j && same_call(k, &k->inlined[i - 1], l, &l->inlined[j - 1]); j = l->inlined[j - 1].inlined)
        i = k->inlined[i - 1].inlined;
    return !i && !j;
}

json_t *source_chain_json(const struct rp_kernel *k, const struct rp_instruction *in)
{
    json_t *list = json_array();
    uint32_t file = in->file, line = in->line;
    for (uint32_t i = in->inlined;; i = k->inlined[i - 1].inlined) {
        const char *function = i ? k->inlined[i - 1].function : k->name;
        json_add(list, json_pack("{s:s, s:o, s:o}", "function", function, "file",
                                 line ? json_string(k->files[file]) : json_null(), "line", json_number(line)));
        if (!i)
            return list;
        file = k->inlined[i - 1].file;
        line = k->inlined[i - 1].line;
    }
}

const char *source_function(const struct rp_kernel *k, const struct rp_instruction *in)
{
    return in->inlined ? k->inlined[in->inlined - 1].function : k->name;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

#define MOST_BYTES (64u << 20)

struct source_file {
    char *name, *text; /* text: line ends are 0; NULL: cannot be read */
    char **lines;
    uint32_t count;
    struct source_file *next;
};

struct source_files {
    char *folder; /* of the trace, with its slash */
    struct source_file *first;
};

struct source_files *source_files_new(const char *trace_path)
{
    struct source_files *s = calloc(1, sizeof *s);
    const char *slash = strrchr(trace_path, '/');
    if (s && !(s->folder = strndup(trace_path, slash ? (size_t)(slash + 1 - trace_path) : 0))) {
        free(s);
        s = NULL;
    }
    return s;
}

void source_files_free(struct source_files *s)
{
    for (struct source_file *f = s ? s->first : NULL, *next; f; f = next) {
        next = f->next;
        free(f->name);
        free(f->text);
        free(f->lines);
        free(f);
    }
    free(s ? s->folder : NULL);
    free(s);
}

/* A whole file with a 0 behind it, or NULL. */
static char *read_file(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    struct stat about;
    if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path || stat(path, &about) ||
        !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES)
        return NULL;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc((size_t)about.st_size + 1) : NULL;
    *size = text ? fread(text, 1, (size_t)about.st_size, file) : 0;
    if (text)
        text[*size] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Blanks around the line, and bytes that are no text, go. */
static char *trimmed(char *line, char *end)
{
    while (end > line && (unsigned char)end[-1] <= ' ')
        *--end = 0;
    for (char *c = line; c < end; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    return line + strspn(line, " ");
}

static void split(struct source_file *f, size_t size)
{
    uint32_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += f->text[i] == '\n';
    if (!(f->lines = calloc(count, sizeof *f->lines)))
        return;
    for (char *line = f->text, *end = f->text + size; line <= end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        *stop = 0;
        f->lines[f->count++] = trimmed(line, stop);
        line = stop + 1;
    }
}

static struct source_file *file_of(struct source_files *s, const char *name)
{
    struct source_file *f = s->first;
    while (f && strcmp(f->name, name))
        f = f->next;
    if (f || !(f = calloc(1, sizeof *f)))
        return f;
    size_t size = 0;
    const char *slash = strrchr(name, '/');
    if (!(f->name = strdup(name))) {
        free(f);
        return NULL;
    }
    f->text = read_file("", name, &size);
    if (!f->text && *name != '/')
        f->text = read_file(s->folder, name, &size);
    if (!f->text && slash)
        f->text = read_file(s->folder, slash + 1, &size);
    if (f->text)
        split(f, size);
    f->next = s->first;
    return s->first = f;
}

const char *source_text_of(struct source_files *s, const char *file, uint32_t line)
{
    const struct source_file *f = line ? file_of(s, file) : NULL;
    return f && line <= f->count && *f->lines[line - 1] ? f->lines[line - 1] : NULL;
}
