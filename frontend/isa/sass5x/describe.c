/* Static instructions as the trace has them. */
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "frontend/isa/sass5x/lower.h"

static uint32_t control_bits(const struct sass_lowering *l)
{
    const uint8_t *p = l->b.kernel->image.at + l->address / SASS_BUNDLE_BYTES * SASS_BUNDLE_BYTES;
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)p[i] << (8 * i);
    return sass_control(word, l->address % SASS_BUNDLE_BYTES / SASS_WORD_BYTES - 1);
}

/* What DEPBAR waits for besides its control bits. */
static uint64_t awaited(const struct sass_lowering *l)
{
    bool counts = strcmp(l->row->semantic, "DEPBAR.LE") == 0;
    if (!counts && strcmp(l->row->semantic, "DEPBAR") != 0)
        return 0;
    return RP_CONTROL_ALSO_WAIT(bits(l, 0, 6)) | (counts ? RP_CONTROL_COUNT(bits(l, 26, 3), bits(l, 20, 6)) : 0);
}

static uint16_t flags_of(const struct sass_lowering *l)
{
    static const struct {
        const char *semantic;
        uint16_t flags;
    } known[] = {{"BRA", RP_BRANCH},  {"BRX", RP_BRANCH}, {"SYNC", RP_BRANCH}, {"BRK", RP_BRANCH},
                 {"CONT", RP_BRANCH}, {"JMP", RP_BRANCH}, {"JMX", RP_BRANCH},  {"CAL", RP_CALL},
                 {"JCAL", RP_CALL},   {"RET", RP_RETURN}, {"EXIT", RP_EXIT}};
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(l->row->semantic, known[i].semantic) == 0)
            flags |= known[i].flags;
    if (flags & RP_BRANCH && strcmp(l->row->semantic, "BRA") == 0 && bit(l, 7))
        flags |= RP_UNIFORM_BRANCH;
    if (!(l->row->flags & SASS_NO_GUARD) && bits(l, 16, 4) != PT)
        flags |= RP_GUARDED | (bit(l, 19) ? RP_GUARD_NEGATED : 0);
    if (l->barrier.kind != RP_BARRIER_NONE && (l->barrier.id < 0 || l->barrier.count < 0))
        flags |= RP_HAS_AUX;
    return (uint16_t)flags;
}

static uint8_t class_of(const struct sass_lowering *l)
{
    bool wide = l->row->unit_class == RP_CLASS_CONVERT && (bits(l, 8, 2) == 3 || bits(l, 10, 2) == 3);
    if (strcmp(l->row->semantic, "I2F") == 0)
        wide = bits(l, 8, 2) == 3;
    if (strcmp(l->row->semantic, "F2I") == 0)
        wide = bits(l, 10, 2) == 3;
    return wide ? RP_CLASS_CONVERT64 : l->row->unit_class;
}

static void set_position(const struct sass_lowering *l, struct rp_instruction *out)
{
    const struct cubin_line *line = cubin_line(l->b.kernel, l->address);
    if (!line || line->file >= l->cubin->file_count)
        return;
    out->file = line->file;
    out->line = line->line;
    out->inlined = line->inlined; /* in the cubin's list for now */
}

/* Which source is read through which operand slots, those that reuse flags speak of. Of texture instructions these are
 * something else. */
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

void sass_describe(struct sass_lowering *l)
{
    static const uint8_t scopes[4] = {RP_SCOPE_CTA, RP_SCOPE_GPU, RP_SCOPE_SYSTEM, RP_SCOPE_SYSTEM};
    char text[SASS_TEXT_SIZE];
    struct rp_instruction out = {
        .pc = l->address, .raw = l->b.kernel->image.at + l->address, .raw_size = SASS_WORD_BYTES};
    out.control = control_bits(l);
    if (!sass_print(l->word, (uint32_t)out.control, l->address, l->arch, text, l->err))
        longjmp(*l->escape, 1);
    out.control |= awaited(l);
    out.text = arena_string(l->b.arena, text, strlen(text));
    out.unit_class = class_of(l);
    out.flags = flags_of(l);
    if (out.flags & RP_GUARDED)
        out.guard = RP_REGISTER(RP_FILE_PREDICATE, bits(l, 16, 3), 1);
    out.dst = l->b.dst.at;
    out.dst_count = l->b.dst.count;
    out.src = l->b.src.at;
    out.src_count = l->b.src.count;
    out.slots = slots_of(l);
    if (l->memory_count) {
        struct rp_memory_operand *m = ARENA_ARRAY(l->b.arena, struct rp_memory_operand, l->memory_count);
        for (uint32_t i = 0; i < l->memory_count; i++)
            m[i] = l->memory;
        out.memory = m;
        out.memory_count = l->memory_count;
    }
    out.barrier = l->barrier;
    out.fence_scope = out.unit_class == RP_CLASS_FENCE ? scopes[bits(l, 8, 2)] : RP_SCOPE_NONE;
    set_position(l, &out);
    VECTOR_PUSH(l->b.arena, &l->b.instructions, out);
}
