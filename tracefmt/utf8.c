#include "tracefmt/utf8.h"

#include <stddef.h>

/* The number of bytes of the character at c; 0: it is not UTF-8 (RFC 3629, section 4). The text ends in a 0, which
 * continues no character. */
static size_t character(const unsigned char *c)
{
    unsigned least = 0x80, most = 0xbf; /* bounds of the second byte */
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : least;
    most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : most;
    for (size_t i = 1; i < length; i++, least = 0x80, most = 0xbf)
        if (c[i] < least || c[i] > most)
            return 0;
    return length;
}

void rp_utf8_repair(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        size_t length = character(c);
        if (!length)
            *c = '?';
        c += length ? length : 1;
    }
}
