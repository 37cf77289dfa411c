#include "tools/variants/variant.h"

#include <string.h>

void variant_settings(struct machine_args *base, const struct axes *axes, const char *const values[MOST_KEYS],
                      struct machine_setting settings[MOST_KEYS], size_t place[MOST_KEYS], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < axes->key_count; i++) {
        if (!values[i])
            continue;
        if (!strcmp(axes->keys[i], VARIED_MACHINE)) {
            base->machine = values[i];
            continue;
        }
        place[*count] = i;
        settings[(*count)++] = (struct machine_setting){axes->keys[i], values[i]};
    }
}

bool variant_open(const struct machine_args *base, const struct axes *axes, size_t number,
                  const char *values[MOST_KEYS], struct machine **opened, struct rp_error *why, struct rp_error *err)
{
    struct machine_args machine = *base;
    struct machine_setting settings[MOST_KEYS];
    bool left_out[2 * MOST_SETTINGS] = {false}, inconsistent = false;
    size_t place[MOST_KEYS], set;
    axes_values(axes, number, values);
    variant_settings(&machine, axes, values, settings, place, &set);
    machine.left_out = left_out;
    machine.inconsistent = &inconsistent;
    *opened = machine_args_open(&machine, settings, set, why);
    if (!*opened && !inconsistent) {
        *err = *why;
        return false;
    }
    for (size_t i = 0; i < set; i++)
        if (left_out[machine.late + i])
            values[place[i]] = NULL;
    return true;
}

void variant_base(struct machine_args *base, const struct axes *axes)
{
    base->late_option = "--vary";
    base->late = base->count;
    base->machine_varies = axes_have(axes, VARIED_MACHINE);
    for (size_t i = 0; i < axes->count; i++) {
        const struct axis *axis = &axes->list[i];
        if (axis->keys == 1 && !strcmp(axes->keys[axis->first], "scheduler")) {
            base->schedulers = axis->values;
            base->scheduler_count = axis->points;
        }
    }
}
