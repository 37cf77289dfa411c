/* Control flow, convergence, barriers of a block.
 *
 * A branch leaves both sides to go on by themselves; they meet at BSYNC, where lanes wait for those that their barrier
 * register names (frontend/core/engine.h, "convergence barriers"). Each lane has barrier registers of its own. Calls
 * and returns are branches: return addresses are values in registers. An address is a byte offset in the kernel's
 * image. */
#include "frontend/isa/sass/window.h"
#include "frontend/isa/sass7x/lower.h"

enum { WORD_BYTES = 16 };

/* ---- conditions ---- */

/* The predicate beside the guard, if there is one other than PT. False: there is none. */
static bool condition(struct sass_lowering *l, struct operand *p)
{
    if (bits(l, AT_PC, 4) == PT)
        return false;
    struct operand value = read_predicate(l, AT_PC);
    *p = lane2(&l->b, OP_XOR, T_PRED, value, constant32(&l->b, bit(l, AT_PC + 3) ? ~0u : 0));
    return true;
}

static void transfer(struct sass_lowering *l, struct operation u)
{
    struct operand p;
    if (condition(l, &p))
        sass_transfer_where(l, p, u);
    else
        sass_emit(&l->b, u);
}

/* ---- targets ---- */

static const struct sass_item *item_of(const struct sass_lowering *l, unsigned kind)
{
    const struct sass_item *i = l->row->items;
    while (i->kind != SI_END && i->kind != kind)
        i++;
    return i->kind == SI_END ? NULL : i;
}

static int64_t signed_value(const struct sass_lowering *l, const struct sass_item *i)
{
    return sass_sign_extend(sass_value(l->word, i), (unsigned)i->f.width + i->g.width) * (1 << i->unit);
}

/* The target of a row that has one, relative to the next instruction. */
static int64_t target_of(struct sass_lowering *l)
{
    const struct sass_item *i = item_of(l, SI_TARGET);
    int64_t offset = i ? signed_value(l, i) : 0;
    if (!i)
        sass_not_covered(l, "this form");
    return (int64_t)l->address + WORD_BYTES + offset;
}

/* The number that stands beside a register, or alone. */
static int64_t number_of(struct sass_lowering *l)
{
    const struct sass_item *i = item_of(l, SI_IMMEDIATE);
    return i ? signed_value(l, i) : 0;
}

/* The lower word of Ra or URa plus an offset. The instruction reads the upper word, too; code has no such addresses. */
static struct operand address_in_register(struct sass_lowering *l, int64_t offset)
{
    bool uniform = has_uniform_source(l);
    unsigned n = bits(l, AT_RA, uniform ? 6 : 8);
    struct operand base = uniform ? read_uniform(&l->b, n) : read_register(&l->b, n);
    if (uniform)
        read_uniform(&l->b, n + 1);
    else
        read_register(&l->b, n + 1);
    return lane2(&l->b, OP_ADD, T_U32, base, constant32(&l->b, (uint32_t)offset));
}

static bool names_register(const struct sass_lowering *l)
{
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REGISTER && i->f.at == AT_RA)
            return true;
    return false;
}

enum together { PLAIN, UNIFORM, DIVERGED, CONVERGED };
static enum together together_of(const struct sass_lowering *l) { return (enum together)bits(l, 32, 2); }

/* .DIV and .CONV of branches through uniform registers. */
static void refuse_together(struct sass_lowering *l)
{
    enum { BRXU = 0x958, JMXU = 0x959 };
    if ((l->row->value == BRXU || l->row->value == JMXU) && together_of(l) >= DIVERGED)
        sass_not_covered(l, "the lanes' being together");
}

static void refuse_constant(struct sass_lowering *l)
{
    if (item_of(l, SI_CONSTANT))
        sass_not_covered(l, "a target in constant memory");
}

/* A call, return or branch through a register: to the target, or to the register and the target or number beside it. */
static void go(struct sass_lowering *l)
{
    const struct sass_item *relative = item_of(l, SI_TARGET);
    refuse_constant(l);
    refuse_together(l);
    int64_t to = relative ? target_of(l) : number_of(l);
    struct operand p;
    bool conditional = condition(l, &p); /* before the address: the first operation has the guard */
    struct operation u = names_register(l) ? sass_indirect(l, address_in_register(l, to)) : sass_jump(l, to);
    if (conditional)
        sass_transfer_where(l, p, u);
    else
        sass_emit(&l->b, u);
}

/* Branches through registers are relative to the next instruction. */
static void lower_brx(struct sass_lowering *l)
{
    struct operand p;
    refuse_together(l);
    bool conditional = condition(l, &p);
    struct operation u = sass_indirect(l, address_in_register(l, (int64_t)l->address + WORD_BYTES + number_of(l)));
    if (conditional)
        sass_transfer_where(l, p, u);
    else
        sass_emit(&l->b, u);
}

/* ---- branches ---- */

/* Whether the lanes that the uniform register names, without one all 32, are all (.CONV), or not all (.DIV), active
 * here. */
static struct operand lanes_together(struct sass_lowering *l, bool together)
{
    struct operand mask = has_uniform_source(l) ? read_uniform(&l->b, bits(l, AT_RA, 6)) : constant32(&l->b, ~0u);
    struct operand active = sass7x_active_lanes(l);
    if (has_uniform_source(l) && bit(l, 30))
        mask = lane2(&l->b, OP_NOT, T_B32, mask, mask);
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32};
    u.compare = together ? CMP_EQ : CMP_NE;
    u.a = lane2(&l->b, OP_AND, T_B32, active, mask);
    u.b = mask;
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.pd;
}

/* BRA.DIV under a guard: all lanes that are active here branch, unless those that the guard lets through are all that
 * the register names. ptxas guards it by what R2UR says of masks: where they differ, the lanes are not together. */
static void branch_diverged(struct sass_lowering *l, struct operand apart, struct operation u)
{
    bool negated;
    struct operand guard = sass_guard(l, &negated), all = constant32(&l->b, ~0u), kept_out = sass_temporary(&l->b);
    struct operation o = {.kind = UOP_LANE, .op = OP_XOR, .type = T_PRED, .d = kept_out, .a = guard};
    o.b = constant32(&l->b, negated ? 0 : ~0u);
    sass_emit_where(&l->b, o, all, false);
    o = (struct operation){.kind = UOP_LANE, .op = OP_OR, .type = T_PRED, .d = apart, .a = apart, .b = kept_out};
    sass_emit_where(&l->b, o, all, false);
    sass_emit_where(&l->b, u, apart, false);
}

static struct operand both(struct sass_lowering *l, struct operand p, struct operand q)
{
    return lane2(&l->b, OP_AND, T_PRED, p, q);
}

/* A branch, where the guard and the second predicate hold and the lanes, or a uniform predicate, are as it says. */
static void branch(struct sass_lowering *l, int64_t to)
{
    enum { BY_PREDICATE = 0x500, FORM = 0xf00 };
    bool by_predicate = (l->row->value & FORM) == BY_PREDICATE;
    enum together how = by_predicate ? UNIFORM : together_of(l);
    if (!by_predicate && how <= UNIFORM) {
        transfer(l, sass_jump(l, to));
        return;
    }
    struct operand p, q;
    if (by_predicate) {
        q = uniform_predicate(&l->b, bits(l, 24, 3));
        q = lane2(&l->b, OP_XOR, T_PRED, q, constant32(&l->b, bit(l, 27) ? ~0u : 0));
    } else {
        q = lanes_together(l, how == CONVERGED);
    }
    if (condition(l, &p))
        q = both(l, p, q);
    if (how == DIVERGED && !by_predicate && sass_is_guarded(l))
        branch_diverged(l, q, sass_jump(l, to));
    else
        sass_transfer_where(l, q, sass_jump(l, to));
}
static void lower_bra(struct sass_lowering *l) { branch(l, target_of(l)); }
static void lower_jmp(struct sass_lowering *l)
{
    refuse_constant(l);
    branch(l, number_of(l));
}

static void lower_exit(struct sass_lowering *l) { transfer(l, (struct operation){.kind = UOP_EXIT}); }

static void lower_bpt(struct sass_lowering *l) { sass_emit(&l->b, (struct operation){.kind = UOP_TRAP}); }

/* Return to the caller of a function of the runtime, whose address is in R20 and R21. */
void sass7x_end_runtime(struct sass_build *b)
{
    struct sass_lowering *l = (struct sass_lowering *)b;
    struct operand at = read_register(b, RETURN_ADDRESS);
    sass_emit(b, sass_indirect(l, at));
}

/* ---- convergence ---- */

static void lower_bssy(struct sass_lowering *l)
{
    if (bits(l, AT_PC, 4) != PT)
        sass_not_covered(l, "a second predicate");
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_ACTIVEMASK, .type = T_B32, .d = convergence_barrier(bits(l, AT_RD, 4))});
}

static void lower_bsync(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_BARRIER, .type = T_U32, .flags = UF_CONVERGENCE};
    u.barrier.kind = RP_BARRIER_WARP_SYNC;
    u.a = convergence_barrier(bits(l, AT_RD, 4));
    if (bits(l, AT_PC, 4) != PT)
        sass_not_covered(l, "a second predicate");
    sass_emit(&l->b, u);
}

static void lower_break(struct sass_lowering *l)
{
    transfer(l, (struct operation){.kind = UOP_BREAK, .a = convergence_barrier(bits(l, AT_RD, 4))});
}

enum { STATE_ACTIVE = 26 };

/* A barrier register or the mask of active lanes, by its number. */
static struct operand barrier_state(struct sass_lowering *l, unsigned n)
{
    if (n < 16)
        return convergence_barrier(n);
    if (n != STATE_ACTIVE)
        sass_not_covered(l, "this state of the warp");
    return sass7x_active_lanes(l);
}

static void lower_bmov(struct sass_lowering *l)
{
    enum { TO_REGISTER = 0x355, BARRIER_TO_BARRIER = 0xf55, BARRIER_FROM_BARRIER = 0xf56 };
    unsigned form = l->row->value, n = bits(l, AT_RA, 6);
    bool writes_state = form != TO_REGISTER && form != BARRIER_TO_BARRIER;
    if ((form & 0xff) == 0x57 || (writes_state && bit(l, 84)))
        sass_not_covered(l, "this form");
    if (writes_state) {
        if (n > 15)
            sass_not_covered(l, "this state of the warp");
        struct operand from = form == BARRIER_FROM_BARRIER ? convergence_barrier(bits(l, AT_RD, 4)) : source_raw(l, 0);
        move32(&l->b, convergence_barrier(n), from);
        return;
    }
    struct operand from = barrier_state(l, n);
    move32(&l->b, form == TO_REGISTER ? written(&l->b, bits(l, AT_RD, 8)) : convergence_barrier(bits(l, AT_RD, 4)),
           from);
    if (bit(l, 84) && n < 16)
        move32(&l->b, convergence_barrier(n), constant32(&l->b, 0));
}

/* WARPSYNC.COLLECTIVE L; body; ENDCOLLECTIVE; L: lanes of a mask come to such places in several arms of a branch. ptxas
 * writes one body, on the same registers, at each. So all lanes of the mask execute one of them together, and each goes
 * on at the L of its own WARPSYNC, whose address it keeps. */
static struct operand way_back(void)
{
    enum { BEHIND_RPC = 2 };
    return sass_place(RANGE_LINK, BEHIND_RPC);
}

static void gather(struct sass_lowering *l, struct operation *u)
{
    u->flags |= UF_GATHER;
    u->d = way_back();
    u->b = constant32(&l->b, (uint32_t)target_of(l));
}

static void lower_endcollective(struct sass_lowering *l)
{
    if (bits(l, AT_PC, 4) != PT)
        sass_not_covered(l, "a second predicate");
    struct operation u = sass_indirect(l, way_back());
    u.flags |= UF_GATHER;
    sass_emit(&l->b, u);
}

/* .EXCLUSIVE and .COLLECTIVE: lanes with different masks go on one mask after the other. Those whose mask is not that
 * of the first lane come here once more. */
static void one_mask_at_a_time(struct sass_lowering *l, struct operand mask)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_NE, .a = mask};
    u.b = sass7x_of_first_lane(l, mask);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass_transfer_where(l, u.pd, sass_jump(l, l->address));
}

static void lower_warpsync(struct sass_lowering *l)
{
    enum { ALL_90 = 0x948, REGISTER_FORM = 0x348, COLLECTIVE = 2 };
    unsigned way = bits(l, 85, 2);
    struct operation u = {.kind = UOP_BARRIER, .type = T_U32};
    if (bits(l, AT_PC, 4) != PT)
        sass_not_covered(l, "a second predicate");
    u.barrier.kind = RP_BARRIER_WARP_SYNC;
    if (l->row->value == ALL_90 && l->arch == SASS_90)
        u.a = constant32(&l->b, ~0u);
    else
        u.a = source_raw(l, 0);
    if (l->arch == SASS_90 && way == COLLECTIVE)
        gather(l, &u);
    l->barrier = u.barrier;
    sass_emit(&l->b, u);
    if (l->row->value == REGISTER_FORM && way)
        one_mask_at_a_time(l, u.a);
}

/* ptxas makes a NOP of bar.warp.sync where it has shown that the lanes are together. It makes no other NOP in code that
 * can be reached, but those behind a WARPSYNC. */
static void lower_nop(struct sass_lowering *l)
{
    sass_lower_nothing(l);
    sass_emit(&l->b, (struct operation){.kind = UOP_ORDER});
}

/* ---- barriers of a block ---- */

enum { BY_REGISTER_31D = 0x31d, ID_IN_REGISTER = 0x51d, COUNT_IN_REGISTER = 0x91d, BOTH_KNOWN = 0xb1d };

/* With both in one register the id is in its bits 0 to 3 and the count above bit 16. */
static void set_barrier(struct sass_lowering *l, struct operation *u)
{
    unsigned form = l->row->value;
    bool id_known = form == COUNT_IN_REGISTER || form == BOTH_KNOWN;
    bool count_known = form == ID_IN_REGISTER || form == BOTH_KNOWN;
    u->kind = UOP_BARRIER;
    u->type = T_U32;
    u->barrier.id = id_known ? (int32_t)bits(l, 54, 4) : -1;
    u->barrier.count = count_known ? (int32_t)bits(l, 42, 12) : bits(l, AT_RB, 8) == RZ ? 0 : -1;
    if (u->barrier.count % RP_WARP_LANES > 0)
        sass_not_covered(l, "this count");
    struct operand r = id_known && u->barrier.count >= 0 ? OPERAND_NONE : read_register(&l->b, bits(l, AT_RB, 8));
    if (form == BY_REGISTER_31D) {
        if (l->b.index == 0)
            sass_not_covered(l, "a barrier as a kernel's first instruction");
        l->b.early = true; /* lanes may wait at the barrier, so it is the instruction's first operation */
        u->a = lane2(&l->b, OP_AND, T_B32, r, constant32(&l->b, 0xf));
        r = lane2(&l->b, OP_SHR, T_U32, r, constant32(&l->b, 16));
        u->b = lane2(&l->b, OP_AND, T_B32, r, constant32(&l->b, 0xfff));
        l->b.early = false;
        return;
    }
    u->a = u->barrier.id < 0 ? r : OPERAND_NONE;
    u->b = u->barrier.count < 0 ? r : OPERAND_NONE;
}

static void lower_bar(struct sass_lowering *l)
{
    static const uint8_t reductions[4] = {BARRIER_POPC, BARRIER_AND, BARRIER_OR, 255};
    enum { SYNC_ALL = 2 };
    struct operation u = {.barrier.kind = RP_BARRIER_SYNC};
    unsigned how = bits(l, 78, 2), arrives = bit(l, 77);
    if (how == 1) {
        u.barrier.kind = RP_BARRIER_REDUCE;
        u.imm = reductions[bits(l, 74, 2)];
        if (arrives || u.imm == 255)
            sass_not_covered(l, "this reduction");
        sass7x_set_p(l, &u, AT_PC);
        if (u.imm == BARRIER_POPC)
            u.d = hidden_result(false);
        else
            u.pd = hidden_result(true);
    } else if (how == SYNC_ALL) {
        sass_not_covered(l, "this form");
    } else if (arrives) {
        u.barrier.kind = RP_BARRIER_ARRIVE;
    }
    set_barrier(l, &u);
    l->barrier = u.barrier;
    u.flags |= sass_is_guarded(l) ? UF_ALIGNED : 0; /* ptxas branches around one that is not aligned */
    sass_emit(&l->b, u);
}

static void lower_b2r(struct sass_lowering *l)
{
    if (bits(l, 78, 2) != 1)
        sass_not_covered(l, "this form");
    struct operand pd = written_predicate(l, AT_PD);
    move32(&l->b, written(&l->b, bits(l, AT_RD, 8)), hidden_result(false));
    if (is_register(pd))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = hidden_result(true)});
}

/* Without a source it is NANOSLEEP.CLEAR, which ends nobody's sleep here. */
static void lower_nanosleep(struct sass_lowering *l)
{
    if (l->source_count)
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_SLEEP, .type = T_U32, .a = source_raw(l, 0)});
    else
        sass_lower_nothing(l);
}

const struct sass_meaning sass7x_flow[] = {{"BRA", lower_bra},
                                           {"BRX", lower_brx},
                                           {"BRXU", lower_brx},
                                           {"JMP", lower_jmp},
                                           {"JMX", go},
                                           {"JMXU", go},
                                           {"CALL", go},
                                           {"RET", go},
                                           {"EXIT", lower_exit},
                                           {"BSSY", lower_bssy},
                                           {"BSYNC", lower_bsync},
                                           {"BREAK", lower_break},
                                           {"BMOV", lower_bmov},
                                           {"WARPSYNC", lower_warpsync},
                                           {"BAR", lower_bar},
                                           {"B2R", lower_b2r},
                                           {"BPT", lower_bpt},
                                           {"YIELD", sass_lower_nothing}, /* a hint: every split gets its turn */
                                           {"NANOSLEEP", lower_nanosleep},
                                           {"NOP", lower_nop},
                                           {"PMTRIG", sass_lower_nothing},
                                           {"ENDCOLLECTIVE", lower_endcollective},
                                           {NULL, NULL}};
