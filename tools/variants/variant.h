/* One combination of the values of axes: the machine that has them. */
#ifndef REPRISE_TOOLS_VARIANTS_VARIANT_H
#define REPRISE_TOOLS_VARIANTS_VARIANT_H

#include "tools/replaying/replaying.h"
#include "tools/variants/axes.h"

/* The base with the axes' values as settings; values[i] NULL is none. *count of them are in `settings`, and place[i] is
 * the column of each. The machine's name becomes that of the base. */
void variant_settings(struct machine_args *base, const struct axes *, const char *const values[MOST_KEYS],
                      struct machine_setting settings[MOST_KEYS], size_t place[MOST_KEYS], size_t *count);

/* Opens the machine of combination `number`, and sets values[i] to NULL where the part has no such option in this
 * combination. *machine NULL: these values do not go together, and *why says so. False: a value is wrong in itself. The
 * base has its late_option and late. */
bool variant_open(const struct machine_args *base, const struct axes *, size_t number, const char *values[MOST_KEYS],
                  struct machine **machine, struct rp_error *why, struct rp_error *);

/* What the base needs so that axes may vary it: settings before them are --set's, and those of each scheduler that
 * varies may be given; where the machine varies, its own models count as values that do. */
void variant_base(struct machine_args *base, const struct axes *);

#endif
