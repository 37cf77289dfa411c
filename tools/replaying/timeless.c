#include "tools/replaying/timeless.h"

#include <stdio.h>
#include <string.h>

#include "hw-models/instruction-cache/instruction-cache.h"
#include "hw-models/tlb/tlb.h"

#define TEXT 400

static void say(char text[TEXT], const char *separator, const char *part, const char *key)
{
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s%s.%s", *text ? separator : "", part, key);
}

/* Appends the latencies of the part's model to the text. False: one of them is not 0. */
static bool latencies_are_0(const struct machine_part *part, const char *key, char text[TEXT])
{
    bool all = true;
    for (unsigned i = 0; i < part->model->option_count; i++) {
        const char *option = part->model->options[i].key, *last = strrchr(option, '.');
        if (strcmp(last ? last + 1 : option, "latency"))
            continue;
        all &= part->options[i] == 0;
        say(text, ", ", key, option);
    }
    return all;
}

static bool is_timeless_cache(const struct machine_part *part, const char *key, char text[TEXT])
{
    return ((const struct instruction_cache_model *)part->model)->keeps && latencies_are_0(part, key, text);
}

static bool is_timeless_tlb(const struct machine *m, char text[TEXT])
{
    bool shared = ((const struct tlb_model *)m->l2_tlb.model)->keeps;
    if (!((const struct tlb_model *)m->tlb.model)->keeps || m->tlb_walk || !latencies_are_0(&m->tlb, "tlb", text))
        return false;
    say(text, ", ", "tlb", "walk");
    return !shared || latencies_are_0(&m->l2_tlb, "l2_tlb", text);
}

void timeless_warn(const struct machine *m, unsigned *told)
{
    enum { PARTS = 3 };
    static const char *const parts[PARTS] = {"icache", "constants", "tlb"};
    char options[PARTS][TEXT] = {"", "", ""};
    const bool timeless[PARTS] = {is_timeless_cache(&m->icache, "icache", options[0]),
                                  is_timeless_cache(&m->constants, "constants", options[1]),
                                  is_timeless_tlb(m, options[2])};
    bool any = false;
    for (unsigned i = 0; i < PARTS; i++) {
        if (!timeless[i] || (*told & 1u << i))
            continue;
        fprintf(stderr, "%s %s (set %s)",
                any ? "," : "reprise: warning: these parts take no time, so they change no cycles:", parts[i],
                options[i]);
        *told |= 1u << i;
        any = true;
    }
    if (any)
        fputc('\n', stderr);
}
