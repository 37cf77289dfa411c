#include "frontend/loader/pieces.h"

#include <stdlib.h>
#include <string.h>

bool pieces_add(struct ptx_pieces *p, const void *text, size_t size)
{
    size = strnlen(text, size);
    char *longer = realloc(p->text, p->size + size + 2);
    if (!longer)
        return false;
    memcpy(longer + p->size, text, size);
    p->text = longer;
    p->size += size;
    longer[p->size++] = '\n';
    longer[p->size] = 0;
    return true;
}

void pieces_free(struct ptx_pieces *p)
{
    free(p->text);
    *p = (struct ptx_pieces){0};
}
