/* Branches, calls, returns, barriers. */
#include <string.h>

#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"

static uint32_t target_block(struct lowering *l, const struct ptx_label *label, uint32_t at)
{
    if (label->kind != LABEL_CODE)
        ptx_error(l->src, at, "'%s' is no place to branch to", label->name);
    return l->cfg.block_of[label->instruction];
}

static uint32_t own_block(const struct lowering *l) { return l->cfg.block_of[l->in - l->function->body.at]; }

void lower_branch(struct lowering *l)
{
    const struct ptx_operand *o = &l->in->operands[0];
    struct operation u = {.kind = UOP_BRANCH, .reconverge = UOP_NOWHERE};
    u.target = target_block(l, *o->label, o->at);
    u.flags = mods_have(&l->in->mods, M_UNI) ? UF_UNI : 0;
    if (l->in->guard != PTX_NO_REGISTER)
        u.reconverge = l->cfg.blocks[own_block(l)].postdominator;
    emit(l, u);
}

void lower_branch_table(struct lowering *l)
{
    const struct ptx_operand *o = &l->in->operands[1];
    const struct ptx_label *list = *o->label;
    struct operation u = {.kind = UOP_BRANCH_TABLE, .type = T_U32, .stype = T_U32};
    u.table = ARENA_ARRAY(l->arena, uint32_t, list->target_count);
    u.table_count = list->target_count;
    for (uint32_t i = 0; i < list->target_count; i++)
        u.table[i] = target_block(l, *list->targets[i], o->at);
    u.flags = mods_have(&l->in->mods, M_UNI) ? UF_UNI : 0;
    u.a = source(l, &l->in->operands[0], PT_U32);
    u.reconverge = l->cfg.blocks[own_block(l)].postdominator;
    emit(l, u);
}

/* Functions that the engine executes: those of CUDA's device runtime, and those that it calls of the driver where
 * libcudadevrt is linked in, whose PTX is with nvcc's programs. Without it, what launches take of it is here, too. */
static const struct host_function {
    const char *name;
    uint8_t call;                    /* enum host_call */
    uint32_t results, params, bytes; /* as uop.h lays them out */
} host_functions[] = {
    {"vprintf", HOST_VPRINTF, 1, 2, 24},
    {"__assertfail", HOST_ASSERTFAIL, 0, 5, 40},
    {"malloc", HOST_MALLOC, 1, 1, 16},
    {"free", HOST_FREE, 0, 1, 8},
    {"__cuda_syscall_cnpv2GetParameterBufferV2", HOST_PARAMETERS, 1, 4, 44},
    {"__cuda_syscall_cnpv2LaunchDeviceV2", HOST_SYSTEM_LAUNCH, 1, 2, 24},
    {"__cuda_syscall_cnpv2GetLastError", HOST_LAST_ERROR, 1, 0, 4},
    {"__cuda_syscall_cnpv2SetLastError", HOST_SET_ERROR, 1, 1, 8},
    {"__cudaCDP2GetParameterBufferV2", HOST_PARAMETERS, 1, 4, 44},
    {"__cudaCDP2LaunchDeviceV2", HOST_LAUNCH, 1, 2, 24},
    {"__cudaCDP2PeekAtLastError", HOST_LAST_ERROR, 1, 0, 4},
    {"__cudaCDP2GetLastError", HOST_TAKE_ERROR, 1, 0, 4},
    {"__reprise_ask", HOST_ASK, 2, 4, 40},
};

/* NULL: it is none of them. */
static const struct host_function *host_function(const struct ptx_function *f)
{
    for (unsigned i = 0; i < sizeof host_functions / sizeof *host_functions; i++)
        if (strcmp(f->name, host_functions[i].name) == 0)
            return &host_functions[i];
    return NULL;
}

static bool has_signature(const struct host_function *h, const struct ptx_signature *s)
{
    return s->result_count == h->results && s->param_count == h->params && s->bytes == h->bytes;
}

/* Whether it is a function of the first version of dynamic parallelism, whose kernels can wait for their children: CUDA
 * C++ Programming Guide, "CUDA Dynamic Parallelism". nvcc takes it only with CUDA_FORCE_CDP1_IF_SUPPORTED. */
static bool is_first_version(const char *name)
{
    static const char *const begins[] = {"cnp",
                                         "__cuda_syscall_cnp",
                                         "cudaLaunchDevice",
                                         "cudaGetParameterBuffer",
                                         "cudaDeviceSynchronize",
                                         "__cudaDeviceSynchronize"};
    if (!strncmp(name, "__cuda_syscall_cnpv2", strlen("__cuda_syscall_cnpv2")))
        return false;
    for (unsigned i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* The line of the source that the instruction is in, outside inlined functions; *file: NULL if it is not known. */
static uint32_t line_of_source(const struct lowering *l, const char **file)
{
    uint32_t number = l->in->source_file, line = l->in->source_line;
    *file = NULL;
    for (uint32_t i = l->in->inlined; i; i = l->unit->inlined.at[i - 1].inlined) {
        number = l->unit->inlined.at[i - 1].file;
        line = l->unit->inlined.at[i - 1].line;
    }
    for (uint32_t i = 0; line && i < l->unit->files.count; i++)
        if (l->unit->files.at[i].number == number)
            *file = l->unit->files.at[i].name;
    return line;
}

static _Noreturn void refuse_first_version(struct lowering *l, const struct ptx_operand *o)
{
    static const char text[] = "the first version of dynamic parallelism is not supported; compile without "
                               "CUDA_FORCE_CDP1_IF_SUPPORTED";
    const char *file;
    uint32_t line = line_of_source(l, &file);
    if (file)
        ptx_error(l->src, o->at, "%s:%u calls '%s'; %s", file, line, o->function->name, text);
    ptx_error(l->src, o->at, "%s (-lineinfo says which line calls '%s')", text, o->function->name);
}

/* With the ABI ptxas passes no predicates, and of 8 and 16 bits only .b8, .b16 and .f16 and arrays. */
static void check_passed(struct lowering *l, struct ptx_variable *const *list, uint32_t count)
{
    for (uint32_t i = 0; !l->unit->several_results && i < count; i++) {
        const struct ptx_variable *v = list[i];
        const struct ptx_type_info *t = &ptx_types[v->type];
        bool narrow = t->bits <= 16 && (t->kind == 'U' || t->kind == 'S') && !v->is_array && v->count == 1;
        if (v->is_predicate || narrow)
            ptx_error(l->src, l->in->at, "no call passes or returns one .%s: declare the parameter or result .%s",
                      v->is_predicate ? "pred" : t->name,
                      v->is_predicate ? "u32"
                      : t->bits == 8  ? "b8"
                                      : "b16");
    }
}

void lower_call(struct lowering *l)
{
    const struct ptx_operand *target = &l->in->operands[1];
    const struct ptx_signature *signature = ptx_call_signature(l->in);
    check_passed(l, signature->results, signature->result_count);
    check_passed(l, signature->params, signature->param_count);
    struct operation u = {.kind = UOP_CALL, .target = UOP_NOWHERE, .frame_bytes = l->function->frame_bytes};
    if (target->kind == PO_REGISTER) {
        u.a = source(l, target, PT_U64);
        u.table_count = l->unit->function_count + 1; /* filled when all functions have been lowered */
        l->current->calls_indirectly = true;
        emit(l, u);
        return;
    }
    struct ptx_function *f = target->function;
    if (is_first_version(f->name))
        refuse_first_version(l, target);
    if (f->defined) {
        u.target = f->number; /* likewise */
        VECTOR_PUSH(l->arena, &l->current->calls, l->function_index[f->number] - 1);
        emit(l, u);
        return;
    }
    const struct host_function *h = host_function(f);
    if (!h)
        ptx_error(l->src, target->at, "function '%s' is declared, and this module does not define it", f->name);
    if (!has_signature(h, &f->signature))
        ptx_error(l->src, target->at, "'%s' is not declared as CUDA's device runtime has it", f->name);
    if (h->call != HOST_ASSERTFAIL)
        l->order |= ORDER_OUTPUT;
    u.kind = UOP_HOST_CALL;
    u.imm = h->call;
    emit(l, u);
}

/* The alignment of what alloca allocates, as a power of two; the default is 8 bytes. */
static int64_t alignment(struct lowering *l, const struct ptx_operand *o)
{
    int64_t bytes = o ? o->value : 8;
    if (bytes < 1 || bytes > 1 << 20 || bytes & (bytes - 1))
        ptx_error(l->src, o->at, "an alignment is a power of two up to 2^20, not %lld", (long long)bytes);
    return __builtin_ctzll((uint64_t)bytes);
}

void lower_stack(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *o = in->operands;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    bool allocates = in->operand_count > 1, saves = !strcmp(in->form->opcode, "stacksave");
    struct operation u = {.kind = UOP_STACK, .type = ptx_types[type].lane, .stype = ptx_types[type].lane};
    u.op = allocates ? STACK_ALLOCATE : saves ? STACK_SAVE : STACK_RESTORE;
    if (!saves)
        u.a = source(l, &o[allocates], type);
    if (allocates) {
        u.b = constant(l, (uint64_t)l->function->frame_bytes + HOST_CALL_BYTES, 8);
        u.imm = alignment(l, in->operand_count > 2 ? &o[2] : NULL);
    }
    if (allocates || saves)
        u.d = destination(l, &o[0], type);
    l->current->takes_memory |= allocates;
    emit(l, u);
    if (allocates || saves)
        finish_destination(l, &o[0], type, u.d);
}

void lower_plain(struct lowering *l, enum uop_kind kind) { emit(l, (struct operation){.kind = (uint8_t)kind}); }

void lower_return(struct lowering *l) { lower_plain(l, l->function->is_entry ? UOP_EXIT : UOP_RETURN); }

static bool is_constant(const struct ptx_operand *o) { return o->kind == PO_INTEGER; }

static void set_barrier_id(struct lowering *l, struct operation *u, const struct ptx_operand *o)
{
    if (!is_constant(o)) {
        u->barrier.id = -1;
        u->a = source(l, o, PT_U32);
        return;
    }
    if (o->value < 0 || o->value > 15)
        ptx_error(l->src, o->at, "barriers are numbered 0 to 15");
    u->barrier.id = (int32_t)o->value;
}

static void set_barrier_count(struct lowering *l, struct operation *u, const struct ptx_operand *o)
{
    if (!is_constant(o)) {
        u->barrier.count = -1;
        u->b = source(l, o, PT_U32);
        return;
    }
    if (o->value < 0 || o->value > 1024 || o->value % RP_WARP_LANES)
        ptx_error(l->src, o->at, "a barrier's count of threads is a multiple of %d up to 1024", RP_WARP_LANES);
    u->barrier.count = (int32_t)o->value;
}

void lower_barrier(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_modifiers *mods = &in->mods;
    struct operation u = {.kind = UOP_BARRIER, .type = T_U32, .stype = T_U32};
    u.barrier.kind = (uint8_t)mods_value(mods, G_BARRIER, RP_BARRIER_SYNC);
    u.imm = mods_have(mods, M_POPC) ? BARRIER_POPC : mods_have(mods, M_AND) ? BARRIER_AND : BARRIER_OR;
    const struct ptx_operand *result = NULL;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        switch (in->form->operands[i].role) {
        case 'a': set_barrier_id(l, &u, o); break;
        case 'b': set_barrier_count(l, &u, o); break;
        case 'p': u.p = predicate_source(l, o, &u.p_flip); break;
        default: result = o;
        }
    }
    if (u.barrier.kind == RP_BARRIER_ARRIVE && u.barrier.count == 0)
        ptx_error(l->src, in->at, "arriving at a barrier needs a count of threads");
    if (result && mods_have(mods, M_POPC))
        u.d = destination(l, result, PT_U32);
    else if (result && result->kind == PO_REGISTER)
        u.pd = register_operand(result->reg);
    if (!strcmp(in->form->opcode, "bar") || mods_have(mods, M_ALIGNED))
        u.flags |= UF_ALIGNED;
    l->barrier = u.barrier;
    emit(l, u);
}

/* frontend/core/cluster.h */
void lower_cluster_barrier(struct lowering *l)
{
    bool arrives = mods_have(&l->in->mods, M_ARRIVE);
    uint8_t kind = arrives ? RP_BARRIER_ARRIVE : RP_BARRIER_SYNC;
    l->barrier.kind = arrives ? RP_BARRIER_CLUSTER_ARRIVE : RP_BARRIER_CLUSTER_WAIT;
    emit(l,
         (struct operation){.kind = UOP_BARRIER, .type = T_U32, .stype = T_U32, .barrier = {kind, CLUSTER_BARRIER, 0}});
}

void lower_warp_barrier(struct lowering *l)
{
    struct operation u = {.kind = UOP_BARRIER, .type = T_U32, .stype = T_U32, .barrier = {RP_BARRIER_WARP_SYNC, 0, 0}};
    u.a = source(l, &l->in->operands[0], PT_U32);
    l->barrier = u.barrier;
    emit(l, u);
}
