/* Functions of CUDA's device runtime. Cubins call them with arguments in R4 and the registers after it, 64-bit ones in
 * even pairs, and expect the result in R4. In a program each function is one instruction after the code: it does the
 * whole call and returns. Its arguments lie at the bottom of local memory, farthest from the start of the stack. */
#include <string.h>

#include "frontend/isa/sass/lower.h"

struct argument {
    uint8_t reg, words, offset; /* offset: see host calls in frontend/operation/uop.h */
};
static const struct function {
    const char *name;
    struct argument arguments[5]; /* the list ends at the first one without words */
    struct argument result;
} functions[RUNTIME_FUNCTIONS] = {
    [HOST_VPRINTF] = {"vprintf", {{4, 2, 8}, {6, 2, 16}}, {4, 1, 0}},
    [HOST_ASSERTFAIL] = {"__assertfail", {{4, 2, 0}, {6, 2, 8}, {8, 1, 16}, {10, 2, 24}, {12, 2, 32}}, {0}},
    [HOST_MALLOC] = {"malloc", {{4, 2, 8}}, {4, 2, 0}},
    [HOST_FREE] = {"free", {{4, 2, 0}}, {0}},
    [SET_CONDITION] = {.name = "cudaGraphSetConditional"},
    [GRID_HANDLE] = {.name = "__cuda_syscall_CGS_get_intrinsic_handle"},
    [GRID_SYNC] = {.name = "__cuda_syscall_CGS_sync"},
    [GRID_ARRIVE] = {.name = "grid barrier: the block arrives"},
    [GRID_POLL] = {.name = "grid barrier: the counter"},
    [GRID_AGAIN] = {.name = "grid barrier: the block waits"},
    [GRID_MEET] = {.name = "grid barrier: the block has waited"},
    [GRID_LEAVE] = {.name = "grid barrier: return"},
};

/* RUNTIME_FUNCTIONS: there is none. */
static uint32_t number_of(const struct sass_family *family, const char *symbol)
{
    uint32_t gradient;
    if (gradient_function(symbol, &gradient))
        return HOST_FUNCTIONS + gradient;
    for (uint32_t i = 0; i < RUNTIME_FUNCTIONS; i++)
        if (functions[i].name && !strcmp(functions[i].name, symbol))
            return i < GRID_HANDLE || family->table->word_bytes == 16 ? i : RUNTIME_FUNCTIONS;
    return RUNTIME_FUNCTIONS;
}

uint32_t sass_runtime_functions(const struct sass_family *family, const char *symbol)
{
    uint32_t i = number_of(family, symbol);
    if (i < HOST_FUNCTIONS || i == RUNTIME_FUNCTIONS)
        return HOST_FUNCTIONS;
    return i < SET_CONDITION ? SET_CONDITION : i < GRID_HANDLE ? GRID_HANDLE : RUNTIME_FUNCTIONS;
}

uint64_t sass_runtime_address(const struct sass_family *family, const char *symbol)
{
    return RUNTIME_BASE + (uint64_t)family->table->word_bytes * number_of(family, symbol);
}

uint32_t sass_runtime_function(struct sass_build *b, uint32_t function)
{
    if (function < HOST_FUNCTIONS && function != HOST_ASSERTFAIL)
        b->order |= ORDER_OUTPUT;
    b->calls_runtime = true;
    return b->count + function;
}

static void pass(struct sass_build *b, const struct argument *a, bool store)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32, .stype = T_U32, .flags = UF_SILENT};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_LOCAL,
                                          .kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD,
                                          .elements = a->words,
                                          .width = (uint8_t)(4 * a->words)};
    u.imm = a->offset;
    if (a->words == 2) {
        u.lists[0].at = register_list_at(b, a->reg, 2, !store);
        u.lists[0].count = 2;
    } else {
        u.d = store ? read_register(b, a->reg) : written(b, a->reg);
    }
    sass_emit(b, u);
}

static void call_host(struct sass_build *b, uint32_t i)
{
    const struct function *f = &functions[i];
    for (unsigned a = 0; a < 5 && f->arguments[a].words; a++)
        pass(b, &f->arguments[a], true);
    struct operation call = {.kind = UOP_HOST_CALL, .imm = i};
    if (b->family->table->word_bytes == 16)
        call.a = read_register(b, RETURN_ADDRESS);
    sass_emit(b, call);
    if (f->result.words)
        pass(b, &f->result, false);
}

/* The handle in R4 and R5 is the address of the condition, R6 its value (CUDA Runtime API, cudaGraphSetConditional). */
static void set_condition(struct sass_build *b, struct rp_instruction *out)
{
    struct sass_lowering *l = (struct sass_lowering *)b;
    struct operation u = {.kind = UOP_MEMORY, .type = T_U32, .dtype = T_U32, .stype = T_U64};
    u.memory = (struct rp_memory_operand){
        .space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_STORE, .elements = 1, .width = 4, .value = RP_VALUE_UNSIGNED};
    u.a = read_pair(b, 4);
    u.d = read_register(b, 6);
    sass_access(l, &u);
    out->unit_class = RP_CLASS_MEMORY;
    out->memory = l->memory.at;
    out->memory_count = l->memory.count;
}

static void lower_function(struct sass_build *b, uint32_t i)
{
    const bool fetches = i >= HOST_FUNCTIONS && i < SET_CONDITION;
    struct rp_instruction out = {.pc = RUNTIME_BASE + (uint64_t)b->family->table->word_bytes * i,
                                 .text = fetches ? gradient_function_name(i - HOST_FUNCTIONS) : functions[i].name,
                                 .unit_class = RP_CLASS_CONTROL,
                                 .flags = RP_RETURN};
    sass_build_begin_runtime(b, b->count + i);
    if (i < HOST_FUNCTIONS)
        call_host(b, i);
    else if (fetches)
        lower_gradient_function(b, i - HOST_FUNCTIONS);
    else if (i == SET_CONDITION)
        set_condition(b, &out);
    else
        sass_lower_grid_barrier(b, i, &out);
    if (i < GRID_HANDLE)
        b->family->end_runtime(b);
    out.dst = b->dst.at;
    out.dst_count = b->dst.count;
    out.src = b->src.at;
    out.src_count = b->src.count;
    VECTOR_PUSH(b->arena, &b->instructions, out);
}

void sass_lower_runtime(struct sass_build *b)
{
    for (uint32_t i = 0; b->calls_runtime && i < b->functions; i++)
        lower_function(b, i);
}
