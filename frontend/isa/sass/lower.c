#include "frontend/isa/sass/lower.h"

#include <string.h>

#include "frontend/core/operands.h"
#include "frontend/isa/sass/window.h"
#include "frontend/module/inlined.h"

static const struct sass_table *table_of(const struct sass_lowering *l) { return l->b.family->table; }

static struct isa_word word_at(const struct sass_lowering *l, uint32_t address)
{
    return sass_word_at(table_of(l), l->b.kernel->image.at + address);
}

/* The error of the instruction at hand: FILE: kernel K: address A: `before`'TEXT'`behind`. */
static _Noreturn void refuse(struct sass_lowering *l, const char *before, const char *behind)
{
    const struct sass_site site = {table_of(l), l->arch, l->address};
    char text[SASS_TEXT_SIZE];
    struct rp_error ignored;
    if (!sass_print(&site, l->word, 0, text, &ignored))
        isa_word_print(text, l->word, site.table->word_bytes);
    rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s': address 0x%x: %s'%s'%s", l->path, l->b.kernel->name,
            l->address, before, text, behind);
    longjmp(*l->escape, 1);
}

_Noreturn void sass_not_covered(struct sass_lowering *l, const char *what)
{
    refuse(l, what ? arena_printf(l->b.arena, "%s in ", what) : "", " is not covered yet");
}

_Noreturn void sass_damaged(struct sass_lowering *l, const char *what)
{
    refuse(l, "the code is damaged: ", arena_printf(l->b.arena, ": %s", what));
}

sass_semantic sass_find_meaning(const struct sass_family *family, const struct sass_row *row)
{
    for (const struct sass_meaning *const *list = family->meanings; *list; list++)
        for (const struct sass_meaning *m = *list; m->name; m++)
            if (strcmp(m->name, row->semantic) == 0)
                return m->lower;
    return NULL;
}

void sass_begin(struct sass_lowering *l, uint32_t i)
{
    sass_build_begin(&l->b, i);
    l->outside = OPERAND_NONE;
    l->memory = (memory_operands){0};
    l->barrier = (struct rp_barrier){0};
    l->async = (struct rp_async){0};
    l->start[i] = l->b.operations.count;
}

/* ---- what build.h asks for ---- */

struct operand sass_build_guard(struct sass_build *b, bool *negated)
{
    return sass_guard((struct sass_lowering *)b, negated);
}

void sass_build_begin_runtime(struct sass_build *b, uint32_t i)
{
    static const struct sass_row row = {.flags = SASS_NO_GUARD};
    struct sass_lowering *l = (struct sass_lowering *)b;
    sass_begin(l, i);
    l->row = &row;
}

_Noreturn void sass_build_not_covered(struct sass_build *b, const char *what)
{
    sass_not_covered((struct sass_lowering *)b, what);
}

_Noreturn void sass_build_damaged(struct sass_build *b, const char *what)
{
    sass_damaged((struct sass_lowering *)b, what);
}

/* ---- a kernel ---- */

static void lower_instruction(struct sass_lowering *l, uint32_t i)
{
    char hex[ISA_WORD_TEXT];
    sass_begin(l, i);
    l->address = sass_address(table_of(l), i);
    l->word = word_at(l, l->address);
    l->row = sass_find(table_of(l), l->word, l->arch);
    if (!l->row) {
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s': address 0x%x: %s is no instruction of sm_%u", l->path,
                l->b.kernel->name, l->address, isa_word_print(hex, l->word, table_of(l)->word_bytes), l->cubin->sm);
        longjmp(*l->escape, 1);
    }
    sass_semantic meaning = sass_find_meaning(l->b.family, l->row);
    if (!meaning)
        sass_not_covered(l, NULL);
    sass_find_sources(l);
    l->b.uniform = l->row->flags & SASS_UNIFORM_GUARD;
    meaning(l);
    sass_describe(l);
}

static bool is_padding(const struct sass_lowering *l, uint32_t i)
{
    struct isa_word word = word_at(l, sass_address(table_of(l), i)), nop = table_of(l)->nop;
    sass_clear(&word, table_of(l)->control);
    sass_clear(&nop, table_of(l)->control);
    return word.lo == nop.lo && word.hi == nop.hi;
}

/* The number of instructions up to the last one that is no padding. */
static uint32_t count_instructions(const struct sass_lowering *l)
{
    uint32_t bundle = sass_bundle_bytes(table_of(l)), each = table_of(l)->bundle_words - 1;
    uint32_t count = l->b.kernel->image.size / bundle * (each ? each : 1);
    while (count > 1 && is_padding(l, count - 1))
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
        if (l->everywhere[t] != UOP_NOWHERE)
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

/* What is reserved for the system lies in front of static shared memory from sm_90 on, before that behind dynamic
 * shared memory. */
static void set_shared(struct sass_lowering *l, struct program *p)
{
    uint32_t first = l->b.kernel->reserved_shared;
    p->static_shared = l->b.kernel->static_shared;
    p->shared_gaps = first;
    p->shared_behind = l->b.shared_behind;
    if (!first)
        return;
    struct extent *parts = ARENA_ARRAY(l->b.arena, struct extent, 2);
    parts[0] = (struct extent){.size = first, .name = "the memory that is reserved for the system", .is_system = true};
    parts[1] = (struct extent){.base = first, .size = p->static_shared, .name = "static shared memory"};
    p->shared = (struct extents){.at = parts, .count = 2};
}

static bool names_general(const rp_register *list, uint32_t count, bool others)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned first = rp_register_index(list[i]), end = first + rp_register_count(list[i]);
        bool stack = first <= STACK_POINTER && STACK_POINTER < end;
        if (rp_register_file(list[i]) == RP_FILE_GENERAL && stack != others)
            return true;
    }
    return false;
}

/* Whether code has alloca(): it moves its stack pointer by what another register says (loads of it are calls' own), or
 * uses a stack that is empty. */
static bool takes_memory(const struct sass_lowering *l)
{
    for (uint32_t i = 0; i < l->b.instructions.count; i++) {
        const struct rp_instruction *in = &l->b.instructions.at[i];
        if (!l->stack && in->memory_count && in->memory[0].space == RP_SPACE_LOCAL)
            return true;
        if (!in->memory_count && names_general(in->dst, in->dst_count, false) &&
            names_general(in->src, in->src_count, true) && names_general(in->src, in->src_count, false))
            return true;
    }
    return false;
}

static void fill_in(struct sass_lowering *l, struct program *p)
{
    const struct cubin_kernel *k = l->b.kernel;
    p->operations = l->b.operations.at;
    p->constants = constants_area(&l->b.constants, l->b.arena);
    p->uop_count = l->b.operations.count;
    p->frame_bytes = l->stack + (l->b.calls_runtime ? RUNTIME_FRAME : 0);
    set_shared(l, p);
    p->recursive = takes_memory(l);
    p->asks_of_images = l->b.asks_of_images;
    p->max_threads = product(k->max_threads);
    memcpy(p->required_threads, k->required_threads, sizeof p->required_threads);
    memcpy(p->required_cluster, k->required_cluster, sizeof p->required_cluster);
    p->max_cluster = k->max_cluster;
    p->explicit_cluster = k->explicit_cluster;
    p->order = l->b.order;
    set_parameters(l, p);
    p->kernel = (struct rp_kernel){.name = p->name,
                                   .isa = arena_printf(l->b.arena, "sm_%u", l->cubin->sm),
                                   .instruction_count = l->b.instructions.count,
                                   .instructions = l->b.instructions.at,
                                   .file_count = l->cubin->file_count,
                                   .files = l->cubin->files,
                                   .registers = k->registers,
                                   .static_shared = p->static_shared,
                                   .local_bytes = l->stack,
                                   .max_threads = p->max_threads};
    inlined_keep(l->b.arena, l->cubin->inlined, l->cubin->inlined_count, l->b.instructions.at, l->b.instructions.count,
                 &p->kernel);
}

/* Nothing may follow the last operation. */
static void check_end(struct sass_lowering *l)
{
    const struct operation *last = &l->b.operations.at[l->b.operations.count - 1];
    if (last->index + 1 != l->b.count || !operation_may_fall_through(last))
        return;
    l->address = sass_address(table_of(l), last->index);
    l->word = word_at(l, l->address);
    sass_damaged(l, "it runs past its end");
}

void sass_lower(struct sass_lowering *l, struct program *p)
{
    if (l->b.kernel->code.size < sass_bundle_bytes(table_of(l))) {
        rp_fail(l->err, RP_BAD_INPUT, "%.200s: kernel '%.100s' has no code", l->path, l->b.kernel->name);
        longjmp(*l->escape, 1);
    }
    l->b.count = count_instructions(l);
    l->start = ARENA_ARRAY(l->b.arena, uint32_t, l->b.count + l->b.functions);
    for (uint32_t i = 0; i < l->b.count; i++)
        lower_instruction(l, i);
    sass_lower_runtime(&l->b);
    check_end(l);
    const struct rp_live *live = sass_find_live(l);
    place_targets(l);
    sass_pack_window(&l->b);
    fill_in(l, p);
    p->kernel.live = live;
}
