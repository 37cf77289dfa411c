#include "code.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/operation/flags.h"
#include "tracefmt/error.h"

struct operand word(unsigned r) { return OPERAND_REGISTER(r < 12 ? r * 128 : CALL_WINDOW_BYTES + (r - 12) * 128); }
struct operand wide(unsigned r) { return OPERAND_REGISTER(12 * 128 + r * 256); }
struct operand pred(unsigned p) { return OPERAND_REGISTER(12 * 128 + CODE_LONGS * 256 + p * 4); }

struct code *code_new(void)
{
    struct code *c = calloc(1, sizeof *c);
    cr_assert_not_null(c);
    return c;
}

void code_free(struct code *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->operations[i].table);
    program_release(&c->program);
    free(c);
}

struct operation *code_add(struct code *c, enum uop_kind kind, int guard)
{
    cr_assert_lt(c->count, CODE_MAX);
    struct operation *u = &c->operations[c->count++];
    *u = (struct operation){.kind = (uint8_t)kind, .flags = UF_FIRST};
    u->target = u->reconverge = UOP_NOWHERE;
    if (guard >= 0) {
        u->guard = pred((unsigned)guard % 100);
        u->guard_flip = guard >= 100 ? ~(lanemask)0 : 0;
    }
    if (kind == UOP_RECONVERGE)
        return u;
    u->index = c->instruction_count++;
    struct rp_instruction *in = &c->instructions[u->index];
    *in = (struct rp_instruction){.text = "test", .flags = guard >= 0 ? RP_GUARDED : 0, .unit_class = RP_CLASS_INT};
    in->pc = 8 * u->index;
    return u;
}

/* ---- lane operations --------------------------------------------------------------------------------------------- */

static uint32_t affine(uint32_t a, int64_t imm) { return a * (uint32_t)imm + (uint32_t)((uint64_t)imm >> 32); }

/* Where a predicate is written, imm is beside it. */
static uint32_t imm_of(const struct uop *u) { return u->lane ? (uint32_t)u->lane->imm : u->mode; }

static void do_affine(struct warp *w, const struct uop *u, lanemask m)
{
    uint32_t *d = operand_at(w, u->d), *a = operand_at(w, u->a);
    FOR_LANES(l, m)
    d[l] = affine(a[l], u->imm);
}

static void do_xor(struct warp *w, const struct uop *u, lanemask m)
{
    uint32_t *d = operand_at(w, u->d), *a = operand_at(w, u->a), *b = operand_at(w, u->b);
    FOR_LANES(l, m)
    d[l] = a[l] ^ b[l];
}

static void do_bits(struct warp *w, const struct uop *u, lanemask m)
{
    uint32_t *a = operand_at(w, u->a);
    lanemask *pd = operand_at(w, u->pd);
    FOR_LANES(l, m)
    *pd = (*pd & ~(1u << l)) | (lanemask)((a[l] & imm_of(u)) != 0) << l;
}

static void do_tid(struct warp *w, const struct uop *u, lanemask m)
{
    uint32_t *d = operand_at(w, u->d);
    FOR_LANES(l, m)
    d[l] = w->ctaid[0] * w->ntid[0] + w->tid[0][l];
}

static void do_wide(struct warp *w, const struct uop *u, lanemask m)
{
    uint64_t *d = operand_at(w, u->d), *a = operand_at(w, u->a);
    uint32_t *b = operand_at(w, u->b);
    FOR_LANES(l, m)
    d[l] = a[l] + (uint64_t)u->imm * b[l];
}

static void do_widen(struct warp *w, const struct uop *u, lanemask m)
{
    uint64_t *d = operand_at(w, u->d);
    uint32_t *b = operand_at(w, u->b);
    FOR_LANES(l, m)
    d[l] = (uint64_t)u->imm * b[l];
}

static void do_clock(struct warp *w, const struct uop *u, lanemask m)
{
    uint32_t *d = operand_at(w, u->d);
    FOR_LANES(l, m)
    d[l] = (uint32_t)w->clock;
}

static const uop_fn lane_functions[] = {do_affine, do_xor, do_bits, do_tid, do_wide, do_widen, do_clock};

struct operation *code_lane(struct code *c, enum test_op op, unsigned d, unsigned a, unsigned b, int64_t imm, int guard)
{
    struct operation *u = code_add(c, UOP_LANE, guard);
    u->op = op == TEST_CLOCK ? OP_SPECIAL : op == TEST_BITS ? OP_SETP : OP_FRAME; /* which keeps all of imm */
    u->imm = op == TEST_CLOCK ? SR_CLOCK : imm;
    u->fn = lane_functions[op];
    u->detail[0] = (uint8_t)op;
    u->detail[1] = (uint8_t)d, u->detail[2] = (uint8_t)a, u->detail[3] = (uint8_t)b;
    u->d = op == TEST_WIDE || op == TEST_WIDEN ? wide(d) : word(d);
    u->a = op == TEST_WIDE ? wide(a) : word(a);
    u->b = word(b);
    u->pd = pred(op == TEST_BITS ? d : 0);
    return u;
}

struct operation *code_affine(struct code *c, unsigned d, unsigned a, uint32_t factor, uint32_t term, int guard)
{
    return code_lane(c, TEST_AFFINE, d, a, 0, (int64_t)((uint64_t)term << 32 | factor), guard);
}

struct operation *code_memory(struct code *c, enum rp_access_kind kind, enum rp_space space, enum lane_type type,
                              struct operand d, unsigned a, int64_t offset, int guard)
{
    struct operation *u = code_add(c, UOP_MEMORY, guard);
    u->memory = (struct rp_memory_operand){.space = space, .kind = kind, .elements = 1};
    u->memory.width = lane_type_bits(type) / 8;
    u->type = u->dtype = type;
    u->stype = T_U64;
    u->d = d;
    u->a = wide(a);
    u->imm = offset;
    struct rp_instruction *in = &c->instructions[u->index];
    in->unit_class = RP_CLASS_MEMORY;
    in->memory_count = 1;
    in->memory = &c->memory[u->index];
    c->memory[u->index] = u->memory;
    return u;
}

uint32_t code_label(struct code *c) { return (uint32_t)(code_add(c, UOP_RECONVERGE, -1) - c->operations); }

/* ---- post-dominators, the slow and plain way --------------------------------------------------------------------- */

/* Whether every way from `from` to the function's end passes `through`: the end cannot be reached around it. */
static bool postdominates(const struct code *c, uint32_t from, uint32_t through)
{
    static bool seen[CODE_MAX];
    static uint32_t stack[2 * CODE_MAX + 64];
    memset(seen, 0, sizeof seen);
    uint32_t depth = 0;
    stack[depth++] = from;
    while (depth) {
        uint32_t at = stack[--depth];
        if (at == through || seen[at])
            continue;
        seen[at] = true;
        const struct operation *u = &c->operations[at];
        bool always = !is_register(u->guard);
        if (u->kind == UOP_EXIT || u->kind == UOP_RETURN)
            return false;
        if (u->kind == UOP_BRANCH)
            stack[depth++] = u->target;
        for (uint32_t i = 0; u->kind == UOP_BRANCH_TABLE && i < u->table_count; i++)
            stack[depth++] = u->table[i];
        if (!always || (u->kind != UOP_BRANCH && u->kind != UOP_BRANCH_TABLE))
            stack[depth++] = at + 1;
    }
    return true;
}

/* The post-dominating label that all others post-dominate in turn: the nearest. */
static uint32_t nearest_postdominator(const struct code *c, uint32_t branch)
{
    uint32_t best = UOP_NOWHERE;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->operations[i].kind != UOP_RECONVERGE || !postdominates(c, branch, i))
            continue;
        if (best == UOP_NOWHERE || postdominates(c, i, best))
            best = i;
    }
    return best;
}

struct program *code_finish(struct code *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->operations[i].kind == UOP_BRANCH || c->operations[i].kind == UOP_BRANCH_TABLE)
            c->operations[i].reconverge = nearest_postdominator(c, i);
    c->program = (struct program){.name = "test", .operations = c->operations, .uop_count = c->count};
    c->program.window_bytes = WINDOW_BYTES;
    c->program.kernel = (struct rp_kernel){.name = "test", .isa = "test", .registers = CODE_WORDS};
    c->program.kernel.instruction_count = c->instruction_count;
    c->program.kernel.instructions = c->instructions;
    struct rp_error err;
    cr_assert(program_prepare(&c->program, &err), "%s", err.text);
    return &c->program;
}

void code_grid(struct grid *g, const struct program *p, uint32_t blocks, uint32_t threads, struct memory *memory)
{
    *g = (struct grid){.program = p, .dim = {blocks, 1, 1}, .block = {threads, 1, 1}, .blocks = blocks};
    g->threads = threads;
    g->warps = (threads + 31) / 32;
    g->memory = memory;
    g->limit = 1 << 20;
    g->quantum = WARP_QUANTUM;
    g->local_bytes = 1024;
    g->local_stride = 1024 + 64;
    g->total_shared = 1024;
}

/* ---- the scalar interpreter -------------------------------------------------------------------------------------- */

static bool guard_holds(const struct operation *u, const struct scalar *s)
{
    if (!is_register(u->guard))
        return true;
    return s->preds[(u->guard.at - pred(0).at) / 4] != (u->guard_flip != 0);
}

static void scalar_lane(const struct operation *u, struct scalar *s, uint32_t thread)
{
    unsigned d = u->detail[1], a = u->detail[2], b = u->detail[3];
    switch (u->detail[0]) {
    case TEST_AFFINE: s->words[d] = affine(s->words[a], u->imm); break;
    case TEST_XOR: s->words[d] = s->words[a] ^ s->words[b]; break;
    case TEST_BITS: s->preds[d] = (s->words[a] & (uint32_t)u->imm) != 0; break;
    case TEST_TID: s->words[d] = thread; break;
    case TEST_WIDE: s->longs[d] = s->longs[a] + (uint64_t)u->imm * s->words[b]; break;
    case TEST_WIDEN: s->longs[d] = (uint64_t)u->imm * s->words[b]; break;
    default: cr_assert_fail("an operation that a thread alone cannot know");
    }
}

struct scalar_frame {
    uint32_t back;
    struct scalar saved;
};

void scalar_run(const struct program *p, struct scalar *s, uint32_t thread)
{
    static struct scalar_frame calls[64];
    uint32_t depth = 0;
    for (uint32_t pc = p->entry;;) {
        const struct operation *u = &p->operations[pc++];
        if (u->kind == UOP_RECONVERGE || !guard_holds(u, s))
            continue;
        s->instructions++;
        switch (u->kind) {
        case UOP_LANE: scalar_lane(u, s, thread); break;
        case UOP_MEMORY: s->stored = true; break;
        case UOP_BRANCH: pc = u->target; break;
        case UOP_BRANCH_TABLE: pc = u->table[s->words[u->detail[2]]]; break;
        case UOP_CALL:
            if (depth == 64) {
                s->stack_overflow = true;
                return;
            }
            calls[depth++] = (struct scalar_frame){pc, *s};
            pc = u->target != UOP_NOWHERE ? u->target : u->table[s->longs[u->detail[2]] / FUNCTION_STEP];
            /* a window of its own, but for the words that overlap */
            struct scalar callee = {.instructions = s->instructions};
            memcpy(callee.words, s->words + 12, 4 * sizeof *callee.words);
            *s = callee;
            break;
        case UOP_RETURN:
            if (!depth)
                return;
            struct scalar_frame *f = &calls[--depth];
            memcpy(f->saved.words + 12, s->words, 4 * sizeof *s->words);
            f->saved.instructions = s->instructions;
            *s = f->saved;
            pc = f->back;
            break;
        case UOP_EXIT: return;
        default: break;
        }
    }
}
