#include "tools/info/san.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/trace_semantics.h"
#include "tools/lib/command.h"
#include "tools/lib/json.h"
#include "tools/lib/names.h"
#include "tools/ui/figure.h"

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static bool is_local(unsigned space)
{
    return space == RP_SPACE_LOCAL || space == RP_SPACE_SHARED || space == RP_SPACE_SHARED_CLUSTER;
}

static unsigned add_access(const struct rp_memory_operand *o, unsigned space, uint8_t *ids)
{
    unsigned load = is_local(space) ? SAN_LOCAL_LOAD : SAN_GLOBAL_LOAD;
    if (space == RP_SPACE_CONST || space == RP_SPACE_PARAM) {
        ids[0] = SAN_INTEGER;
        return 1;
    }
    switch (cache_kind_of(o)) {
    case CACHE_READ: ids[0] = (uint8_t)load; return 1;
    case CACHE_WRITE: ids[0] = (uint8_t)(load + 1); return 1;
    default:
        ids[0] = (uint8_t)load;
        ids[1] = (uint8_t)(load + 1);
        return 2;
    }
}

static unsigned add_accesses(const struct rp_launch *l, const struct rp_step *s, uint8_t ids[SAN_MOST])
{
    const struct rp_instruction *in = s->instruction;
    unsigned n = 0;
    uint32_t count = in->unit_class == RP_CLASS_TEXTURE ? 1 : in->memory_count;
    for (uint32_t m = 0; m < count && n + 2 <= SAN_MOST; m++) {
        uint64_t offset;
        unsigned space = in->memory[m].space;
        if (space == RP_SPACE_GENERIC)
            space = resolve_generic(l, s->accesses[m].base, &offset);
        n += add_access(&in->memory[m], space, ids + n);
    }
    return n;
}

static uint8_t id_of_class(const struct rp_instruction *in)
{
    switch (in->unit_class) {
    case RP_CLASS_FP16:
    case RP_CLASS_FP32:
    case RP_CLASS_FP32_DIV:
    case RP_CLASS_FP64:
    case RP_CLASS_FP64_DIV:
    case RP_CLASS_SFU:
    case RP_CLASS_CONVERT64:
    case RP_CLASS_TENSOR: return SAN_FLOAT;
    default: return is_block_barrier(in) ? SAN_BARRIER : SAN_INTEGER;
    }
}

unsigned san_ids(const struct rp_launch *l, const struct rp_step *s, uint8_t ids[SAN_MOST])
{
    if (is_plain_exit(s->instruction))
        return 0;
    if (s->instruction->memory_count && s->executed)
        return add_accesses(l, s, ids);
    ids[0] = id_of_class(s->instruction);
    return 1;
}

/* ---- one warp ---------------------------------------------------------------------------------------------------- */

/* What a warp did: a list of activities, each with the change in the number of live registers. The changes are 0 if the
 * kernel does not say which registers are live. */
struct marked {
    uint8_t id;
    int16_t change;
};
struct marking {
    struct marked *list;
    size_t count, room;
};

static bool add(struct marking *s, uint8_t id, int change)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 1024;
        struct marked *list = realloc(s->list, room * sizeof *list);
        if (!list)
            return false;
        s->list = list;
        s->room = room;
    }
    s->list[s->count++] = (struct marked){id, (int16_t)change};
    return true;
}

/* Reads what a warp did. The change of an instruction belongs to its last id. If the instruction has no id, the change
 * is added to the next id. The last id of a warp releases all registers that are still live. */
static bool read_warp(const struct rp_kernel *k, const struct rp_launch *l, struct rp_cursor *c, struct marking *s,
                      struct rp_error *err)
{
    struct rp_step step;
    int more, now = 0;
    s->count = 0;
    while ((more = rp_cursor_next(c, &step, err)) == 1) {
        uint8_t ids[SAN_MOST];
        unsigned n = san_ids(l, &step, ids);
        for (unsigned i = 0; i < n; i++) {
            int after = k->live && i + 1 == n ? k->live[step.index].after : now;
            if (!add(s, ids[i], after - now))
                return rp_fail(err, RP_SYSTEM, "out of memory for what a warp did");
            now = after;
        }
    }
    if (s->count)
        s->list[s->count - 1].change = (int16_t)(s->list[s->count - 1].change - now);
    return more == 0;
}

static bool same(const struct marking *a, const struct marking *b)
{
    for (size_t i = 0; a->count == b->count && i < a->count; i++)
        if (a->list[i].id != b->list[i].id || a->list[i].change != b->list[i].change)
            return false;
    return a->count == b->count;
}

/* ---- all warps of a launch; consecutive warps that did the same are one group -------------------------------------
 */

struct group {
    uint64_t block, count; /* of the first warp; warps */
    uint32_t warp;
};

struct walk {
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    struct marking last, next;
    struct group group;
    void (*print)(void *, const struct walk *);
    void *data;
};

static bool walk_warp(struct walk *w, struct rp_block *b, uint64_t block, uint32_t warp, struct rp_error *err)
{
    struct rp_cursor c;
    if (!rp_cursor_open(&c, b, warp, err))
        return false;
    bool fine = read_warp(w->kernel, w->launch, &c, &w->next, err);
    rp_cursor_close(&c);
    if (!fine)
        return false;
    if (w->group.count && same(&w->last, &w->next)) {
        w->group.count++;
        return true;
    }
    if (w->group.count)
        w->print(w->data, w);
    struct marking swap = w->last;
    w->last = w->next;
    w->next = swap;
    w->group = (struct group){block, 1, warp};
    return true;
}

static bool walk_launch(const struct san_request *r, uint32_t launch, void (*print)(void *, const struct walk *),
                        void *data, struct rp_error *err)
{
    struct walk w = {.launch = rp_trace_launch(r->trace, launch), .print = print, .data = data};
    uint64_t blocks = rp_trace_launch_totals(r->trace, launch).blocks;
    bool fine = true;
    w.kernel = rp_trace_kernel(r->trace, w.launch->kernel);
    for (uint64_t i = 0; fine && i < blocks; i++) {
        struct rp_block *b = rp_block_open(r->trace, launch, i, err);
        fine = b != NULL;
        for (uint32_t warp = 0; fine && warp < rp_block_warps(b); warp++)
            fine = walk_warp(&w, b, i, warp, err);
        if (b)
            rp_block_close(b);
    }
    if (fine && w.group.count)
        print(data, &w);
    free(w.last.list);
    free(w.next.list);
    return fine;
}

static bool chosen(const struct san_request *r, uint32_t launch) { return r->launch < 0 || r->launch == launch; }

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void print_group(void *unused, const struct walk *w)
{
    char block[FIGURE], count[FIGURE];
    (void)unused;
    printf("block %s, warp %" PRIu32 ": %s warp%s\n  [", figure(w->group.block, block), w->group.warp,
           figure(w->group.count, count), w->group.count == 1 ? "" : "s");
    for (size_t i = 0; i < w->last.count; i++)
        printf("%s%u", i ? ", " : "", w->last.list[i].id);
    puts("]");
    if (!w->kernel->live)
        return;
    fputs("  [", stdout);
    for (size_t i = 0; i < w->last.count; i++)
        printf(w->last.list[i].change ? "%s%+d" : "%s%d", i ? ", " : "", w->last.list[i].change);
    puts("]");
}

int san_print(const struct san_request *r)
{
    struct rp_error err;
    puts("0 local load, 1 local store, 2 global load, 3 global store, 4 integer, 5 float, 6 barrier; then registers");
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++) {
        char plain[PLAIN_NAME];
        if (!chosen(r, l))
            continue;
        printf("\nlaunch %" PRIu32 "  %s\n", l,
               plain_kernel_name(rp_trace_kernel(r->trace, rp_trace_launch(r->trace, l)->kernel)->name, plain));
        if (!walk_launch(r, l, print_group, NULL, &err))
            return command_fail(&err);
    }
    return RP_OK;
}

static void group_json(void *data, const struct walk *w)
{
    json_t *ids = json_array(), *changes = w->kernel->live ? json_array() : json_null();
    for (size_t i = 0; i < w->last.count; i++) {
        json_add(ids, json_integer(w->last.list[i].id));
        if (w->kernel->live)
            json_add(changes, json_integer(w->last.list[i].change));
    }
    json_part(data, NULL,
              json_pack("{s:o, s:o, s:o, s:o, s:o}", "block", json_number(w->group.block), "warp",
                        json_number(w->group.warp), "warps", json_number(w->group.count), "ids", ids, "registers",
                        changes));
}

static void no_group(void *unused, const struct walk *w)
{
    (void)unused;
    (void)w;
}

/* What may fail comes first, so that an error leaves no half of a document. */
int san_print_json(const struct san_request *r)
{
    struct json_stream s = {.name = "san"};
    struct rp_error err;
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++)
        if (chosen(r, l) && !walk_launch(r, l, no_group, NULL, &err))
            return command_fail(&err);
    json_document_open(&s);
    json_part(&s, "trace", json_pack("{s:o}", "file", json_text(r->file)));
    json_open(&s, "launches", '[');
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++) {
        if (!chosen(r, l))
            continue;
        json_open(&s, NULL, '{');
        json_part(&s, "launch", json_number(l));
        const char *symbol = rp_trace_kernel(r->trace, rp_trace_launch(r->trace, l)->kernel)->name;
        json_part(&s, "kernel", json_source_name(symbol));
        json_part(&s, "symbol", json_text(symbol));
        json_open(&s, "warps", '[');
        if (!walk_launch(r, l, group_json, &s, &err))
            return command_fail(&err);
        json_close(&s, ']');
        json_close(&s, '}');
    }
    json_close(&s, ']');
    json_close(&s, '}');
    return json_stream_end(&s);
}
