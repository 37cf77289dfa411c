/* Prints hazards. */
#include <inttypes.h>
#include <stdio.h>

#include "tools/hazards/hazards.h"
#include "tools/lib/names.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"

enum { MOST_TEXT = 400 };

static void name_register(rp_register r, char text[16])
{
    static const char *const files[RP_FILE_COUNT] = {"R", "P", "UR", "UP", "CC"};
    snprintf(text, 16, "%s%u", files[rp_register_file(r)], rp_register_index(r));
}

/* What the second instruction does too early, and what is missing. */
static void describe(const struct rp_kernel *k, const struct hazard *h, char text[MOST_TEXT])
{
    static const char *const done[] = {
        [HAZARD_READ] = "reads", [HAZARD_OVERWRITE] = "overwrites", [HAZARD_OVERWRITE_SOURCE] = "overwrites"};
    const struct rp_instruction *first = &k->instructions[h->first];
    bool sources = h->kind == HAZARD_OVERWRITE_SOURCE;
    unsigned barrier = sources ? rp_control_read_barrier(first->control) : rp_control_write_barrier(first->control);
    char reg[16], missing[80];
    name_register(h->reg, reg);
    if (h->cycles)
        snprintf(missing, sizeof missing, "%" PRIu32 " cycle%s of stall counts %s missing", h->cycles,
                 rp_plural(h->cycles), h->cycles == 1 ? "is" : "are");
    else if (barrier < RP_CONTROL_BARRIERS)
        snprintf(missing, sizeof missing, "nothing between them waits for its barrier %u", barrier);
    else
        snprintf(missing, sizeof missing, "it sets no %s barrier that anything between them waits for",
                 sources ? "read" : "write");
    snprintf(text, MOST_TEXT, "%s %s before 0x%04" PRIx64 " %.80s has %s it: %s", done[h->kind], reg, first->pc,
             first->text, sources ? "read" : "written", missing);
}

void hazards_print(const struct rp_trace *t, const struct machine *m, const struct hazards *all)
{
    char number[2][FIGURE];
    if (!all->any) {
        printf("  control bits: none; PTX has none\n");
        return;
    }
    printf("  control bits on %s: %s hazard%s in %s executed instructions\n", m->name, figure(all->count, number[0]),
           rp_plural(all->count), figure(all->instructions, number[1]));
    for (size_t i = 0; i < all->count; i++) {
        const struct hazard *h = &all->items[i];
        const struct rp_kernel *k = rp_trace_kernel(t, h->kernel);
        const struct rp_instruction *in = &k->instructions[h->second];
        char text[MOST_TEXT], plain[PLAIN_NAME];
        describe(k, h, text);
        printf("  %s", plain_kernel_name(k->name, plain));
        if (in->line && in->file < k->file_count)
            printf(", %s:%" PRIu32, k->files[in->file], in->line);
        printf(": 0x%04" PRIx64 " %s %s (%s time%s, first in launch %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32
               ")\n",
               in->pc, in->text, text, figure(h->count, number[0]), rp_plural(h->count), h->launch, h->block, h->warp);
    }
}

json_t *hazards_json(const struct rp_trace *t, const struct hazards *all)
{
    static const char *const kinds[] = {[HAZARD_READ] = "read-after-write",
                                        [HAZARD_OVERWRITE] = "write-after-write",
                                        [HAZARD_OVERWRITE_SOURCE] = "write-after-read"};
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const struct hazard *h = &all->items[i];
        const struct rp_kernel *k = rp_trace_kernel(t, h->kernel);
        const struct rp_instruction *first = &k->instructions[h->first], *in = &k->instructions[h->second];
        char reg[16];
        name_register(h->reg, reg);
        json_t *o = json_pack("{s:s}", "kind", kinds[h->kind]);
        json_put_kernel(o, k->name);
        json_join(o, json_pack("{s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "register", reg, "pc",
                               json_number(in->pc), "text", in->text, "first_pc", json_number(first->pc), "first_text",
                               first->text, "missing_cycles", json_number(h->cycles), "times", json_number(h->count),
                               "launch", json_number(h->launch), "block", json_number(h->block), "warp",
                               json_number(h->warp)));
        if (in->line && in->file < k->file_count)
            json_join(o, json_pack("{s:s, s:o}", "file", k->files[in->file], "line", json_number(in->line)));
        json_add(list, o);
    }
    return list;
}
