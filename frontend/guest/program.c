#include "frontend/guest/program.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/guest/lanes.h"
#include "frontend/guest/order.h"
#include "frontend/guest/places.h"
#include "frontend/module/cubin.h"
#include "frontend/operation/flags.h"

/* ---- for instruction sets -----------------------------------------------------------------------------------------
 */

struct operand guest_constant(struct guest_build *b, uint32_t value)
{
    return value ? constants_equal(&b->constants, b->arena, value, 4) : OPERAND_NONE;
}

struct operand guest_temporary(unsigned n) { return GUEST_REGISTER(32 + n); }

void guest_emit(struct guest_build *b, struct operation o)
{
    o.index = b->instructions.count;
    if (!b->operations.count || b->operations.at[b->operations.count - 1].index != o.index)
        o.flags |= UF_FIRST;
    if (o.kind == UOP_BRANCH && !o.reconverge)
        o.reconverge = UOP_NOWHERE;
    if (o.kind == UOP_LANE && !o.fn)
        operation_bind(&o);
    VECTOR_PUSH(b->arena, &b->operations, o);
}

/* ---- finding code --------------------------------------------------------------------------------------------------
 */

/* A branch whose way on is not the next uop. */
struct guest_way_on {
    uint32_t operation, address;
};

struct guest_translation {
    const struct guest *guest;
    struct guest_program *program;
    struct guest_build build;
    VECTOR(struct guest_way_on) ways_on;
};

/* Whether a branch has another way than to its target. */
static bool guest_may_go_on(const struct operation *o)
{
    return o->kind == UOP_BRANCH && (o->compare != CMP_TRUE || is_register(o->guard));
}

/* The instruction translated last goes on at an address whose uop is not the next one. */
static void guest_continue_at(struct guest_translation *t, uint32_t address)
{
    struct guest_build *b = &t->build;
    address |= b->is_short;
    const uint32_t last = b->operations.count - 1, index = b->operations.at[last].index;
    const uint8_t kind = b->operations.at[last].kind;
    for (uint32_t i = last + 1; i-- > 0 && b->operations.at[i].index == index;)
        if (guest_may_go_on(&b->operations.at[i]))
            VECTOR_PUSH(b->arena, &t->ways_on, ((struct guest_way_on){i, address}));
    if (kind == UOP_BRANCH || (kind == UOP_BRANCH_TABLE && !is_register(b->operations.at[last].guard)))
        return;
    b->instructions.count--;
    guest_emit(b, (struct operation){.kind = UOP_BRANCH, .compare = CMP_TRUE, .target = address});
    b->instructions.count++;
}

/* What begins at pc is no instruction: whoever comes there is told so. Returns its length. */
static uint32_t guest_add_unknown(struct guest_translation *t, const uint8_t *bytes, uint32_t available)
{
    struct guest_build *b = &t->build;
    char text[128];
    const uint32_t length = t->guest->isa->unknown(bytes, available, b->is_short, text, sizeof text);
    struct rp_instruction in = {.pc = b->pc,
                                .raw = bytes,
                                .raw_size = (uint8_t)(length < available ? length : available),
                                .text = arena_string(b->arena, text, strlen(text)),
                                .unit_class = RP_CLASS_CONTROL};
    t->program->at[b->pc - t->program->low + b->is_short] = b->operations.count + 1;
    guest_emit(b, (struct operation){.kind = UOP_TRAP, .imm = GUEST_TRAP_UNKNOWN});
    VECTOR_PUSH(b->arena, &b->instructions, in);
    return in.raw_size;
}

/* Translates from `from` on, up to `end` or to an instruction that has been translated. */
static void guest_sweep(struct guest_translation *t, const struct guest_code *c, uint32_t from, uint32_t end)
{
    struct guest_program *p = t->program;
    struct guest_build *b = &t->build;
    const uint32_t step = t->guest->isa->interworks && !b->is_short ? 4 : t->guest->isa->alignment;
    uint32_t pc = (from + step - 1) & ~(step - 1);
    bool goes_on = false;
    b->code = c;
    b->end = end;
    b->ahead = 0;
    b->state = NULL;
    while (pc < end && !p->at[pc - p->low + b->is_short]) {
        b->pc = pc;
        b->first = b->operations.count;
        const uint8_t *bytes = c->bytes + (pc - c->low);
        const unsigned length = t->guest->isa->translate(b, bytes, c->high - pc);
        if (length)
            p->at[pc - p->low + b->is_short] = b->first + 1;
        else if (goes_on)
            guest_continue_at(t, pc);
        goes_on = length;
        pc += length ? length : guest_add_unknown(t, bytes, c->high - pc);
    }
    const bool in_a_row = pc == end && !t->guest->isa->interworks; /* the next sweep begins there */
    if (goes_on && (!in_a_row || pc >= c->high || p->at[pc - p->low + b->is_short]))
        guest_continue_at(t, pc);
}

/* The parts of a piece of code that have one encoding. */
static void guest_sweep_encodings(struct guest_translation *t, const struct guest_code *c, uint32_t from, uint32_t end)
{
    const struct guest *g = t->guest;
    uint8_t encoding = g->isa->interworks && g->entry & 1 ? GUEST_SHORT : GUEST_LONG;
    for (uint32_t i = 0; i <= g->mark_count; i++) {
        const uint32_t at = i < g->mark_count ? g->marks[i].address : UINT32_MAX, until = at < end ? at : end;
        t->build.is_short = encoding == GUEST_SHORT;
        if (encoding != GUEST_DATA && from < until)
            guest_sweep(t, c, from, until);
        from = at > from ? at : from;
        encoding = i < g->mark_count ? g->marks[i].encoding : encoding;
    }
}

/* From the entry point, from where code begins, and from each function's symbol to the next one. */
static void guest_sweep_code(struct guest_translation *t, const struct guest_code *c)
{
    const struct guest *g = t->guest;
    const uint32_t entry = g->entry & ~(uint32_t)(g->isa->alignment - 1);
    uint32_t from = c->low;
    if (g->isa->interworks) {
        guest_sweep_encodings(t, c, c->low, c->high);
        return;
    }
    for (uint32_t i = 0; i < g->symbol_count; i++) {
        const struct guest_symbol *f = &g->symbols[i];
        if (!f->function || f->address <= from || f->address >= c->high)
            continue;
        guest_sweep(t, c, from, f->address);
        from = f->address;
    }
    guest_sweep(t, c, from, c->high);
    if (entry >= c->low && entry < c->high)
        guest_sweep(t, c, entry, c->high);
}

/* What branches name and nobody has come to yet: within other instructions, or behind data. */
static void guest_sweep_targets(struct guest_translation *t)
{
    const struct guest *g = t->guest;
    const struct guest_program *p = t->program;
    for (uint32_t i = 0; i < t->build.operations.count; i++) {
        const struct operation *o = &t->build.operations.at[i];
        if (o->kind != UOP_BRANCH || guest_uop_at(p, o->target) != UOP_NOWHERE)
            continue;
        const uint32_t target = o->target;
        for (uint32_t k = 0; k < g->code_count; k++)
            if (target >= g->code[k].low && target < g->code[k].high)
                guest_sweep(t, &g->code[k], target, g->code[k].high);
    }
}

static bool guest_is_in_code(const struct guest *g, uint32_t address)
{
    for (uint32_t i = 0; i < g->code_count; i++)
        if (address >= g->code[i].low && address < g->code[i].high)
            return true;
    return false;
}

/* Where code goes on, but no instruction begins: data, or code in the other encoding. */
static void guest_add_trap_at(struct guest_translation *t, uint32_t address)
{
    struct guest_program *p = t->program;
    struct guest_build *b = &t->build;
    const struct rp_instruction none = {.pc = t->guest->isa->interworks ? address & ~1u : address,
                                        .text = "data, or the inside of an instruction, is executed",
                                        .unit_class = RP_CLASS_CONTROL};
    if (guest_uop_at(p, address) != UOP_NOWHERE || !guest_is_in_code(t->guest, address))
        return;
    p->at[address - p->low] = b->operations.count + 1;
    guest_emit(b, (struct operation){.kind = UOP_TRAP, .imm = GUEST_TRAP_UNKNOWN});
    VECTOR_PUSH(b->arena, &b->instructions, none);
}

static void guest_add_traps(struct guest_translation *t)
{
    for (uint32_t i = 0; i < t->build.operations.count; i++)
        if (t->build.operations.at[i].kind == UOP_BRANCH)
            guest_add_trap_at(t, t->build.operations.at[i].target);
    for (uint32_t i = 0; i < t->ways_on.count; i++)
        guest_add_trap_at(t, t->ways_on.at[i].address);
}

/* ---- the table -----------------------------------------------------------------------------------------------------
 */

/* Adds the two other instructions of each environment call. */
static void guest_add_variants(struct guest_translation *t)
{
    struct guest_build *b = &t->build;
    struct guest_program *p = t->program;
    p->code_count = b->instructions.count;
    p->variants = ARENA_ARRAY(b->arena, uint32_t, p->code_count + 1);
    for (uint32_t i = 0; i < b->operations.count; i++) {
        const struct operation *o = &b->operations.at[i];
        if (o->kind != UOP_HOST_CALL)
            continue;
        struct rp_instruction barrier = b->instructions.at[o->index], end = barrier;
        barrier.text = arena_printf(b->arena, "%s (barrier)", barrier.text);
        barrier.unit_class = RP_CLASS_BARRIER;
        barrier.barrier = (struct rp_barrier){.kind = RP_BARRIER_SYNC};
        end.text = arena_printf(b->arena, "%s (exit)", end.text);
        end.flags |= RP_EXIT;
        p->variants[o->index] = b->instructions.count;
        VECTOR_PUSH(b->arena, &b->instructions, barrier);
        VECTOR_PUSH(b->arena, &b->instructions, end);
    }
    p->instructions = b->instructions.at;
    p->instruction_count = b->instructions.count;
}

/* Source lines, where the file has them. */
static void guest_add_lines(struct guest_translation *t)
{
    struct guest_build *b = &t->build;
    for (uint32_t i = 0; i < b->instructions.count; i++) {
        struct rp_instruction *in = &b->instructions.at[i];
        const struct cubin_line *l = guest_line(t->guest, (uint32_t)in->pc);
        in->file = l ? l->file : 0;
        in->line = l ? l->line : 0;
    }
}

/* ---- uops ----------------------------------------------------------------------------------------------------------
 */

/* The uop at an address to which operation `from` leads: where there is no code, one of its own that says so. */
static uint32_t guest_uop_for(struct guest_translation *t, uint32_t from, uint32_t address)
{
    struct guest_build *b = &t->build;
    const uint32_t at = guest_uop_at(t->program, address);
    if (at != UOP_NOWHERE)
        return at;
    const struct operation o = {.kind = UOP_TRAP,
                                .imm = GUEST_TRAP_OUTSIDE,
                                .index = b->operations.at[from].index,
                                .target = address,
                                .flags = UF_FIRST};
    VECTOR_PUSH(b->arena, &b->operations, o);
    return b->operations.count - 1;
}

/* From addresses to numbers of uops. */
static void guest_resolve(struct guest_translation *t)
{
    struct guest_build *b = &t->build;
    const uint32_t count = b->operations.count;
    for (uint32_t i = 0; i < count; i++) {
        if (b->operations.at[i].kind != UOP_BRANCH)
            continue;
        const uint32_t to = guest_uop_for(t, i, b->operations.at[i].target);
        b->operations.at[i].target = to;
    }
    for (uint32_t i = 0; i < t->ways_on.count; i++) {
        const struct guest_way_on *w = &t->ways_on.at[i];
        const uint32_t to = guest_uop_for(t, w->operation, w->address);
        b->operations.at[w->operation].reconverge = to;
    }
}

static void guest_pack(struct guest_translation *t)
{
    struct guest_program *p = t->program;
    struct guest_build *b = &t->build;
    size_t bytes = 0;
    for (uint32_t i = 0; i < b->operations.count; i++)
        bytes += uop_descriptor_bytes(&b->operations.at[i]);
    p->uop_count = b->operations.count;
    p->uops = arena_alloc(b->arena, (size_t)p->uop_count * sizeof *p->uops);
    uint8_t *descriptor = arena_alloc(b->arena, bytes + 8);
    for (uint32_t i = 0; i < p->uop_count; i++) {
        struct operation *o = &b->operations.at[i];
        uop_pack(&p->uops[i], o, descriptor);
        if (o->kind <= UOP_MEMORY && !(p->uops[i].flags & UF_GUARDED))
            p->uops[i].flags |= UF_PLAIN;
        if (o->kind == UOP_TRAP)
            p->uops[i].target = o->target;
        if (o->kind == UOP_MEMORY)
            guest_prepare_access(&p->uops[i], (struct memory_descriptor *)descriptor);
        descriptor += uop_descriptor_bytes(o);
    }
    guest_mark_places(p, b->operations.at);
}

static void guest_translate_all(struct guest_translation *t)
{
    struct guest_program *p = t->program;
    const struct guest *g = t->guest;
    p->low = g->code_count ? g->code[0].low & ~1u : 0;
    for (uint32_t i = 0; i < g->code_count; i++)
        p->high = g->code[i].high > p->high ? g->code[i].high : p->high;
    p->at = ARENA_ARRAY(p->arena, uint32_t, p->high - p->low + 2);
    for (uint32_t i = 0; i < g->code_count; i++)
        guest_sweep_code(t, &g->code[i]);
    if (!g->isa->interworks)
        guest_sweep_targets(t);
    guest_add_traps(t);
    guest_add_variants(t);
    guest_add_lines(t);
    guest_resolve(t);
    guest_pack(t);
    p->waits = ARENA_ARRAY(p->arena, bool, p->uop_count + 1);
    p->order = guest_order(p, p->waits);
    p->constants = constants_area(&t->build.constants, p->arena);
    p->entry = guest_uop_at(p, g->entry);
    if (p->entry != UOP_NOWHERE && guest_is_unknown(&p->uops[p->entry]))
        p->entry = UOP_NOWHERE;
}

struct guest_program *guest_translate(const struct guest *g, struct rp_error *err)
{
    struct arena *volatile arena = calloc(1, sizeof *arena);
    jmp_buf full;
    if (arena && !setjmp(full)) {
        arena->out_of_memory = &full;
        struct guest_translation t = {.guest = g};
        t.program = ARENA_NEW(arena, struct guest_program);
        *t.program = (struct guest_program){.guest = g, .arena = arena};
        t.build.arena = arena;
        t.build.program = t.program;
        guest_translate_all(&t);
        if (t.program->entry != UOP_NOWHERE)
            return t.program;
        rp_fail(err, RP_BAD_INPUT, "%s: what its entry point names is no instruction of %s", g->path, g->isa->text);
    } else {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", g->path);
    }
    if (arena)
        arena_free(arena);
    free(arena);
    return NULL;
}

void guest_program_free(struct guest_program *p)
{
    if (!p)
        return;
    struct arena *arena = p->arena;
    arena_free(arena);
    free(arena);
}
