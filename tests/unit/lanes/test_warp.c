/* Operations across lanes against the pseudo-code of the PTX ISA, and the ones that read the state of the warp. */
#include "harness.h"

enum { D = 1, A = 4, B = 7, C = 10, P = 13 };

static void put_words(struct bench_warp *w, int slot, const uint32_t *values)
{
    memcpy(w->slots + slot * SLOT, values, 4 * LANES);
}
static uint32_t word(struct bench_warp *w, int slot, int lane)
{
    return (uint32_t)get_element(w->slots + slot * SLOT, T_U32, lane);
}
static uint32_t predicate(struct bench_warp *w, int n) { return word(w, P, n); }

static struct operation make(int op, int type, int64_t imm, int level)
{
    struct lane_case c = {"warp", (uint8_t)op, (uint8_t)type, 0, 0, 0, imm, 0, 0, 0, 0, 0};
    struct operation u = operation_of(&c);
    u.p = OPERAND_REGISTER(P * SLOT), u.pd = OPERAND_REGISTER(P * SLOT + 4);
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "op %d type %d imm %ld", op, type, imm);
    return u;
}
#define EACH_LEVEL for (int level = 2; level <= widest_level(); level++)

static int source_lane(int mode, int lane, uint32_t b, uint32_t c, bool *pval)
{
    int bval = b & 31, cval = c & 31, mask = c >> 8 & 31, j;
    int max_lane = (lane & mask) | (cval & ~mask), min_lane = lane & mask;
    switch (mode) {
    case SHFL_UP: j = lane - bval, *pval = j >= max_lane; break;
    case SHFL_DOWN: j = lane + bval, *pval = j <= max_lane; break;
    case SHFL_BFLY: j = lane ^ bval, *pval = j <= max_lane; break;
    default: j = min_lane | (bval & ~mask), *pval = j <= max_lane; break;
    }
    return *pval ? j : lane;
}
static void check_shuffle(struct operation u, int mode, int round, bool over_source)
{
    struct bench_warp *w = new_warp();
    uint32_t a[LANES], b[LANES], c[LANES], before[LANES];
    uint32_t segment = (uint32_t)((32 - (1 << round % 6)) << 8 | (mode == SHFL_UP ? 0 : 31)),
             uniform = (uint32_t)next_random();
    for (int l = 0; l < LANES; l++) {
        a[l] = (uint32_t)next_random();
        b[l] = round % 3 ? uniform : (uint32_t)next_random();
        c[l] = round % 4 ? segment : (uint32_t)next_random();
    }
    put_words(w, A, a), put_words(w, B, b), put_words(w, C, c);
    if (over_source)
        u.d = u.a;
    int slot = over_source ? A : D;
    uint32_t mask = round % 2 ? ~0u : (uint32_t)next_random(), p = predicate(w, 1);
    memcpy(before, w->slots + slot * SLOT, sizeof before);
    execute(&u, &w->warp, mask);
    for (int l = 0; l < LANES; l++) {
        bool pval, executed = mask >> l & 1;
        int from = source_lane(mode, l, b[l], c[l], &pval);
        cr_assert_eq(word(w, slot, l), executed ? a[from] : before[l], "shfl mode %d lane %d", mode, l);
        cr_assert_eq(predicate(w, 1) >> l & 1, executed ? pval : p >> l & 1, "shfl predicate mode %d lane %d", mode, l);
    }
}
Test(warp, shuffle)
{
    EACH_LEVEL
    for (int mode = SHFL_UP; mode <= SHFL_IDX; mode++) {
        struct operation u = make(OP_SHFL, T_B32, mode, level);
        for (int round = 0; round < 120; round++)
            check_shuffle(u, mode, round, round % 5 == 0);
    }
}

Test(warp, vote)
{
    static const uint32_t sources[] = {0, ~0u, 1, 0x80000000, 0xffff, 0xdeadbeef};
    static const uint32_t masks[] = {~0u, 1, 0xffff, 0xf0f0f0f0, 0xdeadbeef};
    EACH_LEVEL
    for (int i = 0; i < 6 * 5 * 4 * 3; i++) {
        uint32_t p = sources[i % 6], executed = masks[i / 6 % 5], form = (uint32_t)i / 120, members[LANES];
        int mode = i / 30 % 4;
        struct operation u = make(OP_VOTE, T_B32, mode, level);
        struct operand list = REG(B);
        struct bench_warp *w = new_warp();
        if (form)
            u.lists[0] = (struct operand_list){&list, 1};
        u.p_flip = form == 2;
        for (int l = 0; l < LANES; l++)
            members[l] = executed | 0x00ff0000;
        put_words(w, B, members);
        memcpy(w->slots + P * SLOT, &p, 4);
        uint32_t before = predicate(w, 1), d = word(w, D, 31);
        execute(&u, &w->warp, executed);
        int yes = 0, all = 0;
        for (int l = 0; l < LANES; l++)
            if (executed >> l & 1)
                all++, yes += ((p >> l & 1) ^ u.p_flip);
        bool result = mode == VOTE_ALL ? yes == all : mode == VOTE_ANY ? yes > 0 : yes == 0 || yes == all;
        for (int l = 0; l < LANES && mode == VOTE_BALLOT; l++)
            if (executed >> l & 1)
                cr_assert_eq(word(w, D, l), (u.p_flip ? ~p : p) & executed, "ballot");
        if (mode == VOTE_BALLOT)
            cr_assert(executed >> 31 || word(w, D, 31) == d);
        else
            cr_assert_eq(predicate(w, 1), (before & ~executed) | (result ? executed : 0), "vote mode %d", mode);
    }
}

static void check_match(int type, int all, int round, int level)
{
    struct operation u = make(OP_MATCH, type, all, level);
    struct bench_warp *w = new_warp();
    uint64_t a[LANES], choices = 1 + next_random() % 3;
    uint32_t mask = round % 2 ? ~0u : (uint32_t)next_random() | 1,
             members = round % 3 ? ~0u : (uint32_t)next_random() | mask, m[LANES];
    for (int l = 0; l < LANES; l++) {
        put_element(w->slots + A * SLOT, type, l, a[l] = (next_random() % choices) << (type == T_B64 ? 33 : 3));
        m[l] = members;
    }
    put_words(w, B, m);
    execute(&u, &w->warp, mask);
    uint32_t voters = mask & members;
    for (int l = 0; l < LANES; l++) {
        uint32_t same = 0;
        for (int k = 0; k < LANES; k++)
            same |= (uint32_t)(a[k] == a[l] && voters >> k & 1) << k;
        if (!(mask >> l & 1))
            continue;
        cr_assert_eq(word(w, D, l), all ? (same == voters ? voters : 0) : same, "match all %d type %d lane %d", all,
                     type, l);
        if (all)
            cr_assert_eq(predicate(w, 1) >> l & 1, same == voters);
    }
}
Test(warp, match)
{
    EACH_LEVEL
    for (int round = 0; round < 60; round++)
        for (int k = 0; k < 4; k++)
            check_match(k & 1 ? T_B64 : T_B32, k >> 1, round, level);
}

Test(warp, reduction)
{
    static const int ops[] = {RP_ATOMIC_ADD, RP_ATOMIC_MIN, RP_ATOMIC_MAX, RP_ATOMIC_AND, RP_ATOMIC_OR, RP_ATOMIC_XOR};
    EACH_LEVEL
    for (int i = 0; i < 6 * 2 * 20; i++) {
        int op = ops[i % 6], type = i / 6 % 2 ? T_S32 : T_U32;
        struct operation u = make(OP_REDUX, type, op, level);
        struct bench_warp *w = new_warp();
        uint32_t mask = (uint32_t)next_random() | 2, a[LANES], m[LANES];
        uint64_t expected = 0;
        bool first = true;
        for (int l = 0; l < LANES; l++) {
            a[l] = (uint32_t)random_value(T_U32), m[l] = mask;
            if (mask >> l & 1)
                expected = first ? a[l] : atomic_apply(op, type, expected, a[l], 0), first = false;
        }
        put_words(w, A, a), put_words(w, B, m);
        uint32_t before = word(w, D, 0);
        execute(&u, &w->warp, mask);
        for (int l = 0; l < LANES; l++)
            if (mask >> l & 1)
                cr_assert_eq(word(w, D, l), expected, "redux op %d", op);
        cr_assert(mask & 1 || word(w, D, 0) == before);
    }
}

Test(warp, activemask_and_elect)
{
    EACH_LEVEL
    {
        struct operation active = make(OP_ACTIVEMASK, T_B32, 0, level), elect = make(OP_ELECT, T_B32, 0, level);
        struct bench_warp *w = new_warp();
        uint32_t m[LANES], mask = 0xfedc0010;
        execute(&active, &w->warp, mask);
        cr_assert(word(w, D, 4) == mask && word(w, D, 31) == mask && word(w, D, 0) != mask);
        for (int l = 0; l < LANES; l++)
            m[l] = 0xff000000;
        put_words(w, B, m);
        uint32_t before = predicate(w, 1);
        execute(&elect, &w->warp, mask);
        cr_assert_eq(word(w, D, 31), 25, "the lowest member executed: 25");
        cr_assert_eq(predicate(w, 1), (before & ~mask) | 1u << 25);
    }
}

/* Lanes of one instruction that name different masks: each group alone, against the definition lane by lane. */
struct grouped {
    uint32_t executed, keys[LANES], masks[LANES], a[LANES];
};
static struct grouped random_groups(void)
{
    struct grouped g = {.executed = (uint32_t)next_random() | 0x00400001};
    uint32_t strangers = (uint32_t)next_random() & ~g.executed; /* they do not come */
    for (int l = 0; l < LANES; l++) {
        g.keys[l] = (uint32_t)next_random() % 5;
        g.a[l] = (uint32_t)next_random() % 3;
    }
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < LANES; k++)
            g.masks[l] |= (uint32_t)(g.keys[k] == g.keys[l]) << k | (strangers & 1u << k);
    return g;
}
static uint32_t members_of(const struct grouped *g, int lane)
{
    uint32_t members = 0;
    for (int k = 0; k < LANES; k++)
        members |= (uint32_t)(g->executed >> k & 1 && g->masks[k] == g->masks[lane]) << k;
    return members & g->masks[lane];
}
static uint32_t expected_of(const struct grouped *g, int op, int64_t imm, int lane, bool *p)
{
    uint32_t members = members_of(g, lane), same = 0, ones = 0, sum = 0;
    int lowest = __builtin_ctz(members);
    for (int k = 0; k < LANES; k++)
        if (members >> k & 1) {
            same |= (uint32_t)(g->a[k] == g->a[op == OP_MATCH && imm ? lowest : lane]) << k;
            ones |= (uint32_t)(g->a[k] != 0) << k;
            sum += g->a[k];
        }
    switch (op) {
    case OP_VOTE: *p = imm == VOTE_ANY ? ones != 0 : ones == members; return ones;
    case OP_MATCH: *p = same == members; return imm && same != members ? 0 : same;
    case OP_REDUX: return sum;
    case OP_ELECT: *p = lane == lowest; return (uint32_t)lowest;
    default: /* shfl.idx from lane a */ return members >> g->a[lane] & 1 ? g->a[g->a[lane]] : 0;
    }
}
static void check_groups(int op, int64_t imm, bool word_result, bool predicate_result, int level)
{
    struct grouped g = random_groups();
    struct bench_warp *w = new_warp();
    struct operation u = make(op, T_U32, imm, level);
    struct operand list = REG(B);
    uint32_t source = 0, c[LANES];
    for (int l = 0; l < LANES; l++) {
        source |= (uint32_t)(g.a[l] != 0) << l;
        c[l] = 31;
    }
    memcpy(w->slots + P * SLOT, &source, 4);
    put_words(w, A, g.a), put_words(w, C, c), put_words(w, B, g.masks);
    if (op == OP_VOTE || op == OP_SHFL)
        u.lists[0] = (struct operand_list){&list, 1};
    if (op == OP_SHFL) {
        u.b = REG(A), u.c = REG(C);
        u.flags |= UF_MEMBERS;
    }
    uint32_t before = predicate(w, 1);
    execute(&u, &w->warp, g.executed);
    for (int l = 0; l < LANES; l++) {
        bool p = false, executed = g.executed >> l & 1;
        uint32_t d = executed ? expected_of(&g, op, imm, l, &p) : 0;
        if (executed && word_result)
            cr_assert_eq(word(w, D, l), d, "op %d mode %ld lane %d: %x, not %x", op, imm, l, word(w, D, l), d);
        if (predicate_result)
            cr_assert_eq(predicate(w, 1) >> l & 1, executed ? p : before >> l & 1, "op %d mode %ld lane %d", op, imm,
                         l);
    }
}
Test(warp, groups_with_masks_of_their_own)
{
    EACH_LEVEL
    for (int round = 0; round < 200; round++) {
        check_groups(OP_VOTE, VOTE_BALLOT, true, false, level);
        check_groups(OP_VOTE, VOTE_ALL, false, true, level);
        check_groups(OP_VOTE, VOTE_ANY, false, true, level);
        check_groups(OP_MATCH, 0, true, false, level);
        check_groups(OP_MATCH, 1, true, true, level);
        check_groups(OP_REDUX, RP_ATOMIC_ADD, true, false, level);
        check_groups(OP_ELECT, 0, true, true, level);
        check_groups(OP_SHFL, SHFL_IDX, true, false, level);
    }
}

/* ---- special registers, frame, moves, packing ---- */

static uint64_t special(struct bench_warp *w, int which, int lane)
{
    uint32_t own = 1u << lane;
    switch (which) {
    case SR_TID_X:
    case SR_TID_Y:
    case SR_TID_Z: return w->warp.tid[which][lane];
    case SR_NTID_X: return 64;
    case SR_NTID_Y: return 2;
    case SR_NTID_Z: return 3;
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z: return (uint64_t)(7 + which - SR_CTAID_X);
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z: return (uint64_t)(10 + which - SR_NCTAID_X);
    case SR_LANEID: return (uint64_t)lane;
    case SR_WARPID: return 5;
    case SR_NWARPID: return 12;
    case SR_NSMID: return 1;
    case SR_LANEMASK_EQ: return own;
    case SR_LANEMASK_LT: return own - 1;
    case SR_LANEMASK_LE: return own | (own - 1);
    case SR_LANEMASK_GT: return ~(own | (own - 1));
    case SR_LANEMASK_GE: return ~(own - 1);
    case SR_CLOCK:
    case SR_GLOBALTIMER_LO: return 0x89abcdef;
    case SR_CLOCK_HI:
    case SR_GLOBALTIMER_HI: return 0x1234567;
    case SR_CLOCK64:
    case SR_GLOBALTIMER: return 0x123456789abcdef;
    case SR_DYNAMIC_SMEM_SIZE: return 4096;
    case SR_TOTAL_SMEM_SIZE: return 5000;
    case SR_CLUSTER_CTAID_X: return 2;
    case SR_CLUSTER_CTAID_Y: return 8;
    case SR_CLUSTER_CTAID_Z: return 1;
    case SR_CLUSTER_NCTAID_X: return 5;
    case SR_CLUSTER_NCTAID_Y: return 11;
    case SR_CLUSTER_NCTAID_Z: return 4;
    case SR_CLUSTERID_X: return 1;
    case SR_CLUSTERID_Y: return 0;
    case SR_CLUSTERID_Z: return 2;
    case SR_NCLUSTERID_X: return 2;
    case SR_NCLUSTERID_Y: return 1;
    case SR_NCLUSTERID_Z: return 3;
    case SR_CLUSTER_RANK: return 2 + 5 * (8 + 11 * 1);
    case SR_CLUSTER_BLOCKS: return 5 * 11 * 4;
    case SR_CLUSTER_EXPLICIT: return 1;
    case SR_CLUSTER_SHARED: return 0x800000;
    case SR_CLUSTER_MASK: return ~UINT64_C(0xf80000);
    default: return 0;
    }
}
Test(warp, special_registers)
{
    static const uint8_t types[] = {T_U16, T_U32, T_U64};
    EACH_LEVEL
    for (int which = 0; which < SR_COUNT; which++)
        for (int t = 0; t < 3; t++) {
            struct operation u = make(OP_SPECIAL, types[t], which, level);
            struct bench_warp *w = new_warp();
            w->warp.id = 5, w->warp.warp_ids = 12, w->warp.clock = 0x123456789abcdef;
            w->warp.dynamic_shared = 4096, w->warp.total_shared = 5000;
            for (uint32_t i = 0; i < 96; i++)
                w->warp.tid[i / 32][i % 32] = 1000 * (i / 32) + i;
            uint64_t before = get_element(w->slots + D * SLOT, types[t], 31);
            execute(&u, &w->warp, 0x7fffffff);
            for (int l = 0; l < 31; l++)
                cr_assert_eq(get_element(w->slots + D * SLOT, types[t], l),
                             zext(special(w, which, l), lane_type_bits(types[t])), "special register %d lane %d", which,
                             l);
            cr_assert_eq(get_element(w->slots + D * SLOT, types[t], 31), before);
        }
}
Test(warp, frame_address)
{
    EACH_LEVEL
    {
        struct operation u = make(OP_FRAME, T_U64, 48, level);
        struct bench_warp *w = new_warp();
        w->warp.frame = 0x2000;
        execute(&u, &w->warp, ~0u);
        cr_assert_eq(get_element(w->slots + D * SLOT, T_U64, 17), 0x2030);
    }
}

static void check_packing(int type, int part, int level, int place)
{
    int count = (int)(lane_type_bits(type) / lane_type_bits(part));
    struct operand list[8];
    struct lane_case c = {"pack", OP_PACK, (uint8_t)type, (uint8_t)part, 0, 0, 0, 0, 0, 0, 0, 0};
    struct operation u = operation_of(&c);
    struct bench_warp *w = new_warp();
    for (int k = 0; k < count; k++)
        list[k] = OPERAND_REGISTER((uintptr_t)(A * SLOT + 256 * k));
    u.lists[0] = (struct operand_list){list, (uint32_t)count};
    u.d = place ? list[0] : u.d; /* over the first part */
    uint8_t parts[8 * 256], result[SLOT];
    memcpy(parts, w->slots + A * SLOT, sizeof parts);
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "pack %d of %d", type, part);
    execute(&u, &w->warp, ~0u);
    memcpy(result, operand_at(&w->warp, u.d), sizeof result);
    for (int l = 0; l < LANES; l++) {
        uint64_t value = 0;
        for (int k = 0; k < count; k++)
            value |= zext(get_element(parts + 256 * k, part, l), lane_type_bits(part))
                     << lane_type_bits(part) * (unsigned)k;
        cr_assert_eq(get_element(result, type, l), value, "pack %d of %d", type, part);
    }
    /* and back, with a sink in the middle and the first part over the source */
    u.op = OP_UNPACK, u.a = u.d;
    list[0] = place ? u.a : list[0];
    if (count > 2)
        list[1] = OPERAND_NONE;
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "unpack %d to %d", type, part);
    execute(&u, &w->warp, ~0u);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < LANES && is_register(list[k]); l++)
            cr_assert_eq(get_element(operand_at(&w->warp, list[k]), part, l),
                         zext(get_element(parts + 256 * k, part, l), lane_type_bits(part)), "unpack");
}
Test(warp, packing)
{
    static const uint8_t pairs[][2] = {{T_B64, T_B32}, {T_F64, T_F32}, {T_B64, T_B16},
                                       {T_B32, T_B16}, {T_B32, T_B8},  {T_B16, T_B8}};
    EACH_LEVEL
    for (int i = 0; i < 12; i++)
        check_packing(pairs[i / 2][0], pairs[i / 2][1], level, i % 2);
}
Test(warp, moves)
{
    static const uint8_t types[] = {T_B16, T_F16, T_B32, T_F32, T_B64, T_F64, T_B128};
    EACH_LEVEL
    for (int t = 0; t < 7; t++) {
        struct operation u = make(OP_MOV, types[t], 0, level);
        struct bench_warp *w = new_warp();
        uint8_t before[SLOT];
        memcpy(before, w->slots + D * SLOT, SLOT);
        execute(&u, &w->warp, 0x0f0f0f0f);
        int halves = types[t] == T_B128 ? 2 : 1;
        for (int l = 0; l < LANES * halves; l++)
            cr_assert_eq(get_element(w->slots + D * SLOT, types[t], l),
                         get_element(0x0f0f0f0f >> l % 32 & 1 ? w->slots + A * SLOT : before, types[t], l), "mov %d",
                         types[t]);
    }
}
Test(warp, predicates)
{
    EACH_LEVEL
    for (int op = OP_AND; op <= OP_NOT; op++) {
        struct operation u = make(op, T_PRED, 0, level);
        struct bench_warp *w = new_warp();
        uint32_t a = word(w, A, 0), b = word(w, B, 0), d = word(w, D, 0), mask = (uint32_t)next_random();
        execute(&u, &w->warp, mask);
        uint32_t r = op == OP_AND ? a & b : op == OP_OR ? a | b : op == OP_XOR ? a ^ b : ~a;
        cr_assert_eq(word(w, D, 0), (r & mask) | (d & ~mask), "predicate op %d", op);
        struct operation move = make(OP_MOV, T_PRED, 0, level);
        execute(&move, &w->warp, ~0u);
        cr_assert_eq(word(w, D, 0), a);
    }
}
Test(warp, lop3_to_a_predicate)
{
    EACH_LEVEL
    for (int combine = COMBINE_AND; combine <= COMBINE_XOR; combine++) {
        struct operation u = make(OP_LOP3, T_B32, 0xc0, level); /* a & b */
        u.combine = (uint8_t)combine;
        struct bench_warp *w = new_warp();
        uint32_t a[LANES], b[LANES], p = predicate(w, 0), before = predicate(w, 1);
        for (int l = 0; l < LANES; l++)
            a[l] = next_random() & 3, b[l] = next_random() & 3;
        put_words(w, A, a), put_words(w, B, b);
        execute(&u, &w->warp, 0x7ffffffe);
        for (int l = 0; l < LANES; l++) {
            bool t = a[l] & b[l], q = p >> l & 1,
                 r = combine == COMBINE_AND  ? t && q
                     : combine == COMBINE_OR ? t || q
                                             : t != q;
            bool executed = 0x7ffffffe >> l & 1;
            cr_assert_eq(predicate(w, 1) >> l & 1, executed ? r : before >> l & 1);
            cr_assert(!executed || word(w, D, l) == (a[l] & b[l]));
        }
    }
}

Test(levels, every_width_was_tested)
{
#ifdef __x86_64__
    if (widest_level() < 4)
        cr_skip_test("this CPU has no x86-64-v%d: the copies of the handlers above v%d were not run",
                     widest_level() + 1, widest_level());
#endif
    cr_assert(widest_level() >= 2);
}
Test(levels, what_is_not_covered_does_not_bind)
{
    struct lane_case cases[] = {{.op = OP_SQRT, .type = T_F16},
                                {.op = OP_FMA, .type = T_F16X2, .flags = UF_XORSIGN},
                                {.op = OP_DIV, .type = T_F64, .flags = UF_APPROX},
                                {.op = OP_ADD, .type = T_U32, .flags = UF_SAT},
                                {.op = OP_PRMT, .type = T_B32, .imm = 99},
                                {.op = OP_COUNT, .type = T_U32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct operation u = operation_of(&cases[i]);
        cr_assert_not(operation_bind(&u), "case %zu", i);
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_ADD, .type = T_U32, .flags = UF_FIRST | UF_UNI};
    cr_assert(operation_bind(&u) && u.fn == bind_at(&u, widest_level()));
}

/* ---- several vector operands, as matrix instructions have: D = A x B + C of 2 x 2, an element in each register. No
 * operation takes them yet, so the handler is the test's own ---- */

static void multiply_matrices(struct warp *w, const struct uop *u, lanemask executed)
{
    const struct operand *d = list_elements(u->lane, 0), *a = list_elements(u->lane, 1);
    const struct operand *b = list_elements(u->lane, 2), *c = list_elements(u->lane, 3);
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < 4 && executed >> l & 1; i++) {
            uint32_t sum = ((uint32_t *)operand_at(w, c[i]))[l];
            for (int k = 0; k < 2; k++)
                sum +=
                    ((uint32_t *)operand_at(w, a[i / 2 * 2 + k]))[l] * ((uint32_t *)operand_at(w, b[k * 2 + i % 2]))[l];
            ((uint32_t *)operand_at(w, d[i]))[l] = sum;
        }
}
Test(warp, several_vector_operands)
{
    struct bench_warp *w = new_warp();
    static const uint32_t fives[LANES] = {[0 ... LANES - 1] = 5};
    struct operand lists[4][4], five = put_constant(w, fives, sizeof fives);
    struct operation u = {.kind = UOP_LANE, .fn = multiply_matrices};
    uint32_t value[4][4][LANES];
    for (unsigned n = 0; n < 4; n++) {
        for (int i = 0; i < 4; i++) { /* C is the constant 5 */
            lists[n][i] = n == 3 ? five : OPERAND_REGISTER((n * 4 + (unsigned)i) * 256);
            memcpy(value[n][i], operand_at(&w->warp, lists[n][i]), sizeof value[n][i]);
        }
        u.lists[n] = (struct operand_list){lists[n], 4};
    }
    execute(&u, &w->warp, 0xffff00ff);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < LANES; l++) {
            uint32_t expected =
                5 + value[1][i / 2 * 2][l] * value[2][i % 2][l] + value[1][i / 2 * 2 + 1][l] * value[2][2 + i % 2][l];
            cr_assert_eq(((uint32_t *)operand_at(&w->warp, lists[0][i]))[l], l / 8 == 1 ? value[0][i][l] : expected);
        }
}

/* Lists of any lengths, next to each other in the descriptor. */
Test(warp, lists_of_any_length)
{
    struct operand elements[9];
    uint64_t descriptor[32];
    struct uop u;
    for (uint32_t i = 0; i < 9; i++)
        elements[i] = OPERAND_REGISTER(128 * i);
    for (uint32_t first = 0; first < 4; first++) {
        struct operation o = {.kind = UOP_LANE, .imm = -1, .pd2 = REG(P)};
        o.lists[0] = (struct operand_list){elements, first};
        o.lists[2] = (struct operand_list){elements + first, 9 - first};
        cr_assert_leq(uop_descriptor_bytes(&o), sizeof descriptor);
        uop_pack(&u, &o, descriptor);
        cr_expect(u.lane->imm == -1 && u.lane->pd2.at == REG(P).at);
        cr_assert(list_count(u.lane, 0) == first && !list_count(u.lane, 1) && list_count(u.lane, 2) == 9 - first);
        cr_assert_eq(list_count(u.lane, 3), 0);
        for (uint32_t i = 0; i < 9; i++)
            cr_expect_eq((i < first ? list_elements(u.lane, 0)[i] : list_elements(u.lane, 2)[i - first]).at,
                         elements[i].at);
    }
}
