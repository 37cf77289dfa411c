/* What varies: axes of one or several keys, and every combination of their values. */
#ifndef REPRISE_TOOLS_VARIANTS_AXES_H
#define REPRISE_TOOLS_VARIANTS_AXES_H

#include <stddef.h>

#include "tracefmt/error.h"

#define MOST_KEYS 16     /* of all axes together */
#define MOST_POINTS 4096 /* of an axis */

#define VARIED_MACHINE "machine" /* the key that is no option of a machine, but which one it is */

/* One --vary: keys that change together, and for each point a value of each. */
struct axis {
    size_t first, keys;  /* columns of its keys among all */
    const char **values; /* points * keys */
    size_t points;
};

struct axes {
    struct axis list[MOST_KEYS];
    size_t count;
    const char *keys[MOST_KEYS]; /* of all axes in turn */
    size_t key_count;
    char **texts; /* what keys and values point to */
    size_t text_count;
};

/* Help on the forms of --vary, as far as all commands share them. */
#define AXES_HELP                                                                                                      \
    "with each of these values, or those of a range such as 1..4, 100..400:+100 or 32K..128K:x2; repeated: with "      \
    "every "                                                                                                           \
    "combination. 'KEY=A,B with KEY=A,B' and KEY,KEY=A,A:B,B change several keys together; machine=A,B replays on "    \
    "several machines. Slashes part the numbers of a list: 0.3/0.6/0.1,1/0/0. An option that only some models have "   \
    "varies where its part has it"

/* "KEY=A,B,C" with ranges (range.h); "KEY=A,B with KEY=A,B" or "KEY,KEY=A,A:B,B" for keys that change together. Errors
 * are RP_USAGE. */
bool axes_add(struct axes *, const char *text, struct rp_error *);
void axes_free(struct axes *);

/* How many combinations there are; 0 with RP_USAGE: more than `most`. */
size_t axes_variants(const struct axes *, size_t most, struct rp_error *);
/* The values of one of them, one per key; the last axis varies fastest. */
void axes_values(const struct axes *, size_t variant, const char *values[MOST_KEYS]);
/* The first machine among the values; NULL: the machine is not varied. */
const char *axes_machine(const struct axes *);
/* The number of a key that varies, also by another of its names; key_count: it does not vary. */
size_t axes_find(const struct axes *, const char *key);
static inline bool axes_have(const struct axes *a, const char *key) { return axes_find(a, key) < a->key_count; }

#endif
