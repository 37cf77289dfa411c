/* Barrier objects of sm_90 (PTX: mbarrier), which frontend/core/object.h lays out in its own way.
 *
 * What code knows of the layout are the upper word of an object's previous value, and the value that initialises it.
 * The lower word has 2^20 less the arrivals of each phase from bit 1 on. The upper word has 2^20 less the open arrivals
 * from bit 11 on, and in bit 31 the parity of the phase. */
#include "frontend/core/object.h"

#include "frontend/isa/sass7x/lower.h"

enum { COUNT = 1 << OBJECT_COUNT_BITS, EXPECTED_AT = 1, PENDING_AT = 11, PARITY_AT = 31 };

static struct operand widened(struct sass_lowering *l, struct operand v)
{
    return sass_value_of(l, (struct operation){.op = OP_CVT, .type = T_U64, .stype = T_U32, .a = v});
}

static struct operation begin(enum rp_object_operation what, enum rp_space space, enum rp_order order)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_OBJECT, .type = T_B64, .dtype = T_B64};
    u.memory = (struct rp_memory_operand){.space = (uint8_t)space,
                                          .kind = RP_ACCESS_OBJECT,
                                          .object = (uint8_t)what,
                                          .width = 8,
                                          .elements = 1,
                                          .scope = RP_SCOPE_CTA,
                                          .order = (uint8_t)order};
    return u;
}

struct operation sass7x_object_access(struct sass_lowering *l, enum rp_object_operation what, enum rp_order order)
{
    struct operation u = begin(what, RP_SPACE_SHARED, order);
    u.b = u.c = constant64(&l->b, 0);
    return u;
}

/* Of an object of any block of the cluster. */
static void set_address(struct sass_lowering *l, struct operation *u)
{
    u->memory.space = RP_SPACE_SHARED_CLUSTER;
    sass7x_set_address(l, u, 0, false);
    u->memory.space = RP_SPACE_SHARED;
}

/* Bits `at` to `at` + 19 of a word: 2^20 less a number of up to 20 bits. */
static struct operand complement(struct sass_lowering *l, struct operand number, unsigned at)
{
    struct operand v = lane2(&l->b, OP_SUB, T_U32, constant32(&l->b, COUNT), number);
    v = lane2(&l->b, OP_AND, T_B32, v, constant32(&l->b, COUNT - 1));
    return lane2(&l->b, OP_SHL, T_B32, v, constant32(&l->b, at));
}

/* The object's value as code of sm_90 sees it. With .TMASK the lower word is a mask of lanes, from which each lane
 * computes its own upper word: those before it have arrived, too. Here each lane gets its own at once, and no mask. */
static void write_state(struct sass_lowering *l, struct operand object, bool mask)
{
    struct operand words[2];
    sass7x_split(l, object, words);
    struct operand pending = lane2(&l->b, OP_AND, T_B32, words[0], constant32(&l->b, COUNT - 1));
    struct operand expected = lane2(&l->b, OP_SHR, T_U64, object, constant32(&l->b, OBJECT_COUNT_BITS)), parts[2];
    sass7x_split(l, expected, parts);
    expected = lane2(&l->b, OP_AND, T_B32, parts[0], constant32(&l->b, COUNT - 1));
    struct operand parity =
        lane2(&l->b, OP_SHL, T_B32, words[1], constant32(&l->b, PARITY_AT - (OBJECT_PHASE_AT - 32)));
    parity = lane2(&l->b, OP_AND, T_B32, parity, constant32(&l->b, 1u << PARITY_AT));
    struct operand high = lane2(&l->b, OP_OR, T_B32, complement(l, pending, PENDING_AT), parity);
    struct operand low = mask ? constant32(&l->b, 0) : complement(l, expected, EXPECTED_AT);
    sass7x_write_64(l, sass7x_pack(l, low, high));
}

/* ---- init ---- */

static void lower_exchange(struct sass_lowering *l)
{
    if (bits(l, AT_RD, 6) != URZ)
        sass_not_covered(l, "the result");
    struct operand first = sass7x_first_lane(l);
    struct operation u = sass7x_object_access(l, RP_OBJECT_INIT, RP_ORDER_RELEASE);
    struct operand number = read_uniform(&l->b, bits(l, AT_RB, 6));
    number = lane2(&l->b, OP_SHR, T_U32, number, constant32(&l->b, EXPECTED_AT));
    number = lane2(&l->b, OP_SUB, T_U32, constant32(&l->b, COUNT), number);
    u.b = widened(l, lane2(&l->b, OP_AND, T_B32, number, constant32(&l->b, COUNT - 1)));
    set_address(l, &u);
    sass_access_where(l, &u, first);
}

static void lower_cache(struct sass_lowering *l)
{
    if (!has_uniform_source(l) || bit(l, 72)) {
        move32(&l->b, written(&l->b, RZ), constant32(&l->b, 0));
        return;
    }
    struct operation u = sass7x_object_access(l, RP_OBJECT_INVALIDATE, RP_ORDER_RELEASE);
    set_address(l, &u);
    sass_access(l, &u);
}

/* ---- arrivals ---- */

enum { ARRIVE_EXPECT, ARRIVE_ONE, EXPECT_ONE, EXPECT, COMPLETE, ARRIVE_COUNT };

static void lower_arrive(struct sass_lowering *l)
{
    enum { MASK = 1, NO_RESULT = 2 };
    unsigned how = bits(l, 84, 3), returned = bits(l, 73, 2), d = bits(l, AT_RD, 8);
    bool drops = bit(l, 75), arrives = how == ARRIVE_EXPECT || how == ARRIVE_ONE || how == ARRIVE_COUNT;
    if (how > ARRIVE_COUNT || returned > NO_RESULT || (drops && !arrives))
        sass_not_covered(l, "this form");
    struct operation u = sass7x_object_access(l,
                                              !arrives ? RP_OBJECT_BYTES
                                              : drops  ? RP_OBJECT_DROP
                                                       : RP_OBJECT_ARRIVE,
                                              arrives ? RP_ORDER_RELEASE : RP_ORDER_RELAXED);
    struct operand number = widened(l, read_register(&l->b, bits(l, AT_RB, 8)));
    if (how == ARRIVE_COUNT)
        u.b = lane2(&l->b, OP_OR, T_B64, number, constant64(&l->b, drops ? OBJECT_DROP : 0));
    else if (arrives)
        u.b = constant64(&l->b, 1 | (drops ? OBJECT_DROP : 0));
    if (how == ARRIVE_EXPECT || how == EXPECT)
        u.c = number;
    else if (how == COMPLETE)
        u.c = lane2(&l->b, OP_SUB, T_U64, constant64(&l->b, 0), number);
    else if (how == EXPECT_ONE)
        u.c = constant64(&l->b, 1);
    set_address(l, &u);
    bool result = returned != NO_RESULT && d != RZ;
    u.d = result ? sass_temporary(&l->b) : OPERAND_NONE;
    sass_access(l, &u);
    if (result)
        write_state(l, u.d, returned == MASK);
}

/* Behind copies of a few bytes, which are complete. .TRANSCNT: one transaction less, which the instruction before has
 * added. */
static void lower_arrives(struct sass_lowering *l)
{
    enum { ARRIVALS = 1, TRANSACTIONS = 2 };
    unsigned counts = bits(l, 70, 2);
    if (l->arch != SASS_90) {
        sass7x_arrive(l, RZ, UF_BEHIND_COPIES);
        return;
    }
    if (counts != ARRIVALS && counts != TRANSACTIONS)
        sass_not_covered(l, "this form");
    struct operation u =
        sass7x_object_access(l, counts == ARRIVALS ? RP_OBJECT_ARRIVE_BEHIND : RP_OBJECT_ADD_BEHIND, RP_ORDER_RELEASE);
    u.b = constant64(&l->b, counts == ARRIVALS);
    u.c = constant64(&l->b, counts == ARRIVALS ? 0 : -(uint64_t)1);
    set_address(l, &u);
    sass_access(l, &u);
}

/* ---- tests ---- */

/* The phase is over when its parity differs from bit 31 of the register. */
static void lower_test(struct sass_lowering *l)
{
    struct operation u = sass7x_object_access(l, RP_OBJECT_TEST, RP_ORDER_ACQUIRE);
    if (l->b.index == 0)
        sass_not_covered(l, "a test as a kernel's first instruction");
    l->b.early = true;
    u.op = OP_OBJECT_PARITY;
    u.dtype = T_U32;
    u.flags |= bit(l, 72) ? UF_SUSPENDS : 0;
    u.b = lane2(&l->b, OP_SHR, T_U32, read_register(&l->b, bits(l, AT_RB, 8)), constant32(&l->b, PARITY_AT));
    set_address(l, &u);
    u.d = sass_temporary(&l->b);
    l->b.early = false;
    sass_access(l, &u);
    struct operation over = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U64, .compare = CMP_NE, .a = u.d};
    over.b = constant64(&l->b, 0);
    over.pd = written_predicate(l, AT_PD);
    sass_emit(&l->b, over);
}

static void lower_syncs(struct sass_lowering *l)
{
    enum { TEST = 0x5a7, ARRIVE = 0x9a7, CACHE = 0x9b1, EXCHANGE = 0x5b2 };
    switch (l->row->value) {
    case TEST: lower_test(l); break;
    case ARRIVE: lower_arrive(l); break;
    case CACHE: lower_cache(l); break;
    case EXCHANGE: lower_exchange(l); break;
    default: sass_not_covered(l, NULL);
    }
}

const struct sass_meaning sass7x_object[] = {{"SYNCS", lower_syncs}, {"ARRIVES", lower_arrives}, {NULL, NULL}};
