/* Finds where control may go from each instruction, for live registers. */
#include "frontend/isa/sass/live.h"
#include "frontend/isa/sass/lower.h"

struct finder {
    struct sass_lowering *l;
    struct sass_step *steps;
    uint32_t return_to; /* the instruction, plus 1, to which the next call returns, as the last PRET said; 0: unknown */
    VECTOR(uint32_t) targets;
};

static void add_target(struct finder *f, struct sass_step *s, uint32_t target)
{
    if (!s->count)
        s->first = f->targets.count;
    VECTOR_PUSH(f->l->b.arena, &f->targets, target);
    s->count++;
}

/* Adds the targets that the file lists for the branch at `address` in this code. */
static bool add_listed(struct finder *f, const struct cubin_kernel *code, uint32_t address, struct sass_step *s,
                       bool *listed)
{
    for (uint32_t i = 0; i < code->branch_count; i++) {
        const struct cubin_branch *b = &code->branches[i];
        if (b->offset != address - code->base)
            continue;
        *listed = true;
        for (uint32_t t = 0; t < b->count; t++) {
            uint32_t to = sass_number(f->l->b.family->table, code->targets[b->first + t] + code->base);
            if (to >= f->l->b.count)
                return false;
            add_target(f, s, to);
        }
    }
    return true;
}

/* Adds the targets of a pop, or of a branch through a register. False: the file does not list them. */
static bool add_indirect(struct finder *f, uint32_t i, struct sass_step *s)
{
    const struct cubin_kernel *k = f->l->b.kernel;
    uint32_t address = (uint32_t)f->l->b.instructions.at[i].pc;
    bool listed = false, fine = true;
    if (address < k->code.size)
        fine = add_listed(f, k, address, s, &listed);
    for (uint32_t p = 0; fine && address >= k->code.size && p < k->part_count; p++)
        if (address >= k->parts[p]->base && address - k->parts[p]->base < k->parts[p]->code.size)
            fine = add_listed(f, k->parts[p], address, s, &listed);
    return fine && listed;
}

/* Adds the targets of a branch through a register. If the list is empty, it calls a function. */
static bool add_table(struct finder *f, uint32_t i, struct sass_step *s)
{
    if (!add_indirect(f, i, s))
        return false;
    s->flags |= STEP_BEGINS;
    if (s->count)
        return true;
    s->flags |= STEP_CALL;
    bool returns = f->return_to;
    if (returns)
        add_target(f, s, f->return_to - 1);
    f->return_to = 0;
    return returns;
}

static bool add_operation(struct finder *f, const struct operation *o, struct sass_step *s)
{
    const struct rp_instruction *in = &f->l->b.instructions.at[o->index];
    bool always = !is_register(o->guard);
    if (o->flags & UF_GATHER) /* a collective ends right before where its lanes go on, with the same registers */
        return true;
    if (in->flags & RP_CALL) {
        s->flags |= STEP_CALL;
        return true;
    }
    if (o->kind == UOP_PUSH && o->imm == TOKEN_RETURN)
        f->return_to = o->target + 1;
    if (always && (o->kind == UOP_BRANCH || o->kind == UOP_BRANCH_TABLE || o->kind == UOP_POP || o->kind == UOP_EXIT))
        s->flags &= (uint8_t)~STEP_FALLS;
    if (o->kind == UOP_BRANCH)
        add_target(f, s, o->target);
    if (o->kind == UOP_BARRIER && o->flags & UF_CONVERGENCE)
        s[1].flags |= STEP_BEGINS;
    if (in->flags & RP_RETURN)
        s->flags |= STEP_RETURN;
    else if (o->kind == UOP_BRANCH_TABLE)
        return add_table(f, o->index, s);
    else if (o->kind == UOP_POP) {
        s->flags |= STEP_BEGINS;
        return add_indirect(f, o->index, s);
    }
    return true;
}

const struct rp_live *sass_find_live(struct sass_lowering *l)
{
    uint32_t count = l->b.instructions.count;
    struct finder f = {.l = l};
    bool known = true;
    f.steps = ARENA_ARRAY(l->b.arena, struct sass_step, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        bool pairs = rp_control_pairs(l->b.instructions.at[i].control) && i + 1 < l->b.count;
        f.steps[i].flags = STEP_FALLS | (pairs ? STEP_PAIR : 0);
    }
    for (uint32_t o = 0; known && o < l->b.operations.count; o++)
        known = add_operation(&f, &l->b.operations.at[o], &f.steps[l->b.operations.at[o].index]);
    if (!known)
        return NULL;
    struct sass_flow flow = {.count = count,
                             .own = l->b.count,
                             .registers = l->b.kernel->registers,
                             .instructions = l->b.instructions.at,
                             .steps = f.steps,
                             .targets = f.targets.at};
    return sass_live(l->b.arena, &flow);
}
