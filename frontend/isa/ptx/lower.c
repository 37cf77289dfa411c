#include "frontend/isa/ptx/lower.h"
#include "frontend/isa/ptx/layout.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/allocate.h"
#include "frontend/isa/ptx/join.h"
#include "frontend/isa/ptx/schedule.h"

/* rp_kernel.registers is an estimate: the highest pressure of any function that the kernel may call, plus
 * RESERVED_REGISTERS. A caller's values that live across a call are not added to the callee's. Where the order of the
 * source needs more than FREE_REGISTERS, ptxas chooses another one that needs fewer; so the pressure is that of the
 * order that needs the fewest, but no less. Of a kernel with .maxntid or .reqntid it is no more than lets that block
 * fit, or .minnctapersm blocks; the recorder does the same with the blocks that are launched. */
enum {
    /* Compilers keep two more registers than a program's values need: the stack pointer, and one for an address that is
     * begun before it is known which value dies. */
    RESERVED_REGISTERS = 2,
    /* Of 16 variants of a tuned convolution, whose PTX needs 29 to 255 registers in its order, 13 have 44 to 66 in
     * ptxas's code (tests/golden/hardware/variants; reprise info). */
    FREE_REGISTERS = 64,
};

/* Whether the instruction needs sm_100 or later (PTX ISA 9.0, "Target ISA Notes"): rows of these opcodes that do not
 * execute. */
static bool is_of_blackwell(const struct ptx_form *f)
{
    static const char *const opcodes[] = {
        "add", "sub", "mul", "fma", "cvt", "mma", "redux", "ldmatrix", "stmatrix", "tcgen05", "clusterlaunchcontrol"};
    for (size_t i = 0; f->lowering == LOW_NONE && i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcmp(f->opcode, opcodes[i]))
            return true;
    return false;
}

/* The current instruction's opcode with its modifiers, up to a space. */
static const char *spelled_opcode(struct lowering *l, int *length)
{
    const char *text = instruction_text(l, l->in);
    if (*text == '@' && strchr(text, ' '))
        text = strchr(text, ' ') + 1;
    *length = (int)strcspn(text, " ");
    return text;
}

void not_covered(struct lowering *l, uint32_t at, const char *what)
{
    int length;
    const char *opcode = spelled_opcode(l, &length);
    if (what)
        ptx_error(l->src, at, "%s in '%.*s' is not covered yet", what, length, opcode);
    if (is_of_blackwell(l->in->form))
        ptx_error(l->src, at, "'%.*s' needs sm_100 or later, which is not covered", length, opcode);
    ptx_error(l->src, at, "'%.*s' is not covered yet", length, opcode);
}

void need_target(struct lowering *l, const struct target *have, unsigned sm)
{
    int length;
    if (have && have->sm >= sm)
        return;
    const char *opcode = spelled_opcode(l, &length);
    ptx_error(l->src, l->in->at, "'%.*s' needs .target sm_%u or higher, this is %s", length, opcode, sm,
              have ? have->name : "none");
}

/* Whether only targets of one architecture have the instruction, those whose names end in a letter (PTX ISA, "Target
 * ISA Notes"). */
static bool is_of_one_architecture(const struct ptx_form *f)
{
    return f->lowering == LOW_MAP_FIELD || !strcmp(f->opcode, "setmaxnreg"); /* wgmma: lower_wgmma.c */
}

/* Checks the text's own .target, whatever target --target names. */
static void check_least_target(struct lowering *l)
{
    const struct target *have = l->unit->target;
    bool own = is_of_one_architecture(l->in->form);
    int length;
    if (have && !own)
        need_target(l, have, ptx_least_target(l->in->form, &l->in->mods));
    if (!have || !own || (have->sm >= 90 && have->name[strlen(have->name) - 1] > '9'))
        return;
    const char *opcode = spelled_opcode(l, &length);
    ptx_error(l->src, l->in->at, "'%.*s' needs .target sm_%ua, this is %s", length, opcode,
              have->sm < 90 ? 90 : have->sm, have->name);
}

/* The instruction is executed and recorded, but does nothing; nanosleep, which lets time pass, is a lane operation. A
 * destination, as createpolicy has one, becomes 0. */
static void lower_nothing(struct lowering *l)
{
    bool result = l->in->operand_count && l->in->form->operands[0].role == 'd';
    enum ptx_type type = result ? (enum ptx_type)l->in->mods.types[0] : PT_U32;
    struct operand to = result ? destination(l, &l->in->operands[0], type) : temporary(l, type);
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MOV,
                               .type = ptx_types[type].lane,
                               .stype = ptx_types[type].lane,
                               .d = to,
                               .a = constant(l, 0, element_bytes(type))});
}

/* Groups of asynchronous work. All such work completes at once here, so only the trace and the checks use groups. */
static void lower_group(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    bool waits = mods_have(mods, M_WAIT_GROUP);
    l->async.kind = mods_have(mods, M_BULK) ? RP_ASYNC_BULK : RP_ASYNC_COPY;
    l->async.role = mods_have(mods, M_WAIT_ALL)        ? RP_ASYNC_WAIT_ALL
                    : waits && mods_have(mods, M_READ) ? RP_ASYNC_WAIT_READ
                    : waits                            ? RP_ASYNC_WAIT
                                                       : RP_ASYNC_COMMIT;
    l->async.pending = waits ? (uint32_t)l->in->operands[0].value : 0;
    lower_plain(l, UOP_GROUP);
}

static void lower_instruction(struct lowering *l)
{
    check_least_target(l);
    switch (l->in->form->lowering) {
    case LOW_LANES: lower_lanes(l, 0); break;
    case LOW_CARRY: lower_lanes(l, UF_CARRY_IN); break;
    case LOW_MOVE: lower_move(l); break;
    case LOW_MOVE_VECTOR: lower_move_vector(l); break;
    case LOW_CONVERT: lower_convert(l); break;
    case LOW_VIDEO: lower_video(l); break;
    case LOW_VIDEO_SIMD: lower_video_simd(l); break;
    case LOW_CVTA: lower_cvta(l); break;
    case LOW_ISSPACEP: lower_isspacep(l); break;
    case LOW_LOAD: lower_load(l); break;
    case LOW_STORE: lower_store(l); break;
    case LOW_ATOMIC: lower_atomic(l); break;
    case LOW_COPY: lower_copy(l); break;
    case LOW_PREFETCH: lower_prefetch(l); break;
    case LOW_OBJECT: lower_object(l); break;
    case LOW_BULK: lower_bulk(l); break;
    case LOW_TENSOR: lower_tensor(l); break;
    case LOW_MAP_FIELD: lower_map_field(l); break;
    case LOW_MAP_COPY: lower_map_copy(l); break;
    case LOW_STORE_ASYNC:
        lower_store(l);
        lower_completion(l);
        break;
    case LOW_REDUCE_ASYNC:
        lower_atomic(l);
        lower_completion(l);
        break;
    case LOW_OBJECT_WAIT: lower_object_wait(l); break;
    case LOW_PENDING_COUNT: lower_pending_count(l); break;
    case LOW_CLUSTER_BARRIER: lower_cluster_barrier(l); break;
    case LOW_CLUSTER: lower_cluster(l); break;
    case LOW_BRANCH: lower_branch(l); break;
    case LOW_BRANCH_TABLE: lower_branch_table(l); break;
    case LOW_CALL: lower_call(l); break;
    case LOW_STACK: lower_stack(l); break;
    case LOW_RETURN: lower_return(l); break;
    case LOW_EXIT: lower_plain(l, UOP_EXIT); break;
    case LOW_BARRIER: lower_barrier(l); break;
    case LOW_WARP_BARRIER: lower_warp_barrier(l); break;
    case LOW_FENCE: lower_plain(l, UOP_FENCE); break;
    case LOW_TRAP: lower_plain(l, UOP_TRAP); break;
    case LOW_MMA: lower_mma(l); break;
    case LOW_WGMMA: lower_wgmma(l); break;
    case LOW_WARPGROUP: lower_warpgroup(l); break;
    case LOW_LDMATRIX: lower_ldmatrix(l); break;
    case LOW_STMATRIX: lower_stmatrix(l); break;
    case LOW_MOVMATRIX: lower_movmatrix(l); break;
    case LOW_WMMA_LOAD: lower_wmma_load(l); break;
    case LOW_WMMA_STORE: lower_wmma_store(l); break;
    case LOW_TEXTURE: lower_texture(l); break;
    case LOW_SURFACE_LOAD: lower_surface_load(l); break;
    case LOW_SURFACE_STORE: lower_surface_store(l); break;
    case LOW_SURFACE_REDUCE: lower_surface_reduce(l); break;
    case LOW_IMAGE_QUERY: lower_image_query(l); break;
    case LOW_NOTHING:
        if (l->in->form->op == OP_SLEEP)
            lower_lanes(l, 0);
        else
            lower_nothing(l);
        break;
    case LOW_GROUP: lower_group(l); break;
    default: not_covered(l, l->in->at, NULL);
    }
}

/* ---- one function ---- */

static void count_uses(struct lowering *l, const struct ptx_operand *o)
{
    if (o->kind == PO_REGISTER)
        l->use_count[o->reg]++;
    if (o->kind == PO_VECTOR || o->kind == PO_ADDRESS || o->kind == PO_LIST || o->kind == PO_PAIR)
        for (uint32_t i = 0; i < o->count; i++)
            count_uses(l, &o->elements[i]);
}

static void prepare_registers(struct lowering *l)
{
    const struct ptx_function *f = l->function;
    uint32_t n = f->registers.count;
    memset(&l->element, 0, sizeof l->element);
    for (uint32_t r = 0; r < n; r++)
        VECTOR_PUSH(l->arena, &l->element, (uint8_t)element_bytes((enum ptx_type)f->registers.at[r].type));
    l->policies = NULL;
    l->trace_number = ARENA_ARRAY(l->arena, uint32_t, (size_t)n + 1);
    l->use_count = ARENA_ARRAY(l->arena, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < f->body.count; i++) {
        const struct ptx_instruction *in = &f->body.at[i];
        if (in->guard != PTX_NO_REGISTER)
            l->use_count[in->guard]++;
        for (uint32_t j = 0; j < in->operand_count; j++) {
            const struct ptx_form *form = in->form;
            if (form->any_operands || (form->operands[j].role != 'd' && form->operands[j].role != 'q'))
                count_uses(l, &in->operands[j]);
        }
    }
}

static void lower_block(struct lowering *l, const struct cfg_block *b)
{
    if (b->meets) {
        struct operation u = {.kind = UOP_RECONVERGE, .index = l->instructions.count};
        VECTOR_PUSH(l->arena, &l->operations, u);
    }
    for (uint32_t i = b->first; i < b->end; i++) {
        l->in = &l->function->body.at[i];
        l->index = l->instructions.count;
        l->started = false;
        l->memory.count = 0;
        l->barrier = (struct rp_barrier){0};
        l->async = (struct rp_async){0};
        VECTOR_PUSH(l->arena, &l->sources, l->in);
        lower_instruction(l);
        describe(l);
    }
}

/* Replaces the blocks in branches by operations. */
static void place_branches(struct lowering *l, uint32_t first, const uint32_t *block_start)
{
    for (uint32_t i = first; i < l->operations.count; i++) {
        struct operation *u = &l->operations.at[i];
        if (u->kind == UOP_BRANCH)
            u->target = first + block_start[u->target];
        for (uint32_t t = 0; u->kind == UOP_BRANCH_TABLE && t < u->table_count; t++)
            u->table[t] = first + block_start[u->table[t]];
        if (u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE)
            u->reconverge = u->reconverge == CFG_NONE ? UOP_NOWHERE : first + block_start[u->reconverge];
    }
}

static void find_predecessors(struct lowering *l, uint32_t **start, uint32_t **preds)
{
    const struct cfg *c = &l->cfg;
    uint32_t *s = ARENA_ARRAY(l->arena, uint32_t, (size_t)c->count + 2);
    uint32_t edges = c->successor_start[c->count], *p = ARENA_ARRAY(l->arena, uint32_t, (size_t)edges + 1);
    for (uint32_t e = 0; e < edges; e++)
        s[c->successors[e] + 2]++;
    for (uint32_t b = 2; b < c->count + 2; b++)
        s[b] += s[b - 1];
    for (uint32_t b = 0; b < c->count; b++)
        for (uint32_t e = c->successor_start[b]; e < c->successor_start[b + 1]; e++)
            p[s[c->successors[e] + 1]++] = b;
    *start = s;
    *preds = p;
}

/* Makes room for live counts up to the last instruction. Returns the entry of instruction `from`. */
static struct rp_live *live_room(struct lowering *l, uint32_t from)
{
    while (l->live.count < l->instructions.count)
        VECTOR_PUSH(l->arena, &l->live, (struct rp_live){0, 0, 0});
    return l->live.at + from;
}

static void allocate(struct lowering *l, uint32_t first, const uint32_t *block_start, struct allocation *where)
{
    struct flow flow = {.count = l->cfg.count, .start = block_start};
    uint32_t *pred_start, *preds;
    find_predecessors(l, &pred_start, &preds);
    flow.pred_start = pred_start;
    flow.preds = preds;
    allocate_registers(l->arena, l->operations.at + first, &flow, l->element.at, l->element.count,
                       l->function->registers.count, where);
}

/* Brings the function's instructions into their order, if the module says so, and estimates its registers. */
static void order(struct lowering *l, uint32_t first, const uint32_t *block_start, struct allocation *where)
{
    const uint32_t most = FREE_REGISTERS - RESERVED_REGISTERS,
                   all = registers_that_fit(RP_WARP_LANES * target_warps(l->module->target), 1);
    uint32_t pressure = where->pressure, least;
    if (pressure > most) {
        least = schedule_least(l, first, block_start, where);
        least = least > most ? least : most;
        pressure = pressure < least ? pressure : least;
    }
    if (l->module->scheduled) {
        schedule_function(l, first, block_start, where,
                          pressure + RESERVED_REGISTERS > all ? pressure : all - RESERVED_REGISTERS);
        allocate(l, first, block_start, where);
        pressure = where->pressure > most && where->pressure > pressure ? pressure : where->pressure;
    }
    l->current->pressure = pressure;
}

static void place_values(struct lowering *l, uint32_t first, const uint32_t *block_start)
{
    struct allocation where;
    uint32_t count = l->operations.count - first;
    allocate(l, first, block_start, &where);
    order(l, first, block_start, &where);
    place_registers(l->operations.at + first, count, &where);
    l->current->window_bytes = where.window_bytes;
    if (where.live_count)
        memcpy(live_room(l, l->operations.at[first].index), where.live, where.live_count * sizeof *where.live);
    for (uint32_t i = first; i < l->operations.count; i++)
        if (l->operations.at[i].kind == UOP_CALL || l->operations.at[i].kind == UOP_HOST_CALL)
            l->operations.at[i].window_bytes = where.window_bytes;
}

static void lower_function(struct lowering *l, struct lowered *current)
{
    l->current = current;
    l->function = current->function;
    uint32_t first = l->operations.count;
    cfg_build(l->arena, l->function, &l->cfg);
    prepare_registers(l);
    uint32_t *block_start = ARENA_ARRAY(l->arena, uint32_t, (size_t)l->cfg.count + 1);
    for (uint32_t b = 0; b < l->cfg.count; b++) {
        block_start[b] = l->operations.count - first;
        lower_block(l, &l->cfg.blocks[b]);
    }
    block_start[l->cfg.count] = l->operations.count - first;
    if (l->module->scheduled)
        join_accesses(l, first, block_start);
    place_branches(l, first, block_start);
    place_values(l, first, block_start);
    current->entry = first;
    current->end = l->operations.count;
    if (current->end > first)
        l->operations.at[first].frame_bytes = l->function->frame_bytes;
}

/* ---- the program ---- */

static void place_calls(struct lowering *l)
{
    for (uint32_t i = 0; i < l->operations.count; i++) {
        struct operation *u = &l->operations.at[i];
        if (u->kind != UOP_CALL)
            continue;
        if (u->target != UOP_NOWHERE) {
            u->target = l->functions.at[l->function_index[u->target] - 1].entry;
            continue;
        }
        u->table = ARENA_ARRAY(l->arena, uint32_t, u->table_count);
        for (uint32_t f = 0; f < u->table_count; f++)
            u->table[f] = l->function_index[f] ? l->functions.at[l->function_index[f] - 1].entry : UOP_NOWHERE;
    }
}

static void bind_handlers(struct lowering *l)
{
    for (uint32_t i = 0; i < l->operations.count; i++) {
        struct operation *u = &l->operations.at[i];
        if (u->kind == UOP_LANE && !operation_bind(u)) {
            l->in = l->sources.at[u->index];
            not_covered(l, l->in->at, NULL);
        }
    }
}

/* Finds the local bytes of the deepest chain of calls from each function. */
struct depth_walk {
    const struct lowering *l;
    uint8_t *state; /* 0: not visited, 1: being visited, 2: done */
    uint64_t *depth;
    uint32_t *stack, *next;
};

static bool walk_calls(struct depth_walk *w, uint32_t root)
{
    uint32_t top = 0;
    w->stack[top++] = root;
    w->state[root] = 1;
    while (top > 0) {
        uint32_t f = w->stack[top - 1];
        const struct lowered *lf = &w->l->functions.at[f];
        if (w->next[f] < lf->calls.count) {
            uint32_t callee = lf->calls.at[w->next[f]++];
            if (w->state[callee] == 1)
                return false;
            if (w->state[callee] == 0) {
                w->state[callee] = 1;
                w->stack[top++] = callee;
            }
            continue;
        }
        uint64_t deepest = 0;
        for (uint32_t i = 0; i < lf->calls.count; i++)
            if (w->depth[lf->calls.at[i]] > deepest)
                deepest = w->depth[lf->calls.at[i]];
        w->depth[f] = lf->function->frame_bytes + deepest;
        w->state[f] = 2;
        top--;
    }
    return true;
}

static void measure_depth(struct lowering *l, struct program *p)
{
    uint32_t n = l->functions.count;
    struct depth_walk w = {.l = l};
    bool may_recurse = false;
    for (uint32_t f = 1; f < n;
         f++) /* a call through a register may go to any function here, also to the caller itself */
        may_recurse |= l->functions.at[f].calls_indirectly;
    for (uint32_t callee = 1; l->functions.at[0].calls_indirectly && callee < n; callee++)
        VECTOR_PUSH(l->arena, &l->functions.at[0].calls, callee);
    w.state = ARENA_ARRAY(l->arena, uint8_t, n);
    w.depth = ARENA_ARRAY(l->arena, uint64_t, n);
    w.stack = ARENA_ARRAY(l->arena, uint32_t, (size_t)n + 1);
    w.next = ARENA_ARRAY(l->arena, uint32_t, n);
    bool walked = walk_calls(&w, 0);
    p->recursive = !walked || may_recurse;
    for (uint32_t f = 0; f < n; f++)
        p->recursive |= l->functions.at[f].takes_memory;
    uint64_t bytes = w.depth[0];
    /* the arguments of a host call follow the last frame */
    for (uint32_t i = 0; i < l->operations.count; i++)
        if (l->operations.at[i].kind == UOP_HOST_CALL) {
            bytes += HOST_CALL_BYTES;
            break;
        }
    if (walked && bytes > UINT32_MAX)
        ptx_error(l->src, l->functions.at[0].function->at, "calls nest too deep: they take over 4 GiB of local memory");
    p->max_depth_bytes = walked ? (uint32_t)bytes : 0; /* of a recursive program: what its direct calls need at least */
}

static uint32_t estimate_registers(const struct lowering *l, const struct ptx_function *entry, uint32_t threads)
{
    uint32_t most = 0, fit = registers_that_fit(threads, entry->min_blocks);
    for (uint32_t f = 0; f < l->functions.count; f++)
        if (l->functions.at[f].pressure > most)
            most = l->functions.at[f].pressure;
    most += RESERVED_REGISTERS;
    if (entry->max_registers && most > entry->max_registers)
        most = entry->max_registers;
    return most < fit ? most : fit;
}

static void set_parameters(struct lowering *l, const struct ptx_function *entry, struct program *p)
{
    const struct ptx_signature *s = &entry->signature;
    p->parameters = ARENA_ARRAY(l->arena, struct parameter, (size_t)s->param_count + 1);
    p->parameter_count = s->param_count;
    p->parameter_bytes = s->bytes;
    for (uint32_t i = 0; i < s->param_count; i++) {
        const struct ptx_variable *v = s->params[i];
        const char kind = ptx_types[v->type].kind;
        p->parameters[i] = (struct parameter){v->name,  (uint32_t)v->offset, (uint32_t)v->size,
                                              v->align, kind == 'F',         kind == 'U' || kind == 'S'};
    }
}

static void set_threads(const struct ptx_function *entry, struct program *p)
{
    memcpy(p->required_cluster, entry->cluster, sizeof p->required_cluster);
    p->max_cluster = entry->max_cluster;
    p->explicit_cluster = entry->explicit_cluster;
    p->blocks_are_clusters = entry->blocks_are_clusters;
    const uint32_t *n = entry->max_threads;
    if (entry->has_required_threads) {
        memcpy(p->required_threads, entry->required_threads, sizeof p->required_threads);
        n = entry->required_threads;
    }
    if (entry->has_max_threads || entry->has_required_threads) {
        uint64_t total = (uint64_t)n[0] * n[1];
        p->max_threads = total > 1024 || total * n[2] > 1024 ? 1024 : (uint32_t)(total * n[2]);
    }
}

static void set_tables(struct lowering *l, const struct ptx_function *entry, struct program *p)
{
    struct rp_kernel *k = &p->kernel;
    k->name = entry->name;
    k->isa = "ptx";
    k->instruction_count = l->instructions.count;
    k->instructions = l->instructions.at;
    live_room(l, 0);
    k->live = l->live.at;
    describe_inlined(l, k);
    describe_files(l, k);
    k->registers = estimate_registers(l, entry, p->max_threads);
    k->static_shared = p->static_shared;
    k->local_bytes = p->recursive ? p->frame_bytes : p->max_depth_bytes;
    k->max_threads = p->max_threads;
}

void ptx_lower(struct ptx_unit *u, struct module *m, struct ptx_function *entry, uint32_t number, struct program *p)
{
    struct lowering *l = ARENA_NEW(u->arena, struct lowering);
    struct reach reach;
    *l = (struct lowering){.src = u->src, .arena = u->arena, .unit = u, .module = m};
    find_reach(u, entry, number, &reach);
    l->function_index = ARENA_ARRAY(u->arena, uint32_t, (size_t)u->function_count + 1);
    for (uint32_t i = 0; i < reach.functions.count; i++) {
        struct ptx_function *f = reach.functions.at[i];
        if (!f->defined)
            continue;
        VECTOR_PUSH(u->arena, &l->functions, (struct lowered){.function = f});
        l->function_index[f->number] = l->functions.count;
    }
    for (uint32_t i = 0; i < l->functions.count; i++)
        lower_function(l, &l->functions.at[i]);
    place_calls(l);
    bind_handlers(l);
    *p = (struct program){.name = entry->name,
                          .address = ptx_address(entry),
                          .operations = l->operations.at,
                          .uop_count = l->operations.count,
                          .order = l->order};
    p->constants = constants_area(&l->constants, l->arena);
    p->entry = l->functions.at[0].entry;
    p->window_bytes = l->functions.at[0].window_bytes;
    p->frame_bytes = entry->frame_bytes;
    p->static_shared = (uint32_t)reach.shared.dense;
    p->shared_gaps = (uint32_t)(reach.dynamic - reach.shared.dense);
    p->names_dynamic = reach.names_dynamic;
    p->shared = (struct extents){.at = reach.variables.at, .count = reach.variables.count, .parts = reach.parts};
    measure_depth(l, p);
    set_parameters(l, entry, p);
    set_threads(entry, p);
    set_tables(l, entry, p);
}
