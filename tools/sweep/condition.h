/* Which variants a sweep leaves out: "l1.size>64K and scheduler=lrr". */
#ifndef REPRISE_TOOLS_SWEEP_CONDITION_H
#define REPRISE_TOOLS_SWEEP_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/variants/axes.h"

#define CONDITION_TRACE "trace" /* the key that is the trace's name as given */

/* KEY OP VALUE, or KEY OP KEY. */
struct condition_term {
    const char *left, *right;
    const char *compare; /* one of = != < <= > >= */
};
/* All terms hold. */
struct condition {
    char *text, *copy; /* as given; what terms point to */
    struct condition_term *terms;
    size_t count;
};
struct conditions {
    struct condition *list;
    size_t count;
    const char *machine; /* of variants that do not say which: there is only one */
    char *const *traces; /* of the sweep */
    size_t trace_count;
};

/* Errors are RP_USAGE. */
bool conditions_add(struct conditions *, const char *text, struct rp_error *);
void conditions_free(struct conditions *);
/* Once all axes are known: every key on the left is one that varies, "machine" or "trace", what < and > compare
 * with is a number, or such a key, and every term holds for some value of its key, or for some
 * values that its two keys have together; no key is compared with itself. */
bool conditions_check(const struct conditions *, const struct axes *, struct rp_error *);
/* Whether one of the conditions holds. Values compare as numbers where both are such, perhaps with K, M or G. One that
 * is NULL fulfils no term. */
bool conditions_hold(const struct conditions *, const struct axes *, const char *const values[MOST_KEYS],
                     const char *trace);
bool conditions_ask_for_trace(const struct conditions *);

#endif
