/* Words of constant banks. They become special registers, constants of the kernel, or loads that no trace records. */
#include "frontend/isa/sass/lower.h"

struct operand special_register(struct sass_build *b, enum special which)
{
    struct operand t = sass_temporary(b);
    sass_emit(b, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = t, .imm = which});
    return t;
}

static struct operand silent_load(struct sass_build *b, enum rp_space space, uint64_t offset, unsigned bytes)
{
    struct operation u = {.kind = UOP_MEMORY, .flags = UF_SILENT, .imm = (int64_t)offset};
    u.stype = space == RP_SPACE_GLOBAL ? T_U64 : T_U32;
    u.type = bytes == 4 ? T_B32 : bytes == 2 ? T_U16 : T_U8;
    u.dtype = bytes == 4 ? T_B32 : T_U32;
    u.memory = (struct rp_memory_operand){.space = (uint8_t)space, .kind = RP_ACCESS_LOAD, .elements = 1};
    u.memory.width = (uint8_t)bytes;
    u.d = sass_temporary(b);
    sass_emit(b, u);
    return u.d;
}

const struct sass_reference_word *reference_word(const struct sass_build *b, uint32_t offset)
{
    for (uint32_t i = 0; i < b->references.count; i++)
        if (b->references.at[i].offset == offset)
            return &b->references.at[i];
    return NULL;
}

/* A word of the parameters. Code reads the last one whole though they may end within it. */
static struct operand parameter_word(struct sass_build *b, uint32_t offset)
{
    uint32_t all = b->kernel->parameter_bytes, rest = offset < all ? all - offset : 4;
    if (rest == 1 || rest == 2 || rest >= 4)
        return silent_load(b, RP_SPACE_PARAM, offset, rest < 4 ? rest : 4);
    struct operand low = silent_load(b, RP_SPACE_PARAM, offset, 2);
    struct operand high = silent_load(b, RP_SPACE_PARAM, offset + 2, 1);
    return lane2(b, OP_OR, T_B32, low, lane2(b, OP_SHL, T_B32, high, constant32(b, 16)));
}

static struct operand word_of_bank_0(struct sass_build *b, uint32_t offset)
{
    const struct sass_reference_word *r = reference_word(b, offset);
    if (offset < b->parameters)
        return b->family->launch_word(b, offset);
    return r ? silent_load(b, RP_SPACE_GLOBAL, r->address, 4) : parameter_word(b, offset - b->parameters);
}

struct operand bank_word(struct sass_build *b, unsigned bank, uint32_t offset)
{
    if (bank == 0)
        return word_of_bank_0(b, offset);
    if (b->banks->at[bank] == CUBIN_UNKNOWN)
        sass_build_damaged(b, "the file does not have this constant bank");
    const struct cubin_bytes *own = &b->kernel->constant[bank];
    if (own->size >= 4 && offset <= own->size - 4) {
        const uint8_t *p = own->at + offset;
        return constant32(b, (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    }
    return silent_load(b, RP_SPACE_CONST, b->banks->at[bank] + offset, 4);
}
