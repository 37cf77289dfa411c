#include "frontend/isa/sass5x/lower.h"

#include <stdio.h>
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "frontend/module/inlined.h"

static uint64_t word_at(const struct sass_lowering *l, uint32_t address)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)l->b.kernel->image.at[address + (unsigned)i] << (8 * i);
    return word;
}

/* Instruction i lies behind the control word of its bundle. */
static uint32_t address_of(uint32_t i) { return i / 3 * SASS_BUNDLE_BYTES + (i % 3 + 1) * SASS_WORD_BYTES; }

_Noreturn void sass_not_covered(struct sass_lowering *l, const char *what)
{
    char text[SASS_TEXT_SIZE];
    struct rp_error ignored;
    if (!sass_print(l->word, 0, l->address, l->arch, text, &ignored))
        snprintf(text, sizeof text, "0x%016llx", (unsigned long long)l->word);
    if (what)
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s': address 0x%x: %s in '%s' is not covered yet", l->path,
                l->b.kernel->name, l->address, what, text);
    else
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s': address 0x%x: '%s' is not covered yet", l->path,
                l->b.kernel->name, l->address, text);
    longjmp(*l->escape, 1);
}

static sass_semantic find_meaning(const char *name)
{
    static const struct sass_meaning *const all[] = {sass_integer, sass_float, sass_move, sass_convert, sass_memory,
                                                     sass_flow,    sass_video, sass_half, sass_texture};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const struct sass_meaning *m = all[i]; m->name; m++)
            if (strcmp(m->name, name) == 0)
                return m->lower;
    return NULL;
}

bool sass_is_executed(const struct sass_row *row) { return find_meaning(row->semantic); }

void sass_begin(struct sass_lowering *l, uint32_t i)
{
    sass_build_begin(&l->b, i);
    l->outside = OPERAND_NONE;
    l->memory_count = 0;
    l->barrier = (struct rp_barrier){0};
    l->start[i] = l->b.operations.count;
}

/* ---- what the shared part asks for ---- */

static struct operand family_guard(struct sass_build *b, bool *negated)
{
    return sass_guard((struct sass_lowering *)b, negated);
}

static void begin_runtime(struct sass_build *b, uint32_t i)
{
    static const struct sass_row row = {.flags = SASS_NO_GUARD};
    struct sass_lowering *l = (struct sass_lowering *)b;
    sass_begin(l, i);
    l->row = &row;
}

static void end_runtime(struct sass_build *b)
{
    sass_emit(b, (struct operation){.kind = UOP_POP, .imm = TOKEN_RETURN});
}

static void family_not_covered(struct sass_build *b, const char *what)
{
    sass_not_covered((struct sass_lowering *)b, what);
}

const struct sass_family sass5x_family = {
    .instruction_bytes = SASS_WORD_BYTES,
    .parameters = 0x140,
    .launch_word = sass5x_launch_word,
    .guard = family_guard,
    .begin_runtime = begin_runtime,
    .end_runtime = end_runtime,
    .not_covered = family_not_covered,
};

static void lower_instruction(struct sass_lowering *l, uint32_t i)
{
    sass_begin(l, i);
    l->address = address_of(i);
    l->word = word_at(l, l->address);
    l->row = sass_find(l->word, l->arch);
    if (!l->row) {
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s': address 0x%x: 0x%016llx is no instruction of sm_%u",
                l->path, l->b.kernel->name, l->address, (unsigned long long)l->word, l->cubin->sm);
        longjmp(*l->escape, 1);
    }
    sass_semantic meaning = find_meaning(l->row->semantic);
    if (!meaning)
        sass_not_covered(l, NULL);
    find_sources(l);
    meaning(l);
    sass_describe(l);
}

/* Instructions up to the last that is no padding. */
static uint32_t count_instructions(const struct sass_lowering *l)
{
    uint32_t count = l->b.kernel->image.size / SASS_BUNDLE_BYTES * 3;
    while (count > 1 && word_at(l, address_of(count - 1)) == SASS_NOP)
        count--;
    return count;
}

static void place_targets(struct sass_lowering *l)
{
    for (uint32_t i = 0; i < l->b.operations.count; i++) {
        struct operation *u = &l->b.operations.at[i];
        if (u->kind == UOP_BRANCH || u->kind == UOP_PUSH)
            u->target = l->start[u->target];
    }
    for (uint32_t t = 0; t < l->everywhere_count; t++)
        l->everywhere[t] = l->start[l->everywhere[t]];
}

static void set_parameters(struct sass_lowering *l, struct program *p)
{
    const struct cubin_kernel *k = l->b.kernel;
    p->parameter_count = k->parameter_count;
    p->parameter_bytes = k->parameter_bytes;
    p->parameters = ARENA_ARRAY(l->b.arena, struct parameter, k->parameter_count + 1);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct cubin_parameter *from = &k->parameters[i];
        uint32_t align = from->size & -(uint32_t)from->size;
        p->parameters[i] = (struct parameter){.offset = from->offset, .size = from->size, .align = align ? align : 1};
        p->parameters[i].name = arena_printf(l->b.arena, "%u", i);
    }
}

static uint32_t product(const uint32_t v[3]) { return v[0] * v[1] * v[2]; }

static void fill_in(struct sass_lowering *l, struct program *p)
{
    const struct cubin_kernel *k = l->b.kernel;
    p->operations = l->b.operations.at;
    p->constants = constants_area(&l->b.constants, l->b.arena);
    p->uop_count = l->b.operations.count;
    p->frame_bytes = l->stack + (l->b.calls_runtime ? RUNTIME_FRAME : 0);
    p->static_shared = k->static_shared;
    p->max_threads = product(k->max_threads);
    memcpy(p->required_threads, k->required_threads, sizeof p->required_threads);
    p->order = l->b.order;
    set_parameters(l, p);
    p->kernel = (struct rp_kernel){.name = p->name,
                                   .isa = arena_printf(l->b.arena, "sm_%u", l->cubin->sm),
                                   .instruction_count = l->b.instructions.count,
                                   .instructions = l->b.instructions.at,
                                   .file_count = l->cubin->file_count,
                                   .files = l->cubin->files,
                                   .registers = k->registers,
                                   .static_shared = k->static_shared,
                                   .local_bytes = l->stack,
                                   .max_threads = p->max_threads};
    inlined_keep(l->b.arena, l->cubin->inlined, l->cubin->inlined_count, l->b.instructions.at, l->b.instructions.count,
                 &p->kernel);
}

void sass_lower(struct sass_lowering *l, struct program *p)
{
    if (l->b.kernel->code.size < SASS_BUNDLE_BYTES) {
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s' has no code", l->path, l->b.kernel->name);
        longjmp(*l->escape, 1);
    }
    l->b.count = count_instructions(l);
    l->start = ARENA_ARRAY(l->b.arena, uint32_t, l->b.count + RUNTIME_FUNCTIONS);
    for (uint32_t i = 0; i < l->b.count; i++)
        lower_instruction(l, i);
    sass_lower_runtime(&l->b);
    const struct rp_live *live = sass5x_live(l);
    place_targets(l);
    fill_in(l, p);
    p->kernel.live = live;
}
