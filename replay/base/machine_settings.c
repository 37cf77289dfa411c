/* Machine files: libconfig text to flat settings. */
#include "replay/base/machine_settings.h"

#include <ctype.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/config_text.h"

#define LONGEST_KEY 128
#define DEEPEST 4

static bool settings_room(struct settings *s, size_t more, struct rp_error *err)
{
    size_t capacity = s->capacity ? s->capacity : 128;
    while (capacity < s->count + more)
        capacity *= 2;
    struct setting *items = capacity > s->capacity ? realloc(s->items, capacity * sizeof *items) : s->items;
    if (!items)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", s->file);
    s->items = items;
    s->capacity = capacity;
    return true;
}

bool settings_add(struct settings *s, const char *key, const char *value, int line, struct rp_error *err)
{
    if (!settings_room(s, 1, err))
        return false;
    struct setting item = {
        .key = strdup(key), .value = strdup(value), .file = s->file, .line = line, .level = s->level};
    if (!item.key || !item.value) {
        free(item.key);
        free(item.value);
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", s->file);
    }
    s->items[s->count++] = item;
    return true;
}

void settings_free(struct settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].key);
        free(s->items[i].value);
        free(s->items[i].typed);
    }
    free(s->items);
    for (size_t i = 0; i < s->path_count; i++)
        free(s->paths[i]);
    *s = (struct settings){0};
}

bool settings_take(struct settings *s, const char *key, struct setting *item)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].key, key))
            continue;
        *item = s->items[i];
        memmove(&s->items[i], &s->items[i + 1], (--s->count - i) * sizeof *s->items);
        return true;
    }
    return false;
}

bool settings_move(struct settings *to, struct settings *from, struct rp_error *err)
{
    if (!settings_room(to, from->count, err))
        return false;
    if (from->count)
        memcpy(to->items + to->count, from->items, from->count * sizeof *from->items);
    to->count += from->count;
    from->count = 0;
    return true;
}

int settings_level(const struct settings *s, const char *key)
{
    int level = -1;
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->items[i].key, key) && (int)s->items[i].level > level)
            level = (int)s->items[i].level;
    return level;
}

bool settings_fail(const char *place, bool set, const char *text, struct rp_error *err)
{
    char line[800];
    snprintf(line, sizeof line, "%s%s", place, text);
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?'; /* a value may hold anything, a message is one line */
    return rp_fail(err, set ? RP_USAGE : RP_BAD_INPUT, "%s", line);
}

void settings_place(const struct setting *item, char *out, size_t size)
{
    if (item->line)
        snprintf(out, size, "%s:%d: ", item->file, item->line);
    else
        snprintf(out, size, "%s %s=%s: ", item->option, item->typed ? item->typed : item->key, item->value);
}

/* A number, a truth value or a string as text; NULL: it is none. For a fraction this is the shortest decimal that gives
 * the same double. Up to 15 digits the file has the same decimal. */
static const char *scalar_text(const config_setting_t *c, char number[40])
{
    switch (config_setting_type(c)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64: snprintf(number, 40, "%lld", config_setting_get_int64(c)); return number;
    case CONFIG_TYPE_BOOL: return config_setting_get_bool(c) ? "true" : "false";
    case CONFIG_TYPE_STRING: return config_setting_get_string(c);
    case CONFIG_TYPE_FLOAT:
        snprintf(number, 40, "%.15g", config_setting_get_float(c));
        if (strtod(number, NULL) != config_setting_get_float(c))
            snprintf(number, 40, "%.17g", config_setting_get_float(c));
        return number;
    default: return NULL;
    }
}

/* The elements with commas between them. */
static bool add_list(struct settings *s, const config_setting_t *list, const char *key, int line, struct rp_error *err)
{
    char number[40], *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool scalars = true;
    for (int i = 0; to && i < config_setting_length(list); i++) {
        const char *element = scalar_text(config_setting_get_elem(list, (unsigned)i), number);
        scalars = scalars && element;
        fprintf(to, "%s%s", i ? "," : "", element ? element : "");
    }
    bool written = to && !ferror(to);
    written = (!to || !fclose(to)) && written;
    bool fine = !written   ? rp_fail(err, RP_SYSTEM, "%s: out of memory", s->file)
                : !scalars ? rp_fail(err, RP_BAD_INPUT, "%s:%d: %s: lists may hold numbers only", s->file, line, key)
                           : settings_add(s, key, text, line, err);
    free(text);
    return fine;
}

static bool add_value(struct settings *s, const config_setting_t *c, const char *key, struct rp_error *err)
{
    char number[40];
    int line = (int)config_setting_source_line(c);
    const char *text = scalar_text(c, number);
    return text ? settings_add(s, key, text, line, err) : add_list(s, c, key, line, err);
}

static bool add_group(struct settings *s, const config_setting_t *group, const char *prefix, int depth,
                      struct rp_error *err)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *c = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(c);
        int line = (int)config_setting_source_line(c);
        char key[LONGEST_KEY];
        int n = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", name);
        if (n < 0 || (size_t)n >= sizeof key || depth > DEEPEST)
            return rp_fail(err, RP_BAD_INPUT, "%s:%d: '%.60s...' is nested too deeply", s->file, line, key);
        bool fine = config_setting_is_group(c) ? add_group(s, c, key, depth + 1, err) : add_value(s, c, key, err);
        if (!fine)
            return false;
    }
    return true;
}

bool settings_parse(struct settings *s, const char *text, size_t size, struct rp_error *err)
{
    if (!config_text_check(s->file, text, size, err))
        return false;
    config_t config;
    config_init(&config);
    bool fine = config_read_string(&config, text);
    if (fine)
        fine = add_group(s, config_root_setting(&config), "", 0, err);
    else
        rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", s->file, config_error_line(&config), config_error_text(&config));
    config_destroy(&config);
    return fine;
}
