/* Every form of cp.async, cp.async.bulk and cp.reduce.async.bulk against a plain copy or reduction, on corner values.
 * PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/operation/uop.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { BULK = 64, CELL = 16, ROUNDS = 6, FORMS_AT_LEAST = 100 };

static bool is(const struct spelled *s, int modifier) { return mods_have(&s->mods, modifier); }
static bool has_hint(const struct spelled *s) { return strstr(s->text, ".L2::cache_hint") != NULL; }

/* ---- bulk copies by one thread ----------------------------------------------------------------------------------- */

struct bulk_data {
    uint8_t from[BULK], to[BULK];
};
static bool is_bulk(const struct ptx_form *f) { return f->lowering == LOW_BULK; }
static bool tells(const struct spelled *s) { return strstr(s->text, ".mbarrier::complete_tx::bytes") != NULL; }
/* "shared::cluster.global": from global memory; "global.shared::cta": to it. */
static bool to_global(const struct spelled *s) { return strstr(s->text, ".global.shared::cta") != NULL; }
static bool from_global(const struct spelled *s) { return strstr(s->text, ".global") && !to_global(s); }

static size_t bulk_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char operands[200];
    size_t n = (size_t)snprintf(operands, sizeof operands, " [%s], [%s], %s", to_global(s) ? "%out" : "%r1",
                                from_global(s) ? "%in" : "%r0", number & 1 ? "64" : "%r2");
    if (tells(s))
        n += (size_t)snprintf(operands + n, sizeof operands - n, ", [%%r3]");
    if (is(s, M_MULTICAST))
        n += (size_t)snprintf(operands + n, sizeof operands - n, ", %%h1");
    if (has_hint(s))
        snprintf(operands + n, sizeof operands - n, ", %%policy");
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%at, %%gin, %%gout, %%policy; .reg .b32 %%r<9>, %%t; .reg .b16 %%h<2>; .reg .pred "
        "%%p<3>;\n"
        ".shared .align 128 .b8 from[64]; .shared .align 128 .b8 to[64]; .shared .align 8 .b64 object;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%r0, from;\n"
        "mov.u32 %%r1, to; mov.u32 %%r2, 64; mov.u32 %%r3, object; mov.u16 %%h1, 1; mov.u64 %%policy, 0;\n"
        "mul.wide.u32 %%at, %%t, 4; add.u64 %%gin, %%in, %%at; add.u64 %%gout, %%out, %%at;\n"
        "mad.lo.u32 %%r4, %%t, 4, %%r0; mad.lo.u32 %%r5, %%t, 4, %%r1; setp.ge.u32 %%p1, %%t, 16; @%%p1 bra filled;\n"
        "ld.global.b32 %%r6, [%%gin]; st.shared.b32 [%%r4], %%r6; ld.global.b32 %%r6, [%%gin+64];\n"
        "st.shared.b32 [%%r5], %%r6; filled: setp.eq.u32 %%p2, %%t, 0;\n"
        "@%%p2 mbarrier.init.shared.b64 [%%r3], 1; bar.sync 0; @!%%p2 bra done;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], 64;\n"
        "%s%s;\n"
        "%s\n"
        "done: bar.sync 0; @%%p1 bra over; ld.shared.b32 %%r6, [%%r5]; st.global.b32 [%%gout+64], %%r6; over: ret; }\n",
        number, s->text, operands,
        tells(s) ? "wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra wait; setp.ne.u32 %p1, 0, 0;"
                 : "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
}

/* What was copied, or what it makes of what was there. */
static bool bulk_model(const struct spelled *s, const uint8_t *from, uint8_t *to)
{
    if (strncmp(s->form->opcode, "cp", 2) || !is(s, M_REDUCE)) {
        memcpy(to, from, BULK);
        return true;
    }
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    unsigned bytes = bits_of(t) / 8;
    for (unsigned i = 0; i < BULK; i += bytes) {
        uint64_t old = 0, b = 0, value = 0;
        memcpy(&old, to + i, bytes);
        memcpy(&b, from + i, bytes);
        if (reference_atomic(mods_value(&s->mods, G_OPERATION, -1), t, true, old, b, 0, &value) != ANSWERED)
            return false;
        memcpy(to + i, &value, bytes);
    }
    return true;
}

static void compare_bulk(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    struct bulk_data *in = batch_memory(b, sizeof *in, &params.in), before;
    uint8_t *out = batch_memory(b, 2 * BULK, &params.out), want[BULK];
    unsigned width = s->mods.type_count ? bits_of((enum ptx_type)s->mods.types[0]) / 8 : 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        batch_numbers(b, in->from, sizeof *in, width);
        before = *in;
        memcpy(out, in->to, BULK); /* what is at %out before */
        memcpy(want, in->to, BULK);
        cr_assert(bulk_model(s, in->from, want), "%s has no model", s->text);
        if (!batch_launch(b, p, s, 1, &params))
            return;
        cr_expect(!memcmp(&before, in, sizeof before), "%s: the source has changed", s->text);
        cr_expect(!memcmp(want, to_global(s) ? out : out + BULK, BULK), "%s, round %u: something else was left",
                  s->text, round);
    }
}

Test(copies, every_form_of_bulk_copies)
{
    static const struct batch_of forms = {
        .what = "bulk copies",
        .chosen = is_bulk,
        .print = bulk_kernel,
        .compare = compare_bulk,
        .at_least = FORMS_AT_LEAST / 2,
    };
    batch_every_form(&forms);
}

/* ---- cp.async ---------------------------------------------------------------------------------------------------- */

struct copy_lane {
    uint32_t bytes, ignore; /* src-size, and ignore-src */
    uint64_t none;
    uint8_t from[CELL], to[CELL];
};
enum fourth { FOURTH_NONE, FOURTH_BYTES, FOURTH_IGNORE, FOURTHS };
static enum fourth fourth_of(const struct spelled *s) { return (enum fourth)(s->variant % FOURTHS); }
static unsigned size_of(const struct spelled *s) { return s->variant / FOURTHS; }
static bool is_copy(const struct ptx_form *f) { return f->lowering == LOW_COPY; }

static size_t copy_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    static const char *const fourths[FOURTHS] = {"", ", %r2", ", %p1"};
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".reg .b64 %%in, %%out, %%at, %%x, %%y, %%policy; .reg .b32 %%r<5>, %%t; .reg .pred %%p<2>;\n"
        ".shared .align 16 .b8 cells[512];\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, 48;\n"
        "add.u64 %%in, %%in, %%at; mul.wide.u32 %%at, %%t, 16; add.u64 %%out, %%out, %%at; mov.u32 %%r1, cells;\n"
        "mad.lo.u32 %%r1, %%t, 16, %%r1; ld.global.v2.b64 {%%x, %%y}, [%%in+32]; st.shared.v2.b64 [%%r1], {%%x, %%y};\n"
        "ld.global.b32 %%r2, [%%in]; ld.global.b32 %%r3, [%%in+4]; setp.ne.u32 %%p1, %%r3, 0; mov.u64 %%policy, 0;\n"
        "add.u64 %%at, %%in, 16;\n"
        "%s [%%r1], [%%at], %u%s%s;\n"
        "cp.async.wait_all; ld.shared.v2.b64 {%%x, %%y}, [%%r1]; st.global.v2.b64 [%%out], {%%x, %%y}; ret; }\n",
        number, s->text, size_of(s), fourths[fourth_of(s)], has_hint(s) ? ", %policy" : "");
}

static void compare_copy(struct batch *b, struct program *p, const struct spelled *s)
{
    unsigned size = size_of(s);
    enum fourth fourth = fourth_of(s);
    struct {
        uint64_t in, out;
    } params;
    struct copy_lane *in = batch_memory(b, BATCH_LANES * sizeof *in, &params.in);
    uint8_t(*out)[CELL] = batch_memory(b, BATCH_LANES * CELL, &params.out), want[CELL];
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        in[l] = (struct copy_lane){(uint32_t)batch_random(b) % (size + 1), batch_random(b) & 1, 0, {0}, {0}};
        batch_numbers(b, in[l].from, 2 * CELL, 4);
    }
    if (!batch_launch(b, p, s, 1, &params))
        return;
    for (unsigned l = 0; l < BATCH_LANES; l++) {
        unsigned bytes = fourth == FOURTH_BYTES ? in[l].bytes : fourth == FOURTH_IGNORE && in[l].ignore ? 0 : size;
        memcpy(want, in[l].to, CELL);
        memset(want, 0, size);
        memcpy(want, in[l].from, bytes);
        cr_expect(!memcmp(want, out[l], CELL), "%s %u, lane %u: %u bytes", s->text, size, l, bytes);
    }
}

/* The walk varies how many operands there are; here the fourth does. */
static void add_copy(const struct spelled *s, void *batch)
{
    struct spelled v = *s;
    if (s->operands != (has_hint(s) ? 4u : 3u))
        return;
    for (unsigned size = is(s, M_CG) ? 16 : 4; size <= 16; size *= 2)
        for (unsigned fourth = 0; fourth < FOURTHS; fourth++) {
            v.variant = size * FOURTHS + fourth;
            batch_add(&v, batch);
        }
}

Test(copies, every_form_of_cp_async)
{
    static const struct batch_of forms = {
        .what = "cp.async",
        .chosen = is_copy,
        .add = add_copy,
        .print = copy_kernel,
        .compare = compare_copy,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
}
