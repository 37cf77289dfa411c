#include "frontend/isa/ptx/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 120, LEAD = 80 };

/* Writes the line around `at` and a caret below it. Cuts long lines; a tab or control character becomes a blank. */
static void show_line(char *out, size_t room, const char *line, uint32_t length, uint32_t column)
{
    uint32_t from = column > LEAD ? column - LEAD : 0;
    uint32_t count = length - from < SHOWN ? length - from : SHOWN;
    char shown[SHOWN + 1], caret[LEAD + 2];
    for (uint32_t i = 0; i < count; i++)
        shown[i] = (unsigned char)line[from + i] < ' ' ? ' ' : line[from + i];
    shown[count] = 0;
    memset(caret, ' ', column - from);
    caret[column - from] = '^';
    caret[column - from + 1] = 0;
    snprintf(out, room, "\n    %s\n    %s", shown, caret);
}

void ptx_error(struct ptx_source *src, uint32_t at, const char *format, ...)
{
    char message[400], shown[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (at > src->size)
        at = src->size;
    uint32_t line = 1, start = 0;
    for (uint32_t i = 0; i < at; i++)
        if (src->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    const char *end = memchr(src->text + start, '\n', src->size - start);
    uint32_t length = end ? (uint32_t)(end - src->text) - start : src->size - start;
    show_line(shown, sizeof shown, src->text + start, length, at - start);
    rp_fail(src->err, RP_BAD_INPUT, "%.200s:%u:%u: %s%s", src->file_name, line, at - start + 1, message, shown);
    longjmp(src->escape, 1);
}

enum { NEAREST_MAX = 40 };

static unsigned edits(const char *a, unsigned n, const char *b, unsigned m)
{
    unsigned row[NEAREST_MAX + 1];
    for (unsigned j = 0; j <= m; j++)
        row[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

const char *ptx_nearest(const char *name, uint32_t length, const char *(*next)(void *), void *data)
{
    const char *best = NULL;
    unsigned limit = length < 4 ? 1 : length / 3, found = limit + 1;
    if (length == 0 || length > NEAREST_MAX)
        return NULL;
    for (const char *c; (c = next(data));) {
        size_t m = strlen(c);
        if (m == 0 || m > NEAREST_MAX)
            continue;
        unsigned e = edits(name, length, c, (unsigned)m);
        if (e < found && e < m) {
            found = e;
            best = c;
        }
    }
    return best;
}
