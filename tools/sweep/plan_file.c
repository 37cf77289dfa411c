/* Plans as files: the options of the command line, by name, each with a text, a number, true, or a list of texts. */
#include <inttypes.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/config_text.h"
#include "tools/sweep/plan.h"
#include "tools/ui/nearest.h"

enum form { TEXTS, NUMBER, SWITCH };
static const struct {
    const char *name;
    enum form form;
} known[] = {
#define X(name, form) {#name, form},
    SWEEP_PLAN_OPTIONS(X)
#undef X
};
enum { KNOWN = sizeof known / sizeof *known };

static bool fail_at(const char *path, const config_setting_t *at, struct rp_error *err, const char *text)
{
    return rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", path, config_setting_source_line(at), text);
}

static bool add_text(struct sweep_plan *p, const char *option, const char *path, const config_setting_t *item,
                     struct rp_error *err)
{
    struct rp_error why;
    const char *text = config_setting_get_string(item);
    if (!text)
        return fail_at(path, item, err, "this is no text; write it in quotes");
    return sweep_plan_add(p, option, text, &why) || fail_at(path, item, err, why.text);
}

static bool add_texts(struct sweep_plan *p, const char *option, const char *path, const config_setting_t *item,
                      struct rp_error *err)
{
    if (!config_setting_is_list(item) && !config_setting_is_array(item))
        return add_text(p, option, path, item, err);
    for (int i = 0; i < config_setting_length(item); i++)
        if (!add_text(p, option, path, config_setting_get_elem(item, (unsigned)i), err))
            return false;
    return true;
}

static bool add_number(struct sweep_plan *p, const char *option, const char *path, const config_setting_t *item,
                       struct rp_error *err)
{
    char text[24];
    struct rp_error why;
    if (!config_setting_is_number(item) || config_setting_type(item) == CONFIG_TYPE_FLOAT)
        return fail_at(path, item, err, "this is no whole number");
    snprintf(text, sizeof text, "%" PRId64, (int64_t)config_setting_get_int64(item));
    return sweep_plan_add(p, option, text, &why) || fail_at(path, item, err, why.text);
}

static bool add_switch(struct sweep_plan *p, const char *option, const char *path, const config_setting_t *item,
                       struct rp_error *err)
{
    if (config_setting_type(item) != CONFIG_TYPE_BOOL)
        return fail_at(path, item, err, "this is neither true nor false");
    return !config_setting_get_bool(item) || sweep_plan_add(p, option, NULL, err);
}

static bool add_item(struct sweep_plan *p, const char *path, const config_setting_t *item, struct rp_error *err)
{
    static bool (*const add[])(struct sweep_plan *, const char *, const char *, const config_setting_t *,
                               struct rp_error *) = {add_texts, add_number, add_switch};
    const char *names[KNOWN], *name = config_setting_name(item);
    for (unsigned i = 0; i < KNOWN; i++) {
        if (!strcmp(known[i].name, name))
            return add[known[i].form](p, known[i].name, path, item, err);
        names[i] = known[i].name;
    }
    const char *near = nearest_name(name, names, KNOWN);
    return rp_fail(err, RP_BAD_INPUT, "%s:%d: a plan has no '%s'%s%s%s", path, config_setting_source_line(item), name,
                   near ? "; did you mean '"
                        : "; it has trace, machine, set, vary, exclude, launch, seed, sample, batches, "
                          "confidence, width, engine, launches and stalls",
                   near ? near : "", near ? "'?" : "");
}

static bool add_all(struct sweep_plan *p, const char *path, const config_t *config, struct rp_error *err)
{
    const config_setting_t *root = config_root_setting(config);
    for (int i = 0; i < config_setting_length(root); i++)
        if (!add_item(p, path, config_setting_get_elem(root, (unsigned)i), err))
            return false;
    return true;
}

bool sweep_plan_read(struct sweep_plan *p, const char *path, struct rp_error *err)
{
    size_t size;
    config_t config;
    char *text = config_text_read(path, &size, err);
    if (!text || !config_text_check(path, text, size, err)) {
        free(text);
        return false;
    }
    config_init(&config);
    bool fine = config_read_string(&config, text) ? add_all(p, path, &config, err)
                                                  : rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", path,
                                                            config_error_line(&config), config_error_text(&config));
    config_destroy(&config);
    free(text);
    return fine;
}
