#include "frontend/isa/word.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *isa_word_print(char text[ISA_WORD_TEXT], struct isa_word w, unsigned bytes)
{
    if (bytes > 8)
        snprintf(text, ISA_WORD_TEXT, "0x%016" PRIx64 "%016" PRIx64, w.hi, w.lo);
    else
        snprintf(text, ISA_WORD_TEXT, "0x%016" PRIx64, w.lo);
    return text;
}

const char *isa_word_read(const char *text, unsigned bytes, struct isa_word *w)
{
    if (strncmp(text, "0x", 2) != 0)
        return NULL;
    const char *digit = text + 2;
    *w = (struct isa_word){0, 0};
    for (; isxdigit((unsigned char)*digit); digit++) {
        unsigned v = isdigit((unsigned char)*digit) ? (unsigned)(*digit - '0') : (*digit | 32u) - 'a' + 10;
        w->hi = w->hi << 4 | w->lo >> 60;
        w->lo = w->lo << 4 | v;
    }
    size_t count = (size_t)(digit - text) - 2;
    return count && count <= 2 * bytes ? digit : NULL;
}

bool isa_word_is_bare(const char *text) { return !strncmp(text, ".word", 5) && isspace((unsigned char)text[5]); }
