#include "tracefmt/source_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (64u << 20)

struct source_file {
    char *name, *text; /* in text, line ends are replaced by 0; NULL: the file cannot be read */
    char **lines;
    uint32_t count;
    struct source_file *next;
};

struct source_files {
    char *folder; /* the trace's folder, with a final slash */
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

/* Reads a whole file and appends a 0. NULL: it cannot be read, or contains a 0 and so is no text: PTX that is embedded
 * in a program names the program as its file. */
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
    if (file)
        fclose(file);
    if (text && memchr(text, 0, *size)) {
        free(text);
        return NULL;
    }
    if (text)
        text[*size] = 0;
    return text;
}

/* Removes surrounding blanks; replaces control characters by blanks. */
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

void source_line_call(struct source_files *s, const char *file, uint32_t line, source_line_fn *fn, void *user)
{
    const char *text = file && line ? source_text_of(s, file, line) : NULL;
    if (text)
        fn(user, line, text);
}

void source_lines_of(struct source_files *s, const struct rp_kernel *k, const struct rp_instruction *in,
                     source_line_fn *fn, void *user)
{
    const struct rp_inlined_call *outermost = NULL;
    if (in->line && in->file < k->file_count)
        source_line_call(s, k->files[in->file], in->line, fn, user);
    for (uint32_t i = in->inlined; i; i = outermost->inlined)
        outermost = &k->inlined[i - 1];
    if (outermost && outermost->file < k->file_count)
        source_line_call(s, k->files[outermost->file], outermost->line, fn, user);
}

void source_line_print(void *to, uint32_t line, const char *text)
{
    fprintf(to, "    %5" PRIu32 " | %s\n", line, text);
}
