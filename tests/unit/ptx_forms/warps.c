/* Every form of shfl, vote, match, redux, elect and activemask runs as PTX in whole and in part of a warp, and in
 * groups of its lanes that execute it at once, each with a mask of its own: tiles of 2 to 16 lanes, and lanes with the
 * same label. Each lane's results are compared with a model of 32 lanes, written from the pseudo-code and text of the
 * PTX ISA. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/operation/uop.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { LANES = BATCH_LANES, ROUNDS = 40, ROUNDS_OF_GROUPS = 30 };

struct lane_values {
    uint64_t a, b, c;
    uint32_t executes, vote;
    uint64_t mask; /* of those who execute it together */
};
struct lane_results {
    uint64_t d, q;
    bool open; /* PTX leaves d open */
};
/* ---- the model --------------------------------------------------------------------------------------------------- */

static bool executes(const struct lane_values *in, unsigned lane) { return lane < LANES && in[lane].executes; }

static void shuffled(const struct spelled *s, const struct lane_values *in, int lane, struct lane_results *r)
{
    int b = in[lane].b & 31, c = in[lane].c & 31, mask = in[lane].c >> 8 & 31, j = 0;
    int most = (lane & mask) | (c & ~mask), least = lane & mask;
    switch (mods_value(&s->mods, G_SHUFFLE, -1)) {
    case SHFL_UP: j = lane - b, r->q = j >= most; break;
    case SHFL_DOWN: j = lane + b, r->q = j <= most; break;
    case SHFL_BFLY: j = lane ^ b, r->q = j <= most; break;
    default: j = least | (b & ~mask), r->q = j <= most; break;
    }
    j = r->q ? j : lane;
    r->open = !executes(in, (unsigned)j);
    r->d = r->open ? 0 : low_bits(in[j].a, 32);
}

static void voted(const struct spelled *s, const struct lane_values *in, struct lane_results *r)
{
    unsigned yes = 0, no = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (executes(in, l)) {
            in[l].vote ? yes++ : no++;
            r->d |= (uint64_t)(in[l].vote != 0) << l;
        }
    int mode = mods_value(&s->mods, G_VOTE, -1);
    r->q = mode == VOTE_ALL ? no == 0 : mode == VOTE_ANY ? yes > 0 : yes == 0 || no == 0;
}

static void matched(const struct spelled *s, const struct lane_values *in, unsigned lane, struct lane_results *r)
{
    unsigned bits = bits_of((enum ptx_type)s->mods.types[0]);
    bool all = true;
    for (unsigned l = 0; l < LANES; l++)
        if (executes(in, l)) {
            bool same = low_bits(in[l].a, bits) == low_bits(in[lane].a, bits);
            all &= same;
            r->d |= (uint64_t)same << l;
        }
    if (mods_have(&s->mods, M_ALL)) {
        r->d = all ? r->d : 0;
        r->q = all;
    }
}

static bool reduced(const struct spelled *s, const struct lane_values *in, struct lane_results *r)
{
    bool is_signed = is_signed_type((enum ptx_type)s->mods.types[0]), first = true;
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t x = (uint32_t)in[l].a, d = (uint32_t)r->d;
        bool less = is_signed ? (int32_t)x < (int32_t)d : x < d;
        if (!executes(in, l))
            continue;
        switch (mods_value(&s->mods, G_OPERATION, -1)) {
        case RP_ATOMIC_ADD: r->d = d + x; break;
        case RP_ATOMIC_MIN: r->d = first || less ? x : d; break;
        case RP_ATOMIC_MAX: r->d = first || !less ? x : d; break;
        case RP_ATOMIC_AND: r->d = first ? x : d & x; break;
        case RP_ATOMIC_OR: r->d = d | x; break;
        case RP_ATOMIC_XOR: r->d = d ^ x; break;
        default: return false;
        }
        r->d = low_bits(r->d, 32);
        first = false;
    }
    return true;
}

/* The first lane that executes is elected: PTX says that one is, and always the same. */
static void elected(const struct lane_values *in, unsigned lane, struct lane_results *r)
{
    while (!executes(in, (unsigned)r->d))
        r->d++;
    r->q = r->d == lane;
}

static bool warp_model(const struct spelled *s, const struct lane_values *in, unsigned lane, struct lane_results *r)
{
    *r = (struct lane_results){0};
    switch (s->form->op) {
    case OP_SHFL: shuffled(s, in, (int)lane, r); return true;
    case OP_VOTE: voted(s, in, r); return true;
    case OP_MATCH: matched(s, in, lane, r); return true;
    case OP_REDUX: return reduced(s, in, r);
    case OP_ELECT: elected(in, lane, r); return true;
    case OP_ACTIVEMASK:
        for (unsigned l = 0; l < LANES; l++)
            r->d |= (uint64_t)executes(in, l) << l;
        return true;
    default: return false;
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define SAY(...) n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)
static size_t warp_instruction(char *to, size_t size, const struct spelled *s)
{
    size_t n = 0;
    bool mask_in_b = s->form->op == OP_MATCH || s->form->op == OP_REDUX || s->form->op == OP_ELECT;
    SAY("@%%go %s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        SAY("%s", i ? ", " : " ");
        switch (o->role) {
        case 'd': SAY(o->pair ? "%%d|%%q" : "%%d"); break;
        case 'q': SAY("%%q"); break;
        case 'p': SAY("%%vote"); break;
        case 'l': SAY("%%mask"); break;
        case 'a': SAY(bits_of(ptx_operand_type(o, &s->mods)) == 64 ? "%%wide" : "%%a"); break;
        case 'b': SAY(mask_in_b ? "%%mask" : "%%b"); break;
        default: SAY("%%c"); break;
        }
    }
    SAY(";\n");
    return n;
}

static size_t warp_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    size_t n = 0;
    SAY(".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%own, %%wide, %%x; .reg .b32 %%t, %%a, %%b, %%c, %%d, %%mask; .reg .pred %%go, "
        "%%vote, "
        "%%q;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n"
        "mul.wide.u32 %%own, %%t, %d; add.u64 %%in, %%in, %%own; mul.wide.u32 %%own, %%t, 16;\n"
        "add.u64 %%out, %%out, %%own; ld.global.b64 %%wide, [%%in]; cvt.u32.u64 %%a, %%wide;\n"
        "ld.global.b32 %%b, [%%in+8]; ld.global.b32 %%c, [%%in+16]; ld.global.b32 %%t, [%%in+24];\n"
        "setp.ne.u32 %%go, %%t, 0; ld.global.b32 %%t, [%%in+28]; setp.ne.u32 %%vote, %%t, 0;\n"
        "ld.global.b32 %%mask, [%%in+32];\n"
        "mov.b32 %%d, 0xabcd; setp.ne.u32 %%q, 0, 0;\n",
        number, (int)sizeof(struct lane_values));
    n += warp_instruction(to + n, size - n, s);
    SAY("cvt.u64.u32 %%x, %%d; st.global.b64 [%%out], %%x;\n"
        "selp.b64 %%x, 1, 0, %%q; st.global.b64 [%%out+8], %%x;\nret;\n}\n");
    return n;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static void fill_lanes(struct batch *b, unsigned round, struct lane_values *in)
{
    static const uint64_t corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x8000000000000000};
    uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0x0000ffff, 0xf0f0f0f0, (uint32_t)batch_random(b) | 2};
    uint32_t mask = masks[round % 6], segment = (32u - (1u << batch_random(b) % 6)) << 8;
    uint64_t kinds = 1 + batch_random(b) % 4, amount = batch_random(b) % 34, most = batch_random(b) % 2 ? 31 : 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t any = batch_random(b);
        in[l].a = round % 3 == 0 ? any : corners[any % kinds + round % 4];
        in[l].b = round % 2 ? amount : batch_random(b) % 40;
        in[l].c = segment | most;
        in[l].executes = mask >> l & 1;
        in[l].mask = mask;
        in[l].vote = round % 5 == 0 ? 0 : round % 5 == 1 ? 1 : batch_random(b) & 1;
    }
}

/* Tiles of 2, 4, 8 or 16 lanes, all of them or some, or lanes with the same of up to 8 labels, some of which stay away:
 * those of a label have the mask of all of them. */
static void part_lanes(struct batch *b, unsigned round, struct lane_values *in)
{
    unsigned size = 2u << round % 4, labels = 1 + (unsigned)(batch_random(b) % 8), label[LANES];
    uint64_t away = round % 3 ? batch_random(b) : 0;
    for (unsigned l = 0; l < LANES; l++)
        label[l] = round % 5 < 3 ? l / size : (unsigned)(batch_random(b) % labels);
    away = away & away >> 7 & 0xffff; /* labels, a fourth of them */
    for (unsigned l = 0; l < LANES; l++) {
        in[l].executes = !(away >> label[l] & 1);
        in[l].mask = 0;
        for (unsigned k = 0; k < LANES; k++)
            in[l].mask |= (uint64_t)(label[k] == label[l]) << k;
    }
}

/* What lane `of` has to do with. */
static void see_group(const struct spelled *s, const struct lane_values *in, unsigned of, struct lane_values *seen)
{
    memcpy(seen, in, LANES * sizeof *in);
    for (unsigned l = 0; l < LANES && s->form->op != OP_ACTIVEMASK; l++)
        seen[l].executes &= (uint32_t)(in[of].mask >> l) & 1;
}

static bool gives(const struct spelled *s, char role)
{
    for (uint32_t i = 0; i < s->operands; i++)
        if (s->form->operands[i].role == role || (role == 'q' && s->form->operands[i].pair))
            return true;
    return false;
}

static void compare_lane(const struct spelled *s, const struct lane_values *in, unsigned lane, const uint64_t out[2])
{
    struct lane_results r = {.d = 0xabcd};
    struct lane_values seen[LANES];
    see_group(s, in, lane, seen);
    if (executes(in, lane))
        cr_assert(warp_model(s, seen, lane, &r), "there is no model for %s", s->text);
    cr_assert((!gives(s, 'd') || r.open || out[0] == r.d) && (!gives(s, 'q') || out[1] == r.q),
              "%s, mask %#lx, lane %u: %#lx %lu, not %#lx %lu", s->text, in[lane].mask, lane, out[0], out[1], r.d, r.q);
}

static void compare_warp(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    bool by_mask = mods_have(&s->mods, M_SYNC);
    struct lane_values *in = batch_memory(b, LANES * sizeof *in, &params.in);
    uint64_t(*out)[2] = batch_memory(b, LANES * sizeof *out, &params.out);
    for (unsigned round = 0; round < ROUNDS + (by_mask ? ROUNDS_OF_GROUPS : 0); round++) {
        fill_lanes(b, round, in);
        if (round >= ROUNDS)
            part_lanes(b, round, in);
        if (!batch_launch(b, p, s, 1, &params))
            return;
        for (unsigned l = 0; l < LANES; l++)
            compare_lane(s, in, l, out[l]);
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_across_lanes(const struct ptx_form *f)
{
    return f->lowering == LOW_LANES && (f->op == OP_SHFL || f->op == OP_VOTE || f->op == OP_MATCH ||
                                        f->op == OP_REDUX || f->op == OP_ELECT || f->op == OP_ACTIVEMASK);
}
static bool is_without_sync(const struct ptx_form *f)
{
    return is_across_lanes(f) && !(f->allowed.word[M_SYNC / 64] >> M_SYNC % 64 & 1) && f->op != OP_ACTIVEMASK;
}
static bool is_with_sync(const struct ptx_form *f) { return is_across_lanes(f) && !is_without_sync(f); }

Test(warps, every_form_against_its_model)
{
    static const struct batch_of forms = {
        .what = "shfl, vote, match, redux, elect and activemask",
        .chosen = is_with_sync,
        .print = warp_kernel,
        .compare = compare_warp,
        .at_least = 23,
    };
    batch_every_form(&forms);
}

Test(warps, every_form_without_sync_against_its_model)
{
    static const struct batch_of forms = {
        .what = "shfl and vote without .sync",
        .head = ".version 9.0\n.target sm_62\n.address_size 64\n",
        .chosen = is_without_sync,
        .print = warp_kernel,
        .compare = compare_warp,
        .at_least = 8,
    };
    batch_every_form(&forms);
}
