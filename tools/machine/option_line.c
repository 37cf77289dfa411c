#include "tools/machine/option_line.h"

#include <stdio.h>
#include <string.h>

bool option_line_next(const char **text, struct option_line *line)
{
    const char *equals = strstr(*text, " = ");
    if (!equals)
        return false;
    const char *value = equals + 3;
    size_t length = strcspn(value, "\n");
    snprintf(line->key, sizeof line->key, "%.*s", (int)(equals - *text), *text);
    snprintf(line->value, sizeof line->value, "%.*s", (int)length, value);
    *text = value + length + (value[length] == '\n');
    return true;
}
