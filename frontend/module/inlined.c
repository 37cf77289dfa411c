#include "frontend/module/inlined.h"

#include <ctype.h>
#include <string.h>

/* The length of such a namespace at the beginning of the text, with its colons. */
static size_t file_namespace(const char *text)
{
    static const char begin[] = "_INTERNAL_";
    size_t length = sizeof begin - 1;
    if (strncmp(text, begin, length))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return strncmp(text + length, "::", 2) ? 0 : length + 2;
}

const char *inlined_function_name(struct arena *arena, const char *name)
{
    if (!strstr(name, "_INTERNAL_"))
        return name;
    char *out = arena_string(arena, name, strlen(name)), *to = out;
    for (const char *from = name; *from;) {
        size_t skipped = file_namespace(from);
        if (skipped)
            from += skipped;
        else
            *to++ = *from++;
    }
    *to = 0;
    return out;
}

void inlined_keep(struct arena *arena, const struct rp_inlined_call *all, uint32_t count, struct rp_instruction *in,
                  uint32_t instruction_count, struct rp_kernel *k)
{
    uint32_t *number = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1), kept = 0;
    memset(number, 0, ((size_t)count + 1) * sizeof *number);
    for (uint32_t i = 0; i < instruction_count; i++)
        for (uint32_t c = in[i].inlined; c && !number[c]; c = all[c - 1].inlined)
            number[c] = 1;
    for (uint32_t c = 1; c <= count; c++)
        kept += number[c];
    struct rp_inlined_call *calls = ARENA_ARRAY(arena, struct rp_inlined_call, (size_t)kept + 1);
    kept = 0;
    for (uint32_t c = 1; c <= count; c++) {
        if (!number[c])
            continue;
        calls[kept] = all[c - 1];
        calls[kept].inlined = number[all[c - 1].inlined];
        number[c] = ++kept;
    }
    for (uint32_t i = 0; i < instruction_count; i++)
        in[i].inlined = number[in[i].inlined];
    k->inlined = calls;
    k->inlined_count = kept;
}
