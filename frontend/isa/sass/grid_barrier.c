/* Grid-wide barriers of CUDA's device runtime (libcudadevrt), which calls two functions of the driver. In a program the
 * barrier is some instructions after the code, and a trace has them as any others: the threads of a block meet,
 * the first one counts its block and waits until the last block has come, and all meet again.
 *
 * The workspace is that of %envreg1 and %envreg2. The word at offset 4 is a counter: the first block adds what makes
 * the top bit flip once each of the others has added 1. R4 and R5 are the handle, the workspace's address or 0; R6 and
 * R7 may be changed. The result in R4 is 0, or 1 without a workspace. */
#include "frontend/isa/sass/lower.h"

enum { HANDLE = 4, OLD = 6, NOW = 7, RESULT = 4, COUNTER_AT = 4 };

static struct operand any_of(struct sass_build *b, enum special x)
{
    struct operand any = special_register(b, x);
    for (unsigned i = 1; i < 3; i++)
        any = lane2(b, OP_OR, T_B32, any, special_register(b, x + i));
    return any;
}

/* A predicate. */
static struct operand compare(struct sass_build *b, enum compare how, enum lane_type type, struct operand x,
                              struct operand y)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .compare = (uint8_t)how};
    u.a = x;
    u.b = y;
    u.pd = sass_temporary(b);
    sass_emit(b, u);
    return u.pd;
}

/* Whether the lane is the block's first thread, and there is a workspace. */
static struct operand counts_block(struct sass_build *b)
{
    struct operand first = compare(b, CMP_EQ, T_U32, any_of(b, SR_TID_X), constant32(b, 0));
    struct operand handle = compare(b, CMP_NE, T_U64, read_pair(b, HANDLE), constant64(b, 0));
    return lane2(b, OP_AND, T_PRED, first, handle);
}

static struct operation counter(struct sass_build *b, enum rp_access_kind kind)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_U32, .dtype = T_U32, .stype = T_U64, .imm = COUNTER_AT};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_GLOBAL,
                                          .kind = (uint8_t)kind,
                                          .order = RP_ORDER_RELAXED,
                                          .scope = RP_SCOPE_GPU,
                                          .elements = 1,
                                          .width = 4,
                                          .value = RP_VALUE_UNSIGNED};
    u.a = read_pair(b, HANDLE);
    return u;
}

/* What comes before an access of the counter, in the same temporaries each time: whether the lane is the one that
 * counts, and the address. */
static struct operand begin_step(struct sass_build *b, enum rp_access_kind kind, struct operation *u)
{
    struct operand counts = counts_block(b);
    *u = counter(b, kind);
    return counts;
}

static void handle(struct sass_build *b)
{
    struct operand grid = compare(b, CMP_EQ, T_U32, read_register(b, HANDLE), constant32(b, 1)), word;
    for (unsigned i = 0; i < 2; i++) {
        word = special_register(b, i ? SR_WORKSPACE_HIGH : SR_WORKSPACE_LOW);
        sass_emit(b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SELP,
                                        .type = T_B32,
                                        .d = written(b, HANDLE + i),
                                        .a = word,
                                        .b = constant32(b, 0),
                                        .p = grid});
    }
    b->family->end_runtime(b);
}

static void arrive(struct sass_lowering *l)
{
    struct sass_build *b = &l->b;
    struct operation u;
    b->early = true;
    struct operand counts = begin_step(b, RP_ACCESS_ATOMIC, &u), blocks = special_register(b, SR_NCTAID_X), sum;
    for (unsigned i = 1; i < 3; i++)
        blocks = lane2(b, OP_MUL, T_U32, blocks, special_register(b, SR_NCTAID_X + i));
    sum = lane2(b, OP_SUB, T_U32, constant32(b, 0x80000001), blocks);
    struct operation choose = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .a = sum, .b = constant32(b, 1)};
    choose.p = compare(b, CMP_EQ, T_U32, any_of(b, SR_CTAID_X), constant32(b, 0));
    choose.d = sass_temporary(b);
    sass_emit(b, choose);
    b->early = false;
    u.memory.atomic = RP_ATOMIC_ADD;
    u.b = choose.d;
    u.d = written(b, OLD);
    b->order |= order_of_access(&u.memory, true);
    sass_access_where(l, &u, counts);
}

static void poll(struct sass_lowering *l)
{
    struct operation u;
    l->b.early = true;
    struct operand counts = begin_step(&l->b, RP_ACCESS_LOAD, &u);
    l->b.early = false;
    u.d = written(&l->b, NOW);
    sass_access_where(l, &u, counts);
}

/* Polls again unless the top bit has flipped. The branch leads behind the begin of `poll`, whose temporaries are made
 * again here. */
static void again(struct sass_lowering *l)
{
    struct sass_build *b = &l->b;
    struct operation unused;
    struct operand counts = begin_step(b, RP_ACCESS_LOAD, &unused);
    struct operand flipped = lane2(b, OP_XOR, T_B32, read_register(b, OLD), read_register(b, NOW));
    struct operand waits = compare(b, CMP_GE, T_S32, flipped, constant32(b, 0));
    waits = lane2(b, OP_AND, T_PRED, counts, waits);
    sass_transfer_where(l, waits,
                        (struct operation){.kind = UOP_BRANCH, .reconverge = UOP_NOWHERE, .target = b->index - 1});
}

static void leave(struct sass_build *b)
{
    struct operand none = compare(b, CMP_EQ, T_U64, read_pair(b, HANDLE), constant64(b, 0));
    sass_emit(b, (struct operation){.kind = UOP_LANE,
                                    .op = OP_SELP,
                                    .type = T_B32,
                                    .d = written(b, RESULT),
                                    .a = constant32(b, 1),
                                    .b = constant32(b, 0),
                                    .p = none});
    b->family->end_runtime(b);
}

void sass_lower_grid_barrier(struct sass_build *b, uint32_t step, struct rp_instruction *out)
{
    struct sass_lowering *l = (struct sass_lowering *)b;
    switch (step) {
    case GRID_HANDLE: handle(b); break;
    case GRID_ARRIVE: arrive(l); break;
    case GRID_POLL: poll(l); break;
    case GRID_AGAIN: again(l); break;
    case GRID_LEAVE: leave(b); break;
    default: /* GRID_SYNC, GRID_MEET: the threads of the block meet */
        out->unit_class = RP_CLASS_BARRIER;
        out->barrier.kind = RP_BARRIER_SYNC;
        sass_emit(b, (struct operation){.kind = UOP_BARRIER, .type = T_U32, .barrier = out->barrier});
    }
    bool returns = step == GRID_HANDLE || step == GRID_LEAVE;
    out->flags = returns ? RP_RETURN : step == GRID_AGAIN ? RP_BRANCH : 0;
    if (l->memory.count) { /* most warps have no first thread: a guard, so that the trace says which lanes do it */
        out->flags |= RP_GUARDED;
        out->guard = RP_REGISTER(RP_FILE_PREDICATE, 0, 1);
        note_register(b, &b->src, out->guard);
    }
    out->memory = l->memory.at;
    out->memory_count = l->memory.count;
    out->unit_class = out->memory_count ? RP_CLASS_MEMORY : out->unit_class;
}
