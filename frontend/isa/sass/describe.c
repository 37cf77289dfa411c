/* Makes the static instructions of the trace. */
#include <string.h>

#include "frontend/isa/sass/lower.h"

static void set_position(const struct sass_lowering *l, struct rp_instruction *out)
{
    const struct cubin_line *line = cubin_line(l->b.kernel, l->address);
    if (!line || line->file >= l->cubin->file_count)
        return;
    out->file = line->file;
    out->line = line->line;
    out->inlined = line->inlined; /* until sass_lower is done, a number in the cubin's list */
}

/* The operand slots through which each source is read, which reuse flags refer to. They have another meaning in texture
 * instructions. */
static uint32_t slots_of(const struct sass_lowering *l)
{
    uint32_t slots = 0;
    for (const struct sass_item *i = l->row->items; i->kind != SI_END && l->row->unit_class != RP_CLASS_TEXTURE; i++)
        for (uint32_t s = 0; i->kind == SI_REGISTER && i->reuse && s < l->b.src.count && s < 8; s++) {
            rp_register r = l->b.src.at[s];
            if (r != RP_REGISTER_ZERO && rp_register_file(r) == RP_FILE_GENERAL &&
                rp_register_index(r) == sass_field(l->word, i->f))
                slots |= 1u << (4 * s + i->reuse - 1);
        }
    return slots;
}

static void set_guard(const struct sass_lowering *l, struct rp_instruction *out)
{
    struct sass_bits at = l->b.family->table->guard;
    if (!sass_is_guarded(l))
        return;
    out->flags |= RP_GUARDED | (bit(l, at.at + at.width) ? RP_GUARD_NEGATED : 0);
    bool uniform = l->row->flags & SASS_UNIFORM_GUARD;
    out->guard = RP_REGISTER(uniform ? RP_FILE_UNIFORM_PREDICATE : RP_FILE_PREDICATE, bits(l, at.at, at.width), 1);
}

void sass_describe(struct sass_lowering *l)
{
    const struct sass_table *t = l->b.family->table;
    const struct sass_site site = {t, l->arch, l->address};
    char text[SASS_TEXT_SIZE];
    struct rp_instruction out = {
        .pc = l->address, .raw = l->b.kernel->image.at + l->address, .raw_size = t->word_bytes};
    out.control = sass_control_at(t, l->b.kernel->image.at, l->address);
    if (!sass_print(&site, l->word, (uint32_t)out.control, text, l->err))
        longjmp(*l->escape, 1);
    out.text = arena_string(l->b.arena, text, strlen(text));
    out.unit_class = l->row->unit_class;
    set_guard(l, &out);
    out.dst = l->b.dst.at;
    out.dst_count = l->b.dst.count;
    out.src = l->b.src.at;
    out.src_count = l->b.src.count;
    out.slots = slots_of(l);
    out.memory = l->memory.at;
    out.memory_count = l->memory.count;
    for (uint32_t i = 0; i < l->memory.count; i++)
        out.aux_count += (uint8_t)rp_operand_aux_count(&l->memory.at[i]);
    out.flags |= out.aux_count ? RP_HAS_AUX : 0;
    out.async = l->async;
    out.barrier = l->barrier;
    if (l->barrier.kind != RP_BARRIER_NONE && (l->barrier.id < 0 || l->barrier.count < 0))
        out.flags |= RP_HAS_AUX;
    out.fence_scope = RP_SCOPE_NONE;
    l->b.family->describe(l, &out);
    set_position(l, &out);
    VECTOR_PUSH(l->b.arena, &l->b.instructions, out);
}
