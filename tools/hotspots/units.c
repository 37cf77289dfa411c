#include "tools/hotspots/units.h"

#include <inttypes.h>

#include "replay/base/trace_semantics.h"
#include "tools/ui/figure.h"

const char *share_name(enum share s)
{
    static const char *const names[] = {
#define X(id, name) name,
        SHARES(X)
#undef X
    };
    return names[s];
}

static bool is_access(const struct rp_instruction *in)
{
    return in->memory_count && in->memory[0].space != RP_SPACE_CONST && in->memory[0].space != RP_SPACE_PARAM;
}

/* The part of the machine that gets the instruction's own cycles: its issue, and those in which its unit was busy. */
static enum share own(const struct rp_instruction *in)
{
    if (!in)
        return SHARE_FRONT;
    if (is_block_barrier(in))
        return SHARE_BARRIER;
    return !is_access(in) ? SHARE_ALU : in->memory[0].space == RP_SPACE_SHARED ? SHARE_SHARED : SHARE_L1;
}

static enum share share_of_stall(enum stall why, enum share own)
{
    switch (why) {
    case STALL_BARRIER: return SHARE_BARRIER;
    case STALL_FENCE:
    case STALL_MEMORY: return SHARE_MEMORY;
    case STALL_SHARED: return SHARE_SHARED;
    case STALL_SCOREBOARD:
    case STALL_OPERANDS: return SHARE_ALU;
    case STALL_BANKS:
    case STALL_COLLECTOR:
    case STALL_RESULT_BUS:
    case STALL_UNIT: return own;
    case STALL_DRAIN: return SHARE_DRAIN;
    default: return SHARE_FRONT;
    }
}

static uint64_t level_cycles(const struct profile_row *r)
{
    uint64_t cycles = 0;
    for (unsigned l = 0; l < RESPONSE_LEVELS; l++)
        cycles += r->level[l];
    return cycles;
}

/* Moves the cycles that the row has by level. They are taken from the row's memory stalls, then from the instruction's
 * own cycles. */
static void move_levels(struct unit_shares *s, enum share own, const struct profile_row *r)
{
    static const enum share of[RESPONSE_LEVELS] = {SHARE_CONSTANT, SHARE_L1, SHARE_L2, SHARE_DRAM};
    const enum share from[] = {SHARE_MEMORY, own};
    uint64_t cycles = level_cycles(r);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t part = cycles < s->cycles[from[i]] ? cycles : s->cycles[from[i]];
        s->cycles[from[i]] -= part;
        cycles -= part;
    }
    for (unsigned l = 0; l < RESPONSE_LEVELS; l++)
        s->cycles[of[l]] += r->level[l];
}

void unit_shares_add(struct unit_shares *to, const struct hotspots *h, const struct rp_instruction *in,
                     const struct profile_row *r)
{
    struct unit_shares s = {{0}};
    enum share mine = own(in);
    /* One-at-a-time: the level that was sampled has all cycles of an access. Other cycles are those of false guards. */
    if (h->one_at_a_time && in && is_access(in) && (level_cycles(r) || !r->threads))
        mine = SHARE_ALU;
    s.cycles[mine] += r->issue_cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        s.cycles[share_of_stall((enum stall)i, mine)] += r->stall[i];
    move_levels(&s, mine, r);
    for (unsigned i = 0; i < SHARE_COUNT; i++)
        to->cycles[i] += s.cycles[i];
}

struct unit_shares unit_shares_of(const struct hotspots *h)
{
    struct unit_shares s = {{0}};
    for (size_t i = 0; i < h->places->count; i++)
        unit_shares_add(&s, h, h->places->list[i].instruction, &h->rows[i]);
    s.cycles[SHARE_IDLE] += h->idle;
    return s;
}

/* The sum of all shares. It exceeds cycles x sub-cores if the cycles are a mean over processors that was rounded down.
 */
static uint64_t sum_of(const struct unit_shares *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SHARE_COUNT; i++)
        sum += s->cycles[i];
    return sum;
}

static double percent(uint64_t part, uint64_t all) { return all ? 100 * (double)part / (double)all : 0; }

void unit_shares_print(const struct hotspots *h)
{
    struct unit_shares s = unit_shares_of(h);
    uint64_t all = sum_of(&s);
    struct table *t = table_new("lrrr");
    const char *const heading[] = {"unit", "sub-core cycles", "share", "without idle"};
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (unsigned i = 0; i < SHARE_COUNT; i++) {
        if (!s.cycles[i])
            continue;
        table_cell(t, "%s", share_name((enum share)i));
        table_number(t, s.cycles[i]);
        table_cell(t, "%.2f %%", percent(s.cycles[i], all));
        if (i == SHARE_IDLE)
            table_cell(t, "-");
        else
            table_cell(t, "%.2f %%", percent(s.cycles[i], all - h->idle));
    }
    table_cell(t, "all");
    table_number(t, all);
    table_cell(t, "%.2f %%", percent(all, all));
    table_cell(t, "%.2f %%", percent(all - h->idle, all - h->idle));
    table_print(t, stdout);
}

void unit_shares_print_csv(const struct hotspots *h, const struct csv_origin *origin)
{
    static const char *const heading[] = {"unit", "subcore_cycles", "share", "busy_share"};
    struct unit_shares s = unit_shares_of(h);
    uint64_t all = sum_of(&s);
    struct table *t = table_new("llllll");
    if (origin->heading)
        csv_origin_heading(t);
    for (size_t i = 0; origin->heading && i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (unsigned i = 0; i < SHARE_COUNT; i++) {
        csv_origin_cells(t, origin);
        table_cell(t, "%s", share_name((enum share)i));
        table_cell(t, "%" PRIu64, s.cycles[i]);
        table_cell(t, "%.6f", percent(s.cycles[i], all) / 100);
        table_cell(t, "%.6f", i == SHARE_IDLE ? 0 : percent(s.cycles[i], all - h->idle) / 100);
    }
    table_print_csv(t, stdout);
}

json_t *unit_shares_json(const struct hotspots *h)
{
    struct unit_shares s = unit_shares_of(h);
    uint64_t all = sum_of(&s);
    json_t *list = json_array();
    for (unsigned i = 0; i < SHARE_COUNT; i++)
        json_add(list, json_pack("{s:s, s:o, s:f, s:f}", "unit", share_name((enum share)i), "subcore_cycles",
                                 json_number(s.cycles[i]), "share", percent(s.cycles[i], all) / 100, "busy_share",
                                 i == SHARE_IDLE ? 0.0 : percent(s.cycles[i], all - h->idle) / 100));
    return list;
}
