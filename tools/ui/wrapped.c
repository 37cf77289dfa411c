#include "tools/ui/wrapped.h"

#include <stdlib.h>
#include <string.h>

#include "tools/ui/table.h"

/* The number of bytes to print in `room` columns: up to the best position for a line break. */
static size_t fitting(const char *text, size_t room)
{
    size_t columns = 0, at = 0, best = 0;
    for (; text[at]; at++) {
        if (((unsigned char)text[at] & 0xc0) == 0x80)
            continue;
        if (columns++ == room)
            break;
        if (at && (text[at] == ' ' || text[at - 1] == ','))
            best = at;
    }
    return text[at] && text[at] != ' ' && best ? best : at;
}

void print_wrapped(const char *text, unsigned indent, FILE *to)
{
    for (bool first = true; first || *text; first = false) {
        size_t n = fitting(text, first ? TABLE_WIDEST : TABLE_WIDEST - indent);
        if (!first)
            fprintf(to, "\n%*s", (int)indent, "");
        fwrite(text, 1, n, to);
        text += n;
        text += strspn(text, " ");
    }
    putc('\n', to);
}

bool wrapped_open(struct wrapped *w)
{
    *w = (struct wrapped){0};
    w->pieces = open_memstream(&w->text, &w->size);
    return w->pieces;
}

void wrapped_line(struct wrapped *w, unsigned indent, FILE *to)
{
    putc(0, w->pieces);
    if (!fflush(w->pieces) && w->text)
        print_wrapped(w->text, indent, to);
    rewind(w->pieces);
}

void wrapped_free(struct wrapped *w)
{
    if (w->pieces)
        fclose(w->pieces);
    free(w->text);
}
