/* "unknown machine 'jetson-tx'; did you mean 'jetson-tx2'?" */
#ifndef REPRISE_TOOLS_UI_NEAREST_H
#define REPRISE_TOOLS_UI_NEAREST_H

#include <stddef.h>

/* The name among `count` that is nearest to `word` by edit distance, or NULL if none is near enough to be meant. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
