/* Functions that CUDA's device runtime provides. Cubins call them with arguments in R4 and the registers after it,
 * 64-bit ones in even pairs, and find the result in R4 (facts sheet, section 6). In a program each is one instruction
 * behind the code, which stands for all that the runtime does, and returns. Its arguments lie at the bottom of local
 * memory, farthest from where the stack begins. */
#include <string.h>

#include "frontend/isa/sass5x/lower.h"

struct argument {
    uint8_t reg, words, offset; /* offset: see frontend/core/uop.h, "A host call finds them" */
};
static const struct function {
    const char *name;
    struct argument arguments[5]; /* up to the first without words */
    struct argument result;
} functions[RUNTIME_FUNCTIONS] = {
    [HOST_VPRINTF] = {"vprintf", {{4, 2, 8}, {6, 2, 16}}, {4, 1, 0}},
    [HOST_ASSERTFAIL] = {"__assertfail", {{4, 2, 0}, {6, 2, 8}, {8, 1, 16}, {10, 2, 24}, {12, 2, 32}}, {0}},
    [HOST_MALLOC] = {"malloc", {{4, 2, 8}}, {4, 2, 0}},
    [HOST_FREE] = {"free", {{4, 2, 0}}, {0}},
};

uint64_t sass_runtime_address(const char *symbol)
{
    uint32_t i = 0;
    while (i < RUNTIME_FUNCTIONS && strcmp(functions[i].name, symbol) != 0)
        i++;
    return RUNTIME_BASE + (uint64_t)SASS_WORD_BYTES * i;
}

uint32_t sass_runtime_function(struct sass_lowering *l, uint32_t function)
{
    if (function != HOST_ASSERTFAIL)
        l->order |= ORDER_OUTPUT;
    l->calls_runtime = true;
    return l->count + function;
}

static void pass(struct sass_lowering *l, const struct argument *a, bool store)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32, .stype = T_U32, .flags = UF_SILENT};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_LOCAL,
                                          .kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD,
                                          .elements = a->words,
                                          .width = (uint8_t)(4 * a->words)};
    u.imm = a->offset;
    if (a->words == 2) {
        u.lists[0].at = register_list_at(l, a->reg, 2, !store);
        u.lists[0].count = 2;
    } else {
        u.d = store ? read_register(l, a->reg) : written(l, a->reg);
    }
    sass_emit(l, u);
}

static void lower_function(struct sass_lowering *l, uint32_t i)
{
    static const struct sass_row row = {.flags = SASS_NO_GUARD};
    const struct function *f = &functions[i];
    sass_begin(l, l->count + i);
    l->row = &row;
    for (unsigned a = 0; a < 5 && f->arguments[a].words; a++)
        pass(l, &f->arguments[a], true);
    sass_emit(l, (struct operation){.kind = UOP_HOST_CALL, .imm = i});
    if (f->result.words)
        pass(l, &f->result, false);
    sass_emit(l, (struct operation){.kind = UOP_POP, .imm = TOKEN_RETURN});
    struct rp_instruction out = {.pc = RUNTIME_BASE + (uint64_t)SASS_WORD_BYTES * i,
                                 .text = f->name,
                                 .unit_class = RP_CLASS_CONTROL,
                                 .flags = RP_RETURN};
    out.dst = l->dst.at;
    out.dst_count = l->dst.count;
    out.src = l->src.at;
    out.src_count = l->src.count;
    VECTOR_PUSH(l->arena, &l->instructions, out);
}

void sass_lower_runtime(struct sass_lowering *l)
{
    for (uint32_t i = 0; l->calls_runtime && i < RUNTIME_FUNCTIONS; i++)
        lower_function(l, i);
}
