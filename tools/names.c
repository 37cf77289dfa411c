#include "tools/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ runtime (Itanium C++ ABI, 3.4): allocated by malloc, NULL for what is no mangled name. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Where the name begins: behind the last blank outside of brackets, if a return type stands before it. */
static const char *without_return_type(const char *text, const char *end)
{
    const char *begin = text;
    int depth = 0;
    for (const char *c = text; c < end; c++) {
        depth += *c == '<' || *c == '(' ? 1 : *c == '>' || *c == ')' ? -1 : 0;
        begin = *c == ' ' && !depth ? c + 1 : begin;
    }
    return begin;
}

/* The parenthesis that opens the parameters: the first outside of angle brackets and not of "(anonymous namespace)". */
static const char *parameters(const char *text)
{
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += *c == '<' ? 1 : *c == '>' ? -1 : 0;
        if (*c == '(' && !depth && strncmp(c, "(anonymous", 10))
            return c;
    }
    return text + strlen(text);
}

const char *plain_kernel_name(const char *name, char out[PLAIN_NAME])
{
    int status;
    char *whole = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, &status);
    if (whole) {
        const char *end = parameters(whole), *begin = without_return_type(whole, end);
        snprintf(out, PLAIN_NAME, "%.*s", (int)(end - begin), begin);
    } else {
        snprintf(out, PLAIN_NAME, "%s", name);
    }
    free(whole);
    return out;
}
