#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/replaying/shares.h"

/* Opens the machine of a variant. If its values do not fit together, the variant stays, with the reason. False: a value
 * is wrong in any variant. */
static bool make_variant(struct diff *d, size_t number, struct diff_variant *v, struct rp_error *err)
{
    return variant_open(&d->args->machine, &d->args->axes, number, v->values, &v->machine, &v->error, err);
}

static bool same_values(const struct diff_variant *a, const struct diff_variant *b, size_t keys)
{
    for (size_t i = 0; i < keys; i++)
        if (!a->values[i] != !b->values[i] || (a->values[i] && strcmp(a->values[i], b->values[i])))
            return false;
    return true;
}

/* Whether an earlier variant has the same values. The value of an option that a variant does not have is NULL. */
static bool made_before(const struct diff *d, const struct diff_variant *v)
{
    for (size_t i = 0; i < d->count; i++)
        if (same_values(&d->variants[i], v, d->args->axes.key_count))
            return true;
    return false;
}

/* Opens a variant's machine again, with the probabilities for which memory.from asks. */
static bool resolve_shares(struct diff *d, struct diff_variant *v, struct rp_error *err)
{
    struct machine_setting settings[MOST_KEYS];
    struct machine_args machine = d->args->machine;
    struct shares shares;
    size_t set, place[MOST_KEYS];
    variant_settings(&machine, &d->args->axes, v->values, settings, place, &set);
    struct machine *m =
        shares_machine_open(&machine, settings, set, d->trace, d->args->launch, d->args->threads, &shares, err);
    if (!m)
        return false;
    machine_free(v->machine);
    v->machine = m;
    return true;
}

bool diff_resolve_shares(struct diff *d, struct rp_error *err)
{
    for (struct diff_variant *v = d->variants; v < d->variants + d->count; v++)
        if (v->machine && *machine_samples_from(v->machine) && !resolve_shares(d, v, err))
            return false;
    return true;
}

bool diff_make_variants(struct diff *d, struct rp_error *err)
{
    size_t all = axes_variants(&d->args->axes, MOST_VARIANTS, err);
    d->variants = all ? calloc(all, sizeof *d->variants) : NULL;
    if (!d->variants)
        return all ? rp_fail(err, RP_SYSTEM, "out of memory for the variants") : false;
    for (size_t n = 0; n < all; n++) {
        struct diff_variant v = {0};
        if (!make_variant(d, n, &v, err))
            return false;
        if (made_before(d, &v))
            machine_free(v.machine);
        else
            d->variants[d->count++] = v;
    }
    return true;
}

/* Whether the variant has the values of "key=a,key=b". */
static bool has_values(const struct diff *d, const struct diff_variant *v, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, ",");
        bool found = false;
        for (size_t i = 0; i < d->args->axes.key_count && !found; i++) {
            char one[256];
            int length = v->values[i] ? snprintf(one, sizeof one, "%s=%s", d->args->axes.keys[i], v->values[i]) : 0;
            found = length > 0 && (size_t)length == n && !memcmp(one, text, n);
        }
        if (!found)
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

/* After the replays: ratios need a variant that ran. */
bool diff_find_baseline(struct diff *d, struct rp_error *err)
{
    const char *wanted = d->args->baseline ? d->args->baseline : "";
    size_t v = 0;
    while (v < d->count && !(has_values(d, &d->variants[v], wanted) && (*wanted || d->variants[v].fine)))
        v++;
    if (v == d->count && *wanted)
        return rp_fail(err, RP_USAGE, "--baseline %s: no variant has these values; write KEY=VALUE of what is varied",
                       wanted);
    d->baseline = v == d->count ? 0 : v;
    if (!d->variants[d->baseline].fine)
        *err = d->variants[d->baseline].error;
    return d->variants[d->baseline].fine;
}
