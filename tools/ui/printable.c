#include "tools/ui/printable.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the control character of UTF-8 at the text's beginning; 0: there is none. */
static size_t control(const unsigned char *text)
{
    if (text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f)
        return 2;
    return (text[0] < ' ' && text[0] != '\n' && text[0] != '\t') || text[0] == 0x7f;
}

const char *printable(const char *text, char *out, size_t room)
{
    static const char longest[] = "\\xc2\\x9b";
    size_t n = 0;
    while (*text && n + sizeof longest <= room) {
        size_t bytes = control((const unsigned char *)text);
        for (size_t i = 0; i < bytes; i++)
            n += (size_t)snprintf(out + n, room - n, "\\x%02x", (unsigned char)*text++);
        if (!bytes)
            out[n++] = *text++;
    }
    out[n] = 0;
    return out;
}
