#include "tools/ui/style.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool style_terminal(FILE *to)
{
    const char *term = getenv("TERM");
    return isatty(fileno(to)) && term && *term && strcmp(term, "dumb");
}

const char *style(FILE *to, enum style which)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[1;31m"};
    const char *none = getenv("NO_COLOR"); /* no-color.org: any value that is not empty */
    return (none && *none) || !style_terminal(to) ? "" : codes[which];
}
