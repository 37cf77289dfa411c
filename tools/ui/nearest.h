/* Suggests names for misspelt ones: "unknown machine 'jetson-tx'; did you mean 'jetson-tx2'?" */
#ifndef REPRISE_TOOLS_UI_NEAREST_H
#define REPRISE_TOOLS_UI_NEAREST_H

#include <stddef.h>

/* The name with the smallest edit distance to `word`; NULL: none is near enough. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
