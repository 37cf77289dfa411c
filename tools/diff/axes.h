/* The axes of reprise diff: each varies one or several keys; a variant is a combination of their values. */
#ifndef REPRISE_TOOLS_DIFF_AXES_H
#define REPRISE_TOOLS_DIFF_AXES_H

#include <stddef.h>

#include "tracefmt/error.h"

#define MOST_KEYS 16 /* of all axes together */
#define MOST_VARIANTS 4096

/* One --vary: keys that change together, with a value of each key for each point. */
struct axis {
    size_t first, keys;  /* the first of its keys in axes.keys, and their number */
    const char **values; /* points * keys */
    size_t points;
};

struct axes {
    struct axis list[MOST_KEYS];
    size_t count;
    const char *keys[MOST_KEYS]; /* of all axes in turn */
    size_t key_count;
    char *texts[MOST_KEYS * 2]; /* the texts to which values point */
    size_t text_count;
};

/* "KEY=A,B,C", with ranges "KEY=1..4", or "KEY,KEY=A,A:B,B" for keys that change together. Errors are RP_USAGE. */
bool axes_add(struct axes *, const char *text, struct rp_error *);
void axes_free(struct axes *);

/* The number of combinations; 0 with RP_USAGE: more than MOST_VARIANTS. */
size_t axes_variants(const struct axes *, struct rp_error *);
/* The values of one combination, one per key; the last axis varies fastest. */
void axes_values(const struct axes *, size_t variant, const char *values[MOST_KEYS]);

#endif
