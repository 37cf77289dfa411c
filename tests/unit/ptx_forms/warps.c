/* Every form of shfl, vote, match, redux, elect and activemask runs as PTX in whole and in part of a warp, and each
 * lane's results are compared with a model of 32 lanes, written from the pseudo-code and text of the PTX ISA. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/uop.h"
#include "frontend/host/launch.h"
#include "frontend/isa/ptx/check.h"
#include "tests/support/form_walk.h"
#include "tests/unit/ptx_forms/reference.h"

enum { LANES = 32, ROUNDS = 40, TEXT = 20000, FORMS_AT_LEAST = 45 };

struct lane_values {
    uint64_t a, b, c;
    uint32_t executes, vote;
};
struct lane_results {
    uint64_t d, q;
    bool open; /* PTX leaves d open */
};
struct warps {
    unsigned checked;
    uint64_t state;
};

static uint64_t next_random(struct warps *w)
{
    uint64_t z = w->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    return z ^ z >> 31;
}

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
static size_t warp_instruction(char *to, size_t size, const struct spelled *s, bool *has_d, bool *has_q)
{
    size_t n = 0;
    bool mask_in_b = s->form->op == OP_MATCH || s->form->op == OP_REDUX || s->form->op == OP_ELECT;
    SAY("@%%go %s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        SAY("%s", i ? ", " : " ");
        *has_d |= o->role == 'd';
        *has_q |= o->role == 'q' || o->pair;
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

/* Forms without .sync are those of sm_62 and before. */
static size_t warp_kernel(char *to, size_t size, const struct spelled *s, bool *has_d, bool *has_q)
{
    size_t n = 0;
    bool old = !mods_have(&s->mods, M_SYNC) && s->form->op != OP_ACTIVEMASK;
    SAY(".version 9.0\n.target %s\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 mask) {\n"
        ".reg .b64 %%in, %%out, %%own, %%wide, %%x; .reg .b32 %%t, %%a, %%b, %%c, %%d, %%mask; .reg .pred %%go, "
        "%%vote, "
        "%%q;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%mask, [mask]; mov.u32 %%t, %%tid.x;\n"
        "mul.wide.u32 %%own, %%t, %d; add.u64 %%in, %%in, %%own; mul.wide.u32 %%own, %%t, 16;\n"
        "add.u64 %%out, %%out, %%own; ld.global.b64 %%wide, [%%in]; cvt.u32.u64 %%a, %%wide;\n"
        "ld.global.b32 %%b, [%%in+8]; ld.global.b32 %%c, [%%in+16]; ld.global.b32 %%t, [%%in+24];\n"
        "setp.ne.u32 %%go, %%t, 0; ld.global.b32 %%t, [%%in+28]; setp.ne.u32 %%vote, %%t, 0;\n"
        "mov.b32 %%d, 0xabcd; setp.ne.u32 %%q, 0, 0;\n",
        old ? "sm_62" : "sm_90", (int)sizeof(struct lane_values));
    n += warp_instruction(to + n, size - n, s, has_d, has_q);
    SAY("cvt.u64.u32 %%x, %%d; st.global.b64 [%%out], %%x;\n"
        "selp.b64 %%x, 1, 0, %%q; st.global.b64 [%%out+8], %%x;\nret;\n}\n");
    return n;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static uint32_t fill_lanes(struct warps *w, unsigned round, struct lane_values *in)
{
    static const uint64_t corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x8000000000000000};
    uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0x0000ffff, 0xf0f0f0f0, (uint32_t)next_random(w) | 2};
    uint32_t mask = masks[round % 6], segment = (32u - (1u << next_random(w) % 6)) << 8;
    uint64_t kinds = 1 + next_random(w) % 4, amount = next_random(w) % 34, most = next_random(w) % 2 ? 31 : 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t any = next_random(w);
        in[l].a = round % 3 == 0 ? any : corners[any % kinds + round % 4];
        in[l].b = round % 2 ? amount : next_random(w) % 40;
        in[l].c = segment | most;
        in[l].executes = mask >> l & 1;
        in[l].vote = round % 5 == 0 ? 0 : round % 5 == 1 ? 1 : next_random(w) & 1;
    }
    return mask;
}

static void run_warp_form(const struct spelled *s, void *data)
{
    struct warps *w = data;
    static char text[TEXT];
    bool has_d = false, has_q = false;
    struct rp_error err;
    struct rp_launch_result result;
    size_t n = warp_kernel(text, sizeof text, s, &has_d, &has_q);
    struct rp_device *device = rp_device_new(&err);
    struct module *m = ptx_load_text("warps.ptx", text, n, 0, &err);
    cr_assert(device && m && rp_device_adopt(device, m, &err), "%s: %s", s->text, err.text);
    struct program *p = module_find(m, "k", &err);
    cr_assert(p, "%s: %s", s->text, err.text);
    uint64_t params[3] = {rp_alloc(device, LANES * sizeof(struct lane_values), "in", &err),
                          rp_alloc(device, LANES * 16, "out", &err)};
    struct lane_values *in = rp_host(device, params[0], 8);
    uint64_t(*out)[2] = rp_host(device, params[1], 8);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}, .params = params, .threads = 1};
        params[2] = fill_lanes(w, round, in);
        cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s: %s", s->text, err.text);
        for (unsigned l = 0; l < LANES; l++) {
            struct lane_results r = {.d = 0xabcd};
            if (executes(in, l))
                cr_assert(warp_model(s, in, l, &r), "there is no model for %s", s->text);
            cr_assert((!has_d || r.open || out[l][0] == r.d) && (!has_q || out[l][1] == r.q),
                      "%s, mask %#lx, lane %u: %#lx %lu, not %#lx %lu", s->text, params[2], l, out[l][0], out[l][1],
                      r.d, r.q);
        }
    }
    rp_device_free(device);
    w->checked++;
}

Test(warps, every_form_against_its_model)
{
    static const char *const names[] = {"shfl", "vote", "match", "redux", "elect", "activemask"};
    struct warps w = {.state = 32};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t count;
        const struct ptx_form *forms = ptx_opcode(names[i], (uint32_t)strlen(names[i]), &count);
        for (uint32_t f = 0; f < count; f++) {
            unsigned before = w.checked;
            if (forms[f].lowering == LOW_NONE)
                continue;
            walk_row(&forms[f], true, run_warp_form, &w);
            cr_expect_gt(w.checked, before, "no form of row %u of '%s' runs", f, names[i]);
        }
    }
    fprintf(stderr, "# %u forms of shfl, vote, match, redux, elect and activemask agree with their model\n", w.checked);
    cr_expect_gt(w.checked, (unsigned)FORMS_AT_LEAST);
}
