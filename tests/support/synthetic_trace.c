#include "tests/support/synthetic_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLOBAL_BASE 0x400000000ull
#define GLOBAL_BYTES (1u << 20)
#define SHARED_BYTES 8192u
#define LOCAL_BYTES 256u
#define CONST_BYTES 4096u
#define PARAM_BYTES 256u
#define SHARED_WINDOW 0x01000000ull
#define SHARED_WINDOW_BYTES 0x01000000ull
#define CLUSTER_SHARED 0x800000ull
#define CLUSTER_STEP 0x80000ull

/* How the lanes of one memory operand are addressed. */
enum shape { SHAPE_UNIFORM, SHAPE_AFFINE, SHAPE_SWIZZLED, SHAPE_RANDOM };
struct operand_plan {
    uint8_t shape;
    bool generic_shared;
    uint32_t lane_step, iteration_step, warp_step; /* in elements of the access's width */
};

#define MOST_DEPENDENCIES 3
#define INLINED 5
struct synthetic_trace {
    struct synthetic_options options;
    struct rp_kernel kernel;
    struct rp_instruction *instructions;
    struct rp_memory_operand (*operands)[SYNTHETIC_OPERANDS];
    struct operand_plan (*plans)[SYNTHETIC_OPERANDS];
    rp_register (*registers)[8];
    char (*text)[32];
    struct rp_inlined_call inlined[INLINED];
    struct rp_launch *launches;
    uint32_t (*dependencies)[MOST_DEPENDENCIES]; /* of each launch */
};

uint64_t synthetic_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t limit) { return (uint32_t)(synthetic_random(state) % limit); }
static bool chance(uint64_t *state, uint32_t percent) { return below(state, 100) < percent; }

/* An independent generator for each purpose. */
static uint64_t derive(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = seed;
    uint64_t mixed = synthetic_random(&state) ^ a * 0xd6e8feb86659fd93u;
    mixed = synthetic_random(&mixed) ^ b * 0xa0761d6478bd642fu;
    mixed = synthetic_random(&mixed) ^ c * 0xe7037ed1a0b428dbu;
    return synthetic_random(&mixed);
}

struct synthetic_options synthetic_random_options(uint64_t seed)
{
    uint64_t r = derive(seed, 1, 2, 3);
    struct synthetic_options o = {.seed = seed};
    o.launches = 1 + below(&r, 3) / 2;
    o.blocks = 1 + below(&r, 9);
    o.threads = 1 + below(&r, chance(&r, 20) ? 1024 : 160);
    o.phases = 1 + below(&r, 4);
    o.phase_length = 2 + below(&r, 24);
    o.iterations = 1 + below(&r, 8);
    o.memory_percent = below(&r, 60);
    o.guard_percent = below(&r, 40);
    o.diverge_percent = below(&r, 50);
    o.random_percent = below(&r, 30);
    o.barriers = chance(&r, 80);
    o.several_operands = chance(&r, 40);
    o.aux = chance(&r, 30);
    o.shared_only = chance(&r, 10);
    o.chunk_bytes = chance(&r, 30) ? 200 + below(&r, 4000) : 0;
    o.control_words = chance(&r, 50);
    return o;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static rp_register random_register(uint64_t *r)
{
    return chance(r, 15) ? RP_REGISTER(RP_FILE_PREDICATE, below(r, 6), 1)
                         : RP_REGISTER(RP_FILE_GENERAL, below(r, 24), 1);
}

static void plan_operand(struct synthetic_trace *t, uint64_t *r, uint32_t index, uint32_t which)
{
    static const uint8_t spaces[] = {RP_SPACE_GLOBAL, RP_SPACE_GLOBAL, RP_SPACE_GLOBAL,  RP_SPACE_SHARED,
                                     RP_SPACE_SHARED, RP_SPACE_SHARED, RP_SPACE_GENERIC, RP_SPACE_LOCAL,
                                     RP_SPACE_CONST,  RP_SPACE_PARAM};
    struct rp_memory_operand *m = &t->operands[index][which];
    struct operand_plan *p = &t->plans[index][which];
    m->space = t->options.shared_only ? RP_SPACE_SHARED : spaces[below(r, sizeof spaces)];
    m->elements = t->options.several_operands ? 1u << below(r, 3) : 1;
    uint32_t element = 1u << below(r, 4);
    m->width = element * m->elements > 16 ? 16 : element * m->elements;
    bool read_only = m->space == RP_SPACE_CONST || m->space == RP_SPACE_PARAM;
    m->kind = read_only ? RP_ACCESS_LOAD : below(r, 8) < 5 ? RP_ACCESS_LOAD : RP_ACCESS_STORE;
    if ((m->space == RP_SPACE_GLOBAL || m->space == RP_SPACE_SHARED) && chance(r, 10)) {
        m->kind = chance(r, 50) ? RP_ACCESS_ATOMIC : RP_ACCESS_REDUCTION;
        m->atomic = RP_ATOMIC_ADD;
        m->width = chance(r, 50) ? 4 : 8;
        m->elements = 1;
        m->scope = RP_SCOPE_GPU;
        m->order = RP_ORDER_RELAXED;
    }
    m->value = below(r, 4);
    p->shape = chance(r, t->options.random_percent) ? SHAPE_RANDOM : below(r, 8) / 3;
    p->generic_shared = chance(r, 50);
    p->lane_step = (const uint32_t[]){1, 1, 1, 2, 4, 32, 33}[below(r, 7)];
    p->iteration_step = (const uint32_t[]){0, 1, 32, 64}[below(r, 4)];
    p->warp_step = (const uint32_t[]){0, 32, 32, 64, 33}[below(r, 5)];
}

static void make_body_instruction(struct synthetic_trace *t, uint64_t *r, uint32_t index)
{
    static const uint8_t classes[] = {RP_CLASS_MOVE,    RP_CLASS_INT,      RP_CLASS_INT,       RP_CLASS_INT,
                                      RP_CLASS_INT_MUL, RP_CLASS_INT_DIV,  RP_CLASS_FP32,      RP_CLASS_FP32,
                                      RP_CLASS_FP32,    RP_CLASS_FP32_DIV, RP_CLASS_FP64,      RP_CLASS_FP64_DIV,
                                      RP_CLASS_SFU,     RP_CLASS_CONVERT,  RP_CLASS_CONVERT64, RP_CLASS_SHUFFLE,
                                      RP_CLASS_VOTE,    RP_CLASS_FENCE,    RP_CLASS_NOP};
    struct rp_instruction *in = &t->instructions[index];
    rp_register *regs = t->registers[index];
    uint32_t sources = 1 + below(r, 3);
    in->unit_class = classes[below(r, sizeof classes)];
    regs[0] = random_register(r);
    for (uint32_t i = 0; i < sources; i++)
        regs[1 + i] = random_register(r);
    if (chance(r, t->options.memory_percent)) {
        in->unit_class = RP_CLASS_MEMORY;
        in->memory_count = t->options.several_operands && chance(r, 25) ? 2 : 1;
        in->memory = t->operands[index];
        for (uint32_t m = 0; m < in->memory_count; m++)
            plan_operand(t, r, index, m);
    } else if (in->unit_class == RP_CLASS_FENCE) {
        in->fence_scope = chance(r, 50) ? RP_SCOPE_CTA : RP_SCOPE_CTA + below(r, 4);
        sources = 0;
    } else if (t->options.aux && chance(r, 10)) {
        in->flags |= RP_HAS_AUX;
    }
    if (chance(r, t->options.guard_percent)) {
        in->flags |= RP_GUARDED | (chance(r, 50) ? RP_GUARD_NEGATED : 0);
        in->guard = RP_REGISTER(RP_FILE_PREDICATE, below(r, 6), 1);
        regs[1 + sources++] = in->guard;
    }
    bool writes =
        in->unit_class != RP_CLASS_FENCE && in->unit_class != RP_CLASS_NOP &&
        !(in->memory_count && (in->memory[0].kind == RP_ACCESS_STORE || in->memory[0].kind == RP_ACCESS_REDUCTION));
    in->dst = regs;
    in->dst_count = writes;
    in->src = regs + 1;
    in->src_count = sources;
}

/* Several values, of their own or of their operands. A generator of its own: traces without them stay as they are. */
static void make_object(struct synthetic_trace *t, uint64_t *r, uint32_t index)
{
    struct rp_instruction *in = &t->instructions[index];
    if (in->memory_count || in->unit_class == RP_CLASS_FENCE || in->flags & RP_HAS_AUX || !chance(r, 25))
        return;
    in->flags |= RP_HAS_AUX;
    in->unit_class = RP_CLASS_ASYNC;
    if (chance(r, 50)) {
        in->aux_count = (uint8_t)(1 + below(r, SYNTHETIC_AUX));
        return;
    }
    in->memory_count = 1 + below(r, 2);
    in->memory = t->operands[index];
    for (uint32_t m = 0; m < in->memory_count; m++) {
        plan_operand(t, r, index, m);
        t->operands[index][m].atomic = RP_ATOMIC_NONE;
        t->operands[index][m].kind = (uint8_t)(RP_ACCESS_BULK_LOAD + below(r, 3));
        in->aux_count += (uint8_t)rp_operand_aux_count(&t->operands[index][m]);
    }
}

static void make_barrier(struct synthetic_trace *t, uint64_t *r, uint32_t index)
{
    struct rp_instruction *in = &t->instructions[index];
    in->unit_class = RP_CLASS_BARRIER;
    bool in_register = t->options.aux && chance(r, 50);
    in->barrier = (struct rp_barrier){RP_BARRIER_SYNC, in_register ? -1 : (int32_t)below(r, 3), in_register ? -1 : 0};
    if (in_register)
        in->flags |= RP_HAS_AUX;
}

/* As a compiler might write it: short stalls, some pairs, few barriers. */
static uint64_t random_control(uint64_t *r)
{
    uint64_t stall = chance(r, 20) ? 16 : below(r, chance(r, 70) ? 3 : 16) | (uint64_t)below(r, 2) << 4;
    uint64_t write = chance(r, 60) ? 7 : below(r, 8), read = chance(r, 80) ? 7 : below(r, 8);
    uint64_t wait = chance(r, 60) ? 0 : 1u << below(r, 6) | (chance(r, 20) ? below(r, 64) : 0);
    uint64_t control = stall | write << 5 | read << 8 | wait << 11;
    if (chance(r, 8))
        control |= RP_CONTROL_COUNT(below(r, 8), below(r, 4));
    return control | (chance(r, 4) ? RP_CONTROL_ALSO_WAIT(below(r, 64)) : 0);
}

/* The cluster's memory in the place of the block's own, and its barrier in the place of the block's: all arrive behind
 * a phase, and wait behind the next one. */
static void make_clusters(struct synthetic_trace *t)
{
    uint64_t r = derive(t->options.seed, 16, 0, 0);
    bool arrives = true;
    for (uint32_t i = 0; i < t->kernel.instruction_count; i++) {
        struct rp_instruction *in = &t->instructions[i];
        for (uint32_t m = 0; m < in->memory_count; m++)
            if (t->operands[i][m].space == RP_SPACE_SHARED && chance(&r, 50))
                t->operands[i][m].space = RP_SPACE_SHARED_CLUSTER;
        if (in->unit_class != RP_CLASS_BARRIER || chance(&r, 25))
            continue;
        in->flags &= (uint16_t)~RP_HAS_AUX;
        in->barrier = (struct rp_barrier){.kind = arrives ? RP_BARRIER_CLUSTER_ARRIVE : RP_BARRIER_CLUSTER_WAIT};
        arrives = !arrives;
    }
}

/* The launch's barrier in the place of most of the block's. */
static void make_meetings(struct synthetic_trace *t)
{
    uint64_t r = derive(t->options.seed, 17, 0, 0);
    for (uint32_t i = 0; i < t->kernel.instruction_count; i++) {
        struct rp_instruction *in = &t->instructions[i];
        if (in->unit_class != RP_CLASS_BARRIER || chance(&r, 25))
            continue;
        in->flags &= (uint16_t)~RP_HAS_AUX;
        in->barrier = (struct rp_barrier){.kind = RP_BARRIER_LAUNCH};
    }
}

/* A phase takes phase_length instructions for its body, the last one a branch back, and one for the barrier. */
static uint32_t phase_start(const struct synthetic_trace *t, uint32_t phase)
{
    return phase * (t->options.phase_length + t->options.barriers);
}

static void make_kernel(struct synthetic_trace *t)
{
    const struct synthetic_options *o = &t->options;
    uint64_t r = derive(o->seed, 11, 0, 0);
    uint32_t count = t->kernel.instruction_count;
    for (uint32_t p = 0; p < o->phases; p++) {
        uint32_t start = phase_start(t, p);
        for (uint32_t i = 0; i + 1 < o->phase_length; i++)
            make_body_instruction(t, &r, start + i);
        t->instructions[start + o->phase_length - 1].unit_class = RP_CLASS_CONTROL;
        t->instructions[start + o->phase_length - 1].flags = RP_BRANCH;
        if (o->barriers)
            make_barrier(t, &r, start + o->phase_length);
    }
    t->instructions[count - 1].unit_class = RP_CLASS_CONTROL;
    t->instructions[count - 1].flags = RP_EXIT;
    uint64_t objects = derive(o->seed, 14, 0, 0), inlined = derive(o->seed, 15, 0, 0);
    for (uint32_t i = 0; o->objects && i < count; i++)
        if (t->instructions[i].unit_class != RP_CLASS_CONTROL && t->instructions[i].unit_class != RP_CLASS_BARRIER)
            make_object(t, &objects, i);
    if (o->clusters)
        make_clusters(t);
    if (o->meets)
        make_meetings(t);
    for (uint32_t i = 0; o->inlined && i < count; i++)
        t->instructions[i].inlined = below(&inlined, INLINED + 1);
    for (uint32_t c = 0; o->inlined && c < INLINED; c++)
        t->inlined[c] = (struct rp_inlined_call){"inlined", 0, 1000 + c, below(&inlined, c + 1)};
    uint64_t random = derive(o->seed, 13, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct rp_instruction *in = &t->instructions[i];
        in->control = o->control_words ? random_control(&random) : 0;
        snprintf(t->text[i], sizeof t->text[i], "%s.%u", rp_class_name((enum rp_class)in->unit_class), i);
        in->text = t->text[i];
        in->pc = 8 * (uint64_t)i;
        in->line = i + 1;
    }
}

/* Where the launch runs, what it waits for, and how large it is. */
static void place_launch(struct synthetic_trace *t, struct rp_launch *l, uint32_t number)
{
    uint64_t r = derive(t->options.seed, 31, number, 0);
    uint32_t *list = t->dependencies[number];
    l->stream = below(&r, t->options.streams);
    for (uint32_t earlier = 0; earlier < number && l->dependency_count < MOST_DEPENDENCIES; earlier++)
        if (chance(&r, 15))
            list[l->dependency_count++] = earlier;
    l->dependencies = list;
    l->grid[0] = 1 + below(&r, 2 * t->options.blocks);
    l->grid[1] = 1;
    l->dynamic_shared = chance(&r, 50) ? 0 : below(&r, 40000);
}

/* What the host does before the launch. */
static struct rp_host_operation operation_before(const struct synthetic_trace *t, uint32_t number, uint32_t which)
{
    static const uint8_t kinds[] = {RP_HOST_RECORD_EVENT,       RP_HOST_RECORD_EVENT,      RP_HOST_WAIT_EVENT,
                                    RP_HOST_WAIT_EVENT,         RP_HOST_SYNCHRONISE_EVENT, RP_HOST_SYNCHRONISE_STREAM,
                                    RP_HOST_SYNCHRONISE_STREAM, RP_HOST_SYNCHRONISE,       RP_HOST_COPY};
    uint64_t r = derive(t->options.seed, 32, number, which);
    struct rp_host_operation o = {.kind = kinds[below(&r, sizeof kinds)],
                                  .stream = below(&r, t->options.streams),
                                  .event = below(&r, 3),
                                  .address = GLOBAL_BASE,
                                  .size = 64};
    o.waits = o.kind == RP_HOST_COPY ? (uint8_t)below(&r, RP_WAITS_NOT + 1) : 0;
    return o;
}

static uint32_t operations_before(const struct synthetic_trace *t, uint32_t number)
{
    uint64_t r = derive(t->options.seed, 33, number, 0);
    return t->options.streams > 1 && chance(&r, 50) ? below(&r, 4) : 0;
}

/* The grid grows to whole clusters. */
static void cluster_launch(const struct synthetic_trace *t, struct rp_launch *l, uint32_t number)
{
    uint64_t r = derive(t->options.seed, 34, number, 0);
    for (int d = 0; d < 3; d++) {
        l->cluster[d] = d == 2 ? 1 : 1 + below(&r, d ? 2 : 4);
        l->grid[d] = (l->grid[d] + l->cluster[d] - 1) / l->cluster[d] * l->cluster[d];
    }
    l->cluster_shared = CLUSTER_SHARED;
    l->cluster_step = CLUSTER_STEP;
}

static void make_launch(struct synthetic_trace *t, struct rp_launch *l, uint32_t number)
{
    static const struct rp_allocation allocation = {GLOBAL_BASE, GLOBAL_BYTES, "arg0", true, 0};
    static const uint8_t params[PARAM_BYTES] = {1, 2, 3};
    uint32_t blocks = t->options.blocks, threads = t->options.threads;
    bool flat = blocks % 2 == 0 && number % 2 == 1;
    *l = (struct rp_launch){.grid = {flat ? blocks / 2 : blocks, flat ? 2 : 1, 1},
                            .block = {threads % 2 ? threads : threads / 2, threads % 2 ? 1 : 2, 1},
                            .shared_window = SHARED_WINDOW,
                            .shared_window_size = SHARED_WINDOW_BYTES,
                            .cooperative = t->options.meets,
                            .param_size = sizeof params,
                            .params = params,
                            .allocation_count = 1,
                            .allocations = &allocation};
    if (t->options.streams > 1)
        place_launch(t, l, number);
    if (t->options.clusters)
        cluster_launch(t, l, number);
}

static uint32_t or_default(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }

struct synthetic_trace *synthetic_new(const struct synthetic_options *options)
{
    struct synthetic_trace *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    struct synthetic_options *o = &t->options;
    *o = *options;
    o->launches = or_default(o->launches, 1);
    o->blocks = or_default(o->blocks, 4);
    o->threads = or_default(o->threads, 64);
    o->phases = or_default(o->phases, 3);
    o->phase_length = or_default(o->phase_length, 12);
    o->iterations = or_default(o->iterations, 6);
    uint32_t count = phase_start(t, o->phases) + 1;
    t->instructions = calloc(count, sizeof *t->instructions);
    t->operands = calloc(count, sizeof *t->operands);
    t->plans = calloc(count, sizeof *t->plans);
    t->registers = calloc(count, sizeof *t->registers);
    t->text = calloc(count, sizeof *t->text);
    t->launches = calloc(o->launches, sizeof *t->launches);
    t->dependencies = calloc(o->launches, sizeof *t->dependencies);
    if (!t->instructions || !t->operands || !t->plans || !t->registers || !t->text || !t->launches || !t->dependencies)
        abort();
    static const char *const files[] = {"synthetic.cu"};
    t->kernel = (struct rp_kernel){.name = "synthetic",
                                   .isa = "synthetic",
                                   .instruction_count = count,
                                   .instructions = t->instructions,
                                   .file_count = 1,
                                   .files = files,
                                   .inlined_count = o->inlined ? INLINED : 0,
                                   .inlined = t->inlined,
                                   .registers = 24,
                                   .static_shared = SHARED_BYTES,
                                   .local_bytes = LOCAL_BYTES};
    make_kernel(t);
    for (uint32_t l = 0; l < o->launches; l++)
        make_launch(t, &t->launches[l], l);
    return t;
}

void synthetic_free(struct synthetic_trace *t)
{
    if (!t)
        return;
    free(t->instructions);
    free(t->operands);
    free(t->plans);
    free(t->registers);
    free(t->text);
    free(t->launches);
    free(t->dependencies);
    free(t);
}

const struct rp_kernel *synthetic_kernel(const struct synthetic_trace *t) { return &t->kernel; }
const struct rp_launch *synthetic_launch(const struct synthetic_trace *t, uint32_t launch)
{
    return &t->launches[launch];
}

/* ---- the stories ------------------------------------------------------------------------------------------------- */

struct story {
    const struct synthetic_trace *trace;
    const struct rp_launch *launch;
    uint64_t block;
    uint32_t warp, iteration;
    uint64_t path_random, address_random;
    void (*step)(void *, const struct synthetic_step *);
    void *data;
};

static uint64_t region(const struct rp_memory_operand *m, const struct operand_plan *p, uint64_t *base)
{
    *base = 0;
    switch (m->space) {
    case RP_SPACE_SHARED:
    case RP_SPACE_SHARED_CLUSTER: return SHARED_BYTES;
    case RP_SPACE_LOCAL: return LOCAL_BYTES;
    case RP_SPACE_CONST: return CONST_BYTES;
    case RP_SPACE_PARAM: return PARAM_BYTES;
    case RP_SPACE_GENERIC:
        if (p->generic_shared) {
            *base = SHARED_WINDOW;
            return SHARED_BYTES;
        }
    }
    *base = GLOBAL_BASE;
    return GLOBAL_BYTES;
}

static void make_addresses(struct story *s, const struct rp_memory_operand *m, const struct operand_plan *p,
                           uint64_t address[RP_WARP_LANES])
{
    uint64_t base, elements = region(m, p, &base) / m->width;
    uint64_t warps = rp_launch_warps(&s->trace->launches[0]);
    uint64_t start = (s->block * warps + s->warp) * p->warp_step + (uint64_t)s->iteration * p->iteration_step;
    for (uint32_t l = 0; l < RP_WARP_LANES; l++) {
        uint64_t element = start;
        if (p->shape == SHAPE_AFFINE)
            element += (uint64_t)l * p->lane_step;
        else if (p->shape == SHAPE_SWIZZLED)
            element += l ^ (s->warp & 7) ^ (s->iteration & 1);
        else if (p->shape == SHAPE_RANDOM)
            element = synthetic_random(&s->address_random);
        address[l] = base + element % elements * m->width;
    }
}

/* Some in the memory of blocks of the cluster, of one for all lanes or not. */
static void send_away(struct story *s, const struct rp_memory_operand *m, const struct operand_plan *p,
                      uint64_t address[RP_WARP_LANES])
{
    uint32_t blocks = rp_launch_cluster(s->launch);
    bool may = m->space == RP_SPACE_SHARED_CLUSTER || (m->space == RP_SPACE_GENERIC && p->generic_shared);
    if (!s->trace->options.clusters || blocks == 1 || !may || chance(&s->address_random, 30))
        return;
    bool apart = chance(&s->address_random, 30);
    uint64_t rank = below(&s->address_random, blocks);
    for (uint32_t l = 0; l < RP_WARP_LANES; l++) {
        rank = apart ? below(&s->address_random, blocks) : rank;
        address[l] += CLUSTER_SHARED + rank * CLUSTER_STEP;
    }
}

static void do_instruction(struct story *s, uint32_t index, rp_lanemask active)
{
    const struct rp_instruction *in = &s->trace->instructions[index];
    struct synthetic_step step = {.index = index, .active = active, .executed = active};
    if (in->flags & RP_GUARDED) {
        uint32_t kind = below(&s->path_random, 6);
        step.executed = kind == 0 ? 0 : kind < 3 ? active : active & (rp_lanemask)synthetic_random(&s->path_random);
    }
    for (unsigned i = 0; step.executed && i < rp_aux_count(in); i++)
        step.aux[i] = in->unit_class == RP_CLASS_BARRIER
                          ? RP_BARRIER_AUX(index % 4, 0)
                          : synthetic_random(&s->address_random) >> below(&s->address_random, 64);
    for (uint32_t m = 0; step.executed && m < in->memory_count; m++) {
        make_addresses(s, &in->memory[m], &s->trace->plans[index][m], step.address[m]);
        send_away(s, &in->memory[m], &s->trace->plans[index][m], step.address[m]);
    }
    s->step(s->data, &step);
}

static void do_phase(struct story *s, uint32_t phase, rp_lanemask all)
{
    const struct synthetic_options *o = &s->trace->options;
    uint32_t start = phase_start(s->trace, phase), end = start + o->phase_length;
    uint32_t iterations = 1 + below(&s->path_random, o->iterations);
    for (s->iteration = 0; s->iteration < iterations; s->iteration++) {
        rp_lanemask half = all;
        if (chance(&s->path_random, o->diverge_percent))
            half &= (rp_lanemask)synthetic_random(&s->path_random);
        for (uint32_t i = start; half && i < end; i++)
            do_instruction(s, i, half);
        for (uint32_t i = start; half != all && i < end; i++)
            do_instruction(s, i, all & ~half);
    }
    rp_lanemask first = all;
    if (o->barriers && s->trace->instructions[end].barrier.kind >= RP_BARRIER_CLUSTER_ARRIVE &&
        chance(&s->path_random, 30))
        first &= (rp_lanemask)synthetic_random(&s->path_random);
    if (o->barriers && first)
        do_instruction(s, end, first);
    if (o->barriers && first != all)
        do_instruction(s, end, all & ~first);
}

void synthetic_warp(const struct synthetic_trace *t, uint32_t launch, uint64_t block, uint32_t warp,
                    void (*step)(void *, const struct synthetic_step *), void *data)
{
    const struct synthetic_options *o = &t->options;
    uint32_t threads = o->threads - 32 * warp;
    rp_lanemask all = threads >= 32 ? UINT32_MAX : (1u << threads) - 1;
    struct story s = {
        .trace = t, .launch = &t->launches[launch], .block = block, .warp = warp, .step = step, .data = data};
    s.address_random = derive(o->seed, 21 + launch, block, warp);
    /* half of the warps take the common path, as warps do */
    bool common = synthetic_random(&s.address_random) & 1;
    s.path_random = common ? derive(o->seed, 22, launch, 0) : derive(o->seed, 23 + launch, block, warp);
    for (uint32_t p = 0; p < o->phases; p++)
        do_phase(&s, p, all);
    s.iteration = 0;
    do_instruction(&s, t->kernel.instruction_count - 1, all);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct recording {
    const struct synthetic_trace *trace;
    struct rp_writer *writer;
    struct rp_chunk *chunk;
    struct rp_warp_log *log;
    uint32_t since_check;
    uint32_t events; /* that were recorded, a bit each */
    bool failed;
    struct rp_error *err;
};

static void flush(struct recording *r)
{
    struct rp_frame *frame = r->failed ? NULL : rp_chunk_finish(r->chunk, r->err);
    r->failed = r->failed || !frame || !rp_writer_commit(r->writer, frame, r->err);
}

static void log_step(void *data, const struct synthetic_step *step)
{
    struct recording *r = data;
    const struct rp_instruction *in = &r->trace->instructions[step->index];
    rp_log_run(r->log, step->index, 1, step->active);
    if (in->flags & RP_GUARDED)
        rp_log_guard(r->log, step->executed);
    for (unsigned i = 0; step->executed && i < rp_aux_count(in); i++)
        rp_log_aux(r->log, step->aux[i]);
    for (uint32_t m = 0; step->executed && m < in->memory_count; m++)
        rp_log_access(r->log, step->index, m, step->executed, step->address[m]);
    uint32_t limit = r->trace->options.chunk_bytes;
    if (limit && ++r->since_check % 8 == 0 && rp_chunk_bytes(r->chunk) > limit)
        flush(r);
}

/* Three blocks at a time are open, as blocks that wait for one another are. */
static void write_blocks(struct recording *r, uint32_t launch)
{
    const struct rp_launch *l = &r->trace->launches[launch];
    uint64_t blocks = rp_launch_blocks(l);
    for (uint64_t first = 0; first < blocks && !r->failed; first += 3) {
        struct rp_warp_log *logs[3];
        uint64_t open = blocks - first < 3 ? blocks - first : 3;
        for (uint64_t b = 0; b < open; b++)
            logs[b] = rp_chunk_begin_block(r->chunk, first + b, rp_launch_warps(l));
        for (uint32_t w = 0; w < rp_launch_warps(l); w++)
            for (uint64_t b = 0; b < open; b++) {
                r->log = &logs[b][w];
                synthetic_warp(r->trace, launch, first + b, w, log_step, r);
            }
        for (uint64_t b = 0; b < open; b++)
            rp_chunk_end_block(r->chunk, first + b);
        if (first / 3 % 3 == 2)
            flush(r);
    }
    flush(r);
}

static bool write_launch(struct recording *r, uint32_t launch)
{
    static const struct rp_launch_end end = {RP_OUTCOME_COMPLETE, NULL};
    uint32_t id;
    for (uint32_t i = 0; i < operations_before(r->trace, launch); i++) {
        struct rp_host_operation o = operation_before(r->trace, launch, i);
        bool waits = o.kind == RP_HOST_WAIT_EVENT || o.kind == RP_HOST_SYNCHRONISE_EVENT;
        if (waits && !(r->events >> o.event & 1))
            continue; /* there is no such event yet */
        r->events |= o.kind == RP_HOST_RECORD_EVENT ? 1u << o.event : 0;
        if (!rp_writer_add_host_operation(r->writer, &o, r->err))
            return false;
    }
    if (!rp_writer_begin_launch(r->writer, &r->trace->launches[launch], &id, r->err))
        return false;
    const struct rp_writer_options options = {.scattered = r->trace->options.scattered};
    r->chunk = rp_chunk_new(&r->trace->kernel, id, &options);
    if (!r->chunk)
        return rp_fail(r->err, RP_SYSTEM, "out of memory");
    write_blocks(r, launch);
    rp_chunk_free(r->chunk);
    return !r->failed && rp_writer_end_launch(r->writer, id, &end, r->err);
}

bool synthetic_write(const struct synthetic_trace *t, const char *path, struct rp_error *err)
{
    static const struct rp_option options[] = {{"kind", "synthetic"}};
    static const struct rp_provenance provenance = {
        .tool = "synthetic", .module_name = "none", .module_sha256 = "", .option_count = 1, .options = options};
    struct recording r = {.trace = t, .err = err, .writer = rp_writer_open(path, &provenance, NULL, err)};
    uint32_t id;
    if (!r.writer)
        return false;
    bool ok = rp_writer_add_kernel(r.writer, &t->kernel, &id, err);
    for (uint32_t l = 0; ok && l < t->options.launches; l++)
        ok = write_launch(&r, l);
    if (ok)
        return rp_writer_close(r.writer, err);
    rp_writer_abandon(r.writer);
    return false;
}

bool synthetic_trace_write(const char *path, const struct synthetic_options *options, struct rp_error *err)
{
    struct synthetic_trace *t = synthetic_new(options);
    bool ok = synthetic_write(t, path, err);
    synthetic_free(t);
    return ok;
}
