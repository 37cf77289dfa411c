#include "tools/asm/needs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add_registers(struct code_needs *n, const char *text, unsigned line)
{
    enum { MOST = 255 };
    for (const char *s = text; (s = strchr(s, 'R')); s++) {
        if (!isdigit((unsigned char)s[1]) || (s > text && (isalnum((unsigned char)s[-1]) || s[-1] == '_')))
            continue;
        unsigned long number = strtoul(s + 1, NULL, 10);
        if (number < MOST && number >= n->registers) {
            n->registers = (uint32_t)number + 1;
            n->line = line;
        }
    }
}

static void add_constants(struct code_needs *n, const char *text)
{
    static const char bank[] = "c[0x0][";
    for (const char *s = text; (s = strstr(s, bank)); s++) {
        const char *at = s + strlen(bank), *end = strchr(at, ']'), *plus = strchr(at, '+');
        at = plus && plus < end ? plus + 1 : at;
        unsigned long offset = strtoul(at, NULL, 0);
        n->bank_0 = offset <= UINT16_MAX && offset > n->bank_0 ? (uint32_t)offset : n->bank_0;
    }
}

void needs_add(struct code_needs *n, const char *text, unsigned line)
{
    add_registers(n, text, line);
    add_constants(n, text);
    n->changes_count |= strstr(text, "USETMAXREG") != NULL;
    n->barriers |= !strncmp(text, "BAR.", 4) || strstr(text, " BAR.");
}
