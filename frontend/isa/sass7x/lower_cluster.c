/* Blocks of a cluster, the elected lane of a warp, and grids that depend on others. */
#include "frontend/isa/sass7x/lower.h"

static struct operand lowest_bit(struct sass_lowering *l, struct operand mask)
{
    return lane2(&l->b, OP_AND, T_B32, mask, lane2(&l->b, OP_SUB, T_U32, constant32(&l->b, 0), mask));
}

/* Sets pd in the lane of the bit. */
static void set_in_lane(struct sass_lowering *l, struct operand lane_bit, struct operand pd)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_EQ, .a = lane_bit, .pd = pd};
    u.b = sass_value_of(l, (struct operation){.op = OP_SPECIAL, .type = T_U32, .imm = SR_LANEMASK_EQ});
    sass_emit(&l->b, u);
}

struct operand sass7x_first_lane(struct sass_lowering *l)
{
    l->b.uniform = false;
    struct operand p = sass_temporary(&l->b), lane_bit = lowest_bit(l, sass7x_active_lanes(l));
    set_in_lane(l, lane_bit, p);
    sass_limit_to_guard(l, p);
    return p;
}

/* The lowest lane that executes this, of those in the mask if there is one; URd = its number. */
static void lower_elect(struct sass_lowering *l)
{
    struct operand mask = sass7x_active_lanes(l);
    if (has_uniform_source(l)) {
        struct operand among = read_uniform(&l->b, bits(l, AT_RA, 6));
        if (bit(l, 72))
            among = lane2(&l->b, OP_NOT, T_B32, among, among);
        mask = lane2(&l->b, OP_AND, T_B32, mask, among);
    } else if (bits(l, AT_PC, 4) != PT) {
        sass_not_covered(l, "a second predicate");
    }
    struct operand lane_bit = lowest_bit(l, mask);
    if (bits(l, AT_RD, 6) != URZ)
        sass7x_broadcast(l, sass_value_of(l, (struct operation){.op = OP_BFIND, .type = T_U32, .a = lane_bit}));
    struct operand pd = written_predicate(l, AT_PD);
    if (is_register(pd))
        set_in_lane(l, lane_bit, pd);
}

/* The barrier of a cluster (frontend/core/cluster.h). */
static void barrier(struct sass_lowering *l, bool arrives)
{
    struct operation u = {.kind = UOP_BARRIER, .type = T_U32};
    u.barrier = (struct rp_barrier){arrives ? RP_BARRIER_ARRIVE : RP_BARRIER_SYNC, CLUSTER_BARRIER, 0};
    l->barrier.kind = arrives ? RP_BARRIER_CLUSTER_ARRIVE : RP_BARRIER_CLUSTER_WAIT;
    sass_emit(&l->b, u);
}
static void lower_arrive(struct sass_lowering *l) { barrier(l, true); }
static void lower_wait(struct sass_lowering *l) { barrier(l, false); }

/* Warps give registers to one another. Here there are always enough. */
static void lower_setmaxreg(struct sass_lowering *l)
{
    enum { TRY_ALLOC = 2 };
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_EQ};
    if (bits(l, 72, 2) != TRY_ALLOC) {
        sass_lower_nothing(l);
        return;
    }
    u.a = u.b = constant32(&l->b, 0);
    u.pd = written_uniform_predicate(&l->b, bits(l, AT_PD, 3));
    if (is_register(u.pd))
        sass_emit(&l->b, u);
}

/* Grids run one after another: what a grid waits for has been done. */

const struct sass_meaning sass7x_cluster[] = {{"ELECT", lower_elect},
                                              {"UCGABAR_ARV", lower_arrive},
                                              {"UCGABAR_WAIT", lower_wait},
                                              {"PREEXIT", sass_lower_nothing},
                                              {"ACQBULK", sass_lower_nothing},
                                              {"USETMAXREG", lower_setmaxreg},
                                              {NULL, NULL}};
